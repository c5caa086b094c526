"""Call `li` in this process, as its own process, or on a terminal."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.children import environment

from lionstudio.cli.main import main

LI = str(Path(sys.executable).with_name("li"))
_TIMEOUT_SECONDS = 60.0


class CommandResult(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run_li(*arguments: str) -> CommandResult:
    """Run a command in this process, which avoids the start of an interpreter."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return CommandResult(code, out.getvalue(), err.getvalue())


def li(
    *arguments: str | bytes, env: Mapping[str, str] | None = None, inside: Sequence[str] = (), **options: Any
) -> CommandResult:
    """Run the installed command as its own process, in a pipe."""
    command, settings = [*inside, LI, *arguments], environment(**(env or {}))
    process = subprocess.run(command, env=settings, capture_output=True, timeout=_TIMEOUT_SECONDS, **options)
    return CommandResult(process.returncode, process.stdout.decode(), process.stderr.decode())


@contextmanager
def start_li(*arguments: str, env: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Start the command as a process that the block may signal."""
    pipe = subprocess.PIPE
    command = [LI, *arguments]
    with subprocess.Popen(command, env=environment(**(env or {})), stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def run_on_terminal(
    *arguments: str,
    columns: int = 100,
    env: Mapping[str, str] | None = None,
    answer: str | None = None,
    act: Callable[[subprocess.Popen[bytes]], None] | None = None,
) -> CommandResult:
    """Run the command on a terminal; `out` is the whole screen output. `answer` is typed at a [y/N] question."""
    terminal, child_terminal = pty.openpty()
    fcntl.ioctl(child_terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    settings = environment(**{"TERM": "xterm", **(env or {})})
    process = subprocess.Popen(
        [LI, *arguments],
        env=settings,
        stdin=child_terminal,
        stdout=child_terminal,
        stderr=child_terminal,
        start_new_session=True,
        # so that a typed Ctrl-C becomes a signal
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(child_terminal)
    try:
        if act is not None:
            act(process)
        output = _read_all(terminal, answer)
        return CommandResult(process.wait(_TIMEOUT_SECONDS), output, "")
    finally:
        process.kill()
        process.wait()
        os.close(terminal)


def _read_all(terminal: int, answer: str | None) -> str:
    output = b""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # on Linux: the other side is closed
            break
        if not piece:
            break
        output += piece
        if answer is not None and b"[y/N]" in output:
            os.write(terminal, answer.encode())
            answer = None
    return output.decode().replace("\r\n", "\n")
