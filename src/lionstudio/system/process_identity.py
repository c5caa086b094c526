"""Identify the process that owns a run, and tell whether it is alive, dead or unknown.

Dead needs proof: every doubt is "unknown", because a run that is called dead is marked as failed.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.machine import host_name, machine_id, read_line
from lionstudio.system.filelock import is_locked
from lionstudio.system.procfs import has_ended, read_stat

_LINUX = sys.platform.startswith("linux")
INITIAL_PID_NAMESPACE = 0xEFFFFFFC  # a constant of the kernel (PROC_PID_INIT_INO); it sees the processes of all others


class Owner(NamedTuple):
    """A process as recorded with its run; `pid` and `start_ticks` are valid in the two namespaces only."""

    pid: int
    start_ticks: int | None
    boot_id: str | None
    machine_id: str | None
    pid_ns: int | None
    time_ns: int | None
    host: str | None
    lock_path: str | None


class Liveness(NamedTuple):
    """`alive`, `dead` or `unknown`, and the sentences that prove it."""

    answer: str
    evidence: tuple[str, ...]


# Plain tuples, because each class costs the start of every command a fraction of a millisecond.
_Fact = tuple[str, str]  # the name of a row or a column below, and its sentence
_PidState = tuple[str, int | None]  # "gone", "zombie", "there" or the reason it is unreadable; its start ticks

# The facts about the lock (rows) and about the process (columns).
#   held      outweighs everything: it reaches    same      the pid is the owner, by its start ticks
#             across namespaces                   gone      no such pid in our own namespace, or a zombie
#   free      any process may take it now         reused    the pid is another process
#   absent    a missing file cannot be held,      moved     the start differs, but by a clock that may be set
#             but it may have been cleaned up     rebooted  the same machine, booted again since
#   untold    no path recorded, unreadable        untold    other machine or namespace, unreadable, unrecorded
_COLUMNS = ("same", "gone", "reused", "moved", "rebooted", "untold")
_ROWS = {
    "held": ("alive", "alive", "alive", "alive", "alive", "alive"),
    "free": ("alive", "dead", "dead", "dead", "dead", "unknown"),
    "absent": ("alive", "dead", "dead", "unknown", "dead", "unknown"),
    "untold": ("alive", "unknown", "dead", "unknown", "dead", "unknown"),
}


def liveness(owner: Owner) -> Liveness:
    """Judge whether the owner of a run is alive; never raises and never signals or blocks a process."""
    lock, of_lock = _lock_fact(owner.lock_path)
    process, of_process = _process_fact(owner)
    return Liveness(_ROWS[lock][_COLUMNS.index(process)], (of_lock, of_process))


def identify(pid: int | None = None, lock_path: str | None = None) -> Owner:
    """Identify this process, or another one whose pid is valid in our namespace."""
    number = os.getpid() if pid is None else pid
    return Owner(
        pid=number,
        start_ticks=_read_pid(number)[1],
        boot_id=_boot_id(),
        machine_id=machine_id(),
        # Ours, also for another process: we read both numbers above from our namespaces.
        pid_ns=_namespace("pid"),
        time_ns=_namespace("time"),
        host=host_name(),
        lock_path=None if lock_path is None else os.path.abspath(lock_path),
    )


def is_of_this_machine(owner: Owner) -> bool:
    """Whether a process may run here; False only for one that was recorded on another machine."""
    if owner.machine_id and (machine := machine_id()):
        return owner.machine_id == machine
    return not owner.host or owner.host == host_name()


def signal_owner(owner: Owner, signum: int) -> None:
    """Send a signal to the owner, never to another process that has its pid now."""
    _prove_same(owner)
    try:
        _send(owner, signum)
    except ProcessLookupError as error:
        raise NotFound(f"no signal sent: pid {owner.pid} is gone") from error
    except OSError as error:
        raise InvalidInput(f"no signal sent to pid {owner.pid}: {error.strerror}") from error


def _lock_fact(path: str | None) -> _Fact:
    if not path:
        return "untold", "no lock was recorded for the run"
    try:
        held = is_locked(path)
    except FileNotFoundError:
        return "absent", "the run's lock file is gone"
    except (OSError, ValueError, ImportError) as error:
        return "untold", f"the run's lock cannot be read ({_why(error)})"
    return ("held", "the run's lock is held") if held else ("free", "the run's lock is free")


def _process_fact(owner: Owner) -> _Fact:
    return _system_fact(owner) or _pid_fact(owner)


def _system_fact(owner: Owner) -> _Fact | None:
    """Return the reason why the owner's pid proves nothing on this system, or None when it does."""
    if not 0 < owner.pid < 2**31:
        return "untold", "no process id was recorded"
    if not _LINUX:
        return _host_fact(owner)
    machine, boot = machine_id(), _boot_id()
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
        return "untold", f"pid {owner.pid} belongs to another pid namespace"
    return None


