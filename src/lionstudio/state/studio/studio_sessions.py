"""Browsers that are signed in to Studio, and the one-time codes that sign one in; secrets as hashes only."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.state.connection import Connection, Params

LIFETIME_SECONDS = 30 * 86400
IDLE_SECONDS = 7 * 86400
MOST_SESSIONS = 100
MOST_CODES = 16

_FIND = """
SELECT id, header_hash, created_at, last_seen_at, expires_at, user_agent, address FROM studio_sessions
 WHERE cookie_hash = :cookie_hash AND expires_at > :now AND last_seen_at > :idle_since
"""
_LIST = """
SELECT id, header_hash, created_at, last_seen_at, expires_at, user_agent, address FROM studio_sessions
 WHERE expires_at > :now AND last_seen_at > :idle_since ORDER BY last_seen_at DESC, id
"""
_ADD = """
INSERT INTO studio_sessions (id, cookie_hash, header_hash, created_at, last_seen_at, expires_at, user_agent, address)
VALUES (:id, :cookie_hash, :header_hash, :at, :at, :expires_at, :user_agent, :address)
"""
_TRIM = """
DELETE FROM studio_sessions
 WHERE id NOT IN (SELECT id FROM studio_sessions ORDER BY last_seen_at DESC, id LIMIT :most) RETURNING id
"""
_SEEN = "UPDATE studio_sessions SET last_seen_at = :at WHERE id = :id AND last_seen_at < :at"
_END = "DELETE FROM studio_sessions WHERE id = :id RETURNING id"
_END_ALL = "DELETE FROM studio_sessions RETURNING id"
_END_EXPIRED = "DELETE FROM studio_sessions WHERE expires_at <= :now OR last_seen_at <= :idle_since RETURNING id"
_HAS_EXPIRED = """
SELECT EXISTS (SELECT 1 FROM studio_sessions WHERE expires_at <= :now OR last_seen_at <= :idle_since)
    OR EXISTS (SELECT 1 FROM studio_codes WHERE expires_at <= :now)
"""
_ADD_CODE = "INSERT INTO studio_codes (code_hash, created_at, expires_at) VALUES (:code_hash, :at, :expires_at)"
_IS_VALID = "SELECT count(*) FROM studio_codes WHERE code_hash = :code_hash AND expires_at > :now"
_USE_CODE = "DELETE FROM studio_codes WHERE code_hash = :code_hash AND expires_at > :now RETURNING code_hash"
_COUNT_CODES = "SELECT count(*) FROM studio_codes"
_DROP_CODES = "DELETE FROM studio_codes WHERE expires_at <= :now"
_ALL_SESSIONS = """
SELECT id, cookie_hash, header_hash, created_at, last_seen_at, expires_at, user_agent, address FROM studio_sessions
"""
_COPY_SESSION = "INSERT INTO studio_sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_ALL_CODES = "SELECT code_hash, created_at, expires_at FROM studio_codes"
_COPY_CODE = "INSERT INTO studio_codes VALUES (?, ?, ?) ON CONFLICT DO NOTHING"


class StudioSession(NamedTuple):
    """A signed-in browser."""

    id: str
    header_hash: str
    created_at: float
    last_seen_at: float
    expires_at: float
    user_agent: str | None
    address: str | None


def add_session(
    conn: Connection,
    *,
    session_id: str,
    cookie_hash: str,
    header_hash: str,
    at: float,
    user_agent: str | None,
    address: str | None,
) -> list[str]:
    """Add a session; the ids of the oldest ones beyond the limit, which it ends."""
    values = {"id": session_id, "cookie_hash": cookie_hash, "header_hash": header_hash, "at": at}
    conn.execute(_ADD, {**values, "expires_at": at + LIFETIME_SECONDS, "user_agent": user_agent, "address": address})
    return _ids(conn, _TRIM, {"most": MOST_SESSIONS})


def find_session(conn: Connection, cookie_hash: str, now: float) -> StudioSession | None:
    row = conn.one(_FIND, {"cookie_hash": cookie_hash, **_times(now)})
    return None if row is None else StudioSession(*row)


def list_studio_sessions(conn: Connection, now: float) -> list[StudioSession]:
    """The active sessions, the last one seen first."""
    return [StudioSession(*row) for row in conn.all(_LIST, _times(now))]


def mark_seen(conn: Connection, seen: dict[str, float]) -> None:
    """Record when sessions were last used, by id."""
    for session_id, at in seen.items():
        conn.execute(_SEEN, {"id": session_id, "at": at})


def end_session(conn: Connection, session_id: str) -> list[str]:
    return _ids(conn, _END, {"id": session_id})


def end_all_sessions(conn: Connection) -> list[str]:
    return _ids(conn, _END_ALL, {})


def has_expired(conn: Connection, now: float) -> bool:
    """Return whether `end_expired_sessions` would delete a row."""
    return bool(conn.value(_HAS_EXPIRED, _times(now)))


def end_expired_sessions(conn: Connection, now: float) -> list[str]:
    """Delete expired and idle sessions, and expired codes."""
    conn.execute(_DROP_CODES, {"now": now})
    return _ids(conn, _END_EXPIRED, _times(now))


def add_code(conn: Connection, code_hash: str, at: float, expires_at: float) -> bool:
    """Add a one-time code, unless too many are unused."""
    conn.execute(_DROP_CODES, {"now": at})
    if conn.value(_COUNT_CODES) >= MOST_CODES:
        return False
    conn.execute(_ADD_CODE, {"code_hash": code_hash, "at": at, "expires_at": expires_at})
    return True


def is_valid_code(conn: Connection, code_hash: str, now: float) -> bool:
    return bool(conn.value(_IS_VALID, {"code_hash": code_hash, "now": now}))


def use_code(conn: Connection, code_hash: str, now: float) -> bool:
    """Return whether the code was valid; it is not afterwards."""
    return bool(_ids(conn, _USE_CODE, {"code_hash": code_hash, "now": now}))


def move_rows(source: Connection, target: Connection) -> None:
    """Move sessions and codes that were kept in memory into the database."""
    target.many(_COPY_SESSION, source.all(_ALL_SESSIONS))
    target.many(_COPY_CODE, source.all(_ALL_CODES))


def _times(now: float) -> dict[str, float]:
    return {"now": now, "idle_since": now - IDLE_SECONDS}


def _ids(conn: Connection, sql: str, params: Params) -> list[str]:
    # all rows are read at once: an unfinished statement would keep the transaction open
    return [str(row[0]) for row in conn.execute(sql, params).fetchall()]
