"""Copy sessions from the database that has them to the hub: afterwards every row of theirs is the same in both.

Values are bound as they are: they were redacted where they were stored first, and ids never change. What the hub has
is compared inside the transaction that writes, so a copy that was interrupted, or is repeated, writes what is missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.model.json_codec import dump
from lionstudio.model.messages import TYPE_IDS
from lionstudio.state.connection import Connection, Row
from lionstudio.state.embeddings import EmbeddingModel, find_model
from lionstudio.state.hub.marks import ChangedSessions, SessionChange
from lionstudio.state.hub.ownership import Pusher, PushRefusal, claim_sessions, list_foreign_ids, refuse_sessions
from lionstudio.state.hub.session_rows import (
    BRANCHES,
    HEADS,
    LEDGER,
    MAILBOXES,
    MESSAGES,
    QUESTIONS,
    SESSIONS,
    TAGS,
    Item,
    Rows,
    SessionRows,
    Table,
    by_key,
    message_chunks,
    read_ends,
    read_items,
    read_items_from,
    read_session_rows,
    without_embedding,
)
from lionstudio.state.messages.append import INSERT_CHANGE
from lionstudio.state.messages.rows import INSERT_MESSAGE, type_id

_MOST_CHANGE_ROWS = 200  # of new messages of one session; more are one change of the session


class CopyPlan(NamedTuple):
    """Sessions to copy from a snapshot of their database, and what changed in each; a `whole` one is compared fully."""

    pusher: Pusher
    changes: ChangedSessions
    digests: dict[str, str]  # of those that are compared fully
    embeddings: bool = False  # the vectors of both databases are of one model

    def is_whole(self, session_id: str) -> bool:
        return session_id in self.digests


class Copied(NamedTuple):
    """Numbers of what was written, and the sessions that the hub keeps as they are."""

    sessions: int
    messages: int
    refused: dict[str, PushRefusal]


_SET_MODEL = """
INSERT INTO embedding_model (model, dimensions, created_at)
SELECT ?, ?, (julianday('now') - 2440587.5) * 86400.0 WHERE NOT EXISTS (SELECT 1 FROM embedding_model)
"""


def adopt_model(hub: Connection, model: EmbeddingModel | None) -> bool:
    """Whether the vectors of this model can be pushed: the hub has vectors of it, or none yet."""
    if model is None:
        return False
    hub.run(_SET_MODEL, tuple(model))
    return find_model(hub) == model


# ── Which positions and messages are missing ─────────────────────────────


class _Order(NamedTuple):
    """The positions of a progression that the hub lacks; those from `start` on are replaced."""

    progression: str
    start: int | None  # None: only appended
    items: list[Item]


class Ahead(NamedTuple):
    """Messages that are copied before the sessions themselves, so that no transaction is long."""

    missing: list[str]
    replaced: list[str]  # of sessions that the hub has and that are compared fully


def list_ahead(local: Connection, hub: Connection, plan: CopyPlan) -> Ahead:
    """The messages that the hub does not have, and those that may differ there."""
    rows = read_session_rows(local, list(plan.changes))
    refused = _refused(hub, plan, rows)
    accepted = [key[0] for key in rows.sessions if key[0] not in refused]
    ids = dict.fromkeys(_needed(rows, _orders(local, hub, plan, rows, accepted), plan, accepted))
    existing = _existing_ids(hub, ids)
    known = {id_ for (id_,) in hub.all(_KNOWN, {"ids": dump([id_ for id_ in accepted if plan.is_whole(id_)])})}
    progressions = [id_ for session_id in known for id_ in rows.progressions_of(session_id)]
    whole = dict.fromkeys(id_ for items in read_items(local, progressions).values() for _, id_ in items)
    return Ahead(
        [id_ for id_ in ids if id_ not in existing], [id_ for id_ in whole if id_ not in ids or id_ in existing]
    )


_KNOWN = "SELECT s.id FROM json_each(:ids) j JOIN sessions s ON s.id = j.value"


def _orders(
    local: Connection, hub: Connection, plan: CopyPlan, rows: SessionRows, session_ids: Iterable[str]
) -> list[_Order]:
    whole: list[str] = []
    ends: list[str] = []
    for session_id in session_ids:
        compared = plan.is_whole(session_id) or plan.changes[session_id].order
        (whole if compared else ends).extend(rows.progressions_of(session_id))
    orders = []
    there = read_ends(hub, ends)
    for id_ in ends:
        last = there.get(id_)
        items = read_items_from(local, id_, 0 if last is None else last[0])
        if last is None:
            orders.append(_Order(id_, None, items))
        elif items and items[0] == last:
            orders.append(_Order(id_, None, items[1:]))
        else:
            whole.append(id_)
    mine, theirs = read_items(local, whole), read_items(hub, whole)
    orders += [_difference(id_, mine.get(id_, []), theirs.get(id_, [])) for id_ in whole]
    return [order for order in orders if order.items or order.start is not None]


def _difference(progression: str, mine: list[Item], theirs: list[Item]) -> _Order:
    same = 0
    while same < min(len(mine), len(theirs)) and mine[same] == theirs[same]:
        same += 1
    return _Order(progression, theirs[same][0] if same < len(theirs) else None, mine[same:])


def _needed(rows: SessionRows, orders: Iterable[_Order], plan: CopyPlan, session_ids: Iterable[str]) -> list[str]:
    ids = [id_ for order in orders for _, id_ in order.items]
    for session_id in session_ids:
        ids += [*sorted(rows.pointers_of(session_id)), *sorted(plan.changes[session_id].messages)]
    return ids


_EXISTING = "SELECT m.id FROM json_each(:ids) j JOIN messages m ON m.id = j.value"


def _existing_ids(hub: Connection, ids: Collection[str]) -> set[str]:
    return {row[0] for row in hub.all(_EXISTING, {"ids": dump(list(ids))})}


# ── Messages ─────────────────────────────────────────────────────────────

# A message that a session of another owner has too stays as it is there.
_REPLACED = tuple(name for name in MESSAGES.columns[1:] if name != "embedding")
_UPSERT_MESSAGE = f"""
INSERT INTO messages ({MESSAGES.names}) VALUES ({", ".join("?" * len(MESSAGES.columns))})
ON CONFLICT (id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _REPLACED)},
  embedding = coalesce(excluded.embedding, messages.embedding)
 WHERE (({", ".join(f"messages.{name}" for name in _REPLACED)}) IS DISTINCT FROM
        ({", ".join(f"excluded.{name}" for name in _REPLACED)})
        OR (excluded.embedding IS NOT NULL AND messages.embedding IS DISTINCT FROM excluded.embedding))
   AND NOT EXISTS (
     SELECT 1 FROM progression_items i JOIN progression_heads h ON h.pk = i.prog
       JOIN sessions s ON s.progression_id = h.id LEFT JOIN pushed_sessions p ON p.session_id = s.id
      WHERE i.message_id = messages.id
        AND (p.machine_id IS DISTINCT FROM ? OR p.path IS DISTINCT FROM ?))
