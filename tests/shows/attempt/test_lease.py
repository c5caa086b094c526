"""The lease of an attempt: its agent runs only while the lease is renewed, whichever process or connection dies.

Agents write the boot-time clock into a file, many times a second; the tests compare these stamps with the moments of
what they did, so that a slow machine makes them slower and not wrong.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.children import environment
from tests.support.hub_cutter import HubCutter
from tests.support.postgres_server import PASSWORD, PostgresServer
from tests.support.process_trees import everything_below, still_alive
from tests.support.waiting import wait_until

from lionstudio.model.ids import new_id
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.settle import settle_run
from lionstudio.shows.attempt import attempt_files, guard_process
from lionstudio.shows.attempt.attempt_files import AttemptSpec, AttemptWatch, Exit, Lease
from lionstudio.state.backends import open_database
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.workers import orders
from lionstudio.state.workers.orders import Order, Work
from lionstudio.system.filelock import RunLock
from lionstudio.system.li_process import li_argv
from lionstudio.system.session_processes import end_processes_of, processes_of

pytestmark = pytest.mark.postgres

BEAT = 0.5
FREEZE = 2 * BEAT
MARGIN = 0.75  # a freeze comes late on a busy machine
_HAS_CGROUPS = os.path.exists("/sys/fs/cgroup/cgroup.controllers") or os.path.exists("/sys/fs/cgroup/unified")

_STAMP = """
import os, sys, time, signal
path, name = sys.argv[1:3]
file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
def stamp(name):
    while True:
        os.write(file, f"{name} {time.clock_gettime(time.CLOCK_BOOTTIME)!r}\\n".encode())
        time.sleep(0.02)
"""
AGENTS = {
    "plain": "stamp(name)",
    "stubborn": """
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGCONT):
    signal.signal(number, signal.SIG_IGN)
stamp(name)
""",
    "family": """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ.clear()
        os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", SOURCE, path, name], {})
    os._exit(0)
stamp(name)
""",
    # always another process: it forks and exits
    "runaway": """
if os.fork():
    while True:
        time.sleep(1)
while True:
    if os.fork():
        os._exit(0)
    os.write(file, f"{name} {time.clock_gettime(time.CLOCK_BOOTTIME)!r}\\n".encode())
    time.sleep(0.003)
