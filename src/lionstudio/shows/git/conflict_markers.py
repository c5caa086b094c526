"""Find conflict markers that a play has added to its files."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence

from lionstudio.system.git import Git

_MOST = 10_000_000  # bytes of the report or of one file; larger files are not written by hand
_MOST_FILES = 50
_LINE = re.compile(rb"^(.*):(\d+): leftover conflict marker$")


def find_conflict_markers(git: Git, folder: str, base: str, head: str, changed: Sequence[str]) -> list[str]:
    """List changed files with both an opening and a closing marker; a row of `=` alone is a heading."""
    if not any(_may_be_marked(os.path.join(folder, name)) for name in changed):
        return []  # the usual case costs no git process
    report, _ = git.read_start(
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
        if match := _LINE.match(line):
            lines.setdefault(os.fsdecode(match[1]), []).append(int(match[2]))
    suspects = [name for name in lines if len(lines[name]) > 1][:_MOST_FILES]
    return [name for name in suspects if _has_both_markers(git, f"{head}:{name}", lines[name])]


def _may_be_marked(path: str) -> bool:
    """Check the file in the folder, which is the one that was collected."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return b"<<<<<<<" in file.read(_MOST)
    except OSError:
        return False


def _has_both_markers(git: Git, blob: str, numbers: list[int]) -> bool:
    """Read the marker lines: git reports their numbers only."""
    text, _ = git.read_start(_MOST, "cat-file", "blob", blob)
    lines = text.split(b"\n")
    markers = {lines[number - 1][:7] for number in numbers if number <= len(lines)}
    return {b"<<<<<<<", b">>>>>>>"} <= markers
