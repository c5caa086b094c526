"""`li state rename`, `tag`, `note` and `rm`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.builders import begin, say, sql, write
from tests.support.commands import run_li

from lionstudio.state.database import Database
from lionstudio.state.sessions import finish_session


@pytest.fixture
def done(db: Database) -> Database:
    for id_ in ("aaaa", "bbbb"):
        say(db, begin(db, id_, agent_name="coder").branch_id, f"hello {id_}")
        write(db, finish_session, id_, "completed")
    return db


def li(db: Database, *argv: str, code: int = 0, stdin: str = "") -> str:
    result = run_li("state", *argv, "--db", db.path, **({"stdin": stdin} if stdin else {}))
    assert result.code == code, result.err
    return result.out if code == 0 else result.err


def test_rename_sets_and_removes_the_name(done: Database) -> None:
    assert "is now called login fix" in li(done, "rename", "aaaa", "login  fix")
    assert sql(done, "SELECT name FROM sessions WHERE id = 'aaaa'") == [("login fix",)]
    assert "has no name" in li(done, "rename", "login fix", "")
    assert "not found" in li(done, "rename", "absent", "x", code=3)
    assert "at most 200" in li(done, "rename", "aaaa", "x" * 201, code=2)


def test_labels_refuse_a_name_of_several_sessions(done: Database) -> None:
    error = li(done, "rename", "coder", "x", code=2)

    assert "'coder' matches 2 runs" in error
    assert "aaaa" in error
    assert "bbbb" in error


def test_tag_adds_removes_and_filters(done: Database) -> None:
    assert li(done, "tag", "aaaa", "keep", "customer") == "customer\nkeep\n"
    assert li(done, "tag", "aaaa", "keep", "--remove") == "customer\n"
    assert li(done, "tag", "aaaa") == "customer\n"
    assert li(done, "ls", "--tag", "customer").startswith("aaaa\t")
    assert li(done, "ls", "--tag", "keep") == ""
    listed = run_li("state", "ls", "--db", done.path, "--json").json["sessions"]
    assert {session["id"]: session["tags"] for session in listed} == {"aaaa": ["customer"], "bbbb": []}
    assert "is not a tag" in li(done, "tag", "aaaa", "two words", code=2)


def test_note_is_redacted_and_printed(done: Database) -> None:
    li(done, "note", "aaaa", "key AKIAIOSFODNN7EXAMPLQ")
    printed = li(done, "note", "aaaa")

    assert printed.startswith("key ")
    assert "AKIA" not in printed
    li(done, "note", "aaaa", "")
    assert run_li("state", "note", "aaaa", "--db", done.path, "--json").json["note"] is None


def test_rm_deletes_sessions_and_their_files(done: Database) -> None:
    home = Path(done.path).parent
    stream = home / "runs" / "aaaa" / "stream"
    stream.mkdir(parents=True)
    (stream / "main.json").write_text("{}")
    (home / "run" / "spool").mkdir(parents=True, exist_ok=True)
    (home / "run" / "spool" / "aaaa.jsonl").write_text("")
    home_option = ("--home", str(home))

    assert "To delete:\n  aaaa" in run_li("state", "rm", "aaaa", "--dry-run", *home_option).out
    assert run_li("state", "rm", "aaaa", "absent", "--yes", *home_option).code == 3
    assert "confirmation required" in run_li("state", "rm", "aaaa", *home_option).err
    assert len(sql(done, "SELECT id FROM sessions")) == 2

    result = run_li("state", "rm", "aaaa", "--yes", "--json", *home_option).json

    assert (result["ids"], result["deleted"]["messages"]) == (["aaaa"], 1)
    assert sql(done, "SELECT id FROM sessions") == [("bbbb",)]
    assert not (home / "runs" / "aaaa").exists()
    assert not (home / "run" / "spool" / "aaaa.jsonl").exists()


def test_rm_keeps_a_transcript_from_being_imported_again(done: Database) -> None:
    values = "('t.jsonl', 'claude', ?, 1, 2, 3, 2, 'seal', '{}', 5.0)"
    insert = "INSERT INTO mirror_files (path, tool, session_id, inode, size, mtime_ns, read_to, seal, state, read_at)"
    sql(done, f"{insert} VALUES {values}", ("aaaa",))

    li(done, "rm", "aaaa", "--yes")
    assert sql(done, "SELECT path FROM mirror_files") == [("t.jsonl",)]

    sql(done, "UPDATE mirror_files SET session_id = 'bbbb'")
    li(done, "rm", "bbbb", "--yes", "--forget-transcripts")
    assert sql(done, "SELECT path FROM mirror_files") == []


def test_rm_refuses_a_running_session(db: Database) -> None:
    begin(db, "aaaa")

    assert " kill aaaa" in li(db, "rm", "aaaa", "--yes", code=1)
