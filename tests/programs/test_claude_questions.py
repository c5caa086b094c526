"""`li agent claude --permissions ask`: questions are rows that any process answers, also after kill -9."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.agent_programs import Agent
from tests.support.agents import environment, start
from tests.support.process_trees import everything_below, still_alive
from tests.support.studio import AUTH, application
from tests.support.waiting import wait_until

from lionstudio.agents.dialog import Delivery
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Message
from lionstudio.model.questions import Answer, Question, QuestionStatus
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.talk.continue_answered import continue_answered
from lionstudio.runs.talk.send import send_to_session
from lionstudio.settings import load_settings
from lionstudio.state.database import Database
from lionstudio.state.exchange.mailboxes import list_receipts
from lionstudio.state.exchange.questions import answer_question, list_questions
from lionstudio.state.messages.windows import messages_after
from lionstudio.state.runs.run_list import list_sessions
from lionstudio.state.sessions import get_session

SECONDS = 30


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    (tmp_path / "home").mkdir(exist_ok=True)
    with Database(str(tmp_path / "home" / "state.db")) as database:
        yield database


@contextmanager
def running(
    claude: Agent, database: Database, prompt: str, permissions: str = "ask"
) -> Iterator[subprocess.Popen[str]]:
    home = Path(database.path).parent
    env = {**claude.task.env, "HOME": str(home)}
    words = ("agent", "claude", prompt, "--permissions", permissions, "--cwd", claude.task.cwd)
    with start(home, *words, **env) as process:
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


def questions(database: Database) -> list[Question]:
    return sorted(database.read(list_questions), key=lambda question: question.created_at)


def question_of(database: Database, number: int = 1) -> Question:
    wait_until(lambda: len(questions(database)) >= number, SECONDS)
    return questions(database)[number - 1]


def answer(database: Database, question: Question, reply: Answer) -> None:
    database.write(lambda conn: answer_question(conn, question.id, reply, by="me", origin={}))


def session(database: Database, session_id: str | None) -> Session:
    return database.read(lambda conn: get_session(conn, str(session_id)))


def messages(database: Database, session_id: str | None) -> list[Message]:
    entries = database.read(lambda conn: messages_after(conn, str(session_id), -1, 1000))
    return [entry.message for entry in entries if entry.message is not None]


def made(claude: Agent) -> str:
    path = Path(claude.task.cwd) / "made.txt"
    return path.read_text() if path.exists() else ""


def transcripts(claude: Agent) -> list[Path]:
    return list(Path(claude.task.env["CLAUDE_CONFIG_DIR"]).glob("projects/*/*.jsonl"))


def wait_for_transcript(claude: Agent) -> None:
    wait_until(lambda: bool(transcripts(claude)), SECONDS)


def continued(claude: Agent, database: Database, question: Question) -> Session:
    """Continue the run that died, as the process does that stored the answer."""
    home = Path(database.path).parent
    settings = load_settings({"home": str(home)}, environ={})
    env = environment(home, **{**claude.task.env, "HOME": str(home)})
    (new,) = continue_answered(database, settings, env, session_id=question.session_id)
    wait_until(lambda: session(database, new).status is not SessionStatus.RUNNING, SECONDS)
    return session(database, new)


def test_claude_question_is_answered_by_page(claude: Agent, database: Database, tmp_path: Path) -> None:
    with running(claude, database, "@run echo once >> made.txt\n@say done") as process:
        question = question_of(database)
        assert session(database, question.session_id).health == "waiting"
        with application(tmp_path) as studio:
            (listed,) = studio.get("/api/questions")["questions"]
            assert (listed["title"], listed["kind"]) == ("Bash: echo once >> made.txt", "permission")
            path = f"/api/questions/{question.id}/answer"
            assert studio.client.post(path, headers=AUTH, json={"option": "allow"}).status_code == 200
        assert process.wait(SECONDS) == 0

    taken = question_of(database)
    run = session(database, taken.session_id)
    assert (run.status, run.delivery) == (SessionStatus.COMPLETED, None)
    assert (taken.status, taken.taken_session) == (QuestionStatus.TAKEN, run.id)
    stored = messages(database, run.id)
    assert taken.taken_ord is not None
    assert isinstance(stored[taken.taken_ord], ActionRequest)
    assert stored[taken.taken_ord].metadata["call_id"] == taken.evidence["call_id"]
    assert made(claude) == "once\n"


def test_claude_takes_message_during_call_with_its_ord(claude: Agent, database: Database) -> None:
    with running(claude, database, "@run sleep 2\n@say done", "all") as process:
        wait_until(lambda: bool(database.read(list_sessions).rows), SECONDS)
        (row,) = database.read(list_sessions).rows
        wait_until(
            lambda: any(isinstance(message, ActionRequest) for message in messages(database, row["id"])), SECONDS
        )
        sent = database.write(
            lambda conn: send_to_session(conn, row["id"], "mind the tests", sender="me", delivery=Delivery.NOW)
        )
        assert process.wait(SECONDS) == 0

    stored = messages(database, row["id"])
    (receipt,) = database.read(lambda conn: list_receipts(conn, row["id"], row["id"]))
    assert receipt.taken_ord == [message.id for message in stored].index(sent.id)
    assert isinstance(stored[receipt.taken_ord - 1], ActionResponse)
    assert isinstance(stored[receipt.taken_ord + 1], AssistantResponse)

    home = Path(database.path).parent
    env = {**claude.task.env, "HOME": str(home)}
    with start(home, "mirror", "claude", **env) as mirror:  # the transcript has the message too
        assert mirror.wait(SECONDS) == 0
    assert len(database.read(list_sessions).rows) == 1
    texts = [message.text for message in messages(database, row["id"])]
    assert texts.count("mind the tests") == 1


# `at once`: claude stores its transcript some time after it has asked, and then it does not know the conversation
@pytest.mark.parametrize("answered", ["at once", "before", "after"])
def test_claude_killed_while_it_waits_runs_call_once(claude: Agent, database: Database, answered: str) -> None:
    before = everything_below()
    with running(claude, database, "go on\n@run echo once >> made.txt\n@say done") as process:
        question = question_of(database)
        tree = everything_below() - before
        if answered != "at once":
            wait_for_transcript(claude)
        if answered == "before":  # committed, and not taken: the process is stopped at that moment
            os.kill(process.pid, signal.SIGSTOP)
            answer(database, question, Answer("allow"))
        for pid in tree:
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not still_alive(tree), SECONDS)
    assert made(claude) == ""
    if answered != "before":
        answer(database, question, Answer("allow"))

    run = continued(claude, database, question)

    assert run.status is SessionStatus.COMPLETED
    assert run.continues == question.session_id
    assert made(claude) == "once\n"
    taken = question_of(database)
    assert (taken.status, taken.taken_session) == (QuestionStatus.TAKEN, run.id)
    assert len(questions(database)) == 1
    assert session(database, question.session_id).reason_codes == ("run.failed.process_dead",)
    assert messages(database, run.id)[-1].text == "done"


def test_claude_whose_recorder_is_killed_leaves_its_call_open(claude: Agent, database: Database) -> None:
    with running(claude, database, "go on\n@run echo once >> made.txt\n@say done") as process:
        question = question_of(database)
        wait_for_transcript(claude)
        process.kill()  # the guard ends the program; its input is not closed before
        process.wait()
    wait_until(lambda: session(database, question.session_id).status is SessionStatus.FAILED, SECONDS)
    (transcript,) = transcripts(claude)
    assert "tool_result" not in transcript.read_text()
    answer(database, question, Answer("allow", arguments={"command": "echo changed >> made.txt"}))

    run = continued(claude, database, question)

    assert run.status is SessionStatus.COMPLETED
    assert made(claude) == "changed\n"


def test_claude_dead_run_reads_denial(claude: Agent, database: Database) -> None:
    with running(claude, database, "go on\n@run echo once >> made.txt\n@say done") as process:
        question = question_of(database)
        process.kill()
        process.wait()
    answer(database, question, Answer("deny", "use the other file"))

    run = continued(claude, database, question)

    assert (run.status, run.reason_codes) == (SessionStatus.COMPLETED, ())
    assert made(claude) == ""
    assert "use the other file" in claude.network.bodies()
