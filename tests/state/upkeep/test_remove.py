"""Removing single sessions: everything of theirs goes, what others share stays."""

from __future__ import annotations

import pytest
from tests.contract.test_old_sqlite import indexed_words
from tests.support.builders import begin, read, read_history, said, say, sql, write

from lionstudio.errors import Conflict, NotFound
from lionstudio.state.branches import fork_branch
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import find_message
from lionstudio.state.runs.labels import add_tags
from lionstudio.state.sessions import find_session, finish_session
from lionstudio.state.sqlite.fulltext import forget_deleted, index_all, search
from lionstudio.state.sqlite.maintenance import vacuum
from lionstudio.state.upkeep.remove import remove_sessions


def ended(db: Database, session_id: str, *texts: str) -> str:
    """An ended session with messages; its branch."""
    session = begin(db, session_id)
    say(db, session.branch_id, *texts)
    write(db, finish_session, session_id, "completed")
    return session.branch_id


def rows(db: Database) -> dict[str, int]:
    tables = ("sessions", "branches", "messages", "progression_heads", "progression_items", "session_tags")
    counts = {table: int(db.conn.value(f"SELECT count(*) FROM {table}")) for table in tables}  # noqa: S608
    return counts | {"status_transitions": int(db.conn.value("SELECT count(*) FROM status_transitions"))}


@pytest.mark.sqlite
def test_remove_leaves_nothing_of_a_session(db: Database) -> None:
    before = rows(db)
    ended(db, "a", "alpha", "omega")
    write(db, add_tags, "a", ["keep"])
    index_all(db.conn)

    removed = write(db, remove_sessions, ["a"])
    assert db.conn.value("SELECT count(*) FROM search_dirty") > 0
    while db.write(forget_deleted):
        pass

    assert (removed.sessions, removed.messages, removed.kept_messages) == (1, 2, 0)
    assert rows(db) == before
    assert indexed_words(db.path) == set()
    assert db.conn.all("SELECT * FROM search_dirty") == []
    assert db.conn.value("PRAGMA integrity_check") == "ok"


@pytest.mark.sqlite
def test_removed_words_are_not_in_the_file_after_vacuum(db: Database) -> None:
    session = begin(db, "a")
    write(db, append, session.branch_id, said("xylophonist", id="m"))
    write(db, finish_session, "a", "completed")
    ended(db, "b", "other")
    index_all(db.conn)
    write(db, remove_sessions, ["a"])
    vacuum(db.conn)

    with open(db.path, "rb") as file:  # its SQLite connections are not used afterwards
        assert b"xylophonist" not in file.read()


def test_remove_refuses_running_and_missing_sessions(db: Database) -> None:
    ended(db, "a", "alpha")
    begin(db, "b")

    with pytest.raises(Conflict, match="session b is running"):
        write(db, remove_sessions, ["a", "b"])
    with pytest.raises(NotFound):
        write(db, remove_sessions, ["a", "absent"])

    assert read(db, find_session, "a") is not None


def test_remove_keeps_messages_of_other_sessions(db: Database) -> None:
    ended(db, "a", "own", "shared")
    other = begin(db, "b")
    write(db, append, other.branch_id, said("shared", id="shared"))

    removed = write(db, remove_sessions, ["a"])

    assert (removed.messages, removed.kept_messages) == (1, 1)
    assert read(db, find_message, "shared") is not None
    assert read(db, find_message, "own") is None


@pytest.mark.sqlite
def test_remove_keeps_the_beginning_of_a_fork(db: Database) -> None:
    main = ended(db, "a", "one", "two", "three")
    fork_session = begin(db, "b")
    fork = write(db, fork_branch, main, 1, session_id=fork_session.session_id)
    write(db, append, fork.id, said("mine", id="mine"))
    index_all(db.conn)

    removed = write(db, remove_sessions, ["a"])

    assert read_history(db, fork.id) == ["one", "two", "mine"]
    assert (removed.messages, removed.kept_messages) == (1, 2)
    assert [hit.message_id for hit in read(db, search, "one")] == ["one"]
    assert read(db, find_message, "three") is None
    assert sql(db, "PRAGMA foreign_key_check") == []
    write(db, finish_session, "b", "completed")
    write(db, remove_sessions, ["b"])
    assert rows(db)["messages"] == 0
    assert rows(db)["progression_heads"] == 0


def test_remove_detaches_plays(db: Database) -> None:
    ended(db, "a", "alpha")
    sql(db, "INSERT INTO shows (id, topic, show_dir, created_at, updated_at) VALUES ('sh', 'docs', '/x', 1, 1)")
    sql(
        db,
        "INSERT INTO plays (id, show_id, name, session_id, created_at, updated_at) VALUES ('pl', 'sh', 'p', 'a', 1, 1)",
    )

    write(db, remove_sessions, ["a"])

    assert sql(db, "SELECT session_id FROM plays") == [(None,)]
