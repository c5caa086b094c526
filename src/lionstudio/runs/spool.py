"""The spool: where messages go when the database is busy, full or gone. They are taken in later, once each.

One JSON line an event in `run/spool/<session>.jsonl`, flushed to disk before it counts as kept. Whoever takes a
spool in moves it aside under its lock first, so that nothing can be added to what is about to be removed.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import Busy, LionError, StorageFailed
from lionstudio.model.ids import file_name
from lionstudio.model.json_codec import dump, load
from lionstudio.runs.event_writer import write_spooled
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filelock import RunLock

_AT_ONCE = 200  # events in one transaction when a spool is taken in
_SUFFIX, _TAKING, _REFUSED = ".jsonl", ".taking", ".refused"


def spool_folder(db_path: str) -> str:
    """Where the spools of a database lie."""
    return os.path.join(os.path.dirname(os.path.abspath(db_path)), "run", "spool")


class Spool:
    """The spool of one session; the file exists only while there is something in it."""

    def __init__(self, db_path: str, session_id: str) -> None:
        self.path = os.path.join(spool_folder(db_path), file_name(session_id) + _SUFFIX)
        self.count = 0

    def put(self, records: Iterable[dict[str, Any]]) -> None:
        """Keep some events on disk; when this returns they survive a crash."""
        lines = [dump(record) + "\n" for record in records]
        make_folder(os.path.dirname(self.path))
        _append(self.path, "".join(lines).encode())
        self.count += len(lines)
        point("spool.written")

    def take_in(self, database: Database) -> int:
        """Move everything into the database, then remove the file; how many events that were."""
        waiting, self.count = self.count, 0
        try:
            return take_in(database, self.path)
        except BaseException:
            self.count += waiting
            raise


def take_in(database: Database, path: str) -> int:
    """Write the events of a spool in order; a line that was cut by a crash was never acknowledged."""
    aside = path + _TAKING
    taken = _take(database, path, aside)  # what an earlier try left
    with _locked(path) as descriptor:
        if descriptor is not None:
            os.rename(path, aside)
    return taken + _take(database, path, aside)


def _take(database: Database, path: str, aside: str) -> int:
    with _locked(aside) as descriptor:
        if descriptor is None:
            return 0
        taken = 0
        with open(aside, encoding="utf-8") as file:
            batch: list[dict[str, Any]] = []
            for line in file:
                record = _parsed(line)
                if record is not None:
                    batch.append(record)
                if len(batch) >= _AT_ONCE:
                    taken += _write(database, batch, path)
                    batch = []
            taken += _write(database, batch, path)
        point("spool.taken_in")
        os.unlink(aside)
        return taken


def _write(database: Database, batch: list[dict[str, Any]], path: str) -> int:
    """One transaction for all; when one record is refused, each by itself, and the refused ones are kept aside."""

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
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)


@contextmanager
def _locked(path: str, *, create: bool = False) -> Iterator[int | None]:
    """The file, locked, and still the one of that name; None when there is none."""
    flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT if create else 0)
    while True:
        try:
            descriptor = os.open(path, flags, 0o600)
        except FileNotFoundError:
            yield None
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
                    yield descriptor
                    return
        finally:
            os.close(descriptor)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        record = load(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def list_spools(db_path: str) -> list[str]:
    """The spools that wait to be taken in."""
    return _named(db_path, _SUFFIX, _SUFFIX + _TAKING)


def list_refused(db_path: str) -> list[str]:
    """What could not be taken in and was kept aside."""
    return _named(db_path, _REFUSED)


def take_in_leftovers(database: Database) -> Iterator[str]:
    """Write what earlier runs could not, and say so; a run that still lives looks after its own."""
    for path in list_spools(database.path):
        name = os.path.basename(path).removesuffix(_SUFFIX)  # as the lock of its run is called
        try:
            with RunLock.take(os.path.join(os.path.dirname(os.path.dirname(path)), f"{name}.lock")):
                yield f"{take_in(database, path)} events that waited in {path} were taken in"
        except (LionError, OSError) as error:
            yield f"{path} waits on: {error}"
    for path in list_refused(database.path):
        yield f"{path} holds events that the database refused; each line says why"


def _named(db_path: str, *suffixes: str) -> list[str]:
    try:
        names = os.listdir(spool_folder(db_path))
    except OSError:
        return []
    found = {name.removesuffix(_TAKING) for name in names if name.endswith(suffixes)}
    return [os.path.join(spool_folder(db_path), name) for name in sorted(found)]
