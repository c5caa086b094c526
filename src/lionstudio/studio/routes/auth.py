"""The doors: `/healthz`, the one-time code, the cookie, and numbers for a monitor."""

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
    """That the server runs; needs no token and tells nothing else."""
    return Response(encode_json({"status": "ok", "version": VERSION}), media_type=JSON)


@router.get(
    "/login", status_code=303, response_class=Response, responses={303: {"description": "to the page"}, **problems()}
)
async def login_by_code(request: Request, code: Annotated[str, Query(max_length=200)] = "") -> Response:
    """The address that `li studio` prints: its code is good once, for less than a minute."""
    here = services(request)
    if not here.codes.consume(code):
        here.audit_log.write("denied", reason="wrong_code", path="/login")
        if "text/html" in request.headers.get("Accept", ""):
            return RedirectResponse("/", 303)  # the page is shown to who is signed in, and tells others how to
        return problem_response(
            401, "wrong_code", "That code was used already, or is too old.", hint="start `li studio` again"
        )
    answer = RedirectResponse("/", 303)
    _sign_in(request, here, answer)
    return answer


@router.post("/api/login", status_code=204, response_class=Response, responses={**_NO_CONTENT, **problems()})
async def login_by_token(request: Request) -> Response:
    """Sign this browser in; the token was sent as for any other route."""
    answer = Response(status_code=204)
    _sign_in(request, services(request), answer)
    return answer


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus", "content": {"text/plain": {}}}, **problems()},
)
async def metrics(request: Request) -> Response:
    """Numbers for Prometheus, behind the token."""
    here = services(request)
    counts, seq = here.db.read(status_counts)
    lines = ["# TYPE lion_sessions gauge", *(f'lion_sessions{{status="{name}"}} {n}' for name, n in counts.items())]
    plain = {
        "lion_changes_seq": seq,
        "lion_stream_clients": here.hub.client_count,
        "lion_database_bytes": file_size(here.db.path),
        "lion_wal_bytes": file_size(f"{here.db.path}-wal"),
        "lion_database_replaced_total": here.db.replaced,
        "lion_launches_running": sum(each.process.poll() is None for each in here.launcher.list_launches()),
        "process_resident_memory_bytes": _resident(),
    }
    for name, value in plain.items():
        lines += [f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}", f"{name} {value}"]
    return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


def _sign_in(request: Request, here: Services, answer: Response) -> None:
    answer.set_cookie(
        cookie_name(request.scope),
        derive_cookie(here.credentials.token),
        max_age=_COOKIE_SECONDS,
        httponly=True,
        samesite="strict",
        path="/",
    )


def _resident() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
