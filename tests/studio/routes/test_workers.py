"""`/api/workers`: workers, their orders, what orders wait for; drain and remove."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import sql, write
from tests.support.studio import AUTH, InProcess, application
from tests.support.workers import SHAPE, order, play, register, silence, take

from lionstudio.state.feed.changes import changes_after
from lionstudio.state.workers.orders import Work
from lionstudio.state.workers.workers import LEASE_SECONDS, drain_worker, stop_worker
from lionstudio.studio.schemas import overview, shows, workers


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        yield running


def change(studio: InProcess, method: str, path: str) -> tuple[int, dict[str, Any]]:
    answer = studio.client.request(method, f"/api/workers/{path}", headers=AUTH)
    return answer.status_code, answer.json()


def test_workers_are_listed_with_their_orders(studio: InProcess) -> None:
    db = studio.services.db.database()
    register(db, "w-1", "north", labels=("gpu",), at_once=2)
    register(db, "w-2", "south")
    play(db, "tour", "api")
    take(db, order(db, "tour", None, Work.SHOW), "w-1")
    sql(db, "UPDATE orders SET taken_at = taken_at - 1")  # the clock of SQLite counts milliseconds
    taken = take(db, order(db, "tour", "api", Work.ATTEMPT), "w-1")

    listed = studio.get("/api/workers")

    workers.Workers.model_validate(listed, strict=True)
    north, south = listed["workers"]
    assert (north["name"], north["labels"], north["load"], north["at_once"]) == ("north", ["gpu"], 1, 2)
    assert [(held["work"], held["play"], held["fence"]) for held in north["orders"]] == [
        ("show", None, 1),
        ("attempt", "api", taken.fence),
    ]
    assert (north["state"]["label"], south["state"]["label"]) == ("busy", "ready")
    assert north["is_connected"]
    assert listed["waiting"] == []


def test_waiting_orders_name_their_reason(studio: InProcess) -> None:
    db = studio.services.db.database()
    for name, needs in (("plain", ()), ("needy", ("gpu", "docker"))):
        order(db, "tour", name, Work.ATTEMPT, needs=needs)

    def waits() -> dict[str, tuple[str, list[str]]]:
        listed = studio.get("/api/workers")
        return {row["play"]: (row["wait"]["code"], row["wait"]["missing"]) for row in listed["waiting"]}

    assert waits() == {"plain": ("no_worker", []), "needy": ("no_worker", [])}
    register(db, "w-1", "north", labels=("gpu",), at_once=1)
    assert waits() == {"plain": ("soon", []), "needy": ("missing_label", ["docker"])}
    take(db, order(db, "tour", "long", Work.ATTEMPT), "w-1")
    assert waits()["plain"] == ("full", [])
    write(db, drain_worker, "w-1")
    assert waits()["plain"] == ("draining", [])
    register(db, "w-2", "south", shape="another")
    write(db, stop_worker, "w-1")
    assert waits()["plain"] == ("other_version", [])


def test_merge_takes_no_place_of_a_worker(studio: InProcess) -> None:
    db = studio.services.db.database()
    register(db, "w-1", "north", at_once=1)
    take(db, order(db, "tour", "api", Work.MERGE), "w-1")
    order(db, "tour", "page", Work.ATTEMPT)

    listed = studio.get("/api/workers")

    assert listed["workers"][0]["load"] == 0
    assert listed["waiting"][0]["wait"]["code"] == "soon"


def test_worker_states_follow_what_was_seen(studio: InProcess) -> None:
    db = studio.services.db.database()
    for number in range(5):
        register(db, f"w-{number}", f"n{number}")
    silence(db, "w-1", LEASE_SECONDS + 5)
    write(db, stop_worker, "w-2")
    write(db, drain_worker, "w-3")
    write(db, drain_worker, "w-4")
    take(db, order(db, "tour", "api", Work.GATES), "w-4")

    listed = studio.get("/api/workers")["workers"]

    assert [row["state"]["label"] for row in listed] == ["ready", "silent", "stopped", "drained", "draining"]
    assert [row["is_connected"] for row in listed] == [True, False, False, True, True]


def test_worker_is_drained_undrained_and_removed(studio: InProcess) -> None:
    db = studio.services.db.database()
    register(db, "w-1", "north")

    status, drained = change(studio, "POST", "north/drain")
    workers.ChangedWorker.model_validate(drained, strict=True)
    assert (status, drained["worker"]["draining"], drained["worker"]["state"]["label"]) == (200, True, "drained")
    assert change(studio, "DELETE", "w-1/drain")[1]["worker"]["draining"] is False
    assert change(studio, "POST", "west/drain")[0] == 404
    status, refused = change(studio, "DELETE", "w-1")
    assert (status, refused["code"]) == (409, "conflict")
    assert refused["hint"] == "stop its `li worker` first"

    silence(db, "w-1", LEASE_SECONDS + 1)
    assert change(studio, "DELETE", "w-1")[1]["name"] == "north"
    assert studio.get("/api/workers")["workers"] == []


def test_read_only_studio_refuses_to_drain(tmp_path: Path, studio: InProcess) -> None:
    register(studio.services.db.database(), "w-1", "north")
    with application(tmp_path / "reader", read_only=True, db=studio.services.settings.db) as reader:
        assert change(reader, "POST", "w-1/drain")[0] == 403
        assert [row["name"] for row in reader.get("/api/workers")["workers"]] == ["north"]


def test_show_names_the_worker_of_each_play(studio: InProcess) -> None:
    db = studio.services.db.database()
    register(db, "w-1", "north")
    for name in ("api", "page", "docs", "idle"):
        play(db, "tour", name)
    take(db, order(db, "tour", None, Work.SHOW), "w-1")
    take(db, order(db, "tour", "api", Work.ATTEMPT), "w-1")
    take(db, order(db, "tour", "page", Work.ATTEMPT), "w-1", ends=True)
    order(db, "tour", "docs", Work.ATTEMPT, needs=("gpu",))

    show = studio.get("/api/shows/tour")

    shows.ShowView.model_validate(show, strict=True)
    by_play = {row["name"]: row["worker"] for row in show["plays"]}
    assert (show["director"]["name"], show["directed"]) == ("north", True)
    assert (by_play["api"]["name"], by_play["api"]["is_open"]) == ("north", True)
    assert (by_play["page"]["name"], by_play["page"]["is_open"]) == ("north", False)
    assert (by_play["docs"]["name"], by_play["docs"]["wait"]) == (None, "no connected worker has the label gpu")
    assert by_play["idle"] is None


def test_dashboard_knows_whether_workers_matter(studio: InProcess, database_kind: str) -> None:
    seen = studio.get("/api/dashboard")
    overview.Dashboard.model_validate(seen, strict=True)
    assert seen["has_workers"] is (database_kind == "postgres")
    register(studio.services.db.database(), "w-1", "north", shape=SHAPE)
    assert studio.get("/api/dashboard")["has_workers"] is True


def test_changes_of_workers_and_orders_are_in_the_feed(studio: InProcess) -> None:
    db = studio.services.db.database()
    before = studio.services.db.seq()
    register(db, "w-1", "north")
    order(db, "tour", "api", Work.ATTEMPT)

    changes = db.read(lambda conn: changes_after(conn, before)).rows

    assert [(row.entity, row.entity_id) for row in changes] == [("worker", "w-1"), ("order", "tour/api/attempt~1")]
