"""The transcript of a conversation that a live run recorded completes that run: no record is in two sessions."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, sql
from tests.support.invariants import check
from tests.support.live_runs import claude_run, codex_run, record_run
from tests.support.transcripts import (
    CLAUDE,
    CODEX,
    LONG_AGO,
    ClaudeTranscript,
    CodexTranscript,
    all_rows,
    codex,
    iso,
    mirror,
)

from lionstudio.agents.claude.stream import ClaudeStreamReader
from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import Report
from lionstudio.imports.transcripts import sync, transcript_reader
from lionstudio.imports.transcripts.doubles import merge_double
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.model.redaction.process import read_environment
from lionstudio.model.sessions import Session
from lionstudio.state.backends import open_database
from lionstudio.state.branches import get_branch, history
from lionstudio.state.database import Database
from lionstudio.state.imports.doubles import list_doubles
from lionstudio.state.sessions import find_session, finish_session, get_session
from lionstudio.state.upkeep.remove import remove_sessions
from lionstudio.system.process_identity import identify


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "tool"


def read(db: Database, branch_id: str) -> list[str]:
    """The texts of a branch with the inherited ones."""
    return db.read(
        lambda conn: [_text(dict(entry.message.content)) for entry in history(conn, branch_id) if entry.message]
    )


def own(db: Database, session_id: str) -> list[str]:
    """The texts of a session in its order."""
    rows = sql(
        db,
        """SELECT m.content FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
             JOIN progression_items i ON i.prog = h.pk JOIN messages m ON m.id = i.message_id
            WHERE s.id = ? ORDER BY i.ord""",
        (session_id,),
    )
    return [_text(json.loads(row[0])) for row in rows]


def _text(content: dict[str, Any]) -> str:
    keys = ("instruction", "system_message", "assistant_response", "output", "error", "function")
    return next(str(content[key]) for key in keys if content.get(key))


def session(db: Database, session_id: str = "live") -> Session:
    return db.read(lambda conn: get_session(conn, session_id))


def sessions(db: Database) -> list[str]:
    return [row[0] for row in sql(db, "SELECT id FROM sessions ORDER BY created_at, id")]


def assert_whole(db: Database) -> None:
    assert check(db.conn, []).violations == ()


def talk_of(root: Path) -> ClaudeTranscript:
    talk = ClaudeTranscript(root)
    talk.user("please")
    talk.assistant("step", id_="m1")
    call = talk.call(command="ls", id_="m1")
    talk.turn(
        "attachment",
        {},
        attachment={"type": "hook_additional_context", "content": "from a hook", "hookEvent": "PreToolUse"},
    )
    talk.result(call, "a file")
    talk.assistant("All done.")
    return talk


def printed_by(talk: ClaudeTranscript) -> list[dict[str, Any]]:
    """The records that the program prints: not the prompt, no attachments."""
    return [record for record in talk.records if record["type"] in ("assistant", "user")][1:]


WHOLE = ["please", "step", "Bash", "from a hook", "a file", "All done."]


def test_transcript_completes_the_run_that_recorded_it(db: Database, root: Path) -> None:
    talk = talk_of(root)
    claude_run(db, talk, printed_by(talk), "please", status="aborted")

    assert mirror(db, root).messages == 1

    assert sessions(db) == ["live"]
    row = session(db)
    assert own(db, "live") == WHOLE
    assert (row.status, row.source_kind, row.message_count) == ("aborted", "live", 6)
    # two API messages; the records of the first repeat its usage
    assert row.usage[:4] == (20, 8, 200, 40)
    assert_whole(db)


def test_transcript_completes_a_run_once(db: Database, root: Path) -> None:
    talk = talk_of(root)
    claude_run(db, talk, printed_by(talk), "please")
    mirror(db, root)
    rows = all_rows(db)
    sql(db, "DELETE FROM mirror_files")

    assert mirror(db, root).messages == 0

    assert all_rows(db)[:4] == rows[:4]


def test_run_completes_after_its_transcript_was_mirrored(db: Database, root: Path) -> None:
    talk = talk_of(root)
    mirror(db, root)
    assert len(sessions(db)) == 1
    claude_run(db, talk, printed_by(talk), "please")

    Mirror(db, CLAUDE, str(root)).complete_run([str(talk.path)], Report())
    talk.assistant("One more.")
    mirror(db, root)

    assert sessions(db) == ["live"]
    assert own(db, "live") == [*WHOLE, "One more."]
    assert sql(db, "SELECT DISTINCT session_id FROM mirror_files") == [("live",)]
    assert_whole(db)


def test_transcript_completes_a_run_whose_recorder_was_killed(db: Database, root: Path) -> None:
    talk = talk_of(root)
    gone = identify()._replace(start_ticks=1)  # the pid is another process now
    claude_run(db, talk, printed_by(talk)[:1], "please", status=None, owner=gone._asdict())

    mirror(db, root)

    assert sessions(db) == ["live"]
    assert own(db, "live") == WHOLE
    assert session(db).status == "running"  # the mirror never ends a run
    request, response = sql(
        db,
        """SELECT (SELECT id FROM messages WHERE content ->> '$.arguments' IS NOT NULL),
                  (SELECT content ->> '$.action_request_id' FROM messages WHERE content ->> '$.output' = 'a file')""",
    )[0]
    assert request == response
    assert_whole(db)


def test_running_run_holds_its_transcript(db: Database, root: Path) -> None:
    talk = talk_of(root)
    owner = identify()._asdict()
    claude_run(db, talk, printed_by(talk)[:1], "please", status=None, owner=owner)
    follower = Mirror(db, CLAUDE, os.path.realpath(root))
    follower.run(Report())
    assert own(db, "live") == ["please", "step"]

    db.write(lambda conn: finish_session(conn, "live", "completed", at=T0 + 500))
    follower.close_idle_sessions()

    assert sessions(db) == ["live"]
    assert own(db, "live") == WHOLE


def test_running_run_without_conversation_holds_transcripts_of_its_folder(db: Database, root: Path) -> None:
    claude_run(db, ClaudeTranscript(root, "none"), [], "please", status=None, owner=identify()._asdict())
    sql(db, "UPDATE branches SET node_metadata = '{}'")
    talk_of(root)

    mirror(db, root)

    assert sessions(db) == ["live"]


def test_terminal_continues_a_run_in_a_session_of_its_own(db: Database, root: Path) -> None:
    talk = talk_of(root)
    branch = claude_run(db, talk, printed_by(talk), "please")
    mirror(db, root)
    talk.user("typed in a terminal")
    talk.assistant("an answer")

    mirror(db, root)
    talk.user("typed again")
    mirror(db, root)

    terminal = CLAUDE.session_id(talk.session)
    assert sessions(db) == ["live", terminal]
    assert own(db, terminal) == ["typed in a terminal", "an answer", "typed again"]
    assert read(db, CLAUDE.branch_id(talk.session, "")) == [*WHOLE, *own(db, terminal)]
    assert session(db, terminal).continues == "live"
    assert db.read(lambda conn: get_branch(conn, CLAUDE.branch_id(talk.session, ""))).fork == (branch, 5)
    assert session(db, terminal).input_tokens == 10
    assert_whole(db)


def test_resumed_runs_share_one_transcript(db: Database, root: Path) -> None:
    talk = talk_of(root)
    first = claude_run(db, talk, printed_by(talk), "please", ended=20)
    start = len(talk.records)
    talk.user("please")
    talk.assistant("again")
    claude_run(db, talk, talk.records[start + 1 :], "please", name="second", started=5.5, parent=first)

    mirror(db, root)

    assert sessions(db) == ["live", "second"]
    assert (own(db, "live"), own(db, "second")) == (WHOLE, ["please", "again"])
    assert read(db, "second.main") == [*WHOLE, "please", "again"]
    assert (session(db).input_tokens, session(db, "second").input_tokens) == (20, 10)
    assert_whole(db)


def test_live_run_resumes_a_terminal_conversation(db: Database, root: Path) -> None:
    talk = talk_of(root)
    mirror(db, root)
    parent = CLAUDE.branch_id(talk.session, "")
    start = len(talk.records)
    talk.user("from li")
    talk.assistant("answer to li")
    claude_run(db, talk, talk.records[start + 1 :], "from li", started=6.5, parent=parent)

    mirror(db, root)

    assert own(db, "live") == ["from li", "answer to li"]
    assert own(db, CLAUDE.session_id(talk.session)) == WHOLE
    assert db.read(list_doubles) == []
    assert_whole(db)


def test_terminal_session_ends_when_a_live_run_continues_it(
    db: Database, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (sync, transcript_reader):
        monkeypatch.setattr(module, "may_be_running", lambda *given: True)
    talk = talk_of(root)
    mirror(db, root)
    terminal = CLAUDE.session_id(talk.session)
    assert session(db, terminal).status == "running"
    start = len(talk.records)
    talk.user("from li")
    talk.assistant("answer to li")
    claude_run(db, talk, talk.records[start + 1 :], "from li", started=6.5, parent=CLAUDE.branch_id(talk.session, ""))

    mirror(db, root)

    assert session(db, terminal).status == "completed"
    assert_whole(db)


def test_terminal_fork_of_a_run_begins_at_its_end(db: Database, root: Path) -> None:
    talk = talk_of(root)
    claude_run(db, talk, printed_by(talk), "please")
    mirror(db, root)
    child = talk.fork(root)
    child.user("another way")

    mirror(db, root)

    assert own(db, CLAUDE.session_id(child.session)) == ["another way"]
    assert read(db, CLAUDE.branch_id(child.session, "")) == [*WHOLE, "another way"]


def test_live_fork_is_completed_before_its_parent(db: Database, root: Path) -> None:
    talk = talk_of(root)
    parent = claude_run(db, talk, printed_by(talk), "please")
    child = talk.fork(root)
    start = len(child.records)
    child.user("another way")
    child.assistant("done so")
    claude_run(db, child, child.records[start + 1 :], "another way", name="fork", started=400, parent=parent)

    Mirror(db, CLAUDE, str(root)).complete_run([str(child.path)], Report())
    mirror(db, root)

    assert sessions(db) == ["live", "fork"]
    assert (own(db, "live"), own(db, "fork")) == (WHOLE, ["another way", "done so"])
    assert_whole(db)


def test_transcript_of_another_program_leaves_the_parent_of_a_fork_alone(db: Database, root: Path) -> None:
    talk = talk_of(root / "claude")
    parent = claude_run(db, talk, printed_by(talk), "please")
    mirror(db, root / "claude")
    rollout = rollout_of(root / "codex")
    codex_run(db, rollout, [SHELL, answer("done")], "please", name="fork", parent=parent, history_sent=True)

    codex(db, root / "codex")

    assert sessions(db) == ["fork", "live"]
    assert (own(db, "live"), own(db, "fork")[0]) == (WHOLE, "You are Codex")
    assert len(own(db, "fork")) == 7


@pytest.mark.sqlite
def test_transcript_of_an_imported_run_is_not_a_second_run(db: Database, root: Path, tmp_path: Path) -> None:
    talk = talk_of(root)
    claude_run(db, talk, printed_by(talk), "please")
    mirror(db, root)
    with Database(str(tmp_path / "other.db")) as other:
        import_database(other, other.path, db.path, Report())
        mirror(other, root)
        mirror(other, root)

        assert sessions(other) == ["live"]
        assert own(other, "live") == WHOLE
        assert session(other).cost_microusd == session(db).cost_microusd
        assert_whole(other)


def test_subagent_transcript_completes_its_lane(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root)
    talk.user("please")
    call = talk.call("Agent", description="a task", prompt="look")
    sub = ClaudeTranscript(root, talk.session, agent="a1")
    sub.path.with_suffix("").with_suffix(".meta.json").write_text(
        json.dumps({"toolUseId": call, "agentType": "Explore"})
    )
    sub.user("look")
    sub.assistant("words that are not printed", id_="s1")
    inner = sub.call(command="ls", id_="s1")
    sub.result(inner, "a file")
    sub.assistant("found it")
    talk.result(call, "found it")
    talk.assistant("All done.")
    printed = [talk.records[1]]
    printed += [record | {"parent_tool_use_id": call} for record in (sub.records[0], *sub.records[2:4])]
    printed += talk.records[2:]

    init = {"type": "system", "subtype": "init", "session_id": talk.session}
    record_run(db, "live", ClaudeStreamReader(), [init, *printed], "please")

    mirror(db, root)

    assert sessions(db) == ["live"]
    assert own(db, "live") == [
        "please",
        "Agent",
        "look",
        "words that are not printed",
        "Bash",
        "a file",
        "found it",
        "found it",
        "All done.",
    ]
    usages = dict(sql(db, "SELECT name, input_tokens FROM branches"))
    assert usages == {"main": 20, "a task": 20}
    assert_whole(db)


def test_two_mirrors_complete_a_run_once(db: Database, root: Path, tmp_path: Path) -> None:
    talk = talk_of(root)
    claude_run(db, talk, printed_by(talk), "please")

    def work() -> None:
        with open_database(db.path) as other:
            mirror(other, root)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert own(db, "live") == WHOLE
    assert_whole(db)


# ── Codex ────────────────────────────────────────────────────────────────


def rollout_of(root: Path) -> CodexTranscript:
    rollout = CodexTranscript(root, base_instructions={"text": "You are Codex"}).begin()
    rollout.user("please")
    rollout.call("c1", "Chunk ID: 1\nProcess exited with code 0\nOutput:\nhi\n", cmd="echo hi")
    rollout.item("function_call", name="nosuch", call_id="c2", arguments="{}")
    rollout.item("function_call_output", call_id="c2", output="unsupported call: nosuch")
    rollout.tokens(100, output=20)
    rollout.assistant("done")
    rollout.tokens(300, output=60)
    return rollout


SHELL = {
    "type": "command_execution",
    "command": "/bin/bash -lc 'echo hi'",
    "aggregated_output": "hi\n",
    "exit_code": 0,
    "status": "completed",
}


def answer(text: str) -> dict[str, Any]:
    return {"type": "agent_message", "text": text}


def test_rollout_with_secrets_doubles_no_message(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are redacted; the records are compared as the same rules leave them."""
    monkeypatch.setenv("PROD_DB_PASSWORD", "Zq8vKd03LmNa7Qr2")
    read_environment()
    secrets = "Zq8vKd03LmNa7Qr2 and db_password=hunter!42x and ghp_" + "a1B2" * 9
    rollout = CodexTranscript(root).begin()
    rollout.user(f"use {secrets}")
    rollout.call("c1", "Chunk ID: 1\nProcess exited with code 0\nOutput:\nhi\n", cmd=f"echo {secrets}")
    rollout.assistant(f"used {secrets}")
    rollout.assistant("done")
    shell = {**SHELL, "command": f"/bin/bash -lc 'echo {secrets}'"}
    codex_run(db, rollout, [shell, answer(f"used {secrets}")], f"use {secrets}", status="failed")

    codex(db, root)

    assert sessions(db) == ["live"]
    texts = own(db, "live")
    assert [text.partition(" ")[0] for text in texts] == ["use", "shell", "hi\n", "used", "done"]
    assert "Zq8v" not in str(texts)


