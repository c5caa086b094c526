"""What the command writes to: a person's terminal or a pipe, its width, and whether colours may be used.

Obeyed, in this order: --no-color, NO_COLOR, FORCE_COLOR, CLICOLOR=0, TERM=dumb, and whether it is a terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

Paint = Callable[[str, str], str]

_CODES = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}
# The tones that a computed state has, in the colours of a terminal.
TONES = {"success": "green", "danger": "red", "warning": "yellow", "info": "cyan", "neutral": "dim"}
_NARROWEST = 40
_WIDTH_OF_PIPE = 100


def allows_colour(stream: TextIO, *, refused: bool = False) -> bool:
    """Whether colours may be written to a stream; `refused` is what --no-color says."""
    environ = os.environ
    if refused or environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return environ.get("CLICOLOR") != "0" and environ.get("TERM") != "dumb" and stream.isatty()


def styles_for(stream: TextIO, *, refused: bool = False) -> Paint:
    """A function that paints text for a stream, or leaves it alone."""
    return _painted if allows_colour(stream, refused=refused) else _plain


def _painted(text: str, style: str) -> str:
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else text


def _plain(text: str, _style: str) -> str:
    return text


def is_terminal() -> bool:
    """Whether standard output is read by a person."""
    return sys.stdout.isatty()


def width_of(stream: TextIO) -> int:
    """Columns of a stream: as COLUMNS says, else as the terminal says."""
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdigit() and int(said):
        return max(int(said), _NARROWEST)
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, _NARROWEST)
    except (OSError, ValueError):
        return _WIDTH_OF_PIPE


def say(text: str, *, quiet: bool = False) -> None:
    """Talk to the person on standard error; work never fails because nobody listens."""
    if quiet:
        return
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:
        pass
