"""Transcripts become sessions: once, again, cut, replaced and forked."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, sql
from tests.support.invariants import check
from tests.support.transcripts import (
    CLAUDE,
    CODEX,
    LONG_AGO,
    ClaudeTranscript,
    CodexTranscript,
    all_rows,
    branch_names,
    codex,
    iso,
    main_branch,
    mirror,
)

from lionstudio.imports.report import Report
from lionstudio.imports.transcripts.sync import Mirror, _Group
from lionstudio.imports.transcripts.transcript_reader import Overtaken
from lionstudio.state.branches import branch_usage, get_branch
from lionstudio.state.database import Database
from lionstudio.state.sessions import get_session
from lionstudio.state.upkeep.remove import remove_sessions


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of a tool."""
    return tmp_path / "tool"


def session_of(db: Database, talk: ClaudeTranscript | CodexTranscript) -> Any:
    session = CLAUDE.session_id(talk.session) if isinstance(talk, ClaudeTranscript) else CODEX.session_id(talk.thread)
    return db.read(lambda conn: get_session(conn, session))


def test_mirror_conversation_becomes_session(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root).talk(2)
    report = mirror(db, root)
    assert report.messages == 8
    session = session_of(db, talk)
    assert (session.title, session.project, session.status, session.source_kind) == (
        "please do 2 things",
        "demo",
        "completed",
        "imported_claude",
    )
    assert (session.agent_name, session.model, session.message_count) == (
        "claude-code",
        "claude-sonnet-4-5-20250929",
        8,
    )
    # three API messages, two of them in two records each
    assert session.usage[:4] == (30, 12, 300, 60)
    assert session.ended_at == session.last_message_at
    about = session.metadata["mirror"]
    assert (about["tool"], about["session_id"], about["path"]) == ("claude", talk.session, str(talk.path))
    assert (about["version"], about["git_branch"]) == ("2.1.197", "main")


def test_mirror_twice_equals_once(db: Database, root: Path) -> None:
    parent = ClaudeTranscript(root).talk(3)
    parent.fork(root).user("a fork")
    ClaudeTranscript(root, parent.session, agent="a1").user("sub")
    mirror(db, root)
    before = all_rows(db)
    again = mirror(db, root)
    assert again.messages == 0
    assert all_rows(db) == before


@pytest.mark.sqlite
def test_mirror_in_parts_equals_once(db: Database, root: Path, tmp_path: Path) -> None:
    talk = ClaudeTranscript(root).talk(6)
    talk.record(type="custom-title", customTitle="A name", sessionId=talk.session)
    content = talk.path.read_bytes()
    for end in [*range(1, len(content), 97), len(content)]:
        talk.path.write_bytes(content[:end])
        os.utime(talk.path, (LONG_AGO, LONG_AGO))
        mirror(db, root)
    with Database(str(tmp_path / "other.db")) as other:
        mirror(other, root)
        kinds = [1, 2, 0]  # sessions, branches, messages: orders have keys of their own
        ours, theirs = all_rows(db), all_rows(other)
        assert ours[0] == theirs[0]
        assert [len(ours[kind]) for kind in kinds] == [len(theirs[kind]) for kind in kinds]
        strip = {"progression_id", "pk"}
        assert _rows(db, "sessions", strip) == _rows(other, "sessions", strip)
        assert _rows(db, "branches", strip) == _rows(other, "branches", strip)
        assert _rows(db, "mirror_files", {"read_at"}) == _rows(other, "mirror_files", {"read_at"})


def _rows(db: Database, table: str, strip: set[str]) -> list[dict[str, Any]]:
    sqls = {
        "sessions": "SELECT * FROM sessions ORDER BY id",
        "branches": "SELECT * FROM branches ORDER BY id",
        "mirror_files": "SELECT * FROM mirror_files ORDER BY path",
    }
    rows = db.read(lambda conn: conn.dicts(sqls[table]))
    return [{key: value for key, value in row.items() if key not in strip} for row in rows]


