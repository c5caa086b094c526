"""The identity of a worker: one for each home, made once, and a lock that the process of the worker holds.

A copy of a home, on this machine or another, gets an identity of its own: two workers with one id would carry out the
same orders.
"""

from __future__ import annotations

import json
import os
import socket
from typing import NamedTuple

from lionstudio.errors import Busy
from lionstudio.machine import machine_id
from lionstudio.model.ids import new_id
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.filelock import RunLock
from lionstudio.system.json_read import find_object

_FILE, _LOCK = "worker.json", "worker.lock"


class WorkerIdentity(NamedTuple):
    id: str
    name: str


def load_identity(home: str, name: str | None) -> WorkerIdentity:
    """Load the identity of the worker of a home, or make it; a name that is given is kept."""
    path = os.path.join(home, _FILE)
    make_folder(home)
    known = find_object(path) or {}
    here = {"machine_id": machine_id(), "inode": os.stat(home).st_ino}
    is_ours = isinstance(known.get("id"), str) and all(known.get(key) in (None, value) for key, value in here.items())
    id_ = known["id"] if is_ours else new_id()
    chosen = name or (known.get("name") if isinstance(known.get("name"), str) else None) or socket.gethostname()
    identity = WorkerIdentity(str(id_), str(chosen))
    record = {**identity._asdict(), **here}
    if known != record:
        write_text(path, json.dumps(record) + "\n")
    return identity


def lock_path(home: str) -> str:
    return os.path.join(home, "run", _LOCK)


def take_lock(home: str) -> RunLock:
    make_folder(os.path.dirname(lock_path(home)))
    try:
        return RunLock.take(lock_path(home))
    except Busy:
        raise Busy(
            f"another worker runs in {home}",
            hint="one worker for each home; start another one with LIONAGI_HOME=FOLDER",
        ) from None
