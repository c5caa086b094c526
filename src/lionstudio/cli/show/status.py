"""`li show status`: where every play of a show stands, since when, and what its gate said."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from lionstudio.cli._show import load
from lionstudio.cli._show.load import LoadedShow, has_ended, progress, time_of
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import words
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, cost, iso, local, span, tokens
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import TONES, Paint, is_terminal, styles_for, width_of
from lionstudio.errors import NotFound
from lionstudio.model.shows.play_graph import blocked_by
from lionstudio.model.shows.show import Play
from lionstudio.model.status.computed_state import play_state
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.shows.process.lock import find_director, has_director
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.state.show_usage import ShowUsage, usage_of_show

EXAMPLES = (
    ("li show status parser", "where every play stands"),
    ("li show status parser --watch", "the same, kept up to date until the show ends"),
    ("li show status parser --json | jq -r '.show.plays[] | select(.status == \"escalated\") | .name'", "for a script"),
)
_COLUMNS = (
    Column("PLAY", narrowest=12),
    Column("STATE"),
    Column("ATTEMPT", right=True),
    Column("SINCE", right=True, rank=1),
    Column("SESSION", rank=2),
    Column("GATE", rank=1),
    Column("WHY", narrowest=24, rank=3),
)
_SHORT_ID = 13  # as in `li state ls`
_LOOK_SECONDS = 0.5
_CLEAR = "\x1b[H\x1b[J"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=words, metavar="TOPIC", help="the show")
    parser.add_argument("--watch", action="store_true", help="stay, and print it again when something changes")


def run(args: argparse.Namespace) -> int:
    """Print where it stands; with --watch until it has ended."""
    last: Any = None
    while True:
        found = load.get(args)
        directed = has_director(_folder(args))
        seen = (found.show, found.plays, directed)
        if seen != last or is_terminal():
            _print(args, found, again=last is not None)
            last = seen
        if not args.watch or has_ended(found.show.status):
            return 0
        flush()
        time.sleep(_LOOK_SECONDS)


def _folder(args: argparse.Namespace) -> str:
    return find_show_dir(db_access.settings_of(args), args.topic)


def _print(args: argparse.Namespace, found: LoadedShow, *, again: bool) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        director = find_director(_folder(args))
        wire = {**load.show_json(found), "directed": has_director(_folder(args))}
        used = _usage(args)
        print_json(
            {
                "show": wire,
                "director": None if director is None else director._asdict(),
                "usage": None if used is None else used._asdict(),
            }
        )
    elif is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        emit((_CLEAR if again else "") + "\n".join(_lines(args, found, paint)) + "\n")
    else:
        emit("".join("\t".join(_plain(play)) + "\n" for play in found.plays))


def _lines(args: argparse.Namespace, found: LoadedShow, paint: Paint) -> list[str]:
    show, held, now = found.show, blocked_by(found.plays), time.time()
    directed = has_director(_folder(args))
    working = "its director works" if directed else "nobody directs it"
    ended = has_ended(show.status)
    head = f"{paint(inline(show.topic), 'bold')}  {show.status}  {progress(found.plays)} merged"
    began, until = time_of(show.status, found.plays, now)
    took = f"  in {span(until - began)}" if until > began else ""
    lines = [f"{head}{took}" if ended else f"{head}  {paint(working, 'green' if directed else 'yellow')}"]
    lines += [paint(inline(show.goal), "dim")] if show.goal else []
    lines += [paint(told, "dim")] if (told := _used(_usage(args))) else []
    rows = [_cells(play, held.get(play.name, ()), now) for play in found.plays]
    lines += ["", *render(_COLUMNS, rows, width_of(sys.stdout), paint)]
    return lines + [f"  {line}" for line in _advice(found, directed)]


def _usage(args: argparse.Namespace) -> ShowUsage | None:
    try:
        with db_access.reading(db_access.settings_of(args).db) as conn:
            return usage_of_show(conn, args.topic, time.time())
    except NotFound:
        return None


def _used(usage: ShowUsage | None) -> str:
    """What it has used; a cost that is not all of it says so, because the budget counts only what is known."""
    if usage is None or not usage.sessions:
        return ""
    known = cost(usage.cost_microusd) if usage.unpriced < usage.sessions else ""
    facts = [f"{tokens(usage.tokens)} tokens", known, f"{span(usage.seconds)} of agents' time"]
    if usage.unpriced:
        facts.append(f"{usage.unpriced} of {usage.sessions} runs have no known price")
    return " · ".join(fact for fact in facts if fact)


def _advice(found: LoadedShow, directed: bool) -> list[str]:
    """What to do next, where somebody has to."""
    topic = found.show.topic
    stuck = [play for play in found.plays if play.status is PlayStatus.ESCALATED]
    gated = [play for play in found.plays if play.status is PlayStatus.GATED]
    lines = [f"li show redo {topic} {play.name} --feedback '…'" for play in stuck]
    lines += [f"li show approve {topic} {play.name}" for play in gated]
    if found.show.status is ShowStatus.ACTIVE and not directed:
        begun = any(play.status is not PlayStatus.PENDING for play in found.plays)
        lines.append(f"li show {'resume' if begun else 'run'} {topic}")
    return ["", *lines] if lines else []


def _cells(play: Play, holders: tuple[str, ...], now: float) -> list[Cell]:
    state = play_state(play.to_dict(), blocked_by=holders)
    gate = {None: "", True: "passed", False: "failed"}[play.gate_passed]
    return [
        Cell(inline(play.name)),
        Cell(state.label, TONES[state.tone]),
        Cell(str(play.attempt)),
        Cell(ago(play.updated_at, now)),
        Cell(inline((play.session_id or "")[:_SHORT_ID]), "dim"),
        Cell(gate, "green" if play.gate_passed else "red"),
        Cell(inline(why(play, holders)), "dim"),
    ]


def why(play: Play, holders: tuple[str, ...] = ()) -> str:
    """What keeps a play, in one line."""
    meta = play.metadata.get("meta")
    said = meta if isinstance(meta, dict) else {}
    if play.status is PlayStatus.MERGED:
        return ""
    if holders:
        return f"waits for {', '.join(holders)}"
    if said.get("parked_until"):
        return f"parked until {local(said['parked_until'])}: {said.get('reason') or 'a usage limit'}"
    reason = said.get("reason") or (play.gate_feedback if play.gate_passed is False else "") or ""
    return str(reason).strip().partition("\n")[0]


def _plain(play: Play) -> list[str]:
    gate = {None: "", True: "passed", False: "failed"}[play.gate_passed]
    words = (play.name, str(play.status), str(play.attempt), iso(play.updated_at) or "", play.session_id or "", gate)
    return [inline(word) for word in (*words, why(play))]
