"""What every resource has in common: how strict a shape is, a state, a problem."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from lionstudio.model.status.vocabulary import FinalOutcome, Icon, Severity, StatusGroup, Tone


class ResponseModel(BaseModel):
    """What is sent: more may be added, nothing is taken away."""

    model_config = ConfigDict(extra="allow")


class RequestModel(BaseModel):
    """What is received: a field that nobody knows is a mistake."""

    model_config = ConfigDict(extra="forbid", str_max_length=900_000)


class Read(ResponseModel):
    """An answer that was read from the database as of one moment."""

    seq: int = Field(description="the number of the newest change that this answer knows; streams start after it")


class ReasonView(ResponseModel):
    """Why something is in its state."""

    code: str
    message: str
    evidence: str | None = None
    claim_status: str = Field(json_schema_extra={"enum": ["observed", "inferred"]})


class StateView(ResponseModel):
    """The computed state; a page renders it and decides nothing."""

    lifecycle: str = Field(description="the status")
    health: str
    delivery: str
    outcome: str | None = Field(
        description="null until the entity has ended", json_schema_extra={"enum": [*FinalOutcome, None]}
    )
    severity: str = Field(json_schema_extra={"enum": [*Severity]})
    tone: str = Field(json_schema_extra={"enum": [*Tone]})
    label: str
    group: str = Field(
        description="the heading that lists and progress bars count the status under",
        json_schema_extra={"enum": [*StatusGroup]},
    )
    icon: str = Field(json_schema_extra={"enum": [*Icon]})
    reasons: list[ReasonView]
    evaluated_at: float | None
    source: str = Field(description="where the status was read: sqlite or filesystem")


class ActionField(ResponseModel):
    """What a person gives with an order; the name is that of its field in the body."""

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
    errors: list[dict[str, Any]] | None = None


_MEANINGS = {
    400: "refused; the sentence says why",
    401: "no token, a wrong one, or one in the address",
    403: "asked from another site, or this Studio only reads",
    404: "there is no such thing",
    405: "not a method of this route",
    408: "the body came too slowly",
    409: "it exists already, or may not follow the present status",
    412: "it was changed since it was read",
    413: "the body is too large",
    414: "the address is too long",
    415: "the body is not JSON",
    421: "not an address of this Studio",
    422: "a parameter or the body is not what it must be",
    428: "If-Match is missing",
    429: "too many at once",
    431: "too many headers",
    502: "the model that makes embeddings does not answer",
    503: "the database is busy, missing, damaged or of another version",
    507: "the disk is full or cannot be written",
}
_EVERYWHERE = (400, 401, 403, 404, 405, 408, 413, 414, 415, 421, 422, 431, 503, 507)


def problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route, for OpenAPI."""
    content = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {code: {"description": _MEANINGS[code], "content": content} for code in sorted({*_EVERYWHERE, *more})}
