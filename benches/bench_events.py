"""Delay from a commit in one process to the event at an SSE client of another, with the doorbell and without it.

The clock starts before the commit. One client of a real Studio; commits at random moments, 30 a second.
"""

from __future__ import annotations

from benches.delays import measure_delay
from benches.stores import clean_up, fresh_path
from benches.table import Table, at_most, options


def main() -> None:
    args = options(__doc__)
    commits = 60 if args.quick else 1000
    try:
        table = Table("From a commit to an SSE client", args)
        measure_delay(table, "doorbell", fresh_path("events"), commits, True, at_most(10))
        measure_delay(table, "without the doorbell", fresh_path("events"), commits, False, at_most(60))
        table.close()
    finally:
        clean_up()


if __name__ == "__main__":
    main()
