"""Advisory locks between processes (flock). The kernel frees a lock when its process ends, in whatever way."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from stat import S_ISREG

from lionstudio.errors import Busy, StorageFailed
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filenames import shown

TIMEOUT = 30.0  # seconds; a holder of `locked` only writes one small file
_HELD_S = 0.05  # how long a lock that may be released right now is worth waiting for
_PROBED_S = 5.0  # the lock is free but others probe it; on a loaded machine many probes overlap for long
_RETRY_S = 0.001
# A link or a FIFO planted at the path must neither lead elsewhere nor let the open hang.
_OPEN_SAFELY: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def locked(path: str, *, timeout: float = TIMEOUT) -> Iterator[None]:
    """Hold a lock file for the time of the block, waiting for it; the file is never removed.

    For a file that is replaced as a whole: the lock file is beside it, because the file itself is exchanged.
    """
    try:
        make_folder(os.path.dirname(path))
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise StorageFailed(
            f"cannot open the lock file {shown(path)}: {error.strerror}", hint="check the permissions of its folder"
        ) from error
    try:
        deadline, pause = time.monotonic() + timeout, 0.001
        while not _try_flock(descriptor, exclusive=True):
            if time.monotonic() > deadline:
                raise Busy(f"another process holds the lock {shown(path)}", hint="li ps, then try again")
            time.sleep(pause)
            pause = min(pause * 2, 0.02)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def shared_lock(path: str) -> Iterator[int]:
    """Hold a lock file together with others; a process that inherits the descriptor holds it as well."""
    import fcntl

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with _named_file_system():
            fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def alone(path: str) -> Iterator[bool]:
    """Tell whether no process holds a lock file of `shared_lock`; until the block ends, none gets it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        yield _try_flock(descriptor, exclusive=True)
    finally:
        os.close(descriptor)


class RunLock:
    """An exclusive lock on a file, held until it is released or this process ends; Busy when it is taken."""

    __slots__ = ("_fd", "path")

    def __init__(self, path: str, fd: int) -> None:
        self.path = path
        self._fd = fd
        _held.add(self)

    @classmethod
    def take(cls, path: str | os.PathLike[str]) -> RunLock:
        full = os.path.abspath(path)
        try:
            make_folder(os.path.dirname(full))
            return cls(full, _lock(full))
        except (OSError, ImportError) as error:
            reason = getattr(error, "strerror", None) or error
            raise StorageFailed(f"cannot use the lock file {full}: {reason}") from error

    def fileno(self) -> int:
        return self._fd

    @property
    def is_in_place(self) -> bool:
        """Whether the file is still the one that we locked; otherwise another process can take the lock."""
        return self._fd >= 0 and _is_at(self._fd, self.path)

    def release(self) -> None:
        """Remove the file and free the lock; a second call does nothing."""
        fd, self._fd = self._fd, -1
        if fd < 0:
            return
        _held.discard(self)
        try:
            # Before the lock is freed, or the file of the next holder could be removed.
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


def lock_state(path: str) -> str:
    """Return held | free | absent | untold (unreadable): a killed holder leaves a free file, `release` leaves none."""
    try:
        return "held" if is_locked(path) else "free"
    except FileNotFoundError:
        return "absent"
    except (OSError, ValueError, ImportError, StorageFailed):
        return "untold"


def is_locked(path: str) -> bool:
    """Probe a lock without disturbing its holder: `RunLock.take` retries while it is only probed."""
    fd = os.open(path, os.O_RDONLY | _OPEN_SAFELY)
    try:
        if not S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        return not _try_flock(fd, exclusive=False)
    finally:
        os.close(fd)


def _lock(path: str) -> int:
    began = time.monotonic()
    while True:
        fd, timeout = _attempt(path)
        if fd >= 0:
            return fd
        if time.monotonic() - began > timeout:
            raise Busy(f"another process holds the lock {path}", hint="li ps")
        time.sleep(_RETRY_S)


def _attempt(path: str) -> tuple[int, float]:
    """Return the locked descriptor, or -1 and for how long another attempt is worthwhile."""
    with ExitStack() as stack:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | _OPEN_SAFELY, 0o600)
        stack.callback(os.close, fd)
        # The last holder may have removed the file after we opened it: that lock protects nothing.
        if _try_flock(fd, exclusive=True) and _is_at(fd, path):
            stack.pop_all()
            return fd, 0.0
        # A shared lock is refused by a holder only, not by probes.
        return -1, _PROBED_S if _try_flock(fd, exclusive=False) else _HELD_S


def _try_flock(fd: int, *, exclusive: bool) -> bool:
    import fcntl  # Windows has none; there the import error becomes the reason

    try:
        with _named_file_system():
            fcntl.flock(fd, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def wait_for_flock(fd: int) -> None:
    """Lock a file exclusively, however long another process holds it."""
    import fcntl

    with _named_file_system():
        fcntl.flock(fd, fcntl.LOCK_EX)


def check_locks(folder: str) -> None:
    """Raise StorageFailed when the file system has no record locks: SQLite then reports every file as busy."""
    import fcntl
    import tempfile

    with suppress(PermissionError), tempfile.TemporaryFile(dir=folder) as file, _named_file_system():
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


# flock is not supported, or no lock is
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


@contextmanager
def _named_file_system() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        raise StorageFailed(
            "the file system of this folder has no file locks (a network drive?)",
            hint="set LIONAGI_HOME, and LIONAGI_SHOWS, to folders on a local disk",
        ) from error


def _is_at(fd: int, path: str) -> bool:
    with suppress(FileNotFoundError, NotADirectoryError):
        return os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False))
    return False
