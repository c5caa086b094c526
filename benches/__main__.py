"""Run the benches one after the other and keep their results: `python -m benches [--goals] [--build] [NAME …]`.

A bench that fails does not stop the others; its old result is removed, so that its goals count as not measured.
`--build` only builds the large databases, which takes longer than measuring: do it before the machine is quiet.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from benches.goals import GOALS, RESULTS

_FOLDER = Path(__file__).parent
_ROOT = _FOLDER.parent
_LONGEST = 3600.0  # seconds of one bench
_HEAVY = "heavy"  # benches with this prefix need a database of several GB


def main() -> int:
    args = _options()
    if args.build:
        from benches.build_all import build_all  # loads what benches need

        build_all(with_heavy=args.heavy)
        return 0
    RESULTS.mkdir(parents=True, exist_ok=True)
    names = _selected(args)
    seconds: dict[str, float] = {}
    failed = []
    for name in names:
        began = time.monotonic()
        if not _run(name, quick=args.quick):
            failed.append(name)
        seconds[name] = time.monotonic() - began
    _print_durations(seconds, failed)
    if set(names) >= _goal_benches(heavy=False):
        subprocess.run([sys.executable, "-m", "benches.goals"], cwd=_ROOT, check=True)
    print(f"For docs/reference/performance.md: {os.path.relpath(sys.executable)} -m benches.report")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benches", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benches to run, such as append (default: all)")
    parser.add_argument("--goals", action="store_true", help="only benches that measure a goal of the product")
    parser.add_argument("--heavy", action="store_true", help="also those on a database of several GB")
    parser.add_argument("--quick", action="store_true", help="smaller data and fewer rounds; goals are not measured")
    parser.add_argument("--build", action="store_true", help="build the large databases and measure nothing")
    return parser.parse_args()


def _selected(args: argparse.Namespace) -> list[str]:
    every = sorted(path.stem.removeprefix("bench_") for path in _FOLDER.glob("bench_*.py"))
    unknown = sorted(set(args.names) - set(every))
    if unknown:
        sys.exit(f"unknown bench: {', '.join(unknown)}\n  try: one of {', '.join(every)}")
    if args.names:
        return [name for name in every if name in args.names]
    chosen = [name for name in every if args.heavy or not name.startswith(_HEAVY)]
    return [name for name in chosen if name in _goal_benches(heavy=True)] if args.goals else chosen


def _goal_benches(*, heavy: bool) -> set[str]:
    return {goal.bench for goal in GOALS if heavy or not goal.bench.startswith(_HEAVY)}


def _run(name: str, *, quick: bool) -> bool:
    """Run a bench in a process of its own; returns whether it succeeded."""
    result = RESULTS / f"bench_{name}.json"
    result.unlink(missing_ok=True)
    words = [sys.executable, "-m", f"benches.bench_{name}", "--json", str(result), *(["--quick"] if quick else [])]
    try:
        return subprocess.run(words, cwd=_ROOT, timeout=_LONGEST).returncode == 0
    except subprocess.TimeoutExpired:
        print(f"  bench_{name} took more than {_LONGEST:.0f} s and was stopped\n", flush=True)
        return False


def _print_durations(seconds: dict[str, float], failed: list[str]) -> None:
    print("Durations\n")
    for name, took in seconds.items():
        print(f"  {name:<20} {took:7.0f} s{'  FAILED' if name in failed else ''}")
    print(f"  {'all':<20} {sum(seconds.values()):7.0f} s\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
