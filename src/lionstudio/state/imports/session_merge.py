"""Merge whole sessions, for importers: messages, their order, counters and one change row, in one transaction.

Existing rows stay; only missing ones are added, so that a repeated import writes nothing.
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
from lionstudio.state.imports.import_stats import ImportStats
from lionstudio.state.imports.lookup import find_branch_end, find_existing, ids_in
from lionstudio.state.messages.append_cursor import insert_positions, next_ord
from lionstudio.state.messages.counters import CounterUpdate, update_branch_usage, update_session_counters
from lionstudio.state.messages.rows import INSERT_MESSAGE
from lionstudio.state.row_values import insert_statement, integer_in
from lionstudio.state.runs.titles import title_of_progression
from lionstudio.state.sessions import to_row
from lionstudio.state.transitions import record_transition
from lionstudio.state.usage.ledger import add_all_spent, settle_ledger

_FETCH = 500  # ids in one call; rows arrive one by one


@dataclass(slots=True)
class IncomingBranch:
    """A branch to merge, and the ids of its own messages in order."""

    branch: Branch
    progression_id: str
    order: Sequence[str]
    usage: Usage | None = None  # None: the sum of its messages
    unreadable: str | None = None  # an order that was not a list, kept as it was


@dataclass(slots=True)
class Incoming:
    """A session to merge, and a function that fetches its messages."""

    session: Session
    progression_id: str
    order: Sequence[str]
    branches: Sequence[IncomingBranch]
    fetch: Callable[[Connection, Sequence[str]], Iterable[Row]]  # rows for INSERT_MESSAGE
    refresh: Callable[[Session], Session | None] = lambda existing: None  # a better row than the existing one
    unreadable: str | None = None


@dataclass(slots=True)
class MergePlan:
    """The missing rows; `compare` makes it, `merge` carries it out."""

    existing: Session | None
    session_ids: list[str]
    new_branches: list[IncomingBranch] = field(default_factory=list)
    extended_branches: list[tuple[str, int | None, list[str]]] = field(
        default_factory=list
    )  # branch, progression, new ids
    replacement: Session | None = None

    @property
    def changes(self) -> bool:
        return self.existing is None or bool(
            self.session_ids or self.new_branches or self.extended_branches or self.replacement
        )


class MergeReport(NamedTuple):
    """The id of the session in this database, and the number of messages it gained."""

    session_id: str
    new: bool
    changed: bool
    messages: int


def compare(conn: Connection, incoming: Incoming, existing: Session | None) -> MergePlan:
    """The rows that a merge into a session (None: a new one) would add."""
    present = _order_of(conn, _session_prog(conn, existing.id) if existing else None)
    plan = MergePlan(existing, _missing(incoming.order, present))
    for branch in incoming.branches:
        end = find_branch_end(conn, branch.branch.id)
        if end is None:
            plan.new_branches.append(branch)
        elif existing is not None and end.session_id == existing.id:
            missing = _missing(branch.order, _order_of(conn, end.prog))
            if missing:
                plan.extended_branches.append((branch.branch.id, end.prog, missing))
        # else: another session has the branch; its messages are shared, the branch is not moved
    if existing is not None:
        plan.replacement = incoming.refresh(existing)
    return plan


def merge(conn: Connection, incoming: Incoming, existing: Session | None) -> MergeReport:
    """Add the missing rows, in the caller's transaction."""
    plan = compare(conn, incoming, existing)
    session_id = existing.id if existing else incoming.session.id
    if not plan.changes:
        return MergeReport(session_id, new=False, changed=False, messages=0)
    session = None if existing else to_row(incoming.session)  # raises before anything is written
    branches = [_branch_row(branch, session_id) for branch in plan.new_branches]
    stats = ImportStats()
    _insert_messages(conn, incoming, plan, stats)
    point("import.messages")
    prog = _session_prog(conn, existing.id) if existing else None
    if prog is None:
        prog = _progression(conn, incoming.progression_id, incoming.session.created_at, incoming.unreadable)
    _extend(conn, prog, plan.session_ids, incoming.order)
    point("import.placed")
    if session is not None:
        _insert_session(conn, incoming, session, prog, stats)
    else:
        _complete_session(conn, session_id, prog, incoming.progression_id, plan, stats)
    point("import.session")
    for branch, row in zip(plan.new_branches, branches, strict=True):
        _insert_branch(conn, branch, row, stats)
    orders = {branch.branch.id: branch.order for branch in incoming.branches}
    for branch_id, branch_prog, ids in plan.extended_branches:
        _extend_branch(conn, branch_id, branch_prog, ids, orders[branch_id], incoming.session.created_at, stats)
    conn.forget_cursors()
    point("import.merged")
    return MergeReport(session_id, new=existing is None, changed=True, messages=len(plan.session_ids))


