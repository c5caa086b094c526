"""Run the agents of one session: lease the session, record their events, and always write the end.

The caller owns signals and the terminal; it stops a run with `RunSession.stop`.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

from lionstudio.agents.events import AnswerTaken, Ended, Event, MessageEvent, QuestionAsked, QuestionClosed
from lionstudio.agents.provider import Provider, Task
from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.model.branches import Branch, ForkPoint
from lionstudio.model.message_text import LINES
from lionstudio.model.messages import Instruction, Message, System
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.runs.artifacts import CheckedArtifact
from lionstudio.runs.event_writer import LaneBranches
from lionstudio.runs.lease import RunLease
from lionstudio.runs.recorder import Recorder, Redact
from lionstudio.runs.settle import facts_of, settle_command
from lionstudio.runs.spool import Spool, watch_lock_path
from lionstudio.runs.stream_files import StreamArtifacts
from lionstudio.runs.talk.dialogs import Dialogs
from lionstudio.settings import server_environment
from lionstudio.state.branches import create_branch, fork_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import add_metadata
from lionstudio.system.filelock import RunLock
from lionstudio.system.json_read import find_object
from lionstudio.system.session_processes import FROZEN_FILE, end_processes_of
from lionstudio.system.watchdog import Watchdog

_RETRY_SECONDS = 2.0
_LEFTOVER_GRACE = 2.0
_COMPLETE_SECONDS = 15.0


class RunPart(NamedTuple):
    """One agent of a run, with its task and branch."""

    name: str
    provider: Provider
    task: Task
    branch_id: str
    fork: ForkPoint | None = None  # the branch continues another branch from here
    metadata: Mapping[str, Any] = {}


class Result(NamedTuple):
    """The end of a part or of a whole run."""

    ended: Ended
    answer: str | None  # the last message of the agent, or the last line of a program
    artifacts: tuple[CheckedArtifact, ...] = ()  # of a whole run


class WaitClock:
    """The time in which a run waited for a person."""

    def __init__(self) -> None:
        self._asked: set[str] = set()
        self._since = self._before = 0.0

    @property
    def is_waiting(self) -> bool:
        return bool(self._asked)

    @property
    def seconds(self) -> float:
        return self._before + (time.monotonic() - self._since if self._asked else 0.0)

    def note(self, event: Event) -> None:
        """Start with the first open question, and stop with the last."""
        if isinstance(event, QuestionAsked):
            if not self._asked:
                self._since = time.monotonic()
            self._asked.add(event.question.id)
        elif isinstance(event, (AnswerTaken, QuestionClosed)) and self._asked:
            seconds = self.seconds
            self._asked.discard(event.question_id)
            if not self._asked:
                self._before = seconds


class RunSession:
    """A session that this process runs; its parts run one after another or concurrently."""

    def __init__(
        self,
        database: Database,
        session: Session,
        *,
        redact: Redact,
        watch: Callable[[str, Event], None] = lambda part, event: None,
        warn: Callable[[str], None] = lambda message: None,
        artifacts: StreamArtifacts | None = None,
        complete: Callable[[RunPart], None] = lambda part: None,
    ) -> None:
        self.session_id = session.id
        self._artifacts = artifacts
        self._complete = complete  # adds what only the program's own transcript has
        self._database = database
        self._lease = RunLease(database.path, session)
        self._redact = redact
        self._watch = watch
        self._warn = warn
        self._recorders: list[Recorder] = []
        self._spool = Spool(database.path, session.id)  # one for all parts
        self._stopped: Ended | None = None
        self._watchdog: Watchdog | None = None
        self._watch_lock: RunLock | None = None
        self._lost_watchdog = False
        self._dialogs = Dialogs(database, session.id, warn)
        self.waited = WaitClock()

    async def begin(self, guard: Callable[[Connection], None] | None = None) -> None:
        """Create the session with the status running, unless the guard refuses it in the same transaction.

        From then on a watchdog settles the session if we are killed.
        """

        def work(conn: Connection) -> None:
            if guard is not None:
                guard(conn)
            self._lease.begin(conn)

        try:
            self._watch_lock = RunLock.take(watch_lock_path(self._database.path, self.session_id))
            self._watchdog = watchdog = Watchdog(self._watch_lock)
            self._set_last_command(watchdog)
            asyncio.get_running_loop().add_reader(watchdog.fileno(), self._replace_watchdog, watchdog)
            await self._database.submit(work)
        except BaseException:
            self._release()
            raise

    def _set_last_command(self, watchdog: Watchdog, *how: Ended) -> None:
        path = self._database.path
        watchdog.set_last_command(settle_command(path, self.session_id, *how), server_environment(path))

    def _replace_watchdog(self, watchdog: Watchdog) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(watchdog.fileno())
        watchdog.replace()
        self._lost_watchdog = True
        loop.add_reader(watchdog.fileno(), self._replace_watchdog, watchdog)

    def _release(self) -> None:
        if self._watchdog is not None:
            asyncio.get_running_loop().remove_reader(self._watchdog.fileno())
            self._watchdog.close()
            self._watchdog = None
        if self._watch_lock is not None:
            self._watch_lock.release()
        self._lease.release()

    async def execute(self, part: RunPart) -> Result:
        """Run one agent on its own branch, to its end."""
        answer: str | None = None

        def watch(event: Event) -> None:
            nonlocal answer
            answer = _answer(event) or answer
            self.waited.note(event)
            if self._artifacts is not None:
                self._artifacts.append(part.branch_id, event)
            if isinstance(event, QuestionAsked):
                asked = replace(event.question, session_id=self.session_id, branch_id=part.branch_id)
                event = QuestionAsked(asked)
            self._watch(part.name, event)

        lanes = LaneBranches(self.session_id, part.branch_id)
        recorder = Recorder(self._database, lanes, redact=self._redact, watch=watch, warn=self._warn, spool=self._spool)
        await self._open(part)
        if self._stopped is not None:
            return Result(self._stopped, None)
        self._recorders.append(recorder)
        task = part.task._replace(dialog=self._dialogs.open(part.branch_id))
        try:
            with self._watchdog.for_programs() if self._watchdog else nullcontext():
                ended = await recorder.record(part.provider.run(task))
            await self._complete_part(part)
            return Result(ended, answer)
        finally:
            self._recorders.remove(recorder)
            self._dialogs.close(part.branch_id)
            if self._artifacts is not None:
                self._artifacts.write_snapshot(self._database, part.branch_id)

    async def _complete_part(self, part: RunPart) -> None:
        """Complete a part from the transcript of its program; a failure leaves the run as it was recorded."""
        try:
            async with asyncio.timeout(_COMPLETE_SECONDS):
                await asyncio.shield(asyncio.to_thread(self._complete, part))
        except TimeoutError:
            self._warn("the transcript is long; `li mirror` adds the rest of it")
        except Exception as error:  # the outcome of the run must not depend on the transcript
            self._warn(f"the transcript cannot be read ({type(error).__name__}: {error}); `li mirror` adds it later")

    async def _open(self, part: RunPart) -> None:
        """Create the branch; while the database is unavailable, wait without blocking the other agents."""
        work = self._open_work(part)
        while self._stopped is None:
            try:
                await self._database.submit(work)
                return
            except (Busy, StorageFailed) as error:
                self._warn(f"{error.message}; {part.name} starts when the database is available")
                await asyncio.sleep(_RETRY_SECONDS)

    def _open_work(self, part: RunPart) -> Callable[[Connection], None]:
        """The transaction that writes the branch and its prompts; built once, so that a retry writes the same rows."""
        prompts: list[Message] = [Instruction(content={"instruction": part.task.prompt})]
        if part.task.system:
            prompts.insert(0, System(content={"system_message": part.task.system}))
        prompts = [self._clean(message) for message in prompts]
        metadata = {
            "provider": part.provider.name,
            "model": part.task.model,
            "effort": part.task.effort,
            **part.metadata,
        }
        metadata = {key: value for key, value in metadata.items() if value is not None}
        if part.fork is not None:
            # the parent's conversation is not ours, unless the program continues it
            metadata["conversation"] = None if part.task.options.get("fork") else part.task.resume
            metadata["history_sent"] = not part.task.resume

        def work(conn: Connection) -> None:
            if part.fork is None:
                create_branch(
                    conn, Branch(id=part.branch_id, session_id=self.session_id, name=part.name, metadata=metadata)
                )
            else:
                fork_branch(
                    conn,
                    part.fork.parent_branch_id,
                    part.fork.ord,
                    session_id=self.session_id,
                    name=part.name,
                    metadata=metadata,
                    branch_id=part.branch_id,
                    inherit=bool(part.task.resume),  # another conversation has its own tools and version
                )
            for message in prompts:
                append(conn, part.branch_id, message)

        return work

    async def store_artifacts(self, artifacts: tuple[CheckedArtifact, ...]) -> None:
        """Store the checked artifacts with the session."""
        facts = {"artifacts": [artifact.to_dict() for artifact in artifacts]}
        try:
            await self._database.submit(lambda conn: add_metadata(conn, self.session_id, facts))
        except LionError as error:
            self._warn(f"{error.message}; the list of artifacts is not stored")

    def _clean(self, message: Message) -> Message:
        event = self._redact(MessageEvent(message))
        assert isinstance(event, MessageEvent)
        return event.message

    def stop(self, how: Ended) -> None:
        """Stop every agent of the run; the first reason wins."""
        if self._stopped is None:
            self._stopped = how
            if self._watchdog is not None:
                self._set_last_command(self._watchdog, how)
        for recorder in tuple(self._recorders):
            recorder.stop(self._stopped)

    def suspend(self) -> None:
        """Stop the processes of every agent until `resume`: an agent must not work unrecorded."""
        if self._watchdog is not None:
            self._watchdog.suspend()

    def resume(self) -> None:
        if self._watchdog is not None:
            self._watchdog.resume()

    @property
    def stopped(self) -> Ended | None:
        """The reason the run was stopped; None while it was not."""
        return self._stopped

    async def finish(self, ended: Ended) -> None:
        """Write the end to the database, or to the spool while the database is unavailable."""
        facts = facts_of(ended)
        await self._dialogs.stop()
        try:
            await self._database.submit(self._lease.end(**facts))
        except LionError as error:
            self._spool_end(facts, error)
        finally:
            self._release()
        if self._lost_watchdog:  # what it would have adopted is found by the session in its environment
            await asyncio.to_thread(end_processes_of, self.session_id, grace=_LEFTOVER_GRACE)

    def _spool_end(self, end: dict[str, Any], error: LionError) -> None:
        self._spool.put([{"session_id": self.session_id, "ended": end}])
        self._warn(f"{error.message}; the end of the run is stored in {self._spool.path}")


def _answer(event: Event) -> str | None:
    if not isinstance(event, MessageEvent):
        return None
    content = event.message.content
    text = content.get("assistant_response") if isinstance(content, dict) else None
    if not isinstance(text, str):
        return None
    # which lines of a program arrive together is chance
    return (text.rpartition("\n")[2] if LINES in event.message.metadata else text) or None


def frozen_seconds() -> float:
    """The time in which the supervisor of an attempt has frozen this process; it wrote it down before it thawed us."""
    path = os.environ.get(FROZEN_FILE)
    frozen = (find_object(path) or {}).get("frozen") if path else None
    return float(frozen) if isinstance(frozen, int | float) else 0.0


async def with_deadline(running: RunSession, seconds: float | None, work: Callable[[], Any]) -> Any:
    """Await the work of a run; after the deadline, stop the run as timed out."""
    loop = asyncio.get_running_loop()
    code = EXIT_CODES[SessionStatus.TIMED_OUT]
    how = Ended(SessionStatus.TIMED_OUT, code, "run.timed_out.deadline", f"the timeout of {seconds} s was reached")
    alarm: asyncio.TimerHandle | None = None
    began = loop.time()

    def ring() -> None:
        """Stop the run, or wait for as long as it has waited for a person or was frozen, which does not count."""
        nonlocal alarm
        assert seconds is not None
        left = began + seconds + running.waited.seconds + frozen_seconds() - loop.time()
        if running.waited.is_waiting or left > 0:
            alarm = loop.call_later(max(left, _RETRY_SECONDS), ring)
        else:
            running.stop(how)

    if seconds is not None:
        alarm = loop.call_later(seconds, ring)
    try:
        return await work()
    finally:
        if alarm is not None:
            alarm.cancel()
