"""Load questions for a command, with the names of the runs that ask, and record that a person has seen them."""

from __future__ import annotations

from collections.abc import Sequence

from lionstudio.cli._toolkit import db_access
from lionstudio.errors import LionError
from lionstudio.model.questions import Question, QuestionStatus
from lionstudio.runs.callers.caller import this_process
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import mark_shown
from lionstudio.state.runs.page_queries import session_names


def names_of(conn: Connection, questions: Sequence[Question]) -> dict[str, str]:
    """The asker of each question, by its id: the play or the show, else the name of the run."""
    names = session_names(conn, {question.session_id for question in questions if question.session_id})
    return {
        question.id: question.entity
        if question.show_topic is not None
        else names.get(question.session_id or "", question.session_id or "")
        for question in questions
    }


def record_shown(db: str, questions: Sequence[Question]) -> None:
    """Mark questions as shown to a person; not when an agent lists them; a failure is ignored."""
    asked = [question.id for question in questions if question.status is QuestionStatus.ASKED]
    if not asked or this_process().agent is not None:
        return
    try:
        with db_access.database(db, busy_seconds=1.0, quiet=True) as database:
            database.write(lambda conn: mark_shown(conn, asked))
    except LionError:
        return
