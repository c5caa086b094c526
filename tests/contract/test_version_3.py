"""Upgrading a database of version 3, our first, makes a backup, and lists and searches find the same."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from tests.contract.test_schema import schema
from tests.support.builders import read, say, sql
from tests.support.old_files import NEW_TABLES, make_v3, make_v4
from tests.support.records import changed_values, dump

from lionstudio.errors import WrongVersion
from lionstudio.state.database import Database
from lionstudio.state.embeddings import find_model
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sqlite.fulltext import index_batch, search
from lionstudio.state.sqlite.migrate import bring_up_to_date
from lionstudio.state.sqlite.open import LINEAGE, SCHEMA_VERSION, open_reader
from lionstudio.state.upkeep.doctor import examine

T = 1_780_000_000.0  # the time of the fixture's message 0; the others follow, a second each


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "state.db"
    make_v3(path)
    return path


def names(db: Database, text: str, status: str | None = None) -> list[str]:
    """The sessions of a list with a text filter."""
    return [row["id"] for row in read(db, list_sessions, Filters(text=text, status=status)).rows]


def search_ids(db: Database, query: str, **more: object) -> list[str]:
    return [hit.message_id for hit in db.read(lambda conn: search(conn, query, **more))]  # type: ignore[arg-type]


def test_upgrade_gives_the_schema_of_a_new_database(old: Path, blank: Path) -> None:
    Database(str(old)).close()

    assert schema(old) == schema(blank)
    assert [(row["version"], row["lineage"]) for row in dump(old)["schema_meta"]] == [(SCHEMA_VERSION, "lion-studio")]


def test_upgrade_changes_no_row_and_backs_up(old: Path) -> None:
    before = dump(old)

    Database(str(old)).close()

    after = dump(old)
    assert changed_values(before, after) == []
    assert set(after) - set(before) == {"search_zones", "embedding_model", *NEW_TABLES}
    [backup] = old.parent.glob("state.db.v3-*.bak")
    assert dump(backup) == before


def test_upgraded_database_passes_all_checks(old: Path) -> None:
    with Database(str(old)) as db:
        assert db.conn.value("PRAGMA integrity_check") == "ok"
        errors = [
            finding for finding in db.read(lambda conn: list(examine(conn, deep=True))) if finding.severity == "error"
        ]
        for index in ("messages_fts", "sessions_fts", "sessions_words_fts"):
            db.conn.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")  # noqa: S608  (our names)
    assert errors == []


def test_upgraded_lists_and_text_filters_find_the_same(old: Path) -> None:
    with Database(str(old)) as db:
        assert {row["id"] for row in read(db, list_sessions).rows} == {"s0", "s1", "s2", "s3", "s4", "s5"}
        assert names(db, "login") == ["s0", "s4"]
        assert names(db, "page") == ["s0"]
        assert names(db, "ÄNDERN") == ["s1"]
        assert names(db, "all time") == ["s3"]
        assert names(db, "garden") == ["s1", "s0"]
        assert names(db, "garden", status="failed") == ["s1"]
        assert names(db, "go") == ["s2"]
        assert names(db, "nothing like it") == []


def test_upgraded_text_filter_follows_renames_and_deletes(old: Path) -> None:
    with Database(str(old)) as db:
        sql(db, "UPDATE sessions SET name = 'signing in' WHERE id = 's0'")
        sql(db, "DELETE FROM sessions WHERE id = 's4'")
        assert (names(db, "login"), names(db, "signing"), names(db, "si")) == ([], ["s0"], ["s0"])


def test_upgraded_search_finds_the_same(old: Path) -> None:
    with Database(str(old)) as db:
        assert search_ids(db, "needle") == ["m2001", "m1001", "m0100", "m0001"]
        assert set(search_ids(db, "needle", ranked=True)) == {"m2001", "m1001", "m0100", "m0001"}
        assert search_ids(db, "number2900") == ["m2900"]
        assert search_ids(db, "number500") == []
        assert search_ids(db, "needle", project="garden") == ["m1001", "m0100", "m0001"]
        assert search_ids(db, "needle", session_id="s2") == ["m2001"]


@pytest.mark.parametrize(("since", "expected"), [(1900, ["m2001"]), (900, ["m2001", "m1001"]), (2400, [])])
def test_upgraded_search_by_time_finds_old_messages(old: Path, since: int, expected: list[str]) -> None:
    with Database(str(old)) as db:
        assert search_ids(db, "needle", since=T + since) == expected
        assert len(search_ids(db, "number24*", since=T + since, limit=200)) == 100  # not 24, not 240
        while db.write(index_batch):
            pass
        assert search_ids(db, "needle", since=T + since) == expected


def test_upgraded_database_accepts_writes(old: Path) -> None:
    with Database(str(old)) as db:
        say(db, "s2.main", "a new needle")
        assert search_ids(db, "needle")[0] == "a new needle"
        assert read(db, find_model) is None


def test_reader_refuses_version_3(old: Path) -> None:
    with pytest.raises(WrongVersion, match=f"has schema version 3 and must be upgraded to {SCHEMA_VERSION}"):
        open_reader(str(old))


def test_upgrade_leaves_a_file_that_a_newer_version_upgraded(old: Path) -> None:
    with Database(str(old)) as db:
        sql(db, "UPDATE schema_meta SET version = 99")
        with pytest.raises(WrongVersion, match="newer"):
            bring_up_to_date(db.conn, (3, LINEAGE))
        assert db.conn.value("PRAGMA foreign_keys") == 1
    assert [row["version"] for row in dump(old)["schema_meta"]] == [99]
    assert len(list(old.parent.glob("*.bak"))) == 1


def test_upgrade_accepts_a_partly_upgraded_file(old: Path, blank: Path) -> None:
    old.unlink()
    make_v4(old)
    other = apsw.Connection(str(old))
    other.execute("UPDATE schema_meta SET version = 3; DELETE FROM search_zones WHERE zone = 1")
    other.execute("INSERT INTO embedding_model VALUES ('small', 2, 1.0)")
    other.close()

    with Database(str(old)) as db:
        assert names(db, "login") == ["s0", "s4"]
        assert search_ids(db, "needle", since=T + 900) == ["m2001", "m1001"]
        assert read(db, find_model) is not None
    assert schema(old) == schema(blank)
