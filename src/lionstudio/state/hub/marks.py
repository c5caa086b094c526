"""How far the change feed of a database was pushed, and the sessions that changed since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from lionstudio.model.json_codec import dump
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change, changes_after


class FeedPosition(NamedTuple):
    """A row of a change feed. Another file, or an older copy of this one, has another row under the same number."""

    seq: int
    row_at: float | None
    row_id: str | None


class PushMark(NamedTuple):
    position: FeedPosition
    filters: str


_NEWEST = "SELECT seq, at, entity_id FROM changes ORDER BY seq DESC LIMIT 1"
_ROW = "SELECT seq, at, entity_id FROM changes WHERE seq = :seq"


def newest_position(conn: Connection) -> FeedPosition:
    """The end of the feed; a caller that reads rows afterwards has everything up to it."""
    row = conn.one(_NEWEST)
    return FeedPosition(0, None, None) if row is None else FeedPosition(*row)


def is_in_feed(conn: Connection, position: FeedPosition) -> bool:
    """Whether this feed has exactly that row; a trimmed one cannot be told from another."""
    row = conn.one(_ROW, {"seq": position.seq})
    return row is not None and FeedPosition(*row) == position


_MARK = """
SELECT seq, row_at, row_id, filters FROM push_marks WHERE machine_id = :machine_id AND path = :path
"""
_SET_MARK = """
INSERT INTO push_marks (machine_id, path, seq, row_at, row_id, filters, pushed_at)
VALUES (?, ?, ?, ?, ?, ?, (julianday('now') - 2440587.5) * 86400.0)
ON CONFLICT (machine_id, path) DO UPDATE SET seq = excluded.seq, row_at = excluded.row_at, row_id = excluded.row_id,
  filters = excluded.filters, pushed_at = excluded.pushed_at
"""


def find_mark(hub: Connection, machine_id: str, path: str) -> PushMark | None:
    row = hub.one(_MARK, {"machine_id": machine_id, "path": path})
    return None if row is None else PushMark(FeedPosition(*row[:3]), row[3])


def set_mark(hub: Connection, machine_id: str, path: str, mark: PushMark) -> None:
    hub.run(_SET_MARK, (machine_id, path, *mark.position, mark.filters))


@dataclass(slots=True)
class SessionChange:
    """The parts of a session that a push compares beside its rows and the ends of its progressions."""

    order: bool = False  # positions in the middle may have changed
    embeddings: bool = False
    messages: set[str] = field(default_factory=set)  # whose content changed

    def merge(self, other: SessionChange) -> None:
        self.order |= other.order
        self.embeddings |= other.embeddings
        self.messages |= other.messages


ChangedSessions = dict[str, SessionChange]

# the sessions of messages and of the owners of mailboxes: a session, or a branch of it
_OF_MESSAGES = """
SELECT i.message_id, s.id FROM json_each(:ids) j JOIN progression_items i ON i.message_id = j.value
  JOIN progression_heads h ON h.pk = i.prog JOIN sessions s ON s.progression_id = h.id
"""
_OF_OWNERS = """
SELECT s.id FROM json_each(:ids) j JOIN sessions s ON s.id = j.value
UNION SELECT b.session_id FROM json_each(:ids) j JOIN branches b ON b.id = j.value
"""
_SENDERS = "SELECT m.sender FROM json_each(:ids) j JOIN messages m ON m.id = j.value WHERE m.sender IS NOT NULL"


def sessions_changed_since(conn: Connection, position: FeedPosition, upto: int) -> ChangedSessions | None:
    """The sessions with changes after a position, each with what changed; None when rows of the feed are missing."""
    if not is_in_feed(conn, position):
        return None
    changed: ChangedSessions = {}
    last = position.seq
    while last < upto:
        changes = changes_after(conn, last)
        if changes.resync:
            return None
        _collect(conn, changes.rows, changed)
        last = changes.last_seq
        if not changes.rows:
            break
    return changed


def _collect(conn: Connection, rows: Iterable[Change], changed: ChangedSessions) -> None:
    updated: list[str] = []
    sent: list[str] = []
    recipients: list[str] = []
    for row in rows:
        match row.entity, row.kind:
            case "session", "deleted":
                changed.pop(row.entity_id, None)
            case "session", kind:
                change = SessionChange(order=kind == "appended", embeddings=kind == "embedded")
                _add(changed, row.entity_id, change)
            case "message", "sent":
                sent.append(row.entity_id)
                recipients += [row.parent_id] if row.parent_id else []
            case "message", "updated":
                updated.append(row.entity_id)
            case (("message" | "branch" | "question"), _) if row.parent_id:
                _add(changed, row.parent_id, SessionChange())
            case _:
                pass
    for message_id, session_id in conn.all(_OF_MESSAGES, {"ids": dump(updated)}) if updated else ():
        _add(changed, session_id, SessionChange(messages={message_id}))
    if sent:
        senders = [sender for (sender,) in conn.all(_SENDERS, {"ids": dump(sent)})]
        for (session_id,) in conn.all(_OF_OWNERS, {"ids": dump([*recipients, *senders])}):
            _add(changed, session_id, SessionChange())


def _add(changed: ChangedSessions, session_id: str, change: SessionChange) -> None:
    changed.setdefault(session_id, SessionChange()).merge(change)
