"""Which transcripts were read, and which of their sessions are open: all that an import needs when nothing is new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lionstudio.model.status.statuses import SourceKind
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.state.connection import Connection

SOURCES: Mapping[str, SourceKind] = {tool: SourceKind(f"imported_{tool}") for tool in TRANSCRIPT_TOOLS}


class FileStamp(NamedTuple):
    """The facts that show whether a file changed since it was read."""

    inode: int
    size: int
    mtime_ns: int
    read_to: int
    gone_at: float | None


_STAMPS = "SELECT path, inode, size, mtime_ns, read_to, gone_at FROM mirror_files WHERE tool = :tool"


def list_stamps(conn: Connection, tool: str) -> dict[str, FileStamp]:
    """Every file of a tool that was read, by path."""
    return {row[0]: FileStamp(*row[1:]) for row in conn.each(_STAMPS, {"tool": tool})}


_GONE = "UPDATE mirror_files SET gone_at = :at WHERE path = :path AND gone_at IS NULL"


def mark_gone(conn: Connection, paths: Iterable[str], at: float) -> None:
    """Record that their tool deleted these files; their messages stay."""
    for path in paths:
        conn.execute(_GONE, {"path": path, "at": at})


class OpenSession(NamedTuple):
    """A mirrored session with status running."""

    session_id: str
    path: str | None  # None when a live run continues the conversation, and its file with it
    cwd: str | None
    last_message_at: float | None
    failed: str | None  # the error in its last message


_OPEN = """
SELECT s.id, f.path, s.cwd, s.last_message_at, json_extract(s.node_metadata, '$.mirror.failed')
  FROM sessions s LEFT JOIN mirror_files f ON f.session_id = s.id AND f.tool = :tool
 WHERE s.status = 'running' AND s.source_kind = :source
"""


def list_open(conn: Connection, tool: str) -> list[OpenSession]:
    """The running sessions of a tool, with their files."""
    return [OpenSession(*row) for row in conn.all(_OPEN, {"tool": tool, "source": SOURCES[tool]})]
