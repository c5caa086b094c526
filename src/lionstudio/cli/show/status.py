"""`li show status`: show the state of every play, its gate result and the reason."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

from lionstudio.cli._show.advice import Need, list_needs
from lionstudio.cli._show.load import LoadedShow, has_ended, load_show, progress, show_json, time_of
from lionstudio.cli._show.place import place
from lionstudio.cli._show.snapshot import ShowSnapshot, take_snapshot
from lionstudio.cli._show.workers import is_directed, why_left
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, cost, iso, local, short_id, span, tokens
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.cli._toolkit.table import Cell, Column, render
from lionstudio.cli._toolkit.terminal import TONES, Paint, is_terminal, say, styles_for, width_of
from lionstudio.cli.workers._orders import TeamOrders, load_team_orders, name_of
from lionstudio.errors import NotFound
from lionstudio.model.shows.play_graph import blocked_by
from lionstudio.model.shows.show import Play
from lionstudio.model.status.computed_state import play_state
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.shows.process.lock import find_director
from lionstudio.shows.records.show_dir import find_show_dir
from lionstudio.state.show_usage import ShowUsage, usage_of_show

EXAMPLES = (
    ("li show status parser", "the state of every play"),
    ("li show status parser --watch", "refresh until the show ends"),
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
    Column("WORKER", rank=1),
)
_REFRESH_SECONDS = 0.5
_CLEAR = "\x1b[H\x1b[J"


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=utf8, metavar="TOPIC", help="name of the show")
    parser.add_argument("--watch", action="store_true", help="print again on every change until the show ends")


def run(args: argparse.Namespace) -> int:
    last: Any = None
    while True:
        loaded = load_show(args)
        current = (loaded.show, loaded.plays, _is_directed(args), _team(args).orders)
        if current != last or is_terminal():
            _print(args, loaded, again=last is not None)
            last = current
        if not args.watch or has_ended(loaded.show.status):
            return 0
        flush()
        time.sleep(_REFRESH_SECONDS)


def _is_directed(args: argparse.Namespace) -> bool:
    return is_directed(db_access.settings_of(args), _folder(args))


def _team(args: argparse.Namespace) -> TeamOrders:
    return load_team_orders(db_access.settings_of(args), args.topic)


def _folder(args: argparse.Namespace) -> str:
    return find_show_dir(db_access.settings_of(args), args.topic)


def _print(args: argparse.Namespace, loaded: LoadedShow, *, again: bool) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        director = find_director(_folder(args))
        directed = _is_directed(args)
        needs = [need._asdict() for need in _needs(args, loaded, directed, _snapshot(args, loaded))]
        wire = {**show_json(loaded), "directed": directed, "needs": needs, "orders": _team(args).wire()}
        wire["director_error"] = None if directed else why_left(db_access.settings_of(args), args.topic)
        usage = _usage(args)
        print_json(
            {
                "show": wire,
                "director": None if director is None else director._asdict(),
                "usage": None if usage is None else usage.to_dict() | {"tokens": usage.tokens},
            }
        )
    elif is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        emit("\n".join(_lines(args, loaded, paint)) + "\n", controls=_CLEAR if again else "")
    else:
        emit("".join("\t".join(_plain(play)) + "\n" for play in loaded.plays))
        for need in _needs(args, loaded, _is_directed(args), _snapshot(args, loaded)):
            say(f"{inline(need.what)}: {inline(located(need.command))}", quiet=args.quiet)
        for line in _order_lines(_team(args)):
            say(inline(line), quiet=args.quiet)


def _lines(args: argparse.Namespace, loaded: LoadedShow, paint: Paint) -> list[str]:
    show, blockers, now = loaded.show, blocked_by(loaded.plays), time.time()
    directed = _is_directed(args)
    director = "director running" if directed else "no director running"
    team = _team(args)
    if team.director is not None:
        worker = team.name(team.director)
        director = f"directed by {inline(worker)}" if worker else "waits for a worker"
    title = f"{paint(inline(show.topic), 'bold')}  {show.status}  {progress(loaded.plays)} merged"
    started, until = time_of(show.status, loaded.plays, now)
    duration = f"  in {span(until - started)}" if until > started else ""
    suffix = duration if has_ended(show.status) else f"  {paint(director, 'green' if directed else 'yellow')}"
    lines = [f"{title}{suffix}"]
    lines += [paint(inline(show.goal), "dim")] if show.goal else []
    lines += [paint(usage, "dim")] if (usage := _usage_line(_usage(args))) else []
    snapshot = _snapshot(args, loaded)
    needs = _needs(args, loaded, directed, snapshot)
    asking = {need.play: need.what for need in needs}
    rows = [
        [*_cells(play, blockers.get(play.name, ()), now, snapshot, asking.get(play.name)), _worker_cell(snapshot, play)]
        for play in loaded.plays
    ]
    lines += ["", *render(_COLUMNS, rows, width_of(sys.stdout), paint)]
    lines += [paint(inline(line), "dim") for line in _confinement_lines(loaded.plays)]
    lines += [paint(inline(line), "yellow") for line in _waiting_lines(team)]
    return lines + [line for need in needs for line in ("", inline(need.what), f"  {inline(located(need.command))}")]


def _worker_cell(snapshot: ShowSnapshot | None, play: Play) -> Cell:
    """The worker of a play, its work and its fence; of one that waits for nothing, the worker of its last attempt."""
    worker = None if snapshot is None else snapshot.workers.get(play.name)
    if worker is None:
        return Cell("")
    if worker.name is None:
        return Cell(worker.wait_short or "waits", "yellow" if worker.needs_person else "")
    if not worker.is_open:
        return Cell(inline(worker.name), "dim")
    return Cell(inline(f"{worker.name} ({worker.work}, fence {worker.fence})"))


def _waiting_lines(team: TeamOrders) -> list[str]:
    """Say why orders wait; those that only wait for a free worker are not news."""
    waits = [(order, team.wait(order)) for order in team.waiting]
    return [f"{name_of(order)} waits: {wait.text}" for order, wait in waits if wait.needs_person]


def _order_lines(team: TeamOrders) -> list[str]:
    taken = [order for order in team.orders if order.worker_id is not None]
    return [f"{name_of(order)} on {team.name(order)}, fence {order.fence}" for order in taken] + _waiting_lines(team)


def _confinement_lines(plays: Sequence[Play]) -> list[str]:
    """Say which agents were confined and which were not, and why."""
    names: dict[str, list[str]] = {}
    for play in plays:
        meta = play.metadata.get("meta")
        if isinstance(meta, dict) and isinstance(meta.get("confinement"), str):
            names.setdefault(meta["confinement"], []).append(play.name)
    return [f"{', '.join(plays)}: {sentence}" for sentence, plays in names.items()]


def _usage(args: argparse.Namespace) -> ShowUsage | None:
    try:
        with db_access.reading(db_access.settings_of(args).db) as conn:
            return usage_of_show(conn, args.topic, time.time())
    except NotFound:
        return None


def _usage_line(usage: ShowUsage | None) -> str:
    """Unpriced runs are mentioned, because the budget counts only known costs."""
    if usage is None or not usage.sessions:
        return ""
    price = cost(usage.cost_microusd) if usage.unpriced < usage.sessions else ""
    facts = [f"{tokens(usage.tokens)} total tokens", price, f"{span(usage.seconds)} agent time"]
    if usage.unpriced:
        facts.append(f"{usage.unpriced} of {usage.sessions} runs have no known price")
    return " · ".join(fact for fact in facts if fact)


def _snapshot(args: argparse.Namespace, loaded: LoadedShow) -> ShowSnapshot | None:
    """A snapshot of the rows; None for a show that has only its folder."""
    if loaded.source != "sqlite":
        return None
    settings = db_access.settings_of(args)
    with db_access.reading(settings.db) as conn:
        return take_snapshot(conn, loaded.show.topic, time.time())._replace(where=place(settings))


def _needs(args: argparse.Namespace, loaded: LoadedShow, directed: bool, now: ShowSnapshot | None) -> list[Need]:
    """List the questions of the show, and the command that starts its director."""
    settings, topic = db_access.settings_of(args), loaded.show.topic
    needs = []
    if now is not None:
        needs = list_needs(now)
        if now.rejection is not None:
            needs.append(Need(f"the final gates failed: {now.rejection}", f"li show log {topic} --gate{now.where}"))
    if loaded.show.status is ShowStatus.ACTIVE and not directed:
        started = any(play.status is not PlayStatus.PENDING for play in loaded.plays)
        command = f"li show {'resume' if started else 'run'} {topic}{place(settings)}"
        problem = why_left(settings, topic)
        reason = f"the director gave up: {problem}" if problem is not None else "no director is running"
        needs.append(Need(reason if started or problem else "the show has not started", command))
    return needs


def _cells(
    play: Play, blockers: tuple[str, ...], now: float, snapshot: ShowSnapshot | None, question: str | None
) -> list[Cell]:
    asked, wait = True, None
    if snapshot is not None:
        asked, wait = play.name not in snapshot.merging, snapshot.wait_of(play.name)
    state = play_state(play.to_dict(), blocked_by=blockers, question=question, wait=wait, asked=asked)
    gate = {None: "", True: "passed", False: "failed"}[play.gate_passed]
    return [
        Cell(inline(play.name)),
        Cell(state.label, TONES[state.tone]),
        Cell(str(play.attempt)),
        Cell(ago(play.updated_at, now)),
        Cell(inline(short_id(play.session_id or "")), "dim"),
        Cell(gate, "green" if play.gate_passed else "red"),
        Cell(inline(reason_of(play, blockers)), "dim"),
    ]


def reason_of(play: Play, blockers: tuple[str, ...] = ()) -> str:
    """The reason of the state, in one line."""
    meta = play.metadata.get("meta")
    fields = meta if isinstance(meta, dict) else {}
    if play.status is PlayStatus.MERGED:
        return _left_out(fields)
    if blockers:
        return f"blocked by {', '.join(blockers)}"
    if fields.get("parked_until"):
        return f"parked until {local(fields['parked_until'])}: {fields.get('reason') or 'usage limit'}"
    reason = fields.get("reason") or (play.gate_feedback if play.gate_passed is False else "") or ""
    return str(reason).strip().partition("\n")[0]


def _left_out(fields: dict[str, Any]) -> str:
    """Describe the files of a merged play that are in no commit."""
    if fields.get("checkout_kept"):
        return f"checkout kept: {fields['checkout_kept']}"
    names = [str(item.get("path")) for item in fields.get("left_out") or [] if isinstance(item, dict)]
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"not in a commit: {', '.join(names[:3])}{more}; kept in {fields.get('left_out_dir')}"


def _plain(play: Play) -> list[str]:
    gate = {None: "", True: "passed", False: "failed"}[play.gate_passed]
    cells = (play.name, str(play.status), str(play.attempt), iso(play.updated_at) or "", play.session_id or "", gate)
    return [inline(cell) for cell in (*cells, reason_of(play))]
