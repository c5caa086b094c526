"""Messages: the five classes of ADR-0009, what their content holds, and how one is made.

Content keys are the same for old and new messages, so that every reader understands both.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from lionstudio.errors import InvalidInput
from lionstudio.model.entity import Element, Mode
from lionstudio.model.message_text import text_of
from lionstudio.model.usage import Usage

_PATH = "lionagi.protocols.messages."


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Element):
    """One thing said or done; its place in a branch is kept by a progression, not here."""

    content: Any = None
    embedding: tuple[float, ...] | None = None
    sender: str | None = None
    recipient: str | None = None
    channel: str | None = None
    role: str | None = None

    @property
    def text(self) -> str:
        """Everything in the content that a person would read or search for."""
        return text_of(self.content)

    @property
    def usage(self) -> Usage:
        """Tokens and cost noted in the metadata."""
        return Usage.of(self.metadata.get("usage"))

    def to_dict(self, mode: Mode = "python") -> dict[str, Any]:
        """As Element; the embedding is a packed float32 BLOB in `db`, a list of numbers otherwise."""
        # zero-argument super() does not survive slots=True
        data = Element.to_dict(self, mode)
        if mode == "db" and self.embedding is not None:
            data["embedding"] = pack(self.embedding)
        return data

    @classmethod
    def revive(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Unpack the embedding."""
        vector = given.get("embedding")
        if isinstance(vector, bytes):
            given["embedding"] = unpack(vector)
        elif vector is not None:
            given["embedding"] = tuple(vector)
        return given


@dataclass(frozen=True, slots=True, kw_only=True)
class System(Message):
    """The system prompt of a branch: `system_message`."""

    TAG: ClassVar[str] = _PATH + "system.System"
    role: str | None = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction(Message):
    """What a person or an orchestrator asked for: `instruction`."""

    TAG: ClassVar[str] = _PATH + "instruction.Instruction"
    role: str | None = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantResponse(Message):
    """What the model said: `assistant_response`."""

    TAG: ClassVar[str] = _PATH + "assistant_response.AssistantResponse"
    role: str | None = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRequest(Message):
    """A tool call: `function`, `arguments`. The model asked, so its role is assistant."""

    TAG: ClassVar[str] = _PATH + "action_request.ActionRequest"
    role: str | None = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResponse(Message):
    """What the tool gave back: `output` or `error`, and the `action_request_id` it answers."""

    TAG: ClassVar[str] = _PATH + "action_response.ActionResponse"
    role: str | None = "tool"


# The key that decides the class, in the order in which they are looked for.
_CLASS_BY_KEY: tuple[tuple[str, type[Message]], ...] = (
    ("system_message", System),
    ("instruction", Instruction),
    ("assistant_response", AssistantResponse),
    ("action_request_id", ActionResponse),
    ("output", ActionResponse),
    ("error", ActionResponse),
    ("function", ActionRequest),
)

# type_id in `message_types`: the rows every database starts with.
TYPE_IDS: Mapping[str, int] = {
    System.TAG: 1,
    Instruction.TAG: 2,
    AssistantResponse.TAG: 3,
    ActionRequest.TAG: 4,
    ActionResponse.TAG: 5,
}


def create_message(content: Mapping[str, Any], **fields: Any) -> Message:
    """A message of the class that its content keys name, e.g. `create_message({"instruction": "…"})`."""
    for key, made in _CLASS_BY_KEY:
        if key in content:
            return made(content=dict(content), **fields)
    keys = ", ".join(key for key, _ in _CLASS_BY_KEY)
    raise InvalidInput("the content does not say what kind of message it is", hint=f"give one of: {keys}")


def pack(vector: Sequence[float]) -> bytes:
    """An embedding as ADR-0009 stores it: little-endian float32, side by side."""
    try:
        if all(map(math.isfinite, vector)):
            return struct.pack(f"<{len(vector)}f", *vector)
    except (TypeError, struct.error, OverflowError):
        pass
    raise InvalidInput("an embedding holds numbers that fit in float32")


def unpack(blob: bytes) -> tuple[float, ...]:
    """The inverse of pack; a blob that is no whole number of float32 is refused."""
    if len(blob) % 4:
        raise InvalidInput(f"an embedding of {len(blob)} bytes is not a vector of float32")
    return struct.unpack(f"<{len(blob) // 4}f", blob)
