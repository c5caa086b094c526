"""The recorder leaves the event loop free: the redaction of long texts is work for a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

import pytest
from tests.support.builders import begin
from tests.support.loop_turns import turns_between_pieces

from lionstudio.agents.events import Ended, Event, MessageEvent
from lionstudio.model.messages import AssistantResponse, Message
from lionstudio.model.redaction.redactor import Redactor
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.event_writer import LaneBranches
from lionstudio.runs.recorder import Recorder
from lionstudio.runs.redaction import EventRedactor
from lionstudio.state.branches import history
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database

LONG = "some words and names\n" * 50_000


def stored_messages(db: Database, branch_id: str) -> list[Message]:
    return db.read(lambda conn: [entry.message for entry in history(conn, branch_id) if entry.message])


@pytest.mark.parametrize("ending", ["", 'password="hunT3r!x9q"'])
def test_recorder_redacts_no_long_text_on_the_loop(db: Database, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    begun = begin(db)
    searched: list[str] = []
    clean = Redactor._clean

    def watched(self: Redactor, text: str) -> str:
        if len(text) >= len(LONG):
            searched.append(threading.current_thread().name)
        return clean(self, text)

    monkeypatch.setattr(Redactor, "_clean", watched)

    async def events() -> AsyncIterator[Event]:
        yield MessageEvent(AssistantResponse(content={"assistant_response": LONG + ending}))
        yield Ended(SessionStatus.COMPLETED, 0, None, None)

    recorder = Recorder(db, LaneBranches("s", begun.branch_id), redact=EventRedactor().event)
    asyncio.run(recorder.record(events()))

    assert searched
    assert threading.main_thread().name not in searched
    [message] = stored_messages(db, begun.branch_id)
    assert message.text.startswith(LONG[:100])
    assert "hunT3r" not in message.text


def test_recorder_lets_the_loop_turn_between_the_pieces_of_a_long_text(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = begin(db)
    with turns_between_pieces(monkeypatch) as turns:

        async def events() -> AsyncIterator[Event]:
            yield MessageEvent(AssistantResponse(content={"assistant_response": LONG}))
            yield Ended(SessionStatus.COMPLETED, 0, None, None)

        recorder = Recorder(db, LaneBranches("s", begun.branch_id), redact=EventRedactor().event)
        asyncio.run(recorder.record(events()))

    # the text itself, and the row that holds it
    assert len(turns) >= 2 * (len(LONG) // (512 * 1024))
    assert all(turns)


def test_recorder_stores_the_event_that_waits_for_a_full_queue_when_stopped(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lionstudio.runs.recorder._QUEUE", 1)
    begun = begin(db)
    texts = ["being stored", "queued", "waiting", "never read"]

    async def main() -> None:
        go_on = asyncio.Event()
        read: list[str] = []
        submit = db.submit

        async def slow_submit(work: Callable[[Connection], None]) -> None:
            await go_on.wait()
            await submit(work)

        async def events() -> AsyncIterator[Event]:
            for text in texts:
                read.append(text)
                yield MessageEvent(AssistantResponse(content={"assistant_response": text}))

        monkeypatch.setattr(db, "submit", slow_submit)
        recorder = Recorder(db, LaneBranches("s", begun.branch_id))
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            group.create_task(recorder.record(events()))
            while len(read) < 3 or not recorder._queue.full():  # noqa: ASYNC110  (nothing signals it)
                await asyncio.sleep(0)
            for _ in range(10):  # turns in which the reader begins to wait
                await asyncio.sleep(0)
            recorder.stop(Ended(SessionStatus.ABORTED, 130, None, None))
            go_on.set()

    asyncio.run(main())

    assert [message.text for message in stored_messages(db, begun.branch_id)] == texts[:3]


LINE = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"


def said_by(redactor: EventRedactor, text: str) -> str:
    event = redactor.event(MessageEvent(AssistantResponse(content={"assistant_response": text})))
    assert isinstance(event, MessageEvent)
    return str(event.message.content["assistant_response"])


def test_event_redactor_masks_a_private_key_that_comes_line_by_line() -> None:
    redactor = EventRedactor()
    lines = [
        "key: -----BEGIN RSA PRIVATE KEY-----",
        "Proc-Type: 4,ENCRYPTED",
        "",
        LINE,
        "12:00 other words",
        f"app | {LINE}",
    ]

    masked = [said_by(redactor, line) for line in [*lines, "abc4==", "-----END RSA PRIVATE KEY-----", "done"]]

    assert masked[0] == "key: [REDACTED:private-key]"
    assert (masked[4], masked[-1]) == ("12:00 other words", "done")
    assert not any(LINE[:8] in text or "abc4" in text for text in masked)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 20])
def test_event_redactor_masks_a_private_key_in_groups_of_lines(size: int) -> None:
    """Wherever the output of a program is divided, no line of the key is left, and every other line is."""
    lines = ["start", "key: -----BEGIN RSA PRIVATE KEY-----", *[f"{LINE}{number:02}" for number in range(9)], "abc4=="]
    lines = [*lines[:6], "12:00 other words", *lines[6:], "-----END RSA PRIVATE KEY-----", "done", "", "all"]
    redactor = EventRedactor()

    groups = ["\n".join(lines[start : start + size]) for start in range(0, len(lines), size)]
    text = "\n".join(said_by(redactor, group) for group in groups)

    assert LINE[:8] not in text
    assert "abc4" not in text
    assert text.startswith("start\nkey: [REDACTED:private-key")
    assert text.endswith("done\n\nall")
    assert size == 20 or "12:00 other words" in text


def test_event_redactor_keeps_words_after_the_first_line_of_a_key() -> None:
    redactor = EventRedactor()
    texts = ["It starts with -----BEGIN PRIVATE KEY----- and goes on.", "Then comes base64.", "A PRIVATE KEY", "End."]

    assert [said_by(redactor, text) for text in texts] == texts
