"""The person's side of a run: its open questions one after another, and lines that answer them or are sent."""

from __future__ import annotations

import argparse
import time
from collections.abc import Container, Iterator

from lionstudio.agents.dialog import Delivery, deliveries_of
from lionstudio.cli._person import require_person
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import Paint
from lionstudio.cli.ask._answer import answer, typed_answer
from lionstudio.cli.ask._load import record_shown
from lionstudio.cli.ask._render import answer_lines, question_lines
from lionstudio.cli.talk._keyboard import TypedLine
from lionstudio.errors import Conflict, InvalidInput, LionError
from lionstudio.model.questions import OPEN, Question
from lionstudio.model.sessions import Session
from lionstudio.runs.talk.send import send_to_session
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.mailboxes import find_taken
from lionstudio.state.exchange.questions import get_question, list_open_questions, status_of_question
from lionstudio.state.sessions import get_session

_NOTICE_SECONDS = 0.3  # that a person needs to see that a question was closed: a line begun before was meant for it


def help_of(session: Session) -> str:
    """The commands of a talk: just those that the agent of the session takes."""
    commands = " or ".join(f"/{delivery} TEXT" for delivery in deliveries_of(session))
    return f"{f'{commands} sends a message' if commands else 'this run takes no messages'}; /quit or Ctrl-D detaches"


class LeftTalk(Exception):
    """The person leaves; the run goes on."""


class Talk:
    """Each method returns lines to print."""

    def __init__(self, args: argparse.Namespace, session_id: str, paint: Paint, *, surface: str) -> None:
        self._args = args
        self._db = db_access.settings_of(args).db
        self._session_id = session_id
        self._paint = paint
        self._surface = surface
        self.question: Question | None = None  # the one that the next line answers
        self._shown_at = 0.0  # when it appeared here
        self._closed = (0.0, 0.0)  # lines begun in this time were meant for questions that were closed elsewhere
        self._answered: set[str] = set()  # here
        self._queued: list[str] = []  # messages of ours that the agent has not taken

    @property
    def has_queued(self) -> bool:
        return bool(self._queued)

    def refresh(self, conn: Connection, among: Container[str] | None = None) -> Iterator[str]:
        """Changes since the last call: receipts, the end of the current question, the next one (of these, if given)."""
        for message_id in self._queued.copy():
            if (taken := find_taken(conn, message_id)) is not None:
                self._queued.remove(message_id)
                yield self._paint(f"taken at #{taken[1]}", "dim")
        if self.question is not None:
            if status_of_question(conn, self.question.id) in OPEN:
                return
            current = get_question(conn, self.question.id)
            if current.id not in self._answered:
                begun = self._closed[0] if self._shown_at < self._closed[1] else self._shown_at
                self._closed = (begun, time.monotonic() + _NOTICE_SECONDS)
                yield self._paint(_outcome(current), "dim")
            self.question = None
        waiting = [
            question
            for question in list_open_questions(conn, session_id=self._session_id)
            if among is None or question.id in among
        ]
        if waiting:
            self.question = get_question(conn, waiting[0].id)  # with all of its evidence
            self._shown_at = time.monotonic()
            record_shown(self._db, [self.question])
            yield f"{self._paint('waits for you:', 'yellow')} {inline(self.question.title)}"
            yield from question_lines(self.question, "", self._paint, brief=True)
            if len(waiting) > 1:
                yield self._paint(f"{len(waiting) - 1} more wait after this one", "dim")

    def enter(self, line: TypedLine) -> Iterator[str]:
        """A typed line: a command, the answer to the open question, or a message.

        A line that was begun before the question appeared is not its answer: it is sent as a message. One that was
        begun for a question that is closed by now is not sent.
        """
        if not line.text.strip():
            return
        if self._closed[0] <= line.begun_at < self._closed[1]:
            yield self._paint("Not sent: the question was closed meanwhile. Type it again to send it.", "yellow")
            return
        try:
            yield from self._enter(line.text, is_answer=self.question is not None and line.begun_at >= self._shown_at)
        except Conflict as error:
            yield self._paint(f"Too late: {inline(error.message)}", "yellow")
            self.question = None
        except LionError as error:
            yield self._paint(inline(error.message), "red") + (f" ({inline(error.hint)})" if error.hint else "")

    def _enter(self, line: str, *, is_answer: bool) -> Iterator[str]:
        word, _, rest = line.strip().partition(" ")
        if word in ("/quit", "/detach", "/q"):
            raise LeftTalk
        if word.startswith("/") and word[1:] in Delivery.__members__.values():
            yield from self._send(rest, Delivery(word[1:]))
        elif word.startswith("/"):
            with db_access.reading(self._db) as conn:
                session = get_session(conn, self._session_id)
            raise InvalidInput(f"{word:.60} is not a command", hint=help_of(session))
        elif is_answer and self.question is not None:
            question = self.question
            typed = typed_answer(question, line)
            answer(self._args, question, typed, surface=self._surface)
            self._answered.add(question.id)
            option = question.option(typed.option)
            yield self._paint("answered" if option is None else f"answered: {inline(option.label)}", "dim")
        else:
            yield from self._send(line, None)

    def _send(self, text: str, delivery: Delivery | None) -> Iterator[str]:
        decider = require_person(self._args, "a message to an agent")
        sender = decider.name or "user"
        with db_access.database(self._db, quiet=True) as database:
            message = database.write(
                lambda conn: send_to_session(conn, self._session_id, text, sender=sender, delivery=delivery)
            )
        self._queued.append(message.id)
        yield self._paint(f"queued: {message.metadata['delivery']}", "dim")


def _outcome(question: Question) -> str:
    if question.answered_at is None:
        return f"{question.status}: {inline(question.closed_reason or '')}"
    who = inline(question.answered_by or "another person")
    return f"answered by {who}: {' '.join(answer_lines(question))}"
