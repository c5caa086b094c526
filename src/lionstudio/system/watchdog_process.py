"""The watchdog process. It imports nothing but built-in modules, so that it starts in about ten milliseconds.

    owner            records a run or directs a show; it starts the watchdog (`watchdog.py`)
    └─ watchdog      forks one guard per program; when the owner is killed, it runs the owner's last command
       └─ guard      starts one program, adopts every orphan below it, and ends them all
          └─ program and everything it starts

Each level learns of the death of another by a socket that the kernel closes, so `kill -9` of any one of them is
noticed at once: without its owner a guard ends its tree; without its guard a program is killed by the kernel, and the
watchdog, the next to adopt orphans, ends the rest. Where the system has no /proc, a tree is a process group.
"""

from __future__ import annotations

import _socket as socket
import errno
import marshal
import os
import select
import sys
import time

TYPE_CHECKING = False  # typing, and the enums of signal and socket, would double the time of the start
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Mapping
    from typing import NoReturn
else:
    import _signal as signal

# Messages of the owner: a kind, the length of what follows, and for START the descriptors.
HEADER = 5
START, LAST_COMMAND, RELEASE, END, SUSPEND, RESUME = b"S", b"L", b"R", b"E", b"Z", b"C"
CLOSE_INPUT = b"I"
DESCRIPTORS = 5  # standard input, output and error, the guard's own socket, and perhaps the other end of the input
# Reports of a guard, one line each.
STARTED, FAILED, EXITED = "started", "failed", "exited"

_OWNER_KILLED_GRACE = 2.0  # between TERM and KILL when nothing records the program any more
_STUCK_SECONDS = 10.0  # after KILL: stuck in the kernel, no signal can end it
_POLL_SECONDS = 0.02
_FD = 4
_LINUX = sys.platform == "linux"
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "loongarch64": 219, "ppc64le": 271, "s390x": 280}
_JOIN_SESSION_KEYRING = 1
_IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)  # our end is the owner's


def main(descriptor: int, *kept: int) -> NoReturn:
    """Serve the owner on a socket; the other descriptors are only kept open, by the guards too."""
    for inherited in kept:
        os.set_inheritable(inherited, False)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    WatchdogProcess(socket.socket(fileno=descriptor)).run()
    os._exit(0)


class WatchdogProcess:
    def __init__(self, owner: socket.socket) -> None:
        self._owner = owner
        self._guards: set[int] = set()
        self._last: tuple[list[str], Mapping[str, str]] | None = None
        self._strays = False  # a guard was killed: its program's children are ours now
        adopt_orphans()
        self._wakeup = _watch_children()

    def run(self) -> None:
        poll = select.poll()
        poll.register(self._owner.fileno(), select.POLLIN)
        poll.register(self._wakeup, select.POLLIN)
        while True:
            ready = [descriptor for descriptor, _ in poll.poll(_POLL_SECONDS * 1000 if self._strays else None)]
            if self._wakeup in ready or self._strays:
                self._reap()
            if self._owner.fileno() in ready:
                kind = self._receive()
                if kind == RELEASE:
                    return
                if kind is None:
                    break
        self._owner_died()

    def _receive(self) -> bytes | None:
        """Carry out the owner's next message; None when the owner is gone."""
        try:
            header, ancillary, _, _ = self._owner.recvmsg(HEADER, socket.CMSG_SPACE(DESCRIPTORS * _FD))
            header += _read(self._owner, HEADER - len(header)) if header else b""
            if not header:
                return None
            body = _read(self._owner, int.from_bytes(header[1:], "big"))
        except OSError:
            return None
        kind = header[:1]
        if kind == START:
            self._fork_guard(_descriptors(ancillary))
        elif kind == LAST_COMMAND:
            self._last = marshal.loads(body)  # noqa: S302  (from our own owner)
        return kind

    def _fork_guard(self, descriptors: list[int]) -> None:
        pid = os.fork()
        if pid == 0:
            try:
                self._owner.close()
                parent, last = os.getppid(), self._last
                Guard(descriptors).run()
                if last and _is_orphaned(parent):  # the watchdog was killed too: its task is ours
                    _run(*last)
            finally:
                os._exit(0)
        self._guards.add(pid)
        for descriptor in descriptors:
            os.close(descriptor)

    def _reap(self) -> None:
        self._reap_guards()
        if self._strays:
            # every child that is not a guard is an orphan of a killed one
            self._strays = _kill_children(lambda: _children() - self._guards, self._reap_guards)

    def _reap_guards(self) -> None:
        for pid, status in _reap_children(self._wakeup):
            if pid in self._guards:
                self._guards.discard(pid)
                self._strays = self._strays or status != 0

    def _owner_died(self) -> None:
        deadline = time.monotonic() + _OWNER_KILLED_GRACE + _STUCK_SECONDS
        while (self._guards or self._strays) and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            self._reap()
        if self._last:
            _run(*self._last)


