"""How much of a tool's transcripts is here, and how far the mirror is behind."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from lionstudio.imports.transcripts.sync import is_new
from lionstudio.imports.transcripts.tools import Tool, discover, within
from lionstudio.state.connection import Connection
from lionstudio.state.imports.transcript_files import (
    FileStamp,
    TranscriptTotals,
    list_skipped,
    list_stamps,
    read_totals,
)

_NOTHING = TranscriptTotals(0, 0, 0, 0, None)


class Coverage(NamedTuple):
    """One tool: what it keeps, and what of it is mirrored."""

    tool: str
    root: str
    exists: bool
    found_files: int
    found_bytes: int
    mirrored_files: int  # of those found, whole or in part
    behind_files: int
    behind_bytes: int
    kept_files: int  # that the tool has deleted
    sessions: int
    messages: int
    last_read_at: float | None
    refused: dict[str, str]
    skipped: dict[str, dict[str, int]]

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return self._asdict()


def coverage(conn: Connection | None, tool: Tool, root: str) -> Coverage:
    """Compare a tool's folder with the database; without one nothing is mirrored."""
    found = discover(tool, root)
    stamps: dict[str, FileStamp] = {} if conn is None else list_stamps(conn, tool.name)
    sums = _NOTHING if conn is None else read_totals(conn, tool.name)
    behind = [file for file in found.files if is_new(file, stamps.get(file.key))]
    there = {file.key for file in found.files}
    return Coverage(
        tool=tool.name,
        root=root,
        exists=os.path.isdir(root),
        found_files=len(found.files),
        found_bytes=sum(file.size for file in found.files),
        mirrored_files=sum(path in stamps for path in there),
        behind_files=len(behind),
        behind_bytes=sum(max(0, file.size - _read_to(stamps.get(file.key))) for file in behind),
        kept_files=sum(path not in there for path in within(root, stamps)),
        sessions=sums.sessions,
        messages=sums.messages,
        last_read_at=sums.last_read_at,
        refused=found.refused,
        skipped={} if conn is None else list_skipped(conn, tool.name),
    )


def _read_to(stamp: FileStamp | None) -> int:
    return 0 if stamp is None else stamp.read_to
