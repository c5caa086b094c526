"""What processes cost: CPU and memory of a whole tree, also of processes that left it.

`python -m benches.process_cost COMMAND …` runs a command, adopts everything it starts, and prints the cost as JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_PR_SET_CHILD_SUBREAPER = 36
_LONGEST = 600.0  # seconds for a command and all that it starts


class Cost(NamedTuple):
    """Of a command to its end: seconds by the clock, CPU seconds of the whole tree, MB of its largest process."""

    wall: float
    cpu: float
    largest_mb: float


def cost_of(
    command: Sequence[str], environ: Mapping[str, str] | None = None, *, output: str = os.devnull, cwd: str = "/"
) -> Cost:
    """Run a command to its end, with everything it starts; it must succeed."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(output, "wb") as target:
        done = subprocess.run(
            [sys.executable, "-m", "benches.process_cost", cwd, *command],
            cwd=here,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=target,
            stderr=subprocess.PIPE,
            timeout=2 * _LONGEST,
        )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {done.returncode}:\n{done.stderr.decode()[-2000:]}")
    return Cost(*json.loads(done.stderr.splitlines()[-1]))


def _adopt(cwd: str, command: Sequence[str]) -> int:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    began = time.monotonic()
    os.chdir(cwd)
    pid = os.posix_spawnp(command[0], list(command), os.environ)
    _, status = os.waitpid(pid, 0)
    wall = time.monotonic() - began
    while time.monotonic() - began < _LONGEST:  # what outlives the command counts too
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps([wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]), file=sys.stderr)
    return os.waitstatus_to_exitcode(status)


def cpu_of_tree(pid: int) -> float:
    """CPU seconds so far of a process and its living descendants, to the nanosecond."""
    return sum(_cpu_of(each) for each in (pid, *_descendants(pid)))


def _cpu_of(pid: int) -> float:
    used = 0
    for thread in _listed(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                used += int(file.read().split()[0])
        except FileNotFoundError:
            continue  # it ended
    return used / 1e9


def _descendants(pid: int) -> list[int]:
    found = []
    for thread in _listed(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                children = [int(child) for child in file.read().split()]
        except FileNotFoundError:
            continue
        found += [each for child in children for each in (child, *_descendants(child))]
    return found


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


if __name__ == "__main__":
    sys.exit(_adopt(sys.argv[1], sys.argv[2:]))
