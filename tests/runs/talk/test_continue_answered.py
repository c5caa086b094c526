"""Runs that were killed while their question waited: the answer continues them, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.support.agents import LI, environment, li, start
from tests.support.studio import AUTH, application
from tests.support.waiting import wait_until

from lionstudio.agents.dialog import Delivery
from lionstudio.errors import Conflict
from lionstudio.model.questions import Answer, Question, QuestionKind, QuestionStatus
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SessionStatus
from lionstudio.runs.stop import stop_run
from lionstudio.runs.talk.continue_answered import (
    Continuation,
    continue_answered,
    find_continuation,
    load_answered,
    request_of,
)
from lionstudio.runs.talk.send import send_to_session
from lionstudio.settings import load_settings
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.mailboxes import find_taken, list_left
from lionstudio.state.exchange.questions import add_question, answer_question, get_question, list_questions, take_answer
from lionstudio.state.runs.conversations import list_successors
from lionstudio.state.sessions import create_session, finish_session, get_session
from lionstudio.studio.dead_runs import continue_left

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
SCRIPT = '@allow sh -c "echo once >> made.txt"\n@say after'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def database(home: Path) -> Iterator[Database]:
    with Database(str(home / "state.db")) as database:
        yield database


def questions(database: Database) -> list[Question]:
    return database.read(list_questions)


def session_of(database: Database, session_id: str) -> Session:
    return database.read(lambda conn: get_session(conn, session_id))


def answer(database: Database, question: Question, option: str, text: str | None = None) -> None:
    database.write(lambda conn: answer_question(conn, question.id, Answer(option, text), by="me", origin={}))


def killed_while_asking(
    home: Path, database: Database, script: str = SCRIPT, *options: str, settled: bool = True, by: int = signal.SIGKILL
) -> Question:
    """The question of a run whose process was ended while it waited."""
    before = len(questions(database))
    with start(home, "agent", "script", script, "--permissions", "ask", "--name", "asker", *options) as process:
        wait_until(lambda: len(questions(database)) > before, 20)
        os.kill(process.pid, by)
        process.communicate()
    question = questions(database)[0]
    if settled:
        wait_until(lambda: session_of(database, str(question.session_id)).status != SessionStatus.RUNNING, 20)
    return question


def continue_run(home: Path, database: Database, question: Question, **more: Any) -> list[str]:
    settings = load_settings({"home": str(home)}, environ={})
    return continue_answered(database, settings, environment(home), session_id=question.session_id, **more)


def completed(database: Database, session_id: str) -> Session:
    def done() -> bool:
        row = database.read(lambda conn: conn.value("SELECT status FROM sessions WHERE id = :id", {"id": session_id}))
        return row not in (None, "running")

    wait_until(done, 20)
    return session_of(database, session_id)


@pytest.mark.parametrize(
    ("settled", "by"), [(True, signal.SIGKILL), (False, signal.SIGKILL), (True, signal.SIGTERM)], ids=str
)
def test_continue_answered_runs_call_once(home: Path, database: Database, *, settled: bool, by: int) -> None:
    question = killed_while_asking(home, database, settled=settled, by=by)
    assert question.is_open
    answer(database, question, "allow")
    assert not (home / "made.txt").exists()

    (new,) = continue_run(home, database, question)
    session = completed(database, new)

    assert session.status is SessionStatus.COMPLETED
    assert (home / "made.txt").read_text() == "once\n"
    assert session.continues == question.session_id
    assert (session.cwd, session.name) == (str(home), "asker")
    assert session.title == session_of(database, str(question.session_id)).title
    assert session.metadata["request"]["options"]["permissions"] == "ask"
    taken = questions(database)[0]
    assert (taken.status, taken.taken_session) == (QuestionStatus.TAKEN, new)
    assert continue_run(home, database, question) == []


def test_continued_run_takes_message_that_dead_run_left(home: Path, database: Database) -> None:
    with start(home, "agent", "script", SCRIPT, "--permissions", "ask") as process:
        wait_until(lambda: questions(database), 20)
        [question] = questions(database)
        dead = str(question.session_id)
        sent = database.write(
            lambda conn: send_to_session(conn, dead, "@say heard it", sender="me", delivery=Delivery.NEXT)
        )
        process.kill()
        process.communicate()
    wait_until(lambda: session_of(database, dead).status != SessionStatus.RUNNING, 20)
    answer(database, question, "allow")

    (new,) = continue_run(home, database, question)

    assert completed(database, new).status is SessionStatus.COMPLETED
    taken = database.read(lambda conn: find_taken(conn, sent.id))
    assert taken is not None
    assert taken[0] == new
    assert database.read(lambda conn: list_left(conn, new)) == []


def test_stopped_run_withdraws_its_question(home: Path, database: Database) -> None:
    with start(home, "agent", "script", SCRIPT, "--permissions", "ask") as process:
        wait_until(lambda: questions(database), 20)
        assert stop_run(database.path, str(questions(database)[0].session_id)).over
        process.communicate()

    [question] = questions(database)
    assert question.status is QuestionStatus.WITHDRAWN
    with pytest.raises(Conflict, match="withdrawn"):
        answer(database, question, "allow")


def test_continue_answered_tells_agent_denial(home: Path, database: Database) -> None:
    question = killed_while_asking(home, database)
    answer(database, question, "deny", "never that")

    (new,) = continue_run(home, database, question)

    assert completed(database, new).status is SessionStatus.COMPLETED
    assert not (home / "made.txt").exists()
    stored = database.read(lambda conn: conn.all("SELECT content FROM messages"))
    assert any("never that" in str(row[0]) and '"error"' in str(row[0]) for row in stored)


def test_continue_answered_starters_race(home: Path, database: Database) -> None:
    question = killed_while_asking(home, database)
    answer(database, question, "allow")
    commands: list[Continuation] = []
    for _ in range(3):
        continue_run(home, database, question, start=commands.append)

    processes = [start(home, *command.argv) for command in commands]
    codes = sorted(process.wait(30) for process in processes)
    for process in processes:
        process.communicate()

    assert codes[0] == 0
    assert all(codes[1:])
    assert (home / "made.txt").read_text() == "once\n"
    successors = database.read(lambda conn: list_successors(conn, str(question.session_id)))
    assert len(successors) == 1


def test_continue_answered_after_killed_successor(home: Path, database: Database) -> None:
    question = killed_while_asking(home, database)
    answer(database, question, "allow")
    commands: list[Continuation] = []
    continue_run(home, database, question, start=commands.append)
    killed = start(home, *commands[0].argv, LIONAGI_CRASH_AT="append.done")  # before it has the answer
    killed.communicate(timeout=30)
    assert killed.returncode == -signal.SIGKILL

    (new,) = continue_run(home, database, question)

    assert completed(database, new).status is SessionStatus.COMPLETED
    assert (home / "made.txt").read_text() == "once\n"


def test_next_run_continues_what_was_left(home: Path, database: Database) -> None:
    question = killed_while_asking(home, database)
    answer(database, question, "allow")

    result = li(home, "agent", "script", "@say unrelated")

    assert "it continues as" in result.stderr
    wait_until(lambda: questions(database)[0].status is QuestionStatus.TAKEN, 20)
    wait_until((home / "made.txt").exists, 20)
    assert (home / "made.txt").read_text() == "once\n"


def test_answer_route_continues_dead_run(tmp_path: Path, home: Path, database: Database) -> None:
    question = killed_while_asking(home, database)
    with application(tmp_path) as studio:
        path = f"/api/questions/{question.id}/answer"
        response = studio.client.post(path, headers=AUTH, json={"option": "allow"})
        assert response.status_code == 200, response.text
        wait_until((home / "made.txt").exists, 20)
        wait_until(lambda: questions(database)[0].status is QuestionStatus.TAKEN, 20)
        (launch,) = studio.services.launcher.list_launches()
        launch.process.wait(20)

    assert (home / "made.txt").read_text() == "once\n"


def test_answer_route_passes_the_variables_that_a_person_named(
    tmp_path: Path, home: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TICKET", "for the agent")
    show = '@allow sh -c "echo got $TICKET > made.txt"'
    made = home / "made.txt"
    asked = [killed_while_asking(home, database, show, "--pass-env", "TICKET")]
    # the variable is not for this agent: a run that it starts does not get it either, not even from Studio
    (home / "inner").write_text(show)
    asked.append(killed_while_asking(home, database, f"@run sh -c '{LI} agent script - --pass-env TICKET < inner'"))
    with application(tmp_path) as studio:
        for question, text in zip(asked, ("got for the agent\n", "got\n"), strict=True):
            path = f"/api/questions/{question.id}/answer"
            assert studio.client.post(path, headers=AUTH, json={"option": "allow"}).status_code == 200
            wait_until(made.exists, 20)
            studio.services.launcher.list_launches()[0].process.wait(20)
            assert made.read_text() == text
            made.unlink()


def test_studio_continues_what_a_killed_starter_left(tmp_path: Path, home: Path, database: Database) -> None:
    question = killed_while_asking(home, database)
    answer(database, question, "allow")
    with application(tmp_path) as studio:
        tried: dict[str, Any] = {}
        continue_left(studio.services, tried)
        continue_left(studio.services, tried)
        (launch,) = studio.services.launcher.list_launches()
        launch.process.wait(20)

    assert (home / "made.txt").read_text() == "once\n"


def died(conn: Connection, kind: InvocationKind = InvocationKind.AGENT) -> str:
    """A session that died while it asked two questions."""
    request = request_of("script", {"permissions": "ask", "timeout": 5}, ["TOKEN"], ["./agent", "--x"])
    session = Session(invocation_kind=kind, provider="script", cwd="/", metadata={"request": request})
    create_session(conn, session)
    for number in (1, 2):
        question = Question(
            id=f"{session.id}.{number}",
            kind=QuestionKind.QUESTION,
            title="?",
            session_id=session.id,
            takes_text=True,
            outlives=True,
        )
        add_question(conn, question)
    finish_session(conn, session.id, "failed", reasons=["run.failed.process_dead"])
    return session.id


def test_find_continuation_waits_for_all_answers(database: Database) -> None:
    session_id = database.write(died)
    for number in (1, 2):
        assert database.read(lambda conn: find_continuation(conn, session_id)) is None
        question = database.read(partial(get_question, question_id=f"{session_id}.{number}"))
        database.write(partial(answer_question, question_id=question.id, answer=Answer(text="y"), by=None, origin={}))

    command = database.read(lambda conn: find_continuation(conn, session_id))

    assert command is not None
    assert command.argv == [
        "agent",
        "script",
        f"--resume={session_id}",
        f"--session-id={command.session_id}",
        f"--answered={session_id}.1",
        f"--answered={session_id}.2",
        "--cwd=/",
        "--permissions=ask",
        "--timeout=5",
        "--pass-env=TOKEN",
        "--",
        "./agent",
        "--x",
    ]


def test_dead_flow_withdraws_its_questions(database: Database) -> None:
    session_id = database.write(lambda conn: died(conn, InvocationKind.FLOW))

    assert {question.status for question in questions(database)} == {QuestionStatus.WITHDRAWN}
    assert database.read(lambda conn: find_continuation(conn, session_id)) is None


def test_load_answered_refuses_taken_answer(database: Database) -> None:
    session_id = database.write(died)
    question = f"{session_id}.1"
    database.write(lambda conn: answer_question(conn, question, Answer(text="yes"), by=None, origin={}))
    assert database.read(lambda conn: load_answered(conn, [question], session_id))[0].answer.text == "yes"
    assert database.write(lambda conn: take_answer(conn, question, session_id))

    with pytest.raises(Conflict, match="taken"):
        database.read(lambda conn: load_answered(conn, [question], session_id))


def test_resumed_conversation_withdraws_open_question(home: Path, database: Database) -> None:
    question = killed_while_asking(home, database)

    result = li(home, "agent", "script", "@say by hand", "--resume", str(question.session_id))

    assert result.returncode == 0, result.stderr
    closed = database.read(lambda conn: get_question(conn, question.id))
    assert (closed.status, closed.closed_reason) == (QuestionStatus.WITHDRAWN, "the conversation was continued")


def test_continue_answered_leaves_living_run_alone(home: Path, database: Database) -> None:
    with start(home, "agent", "script", SCRIPT) as process:
        wait_until(lambda: bool(questions(database)), 20)
        (question,) = questions(database)
        answer(database, question, "allow")
        assert continue_run(home, database, question) == []
        assert process.wait(20) == 0
        process.communicate()

    assert (home / "made.txt").read_text() == "once\n"
    assert subprocess.run(["ls", home / "logs"], capture_output=True).stdout == b""


def test_continue_answered_after_terminated_successor(database: Database) -> None:
    session_id = database.write(died)
    for number in (1, 2):
        question = f"{session_id}.{number}"
        database.write(partial(answer_question, question_id=question, answer=Answer(text="y"), by=None, origin={}))
    # the machine shut down before it had the answers
    successor = Session(invocation_kind=InvocationKind.AGENT, provider="script", continues=session_id)
    database.write(lambda conn: create_session(conn, successor))
    database.write(lambda conn: finish_session(conn, successor.id, "cancelled", reasons=["run.cancelled.orchestrator"]))

    assert database.read(lambda conn: find_continuation(conn, session_id)) is not None


def test_stopped_run_does_not_come_back_with_its_answer(home: Path, database: Database) -> None:
    with start(home, "agent", "script", SCRIPT, "--permissions", "ask") as process:
        wait_until(lambda: questions(database), 20)
        [question] = questions(database)
        os.kill(process.pid, signal.SIGSTOP)  # it cannot take the answer
        answer(database, question, "allow")
        assert stop_run(database.path, str(question.session_id), grace=0).over
        process.communicate()

    assert continue_run(home, database, question) == []
    assert questions(database)[0].status is QuestionStatus.WITHDRAWN
    assert not (home / "made.txt").exists()


def test_answer_is_not_for_another_run(home: Path, database: Database) -> None:
    other = killed_while_asking(home, database, "@wait")
    question = killed_while_asking(home, database)
    answer(database, question, "allow")
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()

    for options in ((), ("--resume", str(other.session_id))):
        stolen = li(home, "agent", "script", f"--answered={question.id}", "--cwd", str(elsewhere), *options)
        assert stolen.returncode == 2, stolen.stderr
        assert "was asked by another run" in stolen.stderr

    assert list(elsewhere.iterdir()) == []
    (new,) = continue_run(home, database, question)
    assert completed(database, new).status is SessionStatus.COMPLETED
    assert (home / "made.txt").read_text() == "once\n"
