"""Models of sign-in and of signed-in browsers."""

from __future__ import annotations

from pydantic import Field

from lionstudio.studio.schemas.shared import RequestModel, ResponseModel


class SignInView(RequestModel):
    """A one-time code; omitted by a client that sends the token."""

    code: str = Field(max_length=200)


class SignedIn(ResponseModel):
    """A new session; the cookie is its other half."""

    id: str
    secret: str = Field(description="sent by the page in the header Lion-Session of every request")


class StudioSessionView(ResponseModel):
    """A signed-in browser."""

    id: str
    created_at: float
    last_seen_at: float
    expires_at: float
    user_agent: str | None
    address: str | None
    is_current: bool = Field(description="the browser that sent this request")


class StudioSessionList(ResponseModel):
    """The signed-in browsers, the last one seen first."""

    sessions: list[StudioSessionView]
