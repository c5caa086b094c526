"""`/api/runs` and `/api/sessions/{id}`: list and filter runs, get one, list its files, stop it."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Query
from pydantic import StringConstraints
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import LionError, NotFound
from lionstudio.files.legacy_runs import MANIFEST, MOST_MANIFEST_BYTES
from lionstudio.machine import machine_id
from lionstudio.model.status.source_names import source_name
from lionstudio.model.status.vocabulary import Card
from lionstudio.runs.prepare.repeat import get_repeatable
from lionstudio.runs.remove import remove_runs
from lionstudio.runs.stop import stop_run
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.terminals import find_terminal_of, list_live_terminals
from lionstudio.state.forks import inherited_segments, list_forks
from lionstudio.state.hub.machines import list_machines, name_machines
from lionstudio.state.imports.transcript_stamps import SOURCES
from lionstudio.state.messages.pages import scope_of_session
from lionstudio.state.runs.conversations import list_successors
from lionstudio.state.runs.dashboard import status_counts
from lionstudio.state.runs.facets import Count, facets
from lionstudio.state.runs.labels import list_tags, rename_session, replace_tags, set_note
from lionstudio.state.runs.page_queries import branch_rows, session_names, session_row
from lionstudio.state.runs.run_list import MOST_VALUES, Filters
from lionstudio.state.runs.run_order import ListOrder, Order, Sort
from lionstudio.state.shows import play_of_session
from lionstudio.state.transitions import list_transitions
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import cacheable_response, encode_json, encode_rows, json_response
from lionstudio.studio.schemas import runs as schemas
from lionstudio.studio.schemas.launches import RunRequest
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services
from lionstudio.studio.views import artifacts
from lionstudio.studio.views.run_health import ListPart, count_health, count_totals, list_part
from lionstudio.studio.views.runs import commands, run_json
from lionstudio.system.filenames import fault_of_name
from lionstudio.system.json_read import read_object

router = LazyRouter(tags=["runs"])
Text = Annotated[str | None, Query(max_length=200)]
Value = Annotated[str, StringConstraints(max_length=200)]
Values = Annotated[list[Value] | None, Query(max_length=MOST_VALUES, description="any of these; repeat it for several")]
Healths = Annotated[list[schemas.RunHealth] | None, Query(max_length=MOST_VALUES)]
Moment = Annotated[float | None, Query(ge=-1e11, le=1e11, allow_inf_nan=False, description="unix seconds")]
_ORIGINS = ("continues", "retries", "forked_from")
_LISTED = {304: {"description": "as before"}, **problems()}


def list_filters(
    status: Values = None,
    kind: Values = None,
    source: Values = None,
    project: Values = None,
    agent: Values = None,
    playbook: Values = None,
    show: Values = None,
    name: Values = None,
    model: Values = None,
    tag: Values = None,
    machine: Values = None,
    since: Moment = None,
    until: Moment = None,
    q: Annotated[
        str | None, Query(max_length=200, description="text in the names of a run, or the start of an id")
    ] = None,
    card: Card | None = None,
) -> Filters:
    """The filters of a list; a filter with several values means any of them."""
    values = {
        "status": status,
        "kind": kind,
        "source": source,
        "project": project,
        "agent": agent,
        "playbook": playbook,
        "show": show,
        "name": name,
        "model": model,
        "tag": tag,
        "machine": machine,
    }
    chosen = {name: tuple(each) for name, each in values.items() if each}
    return Filters(since=since, until=until, text=q, card=card and card.value, **chosen)


ListFilters = Annotated[Filters, Depends(list_filters)]


@router.get("/api/runs", response_model=schemas.Runs, responses=_LISTED)
async def list_runs(
    request: Request,
    filters: ListFilters,
    health: Healths = None,
    sort: Sort = Sort.CREATED,
    order: Order = Order.DESC,
    cursor: Annotated[str | None, Query(max_length=2000)] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """List runs, newest first or by another column; all filters can be combined and repeated.

    With `health`, which is computed at read time, a page may be shorter than `limit` although more pages follow.
    """
    part, now = ListPart(limit, cursor, ListOrder(sort, order)), time.time()

    def work(conn: Connection) -> bytes:
        rows, next_cursor = list_part(conn, filters, health or (), part, now)
        return encode_rows("runs", rows, {"next_cursor": next_cursor, "counts": status_counts(conn)})

    db = services(request).db
    # without an index, the list reads every run that the filters leave
    read = db.read(work) if sort in (Sort.CREATED, Sort.UPDATED) else await asyncio.to_thread(db.read, work)
    return cacheable_response(request, *read, evaluated_at=now)


@router.get("/api/facets", response_model=schemas.Facets, responses=_LISTED)
async def count_facets(request: Request, filters: ListFilters) -> Response:
    """Count the runs of each filter value under the other filters, up to a thousand."""

    def work(conn: Connection) -> bytes:
        facet_counts = facets(conn, filters)
        healths = count_health(conn, filters, time.time()).most_common()
        facet_counts["health"] = [Count(health, runs, more=False) for health, runs in healths]
        machines = name_machines(list_machines(conn))
        return encode_json(
            {
                facet: [_facet_value(facet, count, machines) for count in counts]
                for facet, counts in facet_counts.items()
            }
        )

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/totals", response_model=schemas.RunTotals, responses=_LISTED)
async def get_totals(request: Request, filters: ListFilters, health: Healths = None) -> Response:
    """Count the runs that filters leave and sum their tokens and costs, up to ten thousand runs."""
    now = time.time()

    def work(conn: Connection) -> bytes:
        return encode_json(count_totals(conn, filters, health or (), now)._asdict())

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/terminals", response_model=schemas.Terminals, responses=problems())
async def list_terminals(request: Request) -> Response:
    """List the programs that run in terminals of the user and report by hooks (`li connect`)."""
    app = services(request)
    terminals, seq = app.db.read(list_live_terminals)
    return json_response({"terminals": [each.to_dict() for each in terminals], "listens": app.hooks.is_listening}, seq)


@router.get("/api/runs/{run_id}", response_model=schemas.RunDetail, responses=problems())
async def get_run(request: Request, run_id: str) -> Response:
    """Get a run from the database, with its manifest if an archived one exists."""
    app = services(request)
    detail, seq = app.db.read(lambda conn: _detail(conn, run_id, app.settings))
    return json_response(detail | _manifest(app.settings.home, run_id, detail["metadata"]), seq)


@router.get("/api/runs/{run_id}/request", response_model=RunRequest, responses=problems())
async def get_request(request: Request, run_id: str) -> Response:
    """Get the request of a run, to start it again: the agent or playbook, the prompt, the folder and the options."""
    repeated, seq = services(request).db.read(lambda conn: get_repeatable(conn, run_id))
    return json_response(repeated._asdict(), seq)


@router.patch("/api/runs/{run_id}", response_model=schemas.RunDetail, responses=problems())
async def edit_run(request: Request, run_id: str, payload: schemas.RunLabels) -> Response:
    """Set the name, the note or the tags of a run; a field that is left out stays as it is."""
    app = services(request)
    fields = payload.model_fields_set

    def work(conn: Connection) -> None:
        session_row(conn, run_id)
        if "name" in fields:
            rename_session(conn, run_id, payload.name)
        if "note" in fields:
            set_note(conn, run_id, payload.note)
        if payload.tags is not None:
            replace_tags(conn, run_id, payload.tags)

    await asyncio.to_thread(app.db.write, work)
    app.audit_log.write("edited", id=run_id, fields=sorted(fields))
    return await get_run(request, run_id)


@router.delete("/api/runs/{run_id}", response_model=schemas.RemovedRun, responses=problems(409))
async def remove_run(request: Request, run_id: str) -> Response:
    """Delete a run with its messages and files, like `li state rm`; a running one is refused."""
    app = services(request)
    removed = await asyncio.to_thread(remove_runs, app.db.database(), app.settings.home, [run_id])
    app.audit_log.write("removed", id=run_id, messages=removed.messages)
    return json_response({"id": run_id, **removed._asdict()}, app.db.seq())


@router.get("/api/sessions/{session_id}", response_model=schemas.SessionDetail, responses=problems())
async def get_session(request: Request, session_id: str) -> Response:
    """Get a session with its branches; its messages have their own routes."""
    app = services(request)
    detail, seq = app.db.read(lambda conn: _detail(conn, session_id, app.settings))
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


def _facet_value(facet: str, count: Count, machines: Mapping[str, str]) -> dict[str, Any]:
    match facet:
        case "source":
            label = source_name(count.value)
        case "machine":
            own = "this machine" if count.value == machine_id() else count.value[:8]  # it pushes to no other
            label = machines.get(count.value, own)
        case _:
            label = count.value.replace("_", " ")
    return {**count._asdict(), "label": label}


def _detail(conn: Connection, session_id: str, settings: Settings) -> dict[str, Any]:
    row = session_row(conn, session_id)
    branches = branch_rows(conn, session_id)
    metadata = row.pop("node_metadata")
    source = play_of_session(conn, session_id)
    # a program in a terminal has the session of its transcript
    terminal = find_terminal_of(conn, session_id) if row["source_kind"] in SOURCES.values() else None
    ancestors = inherited_segments(conn, session_id) if any(branch["parent_branch_id"] for branch in branches) else {}
    facts = {"branch_count": len(branches), "metadata": metadata, "tags": list_tags(conn, session_id)}
    return {
        "session": run_json(row | facts, time.time()),
        "metadata": metadata,
        "branches": [{**branch, "inherited": ancestors.get(branch["id"], [])} for branch in branches],
        "forks": list_forks(conn, session_id, scope_of_session(conn, session_id).prog),
        "source": None if source is None else {"topic": source.topic, "play": source.play.name},
        "origins": _origins(conn, row),
        "successors": _named(conn, list_successors(conn, session_id)),
        "artifacts": artifacts.expected_artifacts(metadata),
        "commands": commands(row | {"metadata": metadata}, settings),
        "terminal": None if terminal is None else terminal.to_dict(),
        "transitions": [change.to_dict() for change in list_transitions(conn, "session", session_id)],
    }


def _origins(conn: Connection, row: dict[str, Any]) -> list[dict[str, Any]]:
    related = [{"id": row[relation], "relation": relation} for relation in _ORIGINS if row[relation]]
    return _named(conn, related)


def _named(conn: Connection, related: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = session_names(conn, [each["id"] for each in related]) if related else {}
    return [{**each, "name": names.get(each["id"])} for each in related]


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