def test_rollout_completes_the_run_with_refused_calls(db: Database, root: Path) -> None:
    rollout = rollout_of(root)
    codex_run(db, rollout, [SHELL, answer("done")], "please", status="failed")

    codex(db, root)

    assert sessions(db) == ["live"]
    texts = ["You are Codex", "please", "shell", "hi\n", "nosuch", "unsupported call: nosuch", "done"]
    assert (own(db, "live"), read(db, "live.main")) == (texts, texts)
    row = session(db)
    assert (row.status, row.input_tokens, row.output_tokens) == ("failed", 300, 60)


def test_rollout_of_resumed_runs_gives_each_its_tokens(db: Database, root: Path) -> None:
    rollout = rollout_of(root)
    first = codex_run(db, rollout, [SHELL, answer("done")], "please", ended=20)
    rollout.user("more")
    rollout.assistant("done")
    rollout.tokens(450, output=90)
    codex_run(db, rollout, [answer("done")], "more", name="second", started=10, parent=first)
    rollout.user("typed in a terminal")
    rollout.assistant("done")
    rollout.tokens(500, output=95)

    codex(db, root)

    terminal = CODEX.session_id(rollout.thread)
    assert sessions(db) == ["live", "second", terminal]
    tokens = [(row.input_tokens, row.output_tokens) for row in (session(db, id_) for id_ in sessions(db))]
    assert tokens == [(300, 60), (150, 30), (50, 5)]
    assert own(db, "second") == ["more", "done"]
    assert own(db, terminal) == ["typed in a terminal", "done"]


