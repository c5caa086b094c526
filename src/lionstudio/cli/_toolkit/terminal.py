"""Properties of the output: a terminal or a pipe, its width, and whether to use colours.

Colours depend, in this order, on --no-color, NO_COLOR, FORCE_COLOR, CLICOLOR=0, TERM=dumb and a terminal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TextIO

from lionstudio.cli._toolkit.escape import guarded

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
# Terminal colours of the tones of a computed state.
TONES = {"success": "green", "danger": "red", "warning": "yellow", "info": "cyan", "neutral": "dim"}
CLEAR_LINE = "\r\x1b[K"
_NARROWEST = 40
_WIDTH_OF_PIPE = 100


def allows_colour(stream: TextIO, *, refused: bool = False) -> bool:
    """`refused` is the value of --no-color."""
    environ = os.environ
    if refused or environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return environ.get("CLICOLOR") != "0" and environ.get("TERM") != "dumb" and stream.isatty()


def styles_for(stream: TextIO, *, refused: bool = False) -> Paint:
    """A function that styles text for a stream, or returns it unchanged."""
    return _painted if allows_colour(stream, refused=refused) else _plain


def _painted(text: str, style: str) -> str:
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if text else text


def _plain(text: str, _style: str) -> str:
    return text


def is_terminal() -> bool:
    return sys.stdout.isatty()


def width_of(stream: TextIO) -> int:
    """Columns of a stream: COLUMNS, else the width of the terminal."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return max(int(columns), _NARROWEST)
    try:
        return max(os.get_terminal_size(stream.fileno()).columns, _NARROWEST)
    except (OSError, ValueError):
        return _WIDTH_OF_PIPE


def say(text: str, *, quiet: bool = False) -> None:
    """Write a line to stderr; commands in it work as printed, control characters are escaped."""
    if quiet:
        return
    from lionstudio.cli._toolkit.printed_commands import located

    write_stderr(located(text) + "\n")


def write_stderr(text: str, *, controls: str = "") -> bool:
    """Write to stderr, after cursor controls of our own; returns False if it is closed."""
    try:
        sys.stderr.write(controls + guarded(text))
        sys.stderr.flush()
    except OSError:
        return False
    return True
