"""Every SQL statement in the five design records runs on a new and on an upgraded database."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest
from tests.support.builders import read
from tests.support.records import FIXTURES, VARIANTS

from lionstudio.state.database import Database
from lionstudio.state.sqlite.fulltext import index_batch, search

Rows = list[tuple[Any, ...]]
Run = Callable[..., Rows]


class Printed(NamedTuple):
    """A statement of a record, its parameters, and its expected rows on the database below."""

    record: str
    sql: str
    bound: tuple[Any, ...] = ()
    answer: Rows = []  # noqa: RUF012  (a tuple's default, never changed)


# ALTERs have their own tests: they belong to the old file.
PRINTED = [
    Printed("ADR-0009", "PRAGMA wal_autocheckpoint = 1000", (), [(1000,)]),
    Printed("ADR-0009", "PRAGMA wal_checkpoint(TRUNCATE)", (), [(0, 0, 0)]),
    Printed("ADR-0009", "VACUUM"),
    Printed(
        "ADR-0011",
        "SELECT id FROM sessions WHERE name = ? ORDER BY created_at DESC LIMIT 1",
        ("show_docs_review",),
        [("s-done",)],
    ),
    Printed(
        "ADR-0011", "SELECT id FROM sessions WHERE name = ? ORDER BY created_at DESC LIMIT 1", ("audit",), [("s-runs",)]
    ),
    Printed("ADR-0011", "SELECT show_id, name FROM plays WHERE session_id = ?", ("s-done",), [("show-docs", "review")]),
    Printed("ADR-0017", "SELECT COUNT(*) FROM sessions WHERE status = 'running';", (), [(1,)]),
    Printed(
        "ADR-0017",
        """SELECT COUNT(*) FROM sessions WHERE status = 'failed'
  AND ended_at > unixepoch() - 86400;""",
        (),
        [(1,)],
    ),
    Printed(
        "ADR-0017",
        """SELECT COUNT(*) FROM sessions WHERE status = 'running'
  AND started_at < unixepoch() - 1800;""",
        (),
        [(1,)],
    ),
    Printed(
        "ADR-0017",
        """SELECT COUNT(DISTINCT s.id) FROM sessions s
  JOIN plays p ON p.session_id = s.id
  WHERE p.status IN ('gated', 'escalated', 'blocked');""",
        (),
        [(1,)],
    ),
    Printed("ADR-0017", "SELECT COUNT(*) FROM messages WHERE role='tool' AND content LIKE '%error%'", (), [(1,)]),
    Printed(
        "ADR-0017",
        """UPDATE sessions SET status = 'completed'
  WHERE status IS NULL AND source_kind = 'imported_fs';""",
    ),
    Printed(
        "ADR-0017",
        """UPDATE sessions SET status = 'completed'
  WHERE status IS NULL;""",
    ),
    Printed("ADR-0019", "SELECT COUNT(*) FROM teams WHERE status = 'active'", (), [(1,)]),
    Printed(
        "ADR-0019",
        """SELECT COUNT(*) FROM sessions
 WHERE status = 'running' AND last_message_at < unixepoch() - 21600""",
        (),
        [(0,)],
    ),
]
ALTERS = [
    "ALTER TABLE shows ADD COLUMN status_source TEXT",
    "ALTER TABLE sessions ADD COLUMN status     TEXT;  -- NULL for existing rows",
    "ALTER TABLE sessions ADD COLUMN started_at REAL;",
    "ALTER TABLE sessions ADD COLUMN ended_at   REAL;",
    "ALTER TABLE sessions ADD COLUMN last_message_at REAL;",
]
# ADR-0017, with the argument that its text omits.
SWEEP = "DELETE FROM messages WHERE id NOT IN (SELECT value FROM progressions, json_each(collection))"


def make_new(path: Path) -> None:
    """A new database that other tools fill by the records' own INSERTs."""
    Database(str(path)).close()
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA foreign_keys = ON")
    for script in ("v1", "shows", "teams"):
        # the tables exist already, and so does the view that replaces one of them
        text = (FIXTURES / f"records_{script}.sql").read_text()
        connection.execute(text[text.index("INSERT INTO ") :])
    connection.close()


