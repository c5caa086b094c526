"""Branches: create, fork (one INSERT, no message copied), and read the history through the ancestors."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.crash import point
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.branches import Branch
from lionstudio.model.ids import check_id, new_id
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.messages import Message
from lionstudio.model.usage import Usage
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append_cursor import new_progression
from lionstudio.state.messages.rows import from_row as message_from_row
from lionstudio.state.row_values import validate_row

_INSERT = """
INSERT INTO branches (id, created_at, node_metadata, user, name, session_id, progression_id)
VALUES (:id, :created_at, :node_metadata, :user, :name, :session_id, :progression_id)
"""
_SESSION = "SELECT 1 FROM sessions WHERE id = :id"


def create_branch(conn: Connection, branch: Branch) -> Branch:
    if not branch.session_id or conn.one(_SESSION, {"id": branch.session_id}) is None:
        raise NotFound(f"session {branch.session_id} not found", hint="create the session first")
    progression, _ = new_progression(conn, branch.created_at)
    conn.execute(_INSERT, _to_row(branch) | {"progression_id": progression})
    return get_branch(conn, branch.id)


def fork_branch(
    conn: Connection,
    parent_id: str,
    at_ord: int | None = None,
    *,
    session_id: str | None = None,
    name: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    branch_id: str | None = None,
    inherit: bool = True,
) -> Branch:
    """A child that sees the parent's messages 0..at_ord inclusive, by default all of them and its metadata."""
    parent = get_branch(conn, parent_id)
    length = branch_length(conn, parent_id)
    at_ord = length - 1 if at_ord is None else at_ord
    if not -1 <= at_ord < length:
        raise InvalidInput(f"branch {parent_id} has messages 0 to {length - 1}, not {at_ord}")
    fork = {"parent_branch_id": parent_id, "forked_at_ord": at_ord}
    child = Branch(
        id=branch_id or new_id(),
        created_at=time.time(),
        session_id=session_id or parent.session_id,
        name=name or parent.name,
        user=parent.user,
        metadata={**(parent.metadata if inherit else {}), **(metadata or {}), **fork},
    )
    # its own progression is created with its first message: a fork is one INSERT
    conn.execute(_INSERT, _to_row(child) | {"progression_id": None})
    point("fork.inserted")
    return child


def _to_row(branch: Branch) -> dict[str, Any]:
    return validate_row(
        {
            "id": check_id(branch.id, "branch id"),
            "created_at": float(branch.created_at),
            "node_metadata": dump(dict(branch.metadata), "metadata") if branch.metadata else None,
            "user": branch.user,
            "name": branch.name,
            "session_id": branch.session_id,
        }
    )


_GET = """
SELECT id, created_at, node_metadata, user, name, session_id, progression_id, system_msg_id
  FROM branches WHERE id = :id
"""
_LIST = """
SELECT id, created_at, node_metadata, user, name, session_id, progression_id, system_msg_id
  FROM branches WHERE session_id = :session ORDER BY created_at, id
"""
_LENGTH = """
SELECT coalesce((SELECT max(ord) + 1 FROM progression_items WHERE prog = h.pk), 0)
  FROM branches b JOIN progression_heads h ON h.id = b.progression_id WHERE b.id = :id
"""
_USAGE = """
SELECT input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_microusd FROM branches WHERE id = :id
"""


def find_branch(conn: Connection, branch_id: str) -> Branch | None:
    row = conn.first_dict(_GET, {"id": branch_id})
    return None if row is None else _from_row(row)


def get_branch(conn: Connection, branch_id: str) -> Branch:
    branch = find_branch(conn, branch_id)
    if branch is None:
        raise NotFound(f"branch {branch_id} not found", hint="li state ls")
    return branch


def list_branches(conn: Connection, session_id: str) -> list[Branch]:
    """The branches of a session, oldest first."""
    return [_from_row(row) for row in conn.dicts(_LIST, {"session": session_id})]


def branch_length(conn: Connection, branch_id: str) -> int:
    """The number of a branch's own messages."""
    return int(conn.value(_LENGTH, {"id": branch_id}) or 0)


def branch_usage(conn: Connection, branch_id: str) -> Usage:
    return Usage(*(conn.one(_USAGE, {"id": branch_id}) or ()))


_SET_METADATA = "UPDATE branches SET node_metadata = :metadata WHERE id = :id"


def add_metadata(conn: Connection, branch_id: str, facts: Mapping[str, Any]) -> None:
    """Add facts to the metadata of a branch, such as the provider's conversation id."""
    branch = get_branch(conn, branch_id)
    conn.execute(_SET_METADATA, {"id": branch_id, "metadata": dump({**branch.metadata, **facts}, "metadata")})


def _from_row(row: dict[str, Any]) -> Branch:
    metadata = load_or_keep(row["node_metadata"]) or {}
    return Branch.from_dict(
        row | {"node_metadata": metadata if isinstance(metadata, dict) else {"unreadable": metadata}}
    )


class BranchEntry(NamedTuple):
    """A position in a history: its branch, its message id, and the message if it still exists."""

    branch_id: str
    ord: int
    message_id: str
    message: Message | None


_ENTRIES = """
SELECT m.id, m.created_at, m.node_metadata, m.content, m.embedding, m.sender, m.recipient, m.channel, m.role,
       t.lion_class, i.ord, i.message_id
  FROM branches b
  JOIN progression_heads h ON h.id = b.progression_id
  JOIN progression_items i ON i.prog = h.pk
  LEFT JOIN messages m ON m.id = i.message_id
  LEFT JOIN message_types t ON t.type_id = m.lion_class
 WHERE b.id = :branch AND i.ord <= :last
 ORDER BY i.ord
"""
_NO_LIMIT = 2**62


def branch_entries(conn: Connection, branch_id: str, last_ord: int = _NO_LIMIT) -> Iterator[BranchEntry]:
    """A branch's own messages, without the inherited ones."""
    for row in conn.each(_ENTRIES, {"branch": branch_id, "last": last_ord}):
        yield BranchEntry(branch_id, row[10], row[11], None if row[0] is None else message_from_row(row))


def lineage(conn: Connection, branch_id: str) -> list[tuple[str, int]]:
    """The branches of a history, oldest first, each with the last ord that belongs to it.

    It ends where an ancestor is missing, or where another tool made a branch its own ancestor.
    """
    chain: list[tuple[str, int]] = []
    seen: set[str] = set()
    branch: Branch | None = get_branch(conn, branch_id)
    last = _NO_LIMIT
    while branch is not None and branch.id not in seen:
        seen.add(branch.id)
        chain.append((branch.id, last))
        if branch.fork is None:
            break
        last = max(-1, min(branch.fork.ord, _NO_LIMIT))
        branch = find_branch(conn, branch.fork.parent_branch_id)
    return chain[::-1]


def history(conn: Connection, branch_id: str) -> Iterator[BranchEntry]:
    """The inherited messages of a branch, then its own."""
    for ancestor, last in lineage(conn, branch_id):
        yield from branch_entries(conn, ancestor, last)
