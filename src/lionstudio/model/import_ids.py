"""Ids of what comes from files without an id of its own: computed from its name, so that twice is once."""

from __future__ import annotations

import uuid

# Ours, made once; changing it would import everything a second time.
_NAMESPACE = uuid.UUID("6c1f0b52-9a0e-5d57-9a55-2f3f6d0c7e11")


def _made(*parts: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, "|".join(part.encode("utf-8", "backslashreplace").decode() for part in parts)))


def session_of_run(run_id: str) -> str:
    """The session of a run folder."""
    return _made("run", run_id)


def session_of_snapshot(branch_id: str) -> str:
    """The session of a branch snapshot that belongs to no run."""
    return _made("snapshot", branch_id)


def branch_of_file(session_id: str, name: str) -> str:
    """A branch whose snapshot does not say its id."""
    return _made("branch", session_id, name)


def progression_of(owner_id: str) -> str:
    """The order of messages of a session or a branch."""
    return _made("progression", owner_id)


def message_at(branch_id: str, position: int) -> str:
    """A message that does not say its id."""
    return _made("message", branch_id, str(position))


def show_id(topic: str) -> str:
    """A show, by its topic."""
    return _made("show", topic)


def play_id(topic: str, name: str) -> str:
    """A play, by its show and its name."""
    return _made("play", topic, name)
