"""The sessions of the OpenAI Agents SDK (`SQLiteSession` in a file): append and read, beside `record()`.

Each contestant is a process of its own with its own interpreter; they take turns, and the best round of each counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benches.stores import fresh_folder
from benches.table import Options, Table, at_least

_NAME = "OpenAI sessions"
_PROGRAMS = Path(__file__).parent
_WORKS = {
    "append, 1 producer": ("append", 1),
    "append, 64 producers": ("append", 64),
    "10,000 messages read as JSON": ("read", 10_000),
    "last 100 of 10,000 messages as JSON": ("last", 100),
}


def measure(table: Table, args: Options, python: Path) -> None:
    """The rows of this peer."""
    for what, (work, number) in _WORKS.items():
        ours, theirs = [], []
        for _ in range(2 if args.quick else 5):
            ours.append(_run(sys.executable, "record_program.py", work, number, args))
            theirs.append(_run(str(python), "sqlite_session_program.py", work, number, args))
        mine, other = min(ours), min(theirs)
        unit = "µs" if work == "append" else "ms"
        table.row(f"{what}, ours", mine, unit)
        table.row(f"{what}, {_NAME}", other, unit)
        table.row(f"{what}, {_NAME} / ours", other / mine, "×", at_least(1))


def _run(python: str, program: str, work: str, number: int, args: Options) -> float:
    """µs of an append, all producers together, or ms of a read."""
    folder = fresh_folder(work)
    size = 512 if args.quick else 4096
    done = subprocess.run(
        [python, str(_PROGRAMS / program), work, str(number), str(size), str(folder)],
        cwd=_PROGRAMS.parents[1],
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": "" if program[0] == "s" else "."},
        stdout=subprocess.PIPE,
        check=True,
        timeout=600,
    )
    return float(json.loads(done.stdout.splitlines()[-1]))
