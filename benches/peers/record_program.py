"""Append through `record()`, or read what Studio sends: WORK NUMBER MESSAGES FOLDER."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import AsyncExitStack

from lionstudio import record
from lionstudio.runs.api import AsyncRun
from lionstudio.state.messages.pages import page_after, page_before, scope_of_session
from lionstudio.state.sqlite.open import open_reader

TEXT = "The parser reads one token after the other. " * 10


async def append(path: str, producers: int, messages: int) -> float:
    each = messages // producers

    async def produce(run: AsyncRun) -> None:
        for _ in range(each):
            await run.assistant(TEXT)

    async with AsyncExitStack() as stack:
        opened = [record(f"run {number}", project="peers", path=path) for number in range(producers)]
        runs = [await stack.enter_async_context(run) for run in opened]
        await produce(runs[0])
        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for run in runs:
                group.create_task(produce(run))
        return (time.perf_counter() - began) * 1e6 / (each * producers)


def read(path: str, messages: int, limit: int | None) -> float:
    with record("run", project="peers", path=path) as run:
        for _ in range(messages):
            run.assistant(TEXT)
    conn = open_reader(path)
    times = []
    for _ in range(5):
        began = time.perf_counter()
        scope = scope_of_session(conn, run.session_id)
        page = page_after(conn, scope, -1, messages) if limit is None else page_before(conn, scope, messages, limit)
        text = b"[" + b"".join(page.pieces) + b"]"
        times.append((time.perf_counter() - began) * 1e3)
        assert len(json.loads(text)) == (limit or messages)
    return min(times)


def main(work: str, number: int, messages: int, folder: str) -> None:
    path = f"{folder}/state.db"
    if work == "append":
        print(asyncio.run(append(path, number, messages)))
    else:
        print(read(path, 10_000, None if work == "read" else number))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
