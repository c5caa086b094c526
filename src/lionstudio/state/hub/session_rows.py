"""All rows that belong to sessions, read alike from the database that has them and from the hub.

Not among them, because they hold only for one machine or belong to no session: read positions, transcripts and their
aliases, terminals, dismissed attention items, notifications, refused decisions, shows and plays, teams, definitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from lionstudio.model.json_codec import dump
from lionstudio.model.sessions import SESSION_COLUMNS
from lionstudio.model.usage import Usage
from lionstudio.state.connection import Connection, Row
from lionstudio.state.exchange.questions import ASKED_COLUMNS


class Table(NamedTuple):
    """A table whose rows are compared one by one; its key is its first columns."""

    name: str
    columns: tuple[str, ...]
    keys: int = 1
    flags: tuple[str, ...] = ()  # 0 or 1 in SQLite, booleans in PostgreSQL

    @property
    def names(self) -> str:
        # `user` is a function in PostgreSQL
        return ", ".join(f'"{name}"' if name == "user" else name for name in self.columns)

    def of(self, alias: str) -> str:
        return ", ".join(f'{alias}."{name}"' if name == "user" else f"{alias}.{name}" for name in self.columns)


SESSIONS = Table("sessions", SESSION_COLUMNS)
BRANCHES = Table(
    "branches",
    (
        "id",
        "created_at",
        "node_metadata",
        "user",
        "name",
        "session_id",
        "progression_id",
        "system_msg_id",
        *Usage._fields,
    ),
)
TAGS = Table("session_tags", ("session_id", "tag", "created_at"), keys=2)
QUESTIONS = Table(
    "questions",
    (
        *ASKED_COLUMNS,
        "shown_at",
        "answered_at",
        "answer",
        "answered_by",
        "answered_from",
        "taken_at",
        "taken_ord",
        "taken_session",
        "closed_reason",
    ),
    flags=("takes_text", "takes_arguments", "outlives"),
)
MAILBOXES = Table("mailboxes", ("owner", "box", "channel", "progression_id", "created_at"), keys=3)
HEADS = Table("progression_heads", ("id", "created_at", "unreadable"))
# the session by its key in this database
LEDGER = Table(
    "usage_ledger", ("session_pk", "quarter", "model", *Usage._fields, "unpriced_tokens", "first_at", "last_at"), keys=3
)
_TRANSITION = ("at", "previous", "status", "reason_code", "source", "actor")

_IN_IDS = "IN (SELECT value FROM json_each(:ids))"
_SESSION_ROWS = f"SELECT {SESSIONS.names}, pk FROM sessions WHERE id {_IN_IDS}"  # noqa: S608  (the names are ours)
_OF_SESSIONS = {
    table: f"SELECT {table.names} FROM {table.name} WHERE session_id {_IN_IDS} ORDER BY 1, 2"  # noqa: S608
    for table in (BRANCHES, TAGS, QUESTIONS)
}
_LEDGER_ROWS = f"""
SELECT s.id, {LEDGER.of("l").partition(", ")[2]} FROM sessions s JOIN usage_ledger l ON l.session_pk = s.pk
 WHERE s.id {_IN_IDS}
"""  # noqa: S608
_MAILBOX_ROWS = f"SELECT {MAILBOXES.names} FROM mailboxes WHERE owner {_IN_IDS}"  # noqa: S608
_HEAD_ROWS = f"SELECT {HEADS.names}, pk FROM progression_heads WHERE id {_IN_IDS}"  # noqa: S608
_TRANSITION_ROWS = f"""
SELECT entity_id, {", ".join(_TRANSITION)} FROM status_transitions
 WHERE entity = 'session' AND entity_id {_IN_IDS} ORDER BY entity_id, id
