"""`/healthz`, sign-in and sign-out of browsers, and `/metrics`."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import NotFound
from lionstudio.state.backends import maintenance
from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.studio.studio_sessions import LIFETIME_SECONDS
from lionstudio.studio.http.auth import LOGIN, LOGOUT, SESSION_ID, cookie_name, is_https
from lionstudio.studio.http.error_responses import problem_response
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import JSON, encode_json
from lionstudio.studio.schemas.admin import Health
from lionstudio.studio.schemas.auth import SignedIn, SignInView, StudioSessionList
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.studio.views.metrics import usage_lines
from lionstudio.version import VERSION

router = LazyRouter(tags=["sign-in"])
_SIGNED_OUT: dict[int | str, dict[str, Any]] = {204: {"description": "the session has ended"}}


@router.get("/healthz", response_model=Health, responses=problems())
async def healthz() -> Response:
    """Report that the server is running; needs no token."""
    return Response(encode_json({"status": "ok", "version": VERSION}), media_type=JSON)


@router.post(LOGIN, response_model=SignedIn, responses=problems())
async def sign_in(request: Request, payload: SignInView | None = None) -> Response:
    """Sign a browser in with the one-time code of `li studio`, or with the token in the Authorization header.

    Sets the cookie; every request of the page also sends `secret` in the header Lion-Session.
    """
    app = services(request)
    # a wrong Authorization header was refused before
    if "authorization" not in request.headers:
        code = "" if payload is None else payload.code
        if not await asyncio.to_thread(app.sessions.use_code, code):
            app.audit_log.write("denied", reason="wrong_code", path=LOGIN)
            return problem_response(
                401, "wrong_code", "The sign-in link was used already or has expired.", hint="run `li studio` again"
            )
    address = request.client.host if request.client else None
    session = await asyncio.to_thread(app.sessions.sign_in, request.headers.get("user-agent"), address)
    app.audit_log.write("signed_in", session=session.id, client=address)
    response = Response(encode_json({"id": session.id, "secret": session.secret}), media_type=JSON)
    response.set_cookie(
        cookie_name(request.scope),
        session.cookie,
        max_age=LIFETIME_SECONDS,
        secure=is_https(request.scope),
        httponly=True,
        samesite="strict",
        path="/",
    )
    return response


@router.post(LOGOUT, status_code=204, response_class=Response, responses={**_SIGNED_OUT, **problems()})
async def sign_out(request: Request) -> Response:
    """End the session of this browser and its streams."""
    session_id = request.scope.get(SESSION_ID)
    if session_id is not None:
        await _end_session(services(request), session_id)
    response = Response(status_code=204)
    response.delete_cookie(
        cookie_name(request.scope), path="/", secure=is_https(request.scope), httponly=True, samesite="strict"
    )
    return response


@router.get("/api/admin/studio-sessions", response_model=StudioSessionList, responses=problems())
async def list_studio_sessions(request: Request) -> Response:
    """List the browsers that are signed in."""
    sessions = await asyncio.to_thread(services(request).sessions.list_active)
    own = request.scope.get(SESSION_ID)
    views = [
        {name: value for name, value in session._asdict().items() if name != "header_hash"}
        | {"is_current": session.id == own}
        for session in sessions
    ]
    return Response(encode_json({"sessions": views}), media_type=JSON)


@router.delete(
    "/api/admin/studio-sessions/{session_id}",
    status_code=204,
    response_class=Response,
    responses={**_SIGNED_OUT, **problems()},
)
async def end_one_session(request: Request, session_id: str) -> Response:
    """Sign a browser out and end its streams."""
    if not await _end_session(services(request), session_id):
        raise NotFound(f"no browser is signed in with the session {session_id!r:.100}")
    return Response(status_code=204)


async def _end_session(app: Services, session_id: str) -> bool:
    """End a session and its streams; return whether there was one."""
    ended = await asyncio.to_thread(app.sessions.end, session_id)
    app.sessions.forget(session_id)
    if ended:
        app.audit_log.write("signed_out", session=session_id)
    return ended


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus", "content": {"text/plain": {}}}, **problems()},
)
async def metrics(request: Request) -> Response:
    """Metrics for Prometheus; needs the token."""
    app = services(request)
    counts, seq = app.db.read(status_counts)
    usage = await asyncio.to_thread(usage_lines, app.db)
    lines = ["# TYPE lion_sessions gauge", *(f'lion_sessions{{status="{name}"}} {n}' for name, n in counts.items())]
    sizes = maintenance(app.db.path)
    values = {
        "lion_changes_seq": seq,
        "lion_stream_clients": app.hub.client_count,
        "lion_database_bytes": sizes.database_bytes(app.db.path),
        "lion_wal_bytes": sizes.database_bytes(f"{app.db.path}-wal"),
        "lion_database_replaced_total": app.db.replaced,
        "lion_launches_running": sum(launch.process.poll() is None for launch in app.launcher.list_launches()),
        "process_resident_memory_bytes": _resident_bytes(),
    }
    for name, value in values.items():
        lines += [f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}", f"{name} {value}"]
    lines += usage
    return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


def _resident_bytes() -> int:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
