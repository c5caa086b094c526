"""Lines that a person types while a run prints: a small line editor on a terminal, plain lines from a pipe.

The terminal is set so that keys arrive one by one and are not echoed: the typed line is then drawn by us, below the
output, and drawn again after every line that the run prints.
"""

from __future__ import annotations

import codecs
import math
import os
import re
import signal
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.table import width
from lionstudio.cli._toolkit.terminal import CLEAR_LINE, width_of, write_stderr

_PROMPT = "> "
_CHUNK = 65_536
_LONGEST = 1_000_000  # characters of a line
_PASTE_ON, _PASTE_OFF = "\x1b[?2004h", "\x1b[?2004l"
_PASTE = re.compile(r"\x1b\[200~(.*?)\x1b\[201~", re.DOTALL)
_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)", re.DOTALL)  # arrows and function keys
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*)?\Z|\x1b\[200~(?:(?!\x1b\[201~).)*\Z", re.DOTALL)
_NEWLINE_IN_PASTE = "\ue000"  # private use: kept in the line, sent as a newline


class TypedLine(NamedTuple):
    """A line, and when its first character was typed."""

    text: str
    begun_at: float


class Keyboard:
    """Reads lines from stdin; `draw` and `clear` show and hide the line that is being typed."""

    def __init__(self) -> None:
        self.is_terminal = _is_foreground_terminal()
        self.line = ""
        self._begun_at = 0.0  # of the line, when it is not empty
        self._pending = ""  # the start of a key sequence
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._before: list[Any] | None = None

    def fileno(self) -> int:
        return sys.stdin.fileno()

    def start(self) -> None:
        """Receive keys one by one; Ctrl-C and Ctrl-Z stay signals."""
        if self.is_terminal and self._before is None:
            self._before = termios.tcgetattr(self.fileno())
            mode = termios.tcgetattr(self.fileno())
            mode[3] &= ~(termios.ICANON | termios.ECHO)
            termios.tcsetattr(self.fileno(), termios.TCSADRAIN, mode)
            write_stderr("", controls=_PASTE_ON)

    def stop(self) -> None:
        """Give the terminal back as it was."""
        if self._before is not None:
            self.clear()
            write_stderr("", controls=_PASTE_OFF)
            termios.tcsetattr(self.fileno(), termios.TCSADRAIN, self._before)
            self._before = None

    def read(self) -> tuple[list[TypedLine], bool]:
        """The lines that are complete, and whether the input has ended; the last line of a pipe needs no newline."""
        try:
            content = os.read(self.fileno(), _CHUNK)
        except OSError:  # the terminal is gone
            content = b""
        text = self._decoder.decode(content, final=not content)
        if self.is_terminal:
            lines, ended = self._type(text)
            return lines, ended or not content
        *texts, self.line = (self.line + text).split("\n")
        if not content and self.line:
            texts, self.line = [*texts, self.line], ""
        return [TypedLine(line, math.inf) for line in texts], not content

    def _type(self, text: str) -> tuple[list[TypedLine], bool]:
        text, self._pending = self._pending + text, ""
        if (rest := _UNFINISHED.search(text)) is not None and len(text) < _LONGEST:
            text, self._pending = text[: rest.start()], text[rest.start() :]
        text = _PASTE.sub(lambda match: re.sub(r"\r\n?|\n", _NEWLINE_IN_PASTE, match[1].strip("\r\n")), text)
        lines: list[TypedLine] = []
        for key in _SEQUENCE.sub("", text):
            if key in "\r\n":
                lines.append(TypedLine(self.line.replace(_NEWLINE_IN_PASTE, "\n"), self._begun_at))
                self.line = ""
            elif key == "\x04":  # Ctrl-D
                if not self.line:
                    return lines, True
            elif key in "\x7f\x08":
                self.line = self.line[:-1]
            elif key == "\x15":  # Ctrl-U
                self.line = ""
            elif key == "\x17":  # Ctrl-W
                self.line = self.line.rstrip().rpartition(" ")[0]
                self.line += " " if self.line else ""
            elif (key.isprintable() or key in "\t" + _NEWLINE_IN_PASTE) and len(self.line) < _LONGEST:
                self._begun_at = self._begun_at if self.line else time.monotonic()
                self.line += key
        return lines, False

    def shown(self) -> str:
        """The prompt with the end of the line that fits."""
        text = inline(self.line.replace(_NEWLINE_IN_PASTE, "⏎").replace("\t", " "))
        room = width_of(sys.stderr) - len(_PROMPT) - 2
        while width(text) > room:
            text = text[max(1, len(text) - room) :]
        return _PROMPT + text

    def clear(self) -> None:
        if self._before is not None:
            write_stderr("", controls=CLEAR_LINE)

    def draw(self) -> None:
        if self._before is not None:
            write_stderr(self.shown(), controls=CLEAR_LINE)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Started for a block; a stopped job leaves the terminal as it was, and takes it again."""

        def suspend(_number: int, _frame: FrameType | None) -> None:
            self.stop()
            os.kill(os.getpid(), signal.SIGSTOP)  # returns when the user continues the job
            self.start()
            self.draw()

        before = signal.signal(signal.SIGTSTP, suspend) if self.is_terminal else None
        self.start()
        try:
            yield
        finally:
            self.stop()
            if before is not None:
                signal.signal(signal.SIGTSTP, before)


def _is_foreground_terminal() -> bool:
    """Whether stdin and stderr are terminals that we may read: a job in the background would be stopped."""
    try:
        return sys.stdin.isatty() and sys.stderr.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError, AttributeError):
        return False
