"""Who owns a run, and whether that process is alive, dead or unknown.

Dead needs proof: every doubt is "unknown", because a run that is called dead gets written off.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from contextlib import ExitStack, suppress
from functools import cache
from stat import S_ISREG
from typing import Any, NamedTuple

from lionstudio.errors import Busy, InvalidInput, NotFound, StorageFailed

__all__ = ["Liveness", "Owner", "RunLock", "identify", "liveness", "signal_owner"]

_LINUX = sys.platform.startswith("linux")
_HELD_S = 0.05  # a holder that lets go just now is worth this wait
_LOOKED_AT_S = 5.0  # nobody holds it; on a loaded machine many looks overlap for long
_RETRY_S = 0.001
# A link or a FIFO planted at the path must neither lead elsewhere nor let the open hang.
_OPEN_SAFELY: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Owner(NamedTuple):
    """A process as it is recorded with its run; `pid` and `start_ticks` count in the two namespaces."""

    pid: int
    start_ticks: int | None
    boot_id: str | None
    machine_id: str | None
    pid_ns: int | None
    time_ns: int | None
    host: str | None
    lock_path: str | None


class Liveness(NamedTuple):
    """`alive`, `dead` or `unknown`, and the sentences that it rests on."""

    answer: str
    evidence: tuple[str, ...]


# Plain tuples, because each class costs the start of every command a fraction of a millisecond.
_Fact = tuple[str, str]  # the name of a row or a column below, and the sentence about it
_Seen = tuple[str, int | None]  # what has a pid now: "gone", "zombie", "there" or why it is hidden; its start

# What is known of the lock (rows) and of the process (columns).
#   held      outweighs everything: it reaches    same      the pid is the owner, by its start ticks
#             across namespaces                   gone      no such pid in our own namespace, or a zombie
#   free      anybody may take it now             reused    the pid is another process
#   absent    nobody can hold a missing file,     moved     the start differs, but by a clock that may be set
#             but it may have been cleaned away   rebooted  the same machine, started since
#   untold    no path recorded, unreadable        untold    other machine or namespace, unreadable, unrecorded
_COLUMNS = ("same", "gone", "reused", "moved", "rebooted", "untold")
_ROWS = {
    "held": ("alive", "alive", "alive", "alive", "alive", "alive"),
    "free": ("alive", "dead", "dead", "dead", "dead", "unknown"),
    "absent": ("alive", "dead", "dead", "unknown", "dead", "unknown"),
    "untold": ("alive", "unknown", "dead", "unknown", "dead", "unknown"),
}


def liveness(owner: Owner) -> Liveness:
    """Whether the owner of a run lives; it never raises and disturbs nobody."""
    lock, of_lock = _lock_fact(owner.lock_path)
    process, of_process = _process_fact(owner)
    return Liveness(_ROWS[lock][_COLUMNS.index(process)], (of_lock, of_process))


def lock_state(path: str) -> str:
    """held | free | absent | untold: who is killed leaves a free lock file behind, who leaves by itself none."""
    return _lock_fact(path)[0]


def identify(pid: int | None = None, lock_path: str | None = None) -> Owner:
    """The identity of this process, or of another one whose number counts in our namespace."""
    number = os.getpid() if pid is None else pid
    return Owner(
        pid=number,
        start_ticks=_look(number)[1],
        boot_id=_boot_id(),
        machine_id=_machine_id(),
        # Ours, also for another process: both numbers above are as we see them.
        pid_ns=_namespace("pid"),
        time_ns=_namespace("time"),
        host=_host(),
        lock_path=None if lock_path is None else os.path.abspath(lock_path),
    )


def signal_owner(owner: Owner, signum: int) -> None:
    """Send a signal to the owner, and never to another process that has its number now."""
    _prove_same(owner)
    try:
        _send(owner, signum)
    except ProcessLookupError as error:
        raise NotFound(f"Nothing was signalled: pid {owner.pid} is gone.") from error
    except OSError as error:
        raise InvalidInput(f"Nothing was signalled: pid {owner.pid}: {error.strerror}.") from error


class RunLock:
    """An exclusive lock on a run's lock file, held until it is released or this process ends."""

    __slots__ = ("_fd", "path")

    def __init__(self, path: str, fd: int) -> None:
        self.path = path
        self._fd = fd
        _held.add(self)

    @classmethod
    def take(cls, path: str | os.PathLike[str]) -> RunLock:
        """Lock the file, made when it is missing; Busy when somebody else holds it."""
        full = os.path.abspath(path)
        try:
            _make_folder(os.path.dirname(full))
            return cls(full, _locked(full))
        except (OSError, ImportError) as error:
            raise StorageFailed(f"The lock file {full} cannot be used: {_why(error)}.") from error

    def release(self) -> None:
        """Remove the file and let go; the second time does nothing."""
        fd, self._fd = self._fd, -1
        if fd < 0:
            return
        _held.discard(self)
        try:
            # Before the lock is gone, or the file of the next holder could be removed.
            if _is_at(fd, self.path):
                os.unlink(self.path)
        except OSError:
            pass  # a free lock file that stays behind says the same
        finally:
            os.close(fd)

    def __enter__(self) -> RunLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