class Guard:
    """Runs one program to its end and ends everything it started."""

    def __init__(self, descriptors: list[int]) -> None:
        # it holds the other end of the input: the death of the owner ends the program, never its input alone
        *self._streams, control = descriptors[:4]
        self._input = descriptors[4:]
        self._owner = socket.socket(fileno=control)
        self._root = 0
        self._confined = False  # the root is bwrap: when it ends, the kernel kills the program without a grace period
        self._deadline: float | None = None  # when TERM becomes KILL; None: not ending
        self._signalled: set[int] = set()
        adopt_orphans()
        self._wakeup = _watch_children()

    def run(self) -> None:
        try:
            argv, cwd, env, self._confined = marshal.loads(self._receive_body())  # noqa: S302
        except (OSError, EOFError, ValueError):
            return  # the owner died before it had said everything
        self._root, error = self._start(argv, cwd, env)
        if error:
            self._report(FAILED, error)
            return
        for descriptor in self._streams:
            os.close(descriptor)
        self._report(STARTED, self._root)
        poll = select.poll()
        poll.register(self._owner.fileno(), select.POLLIN)
        poll.register(self._wakeup, select.POLLIN)
        while self._deadline is None or self._end_round():
            ready = [item for item, _ in poll.poll(None if self._deadline is None else _POLL_SECONDS * 1000)]
            if self._wakeup in ready:
                self._reap()
            if self._owner.fileno() in ready and not self._obey():
                poll.unregister(self._owner.fileno())
        self._reap()

    def _receive_body(self) -> bytes:
        return _read(self._owner, int.from_bytes(_read(self._owner, HEADER)[1:], "big"))

    def _start(self, argv: list[str], cwd: str, env: Mapping[str, str]) -> tuple[int, int]:
        """Return the pid and 0, or the error number of a program that cannot be started."""
        reading, writing = os.pipe()  # closed by exec
        guard, pid = os.getpid(), os.fork()
        if pid == 0:
            number = errno.EINVAL
            try:
                self._become_program(argv, cwd, env, guard)
            except OSError as error:
                number = error.errno or number
            finally:
                os.write(writing, number.to_bytes(4, "big"))
                os._exit(127)
        os.close(writing)
        failure = os.read(reading, 4)
        os.close(reading)
        return pid, int.from_bytes(failure, "big")

    def _become_program(self, argv: list[str], cwd: str, env: Mapping[str, str], guard: int) -> None:
        die_with_parent(guard)
        os.setsid()  # its own group, so that the terminal's Ctrl-C reaches only the owner
        signal.set_wakeup_fd(-1)
        for number in (*_IGNORED, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        for target, descriptor in enumerate(self._streams):
            os.dup2(descriptor, target)
        if self._confined:
            _leave_session_keyring()
        os.chdir(cwd)
        os.execvpe(argv[0], argv, dict(env))

    def _report(self, kind: str, number: int) -> None:
        try:  # noqa: SIM105  (contextlib would cost the start a millisecond)
            self._owner.sendall(f"{kind} {number}\n".encode())
        except OSError:
            pass  # the owner died; the next read says so

    def _obey(self) -> bool:
        """Carry out the owner's next message; False when the owner is gone."""
        try:
            header = _read(self._owner, HEADER)
        except (OSError, EOFError):
            self._end_within(_OWNER_KILLED_GRACE)
            return False
        kind, number = header[:1], int.from_bytes(header[1:], "big")
        if kind == END:
            self._end_within(number / 1000)
        elif kind == CLOSE_INPUT:
            while self._input:
                os.close(self._input.pop())
        elif kind in (SUSPEND, RESUME):
            _signal_all(self._members(), signal.SIGSTOP if kind == SUSPEND else signal.SIGCONT)
        return True

    def _end_within(self, grace: float) -> None:
        self._deadline = time.monotonic() + grace

    def _end_round(self) -> bool:
        """Signal what is alive of the tree, in every round again because it may grow; False when nothing is."""
        assert self._deadline is not None
        # Only the kernel knows: a process that forks and exits all the time is in no list of processes.
        if _LINUX and not _has_children():
            return False  # the usual end of a program, and a look at every process of the machine less
        members = self._members()
        if time.monotonic() >= self._deadline:
            _signal_all(members, signal.SIGKILL)
            if _LINUX:
                _kill_children(_children, self._reap)
        else:
            asked = members - self._signalled - ({self._root} if self._confined else set())
            _signal_all(asked, signal.SIGTERM)
            _signal_all(asked, signal.SIGCONT)  # a stopped process must run to end
        self._signalled |= members
        alive = _has_children() if _LINUX else bool(members)
        return alive and time.monotonic() < self._deadline + _STUCK_SECONDS

    def _members(self) -> set[int]:
        """Everything below the guard: an orphan cannot leave it."""
        if not _LINUX:
            return {-self._root} if _group_exists(self._root) else set()
        return _descendants({os.getpid()}, _parents()) | _children()

    def _reap(self) -> None:
        for pid, status in _reap_children(self._wakeup):
            if pid == self._root:
                self._report(EXITED, os.waitstatus_to_exitcode(status))


def _read(source: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = source.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _descriptors(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    numbers = b"".join(data for _, _, data in ancillary)
    descriptors = [int.from_bytes(numbers[at : at + _FD], sys.byteorder) for at in range(0, len(numbers), _FD)]
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    return descriptors


def _prctl() -> Callable[..., int]:
    import ctypes

    return ctypes.CDLL(None).prctl


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent dies, and keep our memory from them."""
    if _LINUX:
        _prctl()(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    make_memory_private()


def make_memory_private() -> None:
    """Keep /proc/<pid>/environ and mem of this process from others of the same user, who run agents and gates.

    Only root can read them then, and attach a debugger; a program that we start is not affected.
    """
    if _LINUX:
        _prctl()(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    if _LINUX:
        _prctl()(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:
            os._exit(127)  # it died before we asked


def _leave_session_keyring() -> None:
    """Get an empty one: no namespace hides the keys of the user's session (tickets, disk keys) from its programs."""
    number = _KEYCTL.get(os.uname().machine) if _LINUX and sys.maxsize > 2**32 else None
    if number is None:
        return
    import ctypes

    joined = ctypes.CDLL(None, use_errno=True).syscall(number, _JOIN_SESSION_KEYRING, None)
    # a kernel or a container without keyrings has none to hide
    if joined == -1 and ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM, errno.EACCES):
        raise OSError(ctypes.get_errno(), "cannot leave the session keyring")


def _is_orphaned(parent: int) -> bool:
    return os.getppid() != parent


def _watch_children() -> int:
    """Return a descriptor that becomes readable when a child ends."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reading


def _reap_children(wakeup: int) -> list[tuple[int, int]]:
    try:  # noqa: SIM105
        os.read(wakeup, 4096)
    except BlockingIOError:
        pass
    ended = []
    try:
        while (child := os.waitpid(-1, os.WNOHANG))[0]:
            ended.append(child)
    except ChildProcessError:
        pass
    return ended


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _children() -> set[int]:
    """Return our children, also the ended ones that we have not reaped: until then no other process gets their pids."""
    try:
        with open("/proc/thread-self/children", "rb", 0) as file:
            return {int(pid) for pid in file.read().split()}
    except OSError:  # a kernel without this list
        return {pid for pid, parent in _parents().items() if parent == os.getpid()}


def _kill_children(children: Callable[[], set[int]], reap: Callable[[], None]) -> bool:
    """Kill and reap children for a moment, and the orphans that this makes our children; tell whether some are left.

    A process that forks and exits within a millisecond is caught only by many rounds, each as short as this.
    """
    killed: set[int] = set()
    end = time.monotonic() + _POLL_SECONDS
    while (alive := children()) and time.monotonic() < end:
        if alive <= killed:
            time.sleep(0.001)  # they are ending, or stuck in the kernel
        _signal_all(alive, signal.SIGKILL)
        killed |= alive
        reap()
    return bool(alive)


def _parents() -> dict[int, int]:
    """Return the parent of every live process."""
    parents = {}
    for name in os.listdir("/proc") if _LINUX else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb", 0) as file:
                    fields = file.read(512).rpartition(b")")[2].split(None, 18)
            except OSError:
                continue
            # The first thread of a process may end, and show as Z, while the others still run.
            if fields[0] not in (b"Z", b"X") or int(fields[20 - 3]) > 1:
                parents[int(name)] = int(fields[1])
    return parents


def _descendants(roots: set[int], parents: dict[int, int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    descendants: set[int] = set()
    queue = list(roots)
    while queue:
        fresh = set(children.get(queue.pop(), ())) - descendants
        descendants |= fresh
        queue += fresh
    return descendants


def _group_exists(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except OSError:
        return False
    return True


def _signal_all(pids: set[int], number: int) -> None:
    for pid in pids:
        try:  # noqa: SIM105
            os.kill(pid, number)
        except OSError:
            pass  # it has just ended, or belongs to another user


def _run(argv: list[str], env: Mapping[str, str]) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            for number in (*_IGNORED, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            os.execvpe(argv[0], argv, dict(env))
        finally:
            os._exit(127)
    while True:
        try:
            if os.waitpid(pid, 0)[0] == pid:
                return
        except ChildProcessError:
            return
