"""Decisions come from people: refuse a command that an agent runs, and record who made the others, and from where."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any, NamedTuple

from lionstudio.cli._toolkit import db_access
from lionstudio.errors import LionError, NotFound
from lionstudio.runs.callers.caller import ORIGIN_VARIABLE, Caller, Subject, check_person, this_process
from lionstudio.settings import real_database
from lionstudio.state.backends import exists
from lionstudio.state.runs.active_owners import RunningOwner, list_running_owners, list_terminal_owners
from lionstudio.state.transitions import user_name
from lionstudio.system.process_identity import identify

_INITIAL_PID_NS = 0xEFFFFFFC  # fixed by the kernel (PROC_PID_INIT_INO); every process is visible in it


class Decider(NamedTuple):
    """The name of the person or agent that decides, and where the decision was made."""

    name: str | None
    origin: dict[str, Any]


def require_person(
    args: argparse.Namespace, action: str, *, subject: Subject | None = None, show_dir: str | None = None
) -> Decider:
    """Return who decides; an agent's attempt is logged and refused."""
    settings = db_access.settings_of(args)
    caller = this_process()
    chosen, recorded = real_database(settings.db), _recorded_databases(show_dir)
    running = [running_owners(path) for path in {chosen, *recorded}]
    owners, terminals = ([owner for lists in running for owner in lists[number]] for number in (0, 1))
    # A database that the caller chose proves no right to decide; one that is gone was moved with the show.
    if subject is not None and (not recorded or any(exists(path) for path in recorded - {chosen})):
        subject = subject._replace(deciders=())
    try:
        _check_namespace(action, show_dir)
        agent = check_person(owners, caller, action, subject, terminals)
    except LionError as refusal:
        log_refusal(settings.home, show_dir, action, subject, refusal.message, caller.origin())
        for path in {chosen, *recorded}:
            _record_refusal(path, caller, action, refusal.message)
        raise
    origin = _origin_of_page() or caller.origin()
    if agent is None:
        return Decider(user_name(), origin)
    return Decider(f"agent {agent.agent}", {**origin, "session": agent.id})


def _recorded_databases(show_dir: str | None) -> set[str]:
    if show_dir is None:
        return set()
    from lionstudio.shows.attempt.attempt_files import recorded_databases

    return recorded_databases(show_dir)


def running_owners(path: str) -> tuple[list[RunningOwner], list[RunningOwner]]:
    """The processes of running sessions, and of connected terminals."""
    try:
        with db_access.reading(path) as conn:
            return list_running_owners(conn), list_terminal_owners(conn)
    except NotFound:  # no database yet, or it was moved
        return [], []


def _record_refusal(path: str, caller: Caller, action: str, reason: str) -> None:
    """Count it in the database, for the list of what needs a person; the refusal holds without that."""
    from lionstudio.runs.callers.refusals import record_refusal
    from lionstudio.state.backends import open_database

    if not exists(path):
        return
    try:
        with open_database(path, create=False) as database:
            database.write(lambda conn: record_refusal(conn, caller.chain, action, reason))
    except LionError:
        return  # read-only, busy or of another version


def _check_namespace(action: str, show_dir: str | None) -> None:
    """Refuse a caller whose ancestors end at a pid namespace below the director's: an agent could have made it."""
    from lionstudio.shows.process.lock import find_director

    director, here = find_director(show_dir) if show_dir is not None else None, identify()
    if director is None or director.boot_id != here.boot_id or here.pid_ns in (director.pid_ns, _INITIAL_PID_NS):
        return
    raise LionError(
        f"{action} is refused: only a person decides, and the director of the show runs in another pid namespace, "
        "so the ancestors of the caller are not all visible",
        hint="run the command in a terminal of your own, or decide on the page: li studio",
    )


def _origin_of_page() -> dict[str, Any] | None:
    # taken out: the processes that this command starts were not started by the page
    text = os.environ.pop(ORIGIN_VARIABLE, "")
    try:
        origin = json.loads(text)
    except ValueError:
        return None
    return origin if isinstance(origin, dict) else None


def log_refusal(
    home: str, show_dir: str | None, action: str, subject: Subject | None, reason: str, origin: dict[str, Any]
) -> None:
    from lionstudio.studio.http.audit_log import FILE, AuditLog

    AuditLog(os.path.join(home, FILE)).write("refused_decision", action=action, reason=reason, origin=origin)
    if show_dir is not None and os.path.isdir(show_dir):
        from lionstudio.shows.records.decisions import log_decision

        play = {"play": subject.play} if subject is not None and subject.play is not None else {}
        log_decision(show_dir, "refused", action=action, reason=reason, origin=origin, **play)
