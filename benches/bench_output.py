"""The output of a program, recorded by `li agent command`: against `tee`, and its size on disk.

The program that prints is the same Python program in both, and its time is in both.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from benches.stores import clean_up, fresh_folder
from benches.table import Table, at_most, options

_PROGRAM = """
import sys
for number in range(int(sys.argv[1])):
    print(f"{number} INFO worker-{number % 8} parsed module {number * 7919 % 1000} of the tree in {number % 97} ms")
"""


def _used(argv: list[str], home: Path, output: Path) -> tuple[float, float]:
    """The wall and CPU seconds of a command that succeeds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with output.open("wb") as stdout:
        subprocess.run(argv, stdout=stdout, stderr=subprocess.DEVNULL, env=_environment(home), check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "LIONAGI_HOME": str(home)}


def main() -> None:
    args = options(__doc__)
    lines = 30_000 if args.quick else 300_000
    try:
        table = Table(f"Output of a program, {lines:,} lines", args)
        folder = fresh_folder("output")
        program = folder / "program.py"
        program.write_text(_PROGRAM, encoding="utf-8")
        printing = [sys.executable, str(program), str(lines)]
        walls, seconds, sizes = [], [], []
        for number in range(3):
            home = folder / f"home-{number}"
            tee = ["sh", "-c", '"$@" | tee "$0"', str(folder / "tee.out"), *printing]
            tee_wall, _ = _used(tee, home, folder / "out")
            li = [str(Path(sys.executable).with_name("li")), "agent", "command", "go", "--quiet", "--", *printing]
            wall, cpu = _used(li, home, folder / "out")
            walls.append(wall / tee_wall)
            seconds.append(cpu)
            stored = sum(file.stat().st_size for file in home.glob("state.db*"))
            sizes.append(stored / (folder / "tee.out").stat().st_size)
        table.row("recorded / tee", min(walls), "×", at_most(12))
        table.row("recorded, CPU of `li`", min(seconds), "s", note="without the program")
        table.row("on disk / printed", min(sizes), "×", at_most(3))
        table.close()
    finally:
        clean_up()


if __name__ == "__main__":
    main()
