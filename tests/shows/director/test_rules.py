"""The rules of a show, one by one, and a show as its director hears and orders it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lionstudio.errors import IllegalTransition
from lionstudio.model.shows.plan import Budget, Gate, GateKind, Plan, PlannedPlay
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.shows.director import events, rules
from lionstudio.shows.director.events import (
    AttemptOutcome,
    Command,
    DecisionKind,
    Event,
    MergeResult,
    PlayState,
    Spent,
    Transition,
)
from lionstudio.shows.director.machine import Director

P = PlayStatus


def plan(needs: dict[str, str], **more: object) -> Plan:
    """A plan of plays with names of one letter."""
    plays = tuple(PlannedPlay(name=name, prompt="x", depends_on=tuple(given)) for name, given in needs.items())
    return replace(Plan(topic="t", plays=plays), **more)  # type: ignore[arg-type]


def test_what_may_start() -> None:
    show = plan({"a": "", "b": "", "c": "a", "d": "c", "e": ""}, concurrency=2)

    assert rules.by_urgency(show) == ["a", "c", "b", "d", "e"]
    assert rules.startable(show, {}, []) == ["a", "b"]
    assert rules.startable(show, {"a": P.MERGED}, []) == ["c", "b"]
    assert rules.startable(show, {"a": P.MERGED, "e": P.PREPARED}, []) == ["e", "c"]
    assert rules.startable(show, {"a": P.MERGED, "c": P.RUNNING}, ["c"]) == ["b"]
    assert rules.startable(show, {"a": P.RUNNING, "b": P.RUNNING}, ["a", "b"]) == []
    assert rules.startable(show, {}, [], parked={"a": 10.0}, now=9.0) == ["b", "e"]
    assert rules.startable(show, {}, [], parked={"a": 10.0}, now=10.0) == ["a", "b"]
    limited = replace(show, concurrency=9, provider_limits={"claude": 1})
    providers = {"a": "claude", "b": "claude", "e": "codex"}
    assert rules.startable(limited, {}, [], providers=providers) == ["a", "e"]
    assert rules.startable(limited, {"b": P.RUNNING}, ["b"], providers=providers) == ["e"]


@pytest.mark.parametrize(
    ("spent", "word"),
    [
        (Spent(tokens=99, cost_microusd=9, seconds=59.9), None),
        (Spent(tokens=100), "tokens"),
        (Spent(cost_microusd=10), "money"),
        (Spent(seconds=60.0), "time"),
    ],
)
def test_a_budget_is_used_up(spent: Spent, word: str | None) -> None:
    budget = Budget(tokens=100, cost_microusd=10, seconds=60)

    said = rules.over_budget(budget, spent)

    assert said == (None if word is None else f"the budget of {word} is used up")
    assert rules.startable(plan({"a": ""}, budget=budget), {}, [], spent) == ([] if word else ["a"])


def test_who_holds_whom() -> None:
    show = plan({"a": "", "b": "a", "c": "b", "d": ""})

    assert rules.blocked(show, {}) == {}
    assert rules.blocked(show, {"a": P.ESCALATED}) == {"b": ("a",), "c": ("b",)}
    assert rules.blocked(show, {"a": P.REDOING, "b": P.BLOCKED, "c": P.BLOCKED}) == {"b": (), "c": ("b",)}


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
def test_after_an_attempt(outcome: AttemptOutcome, attempt: int, expected: Transition) -> None:
    assert rules.after_exit(outcome, attempt, 2, reason="why", resets_at=77.0) == expected


def test_a_limit_that_does_not_say_when_it_ends() -> None:
    assert rules.after_exit(AttemptOutcome.LIMITED, 1, 2, now=100.0).parked_until == 100.0 + rules.PARK_SECONDS
    stopped = rules.after_exit(AttemptOutcome.STOPPED, 1, 2, aborting=True)
    assert (stopped.status, stopped.reason) == (P.ABORTED_AFTER_FINISH, events.ABORTED)


def test_after_gates_and_merges() -> None:
    assert rules.after_verdict(True, P.RUNNING_COMPLETE, 1, 2) == [Transition(status=P.GATED, attempt=1)]
    assert rules.after_verdict(True, P.GATED, 1, 2) == []
    assert [step.status for step in rules.after_verdict(False, P.GATED, 1, 2)] == [P.GATE_FAILED, P.REDOING]
    assert [step.status for step in rules.after_verdict(False, P.RUNNING_COMPLETE, 2, 2)] == [
        P.GATE_FAILED,
        P.ESCALATED,
    ]
    assert rules.after_merge(MergeResult.MERGED, 1, 2) == Transition(status=P.MERGED, attempt=1)
    assert rules.after_merge(MergeResult.MOVED, 1, 2) is None
    conflict = rules.after_merge(MergeResult.CONFLICT, 1, 2, files=["a.py", "b.py"])
    assert conflict is not None
    assert (conflict.status, conflict.attempt) == (P.REDOING, 2)
    assert str(conflict.reason).endswith("a.py, b.py")


@pytest.mark.parametrize(
    ("word", "status", "expected"),
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
        (DecisionKind.REJECT, P.ESCALATED, Transition(status=P.ABORTED_AFTER_FINISH, attempt=3, reason="so")),
        (DecisionKind.REDO, P.ESCALATED, Transition(status=P.REDOING, attempt=4, allowed=4, reason="so")),
        (DecisionKind.REDO, P.RUNNING, Transition(status=P.REDOING, attempt=4, allowed=4, reason="so")),
        (DecisionKind.ESCALATE, P.PENDING, Transition(status=P.ESCALATED, attempt=3, reason="so")),
    ],
)
def test_after_a_word(word: DecisionKind, status: PlayStatus, expected: Transition) -> None:
    assert rules.after_word(word, status, 3, 3, feedback="so") == expected


@pytest.mark.parametrize("word", list(DecisionKind))
def test_nothing_can_be_said_about_what_is_merged(word: DecisionKind) -> None:
    with pytest.raises(IllegalTransition, match=f"lexer is merged; there is nothing to {word}"):
        rules.after_word(word, P.MERGED, 1, 3, play="lexer")


def test_when_a_show_ends() -> None:
    show = plan({"a": "", "b": ""})
    done, half = {"a": P.MERGED, "b": P.MERGED}, {"a": P.MERGED, "b": P.ESCALATED}

    assert rules.ending(show, done) is ShowStatus.COMPLETED
    assert rules.ending(show, half) is None
    assert rules.ending(show, half, accepted=True) is ShowStatus.COMPLETED
    assert rules.ending(show, {"a": P.MERGED, "b": P.GATED}, accepted=True) is None
    assert rules.ending(show, {"a": P.RUNNING}, aborted=True) is None
    assert rules.ending(show, half, aborted=True) is ShowStatus.ABORTED
    assert [rules.after_final(passed) for passed in (True, False)] == ["completed", "aborted"]


# ── a director, heard from outside ──


def notes(orders: list[Command]) -> list[tuple[str, str]]:
    return [(order.play, str(order.next.status)) for order in orders if isinstance(order, events.SaveTransition)]


def works(orders: list[Command]) -> list[Command]:
    return [order for order in orders if not isinstance(order, events.SaveTransition)]


def test_a_play_from_its_checkout_to_its_merge() -> None:
    director = Director(plan({"a": "", "b": "a"}), {})
    script: list[tuple[Event, list[tuple[str, str]], list[Command]]] = [
        (events.ShowStarted(), [], [events.PrepareCheckout("a", 1)]),
        (events.CheckoutPrepared("a"), [("a", "prepared"), ("a", "running")], [events.RunAttempt("a", 1)]),
        (events.AttemptEnded("a", AttemptOutcome.COMPLETED), [("a", "running_complete")], [events.RunGates("a", 1)]),
        (
            events.GatesEvaluated("a", False, "bad"),
            [("a", "gate_failed"), ("a", "redoing")],
            [events.PrepareCheckout("a", 2)],
        ),
        (events.CheckoutPrepared("a"), [("a", "prepared"), ("a", "running")], [events.RunAttempt("a", 2)]),
        (events.AttemptEnded("a", AttemptOutcome.COMPLETED), [("a", "running_complete")], [events.RunGates("a", 2)]),
        (events.GatesEvaluated("a", True), [("a", "gated")], [events.MergePlay("a", 2)]),
        (events.MergeTried("a", MergeResult.MOVED), [], [events.RunGates("a", 2)]),
        (events.GatesEvaluated("a", True), [], [events.MergePlay("a", 2)]),
        (events.MergeTried("a", MergeResult.MERGED), [("a", "merged")], [events.PrepareCheckout("b", 1)]),
    ]

    for event, moved, ordered in script:
        orders = director.on(event)
        assert (notes(orders), works(orders)) == (moved, ordered)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (P.PENDING, [events.PrepareCheckout("a", 2)]),
        (P.PREPARED, [events.PrepareCheckout("a", 2)]),
        (P.RUNNING, [events.RunAttempt("a", 2)]),
        (P.RUNNING_COMPLETE, [events.RunGates("a", 2)]),
        (P.GATED, [events.MergePlay("a", 2)]),
        (P.REDOING, [events.PrepareCheckout("a", 2)]),
        (P.MERGED, [events.RunFinalGates()]),
    ],
)
def test_a_director_that_was_killed_orders_what_is_missing(status: PlayStatus, expected: list[Command]) -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=status, attempt=2)})

    assert director.on(events.ShowStarted()) == expected


def test_a_gate_that_failed_before_the_kill_is_followed_up() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.GATE_FAILED, attempt=1)})

    orders = director.on(events.ShowStarted())

    assert (notes(orders), works(orders)) == ([("a", "redoing")], [events.PrepareCheckout("a", 2)])


def test_a_person_is_asked_once_and_their_word_counts() -> None:
    show = plan({"a": "", "b": "a"}, gates=(Gate(kind=GateKind.PERSON),))
    director = Director(show, {"a": PlayState(status=P.GATED)})

    asked = director.on(events.ShowStarted())
    assert [type(order) for order in asked] == [events.AskPerson, events.AwaitPerson]
    assert director.on(events.ClockTicked(1.0)) == []
    assert director.on(events.DecisionMade("a", DecisionKind.APPROVE, attempt=7)) == [
        events.AwaitPerson()
    ]  # about another attempt
    approved = director.on(events.DecisionMade("a", DecisionKind.APPROVE, attempt=1))
    assert works(approved) == [events.MergePlay("a", 1)]
    # the branch moved on and the gates look again: they pass, and the person is not asked twice
    assert works(director.on(events.MergeTried("a", MergeResult.MOVED))) == [events.RunGates("a", 1)]
    assert works(director.on(events.GatesEvaluated("a", True))) == [events.MergePlay("a", 1)]


def test_a_person_may_let_pass_what_its_gates_did_not() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.ESCALATED)})
    director.on(events.ShowStarted())

    approved = director.on(events.DecisionMade("a", DecisionKind.APPROVE, attempt=1))
    assert works(approved) == [events.MergePlay("a", 1, anyway=True)]


def test_a_redo_stops_the_agent_first() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.RUNNING)})
    director.on(events.ShowStarted())

    assert director.on(events.DecisionMade("a", DecisionKind.REDO, 1, "like this")) == [events.StopAttempt("a")]
    orders = director.on(events.AttemptEnded("a", AttemptOutcome.STOPPED))
    following = Transition(status=P.REDOING, attempt=2, allowed=3, reason="like this")
    assert orders == [events.SaveTransition("a", following), events.PrepareCheckout("a", 2)]


def test_an_abort_ends_what_is_under_way_and_then_the_show() -> None:
    director = Director(plan({"a": "", "b": "a"}), {"a": PlayState(status=P.RUNNING)})
    director.on(events.ShowStarted())

    assert director.on(events.AbortRequested()) == [events.StopAttempt("a")]
    orders = director.on(events.AttemptEnded("a", AttemptOutcome.STOPPED))
    assert notes(orders) == [("a", "aborted_after_finish")]
    assert works(orders) == [events.EndShow(ShowStatus.ABORTED)]
    assert director.on(events.ShowStarted()) == []


def test_the_last_word_is_a_persons_where_the_plan_says_so() -> None:
    show = plan({"a": ""}, final_gates=(Gate(kind=GateKind.PERSON),))
    for word, ended in ((events.ShowAccepted(), ShowStatus.COMPLETED), (events.ShowRejected(), ShowStatus.ABORTED)):
        director = Director(show, {"a": PlayState(status=P.MERGED)})
        assert director.on(events.ShowStarted()) == [events.RunFinalGates()]
        assert [type(order) for order in director.on(events.FinalGatesEvaluated(True))] == [
            events.AskPerson,
            events.AwaitPerson,
        ]
        orders = [*director.on(events.ClockTicked(1.0)), *director.on(word)]
        assert events.EndShow(ended) in orders


def test_enough_is_not_the_last_word() -> None:
    """Who takes a show without one of its plays has not seen yet what the final gates say."""
    show = plan({"a": "", "b": ""}, final_gates=(Gate(kind=GateKind.PERSON),))
    director = Director(show, {"a": PlayState(status=P.MERGED), "b": PlayState(status=P.ESCALATED)})
    director.on(events.ShowStarted())

    assert director.on(events.ShowAccepted()) == [events.RunFinalGates()]
    assert [type(order) for order in director.on(events.FinalGatesEvaluated(True))] == [
        events.AskPerson,
        events.AwaitPerson,
    ]
    assert director.on(events.ShowAccepted()) == [events.EndShow(ShowStatus.COMPLETED)]


def test_what_was_accepted_is_asked_again_when_something_is_taken_up() -> None:
    show = plan({"a": "", "b": ""}, final_gates=(Gate(kind=GateKind.PERSON),), max_attempts=1)
    director = Director(show, {"a": PlayState(status=P.MERGED), "b": PlayState(status=P.ESCALATED)})
    for event in (events.ShowStarted(), events.ShowAccepted(), events.FinalGatesEvaluated(True)):
        director.on(event)

    assert works(director.on(events.DecisionMade("b", DecisionKind.REDO, 1))) == [events.PrepareCheckout("b", 2)]
    director.on(events.CheckoutPrepared("b"))
    orders = works(director.on(events.AttemptEnded("b", AttemptOutcome.STOPPED)))
    assert [type(order) for order in orders] == [events.AskPerson, events.AwaitPerson]
    assert director.on(events.ShowAccepted()) == [events.RunFinalGates()]


def test_an_edit_waits_for_a_play_that_is_at_work() -> None:
    director = Director(plan({"a": "", "b": "a"}), {})
    director.on(events.ShowStarted())
    director.on(events.CheckoutPrepared("a"))

    assert director.on(events.PlanEdited(plan({"b": ""}))) == []
    assert list(director.plan.names) == ["a", "b"]
    orders = director.on(events.AttemptEnded("a", AttemptOutcome.COMPLETED))
    assert (notes(orders), works(orders)) == ([("a", "running_complete")], [events.PrepareCheckout("b", 1)])
    assert list(director.plan.names) == ["b"]
    assert director.on(events.PlanEdited(plan({"b": "", "c": ""}))) == [events.PrepareCheckout("c", 1)]


def test_plays_that_leave_do_not_hold_an_edit_up_by_turns() -> None:
    director = Director(plan({"a": "", "b": ""}, concurrency=2), {"a": PlayState(status=P.RUNNING)})
    director.on(events.ShowStarted())

    assert director.on(events.PlanEdited(plan({"c": ""}))) == []
    assert (
        works(director.on(events.AttemptEnded("a", AttemptOutcome.COMPLETED))) == []
    )  # b is at work, a is not gone on with
    assert works(director.on(events.CheckoutPrepared("b"))) == [events.PrepareCheckout("c", 1)]


def test_plays_of_an_edit_count_for_their_provider() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.RUNNING)}, providers={"a": "claude"})
    director.on(events.ShowStarted())
    edited = plan({"a": "", "b": "", "c": ""}, concurrency=9, provider_limits={"claude": 2})

    orders = director.on(events.PlanEdited(edited, dict.fromkeys("abc", "claude")))
    assert orders == [events.PrepareCheckout("b", 1)]


def test_a_word_is_taken_up_by_what_follows_from_it() -> None:
    director = Director(plan({"a": ""}), {"a": PlayState(status=P.RUNNING)})
    director.on(events.ShowStarted())

    director.on(events.DecisionMade("a", DecisionKind.REDO, 7, word_id="void"))  # about an attempt that is not there
    complete = director.on(events.AttemptEnded("a", AttemptOutcome.COMPLETED))
    director.on(events.DecisionMade("a", DecisionKind.REDO, 1, word_id="w"))
    redone = director.on(events.GatesEvaluated("a", True))
    taken = [
        (order.next.status, order.next.word_id)
        for order in [*complete, *redone]
        if isinstance(order, events.SaveTransition)
    ]
    assert taken == [("running_complete", None), ("gated", None), ("redoing", "w")]


def test_the_last_of_several_edits_counts() -> None:
    director = Director(plan({"a": "", "b": "a"}), {})
    director.on(events.ShowStarted())

    director.on(events.PlanEdited(plan({"b": ""})))
    assert director.on(events.PlanEdited(plan({"a": "", "c": ""}))) == [events.PrepareCheckout("c", 1)]
    assert list(director.plan.names) == ["a", "c"]
