"""The timeline of a show: one bar for each attempt of a play, with its agent, its gates and its waits for a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PLAYS, SESSIONS, PlayStatus, ShowStatus, row_of
from lionstudio.state.connection import Connection
from lionstudio.state.show_activity import PlayRun, list_play_changes, list_play_runs, list_show_questions
from lionstudio.state.shows import find_show, list_plays

_MOST_ATTEMPTS = 100  # of one play


class _Phase(NamedTuple):
    kind: str  # agent | gate | wait
    start: float
    end: float | None  # None: it goes on


class _Attempt(NamedTuple):
    number: int
    phases: list[_Phase]


def show_timeline(conn: Connection, topic: str) -> list[dict[str, Any]]:
    """The attempts of every play that has begun; empty for a show that is only on disk."""
    show = find_show(conn, topic)
    if show is None:
        return []
    changes, runs = list_play_changes(conn, show.id), list_play_runs(conn, topic)
    waits: dict[str, list[_Phase]] = {}
    for question in list_show_questions(conn, topic):
        if question["play"] is not None and (question["is_open"] or question["answered_at"] is not None):
            wait = _Phase("wait", question["created_at"], question["answered_at"])
            waits.setdefault(question["play"], []).append(wait)
    ended = show.updated_at if show.status is not ShowStatus.ACTIVE else None
    plays = []
    for play in list_plays(conn, show.id):
        own = [run for run in runs if run.play == play.name]
        attempts = _attempts(changes.get(play.name, ())) or _from_runs(own) or _from_columns(play)
        listed = [_attempt_json(attempt, attempts, own, waits.get(play.name, ()), play, ended) for attempt in attempts]
        if listed:
            plays.append({"name": play.name, "attempts": listed})
    return plays


def _attempts(changes: Sequence[tuple[float, str]]) -> list[_Attempt]:
    """The attempts by the status history; a play that was parked continues the same attempt."""
    attempts: list[_Attempt] = []
    redo = True
    for (at, status), following in zip(changes, [*changes[1:], None], strict=True):
        redo = redo or status == PlayStatus.REDOING
        kind = PLAYS[PlayStatus(status)].phase if status in PLAYS else None
        if kind is None or (not attempts and kind != "agent"):
            continue
        if kind == "agent" and redo:
            attempts.append(_Attempt(len(attempts) + 1, []))
            redo = False
        attempts[-1].phases.append(_Phase(kind, at, following[0] if following else None))
    return attempts[-_MOST_ATTEMPTS:]


def _from_runs(runs: Sequence[PlayRun]) -> list[_Attempt]:
    """The attempts by their runs, for rows without a history."""
    return [
        _Attempt(number, [_Phase("agent", run.started_at, run.ended_at)])
        for number, run in enumerate(runs[-_MOST_ATTEMPTS:], 1)
        if isinstance(run.started_at, float)
    ]


def _from_columns(play: Play) -> list[_Attempt]:
    if not isinstance(play.started_at, (int, float)):
        return []
    return [_Attempt(play.attempt, [_Phase("agent", play.started_at, play.ended_at)])]


def _attempt_json(
    attempt: _Attempt,
    attempts: Sequence[_Attempt],
    runs: Sequence[PlayRun],
    waits: Iterable[_Phase],
    play: Play,
    ended: float | None,
) -> dict[str, Any]:
    start = attempt.phases[0].start
    later = [other.phases[0].start for other in attempts if other.number > attempt.number]
    until = min(later, default=None)
    # a run begins after its play is running, and before the next attempt
    run = next(
        (
            run
            for run in reversed(runs)
            if (run.started_at or 0.0) >= start - 1 and (until is None or (run.started_at or 0.0) < until)
        ),
        None,
    )
    own_waits = [wait for wait in waits if wait.start >= start and (until is None or wait.start < until)]
    phases = [
        phase._replace(end=ended) if phase.end is None and ended is not None else phase for phase in attempt.phases
    ]
    session = None if run is None else run.id
    if session is None and until is None:
        session = play.session_id
    return {
        "attempt": attempt.number,
        "session_id": session,
        "host": None if run is None else run.host,
        "status": None if run is None else run.status,
        "failed": run is not None and row_of(SESSIONS, run.status or "").outcome == "failed",
        "phases": [{"kind": kind, "from": begin, "to": end} for kind, begin, end in _with_waits(phases, own_waits)],
    }


def _with_waits(phases: Iterable[_Phase], waits: Sequence[_Phase]) -> Iterator[_Phase]:
    """The phases in their order, without the time in which a person was asked, and the waits."""
    parts: list[_Phase] = list(waits)
    for phase in phases:
        parts += _without(phase, sorted(waits, key=lambda wait: wait.start))
    return iter(sorted(parts, key=lambda part: part.start))


def _without(phase: _Phase, waits: Sequence[_Phase]) -> Iterator[_Phase]:
    start, never = phase.start, float("inf")
    for wait in waits:
        if wait.start >= (phase.end or never) or (wait.end or never) <= start:
            continue
        if wait.start > start:
            yield phase._replace(start=start, end=wait.start)
        if wait.end is None:
            return
        start = wait.end
    if start < (phase.end or never):
        yield phase._replace(start=start)
