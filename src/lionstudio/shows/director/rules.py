"""The rules of a show, pure, one question each: what may start, what is blocked by whom, what follows, when it ends.

`director.py` puts them together: events in, commands out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import assert_never

from lionstudio.errors import IllegalTransition
from lionstudio.model.shows.plan import Budget, GateKind, Plan, PlannedPlay
from lionstudio.model.status.statuses import (
    PLAYS,
    PLAYS_IN_PROGRESS,
    PLAYS_STUCK,
    PLAYS_WAITING_TO_START,
    PlayStatus,
    ShowStatus,
)
from lionstudio.shows.director.events import (
    ABORTED,
    AttemptOutcome,
    DecisionKind,
    MergeResult,
    PlayState,
    Spent,
    Transition,
)

P = PlayStatus
PARK_SECONDS = 900.0  # when a usage limit does not say when it ends
# The statuses in which each decision is allowed.
DECIDABLE: Mapping[DecisionKind, frozenset[PlayStatus]] = {
    kind: frozenset(status for status, row in PLAYS.items() if kind in row.decisions) for kind in DecisionKind
}


def startable(
    plan: Plan,
    statuses: Mapping[str, PlayStatus],
    running: Collection[str],
    spent: Spent = Spent(),  # noqa: B008  (frozen)
    *,
    providers: Mapping[str, str] | None = None,
    parked: Mapping[str, float] | None = None,
    now: float = 0.0,
) -> list[str]:
    """The plays to start now: dependencies merged, slots and money left, not parked.

    Those with a checkout come first, then those with the longest way to the end behind them.
    """
    if over_budget(plan.budget, spent) is not None:
        return []
    used = list(running)
    ready = {
        play.name
        for play in plan.plays
        if statuses.get(play.name, P.PENDING) in PLAYS_WAITING_TO_START
        and play.name not in running
        and _is_due(play, statuses)
        and (parked or {}).get(play.name, 0.0) <= now
    }
    if not ready or len(used) >= plan.concurrency:
        return []
    found = []
    for name in sorted(by_urgency(plan), key=lambda name: statuses.get(name) is not P.PREPARED):
        room = len(used) < plan.concurrency and _provider_has_room(plan, name, used, providers or {})
        if name in ready and room:
            used.append(name)
            found.append(name)
    return found


def is_due(plan: Plan, statuses: Mapping[str, PlayStatus], name: str) -> bool:
    """Whether everything that a play depends on is merged."""
    return _is_due(plan.play(name), statuses)


def _is_due(play: PlannedPlay, statuses: Mapping[str, PlayStatus]) -> bool:
    return all(statuses.get(need) is P.MERGED for need in play.depends_on)


def _provider_has_room(plan: Plan, name: str, used: Sequence[str], providers: Mapping[str, str]) -> bool:
    provider = providers.get(name)
    limit = plan.provider_limits.get(provider) if provider is not None else None
    return limit is None or sum(providers.get(each) == provider for each in used) < limit


def by_urgency(plan: Plan) -> list[str]:
    """The plays, those with the longest chain behind them first, so that the end comes soonest."""
    after: dict[str, list[str]] = {name: [] for name in plan.names}
    for play in plan.plays:
        for need in play.depends_on:
            after.setdefault(need, []).append(play.name)
    depth: dict[str, int] = {}
    left = dict(after)
    while ready := [name for name, later in left.items() if all(each in depth for each in later)]:
        for name in ready:
            depth[name] = 1 + max((depth[each] for each in left.pop(name)), default=0)
    return sorted(plan.names, key=lambda name: -depth.get(name, 0))


def over_budget(budget: Budget, spent: Spent) -> str | None:
    """Which part of the budget is used up, None while there is some left."""
    limits = (
        ("tokens", budget.tokens, spent.tokens),
        ("money", budget.cost_microusd, spent.cost_microusd),
        ("time", budget.seconds, spent.seconds),
    )
    for what, limit, used in limits:
        if limit is not None and used >= limit:
            return f"the budget of {what} is used up"
    return None


def blocked(plan: Plan, statuses: Mapping[str, PlayStatus]) -> dict[str, tuple[str, ...]]:
    """Each play that cannot start, and by whom it is held; a blocked play that may hope again has ()."""
    waiting = {play.name: play for play in plan.plays if PLAYS[statuses.get(play.name, P.PENDING)].can_be_blocked}
    held = {name for name in plan.names if statuses.get(name) in PLAYS_STUCK}
    # those that will be merged if all goes well; what is not in the plan, or waits in a circle, never gets in
    hopeful = set(plan.names) - held - set(waiting)
    while ready := [name for name, play in waiting.items() if hopeful.issuperset(play.depends_on)]:
        hopeful.update(ready)
        for name in ready:
            del waiting[name]
    return {
        play.name: tuple(need for need in play.depends_on if need not in hopeful)
        for play in plan.plays
        if play.name in waiting or statuses.get(play.name) is P.BLOCKED
    }


def after_exit(
    outcome: AttemptOutcome,
    attempt: int,
    allowed: int,
    *,
    reason: str | None = None,
    resets_at: float | None = None,
    now: float = 0.0,
    aborting: bool = False,
) -> Transition:
    """What follows the end of an attempt: the gates, another attempt, a pause, or a person."""
    match outcome:
        case AttemptOutcome.COMPLETED:
            return Transition(status=P.RUNNING_COMPLETE, attempt=attempt)
        case AttemptOutcome.LIMITED:
            until = resets_at if resets_at is not None else now + PARK_SECONDS
            return Transition(status=P.PREPARED, attempt=attempt, reason=reason or "a usage limit", parked_until=until)
        case AttemptOutcome.STOPPED if aborting:
            return Transition(status=P.ABORTED_AFTER_FINISH, attempt=attempt, reason=ABORTED)
        case AttemptOutcome.STOPPED:
            return Transition(
                status=P.ESCALATED, attempt=attempt, reason=reason or "its agent was stopped from outside"
            )
        case AttemptOutcome.FAILED | AttemptOutcome.TIMED_OUT:
            return again(attempt, allowed, reason or f"its agent {outcome.replace('_', ' ')}")
    assert_never(outcome)


def again(attempt: int, allowed: int, reason: str) -> Transition:
    """Another attempt with what went wrong, or a person when there were enough."""
    if attempt < allowed:
        return Transition(status=P.REDOING, attempt=attempt + 1, reason=reason)
    return Transition(status=P.ESCALATED, attempt=attempt, reason=reason)


def after_verdict(
    passed: bool, status: PlayStatus, attempt: int, allowed: int, *, reason: str | None = None, approved: bool = False
) -> list[Transition]:
    """What follows the gates that need no person; two steps when they failed, because both are written."""
    if passed:
        return [] if status is P.GATED else [Transition(status=P.GATED, attempt=attempt, approved=approved)]
    why = reason or "a gate failed"
    return [Transition(status=P.GATE_FAILED, attempt=attempt, reason=why), again(attempt, allowed, why)]


def after_merge(
    result: MergeResult, attempt: int, allowed: int, *, files: Sequence[str] = (), reason: str | None = None
) -> Transition | None:
    """What follows a merge that was tried; None: the gates look again at the new merge result."""
    match result:
        case MergeResult.MERGED | MergeResult.ALREADY:
            return Transition(status=P.MERGED, attempt=attempt)
        case MergeResult.CONFLICT:
            return again(attempt, allowed, f"it conflicts with what was merged meanwhile in {', '.join(files) or '?'}")
        case MergeResult.MOVED:
            return None
        case MergeResult.FAILED:
            return Transition(status=P.ESCALATED, attempt=attempt, reason=reason or "it could not be merged")
    assert_never(result)


def after_word(
    word: DecisionKind, status: PlayStatus, attempt: int, allowed: int, *, feedback: str | None = None, play: str = "it"
) -> Transition:
    """What follows a person's decision; IllegalTransition where it means nothing."""
    check_word(word, status, play)
    match word:
        case DecisionKind.APPROVE:
            # one whose gates passed still has to pass them when the branch has moved on
            anyway = status is not P.GATED
            return Transition(status=P.GATED, attempt=attempt, approved=True, anyway=anyway, reason=feedback)
        case DecisionKind.REJECT if status is P.ESCALATED:
            return Transition(status=P.ABORTED_AFTER_FINISH, attempt=attempt, reason=feedback or "a person gave it up")
        case DecisionKind.REJECT:
            return again(attempt, allowed, feedback or "a person rejected it")
        case DecisionKind.REDO:
            reason = feedback or "a person wants it redone"
            return Transition(status=P.REDOING, attempt=attempt + 1, allowed=max(allowed, attempt + 1), reason=reason)
        case DecisionKind.ESCALATE:
            return Transition(status=P.ESCALATED, attempt=attempt, reason=feedback or "a person took it over")
    assert_never(word)


