"""Teams and their messages (ADR-0019)."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, RequestModel, ResponseModel, StateView, StatusLabel


class TeamView(ResponseModel):
    """A team; `error` is set for a file that is not valid."""

    id: str | None
    name: str
    status: str | None
    members: list[str]
    member_count: int
    message_count: int
    created_at: float | None
    updated_at: float | None
    path: str | None
    error: str | None
    state: StateView | None


class TeamList(Read):
    """Every team, most recently used first."""

    teams: list[TeamView]


class TeamMessageView(ResponseModel):
    """A message from one member to another, or to all."""

    id: str
    team_id: str
    created_at: float
    sender: str
    recipient: str
    content: str
    summary: str | None
    read_by: list[str]
    session_id: str | None
    metadata: dict[str, Any]


class LinkedRun(ResponseModel):
    """A run of a member (`--team-mode`), or one that sent a message."""

    id: str
    name: str | None
    member: str | None = Field(default=None, description="the member that the run was started as")
    state: StatusLabel | None = None


class TeamDetail(Read):
    """A team, the runs that used it, and the unread messages of each member."""

    team: TeamView
    sessions: list[str]
    linked: list[LinkedRun]
    unread: dict[str, int]


class TeamMessages(Read):
    """The newest messages of a team, in order."""

    messages: list[TeamMessageView]
    has_more: bool


class NewTeam(RequestModel):
    """A team to create."""

    name: str = Field(min_length=1, max_length=200)
    members: list[str] = Field(min_length=1, max_length=100)


class NewMembers(RequestModel):
    """Members to add."""

    members: list[str] = Field(min_length=1, max_length=100)


class ChangedTeam(Read):
    """The team after a change; `unstored` is the reason why the table does not have it yet."""

    team: TeamView
    unstored: str | None


class NewTeamMessage(RequestModel):
    """A message to send."""

    text: str = Field(min_length=1)
    sender: str = Field(default="user", min_length=1, max_length=200)
    to: list[str] = Field(default_factory=list, max_length=100, description="recipients; empty for all members")
    session_id: str | None = Field(default=None, max_length=200)


class Sent(Read):
    """The sent message; `unstored` is the reason why the table does not have it yet."""

    message: TeamMessageView
    unstored: str | None
