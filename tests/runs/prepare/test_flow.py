"""Flows: the end of the run follows from the ends of its steps."""

from __future__ import annotations

from lionstudio.agents.denials import completed
from lionstudio.agents.events import Ended
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.prepare.flow import Step, _combine
from lionstudio.runs.prepare.resolve import ResolvedAgent
from lionstudio.runs.run import Result

STEPS = [Step("a", ResolvedAgent("script"), "x"), Step("b", ResolvedAgent("script"), "y")]


def test_combine_adds_the_denied_actions_of_all_steps() -> None:
    results = {"a": Result(completed(["Bash"]), "one"), "b": Result(completed(["Bash", "Write"]), "two")}
    combined = _combine(STEPS, results)

    assert combined.answer == "two"
    assert combined.ended.detail == "3 actions were denied (Bash ×2, Write)"
    assert (combined.ended.status, combined.ended.delivery) == (SessionStatus.COMPLETED, "partial")


def test_combine_reports_the_first_failure() -> None:
    failed = Ended(SessionStatus.FAILED, 3, None, "no disk")
    results = {"a": Result(completed(["Bash"]), "one"), "b": Result(failed, None)}

    assert _combine(STEPS, results).ended == failed._replace(detail="b: no disk")
