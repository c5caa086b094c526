"""A person who answers and writes while an agent runs."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.support.agents import sessions

from lionstudio.agents.dialog import Delivery, Dialog, SentMessage
from lionstudio.agents.events import Event, MessageEvent, QuestionAsked
from lionstudio.errors import LionError
from lionstudio.model.messages import Instruction
from lionstudio.model.questions import Answer, AnsweredQuestion, Effect, Question
from lionstudio.runs.talk.send import send_to_session
from lionstudio.state.database import Database, reading
from lionstudio.state.exchange.questions import answer_question, get_question, list_open_questions


def answering(option: str, text: str | None = None) -> Callable[[Dialog, Event], None]:
    """Answers every question with the same option."""

    def answer(dialog: Dialog, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            dialog.put(AnsweredQuestion(event.question, Answer(option, text)))

    return answer


class sending:
    """Sends one message after the first event, or the first message, of a class."""

    def __init__(self, text: str, delivery: Delivery, *, on: type) -> None:
        self.message = Instruction(content={"instruction": text}, sender="user")
        self._delivery = delivery
        self._on = on
        self._is_sent = False

    def __call__(self, dialog: Dialog, event: Event) -> None:
        heard = event.message if isinstance(event, MessageEvent) else event
        if isinstance(heard, self._on) and not self._is_sent:
            self._is_sent = True
            dialog.put(SentMessage(self.message, self._delivery))


def wait_for_question(home: Path, process: subprocess.Popen[str], after: int = 0) -> Question:
    """The open question of a run, after so many others; fails if the run ends before it asks."""
    while True:
        assert process.poll() is None, process.communicate()
        with suppress(LionError), reading(str(home / "state.db")) as conn:  # it may not be there yet
            open_questions = list_open_questions(conn)
            if len(open_questions) > after:
                return get_question(conn, open_questions[after].id)
        time.sleep(0.02)


def answer(home: Path, question: Question, effect: Effect, text: str | None = None) -> None:
    """Answer as a person does, with the first option of this effect."""
    option = next(option for option in question.options if option.effect is effect)
    database = Database(str(home / "state.db"))
    try:
        given = Answer(option.id, text)
        database.write(lambda conn: answer_question(conn, question.id, given, by="ada", origin={"tty": "1"}))
    finally:
        database.close()


def stored(home: Path, question: Question) -> Question:
    with reading(str(home / "state.db")) as conn:
        return get_question(conn, question.id)


def send(home: Path, text: str, delivery: Delivery) -> str:
    """Write to the newest session; returns the id of the message."""
    database = Database(str(home / "state.db"))
    session_id = sessions(home)[0]["id"]
    try:
        return database.write(lambda conn: send_to_session(conn, session_id, text, sender="ada", delivery=delivery)).id
    finally:
        database.close()
