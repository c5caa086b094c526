"""The supervisor process of children.WorkerPool: forks and kills workers on request, and reports their end."""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from typing import Any

from tests.support.workload import perform, tell

_alive: set[int] = set()


def _start(works: list[tuple[str, str, int, dict[str, Any]]]) -> None:
    gate, opener = os.pipe()
    pids = [_fork(gate, opener, *work) for work in works]
    _alive.update(pids)
    tell(started=pids)
    os.close(gate)
    os.close(opener)  # every worker waits for this


def _fork(gate: int, opener: int, work: str, path: str, n: int, options: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 99
    try:
        os.close(opener)
        os.read(gate, 1)
        code = perform(work, path, n, **options)
    except BaseException:
        tell(crash=traceback.format_exc()[-3000:])
    os._exit(code)


def _end(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    _alive.discard(pid)
    tell(ended=pid, code=os.waitstatus_to_exitcode(status))


def _kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    _end(pid)


def main() -> None:
    """Take orders until nobody gives any; leave no worker behind."""
    for line in sys.stdin:
        order = json.loads(line)
        if "start" in order:
            _start(order["start"])
        elif "kill" in order:
            _kill(order["kill"])
        else:
            _end(order["wait"])
    for pid in list(_alive):
        _kill(pid)


if __name__ == "__main__":
    main()
