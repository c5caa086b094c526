"""`/healthz`, sign-in with a one-time code or the token, and `/metrics`."""

from __future__ import annotations

import os
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.sqlite.maintenance import file_size
from lionstudio.studio.http.auth import cookie_name
from lionstudio.studio.http.error_responses import problem_response
from lionstudio.studio.http.responses import JSON, encode_json
from lionstudio.studio.http.tokens import derive_cookie
from lionstudio.studio.schemas.admin import Health
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.version import VERSION

router = APIRouter(tags=["doors"])
_COOKIE_SECONDS = 30 * 86400
_NO_CONTENT: dict[int | str, dict[str, Any]] = {204: {"description": "this browser is signed in"}}


@router.get("/healthz", response_model=Health, responses=problems())
async def healthz() -> Response:
    """Report that the server is running; needs no token."""
    return Response(encode_json({"status": "ok", "version": VERSION}), media_type=JSON)


@router.get(
    "/login", status_code=303, response_class=Response, responses={303: {"description": "to the page"}, **problems()}
)
async def login_by_code(request: Request, code: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Sign in with the URL that `li studio` prints; its code is valid once, for less than a minute."""
    app = services(request)
    if not app.codes.consume(code):
        app.audit_log.write("denied", reason="wrong_code", path="/login")
        if "text/html" in request.headers.get("Accept", ""):
            return RedirectResponse("/", 303)  # the page explains how to sign in
        return problem_response(
            401, "wrong_code", "The code was used already or has expired.", hint="run `li studio` again"
        )
    response = RedirectResponse("/", 303)
    _sign_in(request, app, response)
    return response


@router.post("/api/login", status_code=204, response_class=Response, responses={**_NO_CONTENT, **problems()})
async def login_by_token(request: Request) -> Response:
    """Sign this browser in with the token in the Authorization header."""
    response = Response(status_code=204)
    _sign_in(request, services(request), response)
    return response


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus", "content": {"text/plain": {}}}, **problems()},
)
async def metrics(request: Request) -> Response:
    """Metrics for Prometheus; needs the token."""
    app = services(request)
    counts, seq = app.db.read(status_counts)
    lines = ["# TYPE lion_sessions gauge", *(f'lion_sessions{{status="{name}"}} {n}' for name, n in counts.items())]
    values = {
        "lion_changes_seq": seq,
        "lion_stream_clients": app.hub.client_count,
        "lion_database_bytes": file_size(app.db.path),
        "lion_wal_bytes": file_size(f"{app.db.path}-wal"),
        "lion_database_replaced_total": app.db.replaced,
        "lion_launches_running": sum(launch.process.poll() is None for launch in app.launcher.list_launches()),
        "process_resident_memory_bytes": _resident_bytes(),
    }
    for name, value in values.items():
        lines += [f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}", f"{name} {value}"]
    return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


def _sign_in(request: Request, app: Services, response: Response) -> None:
    response.set_cookie(
        cookie_name(request.scope),
        derive_cookie(app.credentials.token),
        max_age=_COOKIE_SECONDS,
        httponly=True,
        samesite="strict",
        path="/",
    )


def _resident_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
