"""The spool: where messages go when the database is busy, full or gone. They are taken in later, once each.

One JSON line an event in `run/spool/<session>.jsonl`, flushed to disk before it counts as kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from lionstudio.crash import point
from lionstudio.live.keeping import write_spooled
from lionstudio.model.jsontext import dump, load
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database

_AT_ONCE = 200  # events in one transaction when a spool is taken in


def spool_folder(db_path: str) -> str:
    """Where the spools of a database lie."""
    return os.path.join(os.path.dirname(os.path.abspath(db_path)), "run", "spool")


class Spool:
    """The spool of one session; the file exists only while there is something in it."""

    def __init__(self, db_path: str, session_id: str) -> None:
        self.path = os.path.join(spool_folder(db_path), f"{session_id}.jsonl")
        self.count = 0

    def put(self, records: Iterable[dict[str, Any]]) -> None:
        """Keep some events on disk; when this returns they survive a crash."""
        lines = [dump(record) + "\n" for record in records]
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            data = memoryview("".join(lines).encode())
            while data:
                data = data[os.write(descriptor, data) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.count += len(lines)
        point("spool.written")

    def take_in(self, database: Database) -> int:
        """Move everything into the database, then remove the file; how many events that were."""
        taken = take_in(database, self.path)
        self.count = 0
        return taken


def take_in(database: Database, path: str) -> int:
    """Write the events of a spool in order; a line that was cut by a crash was never acknowledged."""
    if not os.path.exists(path):
        return 0
    taken = 0
    with open(path, encoding="utf-8") as file:
        batch: list[dict[str, Any]] = []
        for line in file:
            record = _parsed(line)
            if record is not None:
                batch.append(record)
            if len(batch) >= _AT_ONCE:
                taken += _write(database, batch)
                batch = []
        taken += _write(database, batch)
    point("spool.taken_in")
    os.unlink(path)
    return taken


def _write(database: Database, batch: list[dict[str, Any]]) -> int:
    def work(conn: Connection) -> None:
        for record in batch:
            write_spooled(conn, record)

    if batch:
        database.write(work)
    return len(batch)


def _parsed(line: str) -> dict[str, Any] | None:
    try:
        record = load(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def list_spools(db_path: str) -> list[str]:
    """The spools that wait to be taken in."""
    try:
        names = os.listdir(spool_folder(db_path))
    except OSError:
        return []
    return [os.path.join(spool_folder(db_path), name) for name in sorted(names) if name.endswith(".jsonl")]
