"""Errors as `application/problem+json`, one shape for our errors, bad input and bugs; never a traceback."""

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
from starlette.routing import Match

from lionstudio.errors import (
    Ambiguous,
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
from lionstudio.state.connection import Unavailable

PAGE_PATH = "/{path:path}"
MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5

STATUSES: Mapping[type[LionError], int] = {
    InvalidInput: 400,
    Ambiguous: 400,
    NotFound: 404,
    Conflict: 409,
    IllegalTransition: 409,
    CorruptStore: 503,
    WrongVersion: 503,
    Busy: 503,
    Unavailable: 503,
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
    field: str | None = None,
    errors: list[dict[str, Any]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    body: dict[str, Any] = {
        "type": f"urn:lion-studio:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "hint": hint,
        "retryable": retryable,
    }
    if field is not None:
        body["field"] = field
    if errors is not None:
        body["errors"] = errors
    all_headers = dict(headers or {})
    if status in (429, 503, 507):
        all_headers.setdefault("Retry-After", str(RETRY_SECONDS))
    if status == 401:
        all_headers.setdefault("WWW-Authenticate", "Bearer")
    # ASCII, so that an incomplete character in a message cannot break the response
    return Response(json.dumps(body), status, all_headers, MEDIA_TYPE)


def error_response(error: LionError, status: int | None = None) -> Response:
    """The response to an error of ours; the class of the error gives the status."""
    if status is None:
        status = next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
    return problem_response(
        status, error.code, error.message, hint=error.hint, retryable=error.retryable, field=error.field
    )


def install(app: FastAPI) -> None:
    """Register the handlers that give every error this shape."""
    app.add_exception_handler(LionError, _handle_lion_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid_request)
    app.add_exception_handler(HTTPException, _handle_http_exception)


async def _handle_lion_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, LionError)
    return error_response(error)


async def _handle_invalid_request(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [
        {"where": ".".join(str(part) for part in item["loc"]), "message": str(item["msg"])} for item in error.errors()
    ]
    first = f"{errors[0]['where']}: {errors[0]['message']}" if errors else "the request is not valid"
    return problem_response(422, "invalid_request", first, errors=jsonable(errors[:20]))


async def _handle_http_exception(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404 or (error.status_code == 405 and not _has_route(request)):
        return problem_response(404, "no_route", "No route has this path.")
    method = ("method", "This route does not allow the method.")
    code, detail = method if error.status_code == 405 else ("refused", str(error.detail))
    return problem_response(error.status_code, code, detail, headers=error.headers)


def _has_route(request: Request) -> bool:
    """Whether a route other than the page's, which has every path, has the path of a request."""
    routes = (route for route in request.app.router.routes if getattr(route, "path", None) != PAGE_PATH)
    return request.url.path == "/" or any(route.matches(request.scope)[0] is not Match.NONE for route in routes)


def bug_response(error: BaseException) -> tuple[Response, str]:
    """The response to an unexpected error, and the traceback for the log."""
    response = problem_response(
        500, "bug", "Unexpected error in Studio; the traceback is in logs/studio.log.", hint="please report it"
    )
    return response, "".join(traceback.format_exception(error))
