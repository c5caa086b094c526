"""Messages of a run: windows, long contents in parts, and what is where in it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, ResponseModel


class MessageView(ResponseModel):
    """A message at its place in the session."""

    ord: int
    id: str
    branch_id: str | None
    missing: bool
    created_at: float | None
    metadata: Any
    content: Any
    size: int = Field(description="bytes of the content as it is stored")
    cut: dict[str, int] | None = Field(
        description="the values of the content that are longer than what is shown, with their lengths in characters; "
        "the key '' stands for the content itself"
    )
    sender: str | None = None
    recipient: str | None = None
    channel: str | None = None
    role: str | None = None
    lion_class: str | None = None


class Messages(Read):
    """A window into a session's or a branch's messages, in order."""

    session_id: str | None
    message_count: int
    messages: list[MessageView]
    first_ord: int | None
    last_ord: int | None
    has_more: bool


class OneMessage(Read):
    """A message and where it stands."""

    session_id: str
    message: MessageView


class ContentPart(Read):
    """Some characters of a long content."""

    message_id: str
    key: str
    start: int
    total: int = Field(description="characters of the whole")
    text: str


class ToolErrorView(ResponseModel):
    """A tool that failed."""

    ord: int
    message_id: str
    branch_id: str | None
    at: float | None
    tool: str | None
    text: str


class ToolCount(ResponseModel):
    """How often a tool was called, and how often it failed."""

    calls: int
    errors: int


class TouchedFile(ResponseModel):
    """A file that tools were called with."""

    path: str
    calls: int
    tools: list[str]
    first_ord: int
    last_ord: int


class OutlineView(Read):
    """Where to go in a long run: its errors, what people said, its tools and files."""

    session_id: str
    errors: list[ToolErrorView]
    users: list[int] = Field(description="the ords of what people said")
    tools: dict[str, ToolCount]
    files: list[TouchedFile]
    last_ord: int | None


class BlockView(ResponseModel):
    """The messages of a branch in one stretch of time."""

    branch_id: str | None
    bucket: int
    messages: int
    first_ord: int
    last_ord: int
    user: int
    assistant: int
    tool: int


class TimelineView(Read):
    """When messages came: bucket n begins at start + n * width; where nothing came there is no block."""

    session_id: str
    start: float | None
    width: float
    buckets: int
    blocks: list[BlockView]


class MatchView(ResponseModel):
    """A message of a run that holds a text."""

    ord: int
    message_id: str
    role: str | None
    snippet: str


class Matches(Read):
    """Where a run holds a text, in order."""

    session_id: str
    matches: list[MatchView]
    has_more: bool
