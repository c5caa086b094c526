"""The views of a show that workers play: who has each play, and what the others wait for."""

from __future__ import annotations

import json
import re
import time

import pytest
from tests.support.workers import order, play, register, silence, take

from lionstudio.cli._show.render import PlainView, ShowLiveView
from lionstudio.cli._show.snapshot import ShowSnapshot, take_snapshot
from lionstudio.cli.show.status import _worker_cell
from lionstudio.cli.workers._orders import TeamOrders
from lionstudio.cli.workers.ls import _cells
from lionstudio.model.shows.show import TEAM
from lionstudio.shows.records.play_records import put_facts
from lionstudio.state.database import Database
from lionstudio.state.workers.orders import Work
from lionstudio.state.workers.workers import list_workers

TOPIC = "release"
PLAN = {"remote": "origin", "plays": [{"name": name, "prompt": name} for name in ("api", "docs", "page", "train")]}


@pytest.fixture
def database(db: Database) -> Database:
    """One play each that a worker has, that is merged, that is about to be merged, and that no worker can take."""
    register(db, "a" * 32, "north")
    for name, status in {"api": "running", "docs": "merged", "page": "gated", "train": "running"}.items():
        play(db, TOPIC, name, status=status, attempt=1, started_at=time.time())
    db.write(lambda conn: put_facts(conn, TOPIC, **{TEAM: {"remote": "r"}, "plan": f"---\n{json.dumps(PLAN)}\n---\n"}))
    take(db, order(db, TOPIC, None, Work.SHOW), "a" * 32)
    take(db, order(db, TOPIC, "docs", Work.ATTEMPT), "a" * 32, ends=True)
    take(db, order(db, TOPIC, "api", Work.ATTEMPT), "a" * 32)
    order(db, TOPIC, "train", Work.ATTEMPT, needs=("gpu",))
    return db


def snapshot(db: Database) -> ShowSnapshot:
    return db.read(lambda conn: take_snapshot(conn, TOPIC, time.time()))


def test_live_view_says_what_a_play_waits_for(database: Database, capsys: pytest.CaptureFixture[str]) -> None:
    ShowLiveView(plain=True).show(snapshot(database))

    out = capsys.readouterr().out
    assert re.search(r"train +waits for a worker .*no connected worker has", out)
    assert "\ntrain waits: no connected worker has the label gpu\n" in out
    assert re.search(r"page +awaiting merge", out)
    assert "1 running" in out


def test_live_view_says_what_the_director_waits_for(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    play(db, TOPIC, "api", status="pending")
    db.write(lambda conn: put_facts(conn, TOPIC, **{TEAM: {"remote": "r"}}))
    order(db, TOPIC, None, Work.SHOW)

    ShowLiveView(plain=True).show(snapshot(db))

    assert "\nthe show waits: no worker is connected\n" in capsys.readouterr().out


def test_plain_view_says_once_what_a_play_waits_for(database: Database, capsys: pytest.CaptureFixture[str]) -> None:
    view = PlainView()
    view.show(snapshot(database))
    view.show(snapshot(database))

    assert capsys.readouterr().out.count("train waits: no connected worker has the label gpu\n") == 1


def test_status_names_the_worker_and_the_fence(database: Database) -> None:
    now = snapshot(database)
    plays = {one.name: one for one in now.plays}

    assert _worker_cell(now, plays["api"]).text == "north (attempt, fence 1)"
    assert _worker_cell(now, plays["docs"]).text == "north"
    assert _worker_cell(now, plays["train"]).text == "needs gpu"


def test_list_tells_workers_of_one_minute_apart(db: Database) -> None:
    register(db, "01a1f212-665c-7c8b-867d-4bc2aab6d64e", "north")
    register(db, "01a1f212-6569-7fe0-b7a9-37b90043bf70", "south")
    silence(db, "01a1f212-6569-7fe0-b7a9-37b90043bf70", 42)

    north, south = (_cells(worker, TeamOrders([], [], {})) for worker in db.read(list_workers))

    assert (north[1].text, south[1].text) == ("01a1f212-665c", "01a1f212-6569")
    assert north[5].text == "just now"
    assert re.fullmatch(r"4\ds ago", south[5].text)
