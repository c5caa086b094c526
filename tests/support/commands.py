"""Calling `li` as a person or a script does: in this process, as a process of its own, or on a terminal."""

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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.children import environment

from lionstudio.cli.main import main

LI = str(Path(sys.executable).with_name("li"))
_PATIENCE = 60.0


class Said(NamedTuple):
    """The exit code of a command and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


def here(*arguments: str) -> Said:
    """Run a command in this process, which costs a millisecond instead of a new interpreter."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return Said(code, out.getvalue(), err.getvalue())


def li(*arguments: str | bytes, env: Mapping[str, str] | None = None, **options: Any) -> Said:
    """Run the installed command as a process of its own, in a pipe."""
    done = subprocess.run(
        [LI, *arguments], env=environment(**(env or {})), capture_output=True, timeout=_PATIENCE, **options
    )
    return Said(done.returncode, done.stdout.decode(), done.stderr.decode())


@contextmanager
def started(*arguments: str, env: Mapping[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """The command as a process that the block may signal."""
    pipe = subprocess.PIPE
    command = [LI, *arguments]
    with subprocess.Popen(command, env=environment(**(env or {})), stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def on_terminal(
    *arguments: str,
    columns: int = 100,
    env: Mapping[str, str] | None = None,
    answer: str | None = None,
    act: Callable[[subprocess.Popen[bytes]], None] | None = None,
) -> Said:
    """Run the command on a terminal; `out` has all that a person sees. `answer` is typed at a question mark."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    settings = environment(**{"TERM": "xterm", **(env or {})})
    process = subprocess.Popen(
        [LI, *arguments],
        env=settings,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        # so that Ctrl-C typed on it becomes a signal
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    try:
        if act is not None:
            act(process)
        seen = _watch(ours, answer)
        return Said(process.wait(_PATIENCE), seen, "")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _watch(terminal: int, answer: str | None) -> str:
    seen = b""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not piece:
            break
        seen += piece
        if answer is not None and b"[y/N]" in seen:
            os.write(terminal, answer.encode())
            answer = None
    return seen.decode().replace("\r\n", "\n")