"""  # noqa: S608

Rows = dict[Row, Row]  # by key


class SessionRows(NamedTuple):
    """The rows of some sessions, without their messages and the positions of these."""

    sessions: Rows
    session_pks: dict[str, int]
    branches: Rows
    tags: Rows
    questions: Rows
    ledger: Rows  # with the id of the session in place of its key
    mailboxes: Rows
    heads: Rows
    head_pks: dict[str, int]
    transitions: dict[str, list[Row]]

    def pointers_of(self, session_id: str) -> set[str]:
        """The messages that a session and its branches refer to by themselves."""
        session = self.sessions[(session_id,)]
        ids = {session[at] for at in _SESSION_POINTERS}
        ids |= {row[_SYSTEM_POINTER] for row in self.branches.values() if row[_BRANCH_SESSION] == session_id}
        return ids - {None}

    def progressions_of(self, session_id: str) -> list[str]:
        """The progressions of a session, of its branches and of the mailboxes of both."""
        branches = [row for row in self.branches.values() if row[_BRANCH_SESSION] == session_id]
        owners = {session_id, *(row[0] for row in branches)}
        ids = [self.sessions[(session_id,)][_SESSION_PROGRESSION], *(row[_BRANCH_PROGRESSION] for row in branches)]
        ids += [row[_MAILBOX_PROGRESSION] for row in self.mailboxes.values() if row[0] in owners]
        return [id_ for id_ in dict.fromkeys(ids) if id_ is not None]


_SESSION_POINTERS = [SESSIONS.columns.index(name) for name in ("first_msg_id", "last_msg_id")]
_SYSTEM_POINTER = BRANCHES.columns.index("system_msg_id")
_SESSION_PROGRESSION = SESSIONS.columns.index("progression_id")
_BRANCH_PROGRESSION = BRANCHES.columns.index("progression_id")
_BRANCH_SESSION = BRANCHES.columns.index("session_id")
_MAILBOX_PROGRESSION = MAILBOXES.columns.index("progression_id")


def by_key(table: Table, rows: Iterable[Row]) -> Rows:
    flags = {table.columns.index(name) for name in table.flags}
    if flags:
        rows = (tuple(bool(value) if at in flags else value for at, value in enumerate(row)) for row in rows)
    return {row[: table.keys]: row for row in rows}


def read_session_rows(conn: Connection, session_ids: Sequence[str]) -> SessionRows:
    """Read the rows of these sessions, as many statements for one as for a thousand."""
    ids = {"ids": dump(list(session_ids))}
    sessions = conn.all(_SESSION_ROWS, ids)
    branches, tags, questions = (by_key(table, conn.all(sql, ids)) for table, sql in _OF_SESSIONS.items())
    owners = {"ids": dump([*session_ids, *(key[0] for key in branches)])}
    mailboxes = by_key(MAILBOXES, conn.all(_MAILBOX_ROWS, owners))
    progressions = [row[_SESSION_PROGRESSION] for row in sessions]
    progressions += [row[_BRANCH_PROGRESSION] for row in branches.values()]
    progressions += [row[_MAILBOX_PROGRESSION] for row in mailboxes.values()]
    heads = conn.all(_HEAD_ROWS, {"ids": dump([id_ for id_ in progressions if id_ is not None])})
    transitions: dict[str, list[Row]] = {}
    for session_id, *entry in conn.all(_TRANSITION_ROWS, ids):
        transitions.setdefault(session_id, []).append(tuple(entry))
    return SessionRows(
        sessions=by_key(SESSIONS, (row[:-1] for row in sessions)),
        session_pks={row[0]: row[-1] for row in sessions},
        branches=branches,
        tags=tags,
        questions=questions,
        ledger=by_key(LEDGER, conn.all(_LEDGER_ROWS, ids)),
        mailboxes=mailboxes,
        heads=by_key(HEADS, (row[:-1] for row in heads)),
        head_pks={row[0]: row[-1] for row in heads},
        transitions=transitions,
    )


# ── Positions and messages ───────────────────────────────────────────────

Item = tuple[int, str]  # ord, message

_ENDS = """
SELECT h.id, i.ord, i.message_id FROM progression_heads h JOIN progression_items i ON i.prog = h.pk
 WHERE h.id IN (SELECT value FROM json_each(:ids))
   AND i.ord = (SELECT max(last.ord) FROM progression_items last WHERE last.prog = h.pk)
"""
_ITEMS = """
SELECT h.id, i.ord, i.message_id FROM progression_heads h JOIN progression_items i ON i.prog = h.pk
 WHERE h.id IN (SELECT value FROM json_each(:ids)) ORDER BY h.id, i.ord
"""
_ITEMS_FROM = """
SELECT i.ord, i.message_id FROM progression_heads h JOIN progression_items i ON i.prog = h.pk
 WHERE h.id = :id AND i.ord >= :start ORDER BY i.ord
