"""Edits of a running plan: what is held back for a person, and what applies at once."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from lionstudio.model.shows.plan import Budget, Gate, GateKind, Notify, Plan, PlannedPlay
from lionstudio.model.shows.plan_changes import hold_back

TEST = Gate(kind=GateKind.COMMAND, command=("make", "test"))
LINT = Gate(kind=GateKind.COMMAND, command=("make", "lint"))
CRITIC = Gate(kind=GateKind.REVIEW, agent="critic")
PERSON = Gate(kind=GateKind.PERSON)
PLAY = PlannedPlay(name="a", prompt="x")
PLAN = Plan(
    topic="t",
    plays=(PLAY, PlannedPlay(name="b", gates=(TEST, PERSON), permissions="ask")),
    repo="/r",
    gates=(TEST, CRITIC),
    budget=Budget(tokens=100),
    permissions="edit",
    agent="careful",
)
# every other field of a plan and a play is followed at once
FREE = {"topic", "goal", "integration_branch", "concurrency", "provider_limits", "timeout"}
FREE_IN_PLAY = {"name", "prompt", "intent", "effort", "depends_on", "timeout"}
NOT_IN_FILES = {"waits", "line"}
HELD: dict[str, Any] = {
    "repo": "/other",
    "base_branch": "x",
    "setup": (("sh",),),
    "teardown": (("sh",),),
    "copy": (".env",),
    "notify": Notify(command=("sh",)),
    "gates": (TEST,),
    "final_gates": (LINT,),
    "budget": Budget(tokens=101),
    "permissions": "all",
    "pass_env": ("KEY",),
    "sandbox": "off",
    "network": True,
    "deciders": ("critic",),
    "agent": "script",
    "remote": "/other.git",
    "needs": ("gpu",),
    "max_attempts": 4,
    "plays": (replace(PLAY, gates=()),),
}
HELD_IN_PLAY: dict[str, Any] = {
    "gates": (TEST,),
    "permissions": "all",
    "pass_env": ("KEY",),
    "sandbox": "off",
    "network": True,
    "max_attempts": 4,
}
FIXED_IN_PLAY: dict[str, Any] = {"agent": "script", "playbook": "other", "args": {"depth": "9"}, "needs": ("gpu",)}


def test_every_field_is_either_held_back_or_free() -> None:
    """A new field of a plan must be put into one of the lists, on purpose."""
    assert {field.name for field in fields(Plan) if field.init} == FREE | HELD.keys()
    assert {field.name for field in fields(PlannedPlay)} == (
        FREE_IN_PLAY | HELD_IN_PLAY.keys() | FIXED_IN_PLAY.keys() | NOT_IN_FILES
    )


@pytest.mark.parametrize("name", HELD)
def test_hold_back_keeps_a_weakened_field_of_the_show(name: str) -> None:
    followed = hold_back(PLAN, replace(PLAN, **{name: HELD[name]}))
    assert followed.held
    if name not in ("plays", "gates", "final_gates"):
        assert getattr(followed.plan, name) == getattr(PLAN, name)
    for play in followed.plan.names:
        assert set(PLAN.gates_of(play)) <= set(followed.plan.gates_of(play))


@pytest.mark.parametrize("name", HELD_IN_PLAY)
@pytest.mark.parametrize("play", ["a", "new"])
def test_hold_back_keeps_a_weakened_field_of_a_play(name: str, play: str) -> None:
    edited = replace(PLAN, plays=(*PLAN.plays[1:], replace(PLAY, name=play, **{name: HELD_IN_PLAY[name]})))
    followed = hold_back(PLAN, edited)
    assert followed.held
    assert set(PLAN.gates) <= set(followed.plan.gates_of(play))
    assert followed.plan.permissions_of(play) == "edit"
    assert followed.plan.pass_env_of(play) == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"gates": (TEST, CRITIC, PERSON)},
        {"gates": (CRITIC, TEST)},
        {"final_gates": (TEST, CRITIC, LINT)},
        {"budget": Budget(tokens=50, seconds=10)},
        {"permissions": "ask"},
        {"goal": "other", "concurrency": 9, "timeout": 5},
        {"max_attempts": 1},
        {"plays": (*PLAN.plays, PlannedPlay(name="c", prompt="y"))},
        {"plays": (*PLAN.plays, PlannedPlay(name="c", prompt="y", agent="careful", max_attempts=1))},
        {"plays": PLAN.plays[1:]},  # without gates of its own
        {
            "plays": (
                replace(PLAY, prompt="other", permissions="ask", gates=(TEST, CRITIC, PERSON)),
                replace(PLAN.plays[1], depends_on=("a",), intent="why", max_attempts=2),
            )
        },
    ],
)
def test_hold_back_follows_other_edits_at_once(changes: dict[str, Any]) -> None:
    edited = replace(PLAN, **changes)
    assert hold_back(PLAN, edited) == (edited, ())


def test_hold_back_follows_the_rest_of_a_mixed_edit() -> None:
    followed = hold_back(PLAN, replace(PLAN, gates=(LINT,), goal="new"))
    assert followed.plan.gates == (TEST, CRITIC, LINT)
    assert followed.plan.goal == "new"
    assert followed.held == (
        "gates of the show: make test is removed or changed",
        "gates of the show: review by critic is removed or changed",
    )


def test_hold_back_keeps_gates_of_a_play_that_falls_back_to_weaker_ones() -> None:
    edited = replace(PLAN, plays=(PLAY, PlannedPlay(name="b", permissions="ask")))
    followed = hold_back(PLAN, edited)
    assert PERSON in followed.plan.gates_of("b")
    assert followed.held == ("gates of b: a person is removed or changed",)


def test_hold_back_keeps_permissions_that_are_removed() -> None:
    """Without permissions in the plan those of the agent's definition hold, which may be `all`."""
    followed = hold_back(PLAN, replace(PLAN, permissions=None))
    assert followed.plan.permissions == "edit"
    assert followed.held


