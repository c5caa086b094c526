"""Pushes to a hub: 100,000 messages in 2,000 sessions, once and again, and the delay from a commit to the hub.

The hub is a SQLite file. The delay starts before the commit on the machine and ends at an SSE client of a Studio of
the hub; commits at random moments, 30 a second, and `li hub push --follow` as a process.
"""

from __future__ import annotations

from pathlib import Path

from benches.import_cost import run
from benches.pushes import follow, push_all
from benches.stores import fresh_path
from benches.table import Options, Table


def _measure(table: Table, args: Options, folder: Path) -> None:
    push_all(table, fresh_path("hub"), 200 if args.quick else 2000)
    follow(table, fresh_path("hub"), 60 if args.quick else 600)


if __name__ == "__main__":
    run("Pushes to a hub", __doc__, _measure)
