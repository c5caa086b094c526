"""Tables that fit the terminal: the least important columns leave first, then long texts are cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lionstudio.cli._toolkit.terminal import Paint

_GAP = 2
_LAST_RESORT = 6


class Column(NamedTuple):
    """A column: its title, and how it behaves when room is scarce."""

    title: str
    right: bool = False
    narrowest: int = 0  # it may be cut down to this many columns; 0: it is never cut
    rank: int = 0  # those with the highest rank leave first; 0 never does


class Cell(NamedTuple):
    """Text that is safe to print, and the style to paint it with."""

    text: str
    style: str = ""


def render(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], room: int, paint: Paint) -> list[str]:
    """The lines of a table with its titles."""
    widths = [
        max(width(column.title), *(width(row[number].text) for row in rows)) if rows else width(column.title)
        for number, column in enumerate(columns)
    ]
    # a column of which every cell is empty says nothing
    shown = [number for number in range(len(columns)) if not rows or any(row[number].text for row in rows)]
    _make_room(columns, widths, shown, room)
    titles = [Cell(column.title, "dim") for column in columns]
    return [_line(columns, widths, shown, row, paint) for row in (titles, *rows)]


def _make_room(columns: Sequence[Column], widths: list[int], shown: list[int], room: int) -> None:
    def total() -> int:
        return sum(widths[number] for number in shown) + _GAP * (len(shown) - 1)

    def spare(number: int, least: int | None = None) -> int:
        narrowest = columns[number].narrowest
        return max(0, widths[number] - (least or narrowest)) if narrowest else 0

    for number in sorted(shown, key=lambda number: -columns[number].rank):
        if total() - sum(map(spare, shown)) <= room or not columns[number].rank:
            break
        shown.remove(number)
    # the later column gives first; where even that is not enough, all the way
    for least in (None, _LAST_RESORT):
        for number in reversed(shown):
            widths[number] -= min(spare(number, least), max(0, total() - room))


def _line(
    columns: Sequence[Column], widths: Sequence[int], shown: Sequence[int], row: Sequence[Cell], paint: Paint
) -> str:
    cells = []
    for number in shown:
        text = pad(cut(row[number].text, widths[number]), widths[number], right=columns[number].right)
        cells.append(paint(text, row[number].style) if row[number].style else text)
    line = (" " * _GAP).join(cells)
    return line.rstrip()


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
