"""`/api/runs` and `/api/sessions`: lists, one run, and windows into its messages."""

from __future__ import annotations

import os
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.files.documents import read_object
from lionstudio.files.names import fault_of_name
from lionstudio.files.runs import MANIFEST, MOST_MANIFEST_BYTES
from lionstudio.state.connection import Connection
from lionstudio.state.dashboard import status_counts
from lionstudio.state.listing import Filters, list_sessions
from lionstudio.state.shows import play_of_session
from lionstudio.state.summaries import branch_rows, session_row
from lionstudio.state.transcripts import branches_of, head_of, lines_after, lines_before
from lionstudio.studio.answers import answer, cached, encoded
from lionstudio.studio.messages import message_list
from lionstudio.studio.services import services
from lionstudio.studio.sessions import to_wire
from lionstudio.studio.wire.runs import Messages, RunDetail, Runs, SessionDetail
from lionstudio.studio.wire.shared import problems

router = APIRouter(tags=["runs"])
Text = Annotated[str | None, Query(max_length=200)]
Moment = Annotated[float | None, Query(ge=-1e11, le=1e11, allow_inf_nan=False, description="unix seconds")]
Ord = Annotated[int | None, Query(ge=-1, le=2**53)]


@router.get("/api/runs", response_model=Runs, responses={304: {"description": "as before"}, **problems()})
async def list_runs(
    request: Request,
    status: Text = None,
    kind: Text = None,
    source: Text = None,
    project: Text = None,
    agent: Text = None,
    playbook: Text = None,
    show: Text = None,
    name: Text = None,
    q: Text = None,
    since: Moment = None,
    until: Moment = None,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """A page of runs, newest first; every filter can be combined with every other."""
    filters = Filters(status, kind, source, project, agent, playbook, show, name, since, until, q)

    def work(conn: Connection) -> bytes:
        page = list_sessions(conn, filters, limit=limit, cursor=cursor)
        now = time.time()
        rows = [to_wire(row, now) for row in page.rows]
        return encoded({"runs": rows, "next_cursor": page.next_cursor, "counts": status_counts(conn)})

    return cached(request, *services(request).store.read(work))


@router.get("/api/runs/{run_id}", response_model=RunDetail, responses=problems())
async def get_run(request: Request, run_id: str) -> Response:
    """One run from the database, with its manifest where an archived one exists."""
    here = services(request)
    found, seq = here.store.read(lambda conn: _detail(conn, run_id))
    return answer(found | _manifest(here.settings.home, run_id, found["metadata"]), seq)


@router.get("/api/sessions/{session_id}", response_model=SessionDetail, responses=problems())
async def get_session(request: Request, session_id: str) -> Response:
    """One session with its branches; its messages have a route of their own."""
    found, seq = services(request).store.read(lambda conn: _detail(conn, session_id))
    return answer(found, seq)


@router.get("/api/sessions/{session_id}/messages", response_model=Messages, responses=problems())
async def list_messages(
    request: Request,
    session_id: str,
    after: Ord = None,
    before: Ord = None,
    limit: Annotated[int, Query(ge=1, le=10_000)] = 100,
) -> Response:
    """A window by ord: what comes after one, or right before one; from the beginning by default."""
    if after is not None and before is not None:
        raise InvalidInput("after and before exclude each other", hint="give one of them")

    def work(conn: Connection) -> bytes:
        head = head_of(conn, session_id)
        if head is None:
            raise NotFound(f"there is no session {session_id!r:.100}", hint="`li state ls` lists them")
        if before is None:
            lines = lines_after(conn, session_id, -1 if after is None else after, limit + 1)
            more, lines = len(lines) > limit, lines[:limit]
        else:
            lines = lines_before(conn, session_id, before, limit + 1)
            more, lines = len(lines) > limit, lines[-limit:]
        on = branches_of(conn, session_id, [line[1] for line in lines])
        facts = encoded({"session_id": session_id, "message_count": head[1], "has_more": more})
        return facts[:-1] + b',"messages":' + message_list(lines, on) + b"}"

    return cached(request, *services(request).store.read(work))


def _detail(conn: Connection, session_id: str) -> dict[str, Any]:
    row = session_row(conn, session_id)
    branches = branch_rows(conn, session_id)
    metadata = row.pop("node_metadata")
    source = play_of_session(conn, session_id)
    return {
        "session": to_wire(row | {"branch_count": len(branches)}, time.time()),
        "metadata": metadata,
        "branches": branches,
        "source": None if source is None else {"topic": source.topic, "play": source.play.name},
    }


def _manifest(home: str, run_id: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """The `run.json` of an archived run, by the session's id or by the id the archive had for it."""
    root = os.path.join(home, "runs")
    for name in (metadata.get("run_id"), run_id):
        if fault_of_name(name) is None:
            path = os.path.join(root, str(name), MANIFEST)
            if os.path.lexists(path):
                try:
                    value = read_object(path, most=MOST_MANIFEST_BYTES, root=root)
                    return {"manifest": value, "manifest_error": None}
                except LionError as error:
                    return {"manifest": None, "manifest_error": error.message}
    return {"manifest": None, "manifest_error": None}
