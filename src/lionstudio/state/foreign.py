"""Another program's database, or another home's, read by the columns it turns out to have. It is never written.

Nothing is held open between two sessions: a reader that stays would keep its owner's log from shrinking.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import apsw

from lionstudio.errors import Busy, CorruptStore, InvalidInput, NotFound, StorageFailed, WrongVersion
from lionstudio.model.jsontext import dump
from lionstudio.state.connection import Connection, plain_errors, translate
from lionstudio.state.opening import BUSY_TIMEOUT_MS, version_of

Record = dict[str, Any]

_NEEDED: Mapping[str, tuple[str, ...]] = {"sessions": ("id",), "messages": ("id", "content")}
# Tables that are read besides; whatever else a file holds is named in the report.
_READ = frozenset(
    {"sessions", "branches", "messages", "message_types", "progressions", "shows", "plays", "teams", "team_messages",
     "definitions", "schema_meta", "progression_heads", "progression_items"}
)  # fmt: skip
# What SQLite or our own schema makes by itself out of those.
_DERIVED = ("sqlite_", "messages_fts", "sessions_fts", "changes", "session_counts", "search_")


class Order(NamedTuple):
    """The ids of a progression; `unreadable` is its text when that is no list."""

    ids: list[str]
    unreadable: str | None = None


class Shape(NamedTuple):
    """How long a progression is and what stands last in it: enough to see that nothing was added."""

    length: int
    last: str | None


def open_source(path: str) -> Source:
    """Open a database for reading only; refused when it holds nothing that we know."""
    if not os.path.exists(path):
        raise NotFound(f"there is no file {path}", hint="give the path of a state.db")
    if os.path.isdir(path):
        raise InvalidInput(f"{path} is a folder", hint="give the path of the state.db in it")
    with plain_errors(path):
        source = Source(_connect(path))
        try:
            source.check()
        except BaseException:
            source.close()
            raise
    return source


def _connect(path: str) -> Connection:
    try:
        return _opened(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY), path)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # a folder without room for the shared memory file; without a log nothing is missing from the file
        if os.path.exists(f"{path}-wal") and os.path.getsize(f"{path}-wal"):
            raise StorageFailed(
                f"{path} has a log beside it that cannot be read from here",
                hint="copy state.db and state.db-wal to a folder of yours, and import that",
            ) from None
        address = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return _opened(apsw.Connection(address, flags=flags), path)


def _opened(raw: apsw.Connection, path: str) -> Connection:
    raw.set_busy_timeout(BUSY_TIMEOUT_MS)
    conn = Connection(raw, path)
    # somebody else made this file: nothing in its schema may do more than hold data
    conn.execute("PRAGMA trusted_schema = OFF")
    conn.execute("PRAGMA query_only = OFF")  # temporary tables are written; the file cannot be
    conn.execute("PRAGMA temp_store = FILE")
    conn.value("SELECT count(*) FROM sqlite_schema")
    return conn


_TABLES = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name"
_COLUMNS = "SELECT name FROM pragma_table_info(:table)"
_DATA_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"


class Source:
    """A database that is read from."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.path = conn.path
        self.columns: dict[str, frozenset[str]] = {}
        self.lineage = ""

    def check(self) -> None:
        """Find out what there is; refuse a file that has no sessions and messages."""
        for (table,) in self.conn.all(_TABLES):
            self.columns[table] = frozenset(row[0] for row in self.conn.all(_COLUMNS, {"table": table}))
        for table, columns in _NEEDED.items():
            missing = [name for name in columns if name not in self.columns.get(table, ())]
            if missing:
                raise WrongVersion(
                    f"{self.path} has no {table} with {', '.join(missing)}, so there is nothing to import",
                    hint="give the state.db of Lion Studio or of a tool with the same tables",
                )

        with suppress(CorruptStore):  # without a version it is read by its columns all the same
            self.lineage = (version_of(self.conn) or (0, ""))[1]

    def has(self, table: str, *columns: str) -> bool:
        """Whether a table is there with certain columns."""
        return set(columns) <= self.columns.get(table, frozenset()) and table in self.columns

    def left_out(self) -> list[str]:
        """The tables that an import does not read."""
        names = [name for (name,) in self.conn.all(_DATA_TABLES)]
        return [name for name in names if name not in _READ and not name.startswith(_DERIVED)]

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Damage in the file is a fault of one item; only a file that is held by somebody ends the import."""
        try:
            yield
        except apsw.Error as error:
            plain = translate(error, self.path)
            if isinstance(plain, Busy):
                raise plain from error
            raise InvalidInput(f"{what} cannot be read: {plain.message}") from error
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{what} holds text that is not UTF-8 ({error.reason})") from None

    def close(self) -> None:
        """Give the file back."""
        self.conn.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# ── Sessions and branches ────────────────────────────────────────────────

# The list of work, oldest first, in a temporary file: a million sessions need no memory.
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
_SESSION = "SELECT * FROM main.sessions WHERE id = :id"
_BRANCH = "SELECT * FROM main.branches WHERE id = :id"


def list_work(source: Source) -> int:
    """Note which sessions there are; how many messages the file holds, for the progress."""
    conn = source.conn
    with plain_errors(source.path):
        conn.execute(_LIST_SESSIONS if source.has("sessions", "created_at") else _LIST_SESSIONS_UNDATED)
        conn.execute(_LIST_BRANCHES if source.has("branches", "id", "session_id") else _NO_BRANCHES)
        conn.execute(_INDEX_BRANCHES)
    try:
        return int(conn.value("SELECT count(*) FROM main.messages"))
    except apsw.CorruptError:
        return 0  # what can be read is imported all the same


def session_ids(source: Source) -> Iterator[Any]:
    """The ids of all sessions, oldest first; list_work comes before."""
    after = 0
    while True:
        with plain_errors(source.path):
            page = source.conn.all(_NEXT_SESSIONS, {"after": after})
        if not page:
            return
        yield from (id_ for _, id_ in page)
        after = page[-1][0]


def read_session(source: Source, session_id: Any) -> Record:
    """The row of a session."""
    with source.reading(f"session {session_id}"):
        found = source.conn.first_dict(_SESSION, {"id": session_id})
    if found is None:
        raise NotFound(f"session {session_id} was deleted from {source.path} just now")
    return found


def read_branches(source: Source, session_id: Any) -> list[Record]:
    """The rows of a session's branches."""
    with source.reading(f"the branches of session {session_id}"):
        ids = [row[0] for row in source.conn.all(_BRANCH_IDS, {"id": session_id})]
        return [row for id_ in ids if (row := source.conn.first_dict(_BRANCH, {"id": id_})) is not None]


