"""Several processes that write to one database: throughput, waiting times, fairness, errors.

First without a pause, where the baseline is one process; then at 100 messages a second each, like busy
agents. Every append is one commit.
"""

from __future__ import annotations

import random
import time
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from typing import NamedTuple

from benches.measure import percentile
from benches.stores import begin, clean_up, fresh_path, messages
from benches.table import Options, Table, at_least, at_most, options
from lionstudio.errors import Busy, LionError
from lionstudio.model.messages import Message
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append

_WRITERS = (1, 2, 4, 8)
_PACE = 100  # messages a second of a busy agent
_SPAWN = get_context("spawn")  # a forked child would share SQLite's state with its parent


class Share(NamedTuple):
    """The result of one writer."""

    each_us: list[float]
    busy: list[str]
    other_errors: list[str]


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Several writers", args)
        _measure(table, args)
        table.close()
    finally:
        clean_up()


def _measure(table: Table, args: Options) -> None:
    seconds, rounds = (1.0, 1) if args.quick else (4.0, 3)
    alone = rate = 0.0
    for writers in _WRITERS:
        shares = [_run(writers, seconds) for _ in range(rounds)]
        rate = sum(len(share.each_us) for shared in shares for share in shared) / (seconds * rounds)
        alone = alone or rate
        what = f"{writers} without a pause"
        table.row(f"{what}, throughput", rate, "/s", note=f"{rate / alone:.2f} × one writer")
        _waits(table, what, shares)
    table.row("8 without a pause, throughput / one writer", rate / alone, "×", at_least(0.5), "no collapse")
    shares = [_run(max(_WRITERS), 2 * seconds, _PACE) for _ in range(rounds)]
    _waits(table, f"{max(_WRITERS)} at {_PACE}/s each", shares)


def _waits(table: Table, what: str, shares: list[list[Share]]) -> None:
    flat = [share for shared in shares for share in shared]
    each = [us for share in flat for us in share.each_us]
    fairness = [min(counts) / max(counts) for counts in ([len(share.each_us) for share in shared] for shared in shares)]
    table.row(f"{what}, p50", percentile(each, 50) / 1000, "ms")
    table.row(f"{what}, p99", percentile(each, 99) / 1000, "ms")
    table.row(f"{what}, longest wait", max(each) / 1000, "ms")
    table.row(f"{what}, slowest / quickest writer", min(fairness), "×")
    table.row(f"{what}, busy errors", sum(len(share.busy) for share in flat), "", at_most(0))
    table.row(f"{what}, other errors", sum(len(share.other_errors) for share in flat), "", at_most(0))


def _run(writers: int, seconds: float, pace: float = 0) -> list[Share]:
    path = fresh_path(f"{writers}-writers")
    with Database(path) as database:
        branches = [begin(database)[1] for _ in range(writers)]
    ready = _SPAWN.Barrier(writers)
    with _SPAWN.Pool(writers, initializer=_remember, initargs=(ready,)) as pool:
        waiting = [pool.apply_async(_write, (path, branch, seconds, pace)) for branch in branches]
        return [share.get() for share in waiting]


_ready: Barrier


def _remember(ready: Barrier) -> None:
    global _ready
    _ready = ready


def _write(path: str, branch: str, seconds: float, pace: float) -> Share:
    supply = messages(random.Random(branch))
    share = Share([], [], [])
    with Database(path, long_lived=True) as database:
        _ready.wait()
        until = time.perf_counter() + seconds
        while time.perf_counter() < until:
            if pace:
                time.sleep(random.expovariate(pace))
            _append(database, branch, next(supply), share)
    return share


def _append(database: Database, branch: str, message: Message, share: Share) -> None:
    start = time.perf_counter()
    try:
        database.write(lambda conn: append(conn, branch, message))
        share.each_us.append((time.perf_counter() - start) * 1e6)
    except Busy as error:
        share.busy.append(str(error))
    except LionError as error:
        share.other_errors.append(str(error))


if __name__ == "__main__":
    main()
