"""Keep the home readable by its owner only: messages are private."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from lionstudio.errors import StorageFailed

_FILES = ("state.db", "state.db-wal", "state.db-shm", "studio.token", "config.toml")


def make_private(home: str) -> str | None:
    """Take away what other users may do with an existing home of ours; a sentence about it, None without a change.

    A folder that is not a home yet, or that all users share, is left alone. Raises for a home of another user.
    """
    try:
        status = os.stat(home)
    except OSError:
        return None
    if status.st_uid != os.getuid():
        if _is_trusted(status) and os.access(home, os.R_OK | os.W_OK | os.X_OK):
            return None
        raise StorageFailed(
            f"the home {home} belongs to another user (uid {status.st_uid})",
            hint="set LIONAGI_HOME to a folder of your own, or use --home",
        )
    if not status.st_mode & 0o077 or status.st_mode & stat.S_ISVTX or not _is_home(home):
        return None
    private = stat.S_IMODE(status.st_mode) & 0o700  # a read-only home stays read-only
    try:
        os.chmod(home, private)
    except OSError:
        return None  # a file system without modes; the doctor reports it
    for name in _FILES:
        path = os.path.join(home, name)
        with suppress(OSError):  # by path: opening the database would drop SQLite's locks
            mode = os.lstat(path).st_mode
            if stat.S_ISREG(mode) and mode & 0o077:
                os.chmod(path, mode & 0o600)
    return f"Made {home} private: its mode was {stat.S_IMODE(status.st_mode):04o} and is {private:04o} now"


def _is_trusted(status: os.stat_result) -> bool:
    """Whether a home of another user holds nothing that a third one wrote: root's, or any private one for root."""
    if status.st_uid == 0:
        return not status.st_mode & 0o002
    return os.getuid() == 0 and not status.st_mode & 0o022


def _is_home(folder: str) -> bool:
    return os.path.basename(folder) == ".lionagi" or os.path.isfile(os.path.join(folder, "state.db"))
