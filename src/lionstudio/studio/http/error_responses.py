"""Errors as `application/problem+json`: one shape for ours, for bad input and for bugs; never a traceback."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from lionstudio.errors import (
    Busy,
    Conflict,
    CorruptStore,
    IllegalTransition,
    InvalidInput,
    LionError,
    NotFound,
    StorageFailed,
    WrongVersion,
)
from lionstudio.model.json_codec import jsonable

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5

STATUSES: Mapping[type[LionError], int] = {
    InvalidInput: 400,
    NotFound: 404,
    Conflict: 409,
    IllegalTransition: 409,
    CorruptStore: 503,
    WrongVersion: 503,
    Busy: 503,
    StorageFailed: 507,
    LionError: 400,
}


def problem_response(
    status: int,
    code: str,
    detail: str,
    *,
    hint: str | None = None,
    retryable: bool = False,
    errors: list[dict[str, Any]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A refusal in the one shape."""
    body: dict[str, Any] = {
        "type": f"urn:lion-studio:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "hint": hint,
        "retryable": retryable,
    }
    if errors is not None:
        body["errors"] = errors
    more = dict(headers or {})
    if status in (429, 503, 507):
        more.setdefault("Retry-After", str(RETRY_SECONDS))
    if status == 401:
        more.setdefault("WWW-Authenticate", "Bearer")
    # ASCII, so that half a character of somebody's text cannot break the answer
    return Response(json.dumps(body), status, more, MEDIA_TYPE)


def error_response(error: LionError, status: int | None = None) -> Response:
    """One of our own errors."""
    if status is None:
        status = next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
    return problem_response(status, error.code, error.message, hint=error.hint, retryable=error.retryable)


def install(app: FastAPI) -> None:
    """Every error of an application leaves it in this shape."""
    app.add_exception_handler(LionError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _of_framework)


async def _ours(_request: Request, error: Exception) -> Response:
    assert isinstance(error, LionError)
    return error_response(error)


async def _invalid(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = [
        {"where": ".".join(str(part) for part in each["loc"]), "message": str(each["msg"])} for each in error.errors()
    ]
    first = f"{found[0]['where']}: {found[0]['message']}" if found else "the request cannot be understood"
    return problem_response(422, "invalid_request", first, errors=jsonable(found[:20]))


async def _of_framework(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: ("no_route", "There is nothing at this address."), 405: ("method", "That cannot be done here.")}
    code, detail = words.get(error.status_code, ("refused", str(error.detail)))
    return problem_response(error.status_code, code, detail, headers=error.headers)


def bug_response(error: BaseException) -> tuple[Response, str]:
    """What to answer when something broke that never should, and what to write into the log."""
    answer = problem_response(
        500, "bug", "Something broke in Studio; logs/studio.log says what.", hint="please report it"
    )
    return answer, "".join(traceback.format_exception(error))
