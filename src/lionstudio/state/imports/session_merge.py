"""Whole sessions at once, for importers: messages, their order, counters and one change row, in one transaction.

What is here already stays as it is; only what is missing is added, so the same again writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lionstudio.crash import point
from lionstudio.model.branches import Branch
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, visible
from lionstudio.model.sessions import COUNTED_COLUMNS, SESSION_COLUMNS, Session
from lionstudio.model.usage import NOTHING, Usage
from lionstudio.state.connection import Connection, Row
from lionstudio.state.imports.existing import find_branch_end, find_existing, ids_in
from lionstudio.state.imports.import_stats import ImportStats
from lionstudio.state.messages.append_cursor import insert_positions, next_ord
from lionstudio.state.messages.counters import CounterUpdate, update_branch_usage, update_session_counters
from lionstudio.state.messages.rows import INSERT_MESSAGE
from lionstudio.state.row_values import insert_statement
from lionstudio.state.sessions import to_row

_FETCH = 500  # ids asked for at once; rows arrive one by one


_CHECKPOINT_FRAMES = 10_000  # 40 MB: an import writes the same index pages again and again before they are folded back
_CACHE = "PRAGMA cache_size = -32000"  # 32 MB: ids of other tools fall anywhere in an index


def tune_for_import(conn: Connection) -> None:
    """Prepare a connection for an import; SQLite only, and lost when it closes."""
    conn.raw.wal_autocheckpoint(_CHECKPOINT_FRAMES)
    conn.execute(_CACHE)


@dataclass(slots=True)
class IncomingBranch:
    """A branch to be added, and the ids of its own messages in order."""

    branch: Branch
    progression_id: str
    order: Sequence[str]
    usage: Usage | None = None  # None: the sum of its messages
    unreadable: str | None = None  # an order that was no list, kept as it was


@dataclass(slots=True)
class Incoming:
    """A session to be added or completed, and where its messages come from."""

    session: Session
    progression_id: str
    order: Sequence[str]
    branches: Sequence[IncomingBranch]
    fetch: Callable[[Connection, Sequence[str]], Iterable[Row]]  # rows as messages.INSERT takes them
    refresh: Callable[[Session], Session | None] = lambda here: None  # a better row than the one that is here
    unreadable: str | None = None


@dataclass(slots=True)
class MergePlan:
    """What is missing; made by `compare`, carried out by `merge`."""

    here: Session | None
    session_ids: list[str]
    fresh: list[IncomingBranch] = field(default_factory=list)
    longer: list[tuple[str, int | None, list[str]]] = field(default_factory=list)  # branch, progression, new ids
    row: Session | None = None

    @property
    def changes(self) -> bool:
        """Whether anything is to be written."""
        return self.here is None or bool(self.session_ids or self.fresh or self.longer or self.row)


class MergeReport(NamedTuple):
    """What was done: the session as it is called here, and how many messages it gained."""

    session_id: str
    new: bool
    changed: bool
    messages: int


def compare(conn: Connection, incoming: Incoming, here: Session | None) -> MergePlan:
    """What a merge into the session `here` (None: a new one) would add."""
    known = _order_of(conn, _session_prog(conn, here.id) if here else None)
    plan = MergePlan(here, _missing(incoming.order, known))
    for branch in incoming.branches:
        place = find_branch_end(conn, branch.branch.id)
        if place is None:
            plan.fresh.append(branch)
        elif here is not None and place.session_id == here.id:
            missing = _missing(branch.order, _order_of(conn, place.prog))
            if missing:
                plan.longer.append((branch.branch.id, place.prog, missing))
        # else: another session has it here; its messages are shared, the branch itself is not moved
    if here is not None:
        plan.row = incoming.refresh(here)
    return plan


def merge(conn: Connection, incoming: Incoming, here: Session | None) -> MergeReport:
    """Add what is missing; the caller's transaction makes it one."""
    plan = compare(conn, incoming, here)
    session_id = here.id if here else incoming.session.id
    if not plan.changes:
        return MergeReport(session_id, new=False, changed=False, messages=0)
    session = None if here else to_row(incoming.session)  # refused before anything is written
    branches = [_branch_row(branch, session_id) for branch in plan.fresh]
    arrived = ImportStats()
    _bring_messages(conn, incoming, plan, arrived)
    point("import.messages")
    prog = _session_prog(conn, here.id) if here else None
    if prog is None:
        prog = _head(conn, incoming.progression_id, incoming.session.created_at, incoming.unreadable)
    _extend(conn, prog, plan.session_ids)
    point("import.placed")
    if session is not None:
        _insert_session(conn, incoming, session, prog, arrived)
    else:
        _complete_session(conn, session_id, prog, incoming.progression_id, plan, arrived)
    point("import.session")
    for branch, row in zip(plan.fresh, branches, strict=True):
        _insert_branch(conn, branch, row, arrived)
    for branch_id, branch_prog, ids in plan.longer:
        _extend_branch(conn, branch_id, branch_prog, ids, incoming.session.created_at, arrived)
    conn.forget_cursors()
    point("import.merged")
    return MergeReport(session_id, new=here is None, changed=True, messages=len(plan.session_ids))


