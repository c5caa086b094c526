"""Shows on several workers, with real processes, a real hub and a real remote."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from tests.support.fleet import TOPIC, Fleet
from tests.support.postgres_server import PostgresServer

from lionstudio.state.backends import open_database, reading
from lionstudio.state.workers.orders import Work, place_order

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
    assert all("attempt" in fleet.log(name) for name in ("one", "two"))


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


def test_attempt_is_taken_over_where_the_mirror_is_older_than_its_base(fleet: Fleet) -> None:
    plays = {
        "first": {"prompt": write("first"), "needs": ["two"]},
        "base": {"prompt": write("base", seconds=3), "needs": ["one"], "depends_on": ["first"]},
        "slow": {"prompt": write("slow", seconds=6), "depends_on": ["base"]},
    }
    fleet.write_plan(plays)
    fleet.start_worker("one", "--labels", "one")
    fleet.start_worker("two", "--labels", "two")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.statuses().get("first") == "merged")
    assert fleet.li("workers", "drain", "two").code == 0
    fleet.wait_until(lambda: fleet.runs()["slow"] == 1)

    fleet.kill_machine("one")
    assert fleet.li("workers", "drain", "two", "--undo").code == 0
    fleet.wait_for_end()

    fleet.assert_completed("first", "base", "slow")


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


@pytest.mark.parametrize("point", ["worker.taken:2", "worker.done:1"])
def test_worker_killed_beside_its_order_goes_on_after_a_restart(fleet: Fleet, point: str) -> None:
    """Between taking the order of an attempt and beginning it, and between its end and the answer."""
    fleet.write_plan({"a": write("a")})
    killed = fleet.start_worker("one", LIONAGI_CRASH_AT=point)
    assert fleet.run_show().code == 0
    assert killed.wait(60) == -signal.SIGKILL
    del fleet.workers["one"]

    fleet.start_worker("one")
    fleet.wait_for_end()

    fleet.assert_completed("a")


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


def test_hub_that_comes_back_as_a_standby_repeats_nothing(fleet: Fleet, hub: PostgresServer) -> None:
    """It reads, and refuses writes, until it is the primary again."""
    ran = fleet.root / "gated"
    gate = {"command": ["sh", "-c", f"echo ran >> {ran}; sleep 3"]}
    fleet.write_plan({"a": write("a")}, gates=[gate])
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(ran.exists)

    hub.stop()
    (Path(hub.folder) / "data" / "standby.signal").touch()
    hub.start()
    time.sleep(5)  # the gate ends meanwhile
    with hub.admin() as pg:
        pg.execute("SELECT pg_promote()")
    fleet.wait_for_end()

    fleet.assert_completed("a")
    assert (ran.read_text(), fleet.fences("gates"), fleet.fences("show")) == ("ran\n", {"a": 2}, {None: 1})
    assert "Traceback" not in fleet.log("one")


@pytest.mark.parametrize("end", ["run", "resume", "abort"])
def test_ended_show_stays_ended_where_its_director_was_killed(fleet: Fleet, end: str) -> None:
    """After the rows say so, and before the answer: the worker that takes the order over resumes nothing again."""
    times = 1 if end == "run" else 2
    fleet.write_plan({"a": write("a", seconds=600 if end == "abort" else 0)})
    killed = fleet.start_worker("one", LIONAGI_CRASH_AT=f"worker.directed:{times}")
    for number in range(times):
        if number:
            fleet.wait_for_end()
        assert (fleet.li("show", "resume", TOPIC, "--detach") if number else fleet.run_show()).code == 0
        if end == "abort":
            fleet.wait_until(partial(runs_more_than, fleet, number))
            assert fleet.li("show", "abort", TOPIC).code == 0
    assert killed.wait(60) == -signal.SIGKILL
    del fleet.workers["one"]
    ended = fleet.show_status(), fleet.statuses()

    fleet.start_worker("two")
    fleet.wait_until(lambda: not fleet.orders())

    assert (fleet.show_status(), fleet.statuses()) == ended
    assert ended == (("aborted", {"a": "aborted_after_finish"}) if end == "abort" else ("completed", {"a": "merged"}))


def runs_more_than(fleet: Fleet, number: int) -> bool:
    return fleet.runs()["a"] > number


def test_decision_of_another_machine_reaches_the_director(fleet: Fleet) -> None:
    fleet.write_plan({"asked": write("asked")}, gates=["person"])
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.statuses().get("asked") == "gated")

    decided = fleet.li("show", "approve", TOPIC, "asked", machine="elsewhere")

    assert decided.code == 0, decided
    fleet.wait_for_end()
    fleet.assert_completed("asked")
    logged = fleet.li("show", "log", TOPIC, "--decisions", "--json", machine="one").json["decisions"]
    assert [entry["play"] for entry in logged if entry["kind"] == "decision"] == ["asked"], logged
    assert "on the machine of the worker" in fleet.li("show", "log", TOPIC, "--decisions", machine="elsewhere").err


def test_abort_from_another_machine_ends_agents_and_the_show(fleet: Fleet) -> None:
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
    assert "no connected worker has the label gpu" in status.err, status
    listed = fleet.li("workers", "ls", "--json").json
    assert [order["why"] for order in listed["waiting"]] == ["no connected worker has the label gpu"]

    fleet.start_worker("two", "--labels", "gpu,docker")
    fleet.wait_for_end()
    fleet.assert_completed("plain", "heavy")
    assert "demo/heavy: attempt" in fleet.log("two")


def test_abort_ends_a_show_whose_play_no_worker_can_take(fleet: Fleet) -> None:
    fleet.write_plan({"a": {"prompt": write("a"), "needs": ["tpu"]}})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: [order for order in fleet.orders() if order.work == "attempt"])

    assert fleet.li("show", "abort", TOPIC).code == 0
    fleet.wait_for_end()

    assert fleet.show_status() == "aborted"
    assert fleet.runs()["a"] == 0


def test_output_of_a_play_is_found_where_it_ran(fleet: Fleet) -> None:
    fleet.write_plan({"a": "@say done"})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_for_end()

    there, elsewhere = (fleet.li("show", "log", TOPIC, "a", machine=name) for name in ("one", "user"))

    assert "agent.log" in there.out
    assert "li logs" in there.err
    assert "its worker has the output" in elsewhere.err
    assert "li logs" in elsewhere.err


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


def test_frozen_machine_that_wakes_up_is_refused_by_the_fence(fleet: Fleet) -> None:
    fleet.write_plan({"slow": write("slow", seconds=6)})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs()["slow"] == 1)
    frozen = fleet.processes_of("one")
    for pid in frozen:
        os.kill(pid, signal.SIGSTOP)

    fleet.start_worker("two")
    fleet.wait_until(lambda: fleet.runs()["slow"] == 2)
    for pid in frozen:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
    fleet.wait_for_end()

    fleet.assert_completed("slow")
    assert fleet.fences("attempt")["slow"] == 2
    fleet.wait_until(lambda: "was given to another worker" in fleet.log("one"))
    assert fleet.workers["one"].poll() is None


def test_orders_of_another_version_are_taken_by_nobody(fleet: Fleet) -> None:
    with open_database(fleet.url) as database:
        database.write(lambda conn: place_order(conn, "show/old~1", "old", None, Work.SHOW, {}, shape="shows-0"))
    fleet.start_worker("one")
    fleet.wait_until(lambda: "another version of Lion Studio" in fleet.log("one"))

    listed = fleet.li("workers", "ls", "--json").json

    assert [order["why"] for order in listed["waiting"]] == ["every worker that has its labels has another version"]


def test_resumed_show_goes_on_after_an_abort(fleet: Fleet) -> None:
    fleet.write_plan({"slow": write("slow", seconds=8)})
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.runs()["slow"] == 1)
    assert fleet.li("show", "abort", TOPIC, machine="elsewhere").code == 0
    fleet.wait_until(lambda: fleet.show_status() == "aborted" and not fleet.orders())

    resumed = fleet.li("show", "resume", TOPIC, "--detach", machine="elsewhere")

    assert resumed.code == 0, resumed
    fleet.wait_for_end()
    fleet.assert_completed("slow")


def test_edited_plan_is_sent_to_the_director(fleet: Fleet) -> None:
    fleet.write_plan({"asked": write("asked")}, gates=["person"])
    fleet.start_worker("one")
    assert fleet.run_show().code == 0
    fleet.wait_until(lambda: fleet.statuses().get("asked") == "gated")

    fleet.write_plan({"asked": write("asked"), "more": write("more")}, gates=["person"])
    sent = fleet.run_show()

    assert "was sent to its director" in sent.err, sent
    fleet.wait_until(lambda: fleet.statuses().get("more") == "gated")
    for play in ("asked", "more"):
        assert fleet.li("show", "approve", TOPIC, play).code == 0
    fleet.wait_for_end()
    fleet.assert_completed("asked", "more")


def test_show_without_a_remote_is_refused_with_what_to_add(fleet: Fleet) -> None:
    fleet.git("remote", "remove", "origin")
    fleet.write_plan({"a": write("a")}, remote=None)

    refused = fleet.run_show("--workers")

    assert refused.code == 2
    assert "remote" in refused.err, refused


def test_remote_is_noted_and_ignored_without_a_hub(fleet: Fleet) -> None:
    fleet.write_plan({"a": write("a")})
    db = str(fleet.root / "user" / "state.db")

    ran = fleet.li("show", "run", TOPIC, LIONAGI_DB=db)
    refused = fleet.li("show", "run", TOPIC, "--workers", LIONAGI_DB=db)

    assert ran.code == 0
    assert "`remote` in the plan is ignored" in ran.err
    assert refused.code == 2
    assert "li hub init" in refused.err


def test_worker_without_a_hub_and_second_worker_of_a_home_are_refused(fleet: Fleet) -> None:
    refused = fleet.li("worker", LIONAGI_DB=str(fleet.root / "state.db"))
    assert refused.code == 2
    assert "a worker needs a hub" in refused.err

    fleet.start_worker("one")
    fleet.wait_until(lambda: fleet.li("workers", "ls", "--json").json["workers"])
    again = fleet.li("worker", machine="one")
    assert again.code == 7
    assert "another worker runs in" in again.err
    namesake = fleet.li("worker", "--name", "one", machine="two")
    assert namesake.code == 1
    assert "another worker named one is connected" in namesake.err


def test_definitions_travel_and_values_of_variables_do_not(fleet: Fleet) -> None:
    agents = fleet.root / "user" / "agents"
    agents.mkdir(parents=True)
    (agents / "helper.md").write_text("---\nprovider: script\npass_env: [OF_THE_WORKER]\n---\nYou help.\n")
    script = "@run sh -c 'echo $OF_THE_WORKER > value.txt'\n@say done"
    fleet.write_plan({"a": {"prompt": script, "agent": "helper"}}, gates=[{"command": "grep -q kept value.txt"}])
    fleet.start_worker("one", OF_THE_WORKER="kept-there")

    assert fleet.run_show().code == 0
    fleet.wait_for_end()

    fleet.assert_completed("a")
    with reading(fleet.url) as conn:
        orders = conn.all("SELECT command FROM orders")
        shows = conn.all("SELECT node_metadata FROM shows")
    assert "OF_THE_WORKER" not in str(orders)
    assert "kept-there" not in str(orders) + str(shows)


def test_director_that_gives_up_says_why(fleet: Fleet) -> None:
    fleet.write_plan({"a": write("a")})
    assert fleet.run_show().code == 0
    fleet.remote.rename(fleet.root / "moved.git")
    fleet.start_worker("one")
    fleet.wait_until(lambda: not fleet.orders())

    status = fleet.li("show", "status", TOPIC, "--json").json

    assert "remote.git" in status["show"]["director_error"]


def test_reviewer_that_does_not_exist_is_refused_before_anything_is_ordered(fleet: Fleet) -> None:
    fleet.write_plan({"a": write("a")}, gates=[{"review": "nosuch"}])

    refused = fleet.run_show()

    assert refused.code == 3, refused
    assert "nosuch" in refused.err
    assert fleet.show_status() is None
