"""Conflict markers that a play has added and left in its files."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence

from lionstudio.system.git import Git

_MOST = 10_000_000  # bytes of the report or of one file; more than that is no text of a person
_MOST_FILES = 50
_LINE = re.compile(rb"^(.*):(\d+): leftover conflict marker$")


def find_conflict_markers(git: Git, folder: str, base: str, head: str, changed: Sequence[str]) -> list[str]:
    """The changed files in which a conflict begins and ends; a row of equal signs alone is a heading."""
    if not any(_may_be_marked(os.path.join(folder, name)) for name in changed):
        return []  # most often, and without a call of git
    report, _ = git.beginning(
        _MOST,
        "-c",
        "core.whitespace=-blank-at-eol,-blank-at-eof,-space-before-tab",
        "diff-tree",
        "-r",
        "--check",
        "--no-ext-diff",
        "--no-textconv",
        "--no-renames",
        base,
        head,
    )
    lines: dict[str, list[int]] = {}
    for line in report.split(b"\n"):
        if found := _LINE.match(line):
            lines.setdefault(os.fsdecode(found[1]), []).append(int(found[2]))
    suspects = [name for name in lines if len(lines[name]) > 1][:_MOST_FILES]
    return [name for name in suspects if _begins_and_ends(git, f"{head}:{name}", lines[name])]


def _may_be_marked(path: str) -> bool:
    """A look at the file itself, which is what was collected."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return b"<<<<<<<" in file.read(_MOST)
    except OSError:
        return False


def _begins_and_ends(git: Git, blob: str, numbers: list[int]) -> bool:
    """Git says where a marker is, and not which."""
    text, _ = git.beginning(_MOST, "cat-file", "blob", blob)
    lines = text.split(b"\n")
    signs = {lines[number - 1][:7] for number in numbers if number <= len(lines)}
    return {b"<<<<<<<", b">>>>>>>"} <= signs
