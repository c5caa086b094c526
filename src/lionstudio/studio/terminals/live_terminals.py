"""Live terminals: their state from hook events, and permission prompts that are held until one place answers.

The terminal shows its own prompt while Claude Code waits for us; Codex shows it after our answer, so it gets one soon.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, TypeVar

from lionstudio.agents.hooks.payloads import (
    PERMISSION,
    STATES,
    TOOL_ENDED,
    HookEvent,
    answer_of,
    question_of,
    transcript_tool,
)
from lionstudio.errors import LionError
from lionstudio.model.questions import AnsweredQuestion, Question, QuestionStatus
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SessionStatus
from lionstudio.model.status.terminals import Terminal, TerminalState
from lionstudio.runs.prepare.project import project_name
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import add_question, close_question, get_question, take_answer
from lionstudio.state.exchange.terminals import (
    count_unknown_event,
    find_terminal,
    forget_old_terminals,
    is_alive,
    process_of,
    save_terminal,
    set_terminal_state,
    withdraw_held,
)
from lionstudio.state.feed.changes import Change
from lionstudio.state.imports.transcript_files import has_session
from lionstudio.state.imports.transcript_stamps import SOURCES
from lionstudio.state.runs.conversations import find_recorded
from lionstudio.state.sessions import create_session
from lionstudio.studio.db import StudioDb
from lionstudio.studio.live.hub import Hub, Subscriber
from lionstudio.system.process_identity import Owner

# seconds that a prompt may wait for an answer here; shorter than the limit that `li connect` sets
CLAUDE_SECONDS = 3590.0
CODEX_SECONDS = 10.0
_LOOKS, _LOOK_SECONDS = 10, 0.03  # for the session of a transcript
IN_TERMINAL = "answered in the terminal"
T = TypeVar("T")
STOPPED = "Studio stopped; the prompt is in the terminal"


class Forged(Exception):
    """An event of a conversation that another process holds."""


class HookAnswer(NamedTuple):
    """The output of a hook, and the question that it answers."""

    output: bytes
    question: Question


class _Held:
    """A permission prompt that waits for an answer."""

    def __init__(self, event: HookEvent, question: Question) -> None:
        self.event, self.question = event, question
        self.closed = asyncio.Event()
        self.reason = IN_TERMINAL

    def close(self, reason: str) -> None:
        self.reason = reason
        self.closed.set()


class LiveTerminals:
    """The terminals of one home."""

    def __init__(self, db: StudioDb, hub: Hub) -> None:
        self._db, self._hub = db, hub
        self._held: set[_Held] = set()
        self._let_go = asyncio.Event()  # of the last prompt

    async def start(self) -> None:
        """Withdraw prompts that a killed server held: their hooks have ended, and the terminals ask by themselves."""

        def work(conn: Connection) -> None:
            withdraw_held(conn, STOPPED)
            forget_old_terminals(conn)

        with suppress(LionError):
            if (database := self._db.find_database()) is not None:
                await asyncio.to_thread(database.write, work)

    def release(self) -> None:
        """Let go of every prompt: the terminals ask by themselves."""
        for held in self._held:
            held.close(STOPPED)

    async def close(self) -> None:
        """Wait until the prompts are closed."""
        self.release()
        if self._held:
            self._let_go.clear()
            await self._let_go.wait()

    async def take(
        self, event: HookEvent, program: Owner, version: int, client: asyncio.StreamReader
    ) -> HookAnswer | None:
        """Record an event; the answer of a permission prompt, None when there is none. Raises Forged."""
        state = STATES.get(event.name)
        if state is None:
            await self._write(lambda conn: count_unknown_event(conn, event.tool, event.conversation_id))
            return None
        await self._write(lambda conn: _save(conn, event, state, program, version))
        for held in list(self._held):
            if held.event.session_id == event.session_id and _ends(event, held.event):
                held.close(IN_TERMINAL)
        return await self._hold(event, client) if event.name == PERMISSION else None

    async def refuse(self, record: Callable[[Connection], None]) -> None:
        """Record an event of an agent; the refusal holds without that."""
        with suppress(LionError):
            await self._write(record)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self._db.write, work)

    async def _hold(self, event: HookEvent, client: asyncio.StreamReader) -> HookAnswer | None:
        """Ask, and wait for the first of: an answer, the terminal, the end of the hook, the time limit."""
        pages = self._hub.client_count - len(self._held)
        seconds = CLAUDE_SECONDS if event.tool == "claude" else CODEX_SECONDS if pages > 0 else 0.0
        if not seconds:
            return None
        held = _Held(event, question_of(event))
        subscriber = Subscriber(lambda change: _is_about(change, held.question.id), whole=False)
        async with self._hub.subscribe(subscriber):
            self._held.add(held)
            try:
                await self._ask(held)
                answered = await self._wait(held, subscriber, client, seconds)
            finally:
                self._held.discard(held)
                if not self._held:
                    self._let_go.set()
        if answered is None:
            return None
        # the question as it was asked: the stored one is redacted, the names of its rules too
        unredacted = AnsweredQuestion(held.question, AnsweredQuestion.of(answered).answer)
        return HookAnswer(answer_of(event, unredacted), answered)

    async def _ask(self, held: _Held) -> None:
        session_id = held.event.session_id
        for _ in range(_LOOKS):  # it is usually imported by then
            if self._db.read(lambda conn: has_session(conn, session_id))[0]:
                break
            await asyncio.sleep(_LOOK_SECONDS)

        def work(conn: Connection) -> None:
            if not has_session(conn, session_id):
                create_session(conn, _new_session(conn, held.event))
            add_question(conn, held.question)

        await self._write(work)

    async def _wait(
        self, held: _Held, subscriber: Subscriber, client: asyncio.StreamReader, seconds: float
    ) -> Question | None:
        status, reason = QuestionStatus.WITHDRAWN, "the program withdrew its prompt"
        question_id, is_gone = held.question.id, False
        try:
            async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
                gone, closed = group.create_task(client.read(1)), group.create_task(held.closed.wait())
                while True:
                    changed = group.create_task(subscriber.ready.wait())
                    await asyncio.wait((gone, closed, changed), return_when=asyncio.FIRST_COMPLETED)
                    question = self._db.read(lambda conn: get_question(conn, question_id))[0]
                    if not question.is_open or gone.done() or closed.done():
                        break
                    subscriber.take()
                    subscriber.dropped = False
                is_gone = gone.done()
                for task in (gone, closed, changed):
                    task.cancel()
            reason = held.reason if held.closed.is_set() else reason
        except TimeoutError:
            status, reason = QuestionStatus.EXPIRED, "not answered in time; the prompt is in the terminal"
        is_idle = is_gone and not held.closed.is_set()  # the person interrupted the turn, or denied the call

        def close(conn: Connection) -> None:
            if close_question(conn, question_id, status, reason) and is_idle:
                set_terminal_state(conn, held.event.session_id, TerminalState.IDLE)

        await self._write(close)
        question = self._db.read(lambda conn: get_question(conn, question_id))[0]
        return question if question.status is QuestionStatus.ANSWERED else None

    async def delivered(self, answer: HookAnswer) -> None:
        """Record that the program has the answer, and works on."""
        question = answer.question
        if question.session_id is not None:
            session_id = question.session_id

            def work(conn: Connection) -> None:
                take_answer(conn, question.id, session_id)
                set_terminal_state(conn, session_id, TerminalState.WORKING)

            await self._write(work)


def _is_about(change: Change, question_id: str) -> bool:
    return change.entity == "question" and change.entity_id == question_id


def _ends(event: HookEvent, held: HookEvent) -> bool:
    """Whether an event proves that the terminal has answered a prompt: its tool ran, or the turn is over."""
    if event.name == PERMISSION:
        return False
    if event.name in TOOL_ENDED:
        return (event.function, event.arguments) == (held.function, held.arguments)
    return True


def _save(conn: Connection, event: HookEvent, state: TerminalState, program: Owner, version: int) -> None:
    known = find_terminal(conn, event.tool, event.conversation_id)
    if known is not None and is_alive(known) and _process(process_of(known)) != _process(program):
        raise Forged(f"process {program.pid} reported an event of a conversation of process {known.owner['pid']}")
    now = time.time()
    terminal = Terminal(
        tool=event.tool,
        conversation_id=event.conversation_id,
        session_id=event.session_id,
        state=state,
        since=now,
        owner=program._asdict(),
        cwd=event.cwd,
        hooks_version=version,
        last_event=event.name,
        last_event_at=now,
        events=1,
        unknown_events=0,
    )
    save_terminal(conn, terminal)


def _process(owner: Owner | None) -> tuple[int, int | None] | None:
    return None if owner is None else (owner.pid, owner.start_ticks)


def _new_session(conn: Connection, event: HookEvent) -> Session:
    """The session of a transcript that is not imported yet, as its import makes it."""
    tool = transcript_tool(event.tool)
    return Session(
        id=event.session_id,
        created_at=time.time(),
        agent_name=tool.agent_name,
        provider=tool.provider,
        invocation_kind=InvocationKind.AGENT,
        source_kind=SOURCES[event.tool],
        status=SessionStatus.RUNNING,
        conversation_id=event.conversation_id,
        cwd=event.cwd,
        project=event.cwd and project_name(event.cwd),
        continues=find_recorded(conn, event.conversation_id),
        metadata={"mirror": {"tool": event.tool, "session_id": event.conversation_id}},
    )
