"""The DAG of a show: blocked plays, and the critical path."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PLAYS, PLAYS_STUCK, PlayStatus, row_of


def blocked_by(plays: Sequence[Play]) -> dict[str, tuple[str, ...]]:
    """Map each play that cannot start to its blockers: stuck plays, unknown names, plays of a cycle."""
    waiting = {play.name: play for play in plays if row_of(PLAYS, play.status).can_be_blocked}
    # the plays that will be merged if all goes well; a cycle never gets in
    hopeful = {play.name for play in plays if play.status not in PLAYS_STUCK} - set(waiting)
    while ready := [name for name, play in waiting.items() if hopeful.issuperset(play.depends_on)]:
        hopeful.update(ready)
        for name in ready:
            del waiting[name]
    merged = {play.name for play in plays if play.status is PlayStatus.MERGED}
    return {
        # a blocked play whose dependencies may still be merged waits for those that are not
        play.name: _missing(play, hopeful) or _missing(play, merged)
        for play in plays
        if play.name in waiting or play.status is PlayStatus.BLOCKED
    }


def _missing(play: Play, present: set[str]) -> tuple[str, ...]:
    return tuple(dependency for dependency in dict.fromkeys(play.depends_on) if dependency not in present)


def critical_path(plays: Iterable[Play], now: float) -> tuple[str, ...]:
    """Return the chain of plays that decides when the show ends: the longest by time, or by count without times."""
    by_name = {play.name: play for play in plays}
    best: dict[str, tuple[float, tuple[str, ...]]] = {}
    for name in _topological_order(by_name):
        play = by_name[name]
        before = max((best[dependency] for dependency in play.depends_on if dependency in best), default=(0.0, ()))
        best[name] = (before[0] + _weight(play, now), (*before[1], name))
    return max(best.values(), default=(0.0, ()))[1]


def _weight(play: Play, now: float) -> float:
    """Return the seconds spent; a play that has not run counts as one, so that the structure decides."""
    if not isinstance(play.started_at, (int, float)):  # None, or a value of another program
        return 1.0
    return max(1.0, (play.ended_at if isinstance(play.ended_at, (int, float)) else now) - play.started_at)


def _topological_order(plays: Mapping[str, Play]) -> list[str]:
    """Sort dependencies first, without plays in a cycle: a plan that is not a DAG must not hang a page."""
    waiting = {name: plays.keys() & set(play.depends_on) for name, play in plays.items()}
    order: list[str] = []
    while ready := sorted(name for name, needs in waiting.items() if not needs):
        order += ready
        for name in ready:
            del waiting[name]
        for needs in waiting.values():
            needs.difference_update(ready)
    return order