@pytest.mark.parametrize("name", FIXED_IN_PLAY)
def test_hold_back_keeps_who_runs_a_play(name: str) -> None:
    edited = replace(PLAN, plays=(replace(PLAY, **{name: FIXED_IN_PLAY[name]}), *PLAN.plays[1:]))
    assert hold_back(PLAN, edited) == (PLAN, (f"{name} of a is changed",))


@pytest.mark.parametrize("agent", ["script", "command", "command/x"])
def test_hold_back_keeps_a_prompt_that_is_a_program(agent: str) -> None:
    accepted = replace(PLAN, plays=(replace(PLAY, agent=agent), *PLAN.plays[1:]))
    edited = replace(PLAN, plays=(replace(PLAY, agent=agent, prompt="@run sh"), *PLAN.plays[1:]))
    assert hold_back(accepted, edited) == (accepted, ("prompt of a is changed",))


@pytest.mark.parametrize("changes", [{"agent": "script"}, {"playbook": "other"}])
def test_hold_back_lets_a_new_play_of_another_agent_wait(changes: dict[str, Any]) -> None:
    new = PlannedPlay(name="c", prompt="y", **changes)
    dependent = PlannedPlay(name="d", prompt="z", depends_on=("c",))
    followed = hold_back(PLAN, replace(PLAN, plays=(*PLAN.plays, new, dependent)))
    assert followed.plan == replace(PLAN, plays=(*PLAN.plays, replace(new, waits=True), dependent))
    assert len(followed.held) == 1


def test_hold_back_keeps_a_removed_play_that_has_gates_of_its_own() -> None:
    """Otherwise the same work under another name would not meet the person."""
    first, gated = PLAY, replace(PLAN.plays[1], depends_on=("a",))
    accepted = replace(PLAN, plays=(first, gated))
    renamed = PlannedPlay(name="c", prompt="y")
    followed = hold_back(accepted, replace(PLAN, plays=(renamed,)))
    assert followed.plan.plays == (renamed, first, gated)
    assert followed.held == ("b is removed, which has gates, permissions or a sandbox of its own",)


def test_hold_back_keeps_the_attempts_of_a_play_that_falls_back_to_the_show() -> None:
    accepted = replace(PLAN, plays=(replace(PLAY, max_attempts=1), *PLAN.plays[1:]))
    assert hold_back(accepted, PLAN) == (accepted, ("max_attempts of a is raised from 1 to 3",))
