"""The guard of a lease: a process beside the supervisor that freezes the agent when the lease is not renewed.

    supervisor          renews the lease and tells the guard when (`lease.py`)
    ├─ guard            looks at the clock ten times a second; not in the agent's tree
    └─ recorder, watchdog, agent, …       the tree: what is frozen, thawed and killed

The guard decides alone, so that a supervisor that is stopped or hangs cannot keep an agent awake. It counts
CLOCK_BOOTTIME from before the last successful request. It thaws when it hears of a renewal, and kills the tree when the
supervisor is dead. The supervisor adopts orphans, so that no process leaves the tree while it lives; afterwards the
mark in the environment and what the guard saw last must do. Where a cgroup (version 2) can be made, it freezes and
kills at once; elsewhere SIGSTOP is sent until nothing new appears.

A machine that is frozen as a whole and thawed (a virtual machine that is paused, SIGSTOP to everything) wakes the agent
together with the guard: it is awake until the guard has looked at the clock, some milliseconds on an idle machine and
at most a tick where no clock of the machine counted the pause. Who kills the guard and stops the supervisor at the
same time is not stopped by anything here.

It imports nothing but built-in modules, so that it starts in about ten milliseconds.
"""

from __future__ import annotations

import _socket as socket
import os
import select
import sys
import time

TYPE_CHECKING = False  # as in watchdog_process: typing and enums would double the time of the start
if TYPE_CHECKING:
    import signal
    from collections.abc import Collection, Iterable
    from typing import NoReturn
else:
    import _signal as signal

# Lines from the supervisor: a renewal and its time, a question whether we are there, the order is lost, the end.
RENEWED, ASK, LOST, QUIT = "renewed", "ask", "lost", "quit"
# Lines to the supervisor: we are there, a process is frozen next, all are frozen since, all are thawed.
HERE, FREEZING, FROZEN, THAWED = "here", "freezing", "frozen", "thawed"

_AGAIN_SECONDS = 0.3  # between two looks at a frozen tree
_WALK_SECONDS = 0.5  # between two looks at the tree, for the time when the supervisor is dead
_PAUSE_SECONDS = 1.0  # between two ticks: longer ones are pauses of the machine
_KILL_ROUND_SECONDS = 0.01
_FREEZE_SECONDS = 0.2
_STUCK_SECONDS = 10.0  # after KILL: stuck in the kernel, no signal can end it
_QUIET_ROUNDS = 2  # looks in a row that find nothing awake
_CATCH_SECONDS = 0.3  # without a new process of the session, when only a look at all processes finds them
_MOST_CATCH_SECONDS = 3.0
_NEWEST = 40  # processes: among them is one that was started a moment ago
_MOST_PIDS = 1 << 22  # of any Linux
_MOST_ROUNDS = 500  # of a tree that always grows; the next tick goes on
_MOST_WAKES = 3  # of a frozen process; then it is ended, because a timer can send it SIGCONT all the time
_MARK = b"LIONAGI_SESSION_ID="
_OPTION = b"--session-id"
_IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)  # our end is the supervisor's
_PR_SET_DUMPABLE = 4

Process = tuple[int, int]  # the pid and the start ticks: together they are unique


GUARD_CODE = "import sys; sys.path.append(sys.argv[1]); import guard_process; guard_process.main(*sys.argv[2:])"


