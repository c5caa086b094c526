"""Shows on many machines: takeover times, three workers beside one, and the cost of a play as a show grows.

The machines are namespaces of this one, with a real git daemon and PostgreSQL. FLEET_PLAYS sets the size of the large
show (1,000 takes half an hour).
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.fleet_chaos import Fleet

from benches.table import Table, at_most, options
from lionstudio.shows.workers.sweeper import SWEEP_SECONDS
from lionstudio.state.workers.workers import BEAT_SECONDS

NAMES = ("north", "south", "east", "west")
_LONG_SECONDS = 600.0


def main() -> None:
    args = options(__doc__)
    beat = 1.0 if args.quick else 5.0
    table = Table("Shows on many machines", args)
    limit = beat * (3 + SWEEP_SECONDS / BEAT_SECONDS)
    killed = _takeover(beat, lambda fleet, name: fleet.machines[name].kill())
    note = f"beat {beat:g} s; limit {limit:g} s"
    table.row("takeover after kill -9 of a machine / 3 beats + sweep", killed / limit, "×", at_most(1), note)
    table.row("takeover after kill -9 of a machine", killed, "s")
    frozen = _takeover(beat, _freeze)
    table.row("takeover after a freeze / lease", frozen / (4 * beat), "×", at_most(1.3))
    table.row("attempts lost by a restart of the hub", _restart_hub(beat), "", at_most(0))
    # the three share the processors of this machine: what a play costs beside its agent must be small
    count, seconds = (9, 2.0) if args.quick else (30, 15.0)
    one, three = (_time_show(beat, names, count, seconds) for names in (NAMES[:1], NAMES[:3]))
    note = f"{count} plays of {seconds:g} s: {one:.0f} and {three:.0f} s"
    table.row("three workers / one, equal plays", three / one, "×", at_most(0.4), note)
    plays = int(os.environ.get("FLEET_PLAYS") or (40 if args.quick else 200))
    growth, each = _grow(beat, plays)
    table.row(f"cost of a play, last / first quarter of {plays:,}, 4 workers", growth, "×", at_most(1.2))
    table.row("time of a play, 4 workers", each, "s", note="agents, gates and merges on one machine of the bench")
    table.close()


@contextmanager
def _fleet(beat: float, names: tuple[str, ...], at_once: int = 1) -> Iterator[Fleet]:
    folder = Path(tempfile.mkdtemp(prefix="lion-fleet-bench-"))
    fleet = Fleet(folder, beat=beat, names=names, at_once=at_once)
    try:
        fleet.start()
        _wait(lambda: len(fleet.query("SELECT 1 FROM workers")) == len(names), "workers did not connect")
        yield fleet
    finally:
        fleet.close()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(is_done: Callable[[], bool], problem: str, seconds: float = _LONG_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > deadline:
            raise SystemExit(problem)
        time.sleep(0.05)


_HOLDER = """
SELECT w.name, o.fence FROM orders o JOIN workers w ON w.id = o.worker_id
 WHERE o.topic = 'long' AND o.work = 'attempt' AND o.ended_at IS NULL
"""


def _takeover(beat: float, harm: Callable[[Fleet, str], None]) -> float:
    """Seconds from harm to the machine that plays until another one has the order."""
    with _fleet(beat, NAMES[:3]) as fleet:
        fleet.submit("long", {"a": ()}, seconds=_LONG_SECONDS)
        _wait(lambda: bool(fleet.lives()), "the agent did not start")
        [(name, fence)] = fleet.query(_HOLDER)
        harm(fleet, name)
        began = time.monotonic()

        def is_taken() -> bool:
            held = fleet.query(_HOLDER)
            return bool(held) and held[0][0] != name and held[0][1] > fence

        _wait(is_taken, "no worker took the order over")
        return time.monotonic() - began


def _freeze(fleet: Fleet, name: str) -> None:
    for pid in fleet.machines[name].pids():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)


def _restart_hub(beat: float) -> int:
    """Attempts that were repeated because the hub was restarted while three agents worked."""
    with _fleet(beat, NAMES[:3]) as fleet:
        fleet.submit("three", dict.fromkeys(("a", "b", "c"), ()), seconds=6 * beat)
        _wait(lambda: len(fleet.lives()) == 3, "the agents did not start")
        fleet.server.stop(signal.SIGQUIT)
        time.sleep(beat)
        fleet.server.start()
        if not fleet.wait_until_ended(_LONG_SECONDS):
            raise SystemExit("the show did not end")
        return len(fleet.lives()) - 3


def _time_show(beat: float, names: tuple[str, ...], count: int, seconds: float) -> float:
    with _fleet(beat, names) as fleet:
        began = time.monotonic()
        fleet.submit("equal", {f"p{number}": () for number in range(count)}, seconds=seconds, concurrency=count)
        if not fleet.wait_until_ended(_LONG_SECONDS + count * seconds):
            raise SystemExit("the show did not end")
        return time.monotonic() - began


_MERGES = (
    "SELECT ended_at FROM orders WHERE topic = 'large' AND work = 'merge' AND ended_at IS NOT NULL ORDER BY ended_at"
)


def _grow(beat: float, plays: int) -> tuple[float, float]:
    """The time between merges in the last quarter over that in the first, and the time of a play."""
    with _fleet(beat, NAMES, at_once=2) as fleet:
        fleet.submit("large", {f"p{number}": () for number in range(plays)}, seconds=0.1, concurrency=8)
        if not fleet.wait_until_ended(_LONG_SECONDS + 10.0 * plays):
            raise SystemExit("the show did not end")
        times = [float(at) for (at,) in fleet.query(_MERGES)]
        quarter = len(times) // 4
        first, last = times[quarter] - times[0], times[-1] - times[-1 - quarter]
        return last / first, (times[-1] - times[0]) / (len(times) - 1)


if __name__ == "__main__":
    main()
