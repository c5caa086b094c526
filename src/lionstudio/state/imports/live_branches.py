"""Branches of live runs that a transcript completes: find them, insert messages, correct their usage."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.crash import point
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.messages import Message
from lionstudio.model.usage import Usage
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import move_taken
from lionstudio.state.feed.changes import record_change
from lionstudio.state.imports.lookup import ids_in
from lionstudio.state.messages.append_cursor import cursor_of, insert_positions
from lionstudio.state.messages.append_many import existing_ids
from lionstudio.state.messages.rows import INSERT_MESSAGE, to_row
from lionstudio.state.row_values import integer_in
from lionstudio.state.upkeep.liveness import proof_of
from lionstudio.state.usage.ledger import rebuild_ledger

_SPAN_BEFORE, _SPAN_AFTER = 1.0, 5.0  # seconds that clocks and buffers may differ


class LiveBranch(NamedTuple):
    """A branch of a live run, with the time of the run."""

    id: str
    session_id: str
    started_at: float
    ended_at: float | None  # None while it is running
    metadata: Mapping[str, Any]

    @property
    def is_lane(self) -> bool:
        """True for the branch of a sub-agent."""
        return "lane" in self.metadata

    def has_started(self, at: float) -> bool:
        return self.started_at - _SPAN_BEFORE <= at

    def spans(self, at: float) -> bool:
        """True if the run was active at this time."""
        return self.has_started(at) and (self.ended_at is None or at <= self.ended_at + _SPAN_AFTER)


_BRANCH = """
SELECT b.id, b.session_id, coalesce(s.started_at, s.created_at), s.ended_at, b.node_metadata
  FROM branches b JOIN sessions s ON s.id = b.session_id
"""
# a run that was imported with its database is the same run
_RECORDED = "s.source_kind IN ('live', 'imported_db')"
_BY_CONVERSATION = f"{_BRANCH} WHERE b.conversation_id = :conversation AND {_RECORDED} ORDER BY b.created_at, b.id"
_BY_SESSION = f"{_BRANCH} WHERE b.session_id = :session ORDER BY b.created_at, b.id"
_BY_ID = f"{_BRANCH} WHERE b.id = :id AND {_RECORDED}"


def list_live_branches(conn: Connection, conversation: str) -> list[LiveBranch]:
    """The branches of live runs that recorded a conversation, oldest first."""
    return [_live_branch(row) for row in conn.all(_BY_CONVERSATION, {"conversation": conversation})]


def list_session_branches(conn: Connection, session_id: str) -> list[LiveBranch]:
    return [_live_branch(row) for row in conn.all(_BY_SESSION, {"session": session_id})]


def find_live_branch(conn: Connection, branch_id: str) -> LiveBranch | None:
    row = conn.one(_BY_ID, {"id": branch_id})
    return None if row is None else _live_branch(row)


def _live_branch(row: Sequence[Any]) -> LiveBranch:
    metadata = load_or_keep(row[4])
    return LiveBranch(row[0], row[1], row[2], row[3], metadata if isinstance(metadata, dict) else {})


class HeldConversations(NamedTuple):
    """Conversations that a living run records at this moment: the run completes them itself when it ends."""

    conversations: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()  # of runs whose conversation is not known yet


_RUNNING = """
SELECT s.id, s.owner, s.cwd, b.conversation_id,
       CASE WHEN json_valid(b.node_metadata) THEN b.node_metadata ->> '$.provider' END
  FROM sessions s LEFT JOIN branches b ON b.session_id = s.id
 WHERE s.status = 'running' AND s.source_kind = 'live'
"""


def list_held(conn: Connection, tool: str) -> HeldConversations:
    conversations, folders = set(), set()
    alive: dict[str, bool] = {}
    for session_id, owner, cwd, conversation, provider in conn.all(_RUNNING):
        if session_id not in alive:
            alive[session_id] = proof_of({"id": session_id, "owner": owner}).answer == "alive"
        if alive[session_id] and conversation:
            conversations.add(str(conversation))
        elif alive[session_id] and cwd and provider in (tool, None):
            folders.add(os.path.realpath(str(cwd)))
    return HeldConversations(frozenset(conversations), frozenset(folders))


_ALIASES = "SELECT a.alias, a.message_id FROM json_each(:ids) j JOIN message_aliases a ON a.alias = j.value"
_ALIAS = "SELECT message_id FROM message_aliases WHERE alias = :id"
_MATCHED = "SELECT a.message_id FROM json_each(:ids) j JOIN message_aliases a ON a.message_id = j.value"
_ADD_ALIAS = "INSERT INTO message_aliases (alias, message_id) VALUES (:alias, :id) ON CONFLICT (alias) DO NOTHING"
_SET_METADATA = "UPDATE messages SET node_metadata = :metadata WHERE id = :id"
_SESSION_OF_MESSAGE = """
SELECT s.id FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
  JOIN sessions s ON s.progression_id = h.id
 WHERE i.message_id = :id ORDER BY s.pk LIMIT 1
