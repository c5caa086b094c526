"""The first process of a machine of tests/support/machines.py: it mounts the home and keeps one program running.

    machine_init.py PLACE OWN SHARED RESTART_SECONDS PROGRAM …

Inside its own mount namespace, OWN (the folder of this machine) appears at PLACE, and SHARED (the folder with those of
all machines) is empty. As the first process of its pid namespace it adopts and reaps orphans; when it ends, all end.
SIGTERM stops the program; SIGTERM again ends the machine at once.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

program: int | None = None
stops = 0


def main() -> int:
    global program
    place, own, shared, restart, *argv = sys.argv[1:]
    if os.getpid() == 1:
        for words in (("--make-rprivate", "/"), ("--bind", own, place), ("-t", "tmpfs", "tmpfs", shared)):
            subprocess.run(["mount", *words], check=True)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    again = 0.0
    while True:
        if program is None and stops == 0 and time.monotonic() >= again:
            program = subprocess.Popen(argv, stdin=subprocess.DEVNULL, start_new_session=True, cwd="/").pid
        if program is None and stops:
            return 0
        ended = _reap()
        if program is not None and program in ended:
            program, again = None, time.monotonic() + float(restart)
        if not ended:
            time.sleep(0.05)


def _reap() -> dict[int, int]:
    """Exit codes of the processes that have ended."""
    ended = {}
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            ended[pid] = os.waitstatus_to_exitcode(status)
    return ended


def _stop(_number: int, _frame: object) -> None:
    global stops
    stops += 1
    if stops > 1:
        os._exit(143)
    if program is not None:
        with suppress(ProcessLookupError):
            os.kill(program, signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
