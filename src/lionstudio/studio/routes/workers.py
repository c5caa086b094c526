"""`/api/workers`: the workers of a hub, the orders that wait for one; drain and remove workers."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.state.backends import is_server
from lionstudio.state.connection import Connection
from lionstudio.state.workers.workers import drain_worker, get_worker, remove_worker
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import json_response
from lionstudio.studio.schemas import workers as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services
from lionstudio.studio.views.workers import workers_json

router = LazyRouter(tags=["workers"])
WorkerId = Annotated[str, Path(min_length=1, max_length=200)]


@router.get("/api/workers", response_model=schemas.Workers, responses=problems())
async def list_all_workers(request: Request) -> Response:
    """List workers with the orders that they carry out, and the orders that wait for a worker."""
    app = services(request)
    listed, seq = await asyncio.to_thread(app.db.read, workers_json)
    return json_response({"is_hub": is_server(app.settings.db), **listed}, seq)


@router.post("/api/workers/{worker_id}/drain", response_model=schemas.ChangedWorker, responses=problems(409))
async def drain(request: Request, worker_id: WorkerId) -> Response:
    """Let a worker complete its orders and take no new ones; the id may be its name."""
    return await _drain(request, worker_id, draining=True)


@router.delete("/api/workers/{worker_id}/drain", response_model=schemas.ChangedWorker, responses=problems(409))
async def undrain(request: Request, worker_id: WorkerId) -> Response:
    """Let a worker take orders again."""
    return await _drain(request, worker_id, draining=False)


@router.delete("/api/workers/{worker_id}", response_model=schemas.RemovedWorker, responses=problems(409))
async def remove(request: Request, worker_id: WorkerId) -> Response:
    """Remove a worker that is not connected; one that starts again is listed again."""
    app = services(request)
    removed = await asyncio.to_thread(app.db.write, lambda conn: remove_worker(conn, worker_id))
    app.audit_log.write("removed_worker", id=removed.id, name=removed.name)
    return json_response({"id": removed.id, "name": removed.name}, app.db.seq())


async def _drain(request: Request, worker_id: str, *, draining: bool) -> Response:
    app = services(request)

    def work(conn: Connection) -> str:
        worker = get_worker(conn, worker_id)
        drain_worker(conn, worker.id, draining=draining)
        return worker.id

    changed = await asyncio.to_thread(app.db.write, work)
    app.audit_log.write("drained_worker" if draining else "undrained_worker", id=changed)
    listed, seq = await asyncio.to_thread(app.db.read, workers_json)
    worker: dict[str, Any] = next(row for row in listed["workers"] if row["id"] == changed)
    return json_response({"worker": worker}, seq)