def main(
    descriptor: str, supervisor: str, session_id: str, cgroup: str, freeze: str, tick: str, others: str, *known: str
) -> NoReturn:
    """Guard the tree of a supervisor, our parent; `known` is what a guard before us has frozen, the time first."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _be_private_and_quick()
    others_of_it = {int(pid) for pid in others.split()}
    tree = Tree(process_of(supervisor), session_id, Cgroup(cgroup) if cgroup else None, others_of_it)
    guard = AgentGuard(socket.socket(fileno=int(descriptor)), tree, float(freeze), float(tick))
    if known:
        guard.adopt(float(known[0]), [process_of(text) for text in known[1:]])
    guard.run()
    os._exit(0)


def boot_time() -> float:
    """Seconds since the machine started, with those in which it slept."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Cgroup:
    """A cgroup of version 2 that holds the tree and nothing else."""

    def __init__(self, path: str) -> None:
        self.path = path

    def enter(self) -> None:
        self._write("cgroup.procs", "0")

    def freeze(self) -> None:
        if not self._is_frozen():
            self._write("cgroup.freeze", "1")
            deadline = time.monotonic() + _FREEZE_SECONDS  # one that waits in the kernel is frozen before it goes on
            while not self._is_frozen() and time.monotonic() < deadline:
                time.sleep(0.001)

    def thaw(self) -> None:
        self._write("cgroup.freeze", "0")

    def kill(self) -> bool:
        return self._write("cgroup.kill", "1")

    def pids(self) -> list[int]:
        """All in it; a program may have made cgroups below."""
        members = []
        for folder, _, names in os.walk(self.path):
            if "cgroup.procs" in names:
                try:
                    with open(f"{folder}/cgroup.procs", "rb", 0) as file:
                        members += [int(pid) for pid in file.read().split()]
                except (OSError, ValueError):
                    continue
        return [pid for pid in members if pid]

    def _is_frozen(self) -> bool:
        try:
            with open(f"{self.path}/cgroup.events", "rb", 0) as file:
                return b"frozen 1" in file.read()
        except OSError:
            return True  # it is gone, and all in it

    def remove(self) -> None:
        for folder, _, _ in os.walk(self.path, topdown=False):
            try:  # noqa: SIM105
                os.rmdir(folder)
            except OSError:
                pass  # something is in it, or it is gone

    def _write(self, name: str, value: str) -> bool:
        try:
            with open(f"{self.path}/{name}", "w", encoding="ascii") as file:
                file.write(value)
        except OSError:
            return False
        return True


class Tree:
    """Everything below a supervisor, but its guard and other children that it names."""

    def __init__(
        self, supervisor: Process | None, session_id: str, cgroup: Cgroup | None, others: Iterable[int] = ()
    ) -> None:
        """Without a supervisor, it is dead: the tree is what names the session."""
        self.cgroup = cgroup
        self.is_orphaned = supervisor is None
        self.others = set(others)
        self._supervisor = supervisor or (0, 0)
        self._session_id = session_id.encode()
        self._seen: dict[int, int] = {}  # while the supervisor lived: start ticks by pid

    def processes(self) -> dict[int, int]:
        """The live processes and their start ticks, a parent before its children.

        Each is proven: it is a child of one that is proven, names the session, or is in its cgroup. Our own parent is
        never taken for the supervisor by its number alone, because the process that adopts us has everything below it.
        """
        alive: dict[int, int] = {}
        if self._is_supervised():
            alive = _below({self._supervisor[0]: self._supervisor[1]}, {os.getpid(), *self.others})
            del alive[self._supervisor[0]]
        if not self._is_supervised():  # perhaps since we began to look: then nothing of it counts
            self.is_orphaned = True
            roots = {pid: ticks for pid, ticks in self._seen.items() if _ticks(pid) == ticks}
            alive = _below({**roots, **self._marked()}, {os.getpid()})
        for pid in self.cgroup.pids() if self.cgroup is not None else ():
            if pid not in alive and (ticks := _ticks(pid)) is not None and pid != os.getpid():
                alive[pid] = ticks
        self._seen = {**self._seen, **alive} if self.is_orphaned else alive
        return alive

    def _is_supervised(self) -> bool:
        """Whether the supervisor lives: we are it, or its child."""
        pid, ticks = self._supervisor
        return not self.is_orphaned and pid > 1 and pid in (os.getpid(), os.getppid()) and _ticks(pid) == ticks

    def _marked(self) -> dict[int, int]:
        """Processes that name the session in their environment, or the recorder in its arguments."""
        return {pid: ticks for pid in _newest_first() if (ticks := _ticks(pid)) is not None and self._is_marked(pid)}

    def _is_marked(self, pid: int) -> bool:
        environ = _read(f"/proc/{pid}/environ").split(b"\0")
        words = _read(f"/proc/{pid}/cmdline").split(b"\0") if environ == [b""] else []
        named = _OPTION in words[:-1] and words[words.index(_OPTION) + 1] == self._session_id
        return _MARK + self._session_id in environ or (named and _is_of_our_user(pid))

    def _stop_marked(self) -> None:
        """Stop orphans while they are found: one that forks and exits is another one after a look at all."""
        began = caught = now = time.monotonic()
        count = None
        while now - caught < _CATCH_SECONDS and now - began < _MOST_CATCH_SECONDS:
            for pid in _newest_first()[:count]:
                state, ticks, _ = _stat(pid)
                if state not in b"TtXZ" and self._is_marked(pid):
                    send((pid, ticks), signal.SIGSTOP)
                    caught = time.monotonic()
            count, now = _NEWEST, time.monotonic()

    def awake(self, stopping: Collection[Process] = ()) -> list[Process]:
        """Those that run: neither stopped nor frozen with their cgroup.

        One of `stopping` that waits in the kernel, or whose first thread has ended, does not show that it is stopped.
        """
        members: set[int] = set()  # by its own list: a program can make a cgroup of the same name elsewhere
        if self.cgroup is not None:
            self.cgroup.freeze()
            members.update(self.cgroup.pids())
        awake = []
        for pid, ticks in self.processes().items():
            state = _stat(pid)[0]
            if state in b"TtX" or (state in b"DZ" and (pid, ticks) in stopping):
                continue
            if pid not in members:
                awake.append((pid, ticks))
        return awake

    def kill(self) -> bool:
        """Kill everything, children before parents, and stopped before: nothing can fork or wake another meanwhile.

        A stopped process is woken by the kernel when its parent ends and its group has none left; so SIGKILL is sent
        to it before.
        """
        deadline = time.monotonic() + _STUCK_SECONDS
        quiet = 0
        while quiet < _QUIET_ROUNDS and time.monotonic() < deadline:
            if self.cgroup is None or not self.cgroup.kill():
                stopped: set[Process] = set()
                if self.is_orphaned:
                    self._stop_marked()
                for _ in range(_QUIET_ROUNDS):
                    for process in self.awake(stopped):
                        send(process, signal.SIGSTOP)
                        stopped.add(process)
            alive = list(self.processes().items())
            for process in reversed(alive):
                send(process, signal.SIGKILL)
            quiet = 0 if alive else quiet + 1
            time.sleep(_KILL_ROUND_SECONDS)
        if self.cgroup is not None:
            self.cgroup.remove()
        return quiet >= _QUIET_ROUNDS