def _session_prog(conn: Connection, session_id: str) -> int | None:
    found = find_existing(conn, session_id)
    return None if found is None else found.prog


def _order_of(conn: Connection, prog: int | None) -> set[str]:
    return set() if prog is None else set(ids_in(conn, prog))


def _missing(order: Sequence[str], known: set[str]) -> list[str]:
    return list(order) if not known else [id_ for id_ in dict.fromkeys(order) if id_ not in known]


# ── Messages ─────────────────────────────────────────────────────────────


def _bring_messages(conn: Connection, incoming: Incoming, plan: MergePlan, arrived: ImportStats) -> None:
    orders = [plan.session_ids, *(b.order for b in plan.fresh), *(ids for _, _, ids in plan.longer)]
    wanted = list(dict.fromkeys(id_ for order in orders for id_ in order))
    for start in range(0, len(wanted), _FETCH):
        rows = incoming.fetch(conn, wanted[start : start + _FETCH])
        conn.many(INSERT_MESSAGE, arrived.watch(rows))


_ADD_HEAD = """
INSERT INTO progression_heads (id, created_at, unreadable) VALUES (:id, :at, :unreadable) ON CONFLICT (id) DO NOTHING
"""
_HEAD = "SELECT pk FROM progression_heads WHERE id = :id"


def _head(conn: Connection, progression_id: str, at: float, unreadable: str | None) -> int:
    id_ = check_id(progression_id, "progression id")
    conn.execute(_ADD_HEAD, {"id": id_, "at": at, "unreadable": unreadable})
    return int(conn.value(_HEAD, {"id": id_}))


def _extend(conn: Connection, prog: int, ids: Sequence[str]) -> None:
    """Put ids at the end; those that a session or branch with the same progression brought stand there already."""
    if ids:
        insert_positions(conn, prog, next_ord(conn, prog), _missing(ids, _order_of(conn, prog)))


# ── Sessions ─────────────────────────────────────────────────────────────

_INSERT_SESSION = insert_statement("sessions", SESSION_COLUMNS)
# an id may keep its place without a message; the pointers need one that exists
_FIRST = """
SELECT i.message_id FROM progression_items i JOIN messages m ON m.id = i.message_id
 WHERE i.prog = :prog ORDER BY i.ord LIMIT 1
"""
_LAST = """
SELECT i.message_id FROM progression_items i JOIN messages m ON m.id = i.message_id
 WHERE i.prog = :prog ORDER BY i.ord DESC LIMIT 1
"""


def _insert_session(conn: Connection, incoming: Incoming, row: dict[str, Any], prog: int, arrived: ImportStats) -> None:
    session = incoming.session
    last_at = session.last_message_at if session.last_message_at is not None else arrived.last_at
    usage = session.usage if session.usage != NOTHING else arrived.total(incoming.order)
    row |= usage._asdict() | _pointers(conn, prog)
    row |= {
        "progression_id": incoming.progression_id,
        "message_count": next_ord(conn, prog),
        "last_message_at": last_at,
        "updated_at": _newest(session.updated_at, session.ended_at, last_at, session.created_at),
    }
    conn.execute(_INSERT_SESSION, row)