"""


def stored_ids(conn: Connection, ids: Sequence[str]) -> dict[str, str]:
    """The stored message of each record that the database has, under its own id or under a live run's."""
    stored = {id_: id_ for id_ in existing_ids(conn, ids)}
    return stored | {str(row[0]): str(row[1]) for row in conn.all(_ALIASES, {"ids": dump(list(ids))})}


def find_alias(conn: Connection, message_id: str) -> str | None:
    """The message that a live run stored for this record."""
    stored = conn.value(_ALIAS, {"id": message_id})
    return None if stored is None else str(stored)


def matched_ids(conn: Connection, ids: Sequence[str]) -> set[str]:
    """The messages among these that a record of a transcript was matched with."""
    return {row[0] for row in conn.all(_MATCHED, {"ids": dump(list(ids))})}


def add_alias(conn: Connection, alias: str, message_id: str) -> None:
    conn.execute(_ADD_ALIAS, {"alias": alias, "id": message_id})


def set_message_metadata(conn: Connection, message_id: str, metadata: Mapping[str, Any]) -> None:
    conn.execute(_SET_METADATA, {"id": message_id, "metadata": dump(dict(metadata), "metadata")})
    record_change(conn, "updated", "message", message_id, conn.value(_SESSION_OF_MESSAGE, {"id": message_id}))


class Insertion(NamedTuple):
    """A message with its place: after which messages of its branch and of its session; None is before all others."""

    branch_id: str
    message: Message
    after: str | None
    session_after: str | None


def insert_messages(conn: Connection, session_id: str, insertions: Sequence[Insertion]) -> int:
    """Insert messages into branches of one session at their places; returns how many were new there."""
    if not insertions:
        return 0
    for insertion in insertions:
        conn.run(INSERT_MESSAGE, to_row(conn, insertion.message))
    point("complete.inserted")
    branch_ids = list(dict.fromkeys(insertion.branch_id for insertion in insertions))
    for branch_id in branch_ids:
        prog = cursor_of(conn, branch_id).prog
        pairs = [(item.message.id, item.after) for item in insertions if item.branch_id == branch_id]
        old, new = _splice(conn, prog, pairs)
        _move_forks(conn, branch_id, old, new)
    prog = cursor_of(conn, branch_ids[0]).session.prog
    old, new = _splice(conn, prog, [(item.message.id, item.session_after) for item in insertions])
    move_taken(conn, session_id, old, new)
    update_pointers(conn, session_id, prog)
    point("complete.placed")
    conn.forget_cursors()
    return len(new) - len(old)


def _splice(conn: Connection, prog: int, pairs: Sequence[tuple[str, str | None]]) -> tuple[list[str], list[str]]:
    """Insert ids after others; returns the order before and after."""
    old = list(ids_in(conn, prog))
    places = set(old)
    following: dict[str | None, list[str]] = {}
    for id_, after in pairs:
        if id_ not in places:
            anchor = after if after is None or after in places else (old[-1] if old else None)
            following.setdefault(anchor, []).append(id_)
            places.add(id_)
    new: list[str] = []
    for anchor in (None, *old):
        waiting = [] if anchor is None else [anchor]
        waiting += following.get(None, []) if anchor is None else []
        while waiting:
            id_ = waiting.pop(0)
            new.append(id_)
            waiting = following.get(id_, []) + waiting
    first = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
    write_order(conn, prog, new[first:], start=first)
    return old, new


_DELETE_FROM = "DELETE FROM progression_items WHERE prog = :prog AND ord >= :start"


def write_order(conn: Connection, prog: int, ids: Sequence[str], *, start: int) -> None:
    """Write the end of a progression anew, from an ord on."""
    conn.execute(_DELETE_FROM, {"prog": prog, "start": start})
    insert_positions(conn, prog, start, ids)


_FORKED_AT = integer_in("node_metadata", "$.forked_at_ord")
_FORKS = f"SELECT id, {_FORKED_AT} FROM branches WHERE parent_branch_id = :branch"  # noqa: S608  (ours)
_SET_FORK = """
UPDATE branches SET node_metadata = json_set(node_metadata, '$.parent_branch_id', :parent, '$.forked_at_ord', :ord)
 WHERE id = :id
"""


