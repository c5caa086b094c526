"""`li state changes`: the files that a session changed."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.builders import begin, write
from tests.support.commands import run_li

from lionstudio.model.messages import create_message
from lionstudio.state.branches import fork_branch
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append


def call(db: Database, branch: str, id_: str, path: str, old: str, new: str, **result: Any) -> None:
    arguments = {"file_path": path, "old_string": old, "new_string": new}
    write(db, append, branch, create_message({"function": "Edit", "arguments": arguments}, id=id_))
    write(db, append, branch, create_message({**result, "action_request_id": id_}, id=f"{id_}r"))


@pytest.fixture
def edited(db: Database) -> Database:
    """Two edits, one that failed, and one of a sub-agent."""
    begun = begin(db, "edited", cwd="/w")
    call(db, begun.branch_id, "one", "/w/a.py", "x = 1", "x = 2\ny = 3", output="ok")
    call(db, begun.branch_id, "two", "/w/b\x1b[2J.py", "", "new\n", output="ok")
    call(db, begun.branch_id, "bad", "/w/c.py", "a", "b", error="no")
    child = write(db, fork_branch, begun.branch_id, 1, name="helper")
    call(db, child.id, "sub", "/w/d.py", "a", "b", output="ok")
    return db


def li(db: Database, *argv: str) -> Any:
    return run_li("state", "changes", "edited", *argv, "--db", db.path)


def test_changes_prints_files_then_their_diffs(edited: Database) -> None:
    done = li(edited)

    lines = done.out.split("\n")
    assert lines[:4] == ["a.py  +2 −1", "b\\x1b[2J.py  +1 −0  created", "d.py  +1 −1", "3 files  +4 −2"]
    assert lines[4:11] == ["", "--- a/a.py", "+++ b/a.py", "@@", "-x = 1", "+x = 2", "+y = 3"]
    assert "\x1b" not in done.out
    assert done.err == "1 failed or refused call changed nothing\n"


def test_changes_stat_prints_only_files(edited: Database) -> None:
    assert "@@" not in li(edited, "--stat").out


def test_changes_of_one_branch(edited: Database) -> None:
    assert li(edited, "--branch", "helper", "--stat").out == "d.py  +1 −1\n"


def test_changes_json_has_hunks_with_their_messages(edited: Database) -> None:
    data = li(edited, "--json").json

    assert (data["added"], data["removed"], data["failed_calls"]) == (4, 2, 1)
    assert [(file["path"], file["ords"], file["hunks"][0]["ord"]) for file in data["files"]] == [
        ("a.py", [0], 0),
        ("b\x1b[2J.py", [2], 2),
        ("d.py", [6], 6),
    ]


def test_changes_of_a_session_without_changes_says_so(db: Database) -> None:
    begin(db, "edited")
    done = li(db)

    assert (done.code, done.out) == (0, "")
    assert done.err == "Session edited changed no file\n"