class AgentGuard:
    """Freezes and thaws a tree by the clock, and ends it with its supervisor."""

    def __init__(self, supervisor: socket.socket, tree: Tree, freeze: float, tick: float) -> None:
        self._socket, self._tree = supervisor, tree
        self._freeze_seconds, self._tick = freeze, tick
        self._renewed_at = float("-inf")  # until the first renewal nothing may run
        self._lost = False
        self._frozen: dict[Process, None] = {}  # in the order in which they were frozen
        self._frozen_at: float | None = None  # by CLOCK_MONOTONIC, as the limits of a run
        self._wakes: dict[Process, int] = {}  # the looks that found a frozen process awake
        self._lines = b""
        self._ticked_at = time.monotonic()
        self._walked_at = 0.0

    def adopt(self, since: float, frozen: Iterable[Process]) -> None:
        """Go on for a guard that was killed."""
        self._frozen_at, self._frozen = since, dict.fromkeys(frozen)

    def run(self) -> None:
        poll = select.poll()
        poll.register(self._socket.fileno(), select.POLLIN)
        while True:
            events = poll.poll(self._tick * 1000)
            if events and not self._receive():
                return
            self.look()

    def look(self) -> None:
        """Freeze or thaw, by the clock; called in every tick."""
        now = time.monotonic()
        if self._lost or boot_time() - self._renewed_at > self._freeze_seconds:
            self._freeze(now)
        elif self._frozen_at is not None:
            self._thaw()
        elif now - self._walked_at > _WALK_SECONDS:
            self._walked_at = now
            self._tree.processes()  # remembers them
        self._ticked_at = time.monotonic()

    def _receive(self) -> bool:
        """Take in what the supervisor says; False when nothing is left to do."""
        try:
            data = self._socket.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._tree.is_orphaned = True
            self._tree.kill()
            return False
        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            word, _, rest = line.decode().partition(" ")
            if word == RENEWED:
                self._renewed_at = max(self._renewed_at, float(rest))
            elif word == LOST:
                self._lost = True
            elif word == QUIT:
                return False
            elif word == ASK:
                self._say(HERE, rest)
        return True

    def _freeze(self, now: float) -> None:
        since = self._frozen_at
        if since is None:
            # a pause of the machine, or of us all, is part of the time
            since = self._ticked_at if now - self._ticked_at > _PAUSE_SECONDS else now
            self._frozen_at = since
        elif now - self._walked_at < _AGAIN_SECONDS:
            return  # few wake by themselves, so a look now and then, and one after each pause, is enough
        quiet = rounds = 0
        while quiet < _QUIET_ROUNDS and rounds < _MOST_ROUNDS:
            awake = self._tree.awake(self._frozen)
            for process in awake:
                if process not in self._frozen:
                    self._frozen[process] = None
                    self._say(FREEZING, text_of(process))
                elif rounds == 0:
                    self._wakes[process] = self._wakes.get(process, 0) + 1
                is_ended = self._wakes.get(process, 0) >= _MOST_WAKES
                send(process, signal.SIGKILL if is_ended else signal.SIGSTOP)
            # the kernel stops a process at once, but one on another processor only in a moment
            quiet = 0 if awake else quiet + 1
            rounds += 1
        if quiet:
            self._walked_at = now
            self._say(FROZEN, str(since))

    def _thaw(self) -> None:
        """Wake exactly those that we have stopped, children first: then no parent sees a stopped child."""
        for process in reversed(self._frozen):
            send(process, signal.SIGCONT)
        if self._tree.cgroup is not None:
            self._tree.cgroup.thaw()
        self._frozen.clear()
        self._wakes.clear()
        self._frozen_at = None
        self._say(THAWED)

    def _say(self, word: str, rest: str = "") -> None:
        try:  # noqa: SIM105
            self._socket.send(f"{word} {rest}\n".encode(), socket.MSG_DONTWAIT)
        except OSError:
            pass  # it is dead, which the next read tells, or stopped and does not read


