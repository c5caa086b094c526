"""Patches that programs write: unified diffs, Claude's structured patches, and the format of `apply_patch`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lionstudio.model.coerce import dict_of, list_of
from lionstudio.model.file_changes.change import ChangeKind, FileChange, Hunk

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.*)")
_MOVE = "*** Move to: "
_BEGIN, _END, _END_OF_FILE = "*** Begin Patch", "*** End Patch", "*** End of File"
_KINDS = {"Add": ChangeKind.CREATED, "Update": ChangeKind.EDITED, "Delete": ChangeKind.DELETED}
_CD = re.compile(
    r"""\s*cd\s+(?:'([^'\n]{1,1000})'|"([^"\n]{1,1000})"|([^\s'";&|]{1,1000}))\s*&&\s*(?=apply_?patch\b)"""
)


def unified_hunks(patch: str) -> tuple[Hunk, ...]:
    """The hunks of the unified diff of one file; lines outside of hunks are left out."""
    hunks: list[Hunk] = []
    lines: list[str] = []
    start: tuple[int, int, str] | None = None
    old = new = 0  # lines that the hunk still needs
    for line in patch.split("\n"):
        match = None if old or new else _HUNK.match(line)
        if match:
            _close(hunks, start, lines)
            first, second = int(match[1]), int(match[3])
            old, new = int(match[2] or 1), int(match[4] or 1)
            start, lines = (first, second, match[5].strip()), []
        elif start is not None and line[:1] == "\\":
            lines.append(line)
        elif old or new:
            mark = line[:1] or " "  # editors strip the space of an empty line
            if mark not in " +-":
                old = new = 0
                continue
            lines.append(line or " ")
            old, new = max(0, old - (mark != "+")), max(0, new - (mark != "-"))
    _close(hunks, start, lines)
    return tuple(hunks)


def _close(hunks: list[Hunk], start: tuple[int, int, str] | None, lines: list[str]) -> None:
    if start is not None and lines:
        hunks.append(Hunk(tuple(lines), *start))


def structured_hunks(patch: Any) -> tuple[Hunk, ...]:
    """The hunks of a patch as Claude Code reports it: `[{oldStart, newStart, lines}]`; () if one is damaged."""
    hunks = []
    for entry in map(dict_of, list_of(patch)):
        old, new, lines = entry.get("oldStart"), entry.get("newStart"), list_of(entry.get("lines"))
        if not (_is_place(old) and _is_place(new) and _are_marked(lines)):
            return ()
        hunks.append(Hunk(tuple(lines), old, new))
    return tuple(hunks)


def structured(hunks: tuple[Hunk, ...]) -> list[dict[str, Any]]:
    """The same as `structured_hunks` reads, to store it."""
    return [{"oldStart": hunk.old_start, "newStart": hunk.new_start, "lines": list(hunk.lines)} for hunk in hunks]


def _is_place(number: object) -> bool:
    return type(number) is int and 0 <= number < 10**9


def _are_marked(lines: list[Any]) -> bool:
    """Whether each is one line with its mark: one with a line break could show lines that are not in the sums."""
    return all(isinstance(line, str) and line[:1] in (" ", "+", "-", "\\") and "\n" not in line for line in lines)


def find_apply_patch(command: str) -> tuple[str, str] | None:
    """The patch that a shell command gives to `apply_patch`, and the folder it changes to."""
    begin = command.find(_BEGIN)
    if begin < 0 or "apply" not in command[:begin]:
        return None
    end = command.find(_END, begin)
    folder = _CD.match(command[:begin][:2000])
    return command[begin : end if end >= 0 else None], next(filter(None, folder.groups()), "") if folder else ""


def parse_apply_patch(patch: str) -> Iterator[FileChange]:
    """The files of a patch in the format of `apply_patch`; only new files have line numbers."""
    kind: ChangeKind | None = None
    path, target = "", ""
    hunks: list[tuple[str, list[str]]] = []  # header and lines
    for line in [*patch.rstrip("\n").split("\n"), _END]:
        match = _FILE.fullmatch(line.rstrip())
        if match or line.startswith(_END):
            if kind is not None:
                yield _patched(kind, path, target, hunks)
            kind, path, target, hunks = _KINDS[match[1]] if match else None, match[2] if match else "", "", []
        elif kind is None or line.startswith((_BEGIN, _END_OF_FILE)):
            continue
        elif line.startswith(_MOVE):
            target = line[len(_MOVE) :].strip()
        elif line.startswith("@@"):
            hunks.append((line[2:].strip(), []))
        elif line[:1] in ("+", "-", " ", ""):
            if not hunks:
                hunks.append(("", []))
            hunks[-1][1].append(line or " ")


def _patched(kind: ChangeKind, path: str, target: str, hunks: list[tuple[str, list[str]]]) -> FileChange:
    if kind is ChangeKind.DELETED:
        return FileChange(path, kind, 0)
    if kind is ChangeKind.CREATED:
        return FileChange.of(path, kind, (Hunk(tuple(lines), 0, 1) for _, lines in hunks if lines))
    changed = [Hunk(tuple(lines), header=header) for header, lines in hunks if lines]
    if target:
        return FileChange.of(target, ChangeKind.RENAMED, changed, path)
    return FileChange.of(path, kind, changed)
