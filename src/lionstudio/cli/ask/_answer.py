"""Answer a question: the option that a person means, the answer in the database, and the receipt of the agent."""

from __future__ import annotations

import argparse
import os
import time

from lionstudio.cli._person import require_person
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.questions import Answer, AnswerOption, Effect, Question, QuestionKind, QuestionStatus
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.settings import Settings
from lionstudio.state.backends import open_tail
from lionstudio.state.database import Database
from lionstudio.state.exchange import questions
from lionstudio.state.sessions import find_session

RECEIPT_SECONDS = 2.0  # that a command waits for the agent to take an answer or a message
_EFFECTS = {"allow": Effect.ALLOW, "always": Effect.ALLOW_ALWAYS, "deny": Effect.DENY}


def answer(args: argparse.Namespace, question: Question, given_answer: Answer, *, surface: str = "cli") -> Question:
    """Store a person's answer; raises Conflict, which says who was first, when the question is closed."""
    match question.kind:
        case QuestionKind.PERMISSION | QuestionKind.QUESTION:
            decider = require_person(args, f"the answer to question {question.id}")
            origin = {**decider.origin, "surface": surface}
            settings = db_access.settings_of(args)
            with db_access.database(settings.db, quiet=args.quiet) as database:
                answered = database.write(
                    lambda conn: questions.answer_question(
                        conn, question.id, given_answer, by=decider.name, origin=origin
                    )
                )
                _continue_if_dead(args, database, settings, answered)
                return answered
        case QuestionKind.GATE | QuestionKind.BUDGET | QuestionKind.ESCALATION | QuestionKind.CONFLICT:
            from lionstudio.cli._show.answer import answer_show_question

            answer_show_question(args, question, given_answer)
            with db_access.reading(db_access.settings_of(args).db) as conn:
                return questions.get_question(conn, question.id)


def _continue_if_dead(args: argparse.Namespace, database: Database, settings: Settings, answered: Question) -> None:
    """Start the run that continues a dead one with this answer; without it, Studio or the next run starts it."""
    if not answered.outlives or answered.session_id is None:
        return
    from lionstudio.runs.talk.continue_answered import continue_answered

    try:
        for session_id in continue_answered(database, settings, os.environ, session_id=answered.session_id):
            say(f"The run had ended while it waited; it continues as {session_id}", quiet=args.quiet)
    except (LionError, OSError) as error:
        say(f"the run had ended while it waited and does not continue yet: {error}", quiet=args.quiet)


def choose(question: Question, text: str, *, by_prefix: bool = True) -> AnswerOption:
    """The option that a text names: allow, always, deny, its number or id, or its label or (`by_prefix`) its start.

    An agent chooses ids and labels, not effects: `deny` is never an option that allows.
    """
    if text.lower() in _EFFECTS:
        options = [option for option in question.options if option.effect is _EFFECTS[text.lower()]]
        if options or question.kind is QuestionKind.PERMISSION:
            return _only(question, text, options)
    number = int(text) - 1 if _is_number(text) and len(text) < 5 else -1
    numbered = question.options[number] if 0 <= number < len(question.options) else None
    named = question.option(text)
    if numbered is not None and named is not None and numbered != named:
        raise InvalidInput(
            f"{text} is the number of {numbered.label!r} and the id of {named.label!r}", hint="use the label"
        )
    options = [option for option in (numbered or named,) if option is not None]
    if not options:
        options = [option for option in question.options if option.label.lower() == text.lower()]
    if not options and by_prefix and text:
        options = [option for option in question.options if option.label.lower().startswith(text.lower())]
    return _only(question, text, options)


def _only(question: Question, text: str, options: list[AnswerOption]) -> AnswerOption:
    if len(options) == 1:
        return options[0]
    what = f"fits several options: {', '.join(option.label for option in options)}" if options else "is not an option"
    name = text if _is_number(text) else repr(text)
    raise InvalidInput(f"{name:.60} {what}", hint=_choices(question))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _choices(question: Question) -> str:
    offered = [f"{number} ({option.label})" for number, option in enumerate(question.options, 1)]
    return f"type {', '.join([*offered, *(['or words'] if takes_words_alone(question) else [])])}"


def takes_words_alone(question: Question) -> bool:
    """Whether words without an option are an answer; a permission is allowed or denied."""
    return question.takes_text and question.kind is QuestionKind.QUESTION


def typed_answer(question: Question, line: str) -> Answer:
    """The answer of a typed line: an option, an option with words after it, or words alone."""
    line = line.strip()
    words_alone = takes_words_alone(question)
    try:
        # where words are an answer, "no" is not the start of "Nothing"
        return Answer(choose(question, line, by_prefix=not words_alone).id)
    except InvalidInput as error:
        first, _, rest = line.partition(" ")
        if words_alone and not (question.options and _is_number(line)):
            return Answer(text=line)
        if not (rest and question.takes_text):
            raise error from None
        return Answer(choose(question, first.rstrip(":,")).id, rest.strip())


def wait_until_taken(db: str, question_id: str, seconds: float = RECEIPT_SECONDS) -> Question:
    """The question after the agent has taken its answer, or after this time."""
    deadline = time.monotonic() + seconds
    with open_tail(db) as tail:
        while True:
            remaining = deadline - time.monotonic()
            with db_access.reading(db) as conn:
                if questions.status_of_question(conn, question_id) is not QuestionStatus.ANSWERED or remaining <= 0:
                    return questions.get_question(conn, question_id)
            tail.wait(remaining)


def receipt(db: str, question: Question) -> str:
    """One line about an answered question: the number at which the agent took it, or when it will."""
    if question.is_about_show:
        return "Answered; the show continues" if question.taken_at else "Answered; the director has not taken it yet"
    if question.taken_at is not None:
        return f"Answered; taken after #{question.taken_ord}"
    with db_access.reading(db) as conn:
        session = None if question.session_id is None else find_session(conn, question.session_id)
    if session is not None and session.status is SessionStatus.RUNNING:
        return "Answered; the agent has not taken it yet"
    return "Answered; the agent takes it when it continues"
