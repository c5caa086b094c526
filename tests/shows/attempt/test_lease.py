"""The lease of an attempt: its agent runs only while the lease is renewed, whatever of hub and worker is gone."""

from __future__ import annotations

import errno
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.children import environment
from tests.support.leases import BEAT, FREEZE, MARGIN, LeaseHarness, boot_time
from tests.support.process_trees import still_alive
from tests.support.waiting import wait_until

from lionstudio.errors import Busy
from lionstudio.model.ids import new_id
from lionstudio.shows.attempt import attempt_files, guard_process, lease
from lionstudio.shows.attempt.attempt_files import AttemptSpec, AttemptWatch
from lionstudio.system.filelock import RunLock

pytestmark = pytest.mark.postgres


def test_short_absence_of_the_hub_or_the_worker_changes_nothing(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence)
    for mode in ("cut", "swallow"):
        hub.cutter.set(mode)
        time.sleep(BEAT / 4)
        hub.cutter.set("pass")
        beat = hub.order().beat
        wait_until(lambda beat=beat: hub.order().beat > beat, what="the lease is not renewed again")  # type: ignore[misc]
    assert hub.worker is not None
    for _ in range(2):
        hub.worker.release()
        time.sleep(1.2 * BEAT)  # more than two beats together
        hub.worker = RunLock.take(hub.lock_path)
        time.sleep(BEAT)
    hub.until_stamped_after(boot_time())

    assert (hub.order().fence, hub.order().worker_id) == (1, "first")
    assert hub.stop(watch).how == "stopped"


@pytest.mark.parametrize(
    ("freezer", "agent", "mode"),
    [("signals", "family", "cut"), ("signals", "runaway", "cut"), ("cgroup", "family", "swallow")],
)
def test_long_absence_of_the_hub_freezes_and_thaws(hub: LeaseHarness, freezer: str, agent: str, mode: str) -> None:
    watch = hub.begin(hub.take().fence, agent)
    frozen = hub.freeze(watch, mode)
    hub.thaw(frozen)
    thawed = boot_time()

    wait_until(lambda: hub.frozen_since(watch) is None)
    assert hub.order().fence == 1
    ended = hub.stop(watch)
    assert ended.how == "stopped"
    assert BEAT < ended.frozen < thawed - frozen + FREEZE + MARGIN
    state = attempt_files.read_lease_state(watch._folder)
    assert state is not None
    # on a busy machine the supervisor may stand still too, and an answer come too late
    assert state.freezes >= 1
    assert state.why in ("the hub did not answer", "the supervisor or its machine was stopped")
    assert state.strict == (freezer == "cgroup")
    assert "was frozen for" in str(attempt_files.frozen_sentence(state, time.time()))


@pytest.mark.parametrize(("freezer", "agent"), [("signals", "stubborn"), ("cgroup", "family")])
def test_order_given_away_meanwhile_ends_the_agent_before_it_wakes(hub: LeaseHarness, freezer: str, agent: str) -> None:
    watch = hub.begin(hub.take().fence, agent)
    frozen = hub.freeze(watch)
    tree = hub.tree(watch)
    hub.give_away()
    successor = hub.take("second")
    hub.cutter.set("pass")
    ended = hub.end(watch)

    assert (ended.how, successor.fence) == ("given_away", 2)
    assert "given to another worker (fence 2, ours was 1)" in str(ended.detail)
    assert still_alive(tree) == set()
    assert hub.between(frozen, boot_time()) == []
    assert ended.frozen > 0
    assert hub.order() == successor  # nothing was written for the old fence


def test_heartbeats_of_two_attempts_never_overlap(hub: LeaseHarness) -> None:
    """The old holder cannot reach the hub; a sweeper gives its order away after a silence that it has watched."""
    first = hub.begin(hub.take().fence, "family")
    hub.cutter.set("swallow")
    beat, since = hub.order().beat, boot_time()
    while boot_time() - since < 3 * BEAT + MARGIN:  # the margin is for this machine, on which all of them run
        if hub.order().beat != beat:
            beat, since = hub.order().beat, boot_time()
        time.sleep(0.05)
    hub.give_away()
    second = hub.take("second")
    hub.cutter.set("pass")
    successor = hub.begin(second.fence, "family")
    assert hub.end(first).how == "given_away"
    hub.until_stamped_after(boot_time(), "fence2")

    assert max(hub.moments("fence1")) < min(hub.moments("fence2"))
    assert hub.stop(successor).how == "stopped"


def test_cancelled_order_ends_the_agent(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "stubborn")
    hub.cancel("the show was aborted")
    ended = hub.end(watch)

    assert (ended.how, ended.detail) == ("given_away", "order calc/1 has ended: the show was aborted")


