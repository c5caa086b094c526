"""Run a session in this process: signals, timeout, live view and exit code."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from lionstudio.agents.events import Ended, Event, MessageEvent, QuestionAsked
from lionstudio.cli._session.artifacts import artifact_line
from lionstudio.cli._toolkit.escape import body
from lionstudio.cli._toolkit.humanize import iso
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit, flush, give_up
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run._allow_hint import allow_hint
from lionstudio.cli.run._live_view import LiveView
from lionstudio.errors import LionError, StorageFailed
from lionstudio.model.redaction.environment import secrets_in
from lionstudio.model.redaction.process import add_secrets, known_secrets
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.runs.artifacts import CheckedArtifact, ExpectedArtifacts, with_delivery
from lionstudio.runs.environment import withheld_hint
from lionstudio.runs.prepare.build import PreparedRun
from lionstudio.runs.redaction import EventRedactor
from lionstudio.runs.run import Result, RunPart, RunSession, with_deadline
from lionstudio.runs.settle import settle_dead_runs
from lionstudio.runs.stream_files import StreamArtifacts
from lionstudio.runs.talk.continue_answered import continuations
from lionstudio.settings import Settings
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database

if TYPE_CHECKING:
    from lionstudio.cli.talk._own_terminal import OwnTerminal
    from lionstudio.teams.prompt import TeamMode

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
    team: TeamMode | None = None,
) -> int:
    """Run a session to its end and return the exit code."""
    session = prepared.session
    add_secrets(value for part in prepared.parts for value in secrets_in(part.task.env))
    view = LiveView(quiet=args.quiet or args.json, plain=args.no_color, several=prepared.has_several_agents)
    terminal = None if args.json or not sys.stdout.isatty() else _own_terminal(args, session.id, view)

    def watch(part: str, event: Event) -> None:
        show(part, event)
        if terminal is not None:
            terminal.watch(event)

    def watch_all(part: str, event: Event) -> None:
        guarded_watch(part, event)
        if team is not None:
            team.watch(event)

    show = _json_lines(session.id) if args.json else view.watch
    guarded_watch = _ignoring_closed_output(watch)
    with open_database(settings.db, long_lived=True) as database:
        for notice in settle_dead_runs(database):
            say(notice)
        if not getattr(args, "answered", None):  # such a run continues one itself
            for notice in continuations(database, settings, os.environ):
                say(notice)
        running = RunSession(
            database,
            session,
            redact=EventRedactor(known_secrets()).event,
            warn=lambda text: say(text),
            watch=_notifying(database, settings, watch_all),
            artifacts=StreamArtifacts(settings.home, session.id) if args.stream_persist else None,
            complete=lambda part: _complete(database, part),
        )

        async def work() -> Result:
            expected = ExpectedArtifacts(session.cwd or os.curdir, prepared.artifacts)
            result: Result = await with_deadline(running, timeout, lambda: prepared.run(running))
            checked = await asyncio.to_thread(expected.check)
            if checked:
                await running.store_artifacts(checked)
            ended = with_delivery(_with_env_hint(result.ended, prepared), checked)
            return result._replace(ended=ended, artifacts=checked)

        begun = (lambda: None) if team is None else team.begin
        return asyncio.run(_run(args, running, view, terminal, work, begun, prepared.guard))


def _own_terminal(args: argparse.Namespace, session_id: str, view: LiveView) -> OwnTerminal:
    from lionstudio.cli.talk._own_terminal import OwnTerminal  # the runs of a show have no terminal

    return OwnTerminal(args, session_id, view)


def _complete(database: Database, part: RunPart) -> None:
    if part.provider.name not in TRANSCRIPT_TOOLS:
        return
    from lionstudio.imports.transcripts.complete_run import completer

    completer(database)(part)


async def _run(
    args: argparse.Namespace,
    running: RunSession,
    view: LiveView,
    terminal: OwnTerminal | None,
    work: Callable[[], Awaitable[Result]],
    begun: Callable[[], None],
    guard: Callable[[Connection], None] | None,
) -> int:
    _watch_signals(running, terminal)
    await running.begin(guard)
    begun()
    if not args.json:
        say(f"Session {running.session_id}", quiet=args.quiet)
    ended = Ended(SessionStatus.FAILED, 1, "run.failed.provider_crash", "unexpected error")
    artifacts: tuple[CheckedArtifact, ...] = ()
    try:
        result = await _ticking(view, work())
        ended, artifacts = result.ended, result.artifacts
    except LionError as error:
        ended = Ended(SessionStatus.FAILED, error.exit_code, "run.failed.provider_crash", error.message)
        raise
    finally:
        if terminal is not None:
            terminal.stop()
        view.close()
        await running.finish(ended)
    return _report(args, running.session_id, ended, (view.last_text, *view.printed), artifacts)


def _with_env_hint(ended: Ended, prepared: PreparedRun) -> Ended:
    """A failure that a withheld environment variable explains, with how to pass it on."""
    if ended.status is not SessionStatus.FAILED or not ended.detail:
        return ended
    passed = {name for part in prepared.parts for name in part.task.env}
    hint = withheld_hint(ended.detail, os.environ, passed)
    return ended if hint is None else ended._replace(detail=f"{ended.detail} ({hint})")


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


def _watch_signals(running: RunSession, terminal: OwnTerminal | None) -> None:
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        if running.stopped is None:
            say("Stopping… press Ctrl-C again to force quit")
            running.stop(_ENDS[number])
        elif number == signal.SIGINT:
            if terminal is not None:
                terminal.stop()
            os._exit(128 + number)  # the watchdog records the end
        # a terminal that closes sends several SIGHUP: one from the kernel, one from its shell

    def suspend() -> None:
        running.suspend()
        if terminal is not None:
            terminal.stop()
        os.kill(os.getpid(), signal.SIGSTOP)  # returns when the user continues the job
        running.resume()
        if terminal is not None:
            terminal.resume()

    for number in _ENDS:
        loop.add_signal_handler(number, stop, number)
    loop.add_signal_handler(signal.SIGTSTP, suspend)


def _json_lines(session_id: str) -> Callable[[str, Event], None]:
    def watch(part: str, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            record = {"type": "question", "schema_version": 1, "agent": part}
            emit(to_json({**record, **event.question.to_dict()}) + "\n")
            flush()
        elif isinstance(event, MessageEvent):
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


def _notifying(
    database: Database, settings: Settings, watch: Callable[[str, Event], None]
) -> Callable[[str, Event], None]:
    """Notify a person about questions; while Studio runs, it does that."""

    def notifying(part: str, event: Event) -> None:
        if isinstance(event, QuestionAsked):
            from lionstudio.runs.notifications.send import notify_later

            notify_later(database, settings, event.question.id, say)
        watch(part, event)

    return notifying


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


def _report(
    args: argparse.Namespace,
    session_id: str,
    ended: Ended,
    printed: tuple[str, ...],
    artifacts: tuple[CheckedArtifact, ...],
) -> int:
    code = ended.exit_code if ended.exit_code is not None else EXIT_CODES[ended.status]
    if args.json:
        record = {"type": "ended", "schema_version": 1, "session_id": session_id, "status": str(ended.status)}
        facts = {"reason": ended.reason, "detail": ended.detail, "delivery": ended.delivery, "denied": ended.denied}
        files = [artifact.to_dict() for artifact in artifacts]
        emit(to_json({**record, "exit_code": code, **facts, "artifacts": files}) + "\n")
        return code
    for artifact in artifacts:
        say(artifact_line(artifact.to_dict()), quiet=args.quiet)
    if ended.status is not SessionStatus.COMPLETED:
        say(f"{ended.status}: {body(_unprinted(ended.detail or '', printed)) or f'exit code {code}'}")
        say(f"Details: li state show {session_id}", quiet=args.quiet)
    elif ended.detail:
        say(f"{ended.detail[0].upper()}{ended.detail[1:]}")
        if ended.denied:
            say(allow_hint(args, session_id, ended.denied), quiet=args.quiet)
    return code


def _unprinted(detail: str, printed: tuple[str, ...]) -> str:
    """The part of a detail that is not on the terminal yet; programs often print their error as an answer first."""
    known = max((text.strip() for text in printed if detail.startswith(text.strip())), key=len, default="")
    return detail.removeprefix(known).strip().removeprefix("(").removesuffix(")") if known else detail


def read_prompt(argument: str | None, *, quiet: bool = False) -> str:
    """The prompt of a command line, or stdin if it is missing or `-`."""
    if argument is None or argument == "-":
        if sys.stdin.isatty():
            say("Type the prompt, then press Ctrl-D.", quiet=quiet)
        return sys.stdin.buffer.read().decode("utf-8", "backslashreplace")
    return argument.encode("utf-8", "backslashreplace").decode()
