"""What a running agent reports: one tagged union, made by the providers and kept by live/."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.model.messages import Message
from lionstudio.model.status.statuses import SessionStatus

MAIN = "main"  # the lane of the agent itself; sub-agents have lanes of their own


class MessageEvent(NamedTuple):
    """A whole message. It is kept before the next event is taken."""

    message: Message
    lane: str = MAIN


class LaneOpened(NamedTuple):
    """A sub-agent begins; what it says comes on its own lane."""

    lane: str
    name: str | None = None
    metadata: Mapping[str, Any] = {}


class TextDelta(NamedTuple):
    """A piece of a message that is still being said: shown while it comes, never kept as a message."""

    text: str
    lane: str = MAIN


class MetadataEvent(NamedTuple):
    """A fact about the run: the provider's conversation id, the model that answered, a version."""

    facts: Mapping[str, Any]


class WaitingEvent(NamedTuple):
    """The agent waits for a person, or no longer does (None)."""

    what_for: str | None


class Ended(NamedTuple):
    """The last event: how it went, and why."""

    status: SessionStatus
    exit_code: int | None = None
    reason: str | None = None  # a code of model/status/reasons.py
    detail: str | None = None  # a sentence for a person
    resets_at: float | None = None  # when a usage limit ends, if the provider says so


Event = MessageEvent | LaneOpened | TextDelta | MetadataEvent | WaitingEvent | Ended
