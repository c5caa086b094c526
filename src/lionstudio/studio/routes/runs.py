"""`/api/runs` and `/api/sessions/{id}`: lists with their filters, one run, and stopping it."""

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
from lionstudio.state.forks import forks_of, inherited_by
from lionstudio.state.messages.pages import scope_of_session
from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.runs.facets import facets
from lionstudio.state.runs.page_queries import branch_rows, session_row
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.shows import play_of_session
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import runs as wire
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
    """The filters that are columns."""
    return Filters(status, kind, source, project, agent, playbook, show, name, since, until)


Structure = Annotated[Filters, Depends(structure)]


@router.get("/api/runs", response_model=wire.Runs, responses=_LISTED)
async def list_runs(
    request: Request,
    filters: Structure,
    q: Text = None,
    card: Card | None = None,
    health: wire.RunHealth | None = None,
    cursor: Annotated[str | None, Query(max_length=400)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """A page of runs, newest first; every filter can be combined with every other.

    With `health`, which is computed and not stored, a page may be shorter than asked for although others follow.
    """
    wanted, now = filters._replace(text=q, card=card and card.value), time.time()

    def work(conn: Connection) -> bytes:
        if health is None:
            page = list_sessions(conn, wanted, limit=limit, cursor=cursor)
            rows, following = [run_json(row, now) for row in page.rows], page.next_cursor
        else:
            rows, following = list_runs_with_health(conn, wanted, health.value, limit, cursor, now)
        return encode_json({"runs": rows, "next_cursor": following, "counts": status_counts(conn)})

    return cacheable_response(request, *services(request).db.read(work), evaluated_at=now)


@router.get("/api/facets", response_model=wire.Facets, responses=_LISTED)
async def count_facets(request: Request, filters: Structure) -> Response:
    """How many runs each value of a filter would leave beside the other filters, counted up to a thousand."""

    def work(conn: Connection) -> bytes:
        found = facets(conn, filters)
        return encode_json({facet: [each._asdict() for each in counts] for facet, counts in found.items()})

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/runs/{run_id}", response_model=wire.RunDetail, responses=problems())
async def get_run(request: Request, run_id: str) -> Response:
    """One run from the database, with its manifest where an archived one exists."""
    here = services(request)
    found, seq = here.db.read(lambda conn: _detail(conn, run_id))
    return json_response(found | _manifest(here.settings.home, run_id, found["metadata"]), seq)


@router.get("/api/sessions/{session_id}", response_model=wire.SessionDetail, responses=problems())
async def get_session(request: Request, session_id: str) -> Response:
    """One session with its branches; its messages have routes of their own."""
    found, seq = services(request).db.read(lambda conn: _detail(conn, session_id))
    return json_response(found, seq)


@router.get("/api/sessions/{session_id}/files", response_model=wire.Artifacts, responses=problems())
async def list_files(request: Request, session_id: str) -> Response:
    """The files that a run left in its folder; those that its tools touched are in the outline."""
    here = services(request)
    row, seq = here.db.read(lambda conn: session_row(conn, session_id))

    def look() -> dict[str, Any]:
        root = artifacts.find_root(here.settings, row)
        files, more = ([], False) if root is None else artifacts.list_files(root)
        return {"session_id": session_id, "root": root, "files": files, "has_more": more}

    return json_response(await asyncio.to_thread(look), seq)


@router.get("/api/sessions/{session_id}/files/content", response_model=wire.ArtifactText, responses=problems())
async def read_file(
    request: Request,
    session_id: str,
    path: Annotated[str, Query(min_length=1, max_length=1000)],
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    length: Annotated[int, Query(ge=1, le=1_000_000)] = 65_536,
) -> Response:
    """Some bytes of one of these files, as text."""
    here = services(request)
    row, seq = here.db.read(lambda conn: session_row(conn, session_id))

    def look() -> dict[str, Any]:
        root = artifacts.find_root(here.settings, row)
        if root is None:
            raise NotFound("that run left no files", hint="`files` of the outline are those its tools touched")
        text, total = artifacts.read_part(root, path, start, length)
        return {"path": path, "start": start, "total": total, "text": text}

    return json_response(await asyncio.to_thread(look), seq)


@router.post("/api/sessions/{session_id}/stop", response_model=wire.StopResult, responses=problems(409))
async def stop_session(request: Request, session_id: str, given: wire.StopRequest) -> Response:
    """Stop a run with everything it started, as `li kill` does; only what is proven to be its own is signalled."""
    here = services(request)
    here.db.read(lambda conn: session_row(conn, session_id))
    found = await asyncio.to_thread(stop_run, here.settings.db, session_id, grace=given.grace_seconds)
    here.audit_log.write("stopped", id=session_id, outcome=found.outcome)
    return json_response({"session_id": session_id, **found._asdict()}, here.db.seq())


def _detail(conn: Connection, session_id: str) -> dict[str, Any]:
    row = session_row(conn, session_id)
    branches = branch_rows(conn, session_id)
    metadata = row.pop("node_metadata")
    source = play_of_session(conn, session_id)
    ancestors = inherited_by(conn, session_id) if any(each["parent_branch_id"] for each in branches) else {}
    return {
        "session": run_json(row | {"branch_count": len(branches), "metadata": metadata}, time.time()),
        "metadata": metadata,
        "branches": [{**each, "inherited": ancestors.get(each["id"], [])} for each in branches],
        "forks": forks_of(conn, session_id, scope_of_session(conn, session_id).prog),
        "source": None if source is None else {"topic": source.topic, "play": source.play.name},
        "commands": commands(row),
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
