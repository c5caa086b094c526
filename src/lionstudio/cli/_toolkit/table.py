"""Tables that fit the terminal: the least important columns are dropped first, then long texts are cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lionstudio.cli._toolkit.terminal import Paint

_GAP = 2
_LAST_RESORT = 6


class Column(NamedTuple):
    title: str
    right: bool = False
    narrowest: int = 0  # smallest width after cutting; 0: never cut
    rank: int = 0  # the highest rank is dropped first; 0: never dropped


class Cell(NamedTuple):
    """Escaped text and its style."""

    text: str
    style: str = ""


def render(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], available: int, paint: Paint) -> list[str]:
    widths = [
        max(width(column.title), *(width(row[number].text) for row in rows)) if rows else width(column.title)
        for number, column in enumerate(columns)
    ]
    # drop columns with only empty cells
    shown = [number for number in range(len(columns)) if not rows or any(row[number].text for row in rows)]
    _fit(columns, widths, shown, available)
    titles = [Cell(column.title, "dim") for column in columns]
    return [_line(columns, widths, shown, row, paint) for row in (titles, *rows)]


def _fit(columns: Sequence[Column], widths: list[int], shown: list[int], available: int) -> None:
    def total() -> int:
        return sum(widths[number] for number in shown) + _GAP * (len(shown) - 1)

    def spare(number: int, least: int | None = None) -> int:
        narrowest = columns[number].narrowest
        return max(0, widths[number] - (least or narrowest)) if narrowest else 0

    for number in sorted(shown, key=lambda number: -columns[number].rank):
        if total() - sum(map(spare, shown)) <= available or not columns[number].rank:
            break
        shown.remove(number)
    # shrink from the last column on; if that is not enough, down to the last resort
    for least in (None, _LAST_RESORT):
        for number in reversed(shown):
            widths[number] -= min(spare(number, least), max(0, total() - available))


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
    """Terminal columns: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(char: str) -> int:
    import unicodedata  # only needed beyond ASCII

    if unicodedata.combining(char) or char in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, columns: int) -> str:
    """Cut text to a width, with … at the end if something is missing."""
    if width(text) <= columns:
        return text
    start, used = "", 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        start += char
    return start + "…"


def pad(text: str, columns: int, *, right: bool = False) -> str:
    space = " " * (columns - width(text))
    return space + text if right else text + space
