"""The rules of a show one by one, and the director: events in, commands out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lionstudio.errors import IllegalTransition
from lionstudio.model.shows.decisions import BudgetPart, DecisionKind, ReasonCode, ShowQuestionKind
from lionstudio.model.shows.plan import Budget, Gate, GateKind, Plan, PlannedPlay
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.shows.director import commands, events, rules
from lionstudio.shows.director.commands import Command
from lionstudio.shows.director.events import AttemptOutcome, Event, MergeResult, Spent
from lionstudio.shows.director.machine import Director
from lionstudio.shows.director.state import PlayState, Transition

P = PlayStatus


def plan(needs: dict[str, str], **more: object) -> Plan:
    """Build a plan of plays with names of one letter."""
    plays = tuple(
        PlannedPlay(name=name, prompt="x", depends_on=tuple(dependencies)) for name, dependencies in needs.items()
    )
    return replace(Plan(topic="t", plays=plays), **more)  # type: ignore[arg-type]


def test_startable_plays() -> None:
    show = plan({"a": "", "b": "", "c": "a", "d": "c", "e": ""}, concurrency=2)

    assert rules.by_urgency(show) == ["a", "c", "b", "d", "e"]
    assert rules.startable_plays(show, {}, []) == ["a", "b"]
    assert rules.startable_plays(show, {"a": P.MERGED}, []) == ["c", "b"]
    assert rules.startable_plays(show, {"a": P.MERGED, "e": P.PREPARED}, []) == ["e", "c"]
    assert rules.startable_plays(show, {"a": P.MERGED, "c": P.RUNNING}, ["c"]) == ["b"]
    assert rules.startable_plays(show, {"a": P.RUNNING, "b": P.RUNNING}, ["a", "b"]) == []
    assert rules.startable_plays(show, {}, [], parked={"a": 10.0}, now=9.0) == ["b", "e"]
    assert rules.startable_plays(show, {}, [], parked={"a": 10.0}, now=10.0) == ["a", "b"]
    limited = replace(show, concurrency=9, provider_limits={"claude": 1})
    providers = {"a": "claude", "b": "claude", "e": "codex"}
    assert rules.startable_plays(limited, {}, [], providers=providers) == ["a", "e"]
    assert rules.startable_plays(limited, {"b": P.RUNNING}, ["b"], providers=providers) == ["e"]


@pytest.mark.parametrize(
    ("spent", "part"),
    [
        (Spent(tokens=99, cost_microusd=9, seconds=59.9), None),
        (Spent(tokens=100), BudgetPart.TOKENS),
        (Spent(cost_microusd=10), BudgetPart.MONEY),
        (Spent(seconds=60.0), BudgetPart.TIME),
    ],
)
def test_exhausted_budget_starts_nothing(spent: Spent, part: BudgetPart | None) -> None:
    budget = Budget(tokens=100, cost_microusd=10, seconds=60)

    assert rules.exhausted_budget(budget, spent) is part
    assert rules.startable_plays(plan({"a": ""}, budget=budget), {}, [], spent) == ([] if part else ["a"])


def test_blocked_plays() -> None:
    show = plan({"a": "", "b": "a", "c": "b", "d": ""})

    assert rules.blocked_plays(show, {}) == {}
    assert rules.blocked_plays(show, {"a": P.ESCALATED}) == {"b": ("a",), "c": ("b",)}
    assert rules.blocked_plays(show, {"a": P.REDOING, "b": P.BLOCKED, "c": P.BLOCKED}) == {"b": (), "c": ("b",)}


@pytest.mark.parametrize(
    ("outcome", "attempt", "expected"),
    [
        (AttemptOutcome.COMPLETED, 1, Transition(status=P.RUNNING_COMPLETE, attempt=1)),
        (AttemptOutcome.FAILED, 1, Transition(status=P.REDOING, attempt=2, reason="why")),
        (AttemptOutcome.TIMED_OUT, 2, Transition(status=P.ESCALATED, attempt=2, reason="why")),
        (AttemptOutcome.LIMITED, 2, Transition(status=P.PREPARED, attempt=2, reason="why", parked_until=77.0)),
        (AttemptOutcome.STOPPED, 1, Transition(status=P.ESCALATED, attempt=1, reason="why")),
    ],
)
def test_after_attempt(outcome: AttemptOutcome, attempt: int, expected: Transition) -> None:
    assert rules.after_attempt(outcome, attempt, 2, reason="why", resets_at=77.0) == expected


def test_after_attempt_parks_a_limit_without_a_reset_time() -> None:
    assert rules.after_attempt(AttemptOutcome.LIMITED, 1, 2, now=100.0).parked_until == 100.0 + rules.PARK_SECONDS
    stopped = rules.after_attempt(AttemptOutcome.STOPPED, 1, 2, aborting=True)
    assert (stopped.status, stopped.reason_code) == (P.ABORTED_AFTER_FINISH, ReasonCode.SHOW_ABORTED)


def test_after_gates_and_after_merge() -> None:
    assert rules.after_gates(True, P.RUNNING_COMPLETE, 1, 2) == [Transition(status=P.GATED, attempt=1)]
    assert rules.after_gates(True, P.GATED, 1, 2) == []
    assert [step.status for step in rules.after_gates(False, P.GATED, 1, 2)] == [P.GATE_FAILED, P.REDOING]
    assert [step.status for step in rules.after_gates(False, P.RUNNING_COMPLETE, 2, 2)] == [P.GATE_FAILED, P.ESCALATED]
    assert rules.after_merge(MergeResult.MERGED, 1, 2) == Transition(status=P.MERGED, attempt=1)
    assert rules.after_merge(MergeResult.MOVED, 1, 2) is None
    conflict = rules.after_merge(MergeResult.CONFLICT, 1, 2, files=["a.py", "b.py"])
    assert conflict is not None
    assert (conflict.status, conflict.attempt) == (P.REDOING, 2)
    assert str(conflict.reason).endswith("a.py, b.py")


@pytest.mark.parametrize(
    ("decision", "status", "expected"),
    [
        (DecisionKind.APPROVE, P.GATED, Transition(status=P.GATED, attempt=3, approved=True, reason="so")),
        (
            DecisionKind.APPROVE,
            P.ESCALATED,
            Transition(status=P.GATED, attempt=3, approved=True, anyway=True, reason="so"),
        ),
        (
            DecisionKind.APPROVE,
            P.GATE_FAILED,
            Transition(status=P.GATED, attempt=3, approved=True, anyway=True, reason="so"),
        ),
        (DecisionKind.REJECT, P.GATED, Transition(status=P.ESCALATED, attempt=3, reason="so")),
        (
            DecisionKind.REJECT,
            P.ESCALATED,
            Transition(status=P.ABORTED_AFTER_FINISH, attempt=3, reason="so", reason_code=ReasonCode.REJECTED),
        ),
        (DecisionKind.REDO, P.ESCALATED, Transition(status=P.REDOING, attempt=4, allowed=4, reason="so")),
        (DecisionKind.REDO, P.RUNNING, Transition(status=P.REDOING, attempt=4, allowed=4, reason="so")),
        (DecisionKind.ESCALATE, P.PENDING, Transition(status=P.ESCALATED, attempt=3, reason="so")),
    ],
)
def test_after_decision(decision: DecisionKind, status: PlayStatus, expected: Transition) -> None:
    assert rules.after_decision(decision, status, 3, 3, feedback="so") == expected


@pytest.mark.parametrize("decision", list(DecisionKind))
def test_after_decision_refuses_a_merged_play(decision: DecisionKind) -> None:
    with pytest.raises(IllegalTransition, match=f"lexer is merged; you cannot {decision} it"):
        rules.after_decision(decision, P.MERGED, 1, 3, play="lexer")


def test_show_outcome() -> None:
    show = plan({"a": "", "b": ""})
    done, half = {"a": P.MERGED, "b": P.MERGED}, {"a": P.MERGED, "b": P.ESCALATED}

    assert rules.show_outcome(show, done) is ShowStatus.COMPLETED
    assert rules.show_outcome(show, half) is None
    assert rules.show_outcome(show, half, accepted=True) is ShowStatus.COMPLETED
    assert rules.show_outcome(show, {"a": P.MERGED, "b": P.GATED}, accepted=True) is None
    assert rules.show_outcome(show, {"a": P.RUNNING}, aborted=True) is None
    assert rules.show_outcome(show, half, aborted=True) is ShowStatus.ABORTED
    assert [rules.after_final_gates(passed) for passed in (True, False)] == ["completed", "aborted"]


# ── the director ──


def saved_statuses(issued: list[Command]) -> list[tuple[str, str]]:
    return [
        (command.play, str(command.transition.status))
        for command in issued
        if isinstance(command, commands.SaveTransition)
    ]


def other_commands(issued: list[Command]) -> list[Command]:
    return [command for command in issued if not isinstance(command, commands.SaveTransition)]


def test_director_runs_a_play_from_checkout_to_merge() -> None:
    director = Director(plan({"a": "", "b": "a"}), {})
    script: list[tuple[Event, list[tuple[str, str]], list[Command]]] = [
        (events.ShowStarted(), [], [commands.PrepareCheckout("a", 1)]),
        (events.CheckoutPrepared("a"), [("a", "prepared"), ("a", "running")], [commands.RunAttempt("a", 1)]),
        (events.AttemptEnded("a", AttemptOutcome.COMPLETED), [("a", "running_complete")], [commands.RunGates("a", 1)]),
        (
            events.GatesEvaluated("a", False, "bad"),
            [("a", "gate_failed"), ("a", "redoing")],
            [commands.PrepareCheckout("a", 2)],
        ),
        (events.CheckoutPrepared("a"), [("a", "prepared"), ("a", "running")], [commands.RunAttempt("a", 2)]),
        (events.AttemptEnded("a", AttemptOutcome.COMPLETED), [("a", "running_complete")], [commands.RunGates("a", 2)]),
        (events.GatesEvaluated("a", True), [("a", "gated")], [commands.MergePlay("a", 2)]),
        (events.MergeTried("a", MergeResult.MOVED), [], [commands.RunGates("a", 2)]),
        (events.GatesEvaluated("a", True), [], [commands.MergePlay("a", 2)]),
        (events.MergeTried("a", MergeResult.MERGED), [("a", "merged")], [commands.PrepareCheckout("b", 1)]),
    ]

    for event, moved, ordered in script:
        issued = director.handle(event)
        assert (saved_statuses(issued), other_commands(issued)) == (moved, ordered)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (P.PENDING, [commands.PrepareCheckout("a", 2)]),
        (P.PREPARED, [commands.PrepareCheckout("a", 2)]),
        (P.RUNNING, [commands.RunAttempt("a", 2)]),
        (P.RUNNING_COMPLETE, [commands.RunGates("a", 2)]),
        (P.GATED, [commands.MergePlay("a", 2)]),
        (P.REDOING, [commands.PrepareCheckout("a", 2)]),
        (P.MERGED, [commands.RunFinalGates()]),
    ],
)
def test_director_after_a_kill_issues_missing_commands(status: PlayStatus, expected: list[Command]) -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=status, attempt=2)})

    assert director.handle(events.ShowStarted()) == expected


def test_director_after_a_kill_continues_a_failed_gate() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.GATE_FAILED, attempt=1)})

    issued = director.handle(events.ShowStarted())

    assert (saved_statuses(issued), other_commands(issued)) == ([("a", "redoing")], [commands.PrepareCheckout("a", 2)])


def test_director_asks_a_person_once() -> None:
    show = plan({"a": "", "b": "a"}, gates=(Gate(kind=GateKind.PERSON),))
    director = Director(show, {"a": PlayState(status=P.GATED)})

    asked = director.handle(events.ShowStarted())
    assert [type(command) for command in asked] == [commands.AskPerson, commands.AwaitPerson]
    assert director.handle(events.ClockTicked(1.0)) == []
    assert director.handle(events.DecisionMade("a", DecisionKind.APPROVE, attempt=7)) == [
        commands.AwaitPerson()
    ]  # about another attempt
    approved = director.handle(events.DecisionMade("a", DecisionKind.APPROVE, attempt=1))
    assert other_commands(approved) == [commands.MergePlay("a", 1)]
    # the branch moved and the gates run again: they pass, and the person is not asked twice
    assert other_commands(director.handle(events.MergeTried("a", MergeResult.MOVED))) == [commands.RunGates("a", 1)]
    assert other_commands(director.handle(events.GatesEvaluated("a", True))) == [commands.MergePlay("a", 1)]


def test_director_asks_for_an_exhausted_budget_with_its_part() -> None:
    director = Director(plan({"a": ""}, budget=Budget(cost_microusd=5)), {})
    question, rest = director.handle(events.ClockTicked(1.0, Spent(cost_microusd=5)))

    assert question == commands.AskPerson(
        None, "cost budget exhausted: grant more, or edit the plan", ShowQuestionKind.BUDGET, BudgetPart.MONEY
    )
    assert rest == commands.AwaitPerson()


def test_approval_merges_a_play_whose_gates_failed() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.ESCALATED)})
    director.handle(events.ShowStarted())

    approved = director.handle(events.DecisionMade("a", DecisionKind.APPROVE, attempt=1))
    assert other_commands(approved) == [commands.MergePlay("a", 1, anyway=True)]


def test_redo_stops_the_agent_first() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.RUNNING)})
    director.handle(events.ShowStarted())

    assert director.handle(events.DecisionMade("a", DecisionKind.REDO, 1, "like this")) == [commands.StopAttempt("a")]
    issued = director.handle(events.AttemptEnded("a", AttemptOutcome.STOPPED))
    transition = Transition(status=P.REDOING, attempt=2, allowed=3, reason="like this")
    assert issued == [commands.SaveTransition("a", transition), commands.PrepareCheckout("a", 2)]


def test_abort_ends_running_plays_then_the_show() -> None:
    director = Director(plan({"a": "", "b": "a"}), {"a": PlayState(status=P.RUNNING)})
    director.handle(events.ShowStarted())

    assert director.handle(events.AbortRequested()) == [commands.StopAttempt("a")]
    issued = director.handle(events.AttemptEnded("a", AttemptOutcome.STOPPED))
    assert saved_statuses(issued) == [("a", "aborted_after_finish")]
    assert other_commands(issued) == [commands.EndShow(ShowStatus.ABORTED)]
    assert director.handle(events.ShowStarted()) == []


def test_final_person_gate_awaits_approval() -> None:
    show = plan({"a": ""}, final_gates=(Gate(kind=GateKind.PERSON),))
    for answer, outcome in ((events.ShowAccepted(), ShowStatus.COMPLETED), (events.ShowRejected(), ShowStatus.ABORTED)):
        director = Director(show, {"a": PlayState(status=P.MERGED)})
        assert director.handle(events.ShowStarted()) == [commands.RunFinalGates()]
        question, rest = director.handle(events.FinalGatesEvaluated(True))
        assert isinstance(question, commands.AskPerson)
        assert (question.play, question.kind, rest) == (None, ShowQuestionKind.FINAL, commands.AwaitPerson())
        issued = [*director.handle(events.ClockTicked(1.0)), *director.handle(answer)]
        assert commands.EndShow(outcome) in issued


def test_accepting_early_does_not_pass_the_final_person_gate() -> None:
    """A person who accepts a show without one of its plays has not seen the result of the final gates."""
    show = plan({"a": "", "b": ""}, final_gates=(Gate(kind=GateKind.PERSON),))
    director = Director(show, {"a": PlayState(status=P.MERGED), "b": PlayState(status=P.ESCALATED)})
    director.handle(events.ShowStarted())

    assert director.handle(events.ShowAccepted()) == [commands.RunFinalGates()]
    assert [type(command) for command in director.handle(events.FinalGatesEvaluated(True))] == [
        commands.AskPerson,
        commands.AwaitPerson,
    ]
    assert director.handle(events.ShowAccepted()) == [commands.EndShow(ShowStatus.COMPLETED)]


def test_acceptance_is_void_when_a_play_starts_again() -> None:
    show = plan({"a": "", "b": ""}, final_gates=(Gate(kind=GateKind.PERSON),), max_attempts=1)
    director = Director(show, {"a": PlayState(status=P.MERGED), "b": PlayState(status=P.ESCALATED)})
    for event in (events.ShowStarted(), events.ShowAccepted(), events.FinalGatesEvaluated(True)):
        director.handle(event)

    assert other_commands(director.handle(events.DecisionMade("b", DecisionKind.REDO, 1))) == [
        commands.PrepareCheckout("b", 2)
    ]
    director.handle(events.CheckoutPrepared("b"))
    issued = other_commands(director.handle(events.AttemptEnded("b", AttemptOutcome.STOPPED)))
    assert [type(command) for command in issued] == [commands.AskPerson, commands.AwaitPerson]
    assert director.handle(events.ShowAccepted()) == [commands.RunFinalGates()]


def test_plan_edit_waits_for_a_play_in_progress() -> None:
    director = Director(plan({"a": "", "b": "a"}), {})
    director.handle(events.ShowStarted())
    director.handle(events.CheckoutPrepared("a"))

    assert director.handle(events.PlanEdited(plan({"b": ""}))) == []
    assert list(director.plan.names) == ["a", "b"]
    issued = director.handle(events.AttemptEnded("a", AttemptOutcome.COMPLETED))
    assert (saved_statuses(issued), other_commands(issued)) == (
        [("a", "running_complete")],
        [commands.PrepareCheckout("b", 1)],
    )
    assert list(director.plan.names) == ["b"]
    assert director.handle(events.PlanEdited(plan({"b": "", "c": ""}))) == [commands.PrepareCheckout("c", 1)]


def test_plan_edit_starts_no_removed_play() -> None:
    director = Director(plan({"a": "", "b": ""}, concurrency=2), {"a": PlayState(status=P.RUNNING)})
    director.handle(events.ShowStarted())

    assert director.handle(events.PlanEdited(plan({"c": ""}))) == []
    assert (
        other_commands(director.handle(events.AttemptEnded("a", AttemptOutcome.COMPLETED))) == []
    )  # b is at work, a is not gone on with
    assert other_commands(director.handle(events.CheckoutPrepared("b"))) == [commands.PrepareCheckout("c", 1)]


def test_plan_edit_counts_plays_for_their_provider() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.RUNNING)}, providers={"a": "claude"})
    director.handle(events.ShowStarted())
    edited = plan({"a": "", "b": "", "c": ""}, concurrency=9, provider_limits={"claude": 2})

    issued = director.handle(events.PlanEdited(edited, dict.fromkeys("abc", "claude")))
    assert issued == [commands.PrepareCheckout("b", 1)]


def test_transition_carries_the_decision_id() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.RUNNING)})
    director.handle(events.ShowStarted())

    director.handle(
        events.DecisionMade("a", DecisionKind.REDO, 7, decision_id="void")
    )  # about an attempt that is not there
    complete = director.handle(events.AttemptEnded("a", AttemptOutcome.COMPLETED))
    director.handle(events.DecisionMade("a", DecisionKind.REDO, 1, decision_id="w"))
    redone = director.handle(events.GatesEvaluated("a", True))
    taken = [
        (command.transition.status, command.transition.decision_id)
        for command in [*complete, *redone]
        if isinstance(command, commands.SaveTransition)
    ]
    assert taken == [("running_complete", None), ("gated", None), ("redoing", "w")]


def test_plan_edit_last_of_several_wins() -> None:
    director = Director(plan({"a": "", "b": "a"}), {})
    director.handle(events.ShowStarted())

    director.handle(events.PlanEdited(plan({"b": ""})))
    assert director.handle(events.PlanEdited(plan({"a": "", "c": ""}))) == [commands.PrepareCheckout("c", 1)]
    assert list(director.plan.names) == ["a", "c"]
