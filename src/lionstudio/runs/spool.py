"""The spool stores events on disk while the database is busy, full or missing; they are drained later, each once.

One JSON line per event in `run/spool/<session>.jsonl`, flushed to disk before it counts as stored. A process that
drains a spool first renames it under its lock, so that no event is added to a file about to be removed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.model.ids import file_name
from lionstudio.model.json_codec import dump, load
from lionstudio.runs.event_writer import write_spooled
from lionstudio.settings import local_folder
from lionstudio.state.backends import open_database
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filelock import RunLock, wait_for_flock

_BATCH = 200  # events in one transaction when a spool is drained
_SUFFIX, _TAKING, _REFUSED = ".jsonl", ".taking", ".refused"


def spool_folder(db_path: str) -> str:
    """The folder of a database's spools."""
    return os.path.join(local_folder(db_path), "run", "spool")


def spool_files(db_path: str, session_id: str) -> list[str]:
    """Every file that the spool of a session may have."""
    path = os.path.join(spool_folder(db_path), file_name(session_id) + _SUFFIX)
    return [path, path + _TAKING, path + _REFUSED]


def run_lock_path(db_path: str, session_id: str) -> str:
    """The lock that the process of a run holds while it lives."""
    return os.path.join(local_folder(db_path), "run", f"{file_name(session_id)}.lock")


def watch_lock_path(db_path: str, session_id: str) -> str:
    """The lock that the watchdog of a run holds: while it lives, it is the one that settles the run."""
    return run_lock_path(db_path, session_id).removesuffix(".lock") + ".watch"


class Spool:
    """The spool of one session; the file exists only while it holds events."""

    def __init__(self, db_path: str, session_id: str) -> None:
        self.path = os.path.join(spool_folder(db_path), file_name(session_id) + _SUFFIX)
        self.count = 0

    def put(self, records: Iterable[dict[str, Any]]) -> None:
        """Append events; after this returns they survive a crash."""
        lines = [dump(record) + "\n" for record in records]
        make_folder(os.path.dirname(self.path))
        _append(self.path, "".join(lines).encode())
        self.count += len(lines)
        point("spool.written")

    def drain(self, database: Database) -> int:
        """Move the events into the database and remove the file; returns their number."""
        pending, self.count = self.count, 0
        try:
            return drain_spool(database, self.path)
        except BaseException:
            self.count += pending
            raise


def drain_spool(database: Database, path: str) -> int:
    """Write the events of a spool in order; a line cut off by a crash was never acknowledged."""
    renamed = path + _TAKING
    count = _drain_file(database, path, renamed)  # left by an earlier attempt
    with _locked(path) as descriptor:
        if descriptor is not None:
            os.rename(path, renamed)
    return count + _drain_file(database, path, renamed)


def _drain_file(database: Database, path: str, renamed: str) -> int:
    with _locked(renamed) as descriptor:
        if descriptor is None:
            return 0
        count = 0
        with open(renamed, encoding="utf-8") as file:
            batch: list[dict[str, Any]] = []
            for line in file:
                record = _parse(line)
                if record is not None:
                    batch.append(record)
                if len(batch) >= _BATCH:
                    count += _write(database, batch, path)
                    batch = []
            count += _write(database, batch, path)
        point("spool.taken_in")
        os.unlink(renamed)
        return count


def _write(database: Database, batch: list[dict[str, Any]], path: str) -> int:
    """Write a batch in one transaction; if a record is refused, write each alone and store refused ones separately."""

    def work(conn: Connection) -> None:
        for record in batch:
            write_spooled(conn, record)

    try:
        if batch:
            database.write(work)
        return len(batch)
    except (Busy, StorageFailed):
        raise
    except LionError as error:
        if len(batch) == 1:
            _append(
                path.removesuffix(_SUFFIX) + _REFUSED, (dump({**batch[0], "refused": error.message}) + "\n").encode()
            )
            return 0
    return sum(_write(database, [record], path) for record in batch)


def _append(path: str, data: bytes) -> None:
    with _locked(path, create=True) as descriptor:
        assert descriptor is not None
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)


@contextmanager
def _locked(path: str, *, create: bool = False) -> Iterator[int | None]:
    """Open and lock the file that has this name at the time of the lock; None when there is none."""
    flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0)
    while True:
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileNotFoundError:
            yield None
            return
        try:
            wait_for_flock(descriptor)
            with suppress(FileNotFoundError):
                if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
                    yield descriptor
                    return
        finally:
            os.close(descriptor)


def _parse(line: str) -> dict[str, Any] | None:
    try:
        record = load(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def list_spools(db_path: str) -> list[str]:
    """Spools that are not drained yet."""
    return _list_files(db_path, _SUFFIX, _SUFFIX + _TAKING)


def has_spool(db_path: str, session_id: str) -> bool:
    """Whether events of a session wait to be stored."""
    return Spool(db_path, session_id).path in list_spools(db_path)


def list_refused(db_path: str) -> list[str]:
    """Files of events that the database refused."""
    return _list_files(db_path, _REFUSED)


def drain_leftovers(database: Database) -> Iterator[str]:
    """Drain the spools of earlier runs and yield a message for each; a run that is alive drains its own."""
    for path in list_spools(database.path):
        name = os.path.basename(path).removesuffix(_SUFFIX)  # also the name of its run's lock
        try:
            with RunLock.take(os.path.join(os.path.dirname(os.path.dirname(path)), f"{name}.lock")):
                yield f"stored {drain_spool(database, path)} events from {path}"
        except (LionError, OSError) as error:
            yield f"{path} is not drained yet: {error}"
    for path in list_refused(database.path):
        yield f"{path} holds events that the database refused; each line has the reason"


def take_in_spools(db_path: str) -> list[str]:
    """Drain the spools of dead runs before their states are judged: one may hold an end. Return the messages."""
    try:
        with open_database(db_path, create=False) as database:
            return list(drain_leftovers(database))
    except (LionError, OSError) as error:
        return [f"the spools are not drained yet: {error}"]


def _list_files(db_path: str, *suffixes: str) -> list[str]:
    try:
        names = os.listdir(spool_folder(db_path))
    except OSError:
        return []
    spools = {name.removesuffix(_TAKING) for name in names if name.endswith(suffixes)}
    return [os.path.join(spool_folder(db_path), name) for name in sorted(spools)]
