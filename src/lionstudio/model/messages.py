"""Messages: the five classes of ADR-0009 and their content keys.

Old and new messages have the same content keys, so every reader understands both.
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
    """One message or tool call; a progression holds its position in a branch."""

    content: Any = None
    embedding: tuple[float, ...] | None = None
    sender: str | None = None
    recipient: str | None = None
    channel: str | None = None
    role: str | None = None

    @property
    def text(self) -> str:
        """The readable and searchable text of the content."""
        return text_of(self.content)

    @property
    def usage(self) -> Usage:
        """Tokens and cost from the metadata."""
        return Usage.of(self.metadata.get("usage"))

    def to_dict(self, mode: Mode = "python") -> dict[str, Any]:
        """As Element; the embedding is packed float32 in `db`, otherwise a list of numbers."""
        # zero-argument super() does not survive slots=True
        data = Element.to_dict(self, mode)
        if mode == "db" and self.embedding is not None:
            data["embedding"] = pack(self.embedding)
        return data

    @classmethod
    def revive(cls, values: dict[str, Any]) -> dict[str, Any]:
        vector = values.get("embedding")
        if isinstance(vector, bytes):
            values["embedding"] = unpack(vector)
        elif vector is not None:
            values["embedding"] = tuple(vector)
        return values


# they add no field, so they compare and print as a message does, by the code that it has already
_of_message = dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)


@_of_message
class System(Message):
    """The system prompt of a branch: `system_message`."""

    TAG: ClassVar[str] = _PATH + "system.System"
    role: str | None = "system"


@_of_message
class Instruction(Message):
    """A request from a user or an orchestrator: `instruction`."""

    TAG: ClassVar[str] = _PATH + "instruction.Instruction"
    role: str | None = "user"


@_of_message
class AssistantResponse(Message):
    """A response of the model: `assistant_response`."""

    TAG: ClassVar[str] = _PATH + "assistant_response.AssistantResponse"
    role: str | None = "assistant"


@_of_message
class ActionRequest(Message):
    """A tool call: `function`, `arguments`. The model makes it, so its role is assistant."""

    TAG: ClassVar[str] = _PATH + "action_request.ActionRequest"
    role: str | None = "assistant"


@_of_message
class ActionResponse(Message):
    """The result of a tool call: `output` or `error`, and the `action_request_id` of the call."""

    TAG: ClassVar[str] = _PATH + "action_response.ActionResponse"
    role: str | None = "tool"


# The first of these keys in the content decides the class.
_CLASS_BY_KEY: tuple[tuple[str, type[Message]], ...] = (
    ("system_message", System),
    ("instruction", Instruction),
    ("assistant_response", AssistantResponse),
    ("action_request_id", ActionResponse),
    ("output", ActionResponse),
    ("error", ActionResponse),
    ("function", ActionRequest),
)

MESSAGE_CLASSES: Mapping[str, type[Message]] = {
    cls.TAG: cls for cls in (System, Instruction, AssistantResponse, ActionRequest, ActionResponse)
}
# type_id in `message_types`: the initial rows of every database.
TYPE_IDS: Mapping[str, int] = {tag: number for number, tag in enumerate(MESSAGE_CLASSES, 1)}


def create_message(content: Mapping[str, Any], **fields: Any) -> Message:
    """Create a message of the class that the content keys imply, e.g. `create_message({"instruction": "…"})`."""
    for key, cls in _CLASS_BY_KEY:
        if key in content:
            return cls(content=dict(content), **fields)
    keys = ", ".join(key for key, _ in _CLASS_BY_KEY)
    raise InvalidInput("the content has no key that identifies its class", hint=f"use one of: {keys}")


def pack(vector: Sequence[float]) -> bytes:
    """Pack an embedding as ADR-0009 stores it: little-endian float32."""
    try:
        if all(map(math.isfinite, vector)):
            return struct.pack(f"<{len(vector)}f", *vector)
    except (TypeError, struct.error, OverflowError):
        pass
    raise InvalidInput("an embedding must hold finite numbers that fit in float32")


def unpack(blob: bytes) -> tuple[float, ...]:
    """The inverse of pack; refuses a length that is not a multiple of 4."""
    if len(blob) % 4:
        raise InvalidInput(f"an embedding of {len(blob)} bytes is not a vector of float32")
    return struct.unpack(f"<{len(blob) // 4}f", blob)
