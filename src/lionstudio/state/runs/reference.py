"""Find the session that a person means: by its id or the vendor's, its start, `last`, a name, play, title or agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lionstudio.errors import Ambiguous, NotFound
from lionstudio.model.json_codec import visible
from lionstudio.model.run_name import NAME_COLUMNS, run_name
from lionstudio.state.backends import text_filter
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.text_filter import SHORTEST_CONVERSATION

NEWEST = "last"
_SHORTEST_PREFIX = 4
_MOST_LISTED = 10
_COLUMNS = f"SELECT {', '.join(NAME_COLUMNS)}, status, started_at, created_at FROM sessions "  # noqa: S608  (the names are ours)
_ORDER = " ORDER BY created_at DESC, pk DESC LIMIT :limit"
_BY_ID = _COLUMNS + "WHERE id = :id LIMIT :limit"
_BY_PREFIX = _COLUMNS + "WHERE id >= :prefix AND id < :end" + _ORDER
_BY_CONVERSATION = _COLUMNS + "WHERE conversation_id >= :prefix AND conversation_id < :end" + _ORDER
_NEWEST = _COLUMNS + _ORDER
# all runs that continue each other
_THREAD = """
WITH RECURSIVE thread(id) AS (
  SELECT id FROM sessions WHERE id = :id
  UNION SELECT CASE s.id WHEN t.id THEN s.continues ELSE s.id END
          FROM thread t JOIN sessions s ON s.id = t.id OR s.continues = t.id
) SELECT id FROM thread WHERE id IS NOT NULL
"""
# Tried in this order: the first that fits any run decides; None is a title, which each database finds in its own way.
_BY_NAME = (
    "name = :name",
    "show_topic = :topic AND show_play_name = :play",
    None,
    "show_topic = :name",
    "playbook_name = :name",
    "agent_name = :name",
)


def resolve_session(conn: Connection, reference: str) -> str:
    """The id of the only session that a reference fits, or the newest of one thread; Ambiguous lists all others."""
    if rows := _rows(conn, _BY_ID, id=reference):
        return str(rows[0]["id"])
    if reference == NEWEST:
        return _only(conn, reference, _rows(conn, _NEWEST)[:1])
    for sql, shortest in ((_BY_PREFIX, _SHORTEST_PREFIX), (_BY_CONVERSATION, SHORTEST_CONVERSATION)):
        if len(reference) >= shortest and (rows := _rows(conn, sql, prefix=reference, end=reference + "\U0010ffff")):
            return _only(conn, reference, rows)
    name = visible(reference)
    topic, _, play = map(str.strip, name.partition("/"))
    for condition in _BY_NAME if name else ():
        sql = _COLUMNS + "WHERE " + (condition or text_filter(conn).EXACT_TITLE) + _ORDER
        if rows := _rows(conn, sql, name=name, topic=topic, play=play, match=_phrase(name)):
            return _only(conn, reference, rows)
    return _only(conn, reference, [])


def resolve_sessions(conn: Connection, references: Sequence[str]) -> list[str]:
    """The ids of all references, each once; raises before the first is used."""
    return list(dict.fromkeys(resolve_session(conn, reference) for reference in references))


def _rows(conn: Connection, sql: str, **values: str) -> list[dict[str, Any]]:
    return conn.dicts(sql, values | {"limit": _MOST_LISTED + 1})


def _phrase(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _only(conn: Connection, reference: str, rows: list[dict[str, Any]]) -> str:
    """The only run; of runs that continue each other, the newest."""
    if not rows:
        raise NotFound(f"session {reference} not found", hint="li state ls")
    if len(rows) == 1:
        return str(rows[0]["id"])
    if len(rows) <= _MOST_LISTED:
        thread = {row[0] for row in conn.all(_THREAD, {"id": rows[0]["id"]})}
        if all(row["id"] in thread for row in rows):
            return str(rows[0]["id"])
    many = f"more than {_MOST_LISTED}" if len(rows) > _MOST_LISTED else str(len(rows))
    raise Ambiguous(
        f"{reference!r:.80} matches {many} runs; the newest are",
        hint=f"pass the id of one of them, or `{NEWEST}` for the newest run of all",
        candidates=[
            {
                "id": row["id"],
                "status": row["status"],
                "started_at": row["started_at"] if row["started_at"] is not None else row["created_at"],
                "name": run_name(row),
            }
            for row in rows[:_MOST_LISTED]
        ],
    )
