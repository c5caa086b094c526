"""Chaos: three machines, a hub and a git daemon that die, freeze and lose each other, and nothing happens twice.

Twenty seconds in the ordinary suite; `make chaos` takes five minutes, and LIONAGI_CHAOS_MINUTES=30 as long as it says.
LIONAGI_CHAOS_SEED repeats the choice of faults, LIONAGI_CHAOS_FOLDER keeps everything there.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.crash.conftest import Figures
from tests.support.fleet_chaos import Chaos, Fleet, Journal, find_missing_merges, find_safety_problems
from tests.support.machines import has_namespaces
from tests.support.sandboxes import processes_with

pytestmark = [pytest.mark.crash, pytest.mark.postgres]
MINUTES = float(os.environ.get("LIONAGI_CHAOS_MINUTES") or 0)
SEED = int(os.environ.get("LIONAGI_CHAOS_SEED") or (random.randrange(10**6) if MINUTES else 18))
BEAT = 2.0 if MINUTES else 1.0
SECONDS = 60 * MINUTES or 20.0
END_SECONDS = 300.0 if MINUTES else 100.0  # for what is left to do after the last fault
# a diamond, and two that depend on nothing
PLAYS = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c"), "e": (), "f": ()}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    root = Path(os.environ.get("LIONAGI_CHAOS_FOLDER") or tmp_path)
    fleet = Fleet(root, beat=BEAT)
    try:
        yield fleet
    finally:
        fleet.close()


@pytest.mark.timeout(int(SECONDS + END_SECONDS) + 300)
def test_chaos_merges_every_play_once(fleet: Fleet, figures: Figures) -> None:
    fleet.start()
    chaos, journal = Chaos(fleet, SEED), Journal(fleet)
    fleet.submit("chaos-1", PLAYS, seconds=1.5 * BEAT)
    last = time.monotonic()

    def submit_more() -> None:
        """Keep the fleet busy: another show when none is left, or a minute has passed."""
        nonlocal last
        active = [topic for topic, status in fleet.statuses().items() if status == "active"]
        if MINUTES and len(active) < 3 and (not active or time.monotonic() - last > 60):
            last = time.monotonic()
            fleet.submit(f"chaos-{len(fleet.topics) + 1}", PLAYS, seconds=1.5 * BEAT)

    def tick() -> None:
        if not {"hub", "git"} & chaos.broken:
            submit_more()

    chaos.run(SECONDS, tick)
    ended = fleet.wait_until_ended(END_SECONDS)
    journal.close()

    plays = len(fleet.topics) * len(PLAYS)
    safety = find_safety_problems(fleet, journal)
    assert safety == [], f"seed {SEED}"
    assert ended, f"seed {SEED}: nothing happened twice, but shows did not end\n{fleet.describe()}"
    problems = find_missing_merges(fleet, dict.fromkeys(fleet.topics, len(PLAYS)))
    lives = fleet.lives()
    faults = ", ".join(f"{name} {count}" for name, count in sorted(chaos.counts.items()))
    where = "in namespaces" if has_namespaces() else "without namespaces"
    figures(
        f"seed {SEED}, {SECONDS / 60:.1f} minutes {where}: {plays} plays merged once, {len(lives)} agents ran, "
        f"{len(journal.answers)} answers kept; {faults}"
    )
    assert problems == [], f"seed {SEED}"
    fleet.close()
    assert processes_with(str(fleet.root)) == []
