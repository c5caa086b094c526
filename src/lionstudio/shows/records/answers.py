"""Decisions as answers of questions: the file of a decision comes first, the row of its question follows.

A process that dies in between leaves an open question whose decision exists: the next process that finds it (another
decision, the director) answers the row by the file. Nothing is decided twice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from lionstudio.crash import point
from lionstudio.errors import Conflict, LionError
from lionstudio.model.questions import Answer, Question
from lionstudio.model.redaction.process import redactor
from lionstudio.model.shows.show_files import DECISION_LOCK
from lionstudio.show_sync.questions import RAISE, find_unsettled, reasons_of
from lionstudio.shows.records.decisions import Decision, find_decision, save_decision
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import get_question, list_unsettled, record_answer, take_answer, too_late
from lionstudio.system.filelock import locked


def decide(
    show_dir: str, database: Database | None, play: str | None, decision: Decision, *, question_id: str | None = None
) -> Decision:
    """Save a decision as the answer of the question that it is about; raises Conflict when that has an answer.

    The first decision wins, on the command line, on the page and as an answer: one process at a time comes here.
    """
    with locked(os.path.join(show_dir, DECISION_LOCK)):
        question = None if database is None else _find_open(show_dir, database, play, decision, question_id)
        if question is not None:
            decision = decision._replace(id=question.id)
        save_decision(show_dir, play, decision)
        point("decision.saved")
        if question is not None and database is not None:
            with suppress(LionError):  # the director answers the row when it carries the decision out
                record(database, question, decision)
    return decision


def _find_open(
    show_dir: str, database: Database, play: str | None, decision: Decision, question_id: str | None
) -> Question | None:
    """Find the open question that a decision answers; None for a decision that no question asked for."""
    topic, reasons = os.path.basename(show_dir), reasons_of_decision(play, decision)
    question = database.read(lambda conn: find_unsettled(conn, topic, play, reasons))
    if question is not None and question.is_open:
        earlier = find_decision(show_dir, play)
        if earlier is not None and earlier.id == question.id:  # its process died before it had answered the row
            record(database, question, earlier)
            raise too_late(_get(database, question.id))
    if question_id is not None and (question is None or question.id != question_id):
        raise too_late(_get(database, question_id))
    if question is not None and not question.is_open and is_about(question, decision):
        raise too_late(question)
    if play is None:
        _check_carried_out(show_dir, database)
    return question if question is not None and question.is_open else None


def _check_carried_out(show_dir: str, database: Database) -> None:
    """Refuse a decision that would replace the file of another answer about the show before a director has read it."""
    topic, earlier = os.path.basename(show_dir), find_decision(show_dir, None)
    unsettled = database.read(lambda conn: list_unsettled(conn, topic))
    if earlier is not None and any(earlier.id == other.id and not other.is_open for other in unsettled):
        raise Conflict(
            f"the director has not carried out the last decision about {topic} yet", hint=f"li show resume {topic}"
        )


def _get(database: Database, question_id: str) -> Question:
    return database.read(lambda conn: get_question(conn, question_id))


def is_about(question: Question, decision: Decision) -> bool:
    return question.attempt == decision.attempt


def reasons_of_decision(play: str | None, decision: Decision) -> Sequence[str] | None:
    if play is not None:
        return None
    held = (decision.plan, decision.commits, decision.dropped) != (None, None, None)
    return reasons_of(budget=decision.budget, held=held)


def record(database: Database, question: Question, decision: Decision) -> None:
    """Answer an open question by a decision."""
    database.write(lambda conn: record_in(conn, question, decision))


def record_in(conn: Connection, question: Question, decision: Decision) -> None:
    record_answer(conn, question.id, answer_of(decision), by=decision.by, origin=decision.origin or {})


def answer_of(decision: Decision) -> Answer:
    """A decision in the words of an answer."""
    if decision.budget:
        amounts = ", ".join(f"{amount} {part}" for part, amount in decision.budget.items())
        return Answer(RAISE, amounts)
    feedback = None if decision.feedback is None else redactor().text(decision.feedback)
    return Answer(str(decision.kind), feedback)


def take_decision(conn: Connection, show_dir: str, play: str | None, decision_id: str) -> None:
    """Record that a director carries out a decision; one that no row knows yet answers its question first."""
    decision = find_decision(show_dir, play)
    if decision is None or decision.id != decision_id:
        take_answer(conn, decision_id, None)
        return
    question = find_unsettled(conn, os.path.basename(show_dir), play, reasons_of_decision(play, decision))
    if question is not None:
        record_in(conn, question, decision)
        take_answer(conn, question.id, None)
