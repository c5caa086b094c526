"""How the database grew, and how far other tools' transcripts have been read."""

from __future__ import annotations

from typing import Any

from lionstudio.model.json_codec import load_or_keep
from lionstudio.state.connection import Connection

DAY = 86400

_DAYS = """
SELECT CAST((created_at - :since) / 86400 AS INTEGER) AS day, count(*) AS sessions,
       sum(message_count) AS messages
  FROM sessions INDEXED BY idx_sessions_created WHERE created_at >= :since AND created_at < :until GROUP BY 1
"""


def growth(conn: Connection, now: float, days: int = 14) -> list[dict[str, Any]]:
    """Sessions that began on each of the last days, and the messages they have; a day without any is zero."""
    since = (now // DAY - days + 1) * DAY
    found = {row["day"]: row for row in conn.dicts(_DAYS, {"since": since, "until": since + days * DAY})}
    empty = {"sessions": 0, "messages": 0}
    return [
        {"at": since + day * DAY, **{name: found.get(day, empty)[name] or 0 for name in empty}} for day in range(days)
    ]


_MIRRORS = """
SELECT tool, count(*) AS files, coalesce(sum(messages), 0) AS messages, coalesce(sum(size), 0) AS bytes,
       coalesce(sum(min(read_to, size)), 0) AS bytes_read,
       coalesce(sum(gone_at IS NULL AND read_to < size), 0) AS incomplete,
       coalesce(sum(skipped <> '{}'), 0) AS skipped, count(gone_at) AS gone, max(read_at) AS read_at
  FROM mirror_files GROUP BY tool ORDER BY tool
"""
_TROUBLED = """
SELECT path, tool, session_id, size, read_to, messages, skipped, read_at, gone_at FROM mirror_files
 WHERE skipped <> '{}' OR (gone_at IS NULL AND read_to < size) ORDER BY read_at DESC LIMIT :limit
"""


def mirrors(conn: Connection) -> list[dict[str, Any]]:
    """Each tool whose transcripts are read, and how far."""
    return conn.dicts(_MIRRORS)


def troubled_files(conn: Connection, limit: int = 100) -> list[dict[str, Any]]:
    """Transcripts that were not read to their end, or of which something was left out, the newest first."""
    return [row | {"skipped": _counts(row["skipped"])} for row in conn.dicts(_TROUBLED, {"limit": limit})]


def _counts(text: Any) -> dict[str, int]:
    found = load_or_keep(text)
    return {str(why): n for why, n in found.items() if isinstance(n, int)} if isinstance(found, dict) else {}
