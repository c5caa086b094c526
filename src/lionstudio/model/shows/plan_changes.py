"""Changes of a running plan that need a person: weaker gates, more permissions or budget, other agents or commands.

An agent may be able to write to the plan of its own show. Everything else in an edit is followed at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from lionstudio.model.shows.plan import PERMISSIONS, Budget, Gate, Plan, PlannedPlay

# Fields of the show that name what runs, where, and with which files and variables: any change needs a person.
_FIXED = ("repo", "base_branch", "setup", "teardown", "copy", "notify", "deciders", "agent", "remote", "needs")
_PROGRAMS = ("script", "command")  # providers whose prompt is a program
_UNSET = PERMISSIONS.index("edit")  # permissions when neither the plan nor the agent sets them


class FollowedPlan(NamedTuple):
    """The plan that a director follows, and the changes of the file that wait for a person."""

    plan: Plan
    held: tuple[str, ...] = ()


def hold_back(accepted: Plan, edited: Plan) -> FollowedPlan:
    """Return the edited plan with everything that a person must accept as it was in the accepted plan."""
    held: list[str] = []
    fixed: dict[str, Any] = {name: getattr(accepted, name) for name in _FIXED}
    held += [f"{name} is changed" for name in _FIXED if getattr(edited, name) != fixed[name]]
    gates = _keep_gates(accepted.gates, edited.gates, "gates of the show", held)
    final = _keep_gates(accepted.final_gates, edited.final_gates, "final gates", held)
    if edited.final_gates and not accepted.final_gates:
        # without final gates, those of the show run at the end
        final = _keep_gates(accepted.gates, edited.final_gates, "final gates", held)
    changes: dict[str, Any] = {
        **fixed,
        "gates": gates,
        "final_gates": final,
        "max_attempts": _keep_attempts(accepted.max_attempts, edited.max_attempts, "the show", held),
        "budget": _keep_budget(accepted.budget, edited.budget, held),
        "permissions": _keep_permissions(accepted.permissions, edited.permissions, "the show", held),
        "pass_env": _keep_variables(accepted.pass_env, edited.pass_env, "the show", held),
        "sandbox": _keep_sandbox(accepted.sandbox, edited.sandbox, "the show", held),
        "network": _keep_network(accepted.network, edited.network, "the show", held),
    }
    plan = replace(edited, **changes)
    plays = [_keep_play(accepted, plan, play, held) for play in edited.plays]
    return FollowedPlan(replace(plan, plays=(*plays, *_keep_removed(accepted, plan, held))), tuple(held))


def _keep_play(accepted: Plan, plan: Plan, play: PlannedPlay, held: list[str]) -> PlannedPlay:
    """Return a play of the edited plan; a new one is compared with the show."""
    if play.name in accepted:
        before = accepted.play(play.name)
        play = _keep_agent(accepted, before, play, held)
    else:
        before = PlannedPlay(name=play.name)
        if play.agent not in (None, accepted.agent) or play.playbook is not None:
            held.append(f"{play.name} is new, with {play.agent or f'the playbook {play.playbook}'}")
            play = replace(play, waits=True)
    old_gates = accepted.gates if before.gates is None else before.gates
    gates = play.gates
    if gates is not None or _missing(old_gates, plan.gates):
        gates = _keep_gates(old_gates, plan.gates if gates is None else gates, f"gates of {play.name}", held)
    permissions = _keep_permissions(
        before.permissions or accepted.permissions, play.permissions or plan.permissions, play.name, held
    )
    wanted = play.max_attempts or plan.max_attempts
    attempts = _keep_attempts(before.max_attempts or accepted.max_attempts, wanted, play.name, held)
    return replace(
        play,
        gates=gates,
        max_attempts=play.max_attempts if attempts == wanted else attempts,
        permissions=play.permissions if permissions == (play.permissions or plan.permissions) else permissions,
        pass_env=_keep_variables((*accepted.pass_env, *before.pass_env), play.pass_env, play.name, held),
        sandbox=_keep_sandbox(before.sandbox, play.sandbox, play.name, held),
        network=_keep_network(before.network, play.network, play.name, held),
    )


def _keep_agent(accepted: Plan, before: PlannedPlay, play: PlannedPlay, held: list[str]) -> PlannedPlay:
    """Return a play with the agent, playbook and arguments as before, and the prompt where that is a program."""
    fixed = ["agent", "playbook", "args", "needs"]
    if (before.agent or accepted.agent or "").partition("/")[0] in _PROGRAMS:
        fixed.append("prompt")
    changes = {name: getattr(before, name) for name in fixed if getattr(play, name) != getattr(before, name)}
    held += [f"{name} of {play.name} is changed" for name in changes]
    return replace(play, **changes)


def _keep_removed(accepted: Plan, plan: Plan, held: list[str]) -> list[PlannedPlay]:
    """Return the removed plays with bounds of their own, and those that they depend on: added again, they lack them."""
    removed = {play.name: play for play in accepted.plays if play.name not in plan}
    queue = [
        play.name
        for play in removed.values()
        if _missing(play.gates or (), plan.gates) or play.permissions or play.sandbox
    ]
    held += [f"{name} is removed, which has gates, permissions or a sandbox of its own" for name in queue]
    kept: dict[str, PlannedPlay] = {}
    while queue:
        name = queue.pop()
        if name in removed and name not in kept:
            kept[name] = removed[name]
            queue += removed[name].depends_on
    return [play for name, play in removed.items() if name in kept]


def _missing(before: Sequence[Gate], after: Sequence[Gate]) -> list[Gate]:
    return [gate for gate in before if gate not in after]


def _keep_gates(before: Sequence[Gate], after: Sequence[Gate], what: str, held: list[str]) -> tuple[Gate, ...]:
    """Return the gates with those that an edit removed or changed; added ones apply at once."""
    missing = _missing(before, after)
    held += [f"{what}: {gate.title} is removed or changed" for gate in missing]
    return (*missing, *after)


def _keep_attempts(before: int, after: int, what: str, held: list[str]) -> int:
    if after > before:
        held.append(f"max_attempts of {what} is raised from {before} to {after}")
    return min(before, after)


def _keep_permissions(before: str | None, after: str | None, what: str, held: list[str]) -> str | None:
    """Return the permissions, or those before if they are raised; without any, the agent's own may be `all`."""
    highest = PERMISSIONS[-1]
    if before in (after, highest) or (after is not None and _rank(after) <= _rank(before)):
        return after
    held.append(f"permissions of {what} are raised from {before or 'the default'} to {after or 'those of the agent'}")
    return before


