"""Processes that Studio started, as rows: another Studio of the same database shows them, and starts none twice."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from lionstudio.model.json_codec import dump
from lionstudio.state.connection import Connection

MOST_KEPT = 500
_CLAIM_SECONDS = 30.0  # a Studio that was killed between the row and the process leaves a row without a process

_FORGET = "DELETE FROM launches WHERE owner IS NULL AND started_at < :before"
_TRIM = """
DELETE FROM launches WHERE ended_at IS NOT NULL AND started_at < (
  SELECT started_at FROM launches ORDER BY started_at DESC LIMIT 1 OFFSET :most)
"""
_ADD = """
INSERT INTO launches (id, request_key, verb, target, options, started_at, log)
VALUES (:id, :key, :verb, :target, :options, :at, :log) ON CONFLICT (request_key) DO NOTHING RETURNING id
"""
_BY_KEY = "SELECT id FROM launches WHERE request_key = :key"


def claim_launch(
    conn: Connection, id_: str, *, key: str | None, verb: str, target: str | None, options: Mapping[str, Any], log: str
) -> str:
    """Record a launch before its process starts; returns the id of the earlier launch of the same request, if any."""
    now = time.time()
    conn.execute(_FORGET, {"before": now - _CLAIM_SECONDS})
    conn.execute(_TRIM, {"most": MOST_KEPT})
    values = {"id": id_, "key": key, "verb": verb, "target": target, "options": dump(dict(options))}
    if conn.one(_ADD, {**values, "at": now, "log": log}) is not None:
        return id_
    return str(conn.value(_BY_KEY, {"key": key}))


_STARTED = "UPDATE launches SET owner = :owner WHERE id = :id"
_ENDED = "UPDATE launches SET exit_code = :exit_code, ended_at = :at WHERE id = :id"
_DROP = "DELETE FROM launches WHERE id = :id"


def record_started(conn: Connection, id_: str, owner: Mapping[str, Any]) -> None:
    conn.execute(_STARTED, {"id": id_, "owner": dump(dict(owner))})


def record_ended(conn: Connection, id_: str, exit_code: int | None) -> None:
    conn.execute(_ENDED, {"id": id_, "exit_code": exit_code, "at": time.time()})


def drop_launch(conn: Connection, id_: str) -> None:
    """Forget a launch whose process could not be started, so that the request can be repeated."""
    conn.execute(_DROP, {"id": id_})


_LIST = """
SELECT l.id, l.verb, l.target, l.options, l.started_at, l.owner, l.log, l.exit_code, l.ended_at,
       s.status AS session_status, s.exit_code AS session_exit_code
  FROM launches l LEFT JOIN sessions s ON s.id = l.id
"""


def list_launch_rows(conn: Connection) -> list[dict[str, Any]]:
    """The launches of all Studios, newest first, with the status of their sessions."""
    return conn.dicts(f"{_LIST} ORDER BY l.started_at DESC LIMIT :most", {"most": MOST_KEPT})


def find_launch_row(conn: Connection, id_: str) -> dict[str, Any] | None:
    return conn.first_dict(f"{_LIST} WHERE l.id = :id", {"id": id_})
