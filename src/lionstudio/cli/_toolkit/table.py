"""Tables that fit the terminal: the least important columns leave first, then long texts are cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.cli._toolkit.width import cut, pad, width

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