def make_upgraded(path: Path) -> None:
    """The same rows, written by the old schema."""
    VARIANTS["with teams"].make(path)
    Database(str(path)).close()


MAKERS = {"new": make_new, "upgraded": make_upgraded}


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("made")
    for kind, maker in MAKERS.items():
        maker(folder / kind)
    return {kind: folder / kind for kind in MAKERS}


@pytest.fixture(params=MAKERS)
def filled(request: pytest.FixtureRequest, databases: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copy(databases[request.param], tmp_path / "state.db"))


def by_library(path: Path) -> Run:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA foreign_keys = ON")
    return lambda sql, bound=(): connection.execute(sql, bound).fetchall()


@pytest.mark.parametrize("printed", PRINTED, ids=lambda printed: f"{printed.record} {printed.sql[:60]}")
def test_record_statement_returns_the_expected_rows(filled: Path, printed: Printed) -> None:
    assert by_library(filled)(printed.sql, printed.bound) == printed.answer


@pytest.mark.parametrize("script", ["shows", "teams"])
def test_record_tables_exist_already(filled: Path, script: str) -> None:
    run = by_library(filled)
    before = run("SELECT * FROM sqlite_schema")

    text = (FIXTURES / f"records_{script}.sql").read_text()
    run(text[: text.index("INSERT INTO ")])

    assert run("SELECT * FROM sqlite_schema") == before


@pytest.mark.parametrize("alter", ALTERS)
def test_record_alter_finds_its_column_already(filled: Path, alter: str) -> None:
    with pytest.raises(apsw.SQLError, match="duplicate column name"):
        by_library(filled)(alter)


def test_record_alters_and_backfills_work_on_an_older_file(tmp_path: Path) -> None:
    VARIANTS["before the lifecycle"].make(tmp_path / "state.db")
    run = by_library(tmp_path / "state.db")
    shows = (FIXTURES / "records_shows.sql").read_text()
    run(shows[: shows.index("INSERT INTO ")].replace("status_source       TEXT,", "-- not yet"))
    run("ALTER TABLE sessions ADD COLUMN source_kind TEXT")

    for alter in ALTERS:
        run(alter)
    for printed in PRINTED:
        if printed.sql.startswith("UPDATE"):
            run(printed.sql)

    assert run("SELECT id, status, started_at, ended_at FROM sessions ORDER BY id") == [
        ("s-1", "completed", None, None),
        ("s-2", "completed", None, None),
    ]
    with Database(str(tmp_path / "state.db")) as db:
        assert db.conn.value("SELECT count(*) FROM sessions WHERE status = 'completed'") == 2


def test_record_drill_down_reaches_the_messages(filled: Path) -> None:
    found = by_library(filled)(
        """SELECT m.id FROM plays p JOIN sessions s ON s.id = p.session_id JOIN branches b ON b.session_id = s.id
             JOIN progressions g ON g.id = b.progression_id JOIN json_each(g.collection) j
             JOIN messages m ON m.id = j.value
            WHERE p.name = 'review' AND b.id = 'b-main' ORDER BY j.key"""
    )
    assert found == [("m-sys",), ("m-ask",), ("m-say",), ("m-call",), ("m-back",)]


def test_record_sweep_deletes_only_unreferenced_messages(filled: Path) -> None:
    run = by_library(filled)
    before = [row[0] for row in run("SELECT id FROM messages ORDER BY id")]

    run(SWEEP)

    assert [row[0] for row in run("SELECT id FROM messages ORDER BY id")] == [id_ for id_ in before if id_ != "m-loose"]


def test_delete_session_cascades_to_branches_and_keeps_progressions_and_messages(filled: Path) -> None:
    run = by_library(filled)
    run("DELETE FROM shows")
    run("DELETE FROM team_messages")
    messages, progressions = run("SELECT count(*) FROM messages"), run("SELECT * FROM progressions ORDER BY id")

    run("DELETE FROM sessions WHERE id = 's-done'")

    assert run("SELECT id FROM branches ORDER BY id") == [("b-idle",)]
    assert run("SELECT * FROM progressions ORDER BY id") == progressions
    run(SWEEP)
    assert run("SELECT count(*) FROM messages") == [(messages[0][0] - 1,)]


