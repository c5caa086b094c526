"""A hub that can be cut off, and attempts whose agents write the boot-time clock into a file, many times a second.

Tests compare these stamps with the moments of what they did, so that a slow machine makes them slower and not wrong.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support.children import environment
from tests.support.hub_cutter import HubCutter
from tests.support.postgres_server import PASSWORD, PostgresServer
from tests.support.process_trees import everything_below
from tests.support.waiting import wait_until

from lionstudio.model.ids import new_id
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.shows.attempt import attempt_files, guard_process
from lionstudio.shows.attempt.attempt_files import AttemptSpec, AttemptWatch, Exit, Lease
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.workers import orders
from lionstudio.state.workers.orders import Work, WorkOrder
from lionstudio.system.filelock import RunLock
from lionstudio.system.session_processes import end_processes_of, processes_of

BEAT = 0.4
FREEZE = 2 * BEAT
MARGIN = 0.75  # a freeze comes late on a busy machine
HAS_CGROUPS = os.path.exists("/sys/fs/cgroup/cgroup.controllers") or os.path.exists("/sys/fs/cgroup/unified")

STAMP = """
import os, sys, time, signal
path, name = sys.argv[1:3]
end = time.monotonic() + 120  # whatever happens to the test, its agents end
file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
def stamp(name):
    while time.monotonic() < end:
        os.write(file, f"{name} {time.clock_gettime(time.CLOCK_BOOTTIME)!r}\\n".encode())
        time.sleep(0.02)
"""
_CANCEL = "UPDATE orders SET stop = :why, ended_at = ordered_at + 1 WHERE ended_at IS NULL"
_AGENTS = {
    "plain": "stamp(name)",
    "stubborn": """
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGCONT):
    signal.signal(number, signal.SIG_IGN)
stamp(name)
""",
    # a daemon that has cleared its environment
    "family": """
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCONT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ.clear()
        os.execve(sys.executable, [sys.executable, "-I", "-S", "-c", SOURCE, path, name], {})
    os._exit(0)
stamp(name)
""",
    # woken by timers of its own, one every five milliseconds
    "waker": """
import ctypes
class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("number", ctypes.c_int), ("how", ctypes.c_int), ("pad", ctypes.c_int * 12)]
signal.signal(signal.SIGCONT, lambda *_: None)
libc, timer = ctypes.CDLL(None), ctypes.c_void_p()
for number in range(1, 4000):
    at = (ctypes.c_long * 4)(0, 0, *divmod(5_000_000 * number, 10**9))
    event = Event(None, signal.SIGCONT, 0)
    assert libc.timer_create(time.CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) == 0
    assert libc.timer_settime(timer, 0, at, None) == 0
stamp(name)
""",
    # in a cgroup elsewhere that has the name of the one that was made for it
    "namesake": """
own = open("/proc/self/cgroup").read().rpartition("0::")[2].split()[0]
mounts = [line.split() for line in open("/proc/self/mountinfo") if " - cgroup2 " in line]
place = os.path.join(mounts[0][4], f"{name}-{os.getppid()}", os.path.basename(own))
os.makedirs(place)
with open(f"{place}/cgroup.procs", "w") as members:
    members.write("0")
stamp(name)
""",
    # always another process: it forks and exits
    "runaway": """
if os.fork():
    while time.monotonic() < end:
        time.sleep(1)
    os._exit(0)
while time.monotonic() < end:
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

    def order(self) -> WorkOrder:
        order = self.database.read(lambda conn: orders.find_order(conn, "calc/1"))
        assert order is not None
        return order

    def take(self, worker: str = "first") -> WorkOrder:
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
        source = f"{STAMP}SOURCE = {STAMP + 'stamp(name)'!r}\n{_AGENTS[agent]}"
        stamping = (sys.executable, "-I", "-S", "-c", source, str(self.stamps), f"fence{fence}")
        lease = Lease(self.db, "calc/1", fence, self.lock_path)
        spec = AttemptSpec(
            (*(argv or ()), *stamping), str(self.root), self.sessions[-1], str(self.root / "state.db"), lease=lease
        )
        attempt_files.write_spec(folder, spec._replace(**options), "the prompt\n", self.env)
        return folder

    def watch(self, folder: str, get_renewed_at: Callable[[], float] = lambda: float("-inf")) -> AttemptWatch:
        self.watches.append(AttemptWatch(folder, self.env, get_renewed_at))
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

    def freeze(self, watch: AttemptWatch, mode: str = "cut") -> float:
        """Take the hub away until the agent is frozen; return a moment since which it must not stamp."""
        cut = boot_time()
        self.cutter.set(mode)
        self.until_frozen(watch)
        frozen = boot_time()
        assert self.between(cut + FREEZE + MARGIN, frozen) == []
        return frozen

    def thaw(self, frozen: float) -> None:
        """Bring the hub back; between, the agent has not stamped."""
        time.sleep(BEAT)
        back = boot_time()
        assert self.between(frozen, back) == []
        self.cutter.set("pass")
        self.until_stamped_after(back)

    def cancel(self, why: str = "the show was aborted") -> None:
        self.database.write(lambda conn: conn.execute(_CANCEL, {"why": why}))

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
        self.database.write(_remove_rows)
        self.database.close()


def _remove_rows(conn: Connection) -> None:
    for statement in ("DELETE FROM orders", "DELETE FROM plays", "DELETE FROM shows"):
        conn.execute(statement)


def _argv(pid: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    return []