def check_word(word: DecisionKind, status: PlayStatus, play: str) -> None:
    """Refuse a word that means nothing for a play in this status."""
    if status in DECIDABLE[word]:
        return
    when = ", ".join(sorted(DECIDABLE[word]))
    raise IllegalTransition(
        f"{play} is {status}; there is nothing to {word}", hint=f"{word} works for a play that is: {when}"
    )


def needs_person(plan: Plan, plays: Mapping[str, PlayState]) -> dict[str, str]:
    """The plays that go on when a person says something, and what they are asked."""
    found = {}
    for name in plan.names:
        standing = plays.get(name, PlayState())
        if standing.status is P.ESCALATED:
            found[name] = "it could not be done without help: approve, redo or reject it"
        elif standing.status is P.GATED and waits_for_person(plan, name, standing):
            found[name] = "its gates passed and a person has to look: approve or reject it"
    return found


def waits_for_person(plan: Plan, name: str, standing: PlayState) -> bool:
    """Whether a gated play is held by a person's gate."""
    return not standing.approved and any(gate.kind is GateKind.PERSON for gate in plan.gates_of(name))


def ending(
    plan: Plan, statuses: Mapping[str, PlayStatus], *, aborted: bool = False, accepted: bool = False
) -> ShowStatus | None:
    """How the show ends now, None while it goes on. Completed still needs the final gates to agree."""
    found = [statuses.get(name, P.PENDING) for name in plan.names]
    if aborted:
        return None if any(status in PLAYS_IN_PROGRESS for status in found) else ShowStatus.ABORTED
    if all(status is P.MERGED for status in found):
        return ShowStatus.COMPLETED
    settled = all(status is P.MERGED or status in PLAYS_STUCK for status in found)
    return ShowStatus.COMPLETED if accepted and settled else None


def after_final(passed: bool) -> ShowStatus:
    """ADR-0011, step 7."""
    return ShowStatus.COMPLETED if passed else ShowStatus.ABORTED
