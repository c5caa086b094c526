"""How many columns a text takes on a terminal, and cutting it to fit."""

from __future__ import annotations


def width(text: str) -> int:
    """Columns: wide characters count two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    import unicodedata  # only needed beyond ASCII

    if unicodedata.combining(char) or char in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, columns: int) -> str:
    """The beginning of a text, with … where something was left out."""
    if width(text) <= columns:
        return text
    kept, used = "", 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        kept += char
    return kept + "…"


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """The text with spaces up to a width."""
    space = " " * (columns - width(text))
    return space + text if right else text + space
