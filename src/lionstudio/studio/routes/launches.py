"""`/api/launches`: start an agent run, an import or a prune as a process; list and stop launches."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import Busy
from lionstudio.studio.http.error_responses import error_response
from lionstudio.studio.http.responses import JSON, encode_json
from lionstudio.studio.launch.launcher import read_output
from lionstudio.studio.schemas import launches as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services

router = APIRouter(tags=["launches"])
Key = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]


@router.get("/api/launches", response_model=schemas.LaunchList, responses=problems())
async def list_launches(request: Request) -> Response:
    """List the launches of this server, newest first."""
    launches = [launch.to_dict() for launch in services(request).launcher.list_launches()]
    return Response(encode_json({"launches": launches}), media_type=JSON)


@router.post("/api/launches", status_code=201, response_model=schemas.LaunchAnswer, responses=problems(409, 429))
async def launch(request: Request, payload: schemas.NewLaunch, idempotency_key: Key = None) -> Response:
    """Start a process; a repeated `Idempotency-Key` returns the first launch."""
    app = services(request)
    try:
        # on the event loop: two requests with one key must not both start a process
        started = app.launcher.start(payload.verb, payload.target, payload.prompt, payload.options, idempotency_key)
    except Busy as error:
        return error_response(error, 429)
    app.audit_log.write("launched", id=started.id, verb=started.verb)
    return Response(encode_json({"launch": started.to_dict()}), 201, media_type=JSON)


@router.get("/api/launches/{launch_id}", response_model=schemas.LaunchDetail, responses=problems())
async def get_launch(request: Request, launch_id: str) -> Response:
    """Get a launch with the end of its output."""
    launch = services(request).launcher.get(launch_id)
    output = await asyncio.to_thread(read_output, launch)
    return Response(encode_json({"launch": launch.to_dict(), "output": output}), media_type=JSON)


@router.delete("/api/launches/{launch_id}", response_model=schemas.LaunchAnswer, responses=problems(409))
async def stop_launch(request: Request, launch_id: str) -> Response:
    """Stop a launch; only a process that is proven to be its own is signalled."""
    stopped = await asyncio.to_thread(services(request).launcher.stop, launch_id)
    return Response(encode_json({"launch": stopped.to_dict()}), media_type=JSON)
