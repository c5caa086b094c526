"""The share of a tool's transcripts that is imported, and the part that is still to be read."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.imports.transcripts.sync import is_new
from lionstudio.imports.transcripts.tools import discover, paths_within
from lionstudio.state.connection import Connection
from lionstudio.state.imports.transcript_files import TranscriptTotals, list_skipped, read_totals
from lionstudio.state.imports.transcript_stamps import FileStamp, list_stamps

_NOTHING = TranscriptTotals(0, 0, 0, 0, None)


class Coverage(NamedTuple):
    tool: str
    root: str
    exists: bool
    found_files: int
    found_bytes: int
    mirrored_files: int  # of the files found, imported completely or in part
    behind_files: int
    behind_bytes: int
    kept_files: int  # imported files that the tool has deleted
    sessions: int
    messages: int
    last_read_at: float | None
    refused: dict[str, str]
    skipped: dict[str, dict[str, int]]

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


def coverage(conn: Connection | None, tool: TranscriptTool, root: str) -> Coverage:
    """Compare a tool's home with the database; None stands for an empty database."""
    discovered = discover(tool, root)
    stamps: dict[str, FileStamp] = {} if conn is None else list_stamps(conn, tool.name)
    sums = _NOTHING if conn is None else read_totals(conn, tool.name)
    behind = [file for file in discovered.files if is_new(file, stamps.get(file.key))]
    keys = {file.key for file in discovered.files}
    return Coverage(
        tool=tool.name,
        root=root,
        exists=os.path.isdir(root),
        found_files=len(discovered.files),
        found_bytes=sum(file.size for file in discovered.files),
        mirrored_files=sum(key in stamps for key in keys),
        behind_files=len(behind),
        behind_bytes=sum(max(0, file.size - _read_to(stamps.get(file.key))) for file in behind),
        kept_files=sum(path not in keys for path in paths_within(root, stamps)),
        sessions=sums.sessions,
        messages=sums.messages,
        last_read_at=sums.last_read_at,
        refused=discovered.refused,
        skipped={} if conn is None else list_skipped(conn, tool.name),
    )


def _read_to(stamp: FileStamp | None) -> int:
    return 0 if stamp is None else stamp.read_to
