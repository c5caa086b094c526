"""How a running show looks: a picture that is drawn again on a terminal, a line for each change in a pipe."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Callable
from typing import Any, Protocol, Self

from lionstudio.cli._show.snapshot import ShowSnapshot
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import cost, span, tokens
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import styles_for, width_of
from lionstudio.model.shows.show import Play
from lionstudio.model.status.statuses import PLAYS, PlayStatus, row_of

P = PlayStatus
_BAR = 24
_BESIDE = 5  # lines that are no plays
_COLUMNS = (
    Column("play", narrowest=8),
    Column("state"),
    Column("try", right=True, rank=3),
    Column("time", right=True, rank=2),
    Column("now", narrowest=10, rank=1),
)


Advice = Callable[[ShowSnapshot], str]


def usual_advice(now: ShowSnapshot) -> str:
    """What is said once when nothing goes on without a person."""
    return f"waits for a person: {inline(', '.join(now.waits_for))}; li show status {now.topic}"


class View(Protocol):
    """Somebody who is shown a show again and again."""

    def show(self, now: ShowSnapshot) -> None:
        """Show it as it is now."""

    def __enter__(self) -> Self:
        """Begin."""

    def __exit__(self, *_: object) -> None:
        """Leave a clean screen behind."""


class ShowLiveView:
    """The DAG with states, a bar, what each play does, cost and time; drawn over itself."""

    def __init__(self, *, plain: bool = False, advice: Advice | None = None) -> None:
        self._paint = styles_for(sys.stdout, refused=plain)
        self._advice = advice
        self._drawn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        flush()

    def show(self, now: ShowSnapshot) -> None:
        """Draw it where it was drawn before."""
        room = width_of(sys.stdout) - 1
        advice = self._advised(now, room)
        shown = _most_telling(now.plays, _height() - _BESIDE - len(advice))
        lines = [
            *head(now, room, self._paint),
            *render(_COLUMNS, [_row(now, play) for play in shown], room, self._paint),
        ]
        if len(shown) < len(now.plays):
            lines.append(f"… and {len(now.plays) - len(shown)} more; li show status {now.topic}")
        lines += advice
        up = f"\x1b[{self._drawn}A\r\x1b[J" if self._drawn else ""
        emit(up + "\n".join(lines) + "\n")
        flush()
        self._drawn = len(lines)

    def _advised(self, now: ShowSnapshot, room: int) -> list[str]:
        """What a person can do, in lines that the terminal does not break."""
        if self._advice is None or now.busy or not now.waits_for:
            return []
        lines = self._advice(now).splitlines()
        return [part for line in lines for part in textwrap.wrap(line, room, break_on_hyphens=False)]


def _height() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).lines
    except OSError:
        return 24


def _most_telling(plays: list[Play], room: int) -> list[Play]:
    """As many as fit, in their order: what is done and what has not begun leave first."""
    if len(plays) <= max(room, 1):
        return plays
    dull = sorted(range(len(plays)), key=lambda number: (row_of(PLAYS, plays[number].status).is_minor, number))
    return [plays[number] for number in sorted(dull[: max(room, 1)])]


def head(now: ShowSnapshot, room: int, paint: Any) -> list[str]:
    """What the show is about, how far it is, and what it has cost."""
    full, empty = "━─" if (sys.stdout.encoding or "").lower() == "utf-8" else "#-"
    share = now.merged / len(now.plays) if now.plays else 1.0
    bar = full * round(share * _BAR) + empty * (_BAR - round(share * _BAR))
    running = sum(play.status is P.RUNNING for play in now.plays)
    facts = [f"{now.merged}/{len(now.plays)} merged", f"{running} running", span(now.until - now.began)]
    if now.busy and (left := now.left_seconds) is not None:
        facts.append(f"about {span(left)} left")
    if now.waits_for and not now.busy:
        facts.append("waits for a person")
    if now.usage.tokens:
        facts.append(f"{tokens(now.usage.tokens)} tokens")
    if now.usage.cost_microusd:
        facts.append(cost(now.usage.cost_microusd))
    title = inline(f"{now.topic}  {now.goal}")[:room]
    told = f"  {' · '.join(facts)}"[: max(room - _BAR, 0)]
    return [paint(title, "bold"), paint(bar, "green") + told]


def _row(now: ShowSnapshot, play: Play) -> list[Cell]:
    row = row_of(PLAYS, play.status)
    name = f"{'  ' * now.depths[play.name]}{row.mark} {inline(play.name)}"
    took = max((play.ended_at or now.until) - play.started_at, 0.0) if play.started_at else None
    tried = str(play.attempt) if play.started_at else ""
    return [
        Cell(name, row.style),
        Cell(str(play.status), row.style),
        Cell(tried),
        Cell(span(took) if took is not None else ""),
        Cell(_about(now, play), "dim"),
    ]


def _about(now: ShowSnapshot, play: Play) -> str:
    meta: Any = play.metadata.get("meta") or {}
    if play.status is P.RUNNING:
        return now.doing.get(play.name, "")
    if play.status is P.PENDING and play.depends_on:
        return f"after {', '.join(play.depends_on)}"
    if play.status is P.PREPARED and meta.get("parked_until"):
        return f"parked until {time.strftime('%H:%M', time.localtime(meta['parked_until']))}: a usage limit"
    if play.status is P.GATED and play.name in now.needs_person:
        return f"li show approve {now.topic} {play.name}"
    return inline(str(meta.get("reason") or ""))


class PlainView:
    """One line, or one JSON record, whenever a play has moved."""

    def __init__(self, *, as_json: bool = False, quiet: bool = False, advice: Advice = usual_advice) -> None:
        self._json, self._quiet = as_json, quiet
        self._advice = advice
        self._before: dict[str, tuple[str, int]] = {}
        self._waiting: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        flush()

    def show(self, now: ShowSnapshot) -> None:
        """Say what has changed since the last time."""
        for play in now.plays:
            key = (str(play.status), play.attempt)
            if self._before.get(play.name, ("pending", 1)) != key:
                self._say(now, play)
            self._before[play.name] = key
        waiting = [] if now.busy else now.waits_for
        if waiting and waiting != self._waiting and not (self._json or self._quiet):
            emit(" ".join(self._advice(now).splitlines()) + "\n")
        self._waiting = waiting
        flush()

    def _say(self, now: ShowSnapshot, play: Play) -> None:
        meta: Any = play.metadata.get("meta") or {}
        if self._json:
            record = {"type": "play", "schema_version": 1, "topic": now.topic, "play": play.name}
            told = {"status": str(play.status), "attempt": play.attempt, "session_id": play.session_id}
            emit(to_json({**record, **told, "reason": meta.get("reason"), "at": now.now}) + "\n")
        elif not self._quiet:
            again = f" (attempt {play.attempt})" if play.attempt > 1 else ""
            reason = meta.get("reason") if play.status is not P.MERGED else None
            emit(f"{inline(play.name)} {play.status}{again}{f': {inline(str(reason))}' if reason else ''}\n")
