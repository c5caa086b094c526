"""Run a command with a time limit and bounded output; no process of it stays behind."""

from __future__ import annotations

import asyncio
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

from lionstudio.system.atomic_write import make_folder
from lionstudio.system.process_tree import MARK, adopt_orphans, end_tree, new_mark
from lionstudio.system.procfs import find_start_ticks

MOST_LOG = 20_000_000  # bytes of a log; a program that prints for ever must not fill the disk
MOST_TAIL = 20_000  # bytes of output in the result
GRACE_SECONDS = 3.0
_POLL_SECONDS = 0.2
_READ = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    how: str  # exited | timed_out | stopped | not_started
    code: int | None
    tail: str  # the end of its output
    seconds: float
    detail: str = ""  # the reason for a stop, or for a failed start

    @property
    def ok(self) -> bool:
        return self.how == "exited" and self.code == 0

    def sentence(self, timeout: float) -> str:
        if self.how == "timed_out":
            return f"timed out after {timeout:.0f} seconds"
        if self.how == "stopped":
            return f"stopped: {self.detail}"
        if self.how == "not_started":
            return f"could not start: {self.detail}"
        if self.code is not None and self.code < 0:
            return f"killed by signal {-self.code}"
        return f"exit code {self.code}"


def run_command(
    argv: Sequence[str],
    cwd: str,
    env: Mapping[str, str],
    *,
    timeout: float,
    log: str | None = None,
    why_stop: Callable[[], str | None] = lambda: None,
) -> CommandResult:
    """Run a command in its own session without input; every process it started has ended when this returns."""
    began = time.monotonic()
    mark = new_mark()
    adopt_orphans()
    with ExitStack() as stack:
        output = _Output(stack.enter_context(_open_log(log)) if log else None)
        try:
            process = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env={**env, MARK: mark},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return CommandResult(how="not_started", code=None, tail="", seconds=0.0, detail=f"{argv[0]}: {error}")
        start_ticks = find_start_ticks(process.pid)
        try:
            how, detail = _watch(process, output, began + timeout, why_stop)
        finally:
            _end(process, mark, start_ticks)
            output.drain(process.stdout)
        return CommandResult(
            how=how, code=process.returncode, tail=output.text(), seconds=time.monotonic() - began, detail=detail
        )


def _watch(
    process: subprocess.Popen[bytes], output: _Output, deadline: float, why_stop: Callable[[], str | None]
) -> tuple[str, str]:
    """Read until the program has exited; its children may hold the pipe open longer than that."""
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while process.poll() is None:
            if time.monotonic() >= deadline:
                return "timed_out", ""
            if why := why_stop():
                return "stopped", why
            if selector.select(_POLL_SECONDS) and not output.read(process.stdout):
                time.sleep(_POLL_SECONDS / 10)  # it closed its output and still runs
    return "exited", ""


def _end(process: subprocess.Popen[bytes], mark: str, start_ticks: int | None) -> None:
    """End the process tree, also after an exit: a server that a test started must not outlive it."""
    # in a thread of its own, because the caller may be inside an event loop
    ended = end_tree(process.pid, mark, start_ticks=start_ticks, grace=GRACE_SECONDS)
    thread = threading.Thread(target=asyncio.run, args=(ended,))
    thread.start()
    thread.join()
    process.wait()


def _open_log(log: str) -> IO[bytes]:
    make_folder(os.path.dirname(log))
    return open(log, "wb")


class _Output:
    """The output of a program: its beginning goes to the log, its end is kept in memory."""

    def __init__(self, log: IO[bytes] | None) -> None:
        self._log = log
        self._log_space = MOST_LOG
        self._end = bytearray()

    def read(self, pipe: IO[bytes]) -> bool:
        """Read what is available; False at the end."""
        try:
            data = os.read(pipe.fileno(), _READ)
        except BlockingIOError:
            return True
        self._keep(data)
        return bool(data)

    def drain(self, pipe: IO[bytes] | None) -> None:
        """Read the rest without waiting for more, and close the pipe."""
        assert pipe is not None
        for _ in range(1 + MOST_LOG // _READ):
            try:
                data = os.read(pipe.fileno(), _READ)
            except OSError:
                break
            if not data:
                break
            self._keep(data)
        pipe.close()

    def text(self) -> str:
        """Return the end of the output; where it was cut it starts with a whole line."""
        cut = len(self._end) >= MOST_TAIL
        tail = bytes(self._end[-MOST_TAIL:])
        return (tail.partition(b"\n")[2] if cut and b"\n" in tail[:-1] else tail).decode("utf-8", "backslashreplace")

    def _keep(self, data: bytes) -> None:
        self._end += data
        del self._end[: -2 * MOST_TAIL]
        if self._log is not None and self._log_space > 0:
            self._log.write(data[: self._log_space])
            self._log_space -= len(data)
            if self._log_space <= 0:
                self._log.write(b"\n(the rest was cut)\n")
