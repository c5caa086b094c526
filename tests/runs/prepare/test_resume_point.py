"""--resume and --fork: refused before anything starts where the program cannot continue, and linked at the start."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.agents import contents, li, sessions, start
from tests.support.builders import begin, said, write

from lionstudio.model.sessions import Session
from lionstudio.runs.prepare.resume_point import ConversationTurn, continue_with, find_resume_point
from lionstudio.state.branches import add_metadata
from lionstudio.state.database import Database, reading
from lionstudio.state.messages.append import append
from lionstudio.state.runs.conversations import _SUCCESSORS
from lionstudio.state.sessions import finish_session, get_session

AGENT = ("agent", "command")
ECHO = ("--", "cat")


@pytest.fixture
def script_run(tmp_path: Path) -> str:
    """A finished run of the scripted agent."""
    assert li(tmp_path, "agent", "script", "@say one").returncode == 0
    return str(sessions(tmp_path)[0]["id"])


def stored(home: Path, session_id: str) -> Session:
    with reading(str(home / "state.db")) as conn:
        return get_session(conn, session_id)


def test_resume_with_another_program_is_refused(tmp_path: Path, script_run: str) -> None:
    refused = li(tmp_path, *AGENT, "and now?", "--resume", script_run, *ECHO)

    assert refused.returncode == 2
    assert f"session {script_run} is a conversation of script, which command cannot resume" in refused.stderr
    assert f'li agent script --resume {script_run} "…"' in refused.stderr
    assert f'li agent command --fork {script_run} "…"' in refused.stderr
    assert [row["id"] for row in sessions(tmp_path)] == [script_run]


def test_fork_with_another_program_sends_the_earlier_messages(tmp_path: Path, script_run: str) -> None:
    forked = li(tmp_path, *AGENT, "and now?", "--fork", script_run, *ECHO)

    assert forked.returncode == 0, forked.stderr
    assert "[assistant] one" in forked.stdout
    newest = sessions(tmp_path)[0]["id"]
    assert stored(tmp_path, newest).forked_from == script_run
    # the fork does not claim the conversation of the other program: it can be resumed with its messages
    again = li(tmp_path, *AGENT, "once more", "--resume", newest, *ECHO)
    assert again.returncode == 0, again.stderr
    assert "[user] and now?" in again.stdout


def test_resume_stores_lineage_at_the_start(tmp_path: Path, script_run: str) -> None:
    with start(tmp_path, "agent", "script", "@hang", "--resume", script_run) as running:
        try:
            wait_until_running(tmp_path, running)
            session = stored(tmp_path, sessions(tmp_path)[0]["id"])
            first = stored(tmp_path, script_run)
            assert (session.continues, session.conversation_id) == (script_run, first.conversation_id)
            assert first.conversation_id

            refused = li(tmp_path, "agent", "script", "@say two", "--resume", script_run)
            assert refused.returncode == 1
            assert f"session {session.id} is still running this conversation" in refused.stderr
            assert len(sessions(tmp_path)) == 2
            assert li(tmp_path, "agent", "script", "@say two", "--fork", script_run).returncode == 0
        finally:
            running.kill()
    # a proven dead run does not block its conversation
    assert li(tmp_path, "agent", "script", "@say two", "--resume", script_run).returncode == 0


def wait_until_running(home: Path, process: subprocess.Popen[str]) -> None:
    while sessions(home)[0]["status"] != "running":
        assert process.poll() is None


def test_runs_are_linked_in_both_directions(tmp_path: Path, script_run: str) -> None:
    for option in ("--resume", "--fork", "--retries"):
        assert li(tmp_path, "agent", "script", "@say two", option, script_run).returncode == 0
    retried, forked, continued = (row["id"] for row in sessions(tmp_path)[:3])
    shown = li(tmp_path, "state", "show", script_run).stdout
    data = json.loads(li(tmp_path, "state", "show", script_run, "--json").stdout)["session"]

    assert [line.split() for line in shown.splitlines() if " in  " in line] == [
        ["continued", "in", continued],
        ["retried", "in", retried],
        ["forked", "in", forked],
    ]
    assert [(run["id"], run["relation"]) for run in data["successors"]] == [
        (continued, "continued"),
        (forked, "forked"),
        (retried, "retried"),
    ]
    with reading(str(tmp_path / "state.db")) as conn:
        plan = " ".join(str(row) for row in conn.all(f"EXPLAIN QUERY PLAN {_SUCCESSORS}", {"id": "x", "most": 1}))
    assert "SCAN sessions" not in plan


def test_fork_out_of_range_states_the_range(tmp_path: Path, script_run: str) -> None:
    refused = li(tmp_path, "agent", "script", "@say x", "--fork", f"{script_run}:7")

    assert refused.returncode == 3
    assert f"session {script_run} has messages 0 to 1, not 7" in refused.stderr


def test_retries_is_stored_and_shown(tmp_path: Path, script_run: str) -> None:
    assert li(tmp_path, "agent", "script", "@say two", "--retries", script_run).returncode == 0
    newest = sessions(tmp_path)[0]["id"]

    assert stored(tmp_path, newest).retries == script_run
    assert f"retries   {script_run}" in li(tmp_path, "state", "show", newest).stdout
    assert len(contents(tmp_path, newest)["main"]) == 2


@pytest.mark.parametrize(("source", "provider"), [("imported_codex", "codex"), ("imported_claude", "claude")])
def test_mirrored_conversation_belongs_to_its_tool(db: Database, source: str, provider: str) -> None:
    session = begin(db, "s1", source_kind=source, provider="azure")
    write(db, append, session.branch_id, said("hello"))
    origin = db.read(lambda conn: find_resume_point(conn, resume="s1", fork=None))

    assert origin is not None
    assert origin.provider == provider
    assert continue_with(origin, provider, None, same_conversation=True) == origin


@pytest.mark.parametrize(
    ("ord_", "status", "turn"),
    [
        (0, "completed", None),  # a prompt that names no turn
        (1, "completed", None),  # inside the first turn
        (3, "completed", "t1"),
        (3, "running", "t1"),
        (4, "completed", "t2"),
        (4, "running", None),  # it may not be over
    ],
)
def test_fork_at_last_message_of_a_turn_keeps_its_conversation(
    db: Database, ord_: int, status: str, turn: str | None
) -> None:
    session = begin(db, "s1", source_kind="live", provider="codex")
    write(db, add_metadata, session.branch_id, {"conversation": "c", "provider": "codex"})
    for number, of_turn in enumerate([None, "t1", None, "t1", "t2"]):
        message = said(f"message {number}")
        write(db, append, session.branch_id, replace(message, metadata={"turn_id": of_turn} if of_turn else {}))
    if status != "running":
        write(db, finish_session, "s1", status)

    origin = db.read(lambda conn: find_resume_point(conn, resume=None, fork=f"s1:{ord_}"))

    assert origin is not None
    assert origin.turn == (None if turn is None else ConversationTurn("c", turn))
    assert (origin.fork.ord, len(origin.history)) == (ord_, ord_ + 1)
    assert origin.conversation == ("c" if ord_ == 4 else None)
    assert continue_with(origin, "claude", None, same_conversation=False).turn is None


def test_conversation_that_is_an_option_of_the_program_is_not_resumed(db: Database) -> None:
    """An imported transcript, or a row that another machine pushed, may name anything."""
    session = begin(db, "s1", source_kind="live", provider="codex")
    write(db, add_metadata, session.branch_id, {"conversation": "--yolo", "provider": "codex"})

    origin = db.read(lambda conn: find_resume_point(conn, resume="s1", fork=None))

    assert origin is not None
    assert (origin.provider, origin.conversation, origin.turn) == ("codex", None, None)


def test_fork_does_not_claim_the_conversation_of_its_parent(tmp_path: Path, script_run: str) -> None:
    """Until the program reports its own; the run may end before that."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "mute.md").write_text("---\nprovider: command\ncommand: [/bin/true]\n---\nYou are silent.\n")
    assert li(tmp_path, "agent", "mute", "hello", "--fork", script_run).returncode == 0
    newest = sessions(tmp_path)[0]["id"]
    with reading(str(tmp_path / "state.db")) as conn:
        origin = find_resume_point(conn, resume=newest, fork=None)

    assert origin is not None
    assert (origin.provider, origin.conversation, len(origin.history)) == ("command", None, 4)
