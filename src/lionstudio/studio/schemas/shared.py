"""Models that several resources share: strictness, state, problem."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lionstudio.model.status.vocabulary import FinalOutcome, Icon, Severity, StatusGroup, Tone


class ResponseModel(BaseModel):
    """A response; fields may be added, never removed."""

    model_config = ConfigDict(extra="allow", defer_build=True)


class RequestModel(BaseModel):
    """A request; an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", str_max_length=900_000)


class Read(ResponseModel):
    """A response that was read from one snapshot of the database."""

    seq: int = Field(description="the number of the newest change in this response; streams start after it")


class ReasonView(ResponseModel):
    """A reason for a state, with its evidence."""

    code: str
    message: str
    evidence: str | None = None
    claim_status: Literal["observed", "inferred"]


class StateView(ResponseModel):
    """The computed state; a page renders it and decides nothing."""

    lifecycle: str = Field(description="the status")
    health: str
    delivery: str
    outcome: FinalOutcome | None = Field(description="null until the entity has ended")
    severity: Severity
    tone: Tone
    label: str
    group: StatusGroup = Field(description="the heading that lists and progress bars count the status under")
    icon: Icon
    reasons: list[ReasonView]
    summary: str | None = Field(description="of a run that ended without success: its first reason, in one line")
    evaluated_at: float | None
    source: str = Field(description="where the status was read: sqlite or filesystem")


class StatusLabel(ResponseModel):
    """A status as people read it."""

    status: str
    label: str
    tone: Tone
    icon: Icon


class TransitionView(ResponseModel):
    """A change of status."""

    at: float
    previous: str | None = Field(description="null: created with this status")
    status: str
    reason_code: str | None
    source: str | None = Field(
        description="run, stop, doctor, director, decision, files, mirror, import; other: another tool"
    )
    actor: str | None = Field(description="the user or process behind the change")


class ActionField(ResponseModel):
    """A field of an action; `name` is its key in the request body."""

    name: str
    label: str
    kind: str = Field(description="lines, text or number")
    required: bool


class ProblemView(ResponseModel):
    """An error (RFC 9457)."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    hint: str | None = None
    retryable: bool = False
    field: str | None = Field(default=None, description="the field of the request that caused it")
    errors: list[dict[str, Any]] | None = None


_MEANINGS = {
    400: "refused; `detail` has the reason",
    401: "the token is missing, wrong or in the URL",
    403: "another site sent the request, or the server is read-only",
    404: "not found",
    405: "the route does not allow the method",
    408: "the body arrived too slowly",
    409: "exists already, or the status does not allow it",
    412: "changed since it was read",
    413: "the body is too large",
    414: "the URL is too long",
    415: "the body is not JSON",
    421: "the host name does not belong to this server",
    422: "a parameter or the body is not valid",
    428: "If-Match is missing",
    429: "too many at once",
    431: "too many headers",
    502: "the embedding model does not respond",
    503: "the database is busy, missing, damaged or has another version, or its server cannot be reached",
    507: "the disk is full or cannot be written",
}
_EVERYWHERE = (400, 401, 403, 404, 405, 408, 413, 414, 415, 421, 422, 431, 503, 507)


def problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """The error responses of a route, for OpenAPI."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {code: {"description": _MEANINGS[code], "content": content} for code in sorted({*_EVERYWHERE, *more})}