def test_mirror_reads_cut_line_when_complete(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user("first")
    talk.user("zweite Zeile äöü")
    whole = talk.path.read_bytes()
    cut = whole.index("ü".encode()) + 1  # inside a character
    talk.path.write_bytes(whole[:cut])
    assert mirror(db, root).messages == 1
    talk.path.write_bytes(whole)
    assert mirror(db, root).messages == 1
    assert [text for _, text in main_branch(db, talk.session)] == ["first", "zweite Zeile äöü"]


def test_mirror_keeps_deleted_transcripts(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root).talk(1)
    mirror(db, root)
    talk.path.unlink()
    mirror(db, root)
    assert len(main_branch(db, talk.session)) == 5
    assert sql(db, "SELECT gone_at IS NOT NULL FROM mirror_files") == [(1,)]
    before = all_rows(db)
    mirror(db, root)
    assert all_rows(db) == before


def test_mirror_truncated_or_replaced_file_adds_only_new(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root).talk(2)
    mirror(db, root)
    whole = talk.path.read_bytes()
    talk.path.write_bytes(whole[: len(whole) // 2].rpartition(b"\n")[0] + b"\n")
    assert mirror(db, root).messages == 0
    talk.path.write_bytes(whole)
    assert mirror(db, root).messages == 0
    os.replace(shutil.copy(talk.path, f"{talk.path}.new"), talk.path)
    talk.user("after the replacement")
    assert mirror(db, root).messages == 1
    assert len(main_branch(db, talk.session)) == 9
    assert session_of(db, talk).usage[:2] == (30, 12)


def test_mirror_rewritten_file_keeps_old_records(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user("one")
    mirror(db, root)
    talk.path.unlink()
    talk.user("two")
    mirror(db, root)
    assert [text for _, text in main_branch(db, talk.session)] == ["one", "two"]


def test_mirror_resumed_conversation_updates_status(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user("hello")
    talk.assistant("API Error", isApiErrorMessage=True, apiErrorStatus=529)
    mirror(db, root)
    failed = session_of(db, talk)
    assert (failed.status, failed.reason_codes) == ("failed", ("run.failed.provider_error",))
    talk.user("again")
    talk.assistant("fine")
    mirror(db, root)
    assert (session_of(db, talk).status, session_of(db, talk).reason_codes) == ("completed", ())


def test_mirror_subagents_become_branches(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user("please")
    call = talk.call("Agent", prompt="look")
    sub = ClaudeTranscript(root, talk.session, agent="abc123")
    sub.path.with_suffix(".meta.json").write_text(json.dumps({"agentType": "Explore", "toolUseId": call}))
    sub.user("look")
    sub.assistant("found")
    talk.result(call, "found")
    mirror(db, root)
    assert sorted(map(str, branch_names(db, talk.session))) == ["Explore", "main"]
    session = session_of(db, talk)
    assert (session.message_count, session.title) == (5, "please")
    branch = db.read(lambda conn: get_branch(conn, CLAUDE.branch_id(talk.session, "abc123")))
    assert branch.metadata["agent"]["toolUseId"] == call


def test_mirror_subagent_before_conversation(db: Database, root: Path) -> None:
    sub = ClaudeTranscript(root, agent="abc")
    sub.user("look")
    mirror(db, root)
    main = ClaudeTranscript(root, sub.session)
    main.user("please", timestamp=iso(-60))
    main.assistant("I ask a sub-agent", timestamp=iso(-30))
    mirror(db, root)
    assert sorted(map(str, branch_names(db, sub.session))) == ["abc", "main"]
    session = session_of(db, main)
    assert session.title == "please"
    assert (session.started_at, session.ended_at) == (T0 - 60, T0 + 1), "of the whole conversation"


def test_mirror_fork_shares_copied_messages(db: Database, root: Path) -> None:
    parent = ClaudeTranscript(root).talk(1)
    child = parent.fork(root, upto=3)
    child.user("another way")
    parent.user("on we go")
    mirror(db, root)
    branch = db.read(lambda conn: get_branch(conn, CLAUDE.branch_id(child.session, "")))
    assert branch.fork == (CLAUDE.branch_id(parent.session, ""), 2)
    assert [text for _, text in main_branch(db, child.session)][-2:] == ["Bash\nls 0", "another way"]
    assert session_of(db, child).title == "another way"
    assert session_of(db, child).usage[:2] == (0, 0)
    assert sql(db, "SELECT count(*) FROM messages") == [(7,)]


def test_mirror_reads_parent_before_long_fork(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that is too large for one transaction is written at once, after the files that were read before it."""
    monkeypatch.setattr("lionstudio.imports.transcripts.transcript_reader.BATCH", 5)
    parent = ClaudeTranscript(root).talk(1)
    child = parent.fork(root)
    for number in range(12):
        child.user(f"more {number}")
    mirror(db, root)
    branch = db.read(lambda conn: get_branch(conn, CLAUDE.branch_id(child.session, "")))
    assert branch.fork is not None
    assert branch.fork[0] == CLAUDE.branch_id(parent.session, "")
    assert session_of(db, parent).message_count == 5
    assert session_of(db, child).message_count == 12


def test_mirror_reports_file_that_vanishes_during_retry(
    db: Database, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = [ClaudeTranscript(root).talk(1) for _ in range(3)]
    write = _Group.write
    refused: list[_Group] = []

    def once(group: _Group, database: Database) -> Any:
        if refused:
            return write(group, database)
        refused.append(group)
        talks[1].path.unlink()
        raise Overtaken

    monkeypatch.setattr(_Group, "write", once)
    report = mirror(db, root)
    assert sorted(str(item.outcome) for item in report.items) == ["imported", "imported", "skipped"]
    assert "cannot be read" in next(item.reason or "" for item in report.items if item.outcome == "skipped")


def test_mirror_fork_of_fork(db: Database, root: Path) -> None:
    first = ClaudeTranscript(root)
    first.user("a")
    second = first.fork(root)
    second.user("b")
    third = second.fork(root)
    third.user("c")
    mirror(db, root)
    assert [text for _, text in main_branch(db, third.session)] == ["a", "b", "c"]
    assert sql(db, "SELECT count(*) FROM messages") == [(3,)]
    forked = [session_of(db, talk).forked_from for talk in (first, second, third)]
    assert forked == [None, session_of(db, first).id, session_of(db, second).id]


def test_mirror_fork_while_followed(db: Database, root: Path) -> None:
    parent = ClaudeTranscript(root).talk(1)
    mirror(db, root)
    child = parent.fork(root)
    content = child.path.read_bytes()
    for end in range(0, len(content), 501):
        child.path.write_bytes(content[:end])
        mirror(db, root)
    child.path.write_bytes(content)
    child.user("mine")
    mirror(db, root)
    assert session_of(db, child).message_count == 1
    assert len(main_branch(db, child.session)) == 6


def test_mirror_partial_copy_is_counted_once(db: Database, root: Path) -> None:
    parent = ClaudeTranscript(root)
    parent.user("a")
    parent.assistant("abandoned")
    parent.assistant("kept")
    child = ClaudeTranscript(root)
    for record in (parent.records[0], parent.records[2]):
        child.record(**(record | {"sessionId": child.session}))
    child.user("mine")
    mirror(db, root)
    assert [text for _, text in main_branch(db, child.session)] == ["a", "kept", "mine"]
    assert session_of(db, child).usage == (0, 0, 0, 0, None)
    assert sql(db, "SELECT count(*) FROM messages") == [(4,)]


def test_mirror_session_in_two_folders_is_one(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root).talk(1)
    other = root / "projects" / "-elsewhere" / talk.path.name
    other.parent.mkdir()
    shutil.copy(talk.path, other)
    mirror(db, root)
    assert session_of(db, talk).message_count == 5
    assert sql(db, "SELECT count(*) FROM sessions") == [(1,)]


def test_mirror_pruned_session_returns_when_continued(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root).talk(1)
    mirror(db, root)
    sql(db, "DELETE FROM sessions")
    sql(db, "DELETE FROM progression_items")
    sql(db, "DELETE FROM messages")
    db.conn.forget_cursors()
    assert mirror(db, root).messages == 0
    talk.user("go on")
    mirror(db, root)
    assert len(main_branch(db, talk.session)) == 6


def test_mirror_imports_only_the_new_part_of_a_removed_session(db: Database, root: Path) -> None:
    """A person removes a session because of what it says: it must not come back with the next line."""
    talk = ClaudeTranscript(root)
    talk.user("a private matter")
    talk.assistant("I see")
    mirror(db, root)
    with db.conn.transaction():
        remove_sessions(db.conn, [session_of(db, talk).id])
    assert mirror(db, root).messages == 0
    talk.user("another matter")
    mirror(db, root)

    assert len(main_branch(db, talk.session)) == 1
    rows = sql(db, "SELECT content FROM messages") + sql(db, "SELECT state FROM mirror_files")
    assert "private" not in str(rows)
    assert session_of(db, talk).title == "another matter"


def test_mirror_redacts_secrets(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user("my key is sk-ant-" + "a1B2" * 10)
    mirror(db, root)
    assert "a1B2a1B2" not in str(main_branch(db, talk.session)) + str(session_of(db, talk).name)


# ── Codex ────────────────────────────────────────────────────────────────


def test_mirror_rollout_becomes_session(db: Database, root: Path) -> None:
    talk = CodexTranscript(root, base_instructions={"text": "You are Codex"}, model_provider="openai").begin()
    talk.user("fix it")
    talk.call("c1", "Process exited with code 0\nOutput:\na.py", cmd="ls")
    talk.assistant("Done.")
    talk.tokens(1000, cached=900, output=50)
    codex(db, root)
    session = session_of(db, talk)
    assert (session.title, session.model, session.provider, session.status) == (
        "fix it",
        "gpt-5-codex",
        "openai",
        "completed",
    )
    assert (session.source_kind, session.message_count) == ("imported_codex", 5)
    assert session.usage == (100, 50, 900, 0, 125 + 500 + 113)
    assert db.read(lambda conn: branch_usage(conn, CODEX.branch_id(talk.thread, ""))) == session.usage


def test_mirror_replaced_file_does_not_double_usage(db: Database, root: Path) -> None:
    talk = CodexTranscript(root).begin()
    talk.user("x")
    talk.tokens(1000)
    codex(db, root)
    os.replace(shutil.copy(talk.path, f"{talk.path}.new"), talk.path)
    talk.tokens(1500)
    codex(db, root)
    assert session_of(db, talk).input_tokens == 1500


def test_mirror_fork_by_ordinal(db: Database, root: Path) -> None:
    parent = CodexTranscript(root).begin()
    parent.user("a")
    parent.assistant("b")
    before = parent.ordinal
    parent.user("not shared")
    child = CodexTranscript(root, number=1, forked_from_id=parent.thread, forked_from_ordinal_exclusive=before)
    child.user("mine")
    codex(db, root)
    assert [text for _, text in main_branch(db, child.thread, CODEX)] == ["a", "b", "mine"]


def test_mirror_fork_by_copied_content(db: Database, root: Path) -> None:
    parent = CodexTranscript(root, ordinals=False).begin()
    parent.user("a")
    parent.call("c", "out", cmd="ls")
    parent.assistant("b")
    child = CodexTranscript(root, number=1, ordinals=False, forked_from_id=parent.thread)
    for line in parent.lines[:-1]:
        child.write(line["type"], line["payload"])
    child.user("mine")
    parent.user("on")
    codex(db, root)
    assert [text for _, text in main_branch(db, child.thread, CODEX)] == [
        "a",
        "exec_command\nls",
        "exec_command\n" + _request(db) + "\nout",
        "mine",
    ]
    assert session_of(db, child).message_count == 1


def _request(db: Database) -> str:
    return str(
        sql(db, "SELECT content ->> '$.action_request_id' FROM messages WHERE content LIKE '%action_request_id%'")[0][0]
    )


def test_mirror_spawned_thread_is_branch_of_parent(db: Database, root: Path) -> None:
    parent = CodexTranscript(root).begin()
    parent.user("please")
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent.thread, "agent_nickname": "Ada"}}}
    sub = CodexTranscript(root, number=1, source=spawn).begin()
    sub.user("look")
    sub.tokens(70)
    parent.tokens(100)
    codex(db, root)
    assert sorted(map(str, branch_names(db, parent.thread, CODEX))) == ["Ada", "main"]
    session = session_of(db, parent)
    assert (session.title, session.message_count, session.input_tokens) == ("please", 2, 170)
    assert sql(db, "SELECT count(*) FROM sessions") == [(1,)]


def test_mirror_stores_instructions_once(db: Database, root: Path) -> None:
    for number in range(3):
        CodexTranscript(root, number=number, base_instructions={"text": "You are Codex"}).user(f"hello {number}")
    codex(db, root)
    assert sql(db, "SELECT count(*) FROM messages") == [(4,)]
    assert sql(db, "SELECT count(DISTINCT system_msg_id), count(system_msg_id) FROM branches") == [(1, 3)]


def test_mirror_archived_rollout_is_same_session(db: Database, root: Path) -> None:
    talk = CodexTranscript(root).begin()
    talk.user("x")
    codex(db, root)
    (root / "archived_sessions").mkdir()
    os.rename(talk.path, root / "archived_sessions" / talk.path.name)
    assert codex(db, root).messages == 0
    assert sql(db, "SELECT count(*) FROM sessions") == [(1,)]


@pytest.mark.parametrize("is_followed", [False, True])
def test_mirror_answer_before_its_prompt_stands_after_it(db: Database, root: Path, is_followed: bool) -> None:
    def read() -> None:
        if is_followed:
            mirror(db, root)

    talk = ClaudeTranscript(root)
    prompt, note, answer = (str(uuid.uuid4()) for _ in range(3))
    talk.user("before", uuid="first", parentUuid=None)
    read()
    talk.assistant("the answer", uuid=answer, parentUuid=note, timestamp=iso(9))
    read()
    talk.assistant("its second part", parentUuid=answer, timestamp=iso(9))
    read()
    talk.turn("attachment", {}, attachment={"type": "skill_listing", "content": "x"}, uuid=note, parentUuid=prompt)
    read()
    talk.user("the prompt", uuid=prompt, parentUuid="first")
    mirror(db, root)
    expected = ["before", "the prompt", "the answer", "its second part"]
    assert [text for _, text in main_branch(db, talk.session)] == expected
    talk.user("after")
    mirror(db, root)
    assert [text for _, text in main_branch(db, talk.session)] == [*expected, "after"]
    assert check(db.conn, []).violations == ()


@pytest.mark.parametrize("is_followed", [False, True])
def test_mirror_session_has_the_order_of_time(db: Database, root: Path, is_followed: bool) -> None:
    talk = ClaudeTranscript(root)
    sub = ClaudeTranscript(root, talk.session, agent="abc123")
    talk.user("please", timestamp=iso(1))
    if is_followed:
        mirror(db, root)
    sub.user("look", timestamp=iso(2))
    sub.assistant("found", timestamp=iso(4))
    talk.assistant("meanwhile", timestamp=iso(3))
    talk.assistant("All done.", timestamp=iso(5))
    for path in (talk.path, sub.path) if is_followed else ():
        Mirror(db, CLAUDE, os.path.realpath(root)).read_paths([str(path)], Report())
    mirror(db, root)

    rows = sql(
        db,
        """SELECT m.content ->> '$.instruction', m.content ->> '$.assistant_response'
             FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
             JOIN progression_items i ON i.prog = h.pk JOIN messages m ON m.id = i.message_id ORDER BY i.ord""",
    )
    assert [prompt or answer for prompt, answer in rows] == ["please", "look", "meanwhile", "found", "All done."]
    assert check(db.conn, []).violations == ()


def test_mirror_fork_may_leave_notes_of_hooks_out(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user("please")
    call = talk.call(command="ls")
    hook = {"type": "hook_additional_context", "content": "from a hook", "hookEvent": "PostToolUse"}
    talk.turn("attachment", {}, attachment=hook)
    talk.result(call, "a file")
    talk.assistant("All done.")
    child = ClaudeTranscript(root)
    for record in (record for record in talk.records if record["type"] != "attachment"):
        child.record(**(record | {"sessionId": child.session}))
    child.user("another way", timestamp=iso(50))
    mirror(db, root)
    session = session_of(db, child)
    assert (session.message_count, session.input_tokens) == (1, 0)
    branch = db.read(lambda conn: get_branch(conn, CLAUDE.branch_id(child.session, "")))
    assert branch.fork == (CLAUDE.branch_id(talk.session, ""), 4)


def test_mirror_keeps_context_of_hooks(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    for event in ("SessionStart", "UserPromptSubmit", "PostToolUse"):
        talk.turn("attachment", {}, attachment={"type": "hook_success", "hookEvent": event, "content": f"of {event}"})
    mirror(db, root)
    assert [text for _, text in main_branch(db, talk.session)] == ["of SessionStart", "of UserPromptSubmit"]


def test_mirror_slash_command_gives_title(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user(
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
        "<command-args>the parser</command-args>"
    )
    talk.assistant("ok")
    mirror(db, root)
    assert session_of(db, talk).title == "/review the parser"


def test_mirror_subagent_without_conversation_has_title(db: Database, root: Path) -> None:
    sub = ClaudeTranscript(root, agent="a1")
    sub.user("Warmup")
    mirror(db, root)
    assert session_of(db, sub).title == "Warmup"


def test_mirror_picture_is_no_title(db: Database, root: Path) -> None:
    rollout = CodexTranscript(root).begin()
    content = [
        {"type": "input_text", "text": '<image name=[Image #1] path="/tmp/a.png">'},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "what is this?"},
    ]
    rollout.item("message", role="user", content=content)
    codex(db, root)
    assert session_of(db, rollout).title == "what is this?"


def test_mirror_name_of_the_user_is_kept(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user("please")
    talk.record(type="custom-title", customTitle="first", sessionId=talk.session)
    mirror(db, root)
    talk.record(type="custom-title", customTitle="second", sessionId=talk.session)
    mirror(db, root)
    assert session_of(db, talk).name == "second"
    sql(db, "UPDATE sessions SET name = 'mine'")
    talk.record(type="custom-title", customTitle="third", sessionId=talk.session)
    mirror(db, root)
    assert (session_of(db, talk).name, session_of(db, talk).title) == ("mine", "please")
