"""The output of a bench: figures, the goal of each, and whether it is reached."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import apsw

DATA = Path(__file__).parent / ".data"


class Goal(NamedTuple):
    """A limit of docs/reference/performance.md."""

    sign: str
    limit: float

    def reached(self, value: float) -> bool:
        return value <= self.limit if self.sign == "≤" else value >= self.limit


def at_most(limit: float) -> Goal:
    """The figure must not be greater."""
    return Goal("≤", limit)


def at_least(limit: float) -> Goal:
    """The figure must not be smaller."""
    return Goal("≥", limit)


class Options(NamedTuple):
    quick: bool
    json: str | None


def options(about: str | None) -> Options:
    """Parse the options of every bench."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true", help="at most 20 seconds, on smaller data")
    parser.add_argument("--json", metavar="FILE", help="also write the figures to FILE")
    args = parser.parse_args()
    return Options(args.quick, args.json)


class Table:
    def __init__(self, title: str, args: Options) -> None:
        self._args = args
        self.title = title
        self._began = time.monotonic()
        self.rows: list[dict[str, Any]] = []
        print(f"{title}\n{_setting()}\n", flush=True)

    def row(self, what: str, value: float, unit: str, goal: Goal | None = None, note: str = "") -> None:
        """One figure."""
        verdict = "" if goal is None else "ok" if goal.reached(value) else "MISS"
        wanted = "" if goal is None else f"{goal.sign} {goal.limit:g}"
        self.rows.append({"what": what, "value": value, "unit": unit, "goal": wanted, "verdict": verdict, "note": note})
        print(f"  {what:<58} {figure(value, unit):>13} {wanted:>9} {verdict:<5} {note}".rstrip(), flush=True)

    def say(self, text: str) -> None:
        """A line between the rows."""
        print(f"  {text}", flush=True)

    def close(self) -> None:
        """Print the summary, and write the JSON if requested."""
        missed = [row["what"] for row in self.rows if row["verdict"] == "MISS"]
        print(f"\n  load average at the end {_load()}; goals missed: {len(missed)}\n", flush=True)
        if self._args.json:
            Path(self._args.json).write_text(json.dumps(self._as_json(), ensure_ascii=False, indent=1) + "\n")

    def _as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "command": command(),
            "quick": self._args.quick,
            "machine": machine(),
            "load": _load(),
            "seconds": round(time.monotonic() - self._began, 1),
            "rows": self.rows,
        }


def figure(value: float, unit: str) -> str:
    """Format a number for people."""
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2 if abs(value) >= 0.1 or not value else 3
    return f"{value:,.{digits}f} {unit}"


def command() -> str:
    """The command that repeats the bench, without its output file."""
    program = Path(sys.argv[0])
    name = program.parent.name if program.stem == "__main__" else program.stem
    shown = [f"benches.{name}", *(word for word in sys.argv[1:] if word == "--quick")]
    return "python -m " + shlex.join(shown)


def machine() -> dict[str, str]:
    """The machine, without names and paths."""
    return {
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "apsw": apsw.apsw_version(),
    }


def _setting() -> str:
    facts = machine()
    return (
        f"{facts['cores']} cores, {facts['system']}, Python {facts['python']}, SQLite {facts['sqlite']}, "
        f"load average {_load()}"
    )


def _load() -> str:
    return " ".join(f"{part:.1f}" for part in os.getloadavg())
