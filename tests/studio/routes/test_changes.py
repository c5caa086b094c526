"""Routes for the files that a run changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, write
from tests.support.sql_trace import traced
from tests.support.studio import AUTH, InProcess, application

from lionstudio.model.messages import create_message
from lionstudio.state.branches import fork_branch
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.studio.schemas import changes, messages

NOW = 1_790_000_000.0
HUNK = {"oldStart": 41, "newStart": 41, "lines": [" one", "-two", "+three", "+four"]}


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        yield running


def put(db: Database, branch: str, id_: str, metadata: dict[str, Any] | None = None, **content: Any) -> None:
    write(db, append, branch, create_message(content, id=id_, created_at=NOW, metadata=metadata or {}))


def call(
    db: Database, branch: str, id_: str, function: str, result: dict[str, Any] | None = None, **arguments: Any
) -> None:
    put(db, branch, id_, function=function, arguments=arguments)
    if result is not None:
        notes = result.pop("notes", {})
        put(db, branch, f"{id_}-result", notes, function=function, action_request_id=id_, **result)


def edited(db: Database) -> str:
    """An edit with its patch, a refused edit, a new file, a read, a patch in a shell, and a call without a result."""
    begun = begin(db, "run", cwd="/w")
    branch = begun.branch_id
    put(db, branch, "ask", instruction="go")
    done = {"output": "The file /w/a.py has been updated.", "notes": {"patch": [HUNK]}}
    call(db, branch, "edit", "Edit", done, file_path="/w/a.py", old_string="two", new_string="three\nfour")
    call(db, branch, "no", "Edit", {"error": "refused"}, file_path="/w/a.py", old_string="x", new_string="y")
    call(db, branch, "new", "Write", {"output": "ok"}, file_path="/w/b.py", content="1\n2\n")
    call(db, branch, "read", "Read", {"output": "1"}, file_path="/w/b.py")
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-three\n+drei\n*** Delete File: old.py\n*** End Patch"
    call(db, branch, "shell", "shell", {"output": "Success"}, command=["apply_patch", patch])
    call(db, branch, "open", "Write", None, file_path="/w/c.py", content="1\n")
    return branch


def test_changes_sums_the_files_of_a_run(studio: InProcess) -> None:
    edited(studio.services.db.database())
    result = studio.get("/api/sessions/run/changes")

    changes.RunChanges.model_validate(result, strict=False)
    files = {file["path"]: (file["kind"], file["added"], file["removed"], file["ords"]) for file in result["files"]}
    assert files == {"a.py": ("edited", 3, 2, [1, 9]), "b.py": ("created", 2, 0, [5]), "old.py": ("deleted", 0, 0, [9])}
    assert (result["added"], result["removed"], result["is_partial"]) == (5, 2, True)
    assert (result["failed_calls"], result["pending_calls"], result["next_after"]) == (1, 1, None)


def test_changes_of_one_file_has_hunks_with_their_messages(studio: InProcess) -> None:
    edited(studio.services.db.database())
    (file,) = studio.get("/api/sessions/run/changes?path=a.py")["files"]

    assert [(hunk["ord"], hunk["call_id"], hunk["old_start"], hunk["lines"]) for hunk in file["hunks"]] == [
        (1, "edit", 41, HUNK["lines"]),
        (9, "shell", None, ["-three", "+drei"]),
    ]
    assert file["omitted"] == 0


def test_changes_of_a_branch_and_a_fork_are_their_own(studio: InProcess) -> None:
    db = studio.services.db.database()
    main = edited(db)
    child = write(db, fork_branch, main, 2, name="helper")
    call(db, child.id, "aside", "Write", {"output": "ok"}, file_path="/w/d.py", content="1\n")
    fork = begin(db, "fork", cwd="/w")
    call(db, fork.branch_id, "other", "Write", {"output": "ok"}, file_path="/w/e.py", content="1\n")

    (file,) = studio.get(f"/api/sessions/run/changes?branch={child.id}")["files"]
    assert (file["path"], file["ords"]) == ("d.py", [12])  # the ord in the session, for links
    assert [file["path"] for file in studio.get("/api/sessions/fork/changes")["files"]] == ["e.py"]
    assert studio.client.get(f"/api/sessions/fork/changes?branch={child.id}", headers=AUTH).status_code == 404


def test_messages_have_the_changes_of_their_calls(studio: InProcess) -> None:
    edited(studio.services.db.database())
    result = studio.get("/api/sessions/run/messages?changes=true")

    messages.Messages.model_validate(result, strict=False)
    assert [(each["call_id"], each["outcome"]) for each in result["changes"]] == [
        ("edit", "applied"),
        ("no", "failed"),
        ("new", "applied"),
        ("shell", "applied"),
        ("open", "pending"),
    ]
    assert studio.get("/api/sessions/run/messages")["changes"] == []


def test_messages_have_the_changes_of_a_call_whose_result_is_new(studio: InProcess) -> None:
    edited(studio.services.db.database())
    result = studio.get("/api/sessions/run/messages?changes=true&after=1&limit=1")

    assert [each["result_id"] for each in result["changes"]] == ["edit-result"]


def test_messages_have_the_first_lines_of_a_long_change(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "long")
    text = "".join(f"{number}\n" for number in range(500)) + "x" * 10_000
    call(db, begun.branch_id, "new", "Write", {"output": "ok"}, file_path="a", content=text)
    (shown,) = studio.get("/api/sessions/long/messages?changes=true")["changes"]
    (file,) = shown["files"]
    assert (file["added"], file["omitted"], sum(len(hunk["lines"]) for hunk in file["hunks"])) == (501, 462, 40)

    whole = studio.get("/api/sessions/long/messages/new/changes")
    changes.CallChangesAnswer.model_validate(whole, strict=False)
    (file,) = whole["call"]["files"]
    assert file["omitted"] == 0
    assert file["hunks"][0]["lines"][-2].endswith("… (8,001 more characters)")


def test_call_changes_of_another_tool_is_null(studio: InProcess) -> None:
    edited(studio.services.db.database())
    assert studio.get("/api/sessions/run/messages/read/changes")["call"] is None


def test_changes_of_a_huge_write_names_the_file(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "huge")
    call(db, begun.branch_id, "new", "Write", {"output": "ok"}, file_path="a", content="x\n" * 2_000_000)
    (file,) = studio.get("/api/sessions/huge/changes?path=a")["files"]

    assert (file["is_partial"], file["added"], file["hunks"]) == (True, 0, [])


def test_changes_finds_a_result_that_is_far_from_its_call(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "far")
    call(db, begun.branch_id, "new", "Write", None, file_path="a", content="x\n")
    for number in range(60):
        put(db, begun.branch_id, f"m{number}", assistant_response="…")
    put(db, begun.branch_id, "result", output="ok", action_request_id="new")

    assert studio.get("/api/sessions/far/changes")["added"] == 1


def test_changes_reads_only_calls_that_change_files(studio: InProcess) -> None:
    """Rows of other tools are never parsed: their number does not change what is read."""
    db = studio.services.db.database()
    begun = begin(db, "run", cwd="/w")
    for number in range(30):
        call(db, begun.branch_id, f"e{number}", "Edit", {"output": "ok"}, file_path="a", old_string="x", new_string="y")
        call(db, begun.branch_id, f"r{number}", "Read", {"output": "…" * 1000}, file_path="a")
    path = "/api/sessions/run/changes"
    studio.get(path)
    with studio.services.db.reader() as conn:
        kept = conn
    with traced(kept) as ran:
        result = studio.get(path)

    assert result["files"][0]["added"] == 30
    assert len(ran) <= 9
    assert not any("Read" in each.sql for each in ran)


def test_window_leaves_out_a_long_patch(studio: InProcess) -> None:
    db = studio.services.db.database()
    begun = begin(db, "run")
    hunk = {"oldStart": 1, "newStart": 1, "lines": ["+" + "x" * 2000]}
    done = {"output": "ok", "notes": {"patch": [hunk], "call_id": "t"}}
    call(db, begun.branch_id, "edit", "Edit", done, file_path="a", old_string="a", new_string="b")
    _, result = studio.get("/api/sessions/run/messages")["messages"]

    assert result["metadata"] == {"call_id": "t"}


def test_changes_of_many_costly_edits_are_bounded_together(studio: InProcess) -> None:
    """An agent chooses how many comparisons there are, each of which takes as long as one may."""
    db = studio.services.db.database()
    branch = begin(db, "run", cwd="/w").branch_id
    old, new = ("\n".join((*(f"{mark}{n}" for n in range(250)), "both", f"{mark}{mark}")) for mark in "ab")
    for number in range(4):
        edits = [{"old_string": old, "new_string": new}] * 25
        call(db, branch, f"c{number}", "MultiEdit", {"output": "ok"}, file_path="/w/a.py", edits=edits)
    for path in ("changes", "messages?changes=true&limit=100"):
        begun = time.perf_counter()
        answer = studio.client.get(f"/api/sessions/run/{path}", headers=AUTH)
        assert answer.status_code == 200, answer.text
        assert time.perf_counter() - begun < 10  # it was 50 s
    report = studio.client.get("/api/sessions/run/changes", headers=AUTH).json()
    assert 25_100 < report["added"] <= 25_200  # the first ones are compared, the others are replaced as a whole
