"""Who directs a show: one process, proven by the lock in the show's folder; others may look, ask and wait.

Loads nothing but the lock, because every `li show` command asks it.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from lionstudio.errors import Busy, LionError
from lionstudio.system.filelock import RunLock, lock_state
from lionstudio.system.li_process import li_argv
from lionstudio.system.process_identity import Owner, identify

LOCK, LOG = "_director.lock", "_director.log"
_PATIENCE = 30.0  # seconds for a new director to appear, on a machine with much to do
_TAIL = 2000  # characters of its log when it did not start


def acquire_director_lock(show_dir: str) -> RunLock:
    """Become the director of a show; Busy when there is one."""
    try:
        lock = RunLock.take(os.path.join(show_dir, LOCK))
    except Busy:
        topic = os.path.basename(show_dir)
        raise Busy(f"the show {topic} has a director", hint=f"`li show run {topic}` attaches to it") from None
    os.truncate(lock.path, 0)  # whoever held it before has left its name
    return lock


def announce(lock: RunLock) -> None:
    """Say who directs; from now on others may rely on it."""
    with open(lock.path, "w", encoding="utf-8") as file:
        json.dump(identify(lock_path=lock.path)._asdict(), file)


def has_director(show_dir: str) -> bool:
    """Whether a director works on the show now."""
    return lock_state(os.path.join(show_dir, LOCK)) == "held"


def find_director(show_dir: str) -> Owner | None:
    """The process that directs the show, None when nobody does."""
    if not has_director(show_dir):
        return None
    with suppress(OSError, ValueError, TypeError), open(os.path.join(show_dir, LOCK), encoding="utf-8") as file:
        return Owner(**json.load(file))
    return None  # it has the lock but is not ready yet


def start_director(show_dir: str, options: Sequence[str], environ: Mapping[str, str]) -> None:
    """Start a director that outlives us, and wait until it, or another one that was faster, has the show."""
    log = os.path.join(show_dir, LOG)
    command = li_argv("show", "run", os.path.basename(show_dir), "--foreground", *options)
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), "ab") as output:
        began = output.tell()
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, env=dict(environ)
        )
    deadline = time.monotonic() + _PATIENCE
    while find_director(show_dir) is None:
        if (code := child.poll()) is not None:
            if code == 0:
                return  # there was nothing left to do
            if code == Busy.exit_code and has_director(show_dir):
                return  # somebody else started one at the same moment
            raise LionError(f"the director did not start: {_said(log, began)}", hint=f"its log is {log}")
        if time.monotonic() > deadline:
            raise LionError("the director did not start in time", hint=f"its log is {log}")
        time.sleep(0.02)
    child.returncode = 0  # it is not ours to wait for: it lives on when we leave


def _said(log: str, since: int) -> str:
    with open(log, encoding="utf-8", errors="backslashreplace") as file:
        file.seek(since)
        return file.read()[-_TAIL:].strip() or "it said nothing"
