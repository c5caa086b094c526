"""Run a command with a time limit and bounded output; no process of it stays behind."""

from __future__ import annotations

import codecs
import os
import selectors
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Protocol

from lionstudio.system.atomic_write import make_folder
from lionstudio.system.sandbox.sandbox import Sandbox
from lionstudio.system.watchdog import GuardedProgram, watchdog

MOST_LOG = 20_000_000  # bytes of a log; a program that prints for ever must not fill the disk
MOST_TAIL = 20_000  # bytes of output in the result
GRACE_SECONDS = 3.0
_POLL_SECONDS = 0.2
_READ = 65_536


class StreamFilter(Protocol):
    def feed(self, text: str, /) -> str: ...

    def close(self) -> str: ...


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
    redact: StreamFilter | None = None,
    sandbox: Sandbox | None = None,
    given: bytes = b"",
) -> CommandResult:
    """Run a command in its own session; every process it started has ended when this returns.

    `given` is its input; `redact` filters the output before it is kept or written.
    """
    began = time.monotonic()
    with ExitStack() as stack:
        output = _Output(stack.enter_context(_open_log(log)) if log else None, redact)
        reading, writing = os.pipe()
        pipe = stack.enter_context(os.fdopen(reading, "rb", 0))
        try:
            source = stack.enter_context(_open_input(given))
            program = stack.enter_context(watchdog()).start(
                argv, cwd=cwd, env=env, stdin=source.fileno(), stdout=writing, stderr=writing, sandbox=sandbox
            )
        except OSError as error:
            return _not_started(argv[0], error)
        finally:
            os.close(writing)
        stack.callback(program.close)
        while program.pid is None and not program.gone:
            program.receive()
        if program.pid is None:
            return _not_started(argv[0], program.error or "its guard was killed")
        how, detail = _watch(program, pipe, output, began + timeout, why_stop)
        program.end(GRACE_SECONDS)
        while not program.gone:
            program.receive()
        output.drain(pipe)
        output.close()
        return CommandResult(
            how=how, code=program.code, tail=output.text(), seconds=time.monotonic() - began, detail=detail
        )


def _not_started(program: str, reason: object) -> CommandResult:
    return CommandResult(how="not_started", code=None, tail="", seconds=0.0, detail=f"{program}: {reason}")


def _watch(
    program: GuardedProgram, pipe: IO[bytes], output: _Output, deadline: float, why_stop: Callable[[], str | None]
) -> tuple[str, str]:
    """Read until the program has exited; its children may hold the pipe open longer than that."""
    os.set_blocking(pipe.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(program, selectors.EVENT_READ)
        selector.register(pipe, selectors.EVENT_READ)
        while program.code is None and not program.gone:
            if time.monotonic() >= deadline:
                return "timed_out", ""
            if why := why_stop():
                return "stopped", why
            ready = [key.fileobj for key, _ in selector.select(_POLL_SECONDS)]
            if pipe in ready and not output.read(pipe):
                selector.unregister(pipe)  # it closed its output and still runs
            if program in ready:
                program.receive()
    return ("stopped", "its guard was killed") if program.is_lost else ("exited", "")


def _open_input(given: bytes) -> IO[bytes]:
    """A file and not a pipe: a program that does not read must not block us."""
    if not given:
        return open(os.devnull, "rb")
    file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by the caller)
    file.write(given)
    file.seek(0)
    return file


def _open_log(log: str) -> IO[bytes]:
    make_folder(os.path.dirname(log))
    return open(log, "wb")


class _Output:
    """The output of a program: its beginning goes to the log, its end is kept in memory."""

    def __init__(self, log: IO[bytes] | None, redact: StreamFilter | None) -> None:
        self._log = log
        self._redact = redact
        self._decode = codecs.getincrementaldecoder("utf-8")("backslashreplace").decode
        self._log_space = MOST_LOG
        self._end = bytearray()

    def read(self, pipe: IO[bytes]) -> bool:
        """Read what is available; False at the end."""
        try:
            data = os.read(pipe.fileno(), _READ)
        except BlockingIOError:
            return True
        self._filter(data)
        return bool(data)

    def drain(self, pipe: IO[bytes]) -> None:
        """Read the rest without waiting for more."""
        for _ in range(1 + MOST_LOG // _READ):
            try:
                data = os.read(pipe.fileno(), _READ)
            except OSError:
                break
            if not data:
                break
            self._filter(data)

    def close(self) -> None:
        """Keep what the filter still holds."""
        if self._redact is not None:
            self._keep((self._redact.feed(self._decode(b"", True)) + self._redact.close()).encode())

    def _filter(self, data: bytes) -> None:
        self._keep(data if self._redact is None else self._redact.feed(self._decode(data)).encode())

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
