"""`li attach` and answers in the terminal of a run: typed lines survive output and reach the right question."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.talks import Home, Terminal, home_in
from tests.support.waiting import wait_until

from lionstudio.state.database import Database


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with home_in(tmp_path) as home:
        yield home


def test_attach_sends_lines_and_prints_receipts(home: Home) -> None:
    session = home.start("@say started\n@sleep 60")
    with Terminal(home, "attach", session) as terminal:
        terminal.expect("detaches")
        assert "started" in terminal.screen
        terminal.type("hello agent\r")
        terminal.expect("queued: now")
        terminal.expect("taken at #2")
        terminal.type("/instead @say stopped\r")
        terminal.expect("Run ended: completed, exit code 0")
        assert terminal.wait() == 0
        assert terminal.settings == terminal.before
    assert home.texts(session)[2:] == ["hello agent", "You said: hello agent", "@say stopped", "stopped"]


def test_attach_keeps_the_typed_line_below_the_output(home: Home) -> None:
    session = home.start("@sleep 2\n@say printed meanwhile\n@sleep 60")
    with Terminal(home, "attach", session) as terminal:
        terminal.expect("detaches")
        terminal.type("half a li")
        terminal.expect("> half a li")
        terminal.expect("printed meanwhile")
        terminal.expect("> half a li")  # drawn again
        terminal.type("\x7f\x7fline\x1b[D\r")  # backspaces, and an arrow key that is ignored
        terminal.expect("taken at #")
    assert "half a line" in home.texts(session)


def test_attach_answers_questions_by_number_and_words(home: Home) -> None:
    session = home.start("@ask Which colour? | red | green\n@ask And why?\n@allow echo hello\n@sleep 60")
    with Terminal(home, "attach", session) as terminal:
        terminal.expect("2  green")
        terminal.type("2\r")
        terminal.expect("waits for you: And why?")
        terminal.type("because\r")
        terminal.expect("waits for you: run: echo hello")
        terminal.type("do it\r")
        terminal.expect("is not an option")
        terminal.type("allow\r")
        terminal.expect("hello\n")
        terminal.type("\x04")
        assert terminal.wait() == 0
        assert "Detached; the run goes on" in terminal.screen
        assert terminal.settings == terminal.before
    assert home.texts(session)[1:3] == ["You answered: green", "You answered: because"]
    assert home.show(session)["session"]["status"] == "running"


def test_line_begun_before_a_question_is_not_its_answer(home: Home) -> None:
    session = home.start("@sleep 2\n@ask Delete everything? | yes | no\n@sleep 60")
    with Terminal(home, "attach", session) as terminal:
        terminal.expect("detaches")
        terminal.type("yes")
        terminal.expect("2  no")
        terminal.type("\r")
        terminal.expect("queued: now")
        assert [question.title for question in home.open_questions()] == ["Delete everything?"]
        terminal.type("no\r")
        terminal.expect("You answered: no")


def test_line_typed_for_a_question_that_was_answered_elsewhere_is_not_sent(home: Home) -> None:
    session = home.start("@ask First? | yes | no\n@ask Second? | yes | no\n@sleep 60")
    with Terminal(home, "attach", session) as terminal:
        terminal.expect("2  no")
        terminal.type("ye")
        terminal.expect("> ye")
        assert home.li("ask", "answer", home.question().id, "no").code == 0
        terminal.expect("answered by")
        terminal.expect("waits for you: Second?")
        terminal.type("s\r")
        terminal.expect("Not sent")
        assert [question.title for question in home.open_questions()] == ["Second?"]
    assert home.texts(session)[1:] == ["You answered: no"]


def test_attach_detaches_on_interrupt(home: Home) -> None:
    session = home.start("@sleep 60")
    with Terminal(home, "attach", session) as terminal:
        terminal.expect("detaches")
        time.sleep(0.3)
        terminal.type("\x03")
        assert terminal.wait() == 0
        assert terminal.settings == terminal.before
    assert home.show(session)["session"]["status"] == "running"


@pytest.mark.parametrize("command", ["attach", "agent"])
def test_suspended_command_gives_the_terminal_back_and_takes_it_again(home: Home, command: str) -> None:
    script = "@ask Which? | a | b\n@say end"
    arguments = ("agent", "script", script) if command == "agent" else ("attach", home.start(script))
    with Terminal(home, *arguments) as terminal:
        terminal.expect("2  b")
        terminal.expect("> ")
        terminal.type("\x1a")
        wait_until(lambda: state_of_process(terminal.process.pid) == "T", what="it was not suspended")
        assert terminal.settings == terminal.before
        os.kill(terminal.process.pid, signal.SIGCONT)
        wait_until(lambda: terminal.settings != terminal.before, what="the terminal was not taken again")
        terminal.type("2\r")
        terminal.expect("You answered: b")
        assert terminal.wait() == 0
        assert terminal.settings == terminal.before


def state_of_process(pid: int) -> str:
    """The state of a process, as `ps` prints it."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_attach_reads_lines_from_a_pipe(home: Home) -> None:
    session = home.start("@ask Which? | a | b\n@sleep 60")
    home.question()

    done = home.li("attach", session, input=b"b\nthen this")
    assert done.code == 0
    assert "taken at #" in done.out
    assert home.texts(session)[1:3] == ["You answered: b", "then this"]


