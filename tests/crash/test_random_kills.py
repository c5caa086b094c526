"""kill -9 at random moments while eight processes write: every acknowledged write is stored."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.children import WorkerPool
from tests.support.invariants import assert_whole, check

from lionstudio.state.database import Database, reading

pytestmark = [pytest.mark.crash, pytest.mark.timeout(3000)]

KILLS = 500 if os.environ.get("LIONAGI_CRASH_LENGTH") == "full" else 60
KILLS_A_FILE = 40  # then a new one is begun: a check reads the whole file
FOREVER = 10**9
ALL_AT_ONCE = 0.1  # probability that all processes die at once, so that the next one finds a log without an owner

WRITERS: list[tuple[str, Mapping[str, Any]]] = [
    ("synchronous", {}),
    ("synchronous", {"shared": True}),
    ("synchronous", {"shared": True, "long_lived": True}),
    ("grouped", {}),
    ("grouped", {"shared": True}),
    ("grouped", {"shared": True, "long_lived": True}),
    ("sessions", {}),
    ("upkeep", {}),
]


class Tally(NamedTuple):
    """The counts of one run."""

    kills: int
    acknowledged: int


def torment(path: Path, kills: int) -> Tally:
    """Kill and replace writers of one database until enough have died; then check all of it."""
    Database(str(path)).close()
    done = 0
    with WorkerPool() as pool:
        begin = starter(pool, path)
        pids = begin(WRITERS)
        while done < kills:
            time.sleep(random.uniform(0.0, 0.15))
            if random.random() < ALL_AT_ONCE:
                for pid in pids:
                    pool.kill(pid)
                assert_whole(path, pool.events)
                done += len(pids)
                pids = begin(WRITERS)
            else:
                victim = random.randrange(len(pids))
                pool.kill(pids[victim])
                done += 1
                look_while_others_write(path, pool)
                pids[victim : victim + 1] = begin([WRITERS[victim]])
        for pid in pids:
            pool.kill(pid)
        failures = [event for event in pool.events if "error" in event or "crash" in event]
        assert not failures, failures[:3]
        assert set(pool.codes) == {-9}, "every process ends by a kill"
        acknowledged = assert_whole(path, pool.events).acknowledged
    return Tally(done + len(pids), acknowledged)


def starter(pool: WorkerPool, path: Path) -> Callable[[list[tuple[str, Mapping[str, Any]]]], list[int]]:
    return lambda works: pool.start([(work, str(path), FOREVER, options) for work, options in works])


def look_while_others_write(path: Path, pool: WorkerPool) -> None:
    """Read in one snapshot between the commits of the others."""
    told = list(pool.events)
    with reading(str(path)) as conn:
        seen = check(conn, told, whole_file=False)
    assert not seen.violations, seen


def test_random_kill_loses_nothing_acknowledged(tmp_path: Path, figures: Callable[[str], None]) -> None:
    tallies: list[Tally] = []
    while (killed := sum(tally.kills for tally in tallies)) < KILLS:
        folder = tmp_path / str(len(tallies))
        tallies.append(torment(folder / "state.db", min(KILLS_A_FILE, KILLS - killed)))
    acknowledged = sum(tally.acknowledged for tally in tallies)
    figures(f"{killed} kills, {acknowledged} acknowledged, 0 lost")
    assert acknowledged > killed, "they must have been writing"
