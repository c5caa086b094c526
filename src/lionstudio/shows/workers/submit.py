"""Give a show to the workers of a hub: check its plan, write its rows, and order that somebody directs it."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.files.shows.followed_plan import digest_of
from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.model.ids import new_id
from lionstudio.model.redaction.process import redactor
from lionstudio.model.shows.show import Show
from lionstudio.model.shows.show_files import PLAN
from lionstudio.settings import Settings
from lionstudio.shows.process.engine import SHAPE
from lionstudio.shows.records.play_records import TEAM, put_facts, save_show
from lionstudio.shows.workers import team_git
from lionstudio.shows.workers.definitions import find_definitions, store_definitions
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.shows import find_show
from lionstudio.state.workers.orders import Work, find_show_order, next_show_order, place_order
from lionstudio.system.safe_read import read_text


class Submitted(NamedTuple):
    order_id: str
    is_new: bool  # False: a director has it already


def is_team_show(show: Show | None) -> bool:
    return show is not None and isinstance(show.metadata.get(TEAM), dict)


def submit_show(
    show_dir: str, settings: Settings, database: Database, *, again: bool, concurrency: int | None
) -> Submitted:
    """Write the rows of a show unless they exist, and order its direction unless somebody directs it."""
    topic = os.path.basename(show_dir)
    show = database.read(lambda conn: find_show(conn, topic))
    if not is_team_show(show):
        _create(show_dir, settings, database)

    def order(conn: Connection) -> Submitted:
        if concurrency is not None:
            put_facts(conn, topic, concurrency=concurrency)
        if (running := find_show_order(conn, topic)) is not None:
            return Submitted(running.id, False)
        if again:
            facts = (find_show(conn, topic) or Show(topic=topic, show_dir=show_dir)).metadata
            said = {play: word for play, word in (facts.get("said") or {}).items() if play}
            put_facts(conn, topic, abort=None, said=said or None)
        order_id = next_show_order(conn, topic)
        place_order(conn, order_id, topic, None, Work.SHOW, {"again": again}, shape=SHAPE)
        return Submitted(order_id, True)

    return database.write(order)


def _create(show_dir: str, settings: Settings, database: Database) -> None:
    """Write the rows of a new show; everything that could be wrong with it is found out before."""
    topic = os.path.basename(show_dir)
    text = read_text(os.path.join(show_dir, PLAN))
    plan = load_plan(topic, text, os.path.join(show_dir, PLAN))
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
    remote = team_git.resolve_remote(plan.remote, plan.repo)
    base = team_git.find_base(remote, plan.base_branch, topic, settings.home)
    definitions = find_definitions(plan, settings)
    references = database.write(lambda conn: store_definitions(conn, definitions))
    team: dict[str, Any] = {"remote": remote, "definitions": references}
    save_show(show_dir, database, plan, text, base=base, accepted_plan=digest_of(text), **{TEAM: team})


def send_edit(show_dir: str, database: Database) -> bool:
    """Send the plan of this machine to the director where it was edited; return whether it was."""
    topic = os.path.basename(show_dir)
    path = os.path.join(show_dir, PLAN)
    if not os.path.lexists(path):
        return False
    text = read_text(path)

    def work(conn: Connection) -> bool:
        show = find_show(conn, topic)
        facts = {} if show is None else show.metadata
        known = (facts.get("plan"), (facts.get("edit") or {}).get("text"))
        if show is None or text in known or os.path.realpath(show.show_dir) != os.path.realpath(show_dir):
            return False
        load_plan(topic, text, path)  # refused here, with its line
        put_facts(conn, topic, edit={"id": new_id(), "text": text})
        return True

    return database.write(work)
