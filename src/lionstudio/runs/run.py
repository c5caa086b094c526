"""Run the agents of one session: lease the session, record their events, and always write the end.

The caller owns signals and the terminal; it stops a run with `RunSession.stop`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lionstudio.agents.events import Ended, Event, MessageEvent
from lionstudio.agents.provider import Provider, Task
from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.model.branches import Branch, ForkPoint
from lionstudio.model.messages import Instruction, Message, System
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.runs.event_writer import LaneBranches
from lionstudio.runs.lease import Lease
from lionstudio.runs.recorder import Recorder, Redact
from lionstudio.runs.spool import Spool
from lionstudio.runs.stream_files import StreamArtifacts
from lionstudio.state.branches import create_branch, fork_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append

_RETRY_SECONDS = 2.0


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
    answer: str | None  # the last message of the agent


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
    ) -> None:
        self.session_id = session.id
        self._artifacts = artifacts
        self._database = database
        self._lease = Lease(database.path, session)
        self._redact = redact
        self._watch = watch
        self._warn = warn
        self._recorders: list[Recorder] = []
        self._spool = Spool(database.path, session.id)  # one for all parts
        self._stopped: Ended | None = None

    async def begin(self) -> None:
        """Create the session with the status running."""
        try:
            await self._database.submit(self._lease.begin)
        except BaseException:
            self._lease.release()
            raise

    async def execute(self, part: RunPart) -> Result:
        """Run one agent on its own branch, to its end."""
        answer: str | None = None

        def watch(event: Event) -> None:
            nonlocal answer
            answer = _answer(event) or answer
            if self._artifacts is not None:
                self._artifacts.append(part.branch_id, event)
            self._watch(part.name, event)

        lanes = LaneBranches(self.session_id, part.branch_id)
        recorder = Recorder(self._database, lanes, redact=self._redact, watch=watch, warn=self._warn, spool=self._spool)
        await self._open(part)
        if self._stopped is not None:
            return Result(self._stopped, None)
        self._recorders.append(recorder)
        try:
            return Result(await recorder.record(part.provider.run(part.task)), answer)
        finally:
            self._recorders.remove(recorder)
            if self._artifacts is not None:
                self._artifacts.write_snapshot(self._database, part.branch_id)

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
                )
            for message in prompts:
                append(conn, part.branch_id, message)

        return work

    def _clean(self, message: Message) -> Message:
        event = self._redact(MessageEvent(message))
        assert isinstance(event, MessageEvent)
        return event.message

    def stop(self, how: Ended) -> None:
        """Stop every agent of the run; the first reason wins."""
        if self._stopped is None:
            self._stopped = how
        for recorder in tuple(self._recorders):
            recorder.stop(self._stopped)

    @property
    def stopped(self) -> Ended | None:
        """The reason the run was stopped; None while it was not."""
        return self._stopped

    async def finish(self, ended: Ended) -> None:
        """Write the end to the database, or to the spool while the database is unavailable."""
        reasons = [ended.reason] if ended.reason else []
        code = ended.exit_code if ended.exit_code is not None else EXIT_CODES[ended.status]
        try:
            work = self._lease.end(
                ended.status, exit_code=code, reasons=reasons, detail=ended.detail, resets_at=ended.resets_at
            )
            await self._database.submit(work)
        except LionError as error:
            facts = {"exit_code": code, "reasons": reasons, "detail": ended.detail, "resets_at": ended.resets_at}
            self._spool_end({"status": str(ended.status), **facts}, error)
        finally:
            self._lease.release()

    def _spool_end(self, end: dict[str, Any], error: LionError) -> None:
        self._spool.put([{"session_id": self.session_id, "ended": end}])
        self._warn(f"{error.message}; the end of the run is stored in {self._spool.path}")


def _answer(event: Event) -> str | None:
    content = getattr(getattr(event, "message", None), "content", None)
    text = content.get("assistant_response") if isinstance(content, dict) else None
    return text if isinstance(text, str) and text else None


async def with_deadline(running: RunSession, seconds: float | None, work: Callable[[], Any]) -> Any:
    """Await the work of a run; after the deadline, stop the run as timed out."""
    loop = asyncio.get_running_loop()
    code = EXIT_CODES[SessionStatus.TIMED_OUT]
    how = Ended(SessionStatus.TIMED_OUT, code, "run.timed_out.deadline", f"the timeout of {seconds} s was reached")
    alarm = None if seconds is None else loop.call_later(seconds, running.stop, how)
    try:
        return await work()
    finally:
        if alarm is not None:
            alarm.cancel()