def test_attach_to_an_ended_run_prints_it(home: Home) -> None:
    session = home.start("@say over\n@fail 3 broken")
    home.li("wait", session)

    done = home.li("attach", session, input=b"hello\n")
    assert (done.code, "over" in done.out, "Run ended: failed" in done.err) == (3, True, True)


def test_attach_with_a_thousand_questions_shows_one_at_a_time(home: Home) -> None:
    from tests.cli.ask.test_commands import ask

    session = home.start("@sleep 60")
    with Database(home.db) as db:
        for number in range(1000):
            ask(db, session_id=session, title=f"question {number}.")
    with Terminal(home, "attach", session) as terminal:
        terminal.expect("waits for you: question 0.")
        terminal.expect("999 more wait after this one")
        terminal.type("deny\r")
        terminal.expect("waits for you: question 1.")
        assert "question 2." not in terminal.screen


def test_run_asks_in_its_own_terminal(home: Home) -> None:
    with Terminal(home, "agent", "script", "@ask Which? | a | b\n@allow echo hello\n@say end") as terminal:
        terminal.expect("2  b")
        terminal.type("1\r")
        terminal.expect("waits for you: run: echo hello")
        terminal.type("allow\r")
        terminal.expect("end")
        assert terminal.wait() == 0
        assert terminal.settings == terminal.before
        assert "You answered: a" in terminal.screen


def test_run_in_its_own_terminal_is_told_of_an_answer_elsewhere(home: Home) -> None:
    with Terminal(home, "agent", "script", "@ask Which? | a | b\n@sleep 60") as terminal:
        terminal.expect("2  b")
        assert home.li("ask", "answer", home.question().id, "b").code == 0
        terminal.expect("answered by")
        wait_until(lambda: terminal.settings == terminal.before, what="the terminal was not given back")
        terminal.type("\x03")
        assert terminal.wait() == 130
    session = home.li("state", "ls", "--json").json["sessions"][0]["id"]
    assert home.show(session)["session"]["status"] == "aborted"


def test_ps_names_the_question_and_wait_says_who_waits(home: Home) -> None:
    session = home.start("@ask Which colour?")
    question = home.question()

    [line] = home.li("ps").out.splitlines()
    assert line.split("\t")[1::5] == ["waiting", "Which colour?"]
    waited = home.li("wait", session, "--timeout", "1")
    assert waited.code == 124
    assert f"waits for a person: Which colour?. Answer: li ask answer {question.id}" in waited.err
