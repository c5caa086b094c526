"""Records of a program: a message is held briefly for its usage."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from typing import Any

from lionstudio.agents.events import Ended, Event, MessageEvent
from lionstudio.agents.jsonl_process import StreamReader, stream
from lionstudio.model.messages import AssistantResponse
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.model.usage import Usage
from lionstudio.system.program import Program


class Parrot(StreamReader):
    """Emits each text and holds it for its usage."""

    def feed(self, record: dict[str, Any]) -> Iterator[Event]:
        if "say" in record:
            yield from self.emit(AssistantResponse(content={"assistant_response": record["say"]}), hold=True)
        else:
            assert self.note(Usage(record["tokens"]))

    def ended(self, code: int, last_words: str) -> Ended:
        return Ended(SessionStatus.COMPLETED, code)


def program(code: str) -> Program:
    return Program([sys.executable, "-uc", f"import time\n{code}"], cwd="/", env={})


async def collect(code: str) -> list[tuple[float, Event]]:
    return [(time.monotonic(), event) async for event in stream(program(code), Parrot())]


def test_stream_adds_following_usage_to_held_message() -> None:
    events = asyncio.run(collect("""print('{"say": "a"}\\n{"tokens": 5}\\n{"say": "b"}')"""))
    said = [event.message for _, event in events if isinstance(event, MessageEvent)]

    assert [(message.content["assistant_response"], message.usage.input_tokens) for message in said] == [
        ("a", 5),
        ("b", 0),
    ]
    assert isinstance(events[-1][1], Ended)


def test_stream_releases_held_message_after_timeout() -> None:
    events = asyncio.run(collect("""print('{"say": "a"}'); time.sleep(1); print('{"say": "b"}')"""))
    a, b = [at for at, event in events if isinstance(event, MessageEvent)]

    assert b - a > 0.6


def test_stream_yields_held_message_on_cancellation() -> None:
    async def stopped() -> list[Event]:
        reader, events = Parrot(), []
        iterator = stream(program("""print('{"say": "a"}'); time.sleep(60)"""), reader)

        async def consume() -> None:
            async for event in iterator:
                events.append(event)

        task = asyncio.ensure_future(consume())  # noqa: TID251
        while reader.hold_left is None:  # noqa: ASYNC110  (no event announces a held message)
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        await iterator.aclose()
        return events

    (said,) = asyncio.run(stopped())
    assert isinstance(said, MessageEvent)
    assert said.message.content == {"assistant_response": "a"}
