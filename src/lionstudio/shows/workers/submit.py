"""Give a show to the workers of a hub: check its plan, write its rows, and order its direction."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.shows.followed_plan import digest_of
from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.machine import machine_id
from lionstudio.model.ids import new_id
from lionstudio.model.redaction.process import redactor
from lionstudio.model.shows.plan import Plan
from lionstudio.model.shows.show import TEAM, Show
from lionstudio.model.shows.show_files import PLAN
from lionstudio.settings import Settings
from lionstudio.shows.gates.reviewers import pin_reviewers
from lionstudio.shows.git.preflight import find_repo
from lionstudio.shows.git.remote.address import resolve_remote
from lionstudio.shows.git.remote.open_remote import check_remote
from lionstudio.shows.process.engine import SHAPE
from lionstudio.shows.records.play_records import put_facts, save_show
from lionstudio.shows.workers.definitions import find_definitions, store_definitions
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.shows import find_show, get_show
from lionstudio.state.workers.orders import Work, find_show_order, next_show_order, place_order
from lionstudio.system.git import Git
from lionstudio.system.safe_read import read_text


class Submitted(NamedTuple):
    order_id: str
    is_new: bool  # False: a director has it already


def submit_show(
    show_dir: str,
    settings: Settings,
    database: Database,
    *,
    again: bool,
    concurrency: int | None = None,
    warn: Callable[[str], None] = lambda text: None,
) -> Submitted:
    """Write the rows of a show unless they exist, and order its direction unless it is directed."""
    topic = os.path.basename(show_dir)
    show = database.read(lambda conn: find_show(conn, topic))
    if show is None or not show.is_for_workers:
        _create(show_dir, settings, database, warn)

    def order(conn: Connection) -> Submitted:
        if concurrency is not None:
            put_facts(conn, topic, concurrency=concurrency)
        if (running := find_show_order(conn, topic)) is not None:
            return Submitted(running.id, False)
        if again:
            decisions = get_show(conn, topic).metadata.get("last_decisions") or {}
            about_plays = {play: decision for play, decision in decisions.items() if play}
            put_facts(conn, topic, abort=None, last_decisions=about_plays or None)
        order_id = next_show_order(conn, topic)
        place_order(conn, order_id, topic, None, Work.SHOW, {"again": again}, shape=SHAPE)
        return Submitted(order_id, True)

    return database.write(order)


def _create(show_dir: str, settings: Settings, database: Database, warn: Callable[[str], None]) -> None:
    """Write the rows of a new show; everything that could be wrong with it is found out before."""
    topic = os.path.basename(show_dir)
    text = read_text(os.path.join(show_dir, PLAN))
    plan = load_plan(topic, text, os.path.join(show_dir, PLAN))
    _check_for_workers(plan, text)
    remote = resolve_remote(plan.remote, plan.repo)
    checked = check_remote(remote, plan.base_branch or _branch_of(plan.repo), topic, home=settings.home)
    if checked.problems or checked.base is None:
        raise InvalidInput(f"cannot start the show: {(*checked.problems, 'the base has no commit')[0]}")
    for warning in checked.warnings:
        warn(warning)
    pin_reviewers(plan, settings, {})  # refused here, not by the director
    definitions = find_definitions(plan, settings)
    references = database.write(lambda conn: store_definitions(conn, definitions))
    team: dict[str, Any] = {"remote": remote, "definitions": references, "machine_id": machine_id()}
    save_show(show_dir, database, plan, text, base=checked.base, accepted_plan=digest_of(text), **{TEAM: team})


def _check_for_workers(plan: Plan, text: str) -> None:
    """Refuse what other machines would not get."""
    if redactor().text(text) != text:
        raise InvalidInput(
            f"{PLAN} holds a secret, which no row stores, so other machines would not get it",
            hint="name a variable with pass_env instead of its value",
        )
    if plan.copy:
        raise InvalidInput(
            "`copy` names files of this machine, which workers do not have",
            hint="remove `copy` from the plan, or make the files with `setup`",
        )


def _branch_of(repo: str | None) -> str | None:
    """The branch of a repository on this machine, as for a show that is played here; None: that of the remote."""
    with suppress(LionError):
        if repo is not None:
            head = Git(git_dir=find_repo(repo).git_dir).run("symbolic-ref", "-q", "--short", "HEAD")
            return head.line if head.code == 0 else None
    return None


def _is_from_here(show: Show, show_dir: str) -> bool:
    """Return whether the show was ordered from this folder; another machine may have one of the same path."""
    ordered_on = show.metadata[TEAM].get("machine_id")
    return ordered_on in (None, machine_id()) and os.path.realpath(show.show_dir) == os.path.realpath(show_dir)


def send_edit(show_dir: str, settings: Settings, database: Database) -> bool:
    """Send the plan of this machine to the director where it was edited; return whether it was.

    Agents and playbooks that only the edit names go with it; those that the show has stay as they are.
    """
    topic = os.path.basename(show_dir)
    path = os.path.join(show_dir, PLAN)
    if not os.path.lexists(path):
        return False
    text = read_text(path)

    show = database.read(lambda conn: find_show(conn, topic))
    if show is None or not show.is_for_workers or not _is_from_here(show, show_dir):
        return False
    if text in (show.metadata.get("plan"), (show.metadata.get("edit") or {}).get("text")):
        return False
    plan = load_plan(topic, text, path)  # refused here, with its line
    _check_for_workers(plan, text)
    pin_reviewers(plan, settings, {})
    definitions = find_definitions(plan, settings)

    def work(conn: Connection) -> None:
        team = get_show(conn, topic).metadata[TEAM]
        known = team.get("definitions") or []
        names = {(reference["kind"], reference["name"]) for reference in known}
        new = store_definitions(conn, [one for one in definitions if (one.kind, one.name) not in names])
        put_facts(conn, topic, edit={"id": new_id(), "text": text}, **{TEAM: {**team, "definitions": [*known, *new]}})

    database.write(work)
    return True
