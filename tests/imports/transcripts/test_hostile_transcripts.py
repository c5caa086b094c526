"""Mirrors of hostile folders, cut and growing lines, and several readers at once."""

from __future__ import annotations

import json
import os
import socket
import uuid
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from tests.imports.transcripts.test_sync import root, session_of
from tests.support.builders import sql
from tests.support.transcripts import CLAUDE, ClaudeTranscript, iso, main_branch, mirror

from lionstudio.imports.report import ItemOutcome
from lionstudio.imports.transcripts import line_reader, sync, transcript_reader
from lionstudio.state.branches import list_branches
from lionstudio.state.database import Database
from lionstudio.state.imports.transcript_files import save_file

__all__ = ["root"]  # a fixture


def test_mirror_hostile_folders_and_lines(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_reader.read_lines, "__kwdefaults__", {"within": False, "longest": 100_000})
    good = ClaudeTranscript(root).talk(1)
    folder = good.path.parent
    _fill(folder, root)
    bad = [
        b"\xff\xfe\x00garbage",
        b"[1, 2]",
        b'"text"',
        b"null",
        b"{",
        b'{"a":' * 10_000,
        b"x" * 200_000,
        b"\0" * 50,
        b"",
    ]
    with open(folder / f"{uuid.uuid4()}.jsonl", "wb") as file:
        file.write(b"\n".join(bad) + b"\n")
        for number, content in enumerate(_odd_contents()):
            record = {"type": "user", "uuid": f"odd{number}", "timestamp": iso(number), "message": {"content": content}}
            file.write(json.dumps(record).encode() + b"\n")
        file.write(
            b'{"type":"user","uuid":"latin","timestamp":"2026-01-01T00:00:00Z","message":{"content":"caf\xe9"}}\n'
        )
    report = mirror(db, root)
    assert len(main_branch(db, good.session)) == 5
    skipped = {
        item.name.rpartition("/")[2]: item.reason for item in report.items if item.outcome is ItemOutcome.SKIPPED
    }
    assert len(skipped) == 6
    assert {"pipe.jsonl", "socket.jsonl", "link.jsonl", "loop.jsonl", "outside.jsonl"} < set(skipped)
    assert {row[0] for row in sql(db, "SELECT DISTINCT k.key FROM mirror_files, json_each(skipped) k")} == {
        "not a JSON object",
        "not JSON",
        "nested too deeply",
        "line longer than 64 MB",
        "line of zeros",
    }
    assert sql(db, "SELECT content FROM messages WHERE content LIKE '%caf%'") == [('{"instruction":"caf\\udce9"}',)]
    assert mirror(db, root).messages == 0