def _move_forks(conn: Connection, branch_id: str, old: Sequence[str], new: Sequence[str]) -> None:
    """Keep the forks of a branch at their message; a fork from its end stays at its end."""
    if len(old) == len(new):
        return
    places = {id_: ord_ for ord_, id_ in enumerate(new)}
    for child, ord_ in conn.all(_FORKS, {"branch": branch_id}):
        if isinstance(ord_, int) and 0 <= ord_ < len(old):
            moved = len(new) - 1 if ord_ == len(old) - 1 else places[old[ord_]]
            conn.execute(_SET_FORK, {"id": child, "parent": branch_id, "ord": moved})


_POINTERS = """
UPDATE sessions SET
  message_count = (SELECT count(*) FROM progression_items WHERE prog = :prog),
  first_msg_id = (SELECT i.message_id FROM progression_items i JOIN messages m ON m.id = i.message_id
                   WHERE i.prog = :prog ORDER BY i.ord LIMIT 1),
  last_msg_id = (SELECT i.message_id FROM progression_items i JOIN messages m ON m.id = i.message_id
                  WHERE i.prog = :prog ORDER BY i.ord DESC LIMIT 1),
  last_message_at = (SELECT max(m.created_at) FROM progression_items i JOIN messages m ON m.id = i.message_id
                      WHERE i.prog = :prog)
 WHERE id = :id
"""
# the order changed in the middle: a page that shows the session reads it again
_CHANGED = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord)
VALUES ((julianday('now') - 2440587.5) * 86400.0, 'appended', 'session', :id, NULL,
        (SELECT max(ord) FROM progression_items WHERE prog = :prog))
"""


def update_pointers(conn: Connection, session_id: str, prog: int) -> None:
    """Count the messages of a session again, after its order was rewritten."""
    conn.execute(_POINTERS, {"id": session_id, "prog": prog})
    conn.execute(_CHANGED, {"id": session_id, "prog": prog})


_SUMS = ", ".join(
    f"sum({used})" if name == "cost_microusd" else f"coalesce(sum({used}), 0)"
    for name in Usage._fields
    for used in (integer_in("m.node_metadata", f"$.usage.{name}"),)
)
_COUNT_USAGE = f"""
UPDATE branches SET (input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_microusd) =
  (SELECT {_SUMS}
     FROM progression_heads h JOIN progression_items i ON i.prog = h.pk JOIN messages m ON m.id = i.message_id
    WHERE h.id = branches.progression_id AND json_valid(m.node_metadata))
 WHERE id = :id
"""  # noqa: S608  (ours)
_SUM_USAGE = """
UPDATE sessions SET (input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_microusd) =
  (SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cache_read_tokens), 0),
          coalesce(sum(cache_write_tokens), 0), sum(cost_microusd)
     FROM branches WHERE session_id = sessions.id)
 WHERE id = :id
"""


def count_usage(conn: Connection, branch_ids: Iterable[str], session_ids: Iterable[str]) -> None:
    """Count the usage of branches from their messages, and that of sessions from their branches."""
    for branch_id in branch_ids:
        conn.execute(_COUNT_USAGE, {"id": branch_id})
    for session_id in session_ids:
        conn.execute(_SUM_USAGE, {"id": session_id})
        rebuild_ledger(conn, session_id)
        record_change(conn, "updated", "session", session_id)


_LAST_BEFORE = """
SELECT i.message_id FROM sessions s JOIN progression_heads h ON h.id = s.progression_id
  JOIN progression_items i ON i.prog = h.pk JOIN messages m ON m.id = i.message_id
 WHERE s.id = :session AND m.created_at <= :at ORDER BY i.ord DESC LIMIT 1
"""
_BEFORE_BRANCH = """
SELECT p.message_id FROM branches b
  JOIN progression_heads bh ON bh.id = b.progression_id
  JOIN progression_items first ON first.prog = bh.pk AND first.ord = 0
  JOIN sessions s ON s.id = b.session_id
  JOIN progression_heads sh ON sh.id = s.progression_id
  JOIN progression_items i ON i.prog = sh.pk AND i.message_id = first.message_id
  LEFT JOIN progression_items p ON p.prog = sh.pk AND p.ord = i.ord - 1
 WHERE b.id = :branch
"""


def place_before_branch(conn: Connection, branch_id: str, session_id: str, at: float) -> str | None:
    """The message of a session after which the start of a branch stands; by time for an empty branch."""
    row = conn.one(_BEFORE_BRANCH, {"branch": branch_id})
    if row is not None:
        return None if row[0] is None else str(row[0])
    last = conn.value(_LAST_BEFORE, {"session": session_id, "at": at})
    return None if last is None else str(last)