def _rank(permissions: str | None) -> int:
    return _UNSET if permissions is None else PERMISSIONS.index(permissions)


def _keep_sandbox(before: str | None, after: str | None, what: str, held: list[str]) -> str | None:
    """Return the mode, or the one before unless the edit requires confinement."""
    if after in (before, "require"):
        return after
    held.append(f"sandbox of {what} is changed from {before or 'the default'} to {after or 'the default'}")
    return before


def _keep_network(before: bool | None, after: bool | None, what: str, held: list[str]) -> bool | None:
    """Return whether confined commands reach the network; only `false` applies at once."""
    if after in (before, False):
        return after
    held.append(f"network of {what} is changed")
    return before


def _keep_variables(before: Sequence[str], after: Sequence[str], what: str, held: list[str]) -> tuple[str, ...]:
    added = [name for name in after if name not in before]
    held += [f"pass_env of {what}: {name} is added" for name in added]
    return tuple(name for name in after if name not in added)


def _keep_budget(before: Budget, after: Budget, held: list[str]) -> Budget:
    limits = asdict(after)
    for part, limit in asdict(before).items():
        if limit is not None and (limits[part] is None or limits[part] > limit):
            held.append(f"budget: {part} is raised or removed")
            limits[part] = limit
    return Budget(**limits)
