"""Messages of a run: pages, long contents in parts, outline and timeline."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.changes import CallChangesView
from lionstudio.studio.schemas.shared import Read, ResponseModel


class MessageView(ResponseModel):
    """A message with its ord in the session."""

    ord: int
    id: str
    branch_id: str | None
    missing: bool
    created_at: float | None
    metadata: Any
    content: Any
    size: int = Field(description="size of the stored content in bytes")
    cut: dict[str, int] | None = Field(
        description="the truncated values of the content with their lengths in characters; "
        "the key '' is the content itself"
    )
    sender: str | None = None
    recipient: str | None = None
    channel: str | None = None
    role: str | None = None
    lion_class: str | None = None


class Messages(Read):
    """A page of the messages of a session or branch, in order."""

    session_id: str | None
    message_count: int
    messages: list[MessageView]
    first_ord: int | None
    last_ord: int | None
    has_more: bool
    changes: list[CallChangesView] = Field(description="files that calls changed, their first lines; see `changes`")


class OneMessage(Read):
    """A message with its ord."""

    session_id: str
    message: MessageView


class ContentPart(Read):
    """Some characters of a long content."""

    message_id: str
    key: str
    start: int
    total: int = Field(description="length of the whole in characters")
    text: str


class ToolErrorView(ResponseModel):
    """A failed tool call."""

    ord: int = Field(description="the ord of the result")
    call_ord: int | None = Field(description="the ord of the call, which is the number of both on the page")
    message_id: str
    branch_id: str | None
    at: float | None
    tool: str | None
    text: str


class ToolCount(ResponseModel):
    """The calls and errors of a tool."""

    calls: int
    errors: int


class TouchedFile(ResponseModel):
    """A file that tool calls named."""

    path: str
    calls: int
    tools: list[str]
    first_ord: int
    last_ord: int


class LaneView(ResponseModel):
    """The branch of a message and those after it."""

    ord: int
    branch_id: str | None


class ContextView(ResponseModel):
    """The tokens that the model read for a message."""

    ord: int
    tokens: int


class OutlineView(Read):
    """The outline of a run: the kinds of its messages, errors, tools, files and contexts."""

    session_id: str
    kinds: str = Field(
        description="a letter for each message: user, assistant, both answer and thought, thought, system, call, "
        "result, error, other"
    )
    lanes: list[LaneView] = Field(description="where another branch speaks than before")
    contexts: list[ContextView] = Field(description="of the messages whose usage is known")
    errors: list[ToolErrorView]
    users: list[int] = Field(description="the ords of user messages")
    tools: dict[str, ToolCount]
    files: list[TouchedFile]
    last_ord: int | None
    has_more: bool = Field(description="a later part begins after `last_ord`")


class BlockView(ResponseModel):
    """The messages of a branch in one bucket of time."""

    branch_id: str | None
    bucket: int
    messages: int
    first_ord: int
    last_ord: int
    user: int
    assistant: int
    tool: int


class TimelineView(Read):
    """Messages over time: bucket n starts at start + n * width; empty buckets have no block."""

    session_id: str
    start: float | None
    width: float
    buckets: int
    blocks: list[BlockView]


class MatchView(ResponseModel):
    """A message of a run that contains a text."""

    ord: int
    message_id: str
    role: str | None
    snippet: str


class Matches(Read):
    """The messages of a run that contain a text, in order."""

    session_id: str
    matches: list[MatchView]
    has_more: bool
