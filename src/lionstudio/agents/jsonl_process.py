"""Agent programs that print one JSON record per line: every line becomes events, also when it is not a record.

The usage of a message is often printed right after it, so the last message may be held for a moment.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from lionstudio.agents.events import MAIN, Ended, Event, MessageEvent
from lionstudio.agents.records import parse_line, raw_message
from lionstudio.agents.usage_tally import UsageTally
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import Instruction, Message
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.system.program import Program

_HOLD_SECONDS = 0.1  # the usage follows within milliseconds, or much later
_MAX_DETAIL = 2000


class StreamReader(ABC):
    """Turns the records of one run into events."""

    def __init__(self) -> None:
        self.tally = UsageTally()
        self._held: Message | None = None
        self._held_until = 0.0

    @abstractmethod
    def feed(self, record: dict[str, Any]) -> Iterator[Event]:
        """The events of the next record."""

    @abstractmethod
    def ended(self, code: int, last_words: str) -> Ended:
        """The outcome of the run, after the last record."""

    @property
    def hold_left(self) -> float | None:
        """The seconds that the held message may still be held; None when no message is held."""
        return None if self._held is None else max(0.0, self._held_until - time.monotonic())

    def emit(self, message: Message, lane: str = MAIN, *, hold: bool = False) -> Iterator[MessageEvent]:
        """Yield the held message, then this one; or hold this one."""
        yield from self.flush()
        if hold:
            self._held, self._held_until = message, time.monotonic() + _HOLD_SECONDS
        else:
            yield MessageEvent(message, lane)

    def flush(self) -> Iterator[MessageEvent]:
        """Yield the held message, if there is one."""
        if self._held is not None:
            held, self._held = self._held, None
            yield MessageEvent(held)

    def note(self, usage: Usage) -> bool:
        """Add this usage to the held message; False when no message is held."""
        if self._held is None:
            return usage == NOTHING
        self._held = self.tally.note(self._held, usage)
        return True


async def stream(program: Program, reader: StreamReader) -> AsyncGenerator[Event, None]:
    """Run a program to its end; closing the generator ends its process tree."""
    async with program:
        while True:
            if reader.hold_left == 0:
                for held in reader.flush():
                    yield held
            try:
                line = await program.line(reader.hold_left)
            except TimeoutError:
                continue
            except asyncio.CancelledError:
                # the caller that stops the run still receives the held message; the cancellation follows
                for held in reader.flush():
                    yield held
                raise
            if line is None:
                break
            for event in events_of(line, reader):
                yield event
        code = await program.wait()
        for held in reader.flush():
            yield held
        yield reader.ended(code, program.stderr_tail)


def events_of(line: bytes, reader: StreamReader) -> Iterator[Event]:
    """The events of one printed line; a line that is not a record is kept as it is."""
    if not line.strip():
        return
    record = parse_line(line)
    if isinstance(record, dict):
        yield from reader.feed(record)
    else:
        yield from reader.emit(raw_message(record))


def notice(text: str, kind: str, record: Any) -> Message:
    """A message of the program itself, neither of the model nor of the user."""
    metadata = {"record": kind, "injected": True, "raw": jsonable(record)}
    return Instruction(role="system", content={"instruction": text}, metadata=metadata)


def ended_without_result(code: int, last_words: str, name: str) -> Ended:
    """The outcome of a program that exited without reporting one."""
    detail = last_words[-_MAX_DETAIL:] or f"{name} exited with code {code} without an error message"
    if code == 137:  # a SIGKILL that we did not send: usually the system was out of memory
        return Ended(SessionStatus.FAILED, code, "run.failed.out_of_memory", detail)
    reason = "run.failed.provider_crash" if code in (0, *range(129, 160)) else "run.failed.exit_nonzero"
    return Ended(SessionStatus.FAILED, code or 1, reason, detail)
