"""Run a session in this process: signals, timeout, live view and exit code."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable

from lionstudio.agents.events import Ended, Event, MessageEvent
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, flush, give_up
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run._live_view import LiveView
from lionstudio.errors import LionError, StorageFailed
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.runs.environment import secrets_in
from lionstudio.runs.prepare.build import PreparedRun
from lionstudio.runs.redaction import EventRedactor
from lionstudio.runs.run import Result, RunSession, with_deadline
from lionstudio.runs.spool import drain_leftovers
from lionstudio.runs.stream_files import StreamArtifacts
from lionstudio.settings import Settings
from lionstudio.state.database import Database

_TICK_SECONDS = 0.5
# SIGINT and SIGHUP (a closed terminal) come from the user, SIGTERM from an orchestrator.
_ENDS = {
    signal.SIGINT: Ended(SessionStatus.ABORTED, 130, "run.aborted.interrupt", "interrupted"),
    signal.SIGHUP: Ended(SessionStatus.ABORTED, 129, "run.aborted.interrupt", "terminal closed"),
    signal.SIGTERM: Ended(SessionStatus.CANCELLED, 143, "run.cancelled.orchestrator", "stopped by SIGTERM"),
}


def run_session(
    args: argparse.Namespace,
    settings: Settings,
    prepared: PreparedRun,
    timeout: float | None,
    *,
    begun: Callable[[], None] | None = None,
) -> int:
    """Run a session to its end and return the exit code."""
    session = prepared.session
    secrets = frozenset(value for part in prepared.parts for value in secrets_in(part.task.env))
    view = LiveView(quiet=args.quiet or args.json, plain=args.no_color, several=prepared.has_several_agents)
    with Database(settings.db, long_lived=True) as database:
        for notice in drain_leftovers(database):
            say(notice)
        running = RunSession(
            database,
            session,
            redact=EventRedactor(secrets).event,
            warn=lambda text: say(text),
            watch=_ignoring_closed_output(_json_lines(session.id) if args.json else view.watch),
            artifacts=StreamArtifacts(settings.home, session.id) if args.stream_persist else None,
        )

        def work() -> Awaitable[Result]:
            return with_deadline(running, timeout, lambda: prepared.run(running))

        return asyncio.run(_run(args, running, view, work, begun or (lambda: None)))


async def _run(
    args: argparse.Namespace,
    running: RunSession,
    view: LiveView,
    work: Callable[[], Awaitable[Result]],
    begun: Callable[[], None],
) -> int:
    _watch_signals(running)
    await running.begin()
    begun()
    if not args.json:
        say(f"Session {running.session_id}", quiet=args.quiet)
    ended = Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", "unexpected error")
    try:
        ended = (await _ticking(view, work())).ended
    except LionError as error:
        ended = Ended(SessionStatus.FAILED, error.exit_code, "run.failed.provider_crash", error.message)
        raise
    finally:
        view.close()
        await running.finish(ended)
    return _report(args, running.session_id, ended)


async def _ticking(view: LiveView, work: Awaitable[Result]) -> Result:
    """Refresh the status line of the view while the work runs."""
    loop = asyncio.get_running_loop()
    clock: asyncio.TimerHandle

    def tick() -> None:
        nonlocal clock
        view.tick()
        clock = loop.call_later(_TICK_SECONDS, tick)

    clock = loop.call_later(_TICK_SECONDS, tick)
    try:
        return await work
    finally:
        clock.cancel()


def _watch_signals(running: RunSession) -> None:
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        if running.stopped is not None:
            os._exit(128 + number)  # second signal
        say("Stopping… press Ctrl-C again to force quit")
        running.stop(_ENDS[number])

    for number in _ENDS:
        loop.add_signal_handler(number, stop, number)


def _json_lines(session_id: str) -> Callable[[str, Event], None]:
    def watch(part: str, event: Event) -> None:
        if isinstance(event, MessageEvent):
            record = {
                "type": "message",
                "schema_version": 1,
                "session_id": session_id,
                "agent": part,
                "lane": event.lane,
            }
            message = event.message
            emit(to_json({**record, **message.to_dict("json"), "created_at_iso": iso(message.created_at)}) + "\n")
            flush()

    return watch


def _ignoring_closed_output(watch: Callable[[str, Event], None]) -> Callable[[str, Event], None]:
    """A closed stdout stops the printing, not the agent."""
    closed = False

    def guarded(part: str, event: Event) -> None:
        nonlocal closed
        try:
            if not closed:
                watch(part, event)
        except (BrokenPipeError, StorageFailed):
            closed = True
            give_up()

    return guarded


def _report(args: argparse.Namespace, session_id: str, ended: Ended) -> int:
    code = ended.exit_code if ended.exit_code is not None else EXIT_CODES[ended.status]
    if args.json:
        record = {"type": "ended", "schema_version": 1, "session_id": session_id, "status": str(ended.status)}
        emit(to_json({**record, "exit_code": code, "reason": ended.reason, "detail": ended.detail}) + "\n")
    elif ended.status is not SessionStatus.COMPLETED:
        say(f"{ended.status}: {ended.detail or f'exit code {code}'}")
        say(f"Details: li state show {session_id}", quiet=args.quiet)
    return code


def read_prompt(argument: str | None, *, quiet: bool = False) -> str:
    """The prompt of a command line, or stdin if it is missing or `-`."""
    if argument is None or argument == "-":
        if sys.stdin.isatty():
            say("Type the prompt, then press Ctrl-D.", quiet=quiet)
        return sys.stdin.buffer.read().decode("utf-8", "backslashreplace")
    return argument.encode("utf-8", "backslashreplace").decode()
