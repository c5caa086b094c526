"""While Studio runs: settle runs whose process and watchdog were killed, continue those whose question is answered."""

from __future__ import annotations

import asyncio
import os
import time
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.runs.settle import settle_dead_runs
from lionstudio.runs.spool import list_spools
from lionstudio.runs.talk.continue_answered import Continuation, continue_answered
from lionstudio.state.exchange.questions import list_answered
from lionstudio.state.upkeep.doctor import list_recently_dead
from lionstudio.studio.services import Services

_SECONDS = 5.0


class Retry(NamedTuple):
    at: float = 0.0
    delay: float = 60.0


async def keep_settling(services: Services) -> None:
    """Look every few seconds until the task is cancelled."""
    tried: dict[str, Retry] = {}
    while not services.db.read_only:
        await asyncio.sleep(_SECONDS)
        await asyncio.to_thread(_look, services, tried)


def _look(services: Services, tried: dict[str, Retry]) -> None:
    settle(services)
    continue_left(services, tried)


def settle(services: Services) -> None:
    """Settle what there is; the writer is opened only for that."""
    try:
        dead, _ = services.db.read(list_recently_dead)
        if dead or list_spools(services.db.path):
            for message in settle_dead_runs(services.db.database()):
                services.audit_log.write("settled_run", why=message)
    except LionError:
        pass  # no database yet, or busy: next time


def continue_left(services: Services, tried: dict[str, Retry]) -> None:
    """Continue runs whose answer nothing could take; one that cannot start is tried less and less often."""
    try:
        waiting, _ = services.db.read(list_answered)
        for session_id in {question.session_id for question in waiting if question.outlives and question.session_id}:
            retry = tried.get(session_id, Retry())
            if time.monotonic() >= retry.at:
                tried[session_id] = Retry(time.monotonic() + retry.delay, retry.delay * 2)
                continue_run(services, session_id)
    except LionError:
        pass  # no database yet, or busy: next time


def continue_run(services: Services, session_id: str) -> list[str]:
    """Continue a run that died, once all its questions are answered; returns the new session, if there is one."""

    def start(continuation: Continuation) -> None:
        services.launcher.start_command(
            "agent",
            continuation.target,
            continuation.argv,
            id_=continuation.session_id,
            options={"resume": session_id},
            pass_env=continuation.pass_env,
        )
        services.audit_log.write("continued_run", why=f"{session_id} continues as {continuation.session_id}")

    database = services.db.database()
    return continue_answered(database, services.settings, os.environ, session_id=session_id, start=start)
