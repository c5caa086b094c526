"""The questions that keep a show from going on, each with its command; for `li show status` and the live view."""

from __future__ import annotations

import shlex
from typing import NamedTuple

from lionstudio.cli._show.load import has_ended
from lionstudio.cli._show.snapshot import ShowSnapshot
from lionstudio.cli._toolkit.escape import inline
from lionstudio.model.shows.decisions import GATES_PASSED, BudgetPart, foreign_reason
from lionstudio.model.status.statuses import PlayStatus

_GRANTS = {BudgetPart.TOKENS: "--tokens N", BudgetPart.MONEY: "--cost DOLLARS", BudgetPart.TIME: "--time 1h"}


class Need(NamedTuple):
    """One thing that a person must do."""

    what: str
    command: str
    play: str | None = None


def list_needs(now: ShowSnapshot) -> list[Need]:
    """List the questions of a show to a person, with the command for each."""
    topic, where = now.topic, now.where
    if has_ended(now.status):
        return []
    needs = []
    for play in (play for play in now.plays if play.name in now.needs_person):
        meta = play.metadata.get("meta")
        facts = meta if isinstance(meta, dict) else {}
        if play.status is PlayStatus.ESCALATED:
            reason = facts.get("reason")
            what = f"{play.name} is escalated{f': {first_line(reason)}' if reason else ''}"
            command = f"li show redo {topic} {play.name}{where}"
            if facts.get("reason_code") in GATES_PASSED:
                command = f"li show approve {topic} {play.name}{where}"
            needs.append(Need(what, command, play.name))
        else:
            needs.append(
                Need(f"{play.name} awaits your approval", f"li show approve {topic} {play.name}{where}", play.name)
            )
    for question in now.questions:
        answer = question.options[0].id if question.options else "TEXT"
        needs.append(
            Need(
                f"the agent of {question.play_name} asks: {question.title}",
                f"li ask answer {question.id} {shlex.quote(answer)}{where}",
                question.play_name,
            )
        )
    if now.plan_error is not None:
        needs.append(Need(f"the edited plan is ignored: {now.plan_error}", f"li show plan {topic}{where}"))
    if now.over_budget is not None and now.is_startable:
        command = f"li show approve {topic} {_GRANTS[now.over_budget]}{where}"
        needs.append(Need(f"{now.over_budget.exhausted}; no play starts", command))
    if now.held:
        what = f"the edited plan weakens the show and is not followed: {'; '.join(now.held)}"
        needs.append(Need(what, f"li show approve {topic}{where}"))
    if now.foreign or now.dropped:
        what = f"nothing is merged: {foreign_reason(now.foreign, now.dropped)}"
        needs.append(Need(what, f"li show approve {topic}{where}"))
    if now.final_question is not None:
        needs.append(Need(now.final_question, f"li show approve {topic}{where}"))
    return needs


def advice_lines(now: ShowSnapshot) -> list[str]:
    return [f"{inline(need.what)}\n  {inline(need.command)}" for need in list_needs(now)]


def first_line(reason: object) -> str:
    return str(reason).strip().partition("\n")[0]
