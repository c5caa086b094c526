"""One command of a plan: a time limit, bounded output that is kept, and nothing of it left running afterwards."""

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
from lionstudio.system.process_tree import MARK, adopt_orphans, born_at, end_tree, new_mark

MOST_LOG = 20_000_000  # bytes of a log; a program that prints for ever must not fill the disk
MOST_TAIL = 20_000  # bytes that are told
GRACE_SECONDS = 3.0
_LOOK_SECONDS = 0.2
_READ = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """How a command ended."""

    how: str  # exited | timed_out | stopped | not_started
    code: int | None
    tail: str  # the end of what it printed
    seconds: float
    detail: str = ""  # why it was stopped, or could not be started

    @property
    def ok(self) -> bool:
        """It ended by itself and is content."""
        return self.how == "exited" and self.code == 0

    def sentence(self, timeout: float) -> str:
        """What happened, in a few words."""
        if self.how == "timed_out":
            return f"it took longer than {timeout:.0f} seconds and was ended"
        if self.how == "stopped":
            return f"it was stopped: {self.detail}"
        if self.how == "not_started":
            return f"it could not be started: {self.detail}"
        if self.code is not None and self.code < 0:
            return f"it was ended by signal {-self.code}"
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
    """Run it in its own session without input; everything it started has ended when this returns."""
    began = time.monotonic()
    mark = new_mark()
    adopt_orphans()
    with ExitStack() as held:
        output = _Output(held.enter_context(_opened(log)) if log else None)
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
        born = born_at(process.pid)
        try:
            how, detail = _watch(process, output, began + timeout, why_stop)
        finally:
            _end(process, mark, born)
            output.drain(process.stdout)
        return CommandResult(
            how=how, code=process.returncode, tail=output.text(), seconds=time.monotonic() - began, detail=detail
        )


def _watch(
    process: subprocess.Popen[bytes], output: _Output, deadline: float, why_stop: Callable[[], str | None]
) -> tuple[str, str]:
    """Read until the program has ended; its children may hold the pipe open longer than that."""
    assert process.stdout is not None
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while process.poll() is None:
            if time.monotonic() >= deadline:
                return "timed_out", ""
            if why := why_stop():
                return "stopped", why
            if selector.select(_LOOK_SECONDS) and not output.read(process.stdout):
                time.sleep(_LOOK_SECONDS / 10)  # it closed its output and goes on
    return "exited", ""


def _end(process: subprocess.Popen[bytes], mark: str, born: int | None) -> None:
    """Also when it has ended by itself: a server that a test started must not outlive it."""
    # in a thread of its own, because the caller may be inside an event loop
    ending = threading.Thread(target=lambda: asyncio.run(end_tree(process.pid, mark, born=born, grace=GRACE_SECONDS)))
    ending.start()
    ending.join()
    process.wait()


def _opened(log: str) -> IO[bytes]:
    make_folder(os.path.dirname(log))
    return open(log, "wb")


class _Output:
    """What a program prints: the beginning goes to the log, the end is kept at hand."""

    def __init__(self, log: IO[bytes] | None) -> None:
        self._log = log
        self._room = MOST_LOG
        self._end = bytearray()

    def read(self, pipe: IO[bytes]) -> bool:
        """Take what is there; False at the end."""
        try:
            found = os.read(pipe.fileno(), _READ)
        except BlockingIOError:
            return True
        self._keep(found)
        return bool(found)

    def drain(self, pipe: IO[bytes] | None) -> None:
        """Take the rest without waiting for anybody, and let go."""
        assert pipe is not None
        for _ in range(1 + MOST_LOG // _READ):
            try:
                found = os.read(pipe.fileno(), _READ)
            except OSError:
                break
            if not found:
                break
            self._keep(found)
        pipe.close()

    def text(self) -> str:
        """The end of it, from the beginning of a line where it was cut."""
        cut = len(self._end) >= MOST_TAIL
        kept = bytes(self._end[-MOST_TAIL:])
        return (kept.partition(b"\n")[2] if cut and b"\n" in kept[:-1] else kept).decode("utf-8", "backslashreplace")

    def _keep(self, found: bytes) -> None:
        self._end += found
        del self._end[: -2 * MOST_TAIL]
        if self._log is not None and self._room > 0:
            self._log.write(found[: self._room])
            self._room -= len(found)
            if self._room <= 0:
                self._log.write(b"\n(the rest was not kept)\n")
