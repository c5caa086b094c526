"""Append to, or read from, sessions of the OpenAI Agents SDK: WORK NUMBER MESSAGES FOLDER. Run by its interpreter."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
from typing import Any

SQLiteSession: Any = importlib.import_module("agents").SQLiteSession  # a package of that environment

ITEM = {"role": "assistant", "content": "The parser reads one token after the other. " * 10}


async def append(path: str, producers: int, messages: int) -> float:
    sessions = [SQLiteSession(f"session {number}", path) for number in range(producers)]
    each = messages // producers

    async def produce(session: Any) -> None:
        for _ in range(each):
            await session.add_items([ITEM])

    await produce(sessions[0])  # creates the file and warms up
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for session in sessions:
            group.create_task(produce(session))
    return (time.perf_counter() - began) * 1e6 / (each * producers)


async def read(path: str, messages: int, limit: int | None) -> float:
    session = SQLiteSession("session", path)
    await session.add_items([ITEM] * messages)
    times = []
    for _ in range(5):
        began = time.perf_counter()
        text = json.dumps(await session.get_items(limit))
        times.append((time.perf_counter() - began) * 1e3)
        assert len(json.loads(text)) == (limit or messages)
    return min(times)


def main(work: str, number: int, messages: int, folder: str) -> None:
    path = f"{folder}/sessions.db"
    if work == "append":
        print(asyncio.run(append(path, number, messages)))
    else:
        print(asyncio.run(read(path, 10_000, None if work == "read" else number)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
