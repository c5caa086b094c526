"""New and upgraded databases have the same schema; files of other programs are never written."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import apsw
import pytest
from tests.support.builders import begin, say
from tests.support.records import VARIANTS, dump
from tests.support.sql_trace import traced

from lionstudio.errors import CorruptStore, LionError, NotFound, WrongVersion
from lionstudio.model.messages import TYPE_IDS
from lionstudio.model.sessions import SESSION_COLUMNS
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database, reading
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sqlite import open
from lionstudio.state.sqlite.migrations.from_records import known_columns
from lionstudio.state.sqlite.open import open_reader, open_writer


def schema(path: Path | str) -> dict[tuple[str, str], str]:
    """The normalised SQL of every object."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    connection.close()
    # ALTER TABLE writes a new column with other spaces than schema.sql
    return {(str(kind), str(name)): re.sub(r" ?([(),]) ?", r"\1", _normalised(str(text))) for kind, name, text in rows}


def _normalised(text: str) -> str:
    without_comments = re.sub(r"--[^\n]*", "", text)
    return " ".join(without_comments.replace('"', "").replace("IF NOT EXISTS", "").split())


@pytest.mark.parametrize("name", VARIANTS)
def test_schema_of_an_upgraded_database_equals_a_new_one(name: str, tmp_path: Path, blank: Path) -> None:
    VARIANTS[name].make(tmp_path / "state.db")
    Database(str(tmp_path / "state.db")).close()

    new, upgraded = schema(blank), schema(tmp_path / "state.db")

    # rows that do not fit stay in tables with names of their own
    beside = {name for kind, name in upgraded if (kind, name) not in new}
    assert {key: sql for key, sql in upgraded.items() if key in new} == new
    assert all(name.startswith(("stranded_", "old_")) or "mine" in name or name == "running_now" for name in beside)


def test_schema_has_every_column_of_the_records(blank: Path) -> None:
    connection = apsw.Connection(str(blank))
    there = {
        (table, column)
        for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").fetchall()
        for (column,) in connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))
    }
    connection.close()

    assert set(known_columns()) - there == set()


def test_message_types_match_the_classes(blank: Path) -> None:
    rows = {row["lion_class"]: row["type_id"] for row in dump(blank)["message_types"]}

    assert rows == {"__unknown__": 0, **TYPE_IDS}


def test_schema_meta_of_a_new_database(blank: Path) -> None:
    [meta] = dump(blank)["schema_meta"]

    assert (meta["version"], meta["lineage"]) == (open.SCHEMA_VERSION, open.LINEAGE)


# Checksums of the released schemas. A changed schema needs a migration (state/sqlite/migrations), a fixture of the old
# schema, and a line here.
RELEASED = {
    4: "aef0809e9337fd00",
    5: "1ba9ad073617de7b",
    6: "7cbba62cb9d522a8",
    7: "81feeb5a720f9d0d",
    8: "8d4c112cd4215175",
    9: "5a34fa3bcb2c30b4",
}


def test_schema_version_identifies_one_schema() -> None:
    text = _normalised(open.schema_sql())

    digest = sha256(text.encode()).hexdigest()[:16]
    assert RELEASED.get(open.SCHEMA_VERSION) == digest, f'add {open.SCHEMA_VERSION}: "{digest}" to RELEASED'


# ── Files that this version must not write ───────────────────────────────


def newer(path: Path, blank: Path) -> None:
    shutil.copy(blank, path)
    with Database(str(path)) as db:
        say(db, begin(db, name="from tomorrow").branch_id, "hello")
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE schema_meta SET version = 99")
    connection.execute("ALTER TABLE sessions ADD COLUMN mood TEXT DEFAULT 'curious'")
    connection.execute("CREATE TABLE dreams (id TEXT)")
    connection.close()


def foreign_lineage(path: Path, blank: Path) -> None:
    VARIANTS["version 1"].make(path)
    connection = apsw.Connection(str(path))
    connection.execute("ALTER TABLE schema_meta ADD COLUMN lineage TEXT")
    connection.execute("UPDATE schema_meta SET version = 4, lineage = 'lionagi'")
    connection.close()


def foreign_rows(path: Path, blank: Path) -> None:
    VARIANTS["version 1 in rows"].make(path)
    connection = apsw.Connection(str(path))
    connection.execute("INSERT INTO schema_meta VALUES ('lineage', 'lionagi')")
    connection.execute("UPDATE schema_meta SET value = '4' WHERE key = 'version'")
    connection.close()


def foreign_number(path: Path, blank: Path) -> None:
    VARIANTS["version 1"].make(path)
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE schema_meta SET version = 4")
    connection.close()


