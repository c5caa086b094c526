"""Rows of another database as dictionaries of the columns that it has; external_db.py opens it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import apsw

from lionstudio.errors import Busy, InvalidInput, NotFound
from lionstudio.model.json_codec import dump
from lionstudio.state.connection import plain_errors, translate
from lionstudio.state.imports.external_db import ExternalDb

Record = dict[str, Any]


class Shape(NamedTuple):
    """The length and the last id of a progression: enough to see that nothing was added."""

    length: int
    last: str | None


# ── Sessions and branches ────────────────────────────────────────────────

# The sessions to read, oldest first, in a temporary file: a million sessions need no memory.
_LIST_SESSIONS = """
CREATE TEMP TABLE todo_sessions AS SELECT id FROM main.sessions WHERE id IS NOT NULL ORDER BY created_at, id
"""
_LIST_SESSIONS_UNDATED = """
CREATE TEMP TABLE todo_sessions AS SELECT id FROM main.sessions WHERE id IS NOT NULL ORDER BY id
"""
_LIST_BRANCHES = """
CREATE TEMP TABLE todo_branches AS
  SELECT session_id, id FROM main.branches WHERE id IS NOT NULL AND session_id IS NOT NULL
"""
_NO_BRANCHES = "CREATE TEMP TABLE todo_branches (session_id, id)"
_INDEX_BRANCHES = "CREATE INDEX temp.todo_branches_session ON todo_branches(session_id, id)"
_NEXT_SESSIONS = "SELECT rowid, id FROM temp.todo_sessions WHERE rowid > :after ORDER BY rowid LIMIT 500"
_BRANCH_IDS = "SELECT id FROM temp.todo_branches WHERE session_id = :id ORDER BY id"
# {} is the list of the stored columns: generated ones are code of the file
_SESSION = "SELECT {} FROM main.sessions t WHERE id = :id"
_BRANCH = "SELECT {} FROM main.branches t WHERE id = :id"


def list_work(source: ExternalDb) -> int:
    """List the sessions in a temporary table; returns the number of messages, for the progress."""
    conn = source.conn
    with plain_errors(source.path):
        conn.execute(_LIST_SESSIONS if source.has("sessions", "created_at") else _LIST_SESSIONS_UNDATED)
        conn.execute(_LIST_BRANCHES if source.has("branches", "id", "session_id") else _NO_BRANCHES)
        conn.execute(_INDEX_BRANCHES)
    try:
        return int(conn.value("SELECT count(*) FROM main.messages"))
    except apsw.CorruptError:
        return 0  # readable rows are imported all the same


def session_ids(source: ExternalDb) -> Iterator[Any]:
    """The ids of all sessions, oldest first; call list_work before."""
    after = 0
    while True:
        with plain_errors(source.path):
            page = source.conn.all(_NEXT_SESSIONS, {"after": after})
        if not page:
            return
        yield from (id_ for _, id_ in page)
        after = page[-1][0]


def read_session(source: ExternalDb, session_id: Any) -> Record:
    with source.reading(f"session {session_id}"):
        row = source.conn.first_dict(_SESSION.format(source.select("sessions")), {"id": session_id})
    if row is None:
        raise NotFound(f"session {session_id} was deleted from {source.path} during the import")
    return row


def read_branches(source: ExternalDb, session_id: Any) -> list[Record]:
    with source.reading(f"the branches of session {session_id}"):
        ids = [row[0] for row in source.conn.all(_BRANCH_IDS, {"id": session_id})]
        sql = _BRANCH.format(source.select("branches")) if ids else ""
        return [row for id_ in ids if (row := source.conn.first_dict(sql, {"id": id_})) is not None]


# ── Progressions ─────────────────────────────────────────────────────────

_COLLECTION = "SELECT collection FROM temp.read_progressions WHERE id = :id"
_SHAPE = """
SELECT CASE WHEN json_valid(collection) THEN json_array_length(collection) ELSE -1 END,
       CASE WHEN json_valid(collection) THEN json_extract(collection, '$[#-1]') END
  FROM temp.read_progressions WHERE id = :id
"""
_UNREADABLE = "SELECT unreadable FROM main.progression_heads WHERE id = :id"


def read_collection(source: ExternalDb, progression_id: Any) -> tuple[Any, str | None]:
    """The JSON text of a progression, and the unreadable text that an earlier import kept."""
    if progression_id is None or not source.has("progressions", "id", "collection"):
        return None, None
    with source.reading(f"progression {progression_id}"):
        unreadable = None
        if source.has("progression_heads", "unreadable"):
            unreadable = source.conn.value(_UNREADABLE, {"id": progression_id})
        return source.conn.value(_COLLECTION, {"id": progression_id}), unreadable


_UNLISTED = """
SELECT m.id FROM main.messages m
 WHERE m.id = :message
   AND NOT EXISTS (SELECT 1 FROM temp.read_progressions p, json_each(p.collection) j
                    WHERE p.id = :progression AND json_valid(p.collection) AND j.value = m.id)
