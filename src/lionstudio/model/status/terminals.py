"""Terminals of the user: a vendor's program that a person started, and its state as its hooks report it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

# of the settings that `li connect` writes; a change of them raises it
HOOKS_VERSION = 1


class TerminalState(StrEnum):
    WORKING = "working"
    WAITING = "waiting"  # for a permission
    IDLE = "idle"  # at its prompt
    ENDED = "ended"


TERMINAL_LABELS = {state: str(state) for state in TerminalState} | {TerminalState.WAITING: "waiting for permission"}


class Terminal(NamedTuple):
    """One row of `terminals`."""

    tool: str
    conversation_id: str
    session_id: str
    state: TerminalState
    since: float
    owner: dict[str, Any]
    cwd: str | None
    hooks_version: int
    last_event: str
    last_event_at: float
    events: int
    unknown_events: int

    def to_dict(self) -> dict[str, Any]:
        """JSON values, without the process."""
        facts = {name: value for name, value in self._asdict().items() if name != "owner"}
        return facts | {"state": str(self.state), "label": TERMINAL_LABELS[self.state]}