_held: set[RunLock] = set()


def _drop_inherited() -> None:
    # Exec closes the descriptor by itself; a plain fork would keep the lock of a dead parent.
    for lock in _held:
        os.close(lock._fd)
        lock._fd = -1
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_inherited)


def _locked(path: str) -> int:
    """A descriptor that holds the lock."""
    began = time.monotonic()
    while True:
        fd, patience = _attempt(path)
        if fd >= 0:
            return fd
        if time.monotonic() - began > patience:
            raise Busy(f"Another process holds the lock {path}.", hint="`li ps` shows what runs.")
        time.sleep(_RETRY_S)


def _attempt(path: str) -> tuple[int, float]:
    """The locked descriptor, or -1 and how long it is worth trying."""
    with ExitStack() as stack:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | _OPEN_SAFELY, 0o600)
        stack.callback(os.close, fd)
        # The last holder may have removed the file after we opened it: that lock protects nothing.
        if _flock(fd, exclusive=True) and _is_at(fd, path):
            stack.pop_all()
            return fd, 0.0
        # Shared is refused by a holder only, not by those who look.
        return -1, _LOOKED_AT_S if _flock(fd, exclusive=False) else _HELD_S


def _flock(fd: int, *, exclusive: bool) -> bool:
    """Lock without waiting; False when others are in the way."""
    import fcntl  # Windows has none; there the import error becomes the reason

    try:
        fcntl.flock(fd, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(fd: int, path: str) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False))
    return False


def _make_folder(folder: str) -> None:
    """Like makedirs, which would leave the parents open to others."""
    if os.path.isdir(folder):
        return
    _make_folder(os.path.dirname(folder))
    with suppress(FileExistsError):
        os.mkdir(folder, 0o700)


def _lock_fact(path: str | None) -> _Fact:
    if not path:
        return "untold", "no lock was recorded for the run"
    try:
        held = _is_held(path)
    except FileNotFoundError:
        return "absent", "the run's lock file is gone"
    except (OSError, ValueError, ImportError) as error:
        return "untold", f"the run's lock cannot be read ({_why(error)})"
    return ("held", "the run's lock is held") if held else ("free", "the run's lock is free")


def _is_held(path: str) -> bool:
    fd = os.open(path, os.O_RDONLY | _OPEN_SAFELY)
    try:
        if not S_ISREG(os.fstat(fd).st_mode):
            raise ValueError("not a regular file")
        return not _flock(fd, exclusive=False)
    finally:
        os.close(fd)


def _process_fact(owner: Owner) -> _Fact:
    return _place_fact(owner) or _pid_fact(owner)


def _place_fact(owner: Owner) -> _Fact | None:
    """Why the owner's pid says nothing here; None when it counts here."""
    if not 0 < owner.pid < 2**31:
        return "untold", "no process id was recorded"
    if not _LINUX:
        return _host_fact(owner)
    machine, boot = _machine_id(), _boot_id()
    if owner.machine_id and machine and owner.machine_id != machine:
        return "untold", f"the run belongs to another machine ({owner.host or owner.machine_id})"
    if not owner.boot_id or not boot:
        return "untold", "the boot id was not recorded or cannot be read"
    if owner.boot_id != boot:
        # Without a machine id the other boot may be that of another machine which runs on.
        if owner.machine_id and machine:
            return "rebooted", "the machine was restarted since (boot id differs)"
        return "untold", "the boot id differs, but whether it is the same machine is not known"
    # An inode number is given again only after all processes of its namespace have ended.
    if owner.pid_ns is None or owner.pid_ns != _namespace("pid"):
        return "untold", f"pid {owner.pid} counts in another pid namespace"
    return None


def _host_fact(owner: Owner) -> _Fact | None:
    # Boot and machine ids are read on Linux only; elsewhere the host's name has to do.
    if owner.host and owner.host == _host() and not owner.boot_id:
        return None
    return "untold", f"the run belongs to another machine ({owner.host or 'its name was not recorded'})"