def test_context_before_the_prompt_of_a_resumed_run_belongs_to_it(db: Database, root: Path) -> None:
    """An ended run must not change: Codex writes the sandbox and the folder again when it is resumed."""
    rollout = rollout_of(root)
    first = codex_run(db, rollout, [SHELL, answer("done")], "please", ended=10.5)
    codex(db, root)
    ended = own(db, "live")
    context = "`sandbox_mode` is `danger-full-access`"
    rollout.item("message", role="developer", content=[{"type": "input_text", "text": context}])
    rollout.user("more")
    rollout.assistant("done")
    codex_run(db, rollout, [answer("done")], "more", name="second", started=10.7, parent=first)

    codex(db, root)

    assert own(db, "live") == ended
    assert sorted(own(db, "second")) == sorted([context, "more", "done"])


def test_removed_run_of_a_resumed_conversation_stays_removed(db: Database, root: Path) -> None:
    rollout = rollout_of(root)
    first = codex_run(db, rollout, [SHELL, answer("done")], "please", ended=10.5)
    rollout.user("more")
    rollout.assistant("a private answer")
    codex_run(db, rollout, [answer("a private answer")], "more", name="second", started=10.7, ended=20, parent=first)
    codex(db, root)
    with db.conn.transaction():
        remove_sessions(db.conn, ["second"])

    codex(db, root)
    rollout.tokens(500, output=95)  # the file grows once more
    codex(db, root)

    assert sessions(db) == ["live"]
    assert "private" not in str(db.read(lambda conn: conn.all("SELECT content FROM messages")))


