"""File changes of tool calls on a terminal: unified diffs, coloured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.model.file_changes.change import FileChange, unified
from lionstudio.model.file_changes.tool_calls import changes_of_call

_COLOURS = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def diff_text(diffs: object) -> str:
    """Diffs (`path`, `old`, `new`) as unified diffs, one after the other; "" when there are none."""
    changes = changes_of_call({}, {"diffs": diffs})
    return "\n".join(line for change in changes.files for line in unified(change)) if changes else ""


def diff_lines(changes: Iterable[FileChange], paint: Paint) -> Iterator[str]:
    """Unified diffs, coloured and escaped."""
    for change in changes:
        for number, line in enumerate(unified(change)):
            style = "bold" if number < 2 else _COLOURS.get(line[:1], "")
            yield paint(_escaped(line), style) if style else _escaped(line)


def sums(added: int | None, removed: int | None, paint: Paint) -> str:
    """`+15 −5`; a number that is not recorded is a question mark."""
    numbers = (("+", added, "green"), ("−", removed, "red"))
    return " ".join(paint(f"{sign}{'?' if number is None else number}", style) for sign, number, style in numbers)


def _escaped(line: str) -> str:
    return inline(line.replace("\t", "    "))
