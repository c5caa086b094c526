"""Push the sessions of a database to the hub: those that changed since the mark, or all that differ.

The database stays the truth of its sessions. A round that is killed is repeated: the mark, which is kept on the hub,
moves after everything before it was copied. One round at a time: an older snapshot must not overtake a newer one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.errors import Conflict, InvalidInput
from lionstudio.hub.connect import HubConnection
from lionstudio.machine import host_name, machine_id
from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.embeddings import find_model
from lionstudio.state.hub.copy_sessions import (
    Copied,
    CopyPlan,
    adopt_model,
    changes_of_all,
    copy_sessions,
    insert_messages,
    list_ahead,
    replace_messages,
)
from lionstudio.state.hub.machines import see_machine
from lionstudio.state.hub.marks import (
    ChangedSessions,
    FeedPosition,
    PushMark,
    find_mark,
    newest_position,
    sessions_changed_since,
    set_mark,
)
from lionstudio.state.hub.ownership import Pusher, PushRefusal, read_digests
from lionstudio.state.hub.selection import PushFilters, SelectedSession, select_sessions
from lionstudio.state.hub.session_rows import digest_of, message_chunks, read_session_rows
from lionstudio.state.sqlite.open import open_reader
from lionstudio.system.filelock import locked
from lionstudio.version import VERSION

_MOST_SESSIONS = 200  # of one transaction on the hub
_MOST_MESSAGES = 500  # of sessions that are copied together; a longer one is copied ahead, in parts

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class PushReport:
    """The result of one round. `compared`: all sessions were compared, because the change feed did not reach back."""

    compared: bool = False
    sessions: int = 0
    messages: int = 0
    refused: dict[str, PushRefusal] = field(default_factory=dict)

    def add(self, copied: Copied) -> None:
        self.sessions += copied.sessions
        self.messages += copied.messages
        self.refused |= copied.refused

    @property
    def refusals(self) -> dict[PushRefusal, int]:
        return dict(Counter(self.refused.values()))


class Pending(NamedTuple):
    """The work of a round: the sessions with what changed in each; None: all are compared."""

    mark: PushMark | None
    end: FeedPosition
    changed: ChangedSessions | None
    selected: list[SelectedSession]


def this_machine() -> tuple[str, str]:
    """The id and the name of this machine."""
    id_ = machine_id()
    if id_ is None:
        raise InvalidInput(
            "this system has no machine id, which tells the machines of a hub apart",
            hint="export LIONAGI_MACHINE_ID=$(uuidgen), the same value each time",
        )
    return id_, host_name() or id_[:8]


class Push:
    """The push of one database to one hub."""

    def __init__(
        self, path: str, hub: HubConnection, filters: PushFilters, progress: Progress = lambda done, total: None
    ) -> None:
        self._path = path
        self._hub = hub
        self._filters = filters
        self._progress = progress
        self._embeddings = False
        self._machine, self._name = this_machine()
        self._pusher = Pusher(self._machine, os.path.realpath(path))

    def beat(self) -> None:
        """Tell the hub that this machine is there."""
        self._hub.write(lambda conn: see_machine(conn, self._machine, self._name, VERSION))

    def run(self) -> PushReport:
        """Push once; when this returns, the hub has all that was committed here before."""
        with locked(os.path.join(os.path.dirname(self._pusher.path), "run", "hub-push.lock")):
            self.beat()
            with self._reader() as conn:
                pending = self._pending(conn)
                model = find_model(conn) if pending.selected else None
            # vectors of two models cannot be compared
            self._embeddings = model is not None and self._hub.write(lambda hub: adopt_model(hub, model))
            report = PushReport(compared=pending.changed is None)
            done, total = 0, len(pending.selected)
            for batch in _batches(pending.selected):
                self._progress(done, total)
                report.add(self._push(batch, pending.changed))
                point("push.batch")
                done += len(batch)
            self._progress(total, total)
            mark = PushMark(pending.end, self._filters.key)
            if mark != pending.mark:
                self._hub.write(lambda conn: set_mark(conn, *self._pusher, mark))
            return report

    def find_mark(self) -> PushMark | None:
        """How far this database was pushed; None before the first time."""
        return self._hub.read(lambda hub: find_mark(hub, *self._pusher))

    def pending(self) -> Pending:
        """The sessions that a round would push or compare now."""
        with self._reader() as conn:
            return self._pending(conn)

    def _pending(self, conn: Connection) -> Pending:
        mark = self.find_mark()
        # first the end of the feed, then rows: what is committed in between is pushed now and again
        end = newest_position(conn)
        changed = None
        if mark is not None and mark.filters == self._filters.key:
            changed = {} if mark.position == end else sessions_changed_since(conn, mark.position, end.seq)
        selected = select_sessions(conn, self._filters, changed) if changed is None or changed else []
        return Pending(mark, end, changed, selected)

    @contextmanager
    def _reader(self) -> Iterator[Connection]:
        """One snapshot of the database; each batch has its own, so that its log can be checkpointed."""
        with plain_errors(self._path):
            conn = open_reader(self._path)
            try:
                conn.execute("BEGIN")
                yield conn
            finally:
                conn.rollback()
                conn.close()

    def _push(self, batch: list[SelectedSession], changed: ChangedSessions | None) -> Copied:
        ids = [session.id for session in batch]
        with self._reader() as conn:
            plan = self._plan(conn, ids, changed)
            if not plan.changes:
                return Copied(0, 0, {})
            try:
                self._copy_ahead(conn, plan)
                return self._hub.write(copy_sessions(conn, plan))
            except (InvalidInput, Conflict):
                if len(batch) == 1:
                    return Copied(0, 0, {ids[0]: PushRefusal.INVALID})
        # one bad row must not keep the others from the hub
        each = [self._push([session], changed) for session in batch]
        refused = {id_: reason for copied in each for id_, reason in copied.refused.items()}
        return Copied(sum(one.sessions for one in each), sum(one.messages for one in each), refused)

    def _plan(self, conn: Connection, ids: list[str], changed: ChangedSessions | None) -> CopyPlan:
        embeddings = self._embeddings
        if changed is not None:
            return CopyPlan(self._pusher, {id_: changed[id_] for id_ in ids}, {}, embeddings)
        rows = read_session_rows(conn, ids)
        stored = self._hub.read(lambda hub: read_digests(hub, self._pusher, ids))
        digests = {
            id_: digest
            for id_ in ids
            if (id_,) in rows.sessions
            and (digest := digest_of(conn, rows, id_, with_embeddings=embeddings)) != stored.get(id_)
        }
        return CopyPlan(self._pusher, changes_of_all(digests), digests, embeddings)

    def _copy_ahead(self, conn: Connection, plan: CopyPlan) -> None:
        """Copy many messages in transactions of their own: others write to the hub too."""
        ahead = self._hub.read(lambda hub: list_ahead(conn, hub, plan))
        if len(ahead.missing) > _MOST_MESSAGES:
            for rows in message_chunks(conn, ahead.missing):
                self._hub.write(lambda hub, rows=rows: insert_messages(hub, plan, rows))  # type: ignore[misc]
                point("push.ahead")
        for rows in message_chunks(conn, ahead.replaced):
            self._hub.write(lambda hub, rows=rows: replace_messages(hub, plan, rows))  # type: ignore[misc]


def _batches(sessions: list[SelectedSession]) -> Iterator[list[SelectedSession]]:
    """Few sessions with many messages, or many with few."""
    batch: list[SelectedSession] = []
    messages = 0
    for session in sessions:
        if batch and (len(batch) == _MOST_SESSIONS or messages + session.messages > _MOST_MESSAGES):
            yield batch
            batch, messages = [], 0
        batch.append(session)
        messages += session.messages
    if batch:
        yield batch
