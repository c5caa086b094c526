"""Agent programs that print one JSON record a line: their lines become events, whatever they print.

What a message has used is often told right after it, so the last message may be held back for a moment.
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

_HOLD_SECONDS = 0.1  # the figures follow within milliseconds, or much later
_LONGEST_DETAIL = 2000


class StreamReader(ABC):
    """Turns the records of one run into events; each program has its own."""

    def __init__(self) -> None:
        self.tally = UsageTally()
        self._held: Message | None = None
        self._held_until = 0.0

    @abstractmethod
    def feed(self, record: dict[str, Any]) -> Iterator[Event]:
        """The events of the next record."""

    @abstractmethod
    def ended(self, code: int, last_words: str) -> Ended:
        """How it went, when nothing more comes."""

    @property
    def hold_left(self) -> float | None:
        """How long a message may still be held back; None when there is none."""
        return None if self._held is None else max(0.0, self._held_until - time.monotonic())

    def emit(self, message: Message, lane: str = MAIN, *, hold: bool = False) -> Iterator[MessageEvent]:
        """The event of a message, after the one that was held back; or hold this one."""
        yield from self.flush()
        if hold:
            self._held, self._held_until = message, time.monotonic() + _HOLD_SECONDS
        else:
            yield MessageEvent(message, lane)

    def flush(self) -> Iterator[MessageEvent]:
        """The message that was held back, if there is one."""
        if self._held is not None:
            held, self._held = self._held, None
            yield MessageEvent(held)

    def note(self, usage: Usage) -> bool:
        """Put this usage on the message that is held back; False when there is none."""
        if self._held is None:
            return usage == NOTHING
        self._held = self.tally.note(self._held, usage)
        return True


async def stream(program: Program, reader: StreamReader) -> AsyncGenerator[Event, None]:
    """Run a program to its end; closing this ends it with its whole tree."""
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
                # whoever stops the run still gets what was held back, and is told again with the next event
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
        yield reader.ended(code, program.last_words)


def events_of(line: bytes, reader: StreamReader) -> Iterator[Event]:
    """The events of one printed line; what is no record is kept as it is."""
    if not line.strip():
        return
    record = parse_line(line)
    if isinstance(record, dict):
        yield from reader.feed(record)
    else:
        yield from reader.emit(raw_message(record))


def notice(text: str, kind: str, record: Any) -> Message:
    """What the program says about its own work, neither the model's words nor the user's."""
    about = {"record": kind, "injected": True, "raw": jsonable(record)}
    return Instruction(role="system", content={"instruction": text}, metadata=about)


def broke_off(code: int, last_words: str, name: str) -> Ended:
    """The end of a program that never said how it went."""
    detail = last_words[-_LONGEST_DETAIL:] or f"{name} ended with exit code {code} and no word about why"
    if code == 137:  # killed by SIGKILL that was not ours: most often the system was out of memory
        return Ended(SessionStatus.FAILED, code, "run.failed.out_of_memory", detail)
    reason = "run.failed.provider_crash" if code in (0, *range(129, 160)) else "run.failed.exit_nonzero"
    return Ended(SessionStatus.FAILED, code or 1, reason, detail)
