"""Deterministic ids for imported objects without an id: computed from their names, so that imports can be repeated."""

from __future__ import annotations

import uuid

IMPORTED = "imported"  # the key of the metadata with what an import keeps of another database

# Never change this: everything would be imported a second time.
_NAMESPACE = uuid.UUID("6c1f0b52-9a0e-5d57-9a55-2f3f6d0c7e11")


def _derive(*parts: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, "|".join(part.encode("utf-8", "backslashreplace").decode() for part in parts)))


def session_of_run(run_id: str) -> str:
    return _derive("run", run_id)


def session_of_snapshot(branch_id: str) -> str:
    """The session of a branch snapshot without a run."""
    return _derive("snapshot", branch_id)


def branch_of_file(session_id: str, name: str) -> str:
    """A branch whose snapshot has no id."""
    return _derive("branch", session_id, name)


def progression_of(owner_id: str) -> str:
    return _derive("progression", owner_id)


def message_at(branch_id: str, position: int) -> str:
    """A message without an id, by its position."""
    return _derive("message", branch_id, str(position))


def show_id(topic: str) -> str:
    return _derive("show", topic)


def play_id(topic: str, name: str) -> str:
    return _derive("play", topic, name)