def _host_fact(owner: Owner) -> _Fact | None:
    # Boot and machine ids are read on Linux only; elsewhere the host name must suffice.
    if owner.host and owner.host == host_name() and not owner.boot_id:
        return None
    return "untold", f"the run belongs to another machine ({owner.host or 'its name was not recorded'})"


def _pid_fact(owner: Owner) -> _Fact:
    state, ticks = _read_pid(owner.pid)
    pid = f"pid {owner.pid}"
    if state == "gone":
        return "gone", f"{pid} is gone"
    if state == "zombie":
        return "gone", f"{pid} has exited and was not reaped yet (zombie)"
    if state != "there":
        return "untold", f"whether {pid} is the run's process cannot be read ({state})"
    if owner.start_ticks is None:
        return "untold", f"{pid} is in use, but when the run's process started was not recorded"
    if owner.time_ns != _namespace("time"):
        return "untold", f"{pid} is in use, but the run's start was read in another time namespace"
    if owner.start_ticks == ticks:
        return "same", f"{pid} is the run's process (started at tick {ticks})"
    starts = f"(started at tick {ticks}, the run's at {owner.start_ticks})"
    return "reused" if _LINUX else "moved", f"{pid} belongs to another process {starts}"


def _read_pid(pid: int) -> _PidState:
    return _read_pid_from_proc(pid) if _LINUX else _read_pid_by_psutil(pid)


def _read_pid_from_proc(pid: int) -> _PidState:
    try:
        # This asks the kernel about our own namespace; /proc may hide processes that exist.
        os.getpgid(pid)
        if pid != os.getpid() and not _proc_is_ours():
            return "/proc shows another pid namespace", None
        fields = read_stat("self" if pid == os.getpid() else pid)  # /proc may show another pid namespace
        ended, ticks = has_ended(fields), int(fields[22 - 3])
    except ProcessLookupError:
        return "gone", None
    except (OSError, ValueError, IndexError) as error:
        return _why(error), None
    return "zombie" if ended else "there", ticks


def _read_pid_by_psutil(pid: int) -> _PidState:
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
    from importlib import import_module  # by name, because it is optional and only used without /proc

    return import_module("psutil")


def _proc_is_ours() -> bool:
    """Tell whether /proc shows our own pid namespace: then we have one pid only."""
    with open("/proc/self/status", encoding="utf-8", errors="replace") as file:
        return any(line.startswith("NSpid:") and len(line.split()) == 2 for line in file)


def _namespace(kind: str) -> int | None:
    with suppress(OSError):
        return os.stat(f"/proc/self/ns/{kind}").st_ino
    return None


@cache
def _boot_id() -> str | None:
    return read_line("/proc/sys/kernel/random/boot_id")


def _prove_same(owner: Owner) -> None:
    fact, sentence = _process_fact(owner)
    if fact != "same":
        raise NotFound(f"no signal sent: {sentence}", hint="li state doctor")


def _send(owner: Owner, signum: int) -> None:
    if not _LINUX:
        return _send_by_psutil(owner, signum)
    pidfd = os.pidfd_open(owner.pid)
    try:
        _prove_same(owner)  # again: only now the pid cannot pass to another process
        signal.pidfd_send_signal(pidfd, signum)
    finally:
        os.close(pidfd)


def _send_by_psutil(owner: Owner, signum: int) -> None:
    psutil = _psutil()
    try:
        process = psutil.Process(owner.pid)
        _prove_same(owner)
        process.send_signal(signum)  # psutil checks for a reused pid once more
    except psutil.NoSuchProcess as error:
        raise ProcessLookupError(str(error)) from error
    except psutil.AccessDenied as error:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM)) from error


def _why(error: BaseException) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
