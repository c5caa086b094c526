"""Sessions: create, finish, find. runs/run_list.py lists them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import IllegalTransition, NotFound
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, load_or_keep, visible
from lionstudio.model.sessions import COUNTED_COLUMNS, SESSION_COLUMNS, TEXT_COLUMNS, Session
from lionstudio.model.status.reasons import INTERRUPTED_RUN
from lionstudio.model.status.statuses import (
    SESSION_TRANSITIONS,
    SESSIONS,
    InvocationKind,
    SessionStatus,
    SourceKind,
    check_transition,
    parse,
)
from lionstudio.model.status.transitions import ChangedBy, Source
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import close_questions_of
from lionstudio.state.hub.machines import of_another_machine
from lionstudio.state.messages.append_cursor import new_progression
from lionstudio.state.row_values import insert_statement, validate_row
from lionstudio.state.transitions import record_transition

_INSERT = insert_statement("sessions", (name for name in SESSION_COLUMNS if name not in COUNTED_COLUMNS))


def create_session(conn: Connection, session: Session, *, by: ChangedBy | None = None) -> Session:
    """Insert a session with an empty progression; its status is running unless it has one."""
    status = SessionStatus.RUNNING if session.status is None else parse(SessionStatus, session.status, "status")
    progression, _ = new_progression(conn, session.created_at)
    row = to_row(session) | {
        "progression_id": progression,
        "status": status,
        "started_at": session.started_at if session.started_at is not None else session.created_at,
        "updated_at": session.updated_at if session.updated_at is not None else session.created_at,
    }
    record_transition(
        conn, "session", session.id, None, status, by=by or _source_of(session), reasons=session.reason_codes
    )
    conn.execute(_INSERT, row)
    point("session.created")
    return get_session(conn, session.id)


_LINK_RUN = """
UPDATE plays SET session_id = :session
 WHERE show_id = (SELECT id FROM shows WHERE topic = :topic) AND name = :play AND status = 'running'
"""


def link_run(conn: Connection, topic: str, play: str, session_id: str) -> None:
    """Link a running play to the run that begins, so that it can be opened while it runs."""
    conn.execute(_LINK_RUN, {"session": session_id, "topic": topic, "play": play})


def _source_of(session: Session) -> Source:
    match session.source_kind:
        case None | SourceKind.LIVE:
            return "run"
        case SourceKind.IMPORTED_FS | SourceKind.IMPORTED_DB:
            return "import"
        case _:
            return "mirror"


_NOT_IN_ROW = ("node_metadata", "progression_id", *COUNTED_COLUMNS)


def to_row(session: Session) -> dict[str, Any]:
    """The columns of a session; raises InvalidInput for a value outside its vocabulary."""
    from lionstudio.machine import machine_id

    kind, source = session.invocation_kind, session.source_kind
    row = {name: getattr(session, name) for name in SESSION_COLUMNS if name not in _NOT_IN_ROW}
    row |= {name: str(row[name]) for name in TEXT_COLUMNS if row[name] is not None}
    row |= {
        "id": check_id(session.id, "session id"),
        "created_at": float(session.created_at),
        "node_metadata": dump(dict(session.metadata), "metadata") if session.metadata else None,
        "invocation_kind": kind and parse(InvocationKind, kind, "kind"),
        "source_kind": source and parse(SourceKind, source, "source"),
        "status": session.status and parse(SessionStatus, session.status, "status"),
        "reason_codes": dump(list(session.reason_codes), "reason_codes"),
        "owner": None if session.owner is None else dump(dict(session.owner), "owner"),
        "machine_id": session.machine_id or machine_id(),
    }
    return validate_row(row)


_MAX_DETAIL = 2_000  # characters
_STATUS = """
SELECT status, (SELECT p.machine_id FROM pushed_sessions p WHERE p.session_id = sessions.id)
  FROM sessions WHERE id = :id
