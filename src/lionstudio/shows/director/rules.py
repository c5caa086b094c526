"""The rules of a show, pure functions: what may start, what is blocked, what follows an event, when the show ends.

`machine.py` combines them: events in, commands out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import assert_never

from lionstudio.errors import IllegalTransition
from lionstudio.model.shows.decisions import BudgetPart, DecisionKind, ReasonCode
from lionstudio.model.shows.plan import Budget, Plan, PlannedPlay, awaits_approval
from lionstudio.model.status.statuses import (
    PLAYS,
    PLAYS_IN_PROGRESS,
    PLAYS_STUCK,
    PLAYS_WAITING_TO_START,
    PlayStatus,
    ShowStatus,
)
from lionstudio.shows.director.events import AttemptOutcome, MergeResult, Spent
from lionstudio.shows.director.state import PlayState, Transition

P = PlayStatus
PARK_SECONDS = 900.0  # when a usage limit does not say when it ends
# The statuses in which each decision is allowed.
DECIDABLE: Mapping[DecisionKind, frozenset[PlayStatus]] = {
    kind: frozenset(status for status, row in PLAYS.items() if kind in row.decisions) for kind in DecisionKind
}


def startable_plays(
    plan: Plan,
    statuses: Mapping[str, PlayStatus],
    running: Collection[str],
    spent: Spent = Spent(),  # noqa: B008  (frozen)
    *,
    providers: Mapping[str, str] | None = None,
    parked: Mapping[str, float] | None = None,
    now: float = 0.0,
) -> list[str]:
    """List the plays to start now: dependencies merged, slots and budget left, not parked.

    Plays with a checkout come first, then those with the longest chain of dependents.
    """
    if exhausted_budget(plan.budget, spent) is not None:
        return []
    active = list(running)
    ready = {
        play.name
        for play in plan.plays
        if statuses.get(play.name, P.PENDING) in PLAYS_WAITING_TO_START
        and play.name not in running
        and not play.waits
        and has_merged_dependencies(play, statuses)
        and (parked or {}).get(play.name, 0.0) <= now
    }
    if not ready or len(active) >= plan.concurrency:
        return []
    startable = []
    for name in sorted(by_urgency(plan), key=lambda name: statuses.get(name) is not P.PREPARED):
        has_slot = len(active) < plan.concurrency and _provider_has_slot(plan, name, active, providers or {})
        if name in ready and has_slot:
            active.append(name)
            startable.append(name)
    return startable


def has_merged_dependencies(play: PlannedPlay, statuses: Mapping[str, PlayStatus]) -> bool:
    return all(statuses.get(dependency) is P.MERGED for dependency in play.depends_on)


def _provider_has_slot(plan: Plan, name: str, active: Sequence[str], providers: Mapping[str, str]) -> bool:
    provider = providers.get(name)
    limit = plan.provider_limits.get(provider) if provider is not None else None
    return limit is None or sum(providers.get(other) == provider for other in active) < limit


def by_urgency(plan: Plan) -> list[str]:
    """Sort the plays by the length of their chain of dependents, longest first, so that the show ends soonest."""
    dependents: dict[str, list[str]] = {name: [] for name in plan.names}
    for play in plan.plays:
        for dependency in play.depends_on:
            dependents.setdefault(dependency, []).append(play.name)
    depth: dict[str, int] = {}
    while ready := [name for name, later in dependents.items() if all(other in depth for other in later)]:
        for name in ready:
            depth[name] = 1 + max((depth[other] for other in dependents.pop(name)), default=0)
    return sorted(plan.names, key=lambda name: -depth.get(name, 0))


def exhausted_budget(budget: Budget, spent: Spent) -> BudgetPart | None:
    """Return the first part of the budget that is exhausted."""
    limits = (
        (BudgetPart.TOKENS, budget.tokens, spent.tokens),
        (BudgetPart.MONEY, budget.cost_microusd, spent.cost_microusd),
        (BudgetPart.TIME, budget.seconds, spent.seconds),
    )
    return next((part for part, limit, used in limits if limit is not None and used >= limit), None)


def blocked_plays(plan: Plan, statuses: Mapping[str, PlayStatus]) -> dict[str, tuple[str, ...]]:
    """Map each play that cannot start to the plays that block it; () for a blocked play that is free again."""
    waiting = {play.name: play for play in plan.plays if PLAYS[statuses.get(play.name, P.PENDING)].can_be_blocked}
    stuck = {name for name in plan.names if statuses.get(name) in PLAYS_STUCK}
    # the plays that will be merged if all goes well; a name that is not in the plan, or in a cycle, never gets in
    hopeful = set(plan.names) - stuck - set(waiting)
    while ready := [name for name, play in waiting.items() if hopeful.issuperset(play.depends_on)]:
        hopeful.update(ready)
        for name in ready:
            del waiting[name]
    return {
        play.name: tuple(dependency for dependency in play.depends_on if dependency not in hopeful)
        for play in plan.plays
        if play.name in waiting or statuses.get(play.name) is P.BLOCKED
    }


def after_attempt(
    outcome: AttemptOutcome,
    attempt: int,
    allowed: int,
    *,
    reason: str | None = None,
    resets_at: float | None = None,
    now: float = 0.0,
    aborting: bool = False,
) -> Transition:
    """Return the transition after an attempt: the gates, another attempt, a pause, or a person."""
    match outcome:
        case AttemptOutcome.COMPLETED:
            return Transition(status=P.RUNNING_COMPLETE, attempt=attempt)
        case AttemptOutcome.LIMITED:
            until = resets_at if resets_at is not None else now + PARK_SECONDS
            return Transition(
                status=P.PREPARED, attempt=attempt, reason=reason or "usage limit reached", parked_until=until
            )
        case AttemptOutcome.STOPPED if aborting:
            return aborted(attempt)
        case AttemptOutcome.STOPPED:
            return Transition(status=P.ESCALATED, attempt=attempt, reason=reason or "another process stopped the agent")
        case AttemptOutcome.FAILED | AttemptOutcome.TIMED_OUT:
            return retry_or_escalate(attempt, allowed, reason or f"the agent {outcome.replace('_', ' ')}")
    assert_never(outcome)


def aborted(attempt: int) -> Transition:
    """Return the transition of a play that an abort of the show ends."""
    return Transition(
        status=P.ABORTED_AFTER_FINISH,
        attempt=attempt,
        reason="the show was aborted",
        reason_code=ReasonCode.SHOW_ABORTED,
    )


def retry_or_escalate(attempt: int, allowed: int, reason: str) -> Transition:
    """Return another attempt that gets the reason, or an escalation when no attempts are left."""
    if attempt < allowed:
        return Transition(status=P.REDOING, attempt=attempt + 1, reason=reason)
    return Transition(status=P.ESCALATED, attempt=attempt, reason=reason)


def after_gates(
    passed: bool,
    status: PlayStatus,
    attempt: int,
    allowed: int,
    *,
    reason: str | None = None,
    approved: bool = False,
    needs_person: ReasonCode | None = None,
) -> list[Transition]:
    """Return the transitions after the gates that need no person; a failure takes two, and both are written."""
    if passed:
        return [] if status is P.GATED else [Transition(status=P.GATED, attempt=attempt, approved=approved)]
    why = reason or "a gate failed"
    failed = Transition(status=P.GATE_FAILED, attempt=attempt, reason=why)
    if needs_person is not None:
        return [failed, Transition(status=P.ESCALATED, attempt=attempt, reason=why, reason_code=needs_person)]
    return [failed, retry_or_escalate(attempt, allowed, why)]


def after_merge(
    result: MergeResult, attempt: int, allowed: int, *, files: Sequence[str] = (), reason: str | None = None
) -> Transition | None:
    """Return the transition after a merge; None: the gates run again on the new merge result."""
    match result:
        case MergeResult.MERGED | MergeResult.ALREADY:
            return Transition(status=P.MERGED, attempt=attempt)
        case MergeResult.CONFLICT:
            return retry_or_escalate(attempt, allowed, conflict_reason(files))
        case MergeResult.MOVED | MergeResult.FOREIGN:
            return None
        case MergeResult.FAILED:
            return Transition(status=P.ESCALATED, attempt=attempt, reason=reason or "the merge failed")
    assert_never(result)


def conflict_reason(files: Sequence[str]) -> str:
    return f"merge conflict with other plays in {', '.join(files) or 'some files'}"


def after_decision(
    kind: DecisionKind,
    status: PlayStatus,
    attempt: int,
    allowed: int,
    *,
    feedback: str | None = None,
    play: str = "the play",
) -> Transition:
    """Return the transition after a decision of a person; IllegalTransition where the decision does not apply."""
    check_decision(kind, status, play)
    match kind:
        case DecisionKind.APPROVE:
            # a play whose gates passed must pass them again when the branch has moved on
            anyway = status is not P.GATED
            return Transition(status=P.GATED, attempt=attempt, approved=True, anyway=anyway, reason=feedback)
        case DecisionKind.REJECT if status is P.ESCALATED:
            return Transition(
                status=P.ABORTED_AFTER_FINISH,
                attempt=attempt,
                reason=feedback or "rejected by a person",
                reason_code=ReasonCode.REJECTED,
            )
        case DecisionKind.REJECT:
            return retry_or_escalate(attempt, allowed, feedback or "rejected by a person")
        case DecisionKind.REDO:
            reason = feedback or "a person requested another attempt"
            return Transition(status=P.REDOING, attempt=attempt + 1, allowed=max(allowed, attempt + 1), reason=reason)
        case DecisionKind.ESCALATE:
            return Transition(status=P.ESCALATED, attempt=attempt, reason=feedback or "escalated by a person")
    assert_never(kind)


def check_decision(kind: DecisionKind, status: PlayStatus, play: str) -> None:
    """Refuse a decision that does not apply to the status of the play."""
    if status in DECIDABLE[kind]:
        return
    allowed = ", ".join(sorted(DECIDABLE[kind]))
    raise IllegalTransition(f"{play} is {status}; you cannot {kind} it", hint=f"{kind} applies to plays in: {allowed}")


def needs_person(plan: Plan, plays: Mapping[str, PlayState]) -> dict[str, str]:
    """Map each play that waits for a decision of a person to the question they are asked."""
    questions = {}
    for name in plan.names:
        state = plays.get(name, PlayState())
        if state.status is P.ESCALATED:
            questions[name] = "the play is escalated: approve, redo or reject it"
        elif state.status is P.GATED and awaits_approval(plan, name, approved=state.approved):
            questions[name] = "the gates passed and your approval is required: approve or reject the play"
    return questions


def show_outcome(
    plan: Plan, statuses: Mapping[str, PlayStatus], *, aborted: bool = False, accepted: bool = False
) -> ShowStatus | None:
    """Return the final status of the show, None while it runs. Completed is subject to the final gates."""
    current = [statuses.get(name, P.PENDING) for name in plan.names]
    if aborted:
        return None if any(status in PLAYS_IN_PROGRESS for status in current) else ShowStatus.ABORTED
    if all(status is P.MERGED for status in current):
        return ShowStatus.COMPLETED
    settled = all(status is P.MERGED or status in PLAYS_STUCK for status in current)
    return ShowStatus.COMPLETED if accepted and settled else None


def after_final_gates(passed: bool) -> ShowStatus:
    """Return the final status of the show (ADR-0011, step 7)."""
    return ShowStatus.COMPLETED if passed else ShowStatus.ABORTED
