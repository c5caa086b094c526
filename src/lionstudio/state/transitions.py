"""The status history (status_transitions): one writer, called in the transaction of the change and before it.

Triggers add an entry with the source `other` for a change that has none: another tool made it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from lionstudio.model.json_codec import visible
from lionstudio.model.status.transitions import ChangedBy, Entity, Source, StatusTransition
from lionstudio.state.connection import Connection


def user_name() -> str | None:
    """The name of the user that runs this process, None for a user id without a name."""
    import getpass  # only needed for decisions

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None


def process_actor() -> str:
    return f"process {os.getpid()}"


_INSERT = """
INSERT INTO status_transitions (at, entity, entity_id, previous, status, reason_code, source, actor)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""


def record_transition(
    conn: Connection,
    entity: Entity,
    entity_id: str,
    previous: str | None,
    status: str,
    *,
    by: ChangedBy | Source,
    reasons: Sequence[str] = (),
    at: float | None = None,
) -> None:
    """Record a change that follows in the same transaction; a bare source means that this process acts."""
    changed = by if isinstance(by, ChangedBy) else ChangedBy(by, process_actor())
    now = time.time() if at is None else at
    reason = visible(str(reasons[0])) if reasons else None
    conn.execute(_INSERT, (now, entity, entity_id, previous, status, reason, changed.source, visible(changed.actor)))


_LIST = """
SELECT at, previous, status, reason_code, source, actor FROM status_transitions
 WHERE entity = :entity AND entity_id = :id ORDER BY id
"""


def list_transitions(conn: Connection, entity: Entity, entity_id: str) -> list[StatusTransition]:
    """The status history of a session, play or show, oldest first; empty for rows of older versions."""
    return [StatusTransition(*row) for row in conn.all(_LIST, {"entity": entity, "id": entity_id})]