def _fill(folder: Path, root: Path) -> None:
    os.mkfifo(folder / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as made, chdir(folder):  # the name of a socket must be short
        made.bind("socket.jsonl")
    (folder / "link.jsonl").symlink_to("nowhere")
    (folder / "loop.jsonl").symlink_to("loop.jsonl")
    (root.parent / "secret").write_text('{"type":"user","uuid":"s","message":{"content":"secret"}}\n')
    (folder / "outside.jsonl").symlink_to(root.parent / "secret")
    (folder / "a folder.jsonl").mkdir()
    (folder / "loops").symlink_to(folder)
    (folder / "empty.jsonl").touch()
    (folder / "a\nname.jsonl").write_text("{}\n")
    with open(os.fsencode(folder) + b"/\xff.jsonl", "w") as file:
        file.write("{}\n")


def _odd_contents() -> list[Any]:
    deep: Any = "x"
    for _ in range(300):
        deep = {"a": deep}
    return [
        "\ud800 lone",
        "nul \0",
        "x" * 50_000,
        float("inf"),
        deep,
        [{"type": "tool_result", "content": deep}],
        10**400,
    ]


def test_mirror_keeps_unstorable_content_as_text(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    deep: Any = "the bottom"
    for _ in range(300):
        deep = [deep]
    talk.assistant({"type": "tool_use", "id": "t", "name": "Deep", "input": {"x": deep}})
    mirror(db, root)
    ((_, text),) = main_branch(db, talk.session)
    assert "the bottom" in text


def test_mirror_skips_long_line_that_grows(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_reader.read_lines, "__kwdefaults__", {"within": False, "longest": 1000})
    talk = ClaudeTranscript(root)
    talk.user("before")
    with open(talk.path, "a") as file:
        file.write("x" * 5000)
    mirror(db, root)
    with open(talk.path, "a") as file:
        file.write("y" * 5000 + "\n")
    talk.user("after")
    mirror(db, root)
    assert [text for _, text in main_branch(db, talk.session)] == ["before", "after"]
    assert sql(db, "SELECT skipped FROM mirror_files") == [('{"line longer than 64 MB":1}',)]


def test_mirror_skips_vanished_file(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ClaudeTranscript(root).talk(1)
    kept = ClaudeTranscript(root).talk(1)

    def gone(path: str) -> int:
        if path == str(kept.path):
            return os.open(path, os.O_RDONLY)
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(line_reader, "open_regular", gone)
    report = mirror(db, root)
    assert (report.messages, report.total(ItemOutcome.SKIPPED)) == (5, 1)


def test_mirror_twice_at_once_counts_once(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = ClaudeTranscript(root).talk(2)
    raced: list[int] = []

    def race(conn: Any, file: Any, before: str) -> bool:
        if not raced:
            raced.append(1)
            return False  # as if another mirror had read on
        return save_file(conn, file, before)

    monkeypatch.setattr(transcript_reader, "save_file", race)
    assert mirror(db, root).messages == 8
    assert session_of(db, talk).usage[:2] == (30, 12)


def test_mirror_does_not_copy_sidechains_of_fork(db: Database, root: Path) -> None:
    parent = ClaudeTranscript(root)
    parent.user("a")
    parent.turn("user", {"role": "user", "content": "aside"}, isSidechain=True)
    child = parent.fork(root)
    child.user("mine")
    mirror(db, root)
    names = db.read(lambda conn: [b.name for b in list_branches(conn, CLAUDE.session_id(child.session))])
    assert names == ["main"]


def test_mirror_session_runs_until_program_exits(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = ClaudeTranscript(root)
    talk.user("hello")
    for module in (transcript_reader, sync):
        monkeypatch.setattr(module, "may_be_running", lambda *given: True)
    mirror(db, root)
    running = session_of(db, talk)
    assert (running.status, running.ended_at) == ("running", None)
    for module in (transcript_reader, sync):
        monkeypatch.setattr(module, "may_be_running", lambda *given: False)
    mirror(db, root)
    ended = session_of(db, talk)
    assert (ended.status, ended.ended_at) == ("completed", ended.last_message_at)
    talk.user("resumed")
    monkeypatch.setattr(transcript_reader, "may_be_running", lambda *given: True)
    mirror(db, root)
    assert session_of(db, talk).status in ("running", "completed")


def test_mirror_closes_failed_session_as_failed(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = ClaudeTranscript(root)
    talk.user("hello")
    talk.assistant("API Error: rate limit", isApiErrorMessage=True, apiErrorStatus=429)
    monkeypatch.setattr(transcript_reader, "may_be_running", lambda *given: True)
    monkeypatch.setattr(sync, "may_be_running", lambda *given: False)
    mirror(db, root)
    session = session_of(db, talk)
    assert (session.status, session.reason_codes) == ("failed", ("run.failed.usage_limit",))


def test_mirror_file_without_session_id_is_own_session(db: Database, root: Path) -> None:
    folder = root / "projects" / "-p"
    folder.mkdir(parents=True)
    for name in ("one", "two"):
        record = {"type": "user", "uuid": name, "timestamp": iso(1), "message": {"content": name}}
        (folder / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    mirror(db, root)
    assert sql(db, "SELECT title, message_count FROM sessions ORDER BY title") == [("one", 1), ("two", 1)]


def test_mirror_session_runs_while_any_file_is_written(
    db: Database, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = ClaudeTranscript(root)
    talk.user("hello")
    sub = ClaudeTranscript(root, talk.session, agent="abc")
    sub.user("look")
    for module in (transcript_reader, sync):
        monkeypatch.setattr(module, "may_be_running", lambda tool, cwd, changed, now: now - changed < 300)
    os.utime(talk.path)
    mirror(db, root)
    assert session_of(db, talk).status == "running"