"""
_FINISH = """
UPDATE sessions SET status = :status, ended_at = :at, updated_at = max(updated_at, :at), exit_code = :exit_code,
  reason_codes = :reasons, health = NULL, delivery = coalesce(:delivery, delivery),
  node_metadata = CASE WHEN CAST(:facts AS TEXT) IS NULL OR NOT json_valid(coalesce(node_metadata, '{}'))
                         OR json_type(coalesce(node_metadata, '{}')) <> 'object' THEN node_metadata
                       ELSE json_patch(coalesce(node_metadata, '{}'), :facts) END
 WHERE id = :id AND status = 'running'
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
    delivery: str | None = None,
    at: float | None = None,
    by: ChangedBy | Source = "run",
) -> None:
    """End a running session; `detail` is its last output. Other transitions raise IllegalTransition."""
    target = parse(SessionStatus, status, "status")
    current, machine = conn.one(_STATUS, {"id": session_id}) or (None, None)
    if current is None:
        raise _not_found(session_id)
    if machine is not None:
        raise of_another_machine(conn, machine, f"session {session_id}", "end")
    check_transition(SESSION_TRANSITIONS, SessionStatus(current), target, f"session {session_id}")
    facts = {"ended_with": detail and visible(detail)[:_MAX_DETAIL], "limit_resets_at": resets_at}
    facts = {name: value for name, value in facts.items() if value is not None}
    codes, implied = list(reasons), SESSIONS[target].reason
    values = {
        "id": session_id,
        "status": target,
        "at": time.time() if at is None else at,
        "exit_code": exit_code,
        "reasons": dump(codes, "reasons"),
        "delivery": delivery,
        "facts": dump(facts, "metadata") if facts else None,
    }
    record_transition(
        conn, "session", session_id, current, target, by=by, reasons=codes or ([implied] if implied else []), at=at
    )
    conn.execute(_FINISH, validate_row(values))
    if not conn.changes():
        raise IllegalTransition(f"session {session_id} has already ended")
    close_questions_of(conn, session_id, f"the run ended: {target}", died=bool(INTERRUPTED_RUN & set(codes)))
    point("session.finished")


_SET_METADATA = """
UPDATE sessions SET model = coalesce(:model, model), provider = coalesce(:provider, provider),
  agent_name = CASE WHEN agent_name IS NULL OR agent_name = provider THEN coalesce(:agent_name, agent_name)
                    ELSE agent_name END,
  conversation_id = coalesce(:conversation_id, conversation_id), node_metadata = :metadata,
  updated_at = max(updated_at, :at)
 WHERE id = :id
"""


def add_metadata(conn: Connection, session_id: str, facts: Mapping[str, Any], *, at: float | None = None) -> None:
    """Add facts that a run learned: the model, a conversation id, a version; an agent that has no name gets its own."""
    session = get_session(conn, session_id)
    columns = {name: facts.get(name) and visible(str(facts[name])) for name in ("model", "provider", "agent_name")}
    others = {name: value for name, value in facts.items() if name not in columns}
    conversation = facts.get("conversation")
    columns["conversation_id"] = conversation and visible(str(conversation))
    metadata = {**session.metadata, **others}
    values = {"metadata": dump(metadata, "metadata") if metadata else None, "at": time.time() if at is None else at}
    conn.execute(_SET_METADATA, {"id": session_id, **columns, **values})


_GET = "SELECT * FROM sessions WHERE id = :id"


def find_session(conn: Connection, session_id: str) -> Session | None:
    row = conn.first_dict(_GET, {"id": session_id})
    return None if row is None else from_row(row)


def get_session(conn: Connection, session_id: str) -> Session:
    session = find_session(conn, session_id)
    if session is None:
        raise _not_found(session_id)
    return session


def from_row(row: Mapping[str, Any]) -> Session:
    """The session of a row; a damaged JSON column is kept as text."""
    values = {key: value for key, value in row.items() if key != "pk"}
    metadata = load_or_keep(values.pop("node_metadata")) or {}
    codes = load_or_keep(values["reason_codes"])
    owner = load_or_keep(values["owner"])
    return Session.from_dict(
        values
        | {
            "node_metadata": metadata if isinstance(metadata, dict) else {"unreadable": metadata},
            "reason_codes": codes if isinstance(codes, list) else [],
            "owner": owner if isinstance(owner, dict) else None,
        }
    )


def _not_found(session_id: str, what: str = "session") -> NotFound:
    return NotFound(f"{what} {session_id} not found", hint="li state ls")
