"""Start-up of the command: `li --help` and `li state ls` against `python -c pass`.

Whole processes that take turns; minimum and median of the wall clock, and the median of CPU.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

from benches.build import cached
from benches.populations import fill
from benches.stores import clean_up
from benches.table import Table, at_most, options

_LI = str(Path(sys.executable).parent / "li")
_COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "li --help": [_LI, "--help"],
    "li state ls": [_LI, "state", "ls"],
    "li --version": [_LI, "--version"],
}
_GOALS = {"li --help": 3.0, "li state ls": 5.0}


class Spent(NamedTuple):
    """Seconds of one process."""

    wall: float
    cpu: float


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Start of the command", args)
        home = Path(cached("sessions-1000", lambda conn: fill(conn, 1000))).parent
        runs = _take_turns(home, 15 if args.quick else 100)
        for name, spent in runs.items():
            _rows(table, name, spent, runs["python -c pass"])
        table.close()
    finally:
        clean_up()


def _take_turns(home: Path, times: int) -> dict[str, list[Spent]]:
    environment = {**os.environ, "LIONAGI_HOME": str(home), "NO_COLOR": "1"}
    runs: dict[str, list[Spent]] = {name: [] for name in _COMMANDS}
    for _ in range(times + 1):
        for name in random.sample(list(_COMMANDS), len(_COMMANDS)):
            runs[name].append(_run(_COMMANDS[name], environment))
    return {name: spent[1:] for name, spent in runs.items()}  # the first turn fills the disk cache


def _run(command: list[str], environment: dict[str, str]) -> Spent:
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, environment, file_actions=quiet)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(command)} failed with {os.waitstatus_to_exitcode(status)}")
    return Spent(wall, usage.ru_utime + usage.ru_stime)


def _rows(table: Table, name: str, spent: list[Spent], bare: list[Spent]) -> None:
    lowest = min(run.wall for run in spent)
    table.row(f"{name}, minimum", lowest * 1000, "ms", note=f"CPU {statistics.median(run.cpu for run in spent):.3f} s")
    if spent is bare:
        return
    goal = at_most(_GOALS[name]) if name in _GOALS else None
    table.row(f"{name} / python, minimum", lowest / min(run.wall for run in bare), "×", goal)
    middle = statistics.median(mine.wall / theirs.wall for mine, theirs in zip(spent, bare, strict=True))
    table.row(f"{name} / python, median of turns", middle, "×", goal)
    cpu = statistics.median(mine.cpu / theirs.cpu for mine, theirs in zip(spent, bare, strict=True))
    table.row(f"{name} / python, CPU", cpu, "×")


if __name__ == "__main__":
    main()