def test_rollout_of_a_subagent_completes_its_lane(db: Database, root: Path) -> None:
    parent = CodexTranscript(root).begin()
    parent.user("please")
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent.thread, "agent_nickname": "Ada"}}}
    sub = CodexTranscript(root, number=1, source=spawn, session_id=parent.thread).begin()
    sub.user("look")
    sub.call("c1", "Output:\nx", cmd="ls")
    sub.assistant("found it")
    sub.tokens(70)
    parent.assistant("done")
    parent.tokens(100)
    collab = {
        "type": "collab_tool_call",
        "tool": "spawn_agent",
        "prompt": "look",
        "receiver_thread_ids": [sub.thread],
        "agents_states": {sub.thread: {"message": "found it"}},
        "status": "completed",
    }
    codex_run(db, parent, [collab, answer("done")], "please")

    codex(db, root)

    assert sessions(db) == ["live"]
    usages = dict(sql(db, "SELECT name, input_tokens FROM branches"))
    assert usages == {"main": 100, "look": 70}
    assert session(db).input_tokens == 170
    lane = sql(db, "SELECT id FROM branches WHERE name = 'look'")[0][0]
    assert read(db, lane) == ["look", "exec_command", "Output:\nx", "found it"]


# ── Doubles ──────────────────────────────────────────────────────────────


