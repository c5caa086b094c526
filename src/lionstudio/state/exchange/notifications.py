"""Notifications that were sent: the row of an item decides which process sends it, once for each of its states."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

from lionstudio.state.connection import Connection

_KEPT_SECONDS = 90 * 86400


class NotifiedState(NamedTuple):
    """An item and its state."""

    fingerprint: str
    state: str


_CLAIM = """
INSERT INTO notifications (fingerprint, state, claimed_at) VALUES (:fingerprint, :state, :at)
ON CONFLICT (fingerprint) DO UPDATE SET state = excluded.state, claimed_at = excluded.claimed_at
 WHERE notifications.state <> excluded.state RETURNING fingerprint
"""
_FORGET = "DELETE FROM notifications WHERE claimed_at < :before"


def claim(conn: Connection, items: Iterable[NotifiedState]) -> set[str]:
    """The fingerprints that the caller must send; no other process gets them for the same state."""
    at = time.time()
    conn.execute(_FORGET, {"before": at - _KEPT_SECONDS})
    return {item.fingerprint for item in items if conn.one(_CLAIM, {**item._asdict(), "at": at}) is not None}
