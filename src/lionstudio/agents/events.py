"""The events of a running agent: one tagged union that providers yield and runs/ records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.model.messages import Message
from lionstudio.model.questions import Question, QuestionStatus
from lionstudio.model.status.statuses import SessionStatus

MAIN = "main"  # the lane of the agent itself; each sub-agent has its own


class MessageEvent(NamedTuple):
    """A complete message. It is stored before the next event is read."""

    message: Message
    lane: str = MAIN


class LaneOpened(NamedTuple):
    """A sub-agent starts; its messages arrive on its own lane."""

    lane: str
    name: str | None = None
    metadata: Mapping[str, Any] = {}


class TextDelta(NamedTuple):
    """A part of a message that is still being written: shown live, never stored."""

    text: str
    lane: str = MAIN


class MetadataEvent(NamedTuple):
    """Facts about the run: the provider's conversation id, the model, a version."""

    facts: Mapping[str, Any]


class QuestionAsked(NamedTuple):
    """The agent waits for a person; the answer arrives through the task's dialog."""

    question: Question


class AnswerTaken(NamedTuple):
    """The agent has the answer to a question."""

    question_id: str


class QuestionClosed(NamedTuple):
    """The agent stopped waiting for this answer."""

    question_id: str
    status: QuestionStatus  # withdrawn, or expired by the vendor's own time limit
    reason: str


class Ended(NamedTuple):
    """The last event: the outcome of the run."""

    status: SessionStatus
    exit_code: int | None = None
    reason: str | None = None  # a code of model/status/reasons.py
    detail: str | None = None  # a sentence for the user
    resets_at: float | None = None  # the time a usage limit ends, if the provider reports it
    delivery: str | None = None  # None where nothing was expected
    denied: tuple[str, ...] = ()  # the tools of the actions that the program did not allow


Event = MessageEvent | LaneOpened | TextDelta | MetadataEvent | QuestionAsked | AnswerTaken | QuestionClosed | Ended
