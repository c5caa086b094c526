"""Questions about a show's DAG that need only the plays: what is blocked, and what takes longest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PLAYS, PLAYS_STUCK, PlayStatus, row_of


def blocked_by(plays: Sequence[Play]) -> dict[str, tuple[str, ...]]:
    """Each play that cannot start, and what holds it: stuck plays, names that do not exist, plays that wait for it."""
    waiting = {play.name: play for play in plays if row_of(PLAYS, play.status).can_be_blocked}
    # those that will be merged if all goes well; a circle never gets in
    hopeful = {play.name for play in plays if play.status not in PLAYS_STUCK} - set(waiting)
    while ready := [name for name, play in waiting.items() if hopeful.issuperset(play.depends_on)]:
        hopeful.update(ready)
        for name in ready:
            del waiting[name]
    merged = {play.name for play in plays if play.status is PlayStatus.MERGED}
    return {
        # one that is marked blocked while its needs may still come waits for those that have not
        play.name: _missing(play, hopeful) or _missing(play, merged)
        for play in plays
        if play.name in waiting or play.status is PlayStatus.BLOCKED
    }


def _missing(play: Play, there: set[str]) -> tuple[str, ...]:
    return tuple(need for need in dict.fromkeys(play.depends_on) if need not in there)


def critical_path(plays: Iterable[Play], now: float) -> tuple[str, ...]:
    """The chain of plays that decides when the show ends: longest by time, by count where no times are known."""
    known = {play.name: play for play in plays}
    best: dict[str, tuple[float, tuple[str, ...]]] = {}
    for name in _ordered(known):
        play = known[name]
        before = max((best[need] for need in play.depends_on if need in best), default=(0.0, ()))
        best[name] = (before[0] + _weight(play, now), (*before[1], name))
    return max(best.values(), default=(0.0, ()), key=lambda found: (found[0], found[1]))[1]


def _weight(play: Play, now: float) -> float:
    """Seconds spent; a play that has not run counts as one so that structure decides among unknowns."""
    if not isinstance(play.started_at, (int, float)):  # None, or what another hand wrote
        return 1.0
    return max(1.0, (play.ended_at if isinstance(play.ended_at, (int, float)) else now) - play.started_at)


def _ordered(known: Mapping[str, Play]) -> list[str]:
    """Dependencies first; plays in a cycle are left out, a plan that is not a DAG must not hang a page."""
    waiting = {name: {need for need in play.depends_on if need in known} for name, play in known.items()}
    order: list[str] = []
    while ready := sorted(name for name, needs in waiting.items() if not needs):
        order += ready
        for name in ready:
            del waiting[name]
        for needs in waiting.values():
            needs.difference_update(ready)
    return order
