"""An interactive program in a pseudo-terminal, as a person uses it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading
import time
from collections.abc import Mapping
from pathlib import Path

_ESCAPES = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[>=78]")
# what a terminal answers when a program asks for the cursor, its kind and its colours
_REPLIES = {
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[c": b"\x1b[?62;c",
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}


class PseudoTerminal:
    """A program and its screen; the text is what it has written so far, without spaces."""

    def __init__(self, argv: list[str], env: Mapping[str, str], cwd: Path) -> None:
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, dict(env))
        fcntl.ioctl(self._descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._output = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self._descriptor, 65536)
            except OSError:
                return
            self._output += piece
            for asked, reply in _REPLIES.items():
                if asked in piece:
                    os.write(self._descriptor, reply)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", "", _ESCAPES.sub(b"", self._output).decode("utf-8", "replace"))

    def wait_for(self, text: str, seconds: float = 30) -> None:
        wanted, deadline = re.sub(r"\s+", "", text), time.monotonic() + seconds
        while wanted not in self.text:
            assert time.monotonic() < deadline, f"{text!r} did not appear:\n{self.text[-1500:]}"
            time.sleep(0.05)

    def type(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        self._reader.join(5)
        os.close(self._descriptor)
