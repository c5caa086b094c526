"""Sessions: begin one, move it to its end, find it again. Listing pages of them is in listing.py."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import IllegalTransition, InvalidInput, NotFound
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, load_or_keep, visible
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import (
    SESSION_TRANSITIONS,
    InvocationKind,
    SessionStatus,
    SourceKind,
    check_transition,
    parse,
)
from lionstudio.state.connection import Connection
from lionstudio.state.messages.append_cursor import new_progression
from lionstudio.state.row_values import validate_row

_INSERT = """
INSERT INTO sessions (
  id, created_at, node_metadata, name, user, progression_id, updated_at, playbook_name, agent_name, invocation_kind,
  show_topic, show_play_name, artifacts_path, source_kind, status, started_at, ended_at, last_message_at, model,
  provider, project, cwd, git_commit, exit_code, health, delivery, reason_codes, owner)
VALUES (
  :id, :created_at, :node_metadata, :name, :user, :progression_id, :updated_at, :playbook_name, :agent_name,
  :invocation_kind, :show_topic, :show_play_name, :artifacts_path, :source_kind, :status, :started_at, :ended_at,
  :last_message_at, :model, :provider, :project, :cwd, :git_commit, :exit_code, :health, :delivery, :reason_codes,
  :owner)
"""
_TEXTS = (
    "name",
    "user",
    "playbook_name",
    "agent_name",
    "show_topic",
    "show_play_name",
    "artifacts_path",
    "model",
    "provider",
    "project",
    "cwd",
    "git_commit",
    "health",
    "delivery",
)


def create_session(conn: Connection, session: Session) -> Session:
    """Insert a session with an empty progression; a session without a status begins as running."""
    status = SessionStatus.RUNNING if session.status is None else parse(SessionStatus, session.status, "status")
    progression, _ = new_progression(conn, session.created_at)
    row = to_row(session) | {
        "progression_id": progression,
        "status": status,
        "started_at": session.started_at if session.started_at is not None else session.created_at,
        "updated_at": session.updated_at if session.updated_at is not None else session.created_at,
    }
    conn.execute(_INSERT, row)
    point("session.created")
    return get_session(conn, session.id)


def to_row(session: Session) -> dict[str, Any]:
    """The columns of a session, or a refusal of a word outside its vocabulary."""
    kind, source = session.invocation_kind, session.source_kind
    values = {name: getattr(session, name) for name in _TEXTS}
    row = {
        **{name: value and str(value) for name, value in values.items()},
        "id": check_id(session.id, "session id"),
        "created_at": float(session.created_at),
        "node_metadata": dump(dict(session.metadata), "metadata") if session.metadata else None,
        "invocation_kind": kind and parse(InvocationKind, kind, "kind"),
        "source_kind": source and parse(SourceKind, source, "source"),
        "status": session.status and parse(SessionStatus, session.status, "status"),
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "updated_at": session.updated_at,
        "last_message_at": session.last_message_at,
        "exit_code": session.exit_code,
        "reason_codes": dump(list(session.reason_codes), "reason_codes"),
        "owner": None if session.owner is None else dump(dict(session.owner), "owner"),
    }
    return validate_row(row)


_MOST_DETAIL = 2_000  # characters
_STATUS = "SELECT status FROM sessions WHERE id = :id"
_FINISH = """
UPDATE sessions SET status = :status, ended_at = :at, updated_at = max(updated_at, :at), exit_code = :exit_code,
  reason_codes = :reasons, health = NULL,
  node_metadata = CASE WHEN :facts IS NULL OR NOT json_valid(coalesce(node_metadata, '{}'))
                         OR json_type(coalesce(node_metadata, '{}')) <> 'object' THEN node_metadata
                       ELSE json_patch(coalesce(node_metadata, '{}'), :facts) END
 WHERE id = :id AND status = 'running' RETURNING id
