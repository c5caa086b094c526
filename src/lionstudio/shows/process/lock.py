"""The director lock: one process directs a show, proven by the lock in its folder.

Imports little, because every `li show` command uses it.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from shlex import quote

from lionstudio.errors import Busy, LionError
from lionstudio.model.redaction.process import secrets_to_pass
from lionstudio.model.shows.show_files import DIRECTOR_LOCK, DIRECTOR_LOG
from lionstudio.system.filelock import RunLock, lock_state
from lionstudio.system.li_process import li_argv, start_failure, start_ours
from lionstudio.system.process_identity import Owner, identify

_START_SECONDS = 30.0  # for a new director to start, on a busy machine
_LOG_TAIL = 2000  # characters in the error of a failed start


def acquire_director_lock(show_dir: str) -> RunLock:
    """Become the director of a show; Busy when another process is."""
    try:
        lock = RunLock.take(os.path.join(show_dir, DIRECTOR_LOCK))
    except Busy:
        topic = os.path.basename(show_dir)
        raise Busy(f"another process directs the show {topic}", hint=f"li show run {topic}") from None
    os.truncate(lock.path, 0)  # the identity of the last holder
    return lock


def announce(lock: RunLock) -> None:
    """Write our identity into the lock: the director is ready."""
    with open(lock.path, "w", encoding="utf-8") as file:
        json.dump(identify(lock_path=lock.path)._asdict(), file)


def has_director(show_dir: str) -> bool:
    """Return whether a process directs the show now."""
    return lock_state(os.path.join(show_dir, DIRECTOR_LOCK)) == "held"


def find_director(show_dir: str) -> Owner | None:
    """Return the process that directs the show, None before it is ready."""
    if not has_director(show_dir):
        return None
    with (
        suppress(OSError, ValueError, TypeError),
        open(os.path.join(show_dir, DIRECTOR_LOCK), encoding="utf-8") as file,
    ):
        return Owner(**json.load(file))
    return None  # it has the lock but is not ready yet


def start_director(show_dir: str, options: Sequence[str], environ: Mapping[str, str]) -> None:
    """Start a director that outlives this process, and wait until it, or a faster one, is ready."""
    log = os.path.join(show_dir, DIRECTOR_LOG)
    command = li_argv("show", "run", os.path.basename(show_dir), "--foreground", *options)
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), "ab") as output:
        offset = output.tell()
        child = start_ours(
            command, environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output, private=secrets_to_pass()
        )
    deadline = time.monotonic() + _START_SECONDS
    while find_director(show_dir) is None:
        if (code := child.poll()) is not None:
            if code == 0:
                return  # nothing was left to do
            if code == Busy.exit_code and has_director(show_dir):
                return  # another process started one at the same moment
            raise start_failure("the director", code, _read_log(log, offset), log)
        if time.monotonic() > deadline:
            raise LionError(f"the director did not start within {_START_SECONDS:.0f} s", hint=f"cat {quote(log)}")
        time.sleep(0.02)
    child.returncode = 0  # not ours to wait for: it outlives this process


def _read_log(log: str, offset: int) -> str:
    with open(log, encoding="utf-8", errors="backslashreplace") as file:
        file.seek(offset)
        return file.read()[-_LOG_TAIL:]