"""


def unlisted_system_prompt(source: ExternalDb, branch: Mapping[str, Any]) -> str | None:
    """The system prompt that some tools keep beside the messages of a branch and not among them."""
    message, progression = branch.get("system_msg_id"), branch.get("progression_id")
    if message is None or not source.has("progressions", "id", "collection"):
        return None
    with source.reading(f"the system prompt of branch {branch.get('id')}"):
        id_ = source.conn.value(_UNLISTED, {"message": message, "progression": progression})
    return None if id_ is None else str(id_)


_RUN_SESSION = "SELECT id FROM main.sessions WHERE run_id = :id AND id <> :id ORDER BY created_at LIMIT 1"


def session_of_run(source: ExternalDb, run_id: Any) -> str | None:
    """The session that recorded a run, if the run has a second row with its own id as the id of the session."""
    if not source.has("sessions", "run_id", "created_at"):
        return None
    with source.reading(f"the session of run {run_id}"):
        id_ = source.conn.value(_RUN_SESSION, {"id": run_id})
    return None if id_ is None else str(id_)


def shape_of(source: ExternalDb, progression_id: Any) -> Shape:
    if progression_id is None or not source.has("progressions", "id", "collection"):
        return Shape(0, None)
    with source.reading(f"progression {progression_id}"):
        row = source.conn.one(_SHAPE, {"id": progression_id})
    return Shape(0, None) if row is None else Shape(*row)


# ── Messages ─────────────────────────────────────────────────────────────

# CROSS JOIN keeps the order of the ids
_MESSAGES = """
SELECT {}, json_valid(t.content) AS content_is_json, c.lion_class AS class_tag
  FROM json_each(:ids) j CROSS JOIN main.messages t ON t.id = j.value
  LEFT JOIN main.message_types c ON c.type_id = t.lion_class
"""
_UNTYPED_MESSAGES = """
SELECT {}, json_valid(t.content) AS content_is_json, NULL AS class_tag
  FROM json_each(:ids) j CROSS JOIN main.messages t ON t.id = j.value
"""
# text that is not UTF-8, as bytes
_RAW_MESSAGE = """
SELECT id, created_at, CAST(node_metadata AS BLOB) AS node_metadata, CAST(content AS BLOB) AS content,
       CAST(sender AS BLOB) AS sender, CAST(recipient AS BLOB) AS recipient, CAST(role AS BLOB) AS role,
       lion_class, 0 AS content_is_json, NULL AS class_tag
  FROM main.messages WHERE id = :id
"""
_TIMES = "SELECT m.id, m.created_at FROM json_each(:ids) j CROSS JOIN main.messages m ON m.id = j.value"


def read_messages(source: ExternalDb, ids: Sequence[str]) -> Iterator[Record]:
    """The rows of messages one by one; ids without a message are skipped."""
    typed = source.has("message_types", "type_id", "lion_class") and source.has("messages", "lion_class")
    sql = (_MESSAGES if typed else _UNTYPED_MESSAGES).format(source.select("messages"))
    seen = 0
    try:
        for record in _records(source, sql, ids):
            seen += 1
            yield record
    except UnicodeDecodeError:
        # the exact position is unknown where ids have no message; read the rest one by one
        for id_ in ids[seen:]:
            yield from _one_by_one(source, sql, id_)


def _one_by_one(source: ExternalDb, sql: str, id_: str) -> Iterator[Record]:
    try:
        yield from list(_records(source, sql, [id_]))
    except UnicodeDecodeError:
        with source.reading(f"message {id_}"):
            yield from source.conn.dicts(_RAW_MESSAGE, {"id": id_})


def _records(source: ExternalDb, sql: str, ids: Sequence[str]) -> Iterator[Record]:
    names: list[str] = []
    try:
        cursor = source.conn.execute(sql, {"ids": dump(list(ids))})
        for row in cursor:
            names = names or [column[0] for column in cursor.get_description()]
            yield dict(zip(names, row, strict=True))
    except apsw.Error as error:
        ours = translate(error, source.path)
        raise ours if isinstance(ours, Busy) else InvalidInput(f"cannot read messages: {ours.message}") from error


def message_times(source: ExternalDb, ids: Sequence[str]) -> dict[str, Any]:
    """The times of messages, without their content."""
    if not source.has("messages", "created_at"):
        return {}
    with source.reading("the times of messages"):
        return dict(source.conn.all(_TIMES, {"ids": dump(list(ids))}))


# ── Other tables ─────────────────────────────────────────────────────────

_SHOWS = "SELECT {} FROM main.shows t"
_PLAYS = "SELECT {} FROM main.plays t WHERE show_id = :id"
_TEAMS = "SELECT {} FROM main.teams t"
_TEAM_MESSAGES = "SELECT {} FROM main.team_messages t WHERE team_id = :id ORDER BY created_at, id"
_DEFINITIONS = "SELECT {} FROM main.definitions t ORDER BY kind, name, version"


def read_shows(source: ExternalDb) -> list[Record]:
    return _rows(source, "shows", _SHOWS) if source.has("shows", "id", "topic") else []


def read_plays(source: ExternalDb, show_id: Any) -> list[Record]:
    return _rows(source, "plays", _PLAYS, show_id) if source.has("plays", "id", "show_id", "name") else []


def read_teams(source: ExternalDb) -> list[Record]:
    return _rows(source, "teams", _TEAMS) if source.has("teams", "id", "name") else []


def read_team_messages(source: ExternalDb, team_id: Any) -> list[Record]:
    fits = source.has("team_messages", "id", "team_id", "created_at", "sender", "content")
    return _rows(source, "team_messages", _TEAM_MESSAGES, team_id) if fits else []


def read_definitions(source: ExternalDb) -> list[Record]:
    fits = source.has("definitions", "id", "kind", "name", "version", "content")
    return _rows(source, "definitions", _DEFINITIONS) if fits else []


def _rows(source: ExternalDb, table: str, sql: str, id_: Any = None) -> list[Record]:
    with source.reading("a table"):
        return source.conn.dicts(sql.format(source.select(table)), {"id": id_})
