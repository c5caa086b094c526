"""Conflict markers that a play has added and left in its files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from lionstudio.shows.git import Git

_MOST = 50_000_000  # bytes of the report; more than that is no text of a person
_LINE = re.compile(rb"^(.*):\d+: leftover conflict marker$")


def marked(git: Git, base: str, head: str, changed: Sequence[str]) -> list[str]:
    """The changed files in which a conflict begins and ends; a row of equal signs alone is a heading."""
    if not changed:
        return []
    report, _ = git.beginning(
        _MOST, "-c", "core.whitespace=-blank-at-eol,-blank-at-eof,-space-before-tab", "diff-tree", "-r", "--check",
        "--no-ext-diff", "--no-textconv", "--no-renames", base, head,
    )  # fmt: skip
    signs: dict[str, set[bytes]] = {}
    name = None
    for line in report.split(b"\n"):
        if found := _LINE.match(line):
            name = os.fsdecode(found[1])
        elif name is not None and line.startswith(b"+"):
            signs.setdefault(name, set()).add(line[1:8])
            name = None
    return [name for name, seen in signs.items() if {b"<<<<<<<", b">>>>>>>"} <= seen]
