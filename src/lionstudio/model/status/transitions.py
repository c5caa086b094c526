"""The status history: one entry for each change of status of a session, play or show."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

Entity = Literal["session", "play", "show"]
# the part of the product that changed a status; `other` is another tool that wrote to the database
Source = Literal["run", "watchdog", "stop", "doctor", "director", "decision", "files", "mirror", "import", "other"]


class ChangedBy(NamedTuple):
    """The part of the product that changes a status, and the user or process behind it."""

    source: Source
    actor: str


class StatusTransition(NamedTuple):
    """A change of status; `previous` is None where the entity was created with the status."""

    at: float
    previous: str | None
    status: str
    reason_code: str | None
    source: str | None
    actor: str | None

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()
