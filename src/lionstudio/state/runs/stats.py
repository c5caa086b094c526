"""Statistics: sessions and messages by day, and how far transcripts of other tools were read."""

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


def daily_growth(conn: Connection, now: float, days: int = 14) -> list[dict[str, Any]]:
    """Sessions created on each of the last days, and their messages; 0 for a day without sessions."""
    since = (now // DAY - days + 1) * DAY
    by_day = {row["day"]: row for row in conn.dicts(_DAYS, {"since": since, "until": since + days * DAY})}
    empty = {"sessions": 0, "messages": 0}
    return [
        {"at": since + day * DAY, **{name: by_day.get(day, empty)[name] or 0 for name in empty}} for day in range(days)
    ]


_TRANSCRIPT_TOTALS = """
SELECT tool, count(*) AS files, coalesce(sum(messages), 0) AS messages, coalesce(sum(size), 0) AS bytes,
       coalesce(sum(min(read_to, size)), 0) AS bytes_read,
       coalesce(sum(gone_at IS NULL AND read_to < size), 0) AS incomplete,
       coalesce(sum(skipped <> '{}'), 0) AS skipped, count(gone_at) AS gone, max(read_at) AS read_at
  FROM mirror_files GROUP BY tool ORDER BY tool
"""
_INCOMPLETE = """
SELECT path, tool, session_id, size, read_to, messages, skipped, read_at, gone_at FROM mirror_files
 WHERE skipped <> '{}' OR (gone_at IS NULL AND read_to < size) ORDER BY read_at DESC LIMIT :limit
"""


def transcript_totals(conn: Connection) -> list[dict[str, Any]]:
    """Totals of each tool whose transcripts are read."""
    return conn.dicts(_TRANSCRIPT_TOTALS)


def incomplete_files(conn: Connection, limit: int = 100) -> list[dict[str, Any]]:
    """Transcripts with an unread end or skipped records, newest first."""
    return [row | {"skipped": _counts(row["skipped"])} for row in conn.dicts(_INCOMPLETE, {"limit": limit})]


def _counts(text: Any) -> dict[str, int]:
    counts = load_or_keep(text)
    return {str(reason): n for reason, n in counts.items() if isinstance(n, int)} if isinstance(counts, dict) else {}
