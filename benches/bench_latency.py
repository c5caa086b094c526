"""Delay from a commit to another process: Tail with the doorbell and by polling alone, and its idle CPU.

The clock starts before `write`, so the figure includes the commit itself. Idle CPU is that of a process that follows
a database without commits.
"""

from __future__ import annotations

import asyncio
import random
import time
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe
from typing import Any

from benches.measure import percentile
from benches.stores import begin, clean_up, fresh_path, messages
from benches.table import Goal, Options, Table, at_most, options
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sqlite.tail import Tail

_SPAWN = get_context("spawn")
_RATE = 50  # commits a second


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("From a commit to another process", args)
        _latencies(table, args)
        _idle(table, args)
        table.close()
    finally:
        clean_up()


def _latencies(table: Table, args: Options) -> None:
    commits = 60 if args.quick else 1000
    for what, bells, follow, goal in (
        ("doorbell, Tail.wait", True, _wait, at_most(10)),
        ("doorbell, Tail.follow", True, _follow, at_most(10)),
        ("net alone, Tail.wait", False, _wait, at_most(60)),
        ("net alone, Tail.follow", False, _follow, at_most(60)),
    ):
        each = _run(commits, bells, follow)
        _rows(table, what, each, commits, goal)


def _rows(table: Table, what: str, each: list[float], commits: int, goal: Goal) -> None:
    table.row(f"{what}, p50", percentile(each, 50), "ms")
    table.row(f"{what}, p95", percentile(each, 95), "ms", goal)
    table.row(f"{what}, p99", percentile(each, 99), "ms", note=f"longest {max(each):.1f} ms")
    table.row(f"{what}, commits not seen", commits - len(each), "", at_most(0))


def _run(commits: int, bells: bool, follow: Any) -> list[float]:
    """Milliseconds from each write to its change in the other process."""
    path = fresh_path("latency")
    parent, child = _SPAWN.Pipe()
    with Database(path, long_lived=True) as database:
        _, branch = begin(database)
        follower = _SPAWN.Process(target=follow, args=(path, commits, child))
        follower.start()
        parent.recv()
        if not bells:
            setattr(database.bell, "ring", lambda: None)  # noqa: B010  (a method cannot be assigned to)
        sent = _write(database, branch, commits)
        seen: dict[str, float] = parent.recv()
        follower.join()
    return [(seen[id_] - at) * 1000 for id_, at in sent.items() if id_ in seen]


def _write(database: Database, branch: str, commits: int) -> dict[str, float]:
    supply = messages(random.Random(1))
    sent: dict[str, float] = {}
    for _ in range(commits):
        time.sleep(random.expovariate(_RATE))
        message = next(supply)
        sent[message.id] = time.monotonic()
        database.write(lambda conn, message=message: append(conn, branch, message))  # type: ignore[misc]
    return sent


def _wait(path: str, commits: int, pipe: Pipe) -> None:
    """A follower without an event loop."""
    seen: dict[str, float] = {}
    with Tail(path) as tail:
        pipe.send("ready")
        until = time.monotonic() + 3 * commits / _RATE + 5
        while len(seen) < commits and time.monotonic() < until:
            rows = tail.wait(1).rows
            now = time.monotonic()
            seen.update((row.entity_id, now) for row in rows)
    pipe.send(seen)


def _follow(path: str, commits: int, pipe: Pipe) -> None:
    """A follower on an event loop, as Studio is one."""

    async def collect() -> dict[str, float]:
        seen: dict[str, float] = {}
        with Tail(path) as tail:
            pipe.send("ready")
            async for changes in tail.follow():
                now = time.monotonic()
                seen.update((row.entity_id, now) for row in changes.rows)
                if len(seen) >= commits:
                    break
        return seen

    pipe.send(asyncio.run(collect()))


def _idle(table: Table, args: Options) -> None:
    seconds = 3.0 if args.quick else 20.0
    for what, idle in (("Tail.wait", _idle_wait), ("Tail.follow", _idle_follow)):
        path = fresh_path("idle")
        Database(path).close()
        parent, child = _SPAWN.Pipe()
        process = _SPAWN.Process(target=idle, args=(path, seconds, child))
        process.start()
        share = parent.recv()
        process.join()
        table.row(f"idle CPU of a follower, {what}", share * 100, "%", at_most(0.5))


def _idle_wait(path: str, seconds: float, pipe: Pipe) -> None:
    with Tail(path) as tail:
        tail.wait(0.5)
        cpu, wall = time.process_time(), time.monotonic()
        tail.wait(seconds)
        pipe.send((time.process_time() - cpu) / (time.monotonic() - wall))


def _idle_follow(path: str, seconds: float, pipe: Pipe) -> None:
    async def nothing(tail: Tail) -> None:
        async for _ in tail.follow():
            pass

    async def wait() -> float:
        with Tail(path) as tail:
            async with asyncio.TaskGroup() as group:
                following = group.create_task(nothing(tail))
                await asyncio.sleep(0.5)
                cpu, wall = time.process_time(), time.monotonic()
                await asyncio.sleep(seconds)
                share = (time.process_time() - cpu) / (time.monotonic() - wall)
                following.cancel()
        return share

    pipe.send(asyncio.run(wait()))


if __name__ == "__main__":
    main()
