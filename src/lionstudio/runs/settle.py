"""Settle runs whose process was killed: end their agents, store their spool, and record the end.

The watchdog of a run does this as soon as the process dies (`python -m lionstudio.runs.settle DB SESSION END`). If the
watchdog was killed too, Studio, the next run and the director of its show do it. Only runs that are proven dead; those
that are stale as well are left to `li state doctor --transition-stale` (ADR-0019).
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

from lionstudio.agents.events import Ended
from lionstudio.errors import Busy, IllegalTransition, LionError, StorageFailed
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.runs.spool import Spool, drain_leftovers, drain_spool, has_spool, run_lock_path, watch_lock_path
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sessions import find_session, finish_session
from lionstudio.state.upkeep.doctor import DeadRun, list_dead, list_recently_dead, list_stale_and_dead, transition_stale
from lionstudio.state.upkeep.liveness import proof_of
from lionstudio.system.filelock import RunLock, lock_state
from lionstudio.system.li_process import module_argv
from lionstudio.system.session_processes import end_processes_of

SETTLE_SECONDS = 15.0  # in which another process that settles a run is done
_POLL_SECONDS = 0.05
_GRACE_SECONDS = 2.0  # for processes that nothing records any more
_KILLED = Ended(
    SessionStatus.FAILED,
    137,
    "run.failed.process_dead",
    "the process that recorded the run was killed; its agent was stopped",
)


def facts_of(ended: Ended) -> dict[str, Any]:
    """The arguments of `finish_session` for the end of a run."""
    return {
        "status": str(ended.status),
        "exit_code": ended.exit_code if ended.exit_code is not None else EXIT_CODES[ended.status],
        "reasons": [ended.reason] if ended.reason else [],
        "detail": ended.detail,
        "resets_at": ended.resets_at,
        "delivery": ended.delivery,
    }


def settle_command(db: str, session_id: str, ended: Ended = _KILLED) -> list[str]:
    """The command that settles a run; the end is the one to record."""
    return module_argv("lionstudio.runs.settle", db, session_id, json.dumps(facts_of(ended)))


def settle_run(
    database: Database, session_id: str, end: dict[str, Any] | None = None, *, wait: float = 0.0
) -> Session | None:
    """End what is left of a run if its process is proven dead, and return its row; None when it has none.

    An end that waits in the spool counts; otherwise `end`, by default that its process was killed. Its watchdog knows
    better how it ended, so as long as that lives this waits for it.
    """
    session, waited = _settle(database, session_id, end), 0.0
    while session is not None and session.status is SessionStatus.RUNNING and waited < wait:
        time.sleep(_POLL_SECONDS)
        waited += _POLL_SECONDS  # not the time in which a hub is away: the others need it too
        session = _settle(database, session_id, end)
    return session


def _settle(database: Database, session_id: str, end: dict[str, Any] | None) -> Session | None:
    session = _find(database, session_id)
    if session is None or session.status is not SessionStatus.RUNNING or proof_of(session.to_dict()).answer != "dead":
        return session
    if end is None and lock_state(watch_lock_path(database.path, session_id)) == "held":
        return session
    end_processes_of(session_id, grace=_GRACE_SECONDS)
    spool = Spool(database.path, session_id)
    try:
        lock = RunLock.take(run_lock_path(database.path, session_id))
    except Busy:  # another process settles it at this moment
        return _find(database, session_id)
    with lock, suppress(IllegalTransition):  # the spool had its end
        drain_spool(database, spool.path)
        facts = end or facts_of(_KILLED)
        database.write(lambda conn: finish_session(conn, session_id, **facts, by="watchdog"))
        with suppress(OSError):
            os.unlink(watch_lock_path(database.path, session_id))
    return _find(database, session_id)


def settle_dead_runs(database: Database) -> Iterator[str]:
    """Store the spools of earlier runs and settle the runs that are proven dead; yield a message for each."""
    yield from drain_leftovers(database)
    for session_id in database.read(list_recently_dead):
        try:
            session = settle_run(database, session_id)
        except (LionError, OSError) as error:
            yield f"run {session_id} is dead, but its end cannot be recorded: {error}"
            continue
        if session is not None and session.status is not SessionStatus.RUNNING:
            yield f"run {session_id} was {session.status}: its process had been killed"


def mark_stale_runs(database: Database, *, only: Collection[str] | None = None) -> list[DeadRun]:
    """Mark runs failed that are stale and proven dead; an end that waits in a spool comes first."""
    for _ in drain_leftovers(database):
        pass
    stale = [run.session_id for run in database.read(list_stale_and_dead) if only is None or run.session_id in only]
    ids = [session_id for session_id in stale if not has_spool(database.path, session_id)]
    return database.write(lambda conn: transition_stale(conn, only=ids)) if ids else []


def mark_dead_runs(database: Database, session_ids: Collection[str]) -> list[DeadRun]:
    """Mark these runs failed that are proven dead, stale or not: a person has seen the evidence of each."""
    dead = [run for run in database.read(list_dead) if run.session_id in session_ids]
    for run in dead:
        end_processes_of(run.session_id, grace=_GRACE_SECONDS)
    marked = {run.session_id for run in mark_stale_runs(database, only=session_ids)}
    for run in dead:
        if run.session_id not in marked:
            session = settle_run(database, run.session_id, wait=_GRACE_SECONDS)
            if session is not None and session.status is not SessionStatus.RUNNING:
                marked.add(run.session_id)
    return [run for run in dead if run.session_id in marked]


def _find(database: Database, session_id: str) -> Session | None:
    def find(conn: Connection) -> Session | None:
        return find_session(conn, session_id)

    return database.read(find)


def main(db: str, session_id: str, end: str) -> int:
    facts = json.loads(end)
    try:
        with open_database(db, create=False) as database:
            settle_run(database, session_id, facts)
    except (Busy, StorageFailed):
        Spool(db, session_id).put([{"session_id": session_id, "ended": facts}])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
