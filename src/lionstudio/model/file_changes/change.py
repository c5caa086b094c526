"""One changed file: how it changed, how many lines, and the hunks of its diff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple

NO_NEWLINE = "\\ No newline at end of file"


class ChangeKind(StrEnum):
    """The way in which a file changed."""

    CREATED = "created"
    EDITED = "edited"
    DELETED = "deleted"
    RENAMED = "renamed"


class Outcome(StrEnum):
    """Whether a call changed its files."""

    APPLIED = "applied"
    FAILED = "failed"  # it was refused or it failed: nothing changed
    PENDING = "pending"  # it has no result yet


class Hunk(NamedTuple):
    """Consecutive lines of a diff, each with its mark: a space, + or -.

    The numbers of the first line are None where only the changed text is known, not its place in the file.
    """

    lines: tuple[str, ...]
    old_start: int | None = None
    new_start: int | None = None
    header: str = ""  # the function or class around it, or the cell of a notebook

    def to_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "lines": list(self.lines)}


class FileChange(NamedTuple):
    """A file that a call changes; a sum is None where the lines are not recorded."""

    path: str
    kind: ChangeKind
    added: int | None = None
    removed: int | None = None
    hunks: tuple[Hunk, ...] = ()
    old_path: str | None = None  # of a renamed file
    omitted: int = 0  # lines that were left out at the end, see `shortened`

    @classmethod
    def of(cls, path: str, kind: ChangeKind, hunks: Iterable[Hunk], old_path: str | None = None) -> FileChange:
        """A change whose sums follow from its hunks."""
        hunks = tuple(hunks)
        return cls(path, kind, count(hunks, "+"), count(hunks, "-"), hunks, old_path)

    def to_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "kind": str(self.kind), "hunks": [hunk.to_dict() for hunk in self.hunks]}


class CallChanges(NamedTuple):
    """The files that one call changes."""

    outcome: Outcome
    files: tuple[FileChange, ...]


def count(hunks: Iterable[Hunk], mark: str) -> int:
    return sum(line[:1] == mark for hunk in hunks for line in hunk.lines)


def shortened(change: FileChange, lines: int, characters: int) -> FileChange:
    """The first lines of a change, long ones cut; `omitted` counts the rest."""
    kept: list[Hunk] = []
    omitted = change.omitted
    for hunk in change.hunks:
        shown = hunk.lines[:lines]
        lines -= len(shown)
        omitted += len(hunk.lines) - len(shown)
        if shown:
            kept.append(hunk._replace(lines=tuple(_cut(line, characters) for line in shown)))
    return change._replace(hunks=tuple(kept), omitted=omitted)


def _cut(line: str, characters: int) -> str:
    return line if len(line) <= characters else f"{line[:characters]}… ({len(line) - characters:,} more characters)"


def unified(change: FileChange) -> Iterator[str]:
    """The lines of a change as a unified diff, for terminals and files."""
    old = "/dev/null" if change.kind is ChangeKind.CREATED else _side("a", change.old_path or change.path)
    new = "/dev/null" if change.kind is ChangeKind.DELETED else _side("b", change.path)
    yield f"--- {_one_line(old)}"
    yield f"+++ {_one_line(new)}"
    for hunk in change.hunks:
        yield hunk_header(hunk)
        yield from hunk.lines
    if not change.hunks and change.added is None:
        yield "\\ The changed lines are not recorded"
    if change.omitted:
        yield f"\\ {change.omitted:,} more lines"


def _side(prefix: str, path: str) -> str:
    return path if path.startswith("/") else f"{prefix}/{path}"


def hunk_header(hunk: Hunk) -> str:
    """`@@ -3,4 +3,5 @@ header`; without numbers where the place in the file is not known."""
    header = f" {_one_line(hunk.header)}" if hunk.header else ""
    if hunk.old_start is None or hunk.new_start is None:
        return f"@@{header}"
    sides = (("-", hunk.old_start), ("+", hunk.new_start))
    spans = (f"{mark}{start},{sum(line[:1] in (' ', mark) for line in hunk.lines)}" for mark, start in sides)
    return f"@@ {' '.join(spans)} @@{header}"


def _one_line(text: str) -> str:
    return " ".join(text.splitlines())