def _session_prog(conn: Connection, session_id: str) -> int | None:
    end = find_existing(conn, session_id)
    return None if end is None else end.prog


def _order_of(conn: Connection, prog: int | None) -> set[str]:
    return set() if prog is None else set(ids_in(conn, prog))


def _missing(order: Sequence[str], present: set[str]) -> list[str]:
    return list(order) if not present else [id_ for id_ in dict.fromkeys(order) if id_ not in present]


# ── Messages ─────────────────────────────────────────────────────────────


def _insert_messages(conn: Connection, incoming: Incoming, plan: MergePlan, stats: ImportStats) -> None:
    orders = [plan.session_ids, *(b.order for b in plan.new_branches), *(ids for _, _, ids in plan.extended_branches)]
    ids = list(dict.fromkeys(id_ for order in orders for id_ in order))
    for start in range(0, len(ids), _FETCH):
        rows = incoming.fetch(conn, ids[start : start + _FETCH])
        conn.many(INSERT_MESSAGE, stats.observe(rows))


_ADD_PROGRESSION = """
INSERT INTO progression_heads (id, created_at, unreadable) VALUES (:id, :at, :unreadable) ON CONFLICT (id) DO NOTHING
"""
_PROGRESSION = "SELECT pk FROM progression_heads WHERE id = :id"


def _progression(conn: Connection, progression_id: str, at: float, unreadable: str | None) -> int:
    id_ = check_id(progression_id, "progression id")
    conn.execute(_ADD_PROGRESSION, {"id": id_, "at": at, "unreadable": unreadable})
    return int(conn.value(_PROGRESSION, {"id": id_}))


_CLEAR = "DELETE FROM progression_items WHERE prog = :prog"


def _extend(conn: Connection, prog: int, ids: Sequence[str], order: Sequence[str]) -> bool:
    """Add ids that are not in the progression yet (a session and a branch may share one), in the incoming order.

    Returns True if existing messages got other positions.
    """
    if not ids:
        return False
    existing = list(ids_in(conn, prog))
    missing = _missing(ids, set(existing))
    merged = insert_missing(existing, order, missing)
    if merged[: len(existing)] == existing:
        insert_positions(conn, prog, len(existing), merged[len(existing) :])
        return False
    conn.execute(_CLEAR, {"prog": prog})
    insert_positions(conn, prog, 0, merged)
    return True


def insert_missing(existing: Sequence[str], order: Sequence[str], missing: Sequence[str]) -> list[str]:
    """The existing ids with each missing one that the other order has before a shared one at that place.

    The others are appended: this database may have continued where the other one stops.
    """
    absent, present = set(missing), set(existing)
    before: dict[str, list[str]] = {}
    pending: list[str] = []
    for id_ in dict.fromkeys(order):
        if id_ in absent:
            pending.append(id_)
        elif id_ in present and pending:
            before[id_], pending = pending, []
    placed = [id_ for anchor in existing for id_ in (*before.get(anchor, ()), anchor)]
    return [*placed, *pending, *(id_ for id_ in missing if id_ not in set(order))]


# ── Sessions ─────────────────────────────────────────────────────────────

_INSERT_SESSION = insert_statement("sessions", SESSION_COLUMNS)
# an id may have a position without a message; the pointers need a message that exists
_FIRST = """
SELECT i.message_id FROM progression_items i JOIN messages m ON m.id = i.message_id
 WHERE i.prog = :prog ORDER BY i.ord LIMIT 1
"""
_LAST = """
SELECT i.message_id FROM progression_items i JOIN messages m ON m.id = i.message_id
 WHERE i.prog = :prog ORDER BY i.ord DESC LIMIT 1
"""


def _insert_session(conn: Connection, incoming: Incoming, row: dict[str, Any], prog: int, stats: ImportStats) -> None:
    session = incoming.session
    last_at = session.last_message_at if session.last_message_at is not None else stats.last_at
    usage = session.usage if session.usage != NOTHING else stats.total(incoming.order)
    row |= usage._asdict() | _pointers(conn, prog)
    row |= {
        "progression_id": incoming.progression_id,
        "message_count": next_ord(conn, prog),
        "last_message_at": last_at,
        "updated_at": _updated_at(session, last_at),
        "title": row["title"] or title_of_progression(conn, prog),
    }
    if row["status"] is not None:
        record_transition(conn, "session", session.id, None, row["status"], by="import", reasons=session.reason_codes)
    conn.execute(_INSERT_SESSION, row)
    add_all_spent(conn, _session_pk(conn, session.id), stats.spent_on(incoming.order))
    if session.usage != NOTHING:
        settle_ledger(conn, session.id)


