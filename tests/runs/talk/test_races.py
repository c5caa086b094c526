"""Browser, command line and terminal answer at the same moment: one outcome, and the others are told."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support import studio
from tests.support.talks import Home, Terminal, home_in
from tests.support.waiting import wait_until

from lionstudio.cli._toolkit.args import parse
from lionstudio.cli.ask._answer import answer
from lionstudio.errors import Conflict
from lionstudio.model.questions import Answer, Question
from lionstudio.state.database import reading
from lionstudio.state.exchange.questions import get_question

NOTICE = 0.35  # seconds after which a terminal takes lines for the next question again
EVERY = 10  # one in so many commands is a process of its own; the others are the same function in this process
OPTIONS = {"page": "1", "cli": "2", "attach": "3"}
NAMES = {"1": "one", "2": "two", "3": "three"}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with home_in(tmp_path) as home:
        yield home


def answer_on_page(server: studio.Running, question: Question, outcome: dict[str, Any]) -> None:
    status, body = server.ask("POST", f"/api/questions/{question.id}/answer", {"option": OPTIONS["page"]})
    outcome["page"] = status == 200
    if status != 200:
        assert (status, "answered by" in body["detail"]) == (409, True), body


def answer_on_command_line(home: Home, question: Question, outcome: dict[str, Any], *, as_process: bool) -> None:
    if as_process:
        done = home.li("ask", "answer", question.id, OPTIONS["cli"])
        assert done.code == 0 or (done.code == 1 and "answered by" in done.err), done
        outcome["cli"] = done.code == 0
        return
    args = parse("ask answer", [question.id, "--home", str(home.path)])
    try:
        answer(args, question, Answer(OPTIONS["cli"]))
        outcome["cli"] = True
    except Conflict as error:
        outcome["cli"] = "answered by" not in error.message  # the loser is told who was first


def stored(home: Home, question: Question) -> Question:
    with reading(home.db) as conn:
        return get_question(conn, question.id)


def race(home: Home, rounds: int) -> Counter[str]:
    """Answer so many questions on three surfaces at once; how often each was first."""
    asks = "\n".join(f"@ask Question {number}. | one | two | three" for number in range(rounds))
    session = home.start(f"{asks}\n@say done")
    winners: Counter[str] = Counter()
    with studio.server(home.folder) as server, Terminal(home, "attach", session, "--last", "0") as terminal:
        studio.until_answering(server)
        for number in range(rounds):
            terminal.expect(f"waits for you: Question {number}.")
            terminal.expect("> ")
            question = home.question()
            outcome: dict[str, Any] = {}
            threads = [
                threading.Thread(target=answer_on_page, args=(server, question, outcome)),
                threading.Thread(
                    target=answer_on_command_line,
                    args=(home, question, outcome),
                    kwargs={"as_process": number % EVERY == 0},
                ),
            ]
            for thread in threads:
                thread.start()
            terminal.type("3\r")
            for thread in threads:
                thread.join(60)
            wait_until(lambda: stored(home, question).taken_at is not None)  # noqa: B023  (called at once)
            row = stored(home, question)
            assert row.answer is not None
            [winner] = [name for name, option in OPTIONS.items() if option == row.answer.option]
            assert outcome == {name: name == winner for name in ("page", "cli")}
            if winner != "attach":
                terminal.expect("answered by")  # after "Too late: this question was", or as a notice
                time.sleep(NOTICE)
            winners[winner] += 1
        terminal.expect("Run ended: completed")
        assert terminal.wait() == 0
    answers = [text for text in home.texts(session) if text.startswith("You answered: ")]
    assert len(answers) == rounds  # each was taken once
    assert Counter(answers) == Counter({f"You answered: {NAMES[OPTIONS[name]]}": winners[name] for name in winners})
    assert [text for text in home.texts(session)[1:] if text not in {*answers, "done"}] == []  # nothing else was sent
    return winners


def test_one_answer_wins_on_three_surfaces(home: Home) -> None:
    assert race(home, 12).total() == 12


@pytest.mark.crash
@pytest.mark.timeout(600)
def test_one_answer_wins_two_hundred_times(home: Home) -> None:
    winners = race(home, 200)

    assert winners.total() == 200
    assert len(winners) > 1  # it was a race
