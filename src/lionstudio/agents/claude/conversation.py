"""Talk with Claude Code over stdio: its questions are answered, and messages reach it while it works.

Its input stays open until the turn is done and no message is left. When no answer comes for a while the program is
ended, and started again with the answers: it drops the call that waited, so the model is told to make it once more, and
the answer is used for exactly that call.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from typing import Any
from uuid import UUID, uuid4

from lionstudio.agents.claude.control import (
    PermissionRequest,
    error_record,
    interrupt_record,
    is_words,
    response_record,
    user_record,
)
from lionstudio.agents.claude.stream import ClaudeStreamReader
from lionstudio.agents.continuation import continuation_text
from lionstudio.agents.dialog import Delivery, Dialog, Said
from lionstudio.agents.events import AnswerTaken, Event, QuestionAsked, QuestionClosed
from lionstudio.agents.jsonl_process import events_of
from lionstudio.agents.preflight import prompt_of
from lionstudio.agents.program_and_person import ProgramAndPerson
from lionstudio.agents.provider import Task
from lionstudio.agents.records import parse_line, text_or_empty
from lionstudio.model.coerce import Record, dict_of
from lionstudio.model.messages import Instruction, Message
from lionstudio.model.questions import AnsweredQuestion, Question, QuestionStatus
from lionstudio.system.program import Program

_ACKNOWLEDGE_SECONDS = 30.0  # of silence after a turn; a message that was not taken up by then stays queued
Start = Callable[[Task], Program]


class StdioConversation:
    """One run: one program, or several one after another when its questions waited for long."""

    def __init__(self, task: Task, dialog: Dialog, start: Start) -> None:
        self._task = task
        self._dialog = dialog
        self._start = start
        self._reader = ClaudeStreamReader()
        self._conversation = task.resume
        self._open: dict[str, tuple[Question, PermissionRequest]] = {}  # by the id of the question
        self._answered = list(task.answered)  # for calls that are made once more
        self._sent: dict[str, Message | None] = {}  # by uuid, not taken up yet; None: the run has stored it
        self._now: list[Message] = []  # for the program that is started again
        self._next: deque[Message] = deque()  # for after the turn
        self._is_busy = True  # a turn runs
        self._is_parked = False
        self._is_closed = False
        self._last_line = 0.0

    async def events(self) -> AsyncGenerator[Event, None]:
        """Run to the end of the conversation; closing the generator ends the program."""
        messages: list[Message | None] = [None]  # the prompt, which the run has stored
        while True:
            async with self._start(self._task) as program:
                async with aclosing(self._talk(program, messages)) as events:
                    async for event in events:
                        yield event
                if not self._is_parked:
                    code = await program.wait()
                    for held in self._reader.flush():
                        yield held
                    if not (self._reader.has_forgotten and self._answered and self._task.history):
                        yield self._reader.ended(code, program.stderr_tail)
                        return
            if not self._is_parked:
                self._forget()
                continue
            async with aclosing(self._wait_parked()) as events:
                async for event in events:
                    yield event
            messages = self._restart()

    # ── the program ──────────────────────────────────────────────────────

    async def _talk(self, program: Program, messages: list[Message | None]) -> AsyncGenerator[Event, None]:
        """Read the program and the dialog until the output ends, or until the program is parked."""
        self._last_line = asyncio.get_running_loop().time()
        for message in messages:
            await self._send(program, prompt_of(self._task).decode() if message is None else message.text, message)
        listener = ProgramAndPerson(program.line, self._dialog)
        try:
            while True:
                if self._reader.hold_left == 0:
                    for held in self._reader.flush():
                        yield held
                try:
                    heard = await listener.next(self._patience())
                except TimeoutError:
                    if self._seconds_to_park() == 0:
                        self._is_parked = True
                        return
                else:
                    if heard is None:  # the output has ended
                        return
                    events = self._read(program, heard) if isinstance(heard, bytes) else self._hear(program, heard)
                    async for event in events:
                        yield event
                self._close_when_done(program)
        except asyncio.CancelledError:
            # the caller that stops the run still receives the held message; the cancellation follows
            for held in self._reader.flush():
                yield held
            raise
        finally:
            await listener.close()

    def _patience(self) -> float | None:
        """The seconds until something must happen without a line and without a word."""
        limits = [self._reader.hold_left, self._seconds_to_park(), self._seconds_to_close()]
        return min((limit for limit in limits if limit is not None), default=None)

    def _left(self, seconds: float) -> float:
        return max(0.0, self._last_line + seconds - asyncio.get_running_loop().time())

    def _seconds_to_park(self) -> float | None:
        """The time until the program is ended because no answer comes; None while nothing waits."""
        if not self._open or self._task.park_after is None or self._conversation is None:
            return None
        return self._left(self._task.park_after)

    def _seconds_to_close(self) -> float | None:
        if self._is_busy or self._is_closed or not self._sent:
            return None
        return self._left(_ACKNOWLEDGE_SECONDS)

    def _close_when_done(self, program: Program) -> None:
        """End the input after the turn, unless a message is on its way."""
        if self._is_busy or self._is_closed or self._open or self._next:
            return
        if not self._sent or self._seconds_to_close() == 0:
            self._is_closed = True
            program.close_input()

    async def _write(self, program: Program, record: Mapping[str, Any]) -> None:
        with suppress(ConnectionError, RuntimeError):  # it has ended: the output says so
            program.stdin.write(json.dumps(record).encode() + b"\n")
            await program.stdin.drain()

    async def _send(self, program: Program, text: str, message: Message | None) -> None:
        uuid = _uuid_of(message)
        self._sent[uuid] = message
        await self._write(program, user_record(text, uuid))

    # ── its records ──────────────────────────────────────────────────────

    async def _read(self, program: Program, line: bytes) -> AsyncIterator[Event]:
        record = parse_line(line)
        kind = text_or_empty(dict_of(record).get("type"))
        if kind != "keep_alive":
            self._last_line = asyncio.get_running_loop().time()
        if kind == "control_request":
            async for event in self._request(program, record):
                yield event
        elif kind == "control_cancel_request":
            for event in self._cancel(text_or_empty(record.get("request_id"))):
                yield event
        elif kind == "user" and record.get("isReplay") is True:
            for event in self._acknowledge(text_or_empty(record.get("uuid"))):
                yield event
        elif kind != "control_response":
            if kind == "system" and record.get("subtype") == "init":
                self._conversation = text_or_empty(record.get("session_id")) or self._conversation
                for event in self._begin_turn():
                    yield event
            for event in events_of(line, self._reader):
                yield event
            if kind == "result" and not self._reader.has_forgotten:
                async for event in self._end_turn(program):
                    yield event

    async def _request(self, program: Program, record: Record) -> AsyncIterator[Event]:
        request_id, request = text_or_empty(record.get("request_id")), dict_of(record.get("request"))
        if request.get("subtype") != "can_use_tool":
            await self._write(program, error_record(request_id, f"unsupported: {request.get('subtype')}"))
            return
        asked = PermissionRequest.of(request_id, request)
        for held in self._reader.flush():  # the call is stored before the question about it
            yield held
        earlier = next((answered for answered in self._answered if asked.is_answered_by(answered)), None)
        if earlier is not None:
            self._answered.remove(earlier)
            if await self._dialog.take(earlier.question.id):
                async for event in self._respond(program, asked, earlier):
                    yield event
                return
        question = asked.question(self._task.cwd)
        self._open[question.id] = (question, asked)
        yield QuestionAsked(question)

    async def _respond(
        self, program: Program, asked: PermissionRequest, answered: AnsweredQuestion
    ) -> AsyncIterator[Event]:
        response = asked.response(answered)
        if response["behavior"] == "deny":
            self._reader.decided.add(asked.call_id)
        await self._write(program, response_record(asked.request_id, response))
        yield AnswerTaken(answered.question.id)

    def _cancel(self, request_id: str) -> Iterator[Event]:
        for question, asked in list(self._open.values()):
            if asked.request_id == request_id:
                del self._open[question.id]
                self._reader.decided.add(asked.call_id)
                yield QuestionClosed(question.id, QuestionStatus.WITHDRAWN, "the agent stopped waiting for it")

    def _acknowledge(self, uuid: str) -> Iterator[Event]:
        self._is_busy = True
        message = self._sent.pop(uuid, None)
        if message is not None:
            yield from self._reader.emit(message)

    def _begin_turn(self) -> Iterator[Event]:
        """Commands like /context begin a turn, but are not repeated."""
        self._is_busy = True
        uuid, message = next(iter(self._sent.items()), ("", None))
        if uuid and (message.text if message else self._task.prompt).startswith("/"):
            yield from self._acknowledge(uuid)

    async def _end_turn(self, program: Program) -> AsyncIterator[Event]:
        self._is_busy = False
        while self._answered:  # the agent has read them, and did not make the call again
            answered = self._answered.pop()
            if await self._dialog.take(answered.question.id):
                yield AnswerTaken(answered.question.id)
        while (incoming := self._dialog.receive_nowait()) is not None:
            async for event in self._hear(program, incoming):
                yield event
        if self._next and not self._sent:
            message = self._next.popleft()
            await self._send(program, message.text, message)

    # ── the person ───────────────────────────────────────────────────────

    async def _hear(self, program: Program, incoming: Said) -> AsyncIterator[Event]:
        if isinstance(incoming, AnsweredQuestion):
            question, asked = self._open.pop(incoming.question.id, (None, None))
            if question is None or asked is None:
                return
            if not await self._dialog.take(question.id):
                await self._write(program, error_record(asked.request_id, "another run has taken the answer"))
                return
            async for event in self._respond(program, asked, AnsweredQuestion(question, incoming.answer)):
                yield event
            if is_words(incoming.answer, question.effect_of(incoming.answer)):
                words = Instruction(content={"instruction": incoming.answer.text})
                await self._send(program, words.text, words)
        elif self._is_closed:
            return  # it stays in the inbox
        elif incoming.delivery is Delivery.NOW or not self._is_busy:
            await self._send(program, incoming.text, incoming.message)
        elif incoming.delivery is Delivery.NEXT:
            self._next.append(incoming.message)
        else:
            self._next.appendleft(incoming.message)
            await self._write(program, interrupt_record(str(uuid4())))

    async def _wait_parked(self) -> AsyncGenerator[Event, None]:
        """Wait without a program until every question is answered, or replaced by a message."""
        while self._open:
            incoming = await self._dialog.receive()
            if isinstance(incoming, AnsweredQuestion):
                if incoming.question.id in self._open:
                    question, _ = self._open.pop(incoming.question.id)
                    self._answered.append(AnsweredQuestion(question, incoming.answer))
            elif incoming.delivery is Delivery.INSTEAD:
                for question_id in self._open:
                    yield QuestionClosed(question_id, QuestionStatus.WITHDRAWN, "replaced by a message")
                self._open.clear()
                self._now = [incoming.message]
            else:
                (self._now if incoming.delivery is Delivery.NOW else self._next).append(incoming.message)

    def _forget(self) -> None:
        """Start the conversation anew, with the earlier messages as text: the answers must reach the agent."""
        self._task = self._task._replace(resume=None)
        self._reader = self._reader.successor()
        self._sent.clear()
        self._is_busy, self._is_closed = True, False

    def _restart(self) -> list[Message | None]:
        """The first messages of the program that continues: the answers, and what was said meanwhile."""
        self._task = self._task._replace(resume=self._conversation, options={**self._task.options, "fork": False})
        self._reader = self._reader.successor()
        self._is_parked, self._is_busy = False, True
        messages: list[Message | None] = [*filter(None, self._sent.values()), *self._now]
        self._sent.clear()
        self._now = []
        if self._answered:
            content = {"instruction": continuation_text(self._answered)}
            metadata = {"record": "answers", "injected": True}
            messages.insert(0, Instruction(role="system", content=content, metadata=metadata))
        return messages


def _uuid_of(message: Message | None) -> str:
    """The id of a message, so that a transcript names it; the program accepts only UUIDs."""
    if message is not None:
        with suppress(ValueError):
            return str(UUID(message.id))
    return str(uuid4())
