"""`/api/launches`: start an agent run, an import or a prune as a process; list and stop launches."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Header, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import Busy, NotFound
from lionstudio.files.progress_notes import list_progress
from lionstudio.state.runs.recent_requests import list_recent_requests
from lionstudio.studio.http.error_responses import error_response
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import JSON, encode_json, json_response
from lionstudio.studio.launch.choices import list_choices
from lionstudio.studio.launch.launcher import read_output
from lionstudio.studio.launch.preflight import check_run
from lionstudio.studio.schemas import launches as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services

router = LazyRouter(tags=["launches"])
Key = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]


@router.get("/api/launches", response_model=schemas.LaunchList, responses=problems())
async def list_launches(request: Request) -> Response:
    """List the launches of this server and of the other ones of the database, newest first."""
    app = services(request)
    progress = {each.pid: each._asdict() for each in await asyncio.to_thread(list_progress, app.settings.home)}
    launches = [
        launch.to_dict() | {"progress": progress.get(launch.process.pid)} for launch in app.launcher.list_launches()
    ]
    launches += [launch.to_dict() for launch in await asyncio.to_thread(app.launcher.list_others)]
    launches.sort(key=lambda launch: -launch["started_at"])
    return Response(encode_json({"launches": launches}), media_type=JSON)


@router.post("/api/launches", status_code=201, response_model=schemas.LaunchAnswer, responses=problems(409, 429))
async def launch(request: Request, payload: schemas.NewLaunch, idempotency_key: Key = None) -> Response:
    """Start a process; a repeated `Idempotency-Key` returns the first launch."""
    app = services(request)
    try:
        await asyncio.to_thread(check_run, app.settings, payload.verb, payload.target, payload.prompt, payload.options)
        started = await asyncio.to_thread(
            app.launcher.start, payload.verb, payload.target, payload.prompt, payload.options, idempotency_key
        )
    except Busy as error:
        return error_response(error, 429)
    except NotFound as error:  # of the agent or playbook, not of this route
        return error_response(error, 400)
    app.audit_log.write("launched", id=started.id, verb=started.verb)
    return Response(encode_json({"launch": started.to_dict()}), 201, media_type=JSON)


@router.get("/api/launches/choices", response_model=schemas.LaunchChoices, responses=problems())
async def get_choices(request: Request, folder: Annotated[str | None, Query(max_length=4096)] = None) -> Response:
    """List the agents, playbooks, folders and models of a new run; definitions are those visible from the folder."""
    app = services(request)
    recent, seq = app.db.read(list_recent_requests)
    return json_response(await asyncio.to_thread(list_choices, app.settings, folder, recent), seq)


@router.get("/api/launches/{launch_id}", response_model=schemas.LaunchDetail, responses=problems())
async def get_launch(request: Request, launch_id: str) -> Response:
    """Get a launch with the end of its output."""
    launch = await asyncio.to_thread(services(request).launcher.get, launch_id)
    output = await asyncio.to_thread(read_output, launch)
    return Response(encode_json({"launch": launch.to_dict(), "output": output}), media_type=JSON)


@router.delete("/api/launches/{launch_id}", response_model=schemas.LaunchAnswer, responses=problems(409))
async def stop_launch(request: Request, launch_id: str) -> Response:
    """Stop a launch; only a process that is proven to be its own is signalled."""
    stopped = await asyncio.to_thread(services(request).launcher.stop, launch_id)
    return Response(encode_json({"launch": stopped.to_dict()}), media_type=JSON)