"""  # noqa: S608  (the names are ours)


def insert_messages(hub: Connection, plan: CopyPlan, rows: Sequence[Row]) -> None:
    """Insert messages that the hub does not have."""
    hub.run_many(INSERT_MESSAGE, [_for_hub(hub, plan, row) for row in rows])


def replace_messages(hub: Connection, plan: CopyPlan, rows: Sequence[Row]) -> None:
    """Insert messages, and correct those that differ."""
    hub.run_many(_UPSERT_MESSAGE, [(*_for_hub(hub, plan, row), *plan.pusher) for row in rows])


def _for_hub(hub: Connection, plan: CopyPlan, row: Row) -> Row:
    """The row with the number that its class has on the hub."""
    row = row if plan.embeddings else without_embedding(row)
    return (*row[:-1], TYPE_IDS.get(row[-1]) or type_id(hub, row[-1] or ""))


_UNEMBEDDED = """
SELECT DISTINCT m.id FROM progression_heads h JOIN progression_items i ON i.prog = h.pk
  JOIN messages m ON m.id = i.message_id
 WHERE h.id IN (SELECT value FROM json_each(:ids)) AND m.embedding IS NULL
"""
_VECTORS = """
SELECT m.embedding, m.id FROM json_each(:ids) j JOIN messages m ON m.id = j.value WHERE m.embedding IS NOT NULL
"""
_SET_VECTOR = "UPDATE messages SET embedding = ? WHERE id = ? AND embedding IS NULL"


def _copy_embeddings(local: Connection, hub: Connection, progressions: Sequence[str]) -> None:
    ids = [id_ for (id_,) in hub.all(_UNEMBEDDED, {"ids": dump(list(progressions))})]
    hub.run_many(_SET_VECTOR, local.all(_VECTORS, {"ids": dump(ids)}))


# ── Sessions ─────────────────────────────────────────────────────────────


def copy_sessions(local: Connection, plan: CopyPlan) -> Callable[[Connection], Copied]:
    """The function that copies the sessions of a plan to the hub in one transaction there.

    `local` is a snapshot: the function may run twice.
    """
    rows = read_session_rows(local, list(plan.changes))
    return lambda hub: _Copy(local, hub, plan, rows).run()


def _refused(hub: Connection, plan: CopyPlan, rows: SessionRows) -> dict[str, PushRefusal]:
    machine = SESSIONS.columns.index("machine_id")
    ran_on = {key[0]: row[machine] for key, row in rows.sessions.items()}
    refused = refuse_sessions(hub, plan.pusher, ran_on)
    foreign = list_foreign_ids(
        hub,
        plan.pusher,
        [id_ for id_ in ran_on if id_ not in refused],
        [key[0] for key in rows.branches],
        [key[0] for key in rows.questions],
        [key[0] for key in rows.heads],
    )
    if foreign:
        for session_id in ran_on:
            refused.setdefault(session_id, PushRefusal.SHARED_IDS) if foreign & _ids_of(rows, session_id) else None
    return refused


def _ids_of(rows: SessionRows, session_id: str) -> set[str]:
    ids = set(rows.progressions_of(session_id))
    for table, of_table in ((BRANCHES, rows.branches), (QUESTIONS, rows.questions)):
        session = table.columns.index("session_id")
        ids |= {row[0] for row in of_table.values() if row[session] == session_id}
    return ids


def _absent_transitions(session_id: str, rows: SessionRows, there: SessionRows) -> list[Row]:
    """The entries that the hub lacks; it never changes or deletes one."""
    mine, theirs = rows.transitions.get(session_id, []), there.transitions.get(session_id, [])
    if mine[: len(theirs)] == theirs:
        absent = mine[len(theirs) :]
    else:
        counts = Counter(theirs)
        absent = []
        for entry in mine:
            if counts[entry]:
                counts[entry] -= 1
            else:
                absent.append(entry)
    return [(entry[0], session_id, *entry[1:]) for entry in absent]


class _Copy:
    def __init__(self, local: Connection, hub: Connection, plan: CopyPlan, rows: SessionRows) -> None:
        self._local, self._hub, self._plan = local, hub, plan
        self._all = rows

    def run(self) -> Copied:
        hub, plan = self._hub, self._plan
        refused = _refused(hub, plan, self._all)
        accepted = [key[0] for key in self._all.sessions if key[0] not in refused]
        if not accepted:
            return Copied(0, 0, refused)
        rows = self._owned(only(self._all, set(accepted)))
        there = self._read_hub(rows, accepted)
        claim_sessions(hub, plan.pusher, {id_: plan.digests.get(id_) for id_ in accepted})
        _write(hub, HEADS, rows.heads, there.heads, delete=False)
        pks = {id_: int(pk) for id_, pk in hub.all(_HEAD_PKS, {"ids": dump([key[0] for key in rows.heads])})}
        orders = _orders(self._local, hub, plan, rows, accepted)
        messages = self._copy_messages(rows, orders, accepted)
        for order in orders:
            if order.start is not None:
                hub.run(_CUT, (pks[order.progression], order.start))
        hub.run_many(_INSERT_ITEM, [(pks[order.progression], *item) for order in orders for item in order.items])
        point("push.placed")
        absent = [entry for session_id in accepted for entry in _absent_transitions(session_id, rows, there)]
        hub.run_many(_INSERT_TRANSITION, absent)
        _write(hub, SESSIONS, rows.sessions, there.sessions, delete=False)
        _write(hub, BRANCHES, rows.branches, there.branches)
        _write(hub, TAGS, rows.tags, there.tags)
        _write(hub, MAILBOXES, rows.mailboxes, there.mailboxes)
        self._copy_questions(rows, there)
        self._copy_ledger(rows, there)
        for session_id in accepted:
            if plan.embeddings and plan.changes[session_id].embeddings:
                _copy_embeddings(self._local, hub, rows.progressions_of(session_id))
        self._announce(rows, orders)
        hub.forget_cursors()
        point("push.copied")
        return Copied(len(accepted), messages, refused)

    def _owned(self, rows: SessionRows) -> SessionRows:
        """The rows of sessions with a machine: an older session is one of the machine that has it."""
        at = SESSIONS.columns.index("machine_id")
        machine = self._plan.pusher.machine_id
        sessions = {key: (*row[:at], row[at] or machine, *row[at + 1 :]) for key, row in rows.sessions.items()}
        return rows._replace(sessions=sessions)

    def _read_hub(self, rows: SessionRows, accepted: list[str]) -> SessionRows:
        """The rows of these sessions, and those that have the same ids but belong to other sessions of ours."""
        there = read_session_rows(self._hub, accepted)
        for table, here, existing in (
            (BRANCHES, rows.branches, there.branches),
            (QUESTIONS, rows.questions, there.questions),
            (HEADS, rows.heads, there.heads),
        ):
            absent = [key[0] for key in here if key not in existing]
            if absent:
                existing |= by_key(table, self._hub.all(_BY_ID[table], {"ids": dump(absent)}))
        return there

    def _copy_messages(self, rows: SessionRows, orders: list[_Order], accepted: list[str]) -> int:
        hub, plan = self._hub, self._plan
        needed = dict.fromkeys(_needed(rows, orders, plan, accepted))
        existing = _existing_ids(hub, needed)
        missing = [id_ for id_ in needed if id_ not in existing]
        for chunk in message_chunks(self._local, missing):
            insert_messages(hub, plan, chunk)
        changed = {id_ for session_id in accepted for id_ in plan.changes[session_id].messages} - set(missing)
        for chunk in message_chunks(self._local, sorted(changed)):
            replace_messages(hub, plan, chunk)
        point("push.messages")
        progressions = {row[_PROGRESSION] for row in rows.sessions.values()}
        return sum(len(order.items) for order in orders if order.progression in progressions and order.start is None)

    def _copy_questions(self, rows: SessionRows, there: SessionRows) -> None:
        """Copy the questions; triggers derive the health of a run from them, but its machine knows better."""
        if _write(self._hub, QUESTIONS, rows.questions, there.questions):
            self._hub.run_many(_SET_HEALTH, [(row[_HEALTH], row[0], row[_HEALTH]) for row in rows.sessions.values()])

    def _copy_ledger(self, rows: SessionRows, there: SessionRows) -> None:
        hub = self._hub
        pks = {id_: int(pk) for id_, pk in hub.all(_SESSION_PKS, {"ids": dump([key[0] for key in rows.sessions])})}

        def with_pks(ledger: Rows) -> Rows:
            return by_key(LEDGER, ((pks[row[0]], *row[1:]) for row in ledger.values()))

        _write(hub, LEDGER, with_pks(rows.ledger), with_pks(there.ledger))

    def _announce(self, rows: SessionRows, orders: list[_Order]) -> None:
        """Tell the readers of the hub about new messages; triggers tell them about rows."""
        sessions = {row[_PROGRESSION]: key[0] for key, row in rows.sessions.items()}
        few = []
        for order in orders:
            session_id = sessions.get(order.progression)
            if session_id is None:
                continue
            if order.start is not None or len(order.items) > _MOST_CHANGE_ROWS:
                self._hub.run(_INSERT_ORDER_CHANGE, (session_id, order.items[-1][0] if order.items else None))
            else:
                few += [(id_, session_id, ord_) for ord_, id_ in order.items]
        if few:
            times: dict[str, float] = dict(self._hub.all(_TIMES, {"ids": dump([change[0] for change in few])}))
            self._hub.run_many(INSERT_CHANGE, [(times[one[0]], *one) for one in few if one[0] in times])


_PROGRESSION = SESSIONS.columns.index("progression_id")
_HEALTH = SESSIONS.columns.index("health")
_HEAD_PKS = "SELECT id, pk FROM progression_heads WHERE id IN (SELECT value FROM json_each(:ids))"
_SESSION_PKS = "SELECT id, pk FROM sessions WHERE id IN (SELECT value FROM json_each(:ids))"
_BY_ID = {
    table: f"SELECT {table.names} FROM {table.name} WHERE id IN (SELECT value FROM json_each(:ids))"  # noqa: S608
    for table in (BRANCHES, QUESTIONS, HEADS)
}
_CUT = "DELETE FROM progression_items WHERE prog = ? AND ord >= ?"
_INSERT_ITEM = "INSERT INTO progression_items (prog, ord, message_id) VALUES (?, ?, ?)"
_INSERT_TRANSITION = """
INSERT INTO status_transitions (at, entity, entity_id, previous, status, reason_code, source, actor)
VALUES (?, 'session', ?, ?, ?, ?, ?, ?)
"""
_SET_HEALTH = "UPDATE sessions SET health = ? WHERE id = ? AND health IS DISTINCT FROM ?"
_TIMES = "SELECT m.id, m.created_at FROM json_each(:ids) j JOIN messages m ON m.id = j.value"
_INSERT_ORDER_CHANGE = """
INSERT INTO changes (at, kind, entity, entity_id, parent_id, ord)
VALUES ((julianday('now') - 2440587.5) * 86400.0, 'appended', 'session', ?, NULL, ?)
"""


def only(rows: SessionRows, session_ids: set[str]) -> SessionRows:
    """The rows that belong to some of the sessions."""

    def of(table: Table, of_table: Rows, column: str) -> Rows:
        at = table.columns.index(column)
        return {key: row for key, row in of_table.items() if row[at] in session_ids}

    if session_ids == {key[0] for key in rows.sessions}:
        return rows
    branches = of(BRANCHES, rows.branches, "session_id")
    owners = session_ids | {key[0] for key in branches}
    kept = rows._replace(
        sessions={key: row for key, row in rows.sessions.items() if key[0] in session_ids},
        branches=branches,
        tags=of(TAGS, rows.tags, "session_id"),
        questions=of(QUESTIONS, rows.questions, "session_id"),
        ledger={key: row for key, row in rows.ledger.items() if row[0] in session_ids},
        mailboxes={key: row for key, row in rows.mailboxes.items() if row[0] in owners},
    )
    progressions = {id_ for session_id in session_ids for id_ in kept.progressions_of(session_id)}
    return kept._replace(heads={key: row for key, row in rows.heads.items() if key[0] in progressions})


def _write(hub: Connection, table: Table, here: Rows, there: Rows, *, delete: bool = True) -> int:
    """Let the rows of the hub be equal to ours; returns how many were written."""
    new = [row for key, row in here.items() if key not in there]
    hub.run_many(_insert(table), new)
    changed = [(row, there[key]) for key, row in here.items() if key in there and there[key] != row]
    for row, old in changed:
        names = tuple(name for name, one, other in zip(table.columns, row, old, strict=True) if one != other)
        values = tuple(one for one, other in zip(row, old, strict=True) if one != other)
        hub.run(_update(table, names), (*values, *row[: table.keys]))
    gone = [key for key in there if key not in here] if delete else []
    hub.run_many(f"DELETE FROM {table.name} WHERE {_key(table)}", gone)  # noqa: S608  (the names are ours)
    return len(new) + len(changed) + len(gone)


def _insert(table: Table) -> str:
    return f"INSERT INTO {table.name} ({table.names}) VALUES ({', '.join('?' * len(table.columns))})"  # noqa: S608


def _update(table: Table, names: tuple[str, ...]) -> str:
    changed = Table(table.name, names).names.split(", ")
    return f"UPDATE {table.name} SET {', '.join(f'{name} = ?' for name in changed)} WHERE {_key(table)}"  # noqa: S608


def _key(table: Table) -> str:
    return " AND ".join(f"{name} = ?" for name in table.columns[: table.keys])


def changes_of_all(session_ids: Iterable[str]) -> ChangedSessions:
    """Every session, compared fully."""
    return {session_id: SessionChange(order=True, embeddings=True) for session_id in session_ids}
