"""`/api/runs` and `/api/sessions/{id}`: list and filter runs, get one, list its files, stop it."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import LionError, NotFound
from lionstudio.files.legacy_runs import MANIFEST, MOST_MANIFEST_BYTES
from lionstudio.model.status.vocabulary import Card
from lionstudio.runs.stop import stop_run
from lionstudio.state.connection import Connection
from lionstudio.state.forks import inherited_segments, list_forks
from lionstudio.state.messages.pages import scope_of_session
from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.runs.facets import facets
from lionstudio.state.runs.page_queries import branch_rows, session_row
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.shows import play_of_session
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import runs as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services
from lionstudio.studio.views import artifacts
from lionstudio.studio.views.run_health import list_runs_with_health
from lionstudio.studio.views.runs import commands, run_json
from lionstudio.system.filenames import fault_of_name
from lionstudio.system.json_read import read_object

router = APIRouter(tags=["runs"])
Text = Annotated[str | None, Query(max_length=200)]
Moment = Annotated[float | None, Query(ge=-1e11, le=1e11, allow_inf_nan=False, description="unix seconds")]
_LISTED = {304: {"description": "as before"}, **problems()}


def structure(
    status: Text = None,
    kind: Text = None,
    source: Text = None,
    project: Text = None,
    agent: Text = None,
    playbook: Text = None,
    show: Text = None,
    name: Text = None,
    since: Moment = None,
    until: Moment = None,
) -> Filters:
    """Filters on columns."""
    return Filters(status, kind, source, project, agent, playbook, show, name, since, until)


Structure = Annotated[Filters, Depends(structure)]


@router.get("/api/runs", response_model=schemas.Runs, responses=_LISTED)
async def list_runs(
    request: Request,
    filters: Structure,
    q: Text = None,
    card: Card | None = None,
    health: schemas.RunHealth | None = None,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """List runs, newest first; all filters can be combined.

    With `health`, which is computed at read time, a page may be shorter than `limit` although more pages follow.
    """
    all_filters, now = filters._replace(text=q, card=card and card.value), time.time()

    def work(conn: Connection) -> bytes:
        if health is None:
            page = list_sessions(conn, all_filters, limit=limit, cursor=cursor)
            rows, next_cursor = [run_json(row, now) for row in page.rows], page.next_cursor
        else:
            rows, next_cursor = list_runs_with_health(conn, all_filters, health.value, limit, cursor, now)
        return encode_json({"runs": rows, "next_cursor": next_cursor, "counts": status_counts(conn)})

    return cacheable_response(request, *services(request).db.read(work), evaluated_at=now)


@router.get("/api/facets", response_model=schemas.Facets, responses=_LISTED)
async def count_facets(request: Request, filters: Structure) -> Response:
    """Count the runs of each filter value under the other filters, up to a thousand."""

    def work(conn: Connection) -> bytes:
        facet_counts = facets(conn, filters)
        return encode_json({facet: [count._asdict() for count in counts] for facet, counts in facet_counts.items()})

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/runs/{run_id}", response_model=schemas.RunDetail, responses=problems())
async def get_run(request: Request, run_id: str) -> Response:
    """Get a run from the database, with its manifest if an archived one exists."""
    app = services(request)
    detail, seq = app.db.read(lambda conn: _detail(conn, run_id))
    return json_response(detail | _manifest(app.settings.home, run_id, detail["metadata"]), seq)


@router.get("/api/sessions/{session_id}", response_model=schemas.SessionDetail, responses=problems())
async def get_session(request: Request, session_id: str) -> Response:
    """Get a session with its branches; its messages have their own routes."""
    detail, seq = services(request).db.read(lambda conn: _detail(conn, session_id))
    return json_response(detail, seq)


@router.get("/api/sessions/{session_id}/files", response_model=schemas.Artifacts, responses=problems())
async def list_files(request: Request, session_id: str) -> Response:
    """List the files in the folder of a run; files that its tools used are in the outline."""
    app = services(request)
    row, seq = app.db.read(lambda conn: session_row(conn, session_id))

    def work() -> dict[str, Any]:
        root = artifacts.find_root(app.settings, row)
        files, more = ([], False) if root is None else artifacts.list_files(root)
        return {"session_id": session_id, "root": root, "files": files, "has_more": more}

    return json_response(await asyncio.to_thread(work), seq)


@router.get("/api/sessions/{session_id}/files/content", response_model=schemas.ArtifactText, responses=problems())
async def read_file(
    request: Request,
    session_id: str,
    path: Annotated[str, Query(min_length=1, max_length=1000)],
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    length: Annotated[int, Query(ge=1, le=1_000_000)] = 65_536,
) -> Response:
    """Get some bytes of a file of a run, as text."""
    app = services(request)
    row, seq = app.db.read(lambda conn: session_row(conn, session_id))

    def work() -> dict[str, Any]:
        root = artifacts.find_root(app.settings, row)
        if root is None:
            raise NotFound("the run has no files", hint="`files` of the outline lists the files that its tools used")
        text, total = artifacts.read_part(root, path, start, length)
        return {"path": path, "start": start, "total": total, "text": text}

    return json_response(await asyncio.to_thread(work), seq)


@router.post("/api/sessions/{session_id}/stop", response_model=schemas.StopResultView, responses=problems(409))
async def stop_session(request: Request, session_id: str, payload: schemas.StopRequest) -> Response:
    """Stop a run with every process it started, like `li kill`; only proven processes are signalled."""
    app = services(request)
    app.db.read(lambda conn: session_row(conn, session_id))
    result = await asyncio.to_thread(stop_run, app.settings.db, session_id, grace=payload.grace_seconds)
    app.audit_log.write("stopped", id=session_id, outcome=result.outcome)
    return json_response({"session_id": session_id, **result._asdict()}, app.db.seq())


def _detail(conn: Connection, session_id: str) -> dict[str, Any]:
    row = session_row(conn, session_id)
    branches = branch_rows(conn, session_id)
    metadata = row.pop("node_metadata")
    source = play_of_session(conn, session_id)
    ancestors = inherited_segments(conn, session_id) if any(branch["parent_branch_id"] for branch in branches) else {}
    return {
        "session": run_json(row | {"branch_count": len(branches), "metadata": metadata}, time.time()),
        "metadata": metadata,
        "branches": [{**branch, "inherited": ancestors.get(branch["id"], [])} for branch in branches],
        "forks": list_forks(conn, session_id, scope_of_session(conn, session_id).prog),
        "source": None if source is None else {"topic": source.topic, "play": source.play.name},
        "commands": commands(row),
    }


def _manifest(home: str, run_id: str, metadata: dict[str, Any]) -> dict[str, Any]:
    """The `run.json` of an archived run, by the id of the session or by the id in the archive."""
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
