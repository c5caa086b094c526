"""Following a database: one round for commits that come together, a hub that is away, heartbeats."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.builders import begin, read, say
from tests.support.hubs import contents

from lionstudio.hub import follow as following
from lionstudio.hub.connect import HubAway, HubConnection
from lionstudio.hub.follow import Event, follow
from lionstudio.hub.push import Push, PushReport
from lionstudio.state.database import Database
from lionstudio.state.hub.machines import list_machines
from lionstudio.state.hub.selection import PushFilters


@pytest.fixture
def hub(blank: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "hub"
    folder.mkdir()
    return Path(shutil.copy(blank, folder / "state.db"))


class Follower:
    """`follow` whose pauses are steps of the test: `during` is called in place of each."""

    def __init__(self, db: Database, hub: Path) -> None:
        self.pauses: list[float] = []
        self.during: Callable[[float], None] = lambda seconds: None
        self._connection = HubConnection(str(hub))
        self.push = Push(db.path, self._connection, PushFilters())
        self.events: Iterator[Event] = follow(self.push, db.path, self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.during(seconds)

    def report(self) -> PushReport:
        event = next(self.events)
        assert isinstance(event, PushReport)
        return event


def test_follow_pushes_commits_that_come_together_in_one_round(db: Database, hub: Path) -> None:
    run = begin(db, "one")
    follower = Follower(db, hub)
    assert follower.report().sessions == 1

    def speak(seconds: float) -> None:
        """More is committed while the follower waits for just that."""
        say(db, run.branch_id, *(f"m{number}" for number in range(20)))
        follower.during = lambda seconds: None

    follower.during = speak
    say(db, run.branch_id, "first")
    report = follower.report()

    assert (report.sessions, report.messages) == (1, 21)
    assert follower.pauses == [following.DEBOUNCE_SECONDS]
    assert contents(hub) == contents(db.path)


def test_follow_says_once_that_the_hub_is_away_and_loses_nothing(db: Database, hub: Path, tmp_path: Path) -> None:
    run = begin(db, "one")
    follower = Follower(db, hub)
    follower.report()
    away = tmp_path / "away"
    hub.parent.rename(away)
    follower.during = lambda seconds: time.sleep(0.05)  # a database looks for its file every 20 ms
    say(db, run.branch_id, "while away")

    event = next(follower.events)
    assert isinstance(event, HubAway)
    assert "cannot be reached" in event.message

    def come_back(seconds: float) -> None:
        say(db, run.branch_id, f"after {len(follower.pauses)}")
        if len(follower.pauses) == 8:
            away.rename(hub.parent)

    follower.during = come_back
    report = follower.report()

    assert follower.pauses[1:] == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    assert report.messages == 8
    assert contents(hub) == contents(db.path)


def test_follow_waits_for_a_hub_that_is_away_at_the_start(db: Database, hub: Path, tmp_path: Path) -> None:
    begin(db, "one")
    away = tmp_path / "away"
    hub.parent.rename(away)
    follower = Follower(db, hub)

    assert isinstance(next(follower.events), HubAway)

    def come_back(seconds: float) -> None:
        if len(follower.pauses) == 3:
            away.rename(hub.parent)

    follower.during = come_back
    assert follower.report().sessions == 1


def test_follow_tells_the_hub_that_its_machine_is_there(
    db: Database, hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "HEARTBEAT_SECONDS", 0.01)
    run = begin(db, "one")
    follower = Follower(db, hub)
    follower.report()
    with Database(str(hub)) as there:
        [before] = read(there, list_machines)
        timer = threading.Timer(0.2, lambda: say(db, run.branch_id, "enough"))
        timer.start()
        follower.report()
        timer.join()
        [after] = read(there, list_machines)

    assert after.seen_at > before.seen_at
