"""Databases for the tests to work on: one as the design records' v1 schema wrote it, one with much to prune."""

from __future__ import annotations

import json
import time
from importlib import resources
from pathlib import Path

import apsw
from tests.support.workload import said

from lionstudio.model.branches import Branch
from lionstudio.model.messages import Message
from lionstudio.model.sessions import Session
from lionstudio.state.branches import create_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import create_session, finish_session

V1_SCHEMA = """
CREATE TABLE schema_meta (key TEXT PRIMARY KEY, value TEXT);
INSERT INTO schema_meta VALUES ('version', '1');
CREATE TABLE message_types (type_id INTEGER PRIMARY KEY AUTOINCREMENT, lion_class TEXT NOT NULL UNIQUE);
INSERT INTO message_types VALUES (0, '__unknown__'),
  (2, 'lionagi.protocols.messages.instruction.Instruction');
CREATE TABLE messages (id TEXT PRIMARY KEY, created_at REAL NOT NULL, node_metadata JSON, content JSON, embedding BLOB,
  sender TEXT, recipient TEXT, channel TEXT, role TEXT, lion_class INTEGER REFERENCES message_types(type_id));
CREATE TABLE progressions (id TEXT PRIMARY KEY, created_at REAL NOT NULL, collection TEXT NOT NULL DEFAULT '[]');
CREATE TABLE sessions (id TEXT PRIMARY KEY, created_at REAL NOT NULL, node_metadata JSON, name TEXT, user TEXT,
  progression_id TEXT REFERENCES progressions(id), first_msg_id TEXT REFERENCES messages(id),
  last_msg_id TEXT REFERENCES messages(id), updated_at REAL NOT NULL, status TEXT);
CREATE TABLE branches (id TEXT PRIMARY KEY, created_at REAL NOT NULL, node_metadata JSON, user TEXT, name TEXT,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  progression_id TEXT REFERENCES progressions(id), system_msg_id TEXT REFERENCES messages(id));
CREATE INDEX idx_sessions_updated ON sessions(updated_at DESC);
"""


def make_v1(path: Path, sessions: int = 5, messages: int = 40) -> list[list[str]]:
    """A version 1 file with a log beside it, as the design records have it; its message ids by session."""
    made = []
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(V1_SCHEMA)
    with connection:
        for number in range(sessions):
            made.append([f"message {number}.{ord_}" for ord_ in range(messages)])
            _fill(connection, number, made[-1])
    connection.close()
    return made


def _fill(connection: apsw.Connection, number: int, ids: list[str]) -> None:
    connection.executemany(
        "INSERT INTO messages (id, created_at, content, role, lion_class) VALUES (?, ?, ?, 'user', 2)",
        [(id_, 1000.0 + ord_, json.dumps({"instruction": id_})) for ord_, id_ in enumerate(ids)],
    )
    for owner in ("s", "b"):
        connection.execute(
            "INSERT INTO progressions VALUES (?, 1000.0, ?)", (f"progression {owner}{number}", json.dumps(ids))
        )
    connection.execute(
        """INSERT INTO sessions (id, created_at, name, progression_id, first_msg_id, last_msg_id, updated_at, status)
           VALUES (?, 1000.0, 'old', ?, ?, ?, 1000.0, 'completed')""",
        (f"session {number}", f"progression s{number}", ids[0], ids[-1]),
    )
    connection.execute(
        "INSERT INTO branches (id, created_at, name, session_id, progression_id) VALUES (?, 1000.0, 'main', ?, ?)",
        (f"branch {number}", f"session {number}", f"progression b{number}"),
    )


def add_old_sessions(path: Path, sessions: int, messages: int) -> None:
    """Finished sessions of long ago, which a prune may delete."""
    long_ago = time.time() - 90 * 86400

    def fill(conn: Connection) -> None:
        for number in range(sessions):
            session = create_session(conn, Session(name=f"old {number}", created_at=long_ago))
            branch = create_branch(conn, Branch(session_id=session.id, created_at=long_ago))
            for _ in range(messages):
                append(conn, branch.id, _dated(long_ago))
            finish_session(conn, session.id, "completed", at=long_ago)

    with Database(str(path)) as database:
        database.write(fill)


def _dated(at: float) -> Message:
    message = said("old")
    return type(message)(content=message.content, metadata=message.metadata, created_at=at)


FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def make_v3(path: Path) -> None:
    """A version 3 file, with the schema of the release that wrote the last of them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute((FIXTURES / "version_3.sql").read_text(encoding="utf-8"))
    with connection:
        connection.execute((FIXTURES / "version_3_rows.sql").read_text(encoding="utf-8"))
    connection.close()


def make_v4(path: Path) -> None:
    """A version 4 file: the version 3 file after its own migration."""
    make_v3(path)
    migrations = resources.files("lionstudio.state.sqlite.migrations")
    connection = apsw.Connection(str(path))
    with connection:
        connection.execute(migrations.joinpath("from_version_3.sql").read_text(encoding="utf-8"))
    connection.close()


def make_v5(path: Path) -> None:
    """A version 5 file, made with version 5's own schema: the rows of the version 3 file, and sessions with lineage."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute((FIXTURES / "version_5.sql").read_text(encoding="utf-8"))
    with connection:
        for script in ("version_3_rows.sql", "version_5_rows.sql"):
            connection.execute((FIXTURES / script).read_text(encoding="utf-8"))
    connection.close()


def make_v6(path: Path) -> None:
    """A version 6 file, made with version 6's own schema and a session."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute((FIXTURES / "version_6.sql").read_text(encoding="utf-8"))
    with connection:
        connection.execute(
            "INSERT INTO sessions (id, created_at, title, status) VALUES ('s0', 1.5, 'hello', 'running')"
        )
    connection.close()


def make_v7(path: Path) -> None:
    """A version 7 file, made with version 7's own schema, a session and a dismissed item."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute((FIXTURES / "version_7.sql").read_text(encoding="utf-8"))
    with connection:
        connection.execute(
            "INSERT INTO sessions (id, created_at, title, status) VALUES ('s0', 1.5, 'hello', 'running')"
        )
        connection.execute("INSERT INTO attention_dismissals VALUES ('run:s0:x', 'failed 1', 2.5)")
    connection.close()


def make_v8(path: Path) -> None:
    """A version 8 file, made with version 8's own schema and a session."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute((FIXTURES / "version_8.sql").read_text(encoding="utf-8"))
    with connection:
        connection.execute(
            "INSERT INTO sessions (id, created_at, title, status) VALUES ('s0', 1.5, 'hello', 'running')"
        )
    connection.close()


# tables of versions 9, 8, 7 and 6 that older files do not have
NEW_TABLES_9 = {"workers", "orders"}
NEW_TABLES_8 = {
    *NEW_TABLES_9,
    "launches",
    "usage_ledger",
    "questions",
    "refused_decisions",
    "notifications",
    "terminals",
    "machines",
    "push_marks",
    "pushed_sessions",
}
NEW_TABLES_7 = {"studio_codes", "studio_sessions", *NEW_TABLES_8}
NEW_TABLES = {"attention_dismissals", "message_aliases", "session_tags", "status_transitions", *NEW_TABLES_7}
