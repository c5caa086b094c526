"""kill -9 of the director of a show at every named step and at random: no finished play runs again, no agent runs
twice, nothing is merged twice, files and rows agree, and the user's repository is as it was."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from tests.crash.conftest import Figures
from tests.support.show_harness import TOPIC, ShowHarness, leftover_processes

from lionstudio.model.shows.decisions import DecisionKind
from lionstudio.shows.process.lock import find_director
from lionstudio.shows.records.decisions import Decision, save_decision

pytestmark = [pytest.mark.crash, pytest.mark.timeout(3600)]

FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
KILLS = 100 if FULL else 5
PASSES = (1, 2, 3) if FULL else (1,)  # three plays are merged before a person is needed
# Points of the show itself, of its checkouts and its merges: all lie on the way of one show.
POINTS = (
    "show.plan_written",
    "show.play_written",
    "show.verdict_written",
    "show.final_written",
    "show.checkout_ready",
    "show.ordered",
    "show.exited",
    "show.collected",
    "show.judged",
    "show.merged",
    "show.asked",
    "show.checkout.based",
    "show.checkout.laid_out",
    "show.checkout.furnished",
    "show.checkout.removed",
    "show.collect.taken_in",
    "show.merge.committed",
    "show.merge.moved",
    "file.temporary_written",
    "write.committed",
)
FEW = ("show.plan_written", "show.final_written", "show.asked")  # passed once or twice in a show
ONCE = "@run sh -c 'if [ -e bad ]; then rm bad; else touch bad; fi'"
EXPECTED = {"a": 1, "b": 2, "c": 1, "d": 1}
CASES = [(point, time) for point in POINTS for time in PASSES if time == 1 or point not in FEW]


def stage_show(harness: ShowHarness) -> None:
    """Write a plan: one play passes, one is redone, one depends on both, one needs a person."""
    harness.write_plan(
        {
            "a": "@write a.txt alpha\n@sleep 0.2",
            "b": ONCE + "\n@write b.txt beta",
            "c": {"prompt": "@write c.txt gamma", "depends_on": ["a", "b"]},
            "d": {"prompt": "@write d.txt delta\n@fail 1 no idea", "max_attempts": 1},
        },
        gates=[{"command": ["test", "!", "-e", "bad"]}],
        final_gates=[{"command": ["test", "-e", "c.txt"]}],
    )


def play_out(harness: ShowHarness, crash: str | None) -> int:
    """Run the show to its end with a decision in the middle; return how often the director was killed."""
    kills = 0
    for _ in range(2):
        while True:
            given = {"LIONAGI_CRASH_AT": crash} if crash and not kills else {}
            with harness.start("--no-wait", **given) as director:
                _, said = director.communicate(timeout=120)
            if director.returncode != -signal.SIGKILL:
                break
            kills += 1
        assert director.returncode in (0, 1), said.decode()
        if harness.meta("d").get("status") == "escalated":
            save_decision(str(harness.show_dir), "d", Decision("word", DecisionKind.APPROVE, 1))
    return kills


def check(harness: ShowHarness) -> None:
    assert harness.rows() == ("completed", dict.fromkeys("abcd", "merged"))
    assert harness.runs() == EXPECTED, (harness.runs(), harness.files(), harness.meta("b"))
    assert harness.merged() == dict.fromkeys("abcd", 1)
    assert set(harness.files()) == {"README", "a.txt", "b.txt", "c.txt", "d.txt"}
    harness.assert_consistent()
    harness.wait_until(lambda: leftover_processes(harness) == [])


@pytest.mark.parametrize(("point", "passes"), CASES)
def test_director_killed_at_a_point(point: str, passes: int, tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    stage_show(harness)
    kills = play_out(harness, f"{point}:{passes}")

    assert kills == 1, f"no process reached {point}"
    check(harness)


def test_director_killed_during_recovery(tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    stage_show(harness)
    play_out(harness, None)
    with harness.start("--again", LIONAGI_CRASH_AT="show.reopened") as director:
        assert director.wait(60) == -signal.SIGKILL
    assert harness.li("show", "run", TOPIC).code == 0
    check(harness)


def test_director_killed_at_random(tmp_path: Path, figures: Figures) -> None:
    chance, kills, shows = random.Random(7), 0, 0
    while kills < KILLS:
        harness = ShowHarness(tmp_path / str(shows))
        shows += 1
        stage_show(harness)
        while kills < KILLS and harness.meta("d").get("status") != "escalated":
            kills += kill_one(harness, chance)
        play_out(harness, None)
        check(harness)
    figures(f"{kills} kills of the director over {shows} shows; every play ran and was merged as often as it should")


def kill_one(harness: ShowHarness, chance: random.Random) -> int:
    """Return whether the process was killed before it exited."""
    wanted, seen, before = chance.randint(0, 7), -1, None
    with harness.start("--no-wait") as director:
        # counted in steps of the show, not in seconds: a machine with much to do makes none for a while
        while director.poll() is None and seen < wanted:
            now = [harness.meta(play) for play in "abcd"] if find_director(str(harness.show_dir)) else None
            seen, before = seen + (now != before), now
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.25))
        director.kill()
        director.communicate()
        return director.returncode == -signal.SIGKILL