def text_of(process: Process) -> str:
    return f"{process[0]}:{process[1]}"


def find_process(pid: int) -> Process:
    return pid, _ticks(pid) or 0


def process_of(text: str) -> Process:
    pid, _, ticks = text.partition(":")
    return int(pid), int(ticks)


def send(process: Process, number: int) -> None:
    """Signal a process, never another one that has its pid now."""
    pid, ticks = process
    if pid <= 1 or pid == os.getpid():
        return
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        return
    try:
        if _ticks(pid) == ticks:
            signal.pidfd_send_signal(descriptor, number)
    except OSError:
        pass  # it has just ended, or belongs to another user
    finally:
        os.close(descriptor)


def _stat(pid: int) -> tuple[bytes, int, int]:
    """The state, the start ticks and the parent; state X for one that has ended: its first thread may be a zombie."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) <= 19 or (fields[0] == b"Z" and int(fields[17]) <= 1):
        return b"X", 0, 0
    return fields[0], int(fields[19]), int(fields[1])


def _ticks(pid: int) -> int | None:
    """None for one that has ended."""
    state, ticks, _ = _stat(pid)
    return None if state == b"X" else ticks


def _below(roots: dict[int, int], without: Collection[int]) -> dict[int, int]:
    """These and all descendants with their start ticks, a parent before its children.

    Reading down is cheaper than reading every process. A process counts only while it says itself whose child it is:
    its pid may have passed to another one since it was listed.
    """
    tree = dict(roots)
    queue = list(roots)
    for parent in queue:
        for pid in children_of(parent):
            state, ticks, of = _stat(pid)
            if state != b"X" and of == parent and pid > 1 and pid not in tree and pid not in without:
                tree[pid] = ticks
                queue.append(pid)
    return tree


def _is_of_our_user(pid: int) -> bool:
    """Others can name a session too: they read it in our arguments. Its files show root as owner, so it is asked."""
    fields = _read(f"/proc/{pid}/status").partition(b"\nUid:")[2].split(None, 1)
    return bool(fields) and int(fields[0]) == os.geteuid()


def _newest_first() -> list[int]:
    """All processes but the first one and us; the newest has the least time before it is another one."""
    pids = {int(name) for name in os.listdir("/proc") if name.isdigit()} - {1, os.getpid()}
    last = (_read("/proc/loadavg").split() or [b"0"])[-1]
    return by_age(pids, int(last))


def by_age(pids: Iterable[int], last: int) -> list[int]:
    """Sort pids, the newest first: they are given in turn up to `last`, after the largest from the smallest again."""
    return sorted(pids, key=lambda pid: (last - pid) % _MOST_PIDS)


def children_of(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    children: list[int] = []
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb", 0) as file:
                children += map(int, file.read().split())
        except OSError:
            if not _HAS_LISTS:
                return [child for child, parent in _all_parents().items() if parent == pid]
    return children


_HAS_LISTS = os.path.exists("/proc/thread-self/children")  # not in every kernel


def _all_parents() -> dict[int, int]:
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            fields = _read(f"/proc/{name}/stat").rpartition(b")")[2].split(None, 2)
            if len(fields) > 1:
                parents[int(name)] = int(fields[1])
    return parents


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", 0) as file:
            return file.read()
    except OSError:
        return b""


def _be_private_and_quick() -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    try:  # noqa: SIM105
        os.nice(-10)  # it must run before the agent, after a pause of the machine
    except OSError:
        pass  # not as root
