"""The lease of an attempt: its supervisor renews it, and its agent runs only as long as that succeeds.

Two threads of the supervisor. One renews, and may wait for the hub; the other serves the guard (`guard_process.py`),
which freezes and thaws, and looks whether the worker is there. An order that was lost ends the agent at once. A worker
that is gone for two beats ends it in order, and the order is released afterwards.
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from lionstudio.errors import LionError
from lionstudio.shows.attempt import guard_process as guard
from lionstudio.shows.attempt.attempt_files import Lease, LeaseState, write_lease_state
from lionstudio.state.workers.renewal import Renewal
from lionstudio.state.workers.workers import BEAT_SECONDS, FREEZE_SECONDS
from lionstudio.system.filelock import lock_state
from lionstudio.system.li_process import isolated_argv, start_ours
from lionstudio.system.watchdog_process import adopt_orphans, die_with_parent

GONE_SECONDS = 2 * BEAT_SECONDS  # without its worker an attempt ends
END_SECONDS = BEAT_SECONDS / 2  # for an agent whose worker is gone to end by itself
_LOOK_SECONDS = BEAT_SECONDS / 4
_RETRY_SECONDS = BEAT_SECONDS / 10
_TICK_SECONDS = min(0.1, BEAT_SECONDS / 20)
_ANSWER_SECONDS = 1.0 + BEAT_SECONDS  # for a guard on a busy machine; then it hangs or is stopped, and is replaced
_RELEASE_SECONDS = GONE_SECONDS
_HUB_SILENT = "the hub did not answer"
_STOPPED = "the supervisor or its machine was stopped"


class LeaseKeeper:
    """Keeps the lease of one attempt; `wake` is called when `lost` or `released` was set."""

    def __init__(
        self, lease: Lease, session_id: str, folder: str, wake: Callable[[], None], renewed_at: float = float("-inf")
    ) -> None:
        self.lost: str | None = None  # the reason: the agent was killed
        self.released: str | None = None  # the reason: the agent must be ended, and `release` called
        self.thawed_at = 0.0  # unix seconds
        self._lease, self._session_id, self._folder, self._wake = lease, session_id, folder, wake
        self._renewal = Renewal(lease.db, lease.order_id, lease.fence)
        self._renewed_at = renewed_at  # by CLOCK_BOOTTIME, before the request was sent; the first time by the worker
        self._gone_since: float | None = None
        self._looked_at = time.monotonic()
        adopt_orphans()
        self.had_orphans = _end_orphans(session_id)
        cgroup = _make_cgroup(session_id)
        self._state = LeaseState(strict=cgroup is not None)
        self._state_lock = threading.Lock()
        self._frozen_since: float | None = None  # by CLOCK_MONOTONIC
        self._last_freeze: float | None = None
        self._counted_until = 0.0
        self._is_frozen = threading.Event()
        self._frozen: list[str] = []  # the processes, for the next guard
        self._us = guard.find_process(os.getpid())
        self._tree = guard.Tree(self._us, session_id, cgroup, guard.children_of(os.getpid()))
        self._guard: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._lines = b""
        self._asked_at: float | None = None  # when the guard did not answer yet
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []
        self._agent: int | None = None

    def begin(self, is_stopped: Callable[[], bool]) -> bool:
        """Look at the fence, for as long as the hub is away; False when the agent must not be started.

        What the worker has renewed within a beat is ours: the order cannot have been given away since.
        """
        while not is_stopped():
            self._look_at_worker()
            if self.released is None and (0 <= boot_age(self._renewed_at) < BEAT_SECONDS or self._renew()):
                return self.lost is None
            if self.released is not None:
                return False
            time.sleep(_RETRY_SECONDS)
        return False

    def _start_guard(self) -> None:
        """Start a guard; it hears at once of the last renewal."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        self._socket = ours
        self._lines, self._asked_at = b"", None
        self._say(f"{guard.RENEWED} {self._renewed_at!r}" if self.lost is None else guard.LOST)
        known = [] if self._frozen_since is None else [repr(self._frozen_since), *self._frozen]
        cgroup = self._tree.cgroup.path if self._tree.cgroup is not None else ""
        options = [guard.text_of(self._us), self._session_id, cgroup, repr(FREEZE_SECONDS), repr(_TICK_SECONDS)]
        with theirs:
            self._guard = start_ours(
                isolated_argv(
                    guard.GUARD_CODE,
                    os.path.dirname(guard.__file__),
                    str(theirs.fileno()),
                    *options,
                    " ".join(map(str, self._tree.others)),
                    *known,
                ),
                {},  # it is not one of the processes of the session
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        self._tree.others.add(self._guard.pid)

    def before_exec(self) -> Callable[[], None]:
        """Return what the recorder does before it starts: end with us, and be in the cgroup."""
        parent, cgroup = os.getpid(), self._tree.cgroup

        def prepare() -> None:
            if cgroup is not None:
                cgroup.enter()
            die_with_parent(parent)

        return prepare

    def start(self, agent: int) -> None:
        """Keep the lease from now on, for a recorder that has just been started."""
        self._agent = agent
        if self._guard is not None:
            return  # it is not the first recorder
        self._start_guard()
        for work in (self._keep_renewing, self._keep_guarding):
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            self._threads.append(thread)

    @property
    def is_frozen(self) -> bool:
        return self._frozen_since is not None

    @property
    def may_run(self) -> bool:
        """Whether the agent may be given time to end by itself."""
        return self.lost is None and not self.is_frozen and boot_age(self._renewed_at) < FREEZE_SECONDS

    def frozen_seconds(self) -> float:
        with self._state_lock:
            since = self._frozen_since
            running = 0.0 if since is None else time.monotonic() - max(since, self._counted_until)
            return self._state.frozen + running

    def kill(self) -> None:
        """Kill everything of the attempt; frozen processes do not wake for it."""
        self._tree.kill()

    def release(self) -> bool:
        """Give the order back, after everything has ended; False when the hub does not take it in time."""
        self._stop_threads()
        answers: list[bool] = []

        def work() -> None:
            with suppress(LionError):
                answers.append(self._renewal.release())

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(_RELEASE_SECONDS)
        return answers == [True]

    def close(self) -> None:
        """End the guard and the threads, after everything of the attempt has ended."""
        self._stop_threads()
        self._say(guard.QUIT)
        if self._socket is not None:
            self._socket.close()
        if self._guard is not None:
            with suppress(subprocess.TimeoutExpired):
                self._guard.wait(1.0)
            self._guard.kill()
            self._guard.wait()
        if self._tree.cgroup is not None:
            self._tree.cgroup.remove()

    def _stop_threads(self) -> None:
        self._closing.set()
        self._say(guard.ASK)  # its answer wakes the thread that serves it
        for thread in self._threads:
            thread.join(BEAT_SECONDS)  # the one that renews may wait for the hub; it ends with us

    # ── the thread that renews ──

    def _keep_renewing(self) -> None:
        answered = True
        while not self._closing.wait(BEAT_SECONDS - boot_age(self._renewed_at) if answered else _RETRY_SECONDS):
            if boot_age(self._renewed_at) > FREEZE_SECONDS:
                # we were stopped, or the machine was: freeze first, ask then
                self._is_frozen.wait(_ANSWER_SECONDS)
            answered = self._renew()
            if self.lost is not None:
                if not self._closing.is_set():
                    self._say(guard.LOST)
                    self._tree.kill()
                    self._wake()
                return

    def _renew(self) -> bool:
        """Ask the hub once; return whether it answered."""
        asked_at = guard.boot_time()
        try:
            is_ours = self._renewal.renew()
        except Exception:  # whatever it was, the hub did not answer, and this thread goes on
            return False
        if self._closing.is_set():
            return True  # it may have been released meanwhile
        if not is_ours:
            self.lost = self._renewal.why_lost()
        elif boot_age(asked_at) < FREEZE_SECONDS:  # otherwise we were stopped meanwhile, and ask again
            self._renewed_at = asked_at
            self._note_thaw()
            self._say(f"{guard.RENEWED} {asked_at!r}")
        return True

    # ── the thread that serves the guard ──

    def _keep_guarding(self) -> None:
        while not self._closing.is_set():
            try:
                self._serve_guard()
            except Exception:  # no process or descriptor is to be had at the moment; without us, nothing freezes
                if self._closing.wait(_RETRY_SECONDS):
                    return
            self._look_at_worker()
            self._reap()

    def _serve_guard(self) -> None:
        assert self._socket is not None
        ready, _, _ = select.select([self._socket], [], [], _LOOK_SECONDS)
        if ready:
            if not self._hear():
                self._replace_guard()
        elif self._asked_at is not None and time.monotonic() - self._asked_at > _ANSWER_SECONDS:
            if time.monotonic() - self._looked_at < _ANSWER_SECONDS / 2:  # we were not stopped ourselves
                self._replace_guard()
            else:
                self._asked_at = time.monotonic()
        elif self._asked_at is None:
            self._asked_at = time.monotonic()
            self._say(guard.ASK)

    def _hear(self) -> bool:
        """Take in what the guard says; False when it is dead."""
        assert self._socket is not None
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            word, _, rest = line.decode().partition(" ")
            if word == guard.HERE:
                self._asked_at = None
            elif word == guard.FREEZING:
                self._frozen.append(rest)
            elif word == guard.FROZEN:
                self._note_freeze(float(rest))
            elif word == guard.THAWED:
                self._note_thaw()
                self._frozen.clear()
        return bool(data)

    def _replace_guard(self) -> None:
        assert self._guard is not None
        assert self._socket is not None
        before = self._socket
        self._guard.kill()  # it may be stopped
        self._guard.wait()
        self._tree.others.discard(self._guard.pid)
        self._start_guard()  # where no descriptor is free, the socket of before reports its dead guard again
        before.close()

    def _note_freeze(self, since: float) -> None:
        with self._state_lock:
            if self._frozen_since is None and since != self._last_freeze:  # the same one is reported again and again
                self._frozen_since = self._last_freeze = since
                began = time.time() - (time.monotonic() - since)
                self._write(self._state._replace(frozen_since=began, freezes=self._state.freezes + 1, why=self._why()))
        self._is_frozen.set()

    def _note_thaw(self) -> None:
        """Write down the frozen time; called before the guard thaws, because the recorder reads it then."""
        with self._state_lock:
            if self._frozen_since is not None:
                now = time.monotonic()
                seconds = now - max(self._frozen_since, self._counted_until)
                self._frozen_since, self._counted_until = None, now
                self.thawed_at = time.time()
                self._is_frozen.clear()
                self._write(self._state._replace(frozen=self._state.frozen + seconds, frozen_since=None))

    def _write(self, state: LeaseState) -> None:
        self._state = state
        with suppress(LionError, OSError):  # the folder was removed, or the disk is full
            write_lease_state(self._folder, state)

    def _why(self) -> str:
        was_stopped = time.monotonic() - self._looked_at > FREEZE_SECONDS / 2
        return self.lost or (_STOPPED if was_stopped else _HUB_SILENT)

    def _look_at_worker(self) -> None:
        """Only what we have watched without a pause counts: we may have been stopped while the worker was not."""
        now = time.monotonic()
        paused = now - self._looked_at > GONE_SECONDS / 2
        self._looked_at = now
        if lock_state(self._lease.worker_lock) not in ("free", "absent"):
            self._gone_since = None
        elif self._gone_since is None or paused:
            self._gone_since = now
        elif now - self._gone_since >= GONE_SECONDS and self.released is None:
            self.released = f"the worker was gone for {now - self._gone_since:.0f} s"
            self._wake()

    def _reap(self) -> None:
        """Reap the orphans that we adopted."""
        with suppress(ChildProcessError):
            while True:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is None or ended.si_pid in (self._agent, *self._tree.others):
                    return
                os.waitpid(ended.si_pid, os.WNOHANG)

    def _say(self, line: str) -> None:
        if self._socket is not None:
            with suppress(OSError):  # it is dead, which the next look tells
                self._socket.send(line.encode() + b"\n")


def boot_age(moment: float) -> float:
    return guard.boot_time() - moment


def _end_orphans(session_id: str) -> bool:
    """Kill what a supervisor left that was killed with its guard, frozen or not; return whether there was anything."""
    path = _find_cgroup(session_id)
    tree = guard.Tree(None, session_id, guard.Cgroup(path) if path is not None and os.path.isdir(path) else None)
    if not tree.processes():
        return False
    tree.kill()
    return True


def _make_cgroup(session_id: str) -> guard.Cgroup | None:
    """Make a cgroup below our own that can be frozen; None where we may not."""
    path = _find_cgroup(session_id)
    if path is None or os.environ.get("LIONAGI_TEST_FREEZER") == "signals":
        return None
    cgroup = guard.Cgroup(path)
    with suppress(OSError):
        os.makedirs(path, exist_ok=True)
        if all(os.access(f"{path}/{name}", os.W_OK) for name in ("cgroup.procs", "cgroup.freeze")):
            return cgroup
        cgroup.remove()
    return None


def _find_cgroup(session_id: str) -> str | None:
    """Return the place for the cgroup of a session, where the system has cgroups of version 2."""
    with suppress(OSError):
        with open("/proc/self/mountinfo", encoding="utf-8") as file:
            mounts = [line.split() for line in file if " - cgroup2 " in line]
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            own = [line.strip().removeprefix("0::") for line in file if line.startswith("0::/")]
        for _, _, _, root, place, *_ in mounts if own else ():
            below = os.path.relpath(own[0], root)
            if not below.startswith(".."):
                return os.path.normpath(os.path.join(place, below, f"lion-{session_id}"))
    return None