def double(db: Database, root: Path) -> str:
    """A run and the copy of it that older versions imported; returns the copy."""
    talk = talk_of(root)
    mirror(db, root)
    claude_run(db, talk, printed_by(talk), "please", status="aborted")
    return CLAUDE.session_id(talk.session)


def test_doubles_are_merged_once(db: Database, root: Path) -> None:
    copy = double(db, root)
    (found,) = db.read(list_doubles)
    assert (found.session_id, found.copy_id, found.messages) == ("live", copy, 6)

    db.write(lambda conn: merge_double(conn, found))

    assert db.read(list_doubles) == []
    assert sessions(db) == ["live"]
    assert own(db, "live") == WHOLE
    assert (session(db).status, session(db).input_tokens) == ("aborted", 20)
    assert mirror(db, root).messages == 0
    assert_whole(db)


def test_double_leaves_its_links_to_the_run(db: Database, root: Path) -> None:
    copy = double(db, root)
    branch = sql(db, "SELECT id FROM branches WHERE session_id = ?", (copy,))[0][0]
    claude_run(
        db, ClaudeTranscript(root, "other"), [], "next", name="child", parent=branch, started=600, continues=copy
    )
    sql(db, "INSERT INTO session_tags VALUES (?, 'kept', 1)", (copy,))
    sql(db, "UPDATE sessions SET note = 'a note' WHERE id = ?", (copy,))

    for found in db.read(list_doubles):
        db.write(lambda conn, found=found: merge_double(conn, found))  # type: ignore[misc]

    assert db.read(lambda conn: find_session(conn, copy)) is None
    assert sql(db, "SELECT session_id, tag FROM session_tags") == [("live", "kept")]
    assert (session(db).note, session(db, "child").continues) == ("a note", "live")
    assert read(db, "child.main") == [*WHOLE, "next"]
    assert_whole(db)


def test_double_keeps_the_terminal_part_of_a_copy(db: Database, root: Path) -> None:
    talk = talk_of(root)
    talk.user("typed in a terminal", timestamp=iso(900))
    talk.assistant("an answer", timestamp=iso(901))
    os.utime(talk.path, (LONG_AGO, LONG_AGO))
    mirror(db, root)
    claude_run(db, talk, printed_by(talk)[:-2], "please")

    for found in db.read(list_doubles):
        db.write(lambda conn, found=found: merge_double(conn, found))  # type: ignore[misc]

    copy = CLAUDE.session_id(talk.session)
    assert (own(db, "live"), own(db, copy)) == (WHOLE, ["typed in a terminal", "an answer"])
    assert (session(db).input_tokens, session(db, copy).input_tokens) == (20, 10)
    assert db.read(list_doubles) == []
    assert_whole(db)