""",
}


def boot_time() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class LeaseHarness:
    """A hub behind a cutter, a worker that holds its lock, and attempts of one play."""

    def __init__(self, root: Path, server: PostgresServer, name: str, freezer: str) -> None:
        self.root = root
        self.cutter = HubCutter(server.port)
        self.db = f"postgresql://lion@127.0.0.1:{self.cutter.port}/{name}"
        self.database: Database = open_database(server.local_url(name))
        self.env = environment(
            LIONAGI_HOME=str(root),
            LIONAGI_DB=self.db.replace("lion@", f"lion:{PASSWORD.replace(' ', '%20')}@"),
            LIONAGI_TEST_BEAT_SECONDS=str(BEAT),
            LIONAGI_TEST_FREEZER=freezer,
        )
        self.stamps = root / "stamps"
        self.lock_path = str(root / "worker.lock")
        self.worker: RunLock | None = RunLock.take(self.lock_path)
        self.sessions: list[str] = []
        self.watches: list[AttemptWatch] = []
        show = self.database.write(
            lambda conn: put_show(conn, Show(id=new_id(), topic="calc", show_dir="/shows/calc", created_at=1.0))
        )
        self.database.write(lambda conn: put_play(conn, Play(id=new_id(), show_id=show.id, name="add", created_at=1.0)))
        self.database.write(
            lambda conn: orders.place_order(conn, "calc/1", "calc", "add", Work.ATTEMPT, {}, shape="test")
        )

    def order(self) -> Order:
        order = self.database.read(lambda conn: orders.find_order(conn, "calc/1"))
        assert order is not None
        return order

    def take(self, worker: str = "first") -> Order:
        taken = self.database.write(lambda conn: orders.take_order(conn, self.order(), worker))
        assert taken is not None
        return taken

    def give_away(self) -> float:
        """As a sweeper does; returns the moment before."""
        moment = boot_time()
        while not self.database.write(lambda conn: orders.give_away(conn, self.order())):
            moment = boot_time()  # it was renewed in between
        return moment

    def prepare(self, fence: int, agent: str = "plain", argv: tuple[str, ...] | None = None, **options: Any) -> str:
        folder = attempt_files.attempt_folder(str(self.root), "play", fence)
        self.sessions.append(new_id())
        source = f"{_STAMP}SOURCE = {_STAMP + 'stamp(name)'!r}\n{AGENTS[agent]}"
        stamping = (sys.executable, "-I", "-S", "-c", source, str(self.stamps), f"fence{fence}")
        lease = Lease(self.db, "calc/1", fence, self.lock_path)
        spec = AttemptSpec(
            (*(argv or ()), *stamping), str(self.root), self.sessions[-1], str(self.root / "state.db"), lease=lease
        )
        attempt_files.write_spec(folder, spec._replace(**options), "the prompt\n", self.env)
        return folder

    def watch(self, folder: str) -> AttemptWatch:
        self.watches.append(AttemptWatch(folder, self.env))
        return self.watches[-1]

    def begin(
        self, fence: int, agent: str = "plain", argv: tuple[str, ...] | None = None, **options: Any
    ) -> AttemptWatch:
        """Return a watch whose agent has stamped."""
        watch = self.watch(self.prepare(fence, agent, argv, **options))
        assert watch.poll() is None
        wait_until(lambda: self.moments(f"fence{fence}"), what=attempt_files.log_tail(watch._folder))
        with Database(str(self.root / "state.db")) as state:  # as `li agent` does before its agent starts
            state.write(lambda conn: create_session(conn, Session(id=self.sessions[-1], created_at=1.0)))
        return watch

    def moments(self, name: str = "fence1") -> list[float]:
        lines = self.stamps.read_text().splitlines(keepends=True) if self.stamps.exists() else []
        pairs = [line.split() for line in lines if line.endswith("\n")]
        return [float(pair[1]) for pair in pairs if pair[0] == name]

    def between(self, start: float, end: float, name: str = "fence1") -> list[float]:
        return [moment for moment in self.moments(name) if start < moment < end]

    def until_stamped_after(self, moment: float, name: str = "fence1") -> None:
        wait_until(lambda: any(stamp > moment for stamp in self.moments(name)), what="the agent was not thawed")

    def frozen_since(self, watch: AttemptWatch) -> float | None:
        state = attempt_files.read_lease_state(watch._folder)
        return None if state is None else state.frozen_since

    def until_frozen(self, watch: AttemptWatch) -> None:
        wait_until(lambda: self.frozen_since(watch) is not None, what="it was not frozen")

    def supervisor(self, watch: AttemptWatch) -> int:
        assert watch._supervisor is not None
        return watch._supervisor.pid

    def guard(self, watch: AttemptWatch) -> int:
        """The pid of the guard."""
        found: list[int] = []

        def look() -> bool:
            below = guard_process.children_of(self.supervisor(watch))
            found[:] = [pid for pid in below if guard_process.GUARD_CODE in _argv(pid)]
            return bool(found)

        wait_until(look, what="there is no guard")
        return found[0]

    def tree(self, watch: AttemptWatch) -> set[int]:
        return everything_below(self.supervisor(watch)) - {self.guard(watch)}

    def sleep_until(self, moment: float) -> None:
        while boot_time() < moment:
            time.sleep(0.05)

    def end(self, watch: AttemptWatch) -> Exit:
        ended = watch.wait(lambda: None)
        assert not any(processes_of(session) for session in self.sessions[:1])
        return ended

    def stop(self, watch: AttemptWatch) -> Exit:
        return watch.wait(lambda: "enough")

    def close(self) -> None:
        for watch in self.watches:
            if watch._supervisor is not None and watch._supervisor.poll() is None:
                with suppress(OSError):
                    watch._supervisor.send_signal(signal.SIGCONT)
                watch._supervisor.kill()
                watch._supervisor.wait()
        for session in self.sessions:
            end_processes_of(session, grace=0)
        self.cutter.close()
        self.database.close()


def _argv(pid: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    return []


@pytest.fixture(params=["signals", pytest.param("cgroup", marks=pytest.mark.skipif(not _HAS_CGROUPS, reason="none"))])
def hub(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: PostgresServer, blank_postgres: str
) -> Iterator[LeaseHarness]:
    name = postgres_server.create(blank_postgres)
    harness = LeaseHarness(tmp_path, postgres_server, name, request.param)
    try:
        yield harness
    finally:
        harness.close()
        postgres_server.drop(name)


@pytest.mark.parametrize("mode", ["cut", "swallow"])
def test_short_absence_of_the_hub_changes_nothing(hub: LeaseHarness, mode: str) -> None:
    watch = hub.begin(hub.take().fence)
    beat = hub.order().beat
    wait_until(lambda: hub.order().beat > beat, what="the lease is not renewed")
    hub.cutter.set(mode)
    time.sleep(BEAT / 4)
    hub.cutter.set("pass")
    beat = hub.order().beat
    wait_until(lambda: hub.order().beat > beat, what="the lease is not renewed again")

    assert (hub.order().fence, hub.order().worker_id) == (1, "first")
    assert hub.stop(watch).how == "stopped"


@pytest.mark.parametrize("mode", ["cut", "swallow"])
@pytest.mark.parametrize("agent", list(AGENTS))
def test_long_absence_of_the_hub_freezes_and_thaws(hub: LeaseHarness, mode: str, agent: str) -> None:
    watch = hub.begin(hub.take().fence, agent)
    cut = boot_time()
    hub.cutter.set(mode)
    hub.until_frozen(watch)
    hub.sleep_until(cut + FREEZE + MARGIN + 2 * BEAT)
    back = boot_time()
    hub.cutter.set("pass")
    hub.until_stamped_after(back)

    assert hub.between(cut + FREEZE + MARGIN, back) == []
    wait_until(lambda: hub.frozen_since(watch) is None)
    assert hub.order().fence == 1
    ended = hub.stop(watch)
    assert ended.how == "stopped"
    assert ended.frozen >= back - cut - FREEZE - MARGIN
    state = attempt_files.read_lease_state(watch._folder)
    assert state is not None
    assert (state.freezes > 0, state.why, state.strict) == (
        True,
        "the hub did not answer",
        hub.env["LIONAGI_TEST_FREEZER"] == "cgroup",
    )
    assert "was frozen for" in str(attempt_files.frozen_sentence(state, time.time()))


@pytest.mark.parametrize("agent", ["plain", "stubborn", "family"])
def test_order_given_away_meanwhile_ends_the_agent_before_it_wakes(hub: LeaseHarness, agent: str) -> None:
    watch = hub.begin(hub.take().fence, agent)
    hub.cutter.set("swallow")
    hub.until_frozen(watch)
    tree = hub.tree(watch)
    given_away = hub.give_away()
    successor = hub.take("second")
    hub.cutter.set("pass")
    ended = hub.end(watch)

    assert (ended.how, successor.fence) == ("given_away", 2)
    assert "given to another worker (fence 2, ours was 1)" in str(ended.detail)
    assert still_alive(tree) == set()
    assert hub.between(given_away, boot_time()) == []
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
    hub.database.write(lambda conn: orders.cancel_orders(conn, "calc", "the show was aborted"))
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
    time.sleep(3 * BEAT)
    assert watch.poll() is None
    assert hub.moments() == []
    hub.cutter.set("pass")
    wait_until(hub.moments)

    assert hub.stop(watch).how == "stopped"


def test_stop_while_the_hub_is_away_starts_nothing(hub: LeaseHarness) -> None:
    folder = hub.prepare(hub.take().fence)
    hub.cutter.set("cut")
    ended = hub.watch(folder).wait(lambda: "aborted")

    assert (ended.how, ended.detail, hub.moments()) == ("stopped", "aborted", [])


def test_stop_of_a_frozen_agent_does_not_wake_it(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "family")
    hub.cutter.set("cut")
    hub.until_frozen(watch)
    moment = boot_time()
    ended = hub.stop(watch)

    assert ended.how == "stopped"
    assert hub.between(moment, boot_time()) == []


@pytest.mark.crash
@pytest.mark.parametrize("agent", ["plain", "stubborn", "family", "runaway"])
@pytest.mark.parametrize("frozen", [False, True])
def test_killed_supervisor_ends_the_agent_at_once(hub: LeaseHarness, agent: str, frozen: bool) -> None:
    watch = hub.begin(hub.take().fence, agent)
    if frozen:
        hub.cutter.set("cut")
        hub.until_frozen(watch)
    else:
        time.sleep(2.0)  # the guard has seen all of them: one has cleared its environment
    tree, guard = hub.tree(watch), hub.guard(watch)
    moment = boot_time()
    os.kill(hub.supervisor(watch), signal.SIGKILL)
    wait_until(lambda: not still_alive(tree | {guard}), what="something goes on")
    last = boot_time()

    assert hub.between(moment + (0 if frozen else MARGIN), last) == []
    time.sleep(0.3)
    assert hub.between(last, boot_time()) == []
    hub.cutter.set("pass")
    ended = hub.end(watch)  # by the next supervisor
    assert (ended.how, ended.detail) == ("lost", "the supervisor was killed")
    assert hub.order().fence == 1


@pytest.mark.crash
def test_stopped_supervisor_freezes_the_agent(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "family")
    stopped = boot_time()
    os.kill(hub.supervisor(watch), signal.SIGSTOP)
    hub.sleep_until(stopped + FREEZE + MARGIN + 2 * BEAT)
    back = boot_time()
    os.kill(hub.supervisor(watch), signal.SIGCONT)
    hub.until_stamped_after(back)

    assert hub.between(stopped + FREEZE + MARGIN, back) == []
    ended = hub.stop(watch)
    state = attempt_files.read_lease_state(watch._folder)
    assert state is not None
    assert (ended.how, state.freezes > 0) == ("stopped", True)


@pytest.mark.crash
def test_stopped_supervisor_whose_order_is_given_away_ends_the_agent(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "stubborn")
    stopped = boot_time()
    os.kill(hub.supervisor(watch), signal.SIGSTOP)
    hub.sleep_until(stopped + FREEZE + MARGIN)
    given_away = hub.give_away()
    hub.take("second")
    os.kill(hub.supervisor(watch), signal.SIGCONT)

    assert hub.end(watch).how == "given_away"
    assert hub.between(given_away, boot_time()) == []


@pytest.mark.crash
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("frozen", [False, True])
def test_guard_that_is_killed_or_stopped_is_replaced(hub: LeaseHarness, number: signal.Signals, frozen: bool) -> None:
    watch = hub.begin(hub.take().fence, "family")
    if frozen:
        hub.cutter.set("cut")
        hub.until_frozen(watch)
    first, moment = hub.guard(watch), boot_time()
    os.kill(first, number)
    wait_until(lambda: not still_alive({first}), what="the guard was not replaced")
    assert hub.guard(watch) != first
    if not frozen:
        hub.cutter.set("cut")
        moment = boot_time() + FREEZE + MARGIN
        hub.sleep_until(moment + BEAT)
    back = boot_time()
    assert hub.between(moment, back) == []
    hub.cutter.set("pass")
    hub.until_stamped_after(back)

    assert hub.stop(watch).how == "stopped"


@pytest.mark.crash
def test_killed_supervisor_and_guard_let_nothing_go_on(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "plain")
    os.kill(hub.guard(watch), signal.SIGKILL)
    os.kill(hub.supervisor(watch), signal.SIGKILL)
    killed = boot_time()
    time.sleep(MARGIN)
    assert hub.between(killed + MARGIN, boot_time()) == []

    assert hub.end(watch).how == "lost"


@pytest.mark.crash
def test_frozen_agent_of_a_killed_supervisor_and_guard_never_wakes(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "family")
    hub.cutter.set("cut")
    hub.until_frozen(watch)
    tree, frozen = hub.tree(watch), boot_time()
    os.kill(hub.guard(watch), signal.SIGKILL)
    os.kill(hub.supervisor(watch), signal.SIGKILL)
    time.sleep(BEAT)
    hub.cutter.set("pass")

    assert hub.end(watch).how == "lost"  # by the next supervisor
    assert hub.between(frozen, boot_time()) == []
    # one that has cleared its environment stays stopped where no cgroup finds it
    left = still_alive(tree)
    assert all(guard_process._stat(pid)[0] == b"T" for pid in left)
    assert not left or hub.env["LIONAGI_TEST_FREEZER"] == "signals"
    for pid in left:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.crash
@pytest.mark.parametrize("agent", ["plain", "family"])
@pytest.mark.parametrize("is_ours", [True, False])
def test_machine_that_was_stopped_freezes_before_it_asks(hub: LeaseHarness, agent: str, is_ours: bool) -> None:
    """The agent wakes first, which is the worst order."""
    watch = hub.begin(hub.take().fence, agent)
    hub.cutter.set("swallow")  # nobody can ask: what freezes it is the clock alone
    tree, supervisor, guard = hub.tree(watch), hub.supervisor(watch), hub.guard(watch)
    every = [supervisor, guard, *tree]
    for pid in every:
        os.kill(pid, signal.SIGSTOP)
    stopped = boot_time()
    hub.sleep_until(stopped + FREEZE + BEAT)
    if not is_ours:
        hub.give_away()
        hub.take("second")
    woken = boot_time()
    for pid in reversed(every):
        os.kill(pid, signal.SIGCONT)
    hub.until_frozen(watch)
    frozen = boot_time()
    awake = [moment - woken for moment in hub.between(woken, frozen)]
    assert not awake or max(awake) < MARGIN
    time.sleep(BEAT)
    back = boot_time()
    assert hub.between(frozen, back) == []
    hub.cutter.set("pass")

    if is_ours:
        hub.until_stamped_after(back)
        assert hub.stop(watch).how == "stopped"
    else:
        assert hub.end(watch).how == "given_away"
        assert hub.between(back, boot_time()) == []


@pytest.mark.parametrize("agent", ["plain", "stubborn", "family"])
def test_worker_that_stays_gone_ends_the_agent_then_the_order(hub: LeaseHarness, agent: str) -> None:
    watch = hub.begin(hub.take().fence, agent)
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


def test_worker_that_comes_back_changes_nothing(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence)
    assert hub.worker is not None
    for _ in range(3):
        hub.worker.release()
        time.sleep(BEAT / 2)
        hub.worker = RunLock.take(hub.lock_path)
        time.sleep(BEAT)
    moment = boot_time()
    hub.until_stamped_after(moment)

    assert (hub.order().worker_id, hub.order().fence) == ("first", 1)
    assert hub.stop(watch).how == "stopped"


def test_worker_gone_while_the_hub_is_away_ends_a_frozen_agent(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, "family")
    hub.cutter.set("cut")
    hub.until_frozen(watch)
    frozen = boot_time()
    assert hub.worker is not None
    hub.worker.release()
    ended = hub.end(watch)

    assert ended.how == "released"
    assert "the hub could not be told" in str(ended.detail)
    assert hub.between(frozen, boot_time()) == []
    assert hub.order().worker_id == "first"  # a sweeper gives it away


@pytest.mark.parametrize("is_lost", [False, True])
def test_agent_in_a_pid_namespace_is_frozen(hub: LeaseHarness, is_lost: bool) -> None:
    bwrap = shutil.which("bwrap")
    argv = (
        str(bwrap),
        "--unshare-pid",
        "--die-with-parent",
        "--dev-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--clearenv",
        "--",
    )
    if bwrap is None or subprocess.run([*argv, "true"], capture_output=True).returncode != 0:
        pytest.skip("no pid namespaces here")
    watch = hub.begin(hub.take().fence, "family", argv)
    cut = boot_time()
    hub.cutter.set("cut")
    hub.until_frozen(watch)
    hub.sleep_until(cut + FREEZE + MARGIN + BEAT)
    tree = hub.tree(watch)
    if is_lost:
        hub.give_away()
    back = boot_time()
    hub.cutter.set("pass")
    assert hub.between(cut + FREEZE + MARGIN, back) == []
    if is_lost:
        assert hub.end(watch).how == "given_away"
        assert hub.between(back, boot_time()) == []
        assert still_alive(tree) == set()
    else:
        hub.until_stamped_after(back)
        assert hub.stop(watch).how == "stopped"


def test_frozen_time_does_not_count_against_limits(hub: LeaseHarness) -> None:
    watch = hub.begin(hub.take().fence, silence=6 * BEAT)  # it writes no output
    hub.cutter.set("cut")
    hub.until_frozen(watch)
    hub.sleep_until(boot_time() + 8 * BEAT)
    assert attempt_files.find_exit(watch._folder) is None
    back = boot_time()
    hub.cutter.set("pass")
    hub.until_stamped_after(back + 2 * BEAT)
    ended = hub.end(watch)

    assert ended.how == "silent"  # after it was awake for long enough
    assert ended.frozen > 7 * BEAT


def test_processes_that_the_agent_has_stopped_stay_stopped(hub: LeaseHarness) -> None:
    child = hub.root / "child"
    script = f"sh -c 'kill -STOP $$; sleep 300' & echo $! > {child}; exec \"$@\""
    watch = hub.begin(hub.take().fence, argv=("sh", "-c", script, "sh"))
    pid = int(child.read_text())
    is_stopped: Callable[[], bool] = lambda: guard_process._stat(pid)[0] == b"T"  # noqa: E731
    wait_until(is_stopped)
    hub.cutter.set("cut")
    hub.until_frozen(watch)
    back = boot_time()
    hub.cutter.set("pass")
    hub.until_stamped_after(back)

    assert is_stopped()
    assert hub.stop(watch).how == "stopped"


def test_supervisor_without_a_lease_loads_no_database(tmp_path: Path) -> None:
    code = "import sys; import lionstudio.shows.attempt.supervisor; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split())

    assert loaded.isdisjoint({"lionstudio.shows.attempt.lease", "lionstudio.state.workers.renewal", "psycopg"})


@pytest.mark.parametrize("lease", [{}, [], {"db": "x"}, {"db": 1, "order_id": "a", "fence": 1, "worker_lock": "b"}])
def test_invalid_lease_is_not_started(tmp_path: Path, lease: Any) -> None:
    folder = attempt_files.attempt_folder(str(tmp_path), "play", 1)
    spec = AttemptSpec(("true",), str(tmp_path), new_id(), "state.db")
    attempt_files.write_spec(folder, spec, "", {})
    path = Path(folder, attempt_files.SPEC)
    path.write_text(path.read_text().replace('"env"', f'"lease": {lease!r}, "env"'.replace("'", '"')))
    ended = AttemptWatch(folder, environment(LIONAGI_HOME=str(tmp_path))).wait(lambda: None)

    assert (ended.how, "invalid lease" in str(ended.detail)) == ("not_started", True)


def test_tree_of_a_dead_supervisor_is_never_that_of_whoever_adopted_us() -> None:
    with subprocess.Popen(["true"]) as gone:
        pass
    parent = guard_process.find_process(os.getppid())
    for supervisor in (None, (gone.pid, 1), (1, 1), (parent[0], parent[1] + 1), (os.getpid(), 1)):
        tree = guard_process.Tree(supervisor, new_id(), None)
        assert tree.processes() == {}
        assert tree.is_orphaned


def test_tree_holds_descendants_only() -> None:
    before = guard_process.children_of(os.getpid())
    with subprocess.Popen(["sh", "-c", "sleep 300 & wait"]) as ours, subprocess.Popen(["sleep", "300"]) as other:
        try:
            us = guard_process.find_process(os.getpid())
            tree = guard_process.Tree(us, new_id(), None, {*before, other.pid})
            wait_until(lambda: len(tree.processes()) == 2)
            assert set(tree.processes()) == {ours.pid, *guard_process.children_of(ours.pid)}
            guard_process.send((other.pid, 1), signal.SIGKILL)  # another process than the one that was meant
            assert other.poll() is None
            tree.kill()
            assert tree.processes() == {}
        finally:
            ours.kill()
            other.kill()


class TestRecorded:
    """The real tree: `li agent` records, its watchdog and a guard of that are between it and the program."""

    def begin(self, hub: LeaseHarness, rounds: int, *options: str) -> AttemptWatch:
        program = hub.root / "program.py"
        program.write_text(
            f"{_STAMP}\nfor _ in range({rounds}):\n"
            "    os.write(file, f'{name} {time.clock_gettime(time.CLOCK_BOOTTIME)!r}\\n'.encode())\n"
            "    time.sleep(0.02)\n"
        )
        folder = attempt_files.attempt_folder(str(hub.root), "play", 1)
        session = new_id()
        hub.sessions.append(session)
        common = ("--session-id", session, "--cwd", str(hub.root), "--sandbox", "off", *options)
        argv = li_argv("--db", str(hub.root / "state.db"), "agent", "script", "-", *common)
        lease = Lease(hub.db, "calc/1", hub.take().fence, hub.lock_path)
        spec = AttemptSpec(tuple(argv), str(hub.root), session, str(hub.root / "state.db"), lease=lease)
        prompt = f"@run {sys.executable} -I -S {program} {hub.stamps} fence1\n@say done\n"
        attempt_files.write_spec(folder, spec, prompt, hub.env)
        watch = hub.watch(folder)
        assert watch.poll() is None
        wait_until(hub.moments, what=f"no stamp: {attempt_files.log_tail(folder)}")
        return watch

    def session(self, hub: LeaseHarness) -> Session:
        with Database(str(hub.root / "state.db")) as state:
            session = settle_run(state, hub.sessions[-1], wait=15)
        assert session is not None
        return session

    def test_frozen_run_completes(self, hub: LeaseHarness) -> None:
        """It is frozen for longer than its time limit, which does not count."""
        watch = self.begin(hub, 100, "--timeout", "30")
        cut = boot_time()
        hub.cutter.set("cut")
        hub.until_frozen(watch)
        hub.sleep_until(cut + 32)
        back = boot_time()
        hub.cutter.set("pass")
        ended = hub.end(watch)

        assert (ended.how, ended.code) == ("exited", 0), attempt_files.log_tail(watch._folder)
        assert hub.between(cut + FREEZE + MARGIN, back) == []
        assert len(hub.moments()) == 100
        assert self.session(hub).status is SessionStatus.COMPLETED

    def test_order_given_away_ends_the_run_without_waking_it(self, hub: LeaseHarness) -> None:
        watch = self.begin(hub, 10_000)
        hub.cutter.set("cut")
        hub.until_frozen(watch)
        tree = hub.tree(watch)
        given_away = hub.give_away()
        hub.cutter.set("pass")

        assert hub.end(watch).how == "given_away"
        assert still_alive(tree) == set()
        assert hub.between(given_away, boot_time()) == []
        assert self.session(hub).status is SessionStatus.FAILED

    @pytest.mark.crash
    @pytest.mark.parametrize("frozen", [False, True])
    def test_killed_supervisor_ends_the_run(self, hub: LeaseHarness, frozen: bool) -> None:
        watch = self.begin(hub, 10_000)
        if frozen:
            hub.cutter.set("cut")
            hub.until_frozen(watch)
        tree, moment = hub.tree(watch), boot_time()
        os.kill(hub.supervisor(watch), signal.SIGKILL)
        wait_until(lambda: not still_alive(tree), what="something goes on")

        assert hub.between(moment + (0 if frozen else MARGIN), boot_time()) == []
        hub.cutter.set("pass")
        assert hub.end(watch).how == "lost"
        assert self.session(hub).status is SessionStatus.FAILED

    @pytest.mark.crash
    def test_killed_supervisor_and_guard_end_the_run(self, hub: LeaseHarness) -> None:
        watch = self.begin(hub, 10_000)
        tree, guard = hub.tree(watch), hub.guard(watch)
        os.kill(hub.supervisor(watch), signal.SIGSTOP)  # it cannot start another
        os.kill(guard, signal.SIGKILL)
        os.kill(hub.supervisor(watch), signal.SIGKILL)
        wait_until(lambda: not still_alive(tree), what="something goes on")

        assert hub.end(watch).how == "lost"