_PK = "SELECT pk FROM sessions WHERE id = :id"


def _session_pk(conn: Connection, session_id: str) -> int:
    return int(conn.value(_PK, {"id": session_id}))


def _pointers(conn: Connection, prog: int) -> dict[str, Any]:
    return {"first_msg_id": conn.value(_FIRST, {"prog": prog}), "last_msg_id": conn.value(_LAST, {"prog": prog})}


def _updated_at(session: Session, last_at: float | None) -> float:
    if session.updated_at is not None:
        return session.updated_at
    return max(at for at in (session.ended_at, last_at, session.created_at) if at is not None)


_SET_PROGRESSION = "UPDATE sessions SET progression_id = :progression WHERE id = :id AND progression_id IS NULL"
_INSERT_CHANGE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord)
VALUES ((julianday('now') - 2440587.5) * 86400.0, 'appended', 'session', :id, NULL, :ord)
"""
_KEPT_COLUMNS = ("id", "created_at", "progression_id", "last_message_at", "machine_id", *COUNTED_COLUMNS)
_REPLACED_COLUMNS = tuple(name for name in SESSION_COLUMNS if name not in _KEPT_COLUMNS)
_REPLACE = f"UPDATE sessions SET {', '.join(f'{name} = :{name}' for name in _REPLACED_COLUMNS)} WHERE id = :id"  # noqa: S608


def _complete_session(
    conn: Connection, session_id: str, prog: int, progression_id: str, plan: MergePlan, stats: ImportStats
) -> None:
    better, existing = plan.replacement, plan.existing
    if better is not None and existing is not None:
        if better.status is not None and better.status != existing.status:
            record_transition(
                conn, "session", session_id, existing.status, better.status, by="import", reasons=better.reason_codes
            )
        conn.execute(_REPLACE, to_row(better))
    if not plan.session_ids:
        return
    conn.execute(_SET_PROGRESSION, {"id": session_id, "progression": progression_id})
    first, last = _pointers(conn, prog).values()
    usage = stats.total(plan.session_ids)
    update_session_counters(conn, session_id, CounterUpdate(len(plan.session_ids), first, last, stats.last_at, usage))
    add_all_spent(conn, _session_pk(conn, session_id), stats.spent_on(plan.session_ids))
    # one change row for all messages: a page that shows the session reads it again
    conn.execute(_INSERT_CHANGE, {"id": session_id, "ord": next_ord(conn, prog) - 1})


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


def _insert_branch(conn: Connection, incoming: IncomingBranch, row: dict[str, Any], stats: ImportStats) -> None:
    prog = _progression(conn, incoming.progression_id, incoming.branch.created_at, incoming.unreadable)
    _extend(conn, prog, incoming.order, incoming.order)
    usage = incoming.usage if incoming.usage is not None else stats.total(incoming.order)
    row["system_msg_id"] = row["system_msg_id"] or stats.last_system_prompt(incoming.order)
    conn.execute(_INSERT_BRANCH, row | usage._asdict())


_SET_BRANCH_PROGRESSION = "UPDATE branches SET progression_id = :progression WHERE id = :id"


_FORKED_AT = integer_in("node_metadata", "$.forked_at_ord")
_FORKS = f"SELECT id, {_FORKED_AT} FROM branches WHERE parent_branch_id = :id"  # noqa: S608  (ours)
_MOVE_FORK = "UPDATE branches SET node_metadata = json_set(node_metadata, '$.forked_at_ord', :ord) WHERE id = :id"


def _extend_branch(
    conn: Connection,
    branch_id: str,
    prog: int | None,
    ids: list[str],
    order: Sequence[str],
    at: float,
    stats: ImportStats,
) -> None:
    if prog is None:  # a fork without messages of its own
        progression = f"{branch_id}.order"
        prog = _progression(conn, progression, at, None)
        conn.execute(_SET_BRANCH_PROGRESSION, {"id": branch_id, "progression": progression})
    before = list(ids_in(conn, prog))
    if _extend(conn, prog, ids, order):
        positions = {id_: ord_ for ord_, id_ in enumerate(ids_in(conn, prog))}
        for fork_id, ord_ in conn.all(_FORKS, {"id": branch_id}):
            if isinstance(ord_, int) and 0 <= ord_ < len(before):
                conn.execute(_MOVE_FORK, {"id": fork_id, "ord": positions[before[ord_]]})
    update_branch_usage(conn, branch_id, stats.total(ids), stats.last_system_prompt(ids))
