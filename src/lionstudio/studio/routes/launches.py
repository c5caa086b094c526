"""`/api/launches`: start a run of agents, an import or a prune as a process; see and stop what was started."""

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
from lionstudio.studio.schemas import launches as wire
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services

router = APIRouter(tags=["launches"])
Key = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]


@router.get("/api/launches", response_model=wire.LaunchList, responses=problems())
async def list_launches(request: Request) -> Response:
    """What this server started, newest first."""
    found = [each.to_dict() for each in services(request).launcher.list_launches()]
    return Response(encode_json({"launches": found}), media_type=JSON)


@router.post("/api/launches", status_code=201, response_model=wire.LaunchAnswer, responses=problems(409, 429))
async def launch(request: Request, given: wire.NewLaunch, idempotency_key: Key = None) -> Response:
    """Start one; with an `Idempotency-Key`, sending it twice starts one."""
    here = services(request)
    try:
        # on the loop: two requests with one key must not both find nothing
        started = here.launcher.start(given.verb, given.target, given.prompt, given.options, idempotency_key)
    except Busy as error:
        return error_response(error, 429)
    here.audit_log.write("launched", id=started.id, verb=started.verb)
    return Response(encode_json({"launch": started.to_dict()}), 201, media_type=JSON)


@router.get("/api/launches/{launch_id}", response_model=wire.LaunchDetail, responses=problems())
async def get_launch(request: Request, launch_id: str) -> Response:
    """One launch with the end of what it printed."""
    found = services(request).launcher.get(launch_id)
    output = await asyncio.to_thread(read_output, found)
    return Response(encode_json({"launch": found.to_dict(), "output": output}), media_type=JSON)


@router.delete("/api/launches/{launch_id}", response_model=wire.LaunchAnswer, responses=problems(409))
async def stop_launch(request: Request, launch_id: str) -> Response:
    """Ask a launch to end; only a process that is proven to be the one that was started is signalled."""
    stopped = await asyncio.to_thread(services(request).launcher.stop, launch_id)
    return Response(encode_json({"launch": stopped.to_dict()}), media_type=JSON)