def _pid_fact(owner: Owner) -> _Fact:
    what, ticks = _look(owner.pid)
    pid = f"pid {owner.pid}"
    if what == "gone":
        return "gone", f"{pid} is gone"
    if what == "zombie":
        return "gone", f"{pid} has ended and waits to be collected (zombie)"
    if what != "there":
        return "untold", f"whether {pid} is the run's process cannot be read ({what})"
    if owner.start_ticks is None:
        return "untold", f"{pid} is in use, but when the run's process started was not recorded"
    if owner.time_ns != _namespace("time"):
        return "untold", f"{pid} is in use, but the run's start was read in another time namespace"
    if owner.start_ticks == ticks:
        return "same", f"{pid} is the run's process (started at tick {ticks})"
    starts = f"(started at tick {ticks}, the run's at {owner.start_ticks})"
    return "reused" if _LINUX else "moved", f"{pid} belongs to another process {starts}"


def _look(pid: int) -> _Seen:
    return _look_in_proc(pid) if _LINUX else _look_by_psutil(pid)


def _look_in_proc(pid: int) -> _Seen:
    try:
        # This asks the kernel, and in our own namespace; /proc may hide processes that exist.
        os.getpgid(pid)
        if pid != os.getpid() and not _proc_is_ours():
            return "/proc shows another pid namespace", None
        state, threads, ticks = _stat("self" if pid == os.getpid() else str(pid))
    except ProcessLookupError:
        return "gone", None
    except (OSError, ValueError, IndexError) as error:
        return _why(error), None
    # The first thread of a process may end, and show as Z, while the others work on.
    return "zombie" if state in "ZXx" and threads <= 1 else "there", ticks


def _look_by_psutil(pid: int) -> _Seen:
    try:
        psutil = _psutil()
    except ImportError:
        return "psutil is not installed", None
    try:
        process = psutil.Process(pid)
        zombie = process.status() == psutil.STATUS_ZOMBIE
        return "zombie" if zombie else "there", round(process.create_time() * 100)
    except psutil.NoSuchProcess:
        return "gone", None
    except (psutil.Error, OSError) as error:
        return str(error), None


def _psutil() -> Any:
    from importlib import import_module  # by name, because it is optional and only used elsewhere

    return import_module("psutil")


def _stat(name: str) -> tuple[str, int, int]:
    """State, number of threads and start ticks of /proc/<name>."""
    with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
        # The command may hold spaces and brackets; field 3 follows the last bracket.
        fields = file.read().rpartition(")")[2].split()
    return fields[0], int(fields[20 - 3]), int(fields[22 - 3])


def _proc_is_ours() -> bool:
    """Whether the numbers in /proc are those of our pid namespace: then we have one number only."""
    with open("/proc/self/status", encoding="utf-8", errors="replace") as file:
        return any(line.startswith("NSpid:") and len(line.split()) == 2 for line in file)


def _namespace(kind: str) -> int | None:
    with suppress(OSError):
        return os.stat(f"/proc/self/ns/{kind}").st_ino
    return None


@cache
def _boot_id() -> str | None:
    return _word_in("/proc/sys/kernel/random/boot_id")


@cache
def _machine_id() -> str | None:
    found = _word_in("/etc/machine-id") or _word_in("/var/lib/dbus/machine-id")
    return None if found == "uninitialized" else found  # systemd writes so before the first boot


def _word_in(path: str) -> str | None:
    with suppress(OSError, ValueError), open(path, encoding="ascii") as file:
        return file.read().strip() or None
    return None


def _host() -> str | None:
    return os.uname().nodename or None if hasattr(os, "uname") else os.environ.get("COMPUTERNAME")


def _prove_same(owner: Owner) -> None:
    fact, sentence = _process_fact(owner)
    if fact != "same":
        raise NotFound(f"Nothing was signalled: {sentence}.", hint="`li state doctor` explains the run.")


def _send(owner: Owner, signum: int) -> None:
    if not _LINUX:
        return _send_by_psutil(owner, signum)
    pidfd = os.pidfd_open(owner.pid)
    try:
        _prove_same(owner)  # again: only now the number cannot pass to another process
        signal.pidfd_send_signal(pidfd, signum)
    finally:
        os.close(pidfd)


def _send_by_psutil(owner: Owner, signum: int) -> None:
    psutil = _psutil()
    try:
        process = psutil.Process(owner.pid)
        _prove_same(owner)
        process.send_signal(signum)  # it looks for a reused pid once more
    except psutil.NoSuchProcess as error:
        raise ProcessLookupError(str(error)) from error
    except psutil.AccessDenied as error:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM)) from error


def _why(error: BaseException) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
