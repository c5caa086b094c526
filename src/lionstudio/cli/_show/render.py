"""Views of a running show: a redrawn table on a terminal, one line per change in a pipe."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Callable
from typing import Any, Protocol, Self

from lionstudio.cli._show.advice import advice_lines
from lionstudio.cli._show.snapshot import ShowSnapshot
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import cost, span, tokens
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import styles_for, width_of
from lionstudio.model.shows.show import Play
from lionstudio.model.status.computed_state import play_state
from lionstudio.model.status.statuses import PLAYS, PlayStatus, row_of

P = PlayStatus
_BAR = 24
_OTHER_LINES = 5  # lines around the table of plays
_COLUMNS = (
    Column("PLAY", narrowest=8),
    Column("STATE"),
    Column("ATTEMPT", right=True, rank=3),
    Column("TIME", right=True, rank=2),
    Column("NOW", narrowest=10, rank=1),
)


Advice = Callable[[ShowSnapshot], str]


def default_advice(now: ShowSnapshot) -> str:
    return f"needs you: {inline(', '.join(now.waits_for))}. Details: li show status {now.topic}{now.where}"


class View(Protocol):
    def show(self, now: ShowSnapshot) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


class ShowLiveView:
    """A progress bar and a table of plays with state, activity, cost and time, redrawn in place."""

    def __init__(self, *, plain: bool = False, advice: Advice | None = None) -> None:
        self._paint = styles_for(sys.stdout, refused=plain)
        self._advice = advice
        self._drawn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        flush()

    def show(self, now: ShowSnapshot) -> None:
        columns = width_of(sys.stdout) - 1
        advice = self._advice_lines(now, columns)
        visible = _visible_plays(now.plays, _height() - _OTHER_LINES - len(advice))
        lines = [
            *heading(now, columns, self._paint),
            *render(_COLUMNS, [_row(now, play) for play in visible], columns, self._paint),
        ]
        if len(visible) < len(now.plays):
            lines.append(f"… and {len(now.plays) - len(visible)} more: li show status {now.topic}{now.where}")
        lines += advice
        up = f"\x1b[{self._drawn}A\r\x1b[J" if self._drawn else ""
        emit(located("\n".join(lines)) + "\n", controls=up)
        flush()
        self._drawn = len(lines)

    def _advice_lines(self, now: ShowSnapshot, columns: int) -> list[str]:
        """The advice, wrapped to the terminal."""
        if self._advice is not None:
            lines = self._advice(now).splitlines() if now.waits_for and not now.busy else []
        else:
            lines = [line for text in advice_lines(now) for line in text.splitlines()]
        lines = [*_waiting_lines(now), *lines]
        return [part for line in lines for part in textwrap.wrap(line, columns, break_on_hyphens=False)]


def _height() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines
    except OSError:
        return 24


def _visible_plays(plays: list[Play], lines: int) -> list[Play]:
    """As many plays as fit, in order; finished and pending ones are dropped first."""
    if len(plays) <= max(lines, 1):
        return plays
    ranked = sorted(range(len(plays)), key=lambda number: (row_of(PLAYS, plays[number].status).is_minor, number))
    return [plays[number] for number in sorted(ranked[: max(lines, 1)])]


def heading(now: ShowSnapshot, columns: int, paint: Any) -> list[str]:
    """The goal, the progress and the usage of a show."""
    full, empty = "━─" if (sys.stdout.encoding or "").lower() == "utf-8" else "#-"
    share = now.merged / len(now.plays) if now.plays else 1.0
    bar = full * round(share * _BAR) + empty * (_BAR - round(share * _BAR))
    running = sum(play.status is P.RUNNING and play.name not in now.waits for play in now.plays)
    facts = [f"{now.merged}/{len(now.plays)} merged", f"{running} running", span(now.until - now.started)]
    if now.busy and not now.waits and (seconds := now.remaining_seconds) is not None:
        facts.append(f"about {span(seconds)} left")
    if now.waits_for and not now.busy:
        facts.append("needs you")
    if now.usage.tokens:
        facts.append(f"{tokens(now.usage.tokens)} total tokens")
    if now.usage.cost_microusd:
        facts.append(cost(now.usage.cost_microusd))
    title = inline(f"{now.topic}  {now.goal}")[:columns]
    summary = f"  {' · '.join(facts)}"[: max(columns - _BAR, 0)]
    return [paint(title, "bold"), paint(bar, "green") + summary]


def _row(now: ShowSnapshot, play: Play) -> list[Cell]:
    merging, wait = play.name in now.merging, now.wait_of(play.name)
    row = row_of(PLAYS, P.RUNNING_COMPLETE if merging else play.status)  # the mark of a gated play is a question
    style = row.style if wait is None else "yellow"
    state = play_state(play.to_dict(), wait=wait, asked=not merging)
    name = f"{'  ' * now.depths[play.name]}{row.mark} {inline(play.name)}"
    duration = max((play.ended_at or now.until) - play.started_at, 0.0) if play.started_at else None
    attempt = str(play.attempt) if play.started_at else ""
    return [
        Cell(name, style),
        Cell(state.label, style),
        Cell(attempt),
        Cell(span(duration) if duration is not None else ""),
        Cell(_detail(now, play), "dim"),
    ]


def _detail(now: ShowSnapshot, play: Play) -> str:
    meta: Any = play.metadata.get("meta") or {}
    if play.status is P.RUNNING:
        return inline(now.wait_of(play.name) or "") or now.activity.get(play.name, "")
    if play.status is P.PENDING and play.depends_on:
        return f"after {', '.join(play.depends_on)}"
    if play.status is P.PREPARED and meta.get("parked_until"):
        return f"parked until {time.strftime('%H:%M', time.localtime(meta['parked_until']))}: usage limit"
    return inline(str(meta.get("reason") or ""))


def _waiting_lines(now: ShowSnapshot) -> list[str]:
    """Work that no worker takes unless a person starts, relabels, upgrades or undrains one."""
    waits = sorted((name, one) for name, one in now.waits.items() if one.needs_person)
    return [f"{inline(name) or 'the show'} waits: {inline(str(one.wait))}" for name, one in waits]


class PlainView:
    """One line, or one JSON record, per change of a play."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False, advice: Advice = default_advice) -> None:
        self._json, self._quiet = as_json, quiet
        self._advice = advice
        self._printed: dict[str, tuple[str, int]] = {}
        self._waiting: list[str] = []
        self._plan_error: str | None = None
        self._waits: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        flush()

    def show(self, now: ShowSnapshot) -> None:
        """Print the changes since the last call."""
        for play in now.plays:
            key = (str(play.status), play.attempt)
            if self._printed.get(play.name, ("pending", 1)) != key:
                self._print(now, play)
            self._printed[play.name] = key
        if now.plan_error != self._plan_error and now.plan_error and not (self._json or self._quiet):
            emit(f"the edited plan is ignored: {inline(now.plan_error)}\n")
        self._plan_error = now.plan_error
        waits = _waiting_lines(now)
        if not (self._json or self._quiet):
            emit("".join(f"{text}\n" for text in waits if text not in self._waits))
        self._waits = waits
        waiting = [] if now.busy else now.waits_for
        if waiting and waiting != self._waiting and not (self._json or self._quiet):
            emit(" ".join(self._advice(now).splitlines()) + "\n")
        self._waiting = waiting
        flush()

    def _print(self, now: ShowSnapshot, play: Play) -> None:
        meta: Any = play.metadata.get("meta") or {}
        if self._json:
            record = {"type": "play", "schema_version": 1, "topic": now.topic, "play": play.name}
            fields = {"status": str(play.status), "attempt": play.attempt, "session_id": play.session_id}
            emit(to_json({**record, **fields, "reason": meta.get("reason"), "at": now.now}) + "\n")
        elif not self._quiet:
            attempt = f" (attempt {play.attempt})" if play.attempt > 1 else ""
            reason = meta.get("reason") if play.status is not P.MERGED else None
            emit(f"{inline(play.name)} {play.status}{attempt}{f': {inline(str(reason))}' if reason else ''}\n")