"""


def read_ends(conn: Connection, progression_ids: Sequence[str]) -> dict[str, Item]:
    """The last position of each progression that has any."""
    return {row[0]: (row[1], row[2]) for row in conn.all(_ENDS, {"ids": dump(list(progression_ids))})}


def read_items(conn: Connection, progression_ids: Sequence[str]) -> dict[str, list[Item]]:
    """All positions of progressions, in order."""
    items: dict[str, list[Item]] = {}
    for id_, ord_, message_id in conn.all(_ITEMS, {"ids": dump(list(progression_ids))}):
        items.setdefault(id_, []).append((ord_, message_id))
    return items


def read_items_from(conn: Connection, progression_id: str, start: int) -> list[Item]:
    """The positions of a progression from an ord on."""
    return [(ord_, id_) for ord_, id_ in conn.all(_ITEMS_FROM, {"id": progression_id, "start": start})]


MESSAGES = Table(
    "messages",
    (
        "id",
        "created_at",
        "node_metadata",
        "content",
        "embedding",
        "sender",
        "recipient",
        "channel",
        "role",
        "lion_class",
    ),
)
_EMBEDDING = MESSAGES.columns.index("embedding")
_SIZES = """
SELECT m.id, coalesce(octet_length(m.content), 0) + coalesce(octet_length(m.node_metadata), 0)
             + coalesce(octet_length(m.embedding), 0)
  FROM json_each(:ids) j JOIN messages m ON m.id = j.value
"""
_MESSAGE_ROWS = f"""
SELECT {MESSAGES.of("m").rpartition(", ")[0]}, t.lion_class
  FROM json_each(:ids) j JOIN messages m ON m.id = j.value LEFT JOIN message_types t ON t.type_id = m.lion_class
"""  # noqa: S608
_MOST_MESSAGES = 500
_MOST_BYTES = 4_000_000


def message_chunks(conn: Connection, ids: Iterable[str]) -> Iterator[list[Row]]:
    """The rows of messages with the name of their class, some megabytes at a time; other ids are left out."""
    remaining = list(dict.fromkeys(ids))
    for start in range(0, len(remaining), _MOST_MESSAGES):
        sizes = conn.all(_SIZES, {"ids": dump(remaining[start : start + _MOST_MESSAGES])})
        chunk: list[str] = []
        bytes_ = 0
        for id_, size in sizes:
            if chunk and bytes_ + size > _MOST_BYTES:
                yield _read_messages(conn, chunk)
                chunk, bytes_ = [], 0
            chunk.append(id_)
            bytes_ += size
        if chunk:
            yield _read_messages(conn, chunk)


def _read_messages(conn: Connection, ids: list[str]) -> list[Row]:
    return conn.all(_MESSAGE_ROWS, {"ids": dump(ids)})


def without_embedding(row: Row) -> Row:
    return (*row[:_EMBEDDING], None, *row[_EMBEDDING + 1 :])


def digest_of(conn: Connection, rows: SessionRows, session_id: str, *, with_embeddings: bool) -> str:
    """A digest of everything that a push copies of one session."""
    from hashlib import blake2b

    digest = blake2b(digest_size=16)

    def add(value: Any) -> None:
        digest.update(repr(value).encode("utf-8", "backslashreplace"))

    branches = [row for row in rows.branches.values() if row[_BRANCH_SESSION] == session_id]
    owners = {session_id, *(row[0] for row in branches)}
    progressions = rows.progressions_of(session_id)
    add(rows.sessions[(session_id,)])
    add(sorted(branches, key=lambda row: str(row[0])))
    for of_session in (rows.tags, rows.ledger):
        add(sorted((row for row in of_session.values() if row[0] == session_id), key=repr))
    question_session = QUESTIONS.columns.index("session_id")
    questions = (row for row in rows.questions.values() if row[question_session] == session_id)
    add(sorted(questions, key=lambda row: str(row[0])))
    add(sorted((row for row in rows.mailboxes.values() if row[0] in owners), key=repr))
    add([rows.heads.get((id_,)) for id_ in progressions])
    add(rows.transitions.get(session_id))
    items = read_items(conn, progressions)
    add(sorted(items.items()))
    ids = dict.fromkeys(id_ for id_ in progressions for _, id_ in items.get(id_, ()))
    ids |= dict.fromkeys(sorted(rows.pointers_of(session_id)))
    for chunk in message_chunks(conn, ids):
        for row in chunk:
            add(row if with_embeddings else without_embedding(row))
    return digest.hexdigest()