def something_else(path: Path, blank: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE bookmarks (id INTEGER PRIMARY KEY, url TEXT)")
    connection.execute("INSERT INTO bookmarks VALUES (1, 'here')")
    connection.close()


def something_else_with_versions(path: Path, blank: Path) -> None:
    something_else(path, blank)
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE schema_meta (version INTEGER)")
    connection.execute("INSERT INTO schema_meta VALUES (1)")
    connection.close()


def with_a_log(maker: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
    """The same file with its last commit still in the log."""

    def make(path: Path, blank: Path) -> None:
        maker(path, blank)
        connection = apsw.Connection(str(path))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE last_word (id TEXT)")
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()

    return make


NOT_OURS = {
    "lineage of another product": foreign_lineage,
    "lineage in rows": foreign_rows,
    "a version we never wrote": foreign_number,
    "another program's database": something_else,
    "another program's with a schema_meta": something_else_with_versions,
}
REFUSED = {
    **NOT_OURS,
    "a newer version": newer,
    "a newer version with a log": with_a_log(newer),
    "lineage of another product with a log": with_a_log(foreign_lineage),
    "another program's database with a log": with_a_log(something_else),
}


def contents(path: Path) -> dict[str, bytes]:
    """The bytes of the file and of its log, while no process has it open."""
    return {name: Path(name).read_bytes() for name in (str(path), f"{path}-wal") if Path(name).exists()}


@pytest.mark.parametrize("kind", REFUSED)
def test_open_writer_refuses_a_foreign_file_and_keeps_every_byte(kind: str, tmp_path: Path, blank: Path) -> None:
    path = tmp_path / "state.db"
    REFUSED[kind](path, blank)
    before = contents(path)

    with pytest.raises(WrongVersion) as refusal:
        Database(str(path))

    assert refusal.value.hint
    after = contents(path)
    assert {name: text for name, text in after.items() if name in before or text} == before
    assert list(tmp_path.glob("*.bak")) == []


@pytest.mark.parametrize("kind", NOT_OURS)
def test_open_reader_refuses_a_foreign_file(kind: str, tmp_path: Path, blank: Path) -> None:
    path = tmp_path / "state.db"
    REFUSED[kind](path, blank)
    before = contents(path)

    with pytest.raises(WrongVersion):
        open_reader(str(path))

    assert contents(path)[str(path)] == before[str(path)]


@pytest.mark.parametrize("kind", ["a newer version", "a newer version with a log"])
def test_open_reader_lists_a_newer_database(kind: str, tmp_path: Path, blank: Path) -> None:
    path = tmp_path / "state.db"
    REFUSED[kind](path, blank)
    before = contents(path)

    with reading(str(path)) as conn:
        page = list_sessions(conn)

    assert [(row["name"], row["message_count"]) for row in page.rows] == [("from tomorrow", 1)]
    assert contents(path)[str(path)] == before[str(path)]


def test_open_reader_refuses_an_old_version(tmp_path: Path) -> None:
    VARIANTS["version 2"].make(tmp_path / "state.db")

    with pytest.raises(WrongVersion, match="must be upgraded"):
        open_reader(str(tmp_path / "state.db"))


@pytest.mark.parametrize("version", ["0", "-1", "x", "1.5", "", "99999999999999999999"])
def test_open_refuses_an_invalid_version(version: str, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    VARIANTS["version 1 in rows"].make(path)
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE schema_meta SET value = ?", (version,))
    connection.close()
    before = contents(path)

    for open_it in (open_writer, open_reader):
        with pytest.raises((CorruptStore, WrongVersion)):
            open_it(str(path))

    assert contents(path)[str(path)] == before[str(path)]


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be one" * 100, b"\0" * 5000])
def test_open_refuses_a_file_that_is_not_a_database(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(content)

    for open_it in (open_writer, open_reader):
        with pytest.raises(LionError):
            open_it(str(tmp_path / "state.db"))

    assert (tmp_path / "state.db").read_bytes() == content


def test_open_without_a_file_raises_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        open_reader(str(tmp_path / "state.db"))
    with pytest.raises(NotFound):
        open_writer(str(tmp_path / "state.db"), create=False)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("open_it", [open_writer, open_reader])
def test_open_runs_at_most_eight_statements(
    open_it: Callable[[str], Connection], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    connect = open._connect

    def counting(path: str, flags: int) -> Connection:
        conn = connect(path, flags)
        conn.raw.trace_v2(apsw.SQLITE_TRACE_STMT, lambda event: counted.append(1) if not event["trigger"] else None)
        return conn

    monkeypatch.setattr(open, "_connect", counting)
    open_it(path).close()

    assert 0 < len(counted) <= 8


def test_close_removes_the_log(path: str) -> None:
    with Database(path) as db, traced(db.conn) as ran:
        begin(db)

    assert ran
    assert not Path(f"{path}-wal").exists()


def test_session_columns_match_the_schema(blank: Path) -> None:
    connection = apsw.Connection(str(blank))
    columns = [str(row[0]) for row in connection.execute("SELECT name FROM pragma_table_info('sessions')")]
    connection.close()

    assert set(columns) == {*SESSION_COLUMNS, "pk"}
    assert columns == open.schema_columns("sessions")
