"""Shows on several workers, with real processes, a real hub and a real remote."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.fleet import TOPIC, Fleet
from tests.support.postgres_server import PostgresServer

pytestmark = pytest.mark.postgres


@pytest.fixture
def hub() -> Iterator[PostgresServer]:
    """A server of the test's own, which it may restart."""
    server = PostgresServer(durable=True)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def fleet(tmp_path: Path, hub: PostgresServer) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path, hub.local_url(hub.create()))
    try:
        yield fleet
    finally:
        fleet.close()


def write(name: str, *, seconds: float = 0) -> str:
    """The script of a play that makes a file, and takes a while."""
    return f"@run sh -c 'sleep {seconds}; echo {name} > {name}.txt'\n@say done"


def test_two_workers_play_a_show_and_merge_every_play_once(fleet: Fleet) -> None:
    names = [f"p{number}" for number in range(5)]
    plays = {name: write(name) for name in names} | {"last": {"prompt": write("last"), "depends_on": names}}
    fleet.write_plan(plays, gates=[{"command": "test -f README"}])
    fleet.start_worker("one", "--at-once", "2")
    fleet.start_worker("two", "--at-once", "2")

    assert fleet.run_show().code == 0
    fleet.wait_for_end()

    fleet.assert_completed(*names, "last")
    assert all(count == 1 for count in fleet.runs().values())
    assert "attempt" in fleet.log("one") and "attempt" in fleet.log("two")


def test_power_failure_of_a_worker_lets_another_one_take_over(fleet: Fleet) -> None:
    fleet.write_plan({"slow": write("slow", seconds=6)})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs()["slow"] == 1)
    fleet.start_worker("two")

    fleet.kill_machine("one")
    fleet.wait_for_end()

    fleet.assert_completed("slow")
    assert fleet.runs()["slow"] == 2
    assert fleet.fences("attempt")["slow"] == 2
    assert fleet.fences("show")[None] == 2  # the director was taken over too


def test_killed_worker_process_that_starts_again_adopts_its_attempt(fleet: Fleet) -> None:
    fleet.beat = 4  # a supervisor waits two beats for its worker
    fleet.write_plan({"slow": write("slow", seconds=8)})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs()["slow"] == 1)

    fleet.kill_worker("one")
    fleet.start_worker("one")
    fleet.wait_for_end()

    fleet.assert_completed("slow")
    assert fleet.runs()["slow"] == 1
    assert fleet.fences("attempt")["slow"] == 1


def test_show_is_directed_elsewhere_when_the_machine_of_its_director_dies(fleet: Fleet) -> None:
    fleet.write_plan({"slow": write("slow", seconds=6), "next": {"prompt": write("next"), "depends_on": ["slow"]}})
    fleet.start_worker("boss", "--labels", "boss")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.order_of("show"))
    assert fleet.li("workers", "drain", "boss").code == 0
    fleet.kill_machine("boss")
    fleet.start_worker("two")
    fleet.wait_for_end()

    fleet.assert_completed("slow", "next")
    assert fleet.fences("show")[None] == 2


def test_restart_of_the_hub_restarts_nothing(fleet: Fleet, hub: PostgresServer) -> None:
    fleet.write_plan({"a": write("a", seconds=5), "b": write("b", seconds=5)})
    fleet.start_worker("one")
    fleet.start_worker("two")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs().total() == 2)

    hub.stop(signal.SIGQUIT)
    time.sleep(4)
    hub.start()
    fleet.wait_for_end()

    fleet.assert_completed("a", "b")
    assert fleet.runs() == {"a": 1, "b": 1}
    assert fleet.fences("attempt") == {"a": 1, "b": 1}
    assert fleet.fences("show") == {None: 1}


def test_decision_of_another_machine_reaches_the_director(fleet: Fleet) -> None:
    fleet.write_plan({"asked": write("asked")}, gates=["person"])
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.statuses().get("asked") == "gated")

    decided = fleet.li("show", "approve", TOPIC, "asked", machine="elsewhere")

    assert decided.code == 0, decided
    fleet.wait_for_end()
    fleet.assert_completed("asked")


def test_abort_from_another_machine_ends_agents_and_the_show_and_resume_goes_on(fleet: Fleet) -> None:
    fleet.write_plan({"slow": write("slow", seconds=30)})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs()["slow"] == 1)

    aborted = fleet.li("show", "abort", TOPIC, machine="elsewhere")

    assert aborted.code == 0, aborted
    fleet.wait_for_end(30)
    assert fleet.show_status() == "aborted"
    assert not [pid for pid in fleet.processes_of("one") if "sleep" in Path(f"/proc/{pid}/cmdline").read_text()]


def test_labels_choose_the_worker_and_missing_ones_are_named(fleet: Fleet) -> None:
    fleet.write_plan({"plain": write("plain"), "heavy": {"prompt": write("heavy"), "needs": ["gpu"]}})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.statuses().get("plain") == "merged")

    status = fleet.li("show", "status", TOPIC)
    assert "no worker has the label gpu" in status.err, status
    listed = fleet.li("workers", "ls", "--json").json
    assert [order["why"] for order in listed["waiting"]] == ["no worker has the label gpu"]

    fleet.start_worker("two", "--labels", "gpu,docker")
    fleet.wait_for_end()
    fleet.assert_completed("plain", "heavy")
    assert "demo/heavy: attempt" in fleet.log("two")


def test_drained_worker_takes_nothing_until_undone(fleet: Fleet) -> None:
    fleet.write_plan({"a": write("a")})
    fleet.start_worker("one")
    fleet.wait_until(lambda: fleet.li("workers", "ls", "--json").json["workers"])
    assert fleet.li("workers", "drain", "one").code == 0
    assert fleet.run_show().code == 0
    time.sleep(2)
    assert fleet.order_of("show") is None

    assert fleet.li("workers", "drain", "one", "--undo").code == 0
    fleet.wait_for_end()
    fleet.assert_completed("a")