def test_lost_order_starts_nothing(hub: LeaseHarness) -> None:
    folder = hub.prepare(hub.take().fence)
    hub.give_away()
    ended = hub.watch(folder).wait(lambda: None)

    assert (ended.how, ended.code, hub.moments()) == ("given_away", None, [])


def test_supervisor_waits_for_the_hub_before_it_starts_the_agent(hub: LeaseHarness) -> None:
    folder = hub.prepare(hub.take().fence)
    hub.cutter.set("cut")
    watch = hub.watch(folder)
    assert watch.poll() is None
    wait_until(lambda: attempt_files.is_held(folder))
    time.sleep(BEAT)
    assert watch.poll() is None
    assert hub.moments() == []
    hub.cutter.set("pass")
    wait_until(hub.moments)

    assert hub.stop(watch).how == "stopped"


def test_lease_that_the_worker_has_just_renewed_starts_the_agent_without_the_hub(hub: LeaseHarness) -> None:
    hub.env["LIONAGI_TEST_BEAT_SECONDS"] = str(beat := 3.0)  # on a busy machine, a supervisor takes a while to start
    folder = hub.prepare(hub.take().fence)
    hub.cutter.set("cut")
    renewed_at = boot_time()
    watch = hub.watch(folder, lambda: renewed_at)
    assert watch.poll() is None
    wait_until(hub.moments)
    hub.until_frozen(watch)
    frozen = boot_time()

    assert hub.between(renewed_at + 2 * beat + MARGIN, frozen) == []
    hub.thaw(frozen)
    assert hub.stop(watch).how == "stopped"


@pytest.mark.parametrize("age", [BEAT, -BEAT])
def test_renewal_of_another_time_starts_nothing(hub: LeaseHarness, age: float) -> None:
    """One that is a beat old, or from before the machine was started again."""
    folder = hub.prepare(hub.take().fence)
    hub.cutter.set("cut")
    watch = hub.watch(folder, lambda: boot_time() - age)
    assert watch.poll() is None
    wait_until(lambda: attempt_files.is_held(folder))
    time.sleep(BEAT / 2)
    assert (watch.poll(), hub.moments()) == (None, [])
    hub.cutter.set("pass")
    wait_until(hub.moments)

    assert hub.stop(watch).how == "stopped"


def test_attempt_that_ends_within_a_beat_asks_the_hub_nothing(hub: LeaseHarness) -> None:
    hub.env["LIONAGI_TEST_BEAT_SECONDS"] = "30"
    folder = hub.prepare(hub.take().fence, argv=(sys.executable, "-c", ""))
    hub.cutter.set("cut")
    ended = hub.watch(folder, boot_time).wait(lambda: None)

    assert (ended.how, ended.code, ended.frozen) == ("exited", 0, 0.0)
    assert hub.order().beat == 1


def test_command_that_the_hub_kept_from_beginning_runs_again(hub: LeaseHarness) -> None:
    tries = hub.root / "tries"
    source = f"""
with open({str(tries)!r}, "a+") as file:
    file.write(".")
    file.seek(0)
    raise SystemExit({Busy.exit_code} if len(file.read()) < 3 else 0)
"""
    folder = hub.prepare(hub.take().fence, argv=(sys.executable, "-c", source))
    ended = hub.watch(folder).wait(lambda: None)

    assert (ended.how, ended.code, len(tries.read_text())) == ("exited", 0, 3)


def test_stop_while_the_hub_is_away_starts_nothing(hub: LeaseHarness) -> None:
    folder = hub.prepare(hub.take().fence)
    hub.cutter.set("cut")
    ended = hub.watch(folder).wait(lambda: "aborted")

    assert (ended.how, ended.detail, hub.moments()) == ("stopped", "aborted", [])


def test_stop_of_a_frozen_agent_does_not_wake_it(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "family")
    frozen = hub.freeze(watch)

    assert hub.stop(watch).how == "stopped"
    assert hub.between(frozen, boot_time()) == []


def test_worker_that_stays_gone_ends_the_agent_then_the_order(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "stubborn")
    assert hub.worker is not None
    tree = hub.tree(watch)
    hub.worker.release()
    wait_until(lambda: hub.order().worker_id is None, what="the order was not released")
    released = boot_time()
    assert still_alive(tree) == set()
    ended = hub.end(watch)

    assert (ended.how, hub.order().fence) == ("released", 1)
    assert str(ended.detail).startswith("the worker was gone for")
    assert hub.between(released, boot_time()) == []
    assert hub.take("second").fence == 2