def _pointers(conn: Connection, prog: int) -> dict[str, Any]:
    return {"first_msg_id": conn.value(_FIRST, {"prog": prog}), "last_msg_id": conn.value(_LAST, {"prog": prog})}


def _newest(given: float | None, *others: float | None) -> float:
    return given if given is not None else max(at for at in others if at is not None)


_GIVE_PROGRESSION = "UPDATE sessions SET progression_id = :progression WHERE id = :id AND progression_id IS NULL"
_ANNOUNCE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord)
VALUES ((julianday('now') - 2440587.5) * 86400.0, 'appended', 'session', :id, NULL, :ord)
"""
_KEPT_COLUMNS = ("id", "created_at", "progression_id", "last_message_at", *COUNTED_COLUMNS)
_REPLACED_COLUMNS = tuple(name for name in SESSION_COLUMNS if name not in _KEPT_COLUMNS)
_REPLACE = f"UPDATE sessions SET {', '.join(f'{name} = :{name}' for name in _REPLACED_COLUMNS)} WHERE id = :id"  # noqa: S608


def _complete_session(
    conn: Connection, session_id: str, prog: int, progression_id: str, plan: MergePlan, arrived: ImportStats
) -> None:
    if plan.row is not None:
        conn.execute(_REPLACE, to_row(plan.row))
    if not plan.session_ids:
        return
    conn.execute(_GIVE_PROGRESSION, {"id": session_id, "progression": progression_id})
    first, last = _pointers(conn, prog).values()
    used = arrived.total(plan.session_ids)
    update_session_counters(conn, session_id, CounterUpdate(len(plan.session_ids), first, last, arrived.last_at, used))
    # one row for all of them: whoever shows the session reads it again
    conn.execute(_ANNOUNCE, {"id": session_id, "ord": next_ord(conn, prog) - 1})


# ── Branches ─────────────────────────────────────────────────────────────

_INSERT_BRANCH = """
INSERT INTO branches (id, created_at, node_metadata, user, name, session_id, progression_id, system_msg_id,
                      input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_microusd)
VALUES (:id, :created_at, :node_metadata, :user, :name, :session_id, :progression_id,
        (SELECT id FROM messages WHERE id = :system_msg_id),
        :input_tokens, :output_tokens, :cache_read_tokens, :cache_write_tokens, :cost_microusd)
"""


def _branch_row(incoming: IncomingBranch, session_id: str) -> dict[str, Any]:
    branch = incoming.branch
    return {
        "id": check_id(branch.id, "branch id"),
        "created_at": float(branch.created_at),
        "node_metadata": dump(dict(branch.metadata), "metadata") if branch.metadata else None,
        "user": branch.user and visible(branch.user),
        "name": branch.name and visible(branch.name),
        "session_id": session_id,
        "progression_id": check_id(incoming.progression_id, "progression id"),
        "system_msg_id": branch.system_msg_id,
    }


def _insert_branch(conn: Connection, incoming: IncomingBranch, row: dict[str, Any], arrived: ImportStats) -> None:
    prog = _head(conn, incoming.progression_id, incoming.branch.created_at, incoming.unreadable)
    _extend(conn, prog, incoming.order)
    usage = incoming.usage if incoming.usage is not None else arrived.total(incoming.order)
    row["system_msg_id"] = row["system_msg_id"] or arrived.system_in(incoming.order)
    conn.execute(_INSERT_BRANCH, row | usage._asdict())


_OWN_PROGRESSION = "UPDATE branches SET progression_id = :progression WHERE id = :id"


def _extend_branch(
    conn: Connection, branch_id: str, prog: int | None, ids: list[str], at: float, arrived: ImportStats
) -> None:
    if prog is None:  # a fork that had said nothing yet
        progression = f"{branch_id}.order"
        prog = _head(conn, progression, at, None)
        conn.execute(_OWN_PROGRESSION, {"id": branch_id, "progression": progression})
    _extend(conn, prog, ids)
    update_branch_usage(conn, branch_id, arrived.total(ids), arrived.system_in(ids))
