"""Owners of the sessions on a hub: one database of one machine each, first of all of the machine that it ran on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from lionstudio.model.json_codec import dump
from lionstudio.state.connection import Connection


class Pusher(NamedTuple):
    """A database on a machine."""

    machine_id: str
    path: str


class PushRefusal(StrEnum):
    """Why the hub keeps what it has of a session."""

    DELETED = "deleted"  # on the hub: it does not come back
    OTHER_MACHINE = "other_machine"
    OTHER_DATABASE = "other_database"  # of the same machine
    OF_THE_HUB = "of_the_hub"  # recorded there
    SHARED_IDS = "shared_ids"  # a branch, question or progression of a session of another owner
    INVALID = "invalid"  # the hub cannot store a value


_OWNERS = """
SELECT j.value, s.id, p.machine_id, p.path, p.deleted_at FROM json_each(:ids) j
  LEFT JOIN sessions s ON s.id = j.value LEFT JOIN pushed_sessions p ON p.session_id = j.value
"""


def refuse_sessions(hub: Connection, pusher: Pusher, ran_on: Mapping[str, str | None]) -> dict[str, PushRefusal]:
    """The sessions that this database may not push, given the machine that each ran on."""
    refused = {}
    for session_id, existing, machine_id, path, deleted_at in hub.all(_OWNERS, {"ids": dump(list(ran_on))}):
        reason = None
        if deleted_at is not None:
            reason = PushRefusal.DELETED
        elif machine_id is None:
            reason = PushRefusal.OF_THE_HUB if existing is not None else None
        elif machine_id != pusher.machine_id:
            # the machine that a session ran on takes it over from one that has a copy
            reason = None if ran_on[session_id] == pusher.machine_id else PushRefusal.OTHER_MACHINE
        elif path != pusher.path and os.path.exists(path):
            reason = PushRefusal.OTHER_DATABASE  # of this machine; a database that was moved is gone at its old place
        if reason is not None:
            refused[session_id] = reason
    return refused


_SHARED = """
SELECT b.id, b.session_id FROM json_each(:branches) j JOIN branches b ON b.id = j.value
UNION SELECT q.id, coalesce(q.session_id, '') FROM json_each(:questions) j JOIN questions q ON q.id = j.value
UNION SELECT s.progression_id, s.id FROM json_each(:progressions) j JOIN sessions s ON s.progression_id = j.value
UNION SELECT b.progression_id, b.session_id FROM json_each(:progressions) j
  JOIN branches b ON b.progression_id = j.value
"""
_OWN = """
SELECT session_id FROM pushed_sessions
 WHERE machine_id = :machine_id AND path = :path AND session_id IN (SELECT value FROM json_each(:ids))
"""


def list_foreign_ids(
    hub: Connection,
    pusher: Pusher,
    session_ids: Sequence[str],
    branches: Sequence[str],
    questions: Sequence[str],
    progressions: Sequence[str],
) -> set[str]:
    """The ids among these that belong to sessions of another owner."""
    values = {"branches": dump(list(branches)), "questions": dump(list(questions))}
    rows = hub.all(_SHARED, values | {"progressions": dump(list(progressions))})
    owners = {owner for _, owner in rows} - set(session_ids)
    if not owners:
        return set()
    own = {row[0] for row in hub.all(_OWN, {**pusher._asdict(), "ids": dump(sorted(owners))})}
    return {id_ for id_, owner in rows if owner in owners - own}


_CLAIM = """
INSERT INTO pushed_sessions (session_id, machine_id, path, digest, pushed_at)
VALUES (?, ?, ?, ?, (julianday('now') - 2440587.5) * 86400.0)
ON CONFLICT (session_id) DO UPDATE SET machine_id = excluded.machine_id, path = excluded.path,
  digest = excluded.digest, pushed_at = excluded.pushed_at
"""


def claim_sessions(hub: Connection, pusher: Pusher, digests: Mapping[str, str | None]) -> None:
    """Record the owner of sessions, and the digest of each that is known."""
    hub.run_many(_CLAIM, [(session_id, *pusher, digest) for session_id, digest in digests.items()])


_DIGESTS = """
SELECT session_id, digest FROM pushed_sessions
 WHERE machine_id = :machine_id AND path = :path AND digest IS NOT NULL AND deleted_at IS NULL
   AND session_id IN (SELECT value FROM json_each(:ids))
"""


def read_digests(hub: Connection, pusher: Pusher, session_ids: Sequence[str]) -> dict[str, str]:
    return dict(hub.all(_DIGESTS, {**pusher._asdict(), "ids": dump(list(session_ids))}))