def test_worker_gone_while_the_hub_is_away_ends_a_frozen_agent(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "family")
    frozen = hub.freeze(watch)
    assert hub.worker is not None
    hub.worker.release()
    ended = hub.end(watch)

    assert ended.how == "released"
    assert "the hub could not be told" in str(ended.detail)
    assert hub.between(frozen, boot_time()) == []
    assert hub.order().worker_id == "first"  # a sweeper gives it away


def test_frozen_time_does_not_count_against_limits(hub: LeaseHarness) -> None:
    silence = 4 * BEAT
    watch = hub.begin(hub.take().fence, silence=silence)  # it writes no output
    hub.freeze(watch)
    time.sleep(silence)
    assert attempt_files.find_exit(watch._folder) is None
    back = boot_time()
    hub.cutter.set("pass")
    hub.until_stamped_after(back + BEAT)
    ended = hub.end(watch)

    assert ended.how == "silent"  # after it was awake for long enough
    assert ended.frozen > silence


def test_processes_that_the_agent_has_stopped_stay_stopped(hub: LeaseHarness) -> None:
    child = hub.root / "child"
    script = f"sh -c 'kill -STOP $$; sleep 300' & echo $! > {child}; exec \"$@\""
    watch = hub.begin(hub.take().fence, argv=("sh", "-c", script, "sh"))
    pid = int(child.read_text())
    wait_until(lambda: guard_process._stat(pid)[0] == b"T")
    hub.thaw(hub.freeze(watch))

    assert guard_process._stat(pid)[0] == b"T"
    hub.cancel()
    hub.end(watch)


def test_answer_of_the_guard_is_not_followed_by_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """They asked and answered each other without a pause, which took a seventh of a processor for each agent."""
    monkeypatch.setattr(lease, "_LOOK_SECONDS", 0.01)
    keeper = object.__new__(lease.LeaseKeeper)
    keeper._socket, theirs = socket.socketpair()
    keeper._lines, keeper._asked_at, keeper._looked_at = b"", 1.0, time.monotonic()
    with keeper._socket, theirs:
        theirs.settimeout(0)
        theirs.send(f"{guard_process.HERE}\n".encode())
        keeper._serve_guard()
        with pytest.raises(BlockingIOError):
            theirs.recv(100)
        for _ in range(3):  # one that does not answer is asked once
            keeper._serve_guard()
        assert theirs.recv(100).decode() == f"{guard_process.ASK}\n"


def test_lease_goes_on_where_no_descriptor_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that ended here would leave the agent without a guard, or frozen for ever."""

    def fail(*_: object) -> Any:
        raise OSError(errno.EMFILE, "too many open files")

    keeper = object.__new__(lease.LeaseKeeper)
    keeper._renewal = SimpleNamespace(renew=fail)  # type: ignore[assignment]
    assert keeper._renew() is False

    keeper._guard = SimpleNamespace(pid=0, kill=lambda: None, wait=lambda: None)  # type: ignore[assignment]
    keeper._tree = SimpleNamespace(others=set())  # type: ignore[assignment]
    keeper._socket, theirs = socket.socketpair()
    keeper._lines, keeper._asked_at, keeper._looked_at = b"", None, time.monotonic()
    with keeper._socket, theirs:
        theirs.close()  # the guard is dead
        monkeypatch.setattr(socket, "socketpair", fail)
        for _ in range(2):
            with pytest.raises(OSError, match="too many"):
                keeper._serve_guard()


def test_supervisor_without_a_lease_loads_no_database(tmp_path: Path) -> None:
    code = "import sys; import lionstudio.shows.attempt.supervisor; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split())

    assert loaded.isdisjoint({"lionstudio.shows.attempt.lease", "lionstudio.state.workers.renewal", "psycopg"})


@pytest.mark.parametrize("lease", [[], {"db": 1, "order_id": "a", "fence": 1, "worker_lock": "b"}])
def test_invalid_lease_is_not_started(tmp_path: Path, lease: Any) -> None:
    folder = attempt_files.attempt_folder(str(tmp_path), "play", 1)
    spec = AttemptSpec(("true",), str(tmp_path), new_id(), "state.db")
    attempt_files.write_spec(folder, spec, "", {})
    path = Path(folder, attempt_files.SPEC)
    path.write_text(path.read_text().replace('"env"', f'"lease": {lease!r}, "env"'.replace("'", '"')))
    ended = AttemptWatch(folder, environment(LIONAGI_HOME=str(tmp_path))).wait(lambda: None)

    assert (ended.how, "invalid lease" in str(ended.detail)) == ("not_started", True)