# ── Progressions ─────────────────────────────────────────────────────────

_COLLECTION = "SELECT collection FROM main.progressions WHERE id = :id"
_SHAPE = """
SELECT CASE WHEN json_valid(collection) THEN json_array_length(collection) ELSE -1 END,
       CASE WHEN json_valid(collection) THEN json_extract(collection, '$[#-1]') END
  FROM main.progressions WHERE id = :id
"""
_UNREADABLE = "SELECT unreadable FROM main.progression_heads WHERE id = :id"


def read_collection(source: Source, progression_id: Any) -> tuple[Any, str | None]:
    """The text of a progression's list, and what another import noted as unreadable about it."""
    if progression_id is None or not source.has("progressions", "id", "collection"):
        return None, None
    with source.reading(f"progression {progression_id}"):
        noted = None
        if source.has("progression_heads", "unreadable"):
            noted = source.conn.value(_UNREADABLE, {"id": progression_id})
        return source.conn.value(_COLLECTION, {"id": progression_id}), noted


def shape_of(source: Source, progression_id: Any) -> Shape:
    """How long a progression is, and what stands last in it."""
    if progression_id is None or not source.has("progressions", "id", "collection"):
        return Shape(0, None)
    with source.reading(f"progression {progression_id}"):
        row = source.conn.one(_SHAPE, {"id": progression_id})
    return Shape(0, None) if row is None else Shape(*row)


# ── Messages ─────────────────────────────────────────────────────────────