"""


def finish_session(
    conn: Connection,
    session_id: str,
    status: SessionStatus | str,
    *,
    exit_code: int | None = None,
    reasons: Iterable[str] = (),
    detail: str | None = None,
    resets_at: float | None = None,
    at: float | None = None,
) -> None:
    """Move a running session to its end, with the words it ended with; every other move is refused."""
    wanted = parse(SessionStatus, status, "status")
    current = conn.value(_STATUS, {"id": session_id})
    if current is None:
        raise _not_found(session_id)
    check_transition(SESSION_TRANSITIONS, SessionStatus(current), wanted, f"session {session_id}")
    facts = {"ended_with": detail and visible(detail)[:_MOST_DETAIL], "limit_resets_at": resets_at}
    facts = {name: value for name, value in facts.items() if value is not None}
    values = {
        "id": session_id,
        "status": wanted,
        "at": time.time() if at is None else at,
        "exit_code": exit_code,
        "reasons": dump(list(reasons), "reasons"),
        "facts": dump(facts, "metadata") if facts else None,
    }
    if conn.one(_FINISH, validate_row(values)) is None:
        raise IllegalTransition(f"session {session_id} is no longer running")
    point("session.finished")


_LEARN = """
UPDATE sessions SET model = coalesce(:model, model), provider = coalesce(:provider, provider),
  node_metadata = :metadata, updated_at = max(updated_at, :at)
 WHERE id = :id
"""


def learn(conn: Connection, session_id: str, facts: Mapping[str, Any], *, at: float | None = None) -> None:
    """Note what came to be known while it ran: the model that answers, a conversation id, a version."""
    session = get_session(conn, session_id)
    columns = {name: facts.get(name) and visible(str(facts[name])) for name in ("model", "provider")}
    rest = {name: value for name, value in facts.items() if name not in columns}
    metadata = {**session.metadata, **rest}
    values = {"metadata": dump(metadata, "metadata") if metadata else None, "at": time.time() if at is None else at}
    conn.execute(_LEARN, {"id": session_id, **columns, **values})


_HEALTH = "UPDATE sessions SET health = :health, updated_at = :at WHERE id = :id AND status = 'running' RETURNING id"


def set_health(conn: Connection, session_id: str, health: str | None, *, at: float | None = None) -> None:
    """Note what only the runner knows, such as `waiting` for a person; None takes it back."""
    if health not in (None, "waiting"):
        raise InvalidInput(f"health {health!r} is computed, not set", hint="only `waiting` can be noted")
    if conn.one(_HEALTH, {"id": session_id, "health": health, "at": time.time() if at is None else at}) is None:
        raise _not_found(session_id, "running session")


_GET = "SELECT * FROM sessions WHERE id = :id"
_BY_PREFIX = "SELECT id FROM sessions WHERE id >= :prefix AND id < :end LIMIT 3"
_BY_NAME = "SELECT id FROM sessions WHERE name = :name ORDER BY created_at DESC LIMIT 1"
_SHORTEST_PREFIX = 4


def find_session(conn: Connection, session_id: str) -> Session | None:
    """One session by its whole id."""
    row = conn.first_dict(_GET, {"id": session_id})
    return None if row is None else from_row(row)


def get_session(conn: Connection, session_id: str) -> Session:
    """One session by its whole id; NotFound otherwise."""
    found = find_session(conn, session_id)
    if found is None:
        raise _not_found(session_id)
    return found


def resolve_session(conn: Connection, given: str) -> str:
    """The id that a person meant: a whole id, the start of one, or a name (the newest with it)."""
    if conn.one(_STATUS, {"id": given}) is not None:
        return given
    if len(given) >= _SHORTEST_PREFIX:
        found = [row[0] for row in conn.all(_BY_PREFIX, {"prefix": given, "end": given + "\U0010ffff"})]
        if len(found) == 1:
            return str(found[0])
        if found:
            raise InvalidInput(f"{given} is the start of several session ids", hint=f"such as {', '.join(found)}")
    named = conn.value(_BY_NAME, {"name": given})
    if named is None:
        raise _not_found(given)
    return str(named)


def from_row(row: Mapping[str, Any]) -> Session:
    """The session of a row; a damaged JSON column is kept as text instead of failing."""
    given = {key: value for key, value in row.items() if key != "pk"}
    metadata = load_or_keep(given.pop("node_metadata")) or {}
    codes = load_or_keep(given["reason_codes"])
    owner = load_or_keep(given["owner"])
    return Session.from_dict(
        given
        | {
            "node_metadata": metadata if isinstance(metadata, dict) else {"unreadable": metadata},
            "reason_codes": codes if isinstance(codes, list) else [],
            "owner": owner if isinstance(owner, dict) else None,
        }
    )


def _not_found(session_id: str, what: str = "session") -> NotFound:
    return NotFound(f"there is no {what} {session_id}", hint="`li state ls` lists them")