@pytest.mark.parametrize(
    ("table", "row"), [("plays", "play-review"), ("team_messages", "7bac507d811b")], ids=["play", "team message"]
)
def test_delete_session_rejects_a_referenced_one(filled: Path, table: str, row: str) -> None:
    run = by_library(filled)
    other = {"plays": "team_messages", "team_messages": "plays"}[table]
    run(f"DELETE FROM {other}")  # noqa: S608

    with pytest.raises(apsw.ConstraintError, match="FOREIGN KEY"):
        run("DELETE FROM sessions WHERE id = 's-done'")

    run(f"DELETE FROM {table} WHERE id = ?", (row,))  # noqa: S608
    run("DELETE FROM sessions WHERE id = 's-done'")


def test_message_types_match_the_record(filled: Path) -> None:
    assert by_library(filled)("SELECT type_id, lion_class FROM message_types ORDER BY type_id") == [
        (0, "__unknown__"),
        (1, "lionagi.protocols.messages.system.System"),
        (2, "lionagi.protocols.messages.instruction.Instruction"),
        (3, "lionagi.protocols.messages.assistant_response.AssistantResponse"),
        (4, "lionagi.protocols.messages.action_request.ActionRequest"),
        (5, "lionagi.protocols.messages.action_response.ActionResponse"),
    ]


def test_message_types_number_a_new_type(filled: Path) -> None:
    run = by_library(filled)
    assert run("INSERT INTO message_types (lion_class) VALUES ('my.Own') RETURNING type_id") == [(6,)]


def by_old_tool(path: Path) -> Run:
    """The command that Debian 12 ships; SQLite 3.40 does not know newer syntax."""
    if shutil.which("sqlite3") is None:
        pytest.skip("sqlite3 is not installed")

    def run(sql: str, bound: tuple[Any, ...] = ()) -> Rows:
        for value in bound:
            sql = sql.replace("?", "'" + str(value).replace("'", "''") + "'", 1)
        done = subprocess.run(
            ["sqlite3", "-batch", "-separator", "\x1f", str(path), sql], capture_output=True, text=True
        )
        assert done.stderr == "", f"{sql}: {done.stderr}"
        return [tuple(line.split("\x1f")) for line in done.stdout.splitlines()]

    return run


@pytest.mark.slow
def test_old_sqlite_runs_every_record_statement(filled: Path) -> None:
    run = by_old_tool(filled)
    for printed in PRINTED:
        wanted = [tuple(str(value) for value in row) for row in printed.answer]
        assert (printed.sql, run(printed.sql, printed.bound)) == (printed.sql, wanted)


def test_old_sqlite_may_delete_and_update_without_damage(filled: Path) -> None:
    with Database(str(filled)) as db:
        db.write(index_batch)
        assert [hit.message_id for hit in read(db, search, "progression")] == ["m-loose"]
    run = by_old_tool(filled)

    run(SWEEP)
    run("UPDATE messages SET content = '{\"instruction\":\"quite new\"}' WHERE id = 'm-ask'")
    run("UPDATE progressions SET collection = json_insert(collection, '$[#]', 'm-say') WHERE id = 'p-fork'")
    run("INSERT INTO progressions VALUES ('p-old', 1.0, '[\"m-ask\"]')")
    run("DELETE FROM progressions WHERE id = 'p-gone'")

    with Database(str(filled)) as db:
        for _ in range(2):
            words = ("progression", "quite", "prüfe", "merged")
            found = {word: [hit.message_id for hit in read(db, search, word)] for word in words}
            assert found == {"progression": [], "quite": ["m-ask"], "prüfe": [], "merged": ["m-say"]}
            db.write(index_batch)
        assert db.conn.all("SELECT id, collection FROM progressions WHERE id IN ('p-fork', 'p-old', 'p-gone')") == [
            ("p-fork", '["m-fork","m-say"]'),
            ("p-old", '["m-ask"]'),
        ]
        assert db.conn.value("PRAGMA integrity_check") == "ok"
        assert db.conn.value("SELECT count(*) FROM search_dirty") == 0