# CROSS JOIN: in the order of the ids that were asked for
_MESSAGES = """
SELECT m.*, json_valid(m.content) AS content_is_json, t.lion_class AS class_tag
  FROM json_each(:ids) j CROSS JOIN main.messages m ON m.id = j.value
  LEFT JOIN main.message_types t ON t.type_id = m.lion_class
"""
_UNTYPED_MESSAGES = """
SELECT m.*, json_valid(m.content) AS content_is_json, NULL AS class_tag
  FROM json_each(:ids) j CROSS JOIN main.messages m ON m.id = j.value
"""
# text that is not UTF-8, as bytes
_RAW_MESSAGE = """
SELECT id, created_at, CAST(node_metadata AS BLOB) AS node_metadata, CAST(content AS BLOB) AS content,
       CAST(sender AS BLOB) AS sender, CAST(recipient AS BLOB) AS recipient, CAST(role AS BLOB) AS role,
       lion_class, 0 AS content_is_json, NULL AS class_tag
  FROM main.messages WHERE id = :id
"""
_TIMES = "SELECT m.id, m.created_at FROM json_each(:ids) j CROSS JOIN main.messages m ON m.id = j.value"


def read_messages(source: Source, ids: Sequence[str]) -> Iterator[Record]:
    """The rows of messages one by one; an id without a message is left out."""
    typed = source.has("message_types", "type_id", "lion_class") and source.has("messages", "lion_class")
    sql = _MESSAGES if typed else _UNTYPED_MESSAGES
    seen = 0
    try:
        for record in _records(source, sql, ids):
            seen += 1
            yield record
    except UnicodeDecodeError:
        # the position is not known exactly where ids have no message; each is asked for by itself
        for id_ in ids[seen:]:
            yield from _one_by_one(source, sql, id_)


def _one_by_one(source: Source, sql: str, id_: str) -> Iterator[Record]:
    try:
        yield from list(_records(source, sql, [id_]))
    except UnicodeDecodeError:
        with source.reading(f"message {id_}"):
            yield from source.conn.dicts(_RAW_MESSAGE, {"id": id_})


def _records(source: Source, sql: str, ids: Sequence[str]) -> Iterator[Record]:
    names: list[str] = []
    try:
        cursor = source.conn.execute(sql, {"ids": dump(list(ids))})
        for row in cursor:
            names = names or [column[0] for column in cursor.get_description()]
            yield dict(zip(names, row, strict=True))
    except apsw.Error as error:
        plain = translate(error, source.path)
        raise plain if isinstance(plain, Busy) else InvalidInput(f"messages cannot be read: {plain.message}") from error


def message_times(source: Source, ids: Sequence[str]) -> dict[str, Any]:
    """When messages were made, without reading what they say."""
    if not source.has("messages", "created_at"):
        return {}
    with source.reading("the times of messages"):
        return dict(source.conn.all(_TIMES, {"ids": dump(list(ids))}))


# ── What lies beside sessions ────────────────────────────────────────────

_SHOWS = "SELECT * FROM main.shows"
_PLAYS = "SELECT * FROM main.plays WHERE show_id = :id"
_TEAMS = "SELECT * FROM main.teams"
_TEAM_MESSAGES = "SELECT * FROM main.team_messages WHERE team_id = :id ORDER BY created_at, id"
_DEFINITIONS = "SELECT * FROM main.definitions ORDER BY kind, name, version"


def read_shows(source: Source) -> list[Record]:
    """The rows of all shows; there are not many."""
    return _rows(source, _SHOWS) if source.has("shows", "id", "topic") else []


def read_plays(source: Source, show_id: Any) -> list[Record]:
    """The rows of a show's plays."""
    return _rows(source, _PLAYS, show_id) if source.has("plays", "id", "show_id", "name") else []


def read_teams(source: Source) -> list[Record]:
    """The rows of all teams."""
    return _rows(source, _TEAMS) if source.has("teams", "id", "name") else []


def read_team_messages(source: Source, team_id: Any) -> list[Record]:
    """The messages of a team, oldest first."""
    fits = source.has("team_messages", "id", "team_id", "created_at", "sender", "content")
    return _rows(source, _TEAM_MESSAGES, team_id) if fits else []


def read_definitions(source: Source) -> list[Record]:
    """The versions of definitions, if the table is like ours."""
    fits = source.has("definitions", "id", "kind", "name", "version", "content")
    return _rows(source, _DEFINITIONS) if fits else []


def _rows(source: Source, sql: str, id_: Any = None) -> list[Record]:
    with source.reading("a table"):
        return source.conn.dicts(sql, {"id": id_})
