"""Decisions of people about a show that workers play, as rows: made on any machine, read by its director.

The metadata of the show has the last decision about each play and about the show under `last_decisions`, and the abort
under `abort`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lionstudio.errors import Conflict
from lionstudio.model.redaction.process import redactor
from lionstudio.show_sync.questions import find_unsettled
from lionstudio.shows.records.answers import is_about, reasons_of_decision, record_in
from lionstudio.shows.records.decisions import Decision, parse_decision
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import get_question, list_unsettled, too_late
from lionstudio.state.shows import get_show, put_show
from lionstudio.state.workers.orders import Work, list_orders, stop_order

ABOUT_SHOW = ""  # the key of a decision about the show


def decide_by_row(
    database: Database, topic: str, play: str | None, decision: Decision, *, question_id: str | None = None
) -> Decision:
    """Record a decision as the answer of the question that it is about; Conflict when that has an answer.

    One transaction, so that the first decision wins, on whichever machine it was made.
    """

    def work(conn: Connection) -> Decision:
        question = find_unsettled(conn, topic, play, reasons_of_decision(play, decision))
        if question_id is not None and (question is None or question.id != question_id):
            raise too_late(get_question(conn, question_id))
        if question is not None and not question.is_open and is_about(question, decision):
            raise too_late(question)
        if play is None:
            _check_carried_out(conn, topic)
        is_open = question is not None and question.is_open
        chosen = decision._replace(id=question.id) if question is not None and is_open else decision
        _put_decision(conn, topic, play, chosen)
        if question is not None and is_open:
            record_in(conn, question, chosen)
        return chosen

    return database.write(work)


def _put_decision(conn: Connection, topic: str, play: str | None, decision: Decision) -> None:
    show = get_show(conn, topic)
    before = show.metadata.get("last_decisions")
    record = {name: value for name, value in redactor().record(decision.to_dict()).items() if value is not None}
    decisions = {
        **(before if isinstance(before, dict) else {}),
        play or ABOUT_SHOW: {**record, "decision": str(decision.kind)},
    }
    put_show(conn, replace(show, metadata={**show.metadata, "last_decisions": decisions}))


def _check_carried_out(conn: Connection, topic: str) -> None:
    """Refuse a decision that would replace another answer about the show before the director has read it."""
    earlier = find_last_decision(get_show(conn, topic).metadata, None)
    if earlier is not None and any(
        earlier.id == other.id and not other.is_open for other in list_unsettled(conn, topic)
    ):
        raise Conflict(f"the director has not carried out the last decision about {topic} yet", hint="try again")


def find_last_decision(facts: Mapping[str, Any], play: str | None) -> Decision | None:
    """Return the last decision about a play, or about the show, by the facts of its row."""
    decisions = facts.get("last_decisions")
    record = decisions.get(play or ABOUT_SHOW) if isinstance(decisions, dict) else None
    return parse_decision(record) if isinstance(record, dict) else None


def put_abort(conn: Connection, topic: str, feedback: str | None, by: str | None, origin: Mapping[str, Any]) -> None:
    """Ask the director to end a show, and the workers of its plays to stop."""
    show = get_show(conn, topic)
    abort = redactor().record({"feedback": feedback, "by": by, "origin": dict(origin)})
    put_show(conn, replace(show, metadata={**show.metadata, "abort": abort}))
    for order in list_orders(conn, topic):
        if order.work is not Work.SHOW:
            stop_order(conn, order.id, "the show was aborted")
