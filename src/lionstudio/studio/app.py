"""The web application: middleware around the routes, and the tasks that live as long as the server."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import Route

from lionstudio.errors import LionError
from lionstudio.settings import load_settings
from lionstudio.studio.dead_runs import keep_settling
from lionstudio.studio.http import error_responses
from lionstudio.studio.http.auth import LOGIN, AuthMiddleware
from lionstudio.studio.http.body_limit import BodyLimit
from lionstudio.studio.http.caller import CallerMiddleware
from lionstudio.studio.http.headers import ErrorBoundary, SecurityHeaders
from lionstudio.studio.http.lazy_routes import LazyRoute
from lionstudio.studio.http.static import is_public, serve_page
from lionstudio.studio.notifier import keep_notifying
from lionstudio.studio.routes import (
    admin,
    auth,
    changes,
    definitions,
    launches,
    live,
    messages,
    overview,
    questions,
    runs,
    search,
    settings,
    shows,
    teams,
    usage,
    workers,
)
from lionstudio.studio.schemas.shared import ProblemView
from lionstudio.studio.services import Services, open_services
from lionstudio.version import VERSION

_OPENING_SECONDS = 0.5
_SERVERS: list[dict[str, str | Any]] = [
    {
        "url": "http://127.0.0.1:{port}",
        "description": "`li studio` on this machine",
        "variables": {"port": {"default": "8721", "description": "the next free one if it is busy"}},
    }
]
_ROUTERS = (
    auth,
    overview,
    search,
    runs,
    messages,
    changes,
    live,
    questions,
    shows,
    teams,
    workers,
    definitions,
    launches,
    usage,
    admin,
    settings,
)


def create_app(services: Services | None = None) -> FastAPI:
    """Create the application; without services it can be inspected, but its token is unknown."""
    # The interactive pages of FastAPI load scripts from other hosts, which our policy forbids.
    app = FastAPI(title="Lion Studio", version=VERSION, docs_url=None, redoc_url=None, lifespan=_lifespan)
    app.state.services = services = services or open_services(load_settings(), token=secrets.token_urlsafe(32))
    error_responses.install(app)
    for module in _ROUTERS:
        app.router.routes.extend(module.router.routes)
    app.router.routes.append(Route(error_responses.PAGE_PATH, serve_page, methods=["GET"], include_in_schema=False))
    # The last one added is the outermost: a refusal carries the headers too.
    app.add_middleware(BodyLimit)
    app.add_middleware(CallerMiddleware, log=services.audit_log, db=services.db, terminals=services.db.list_terminals)
    app.add_middleware(
        AuthMiddleware,
        credentials=services.credentials,
        sessions=services.sessions,
        log=services.audit_log,
        is_public=is_public,
    )
    app.add_middleware(ErrorBoundary, log=services.audit_log)
    app.add_middleware(SecurityHeaders)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    facts = {"pid": os.getpid(), "version": VERSION, "db": services.db.path, "read_only": services.db.read_only}
    services.audit_log.write("started_studio", **facts)
    async with asyncio.TaskGroup() as group:
        opening = group.create_task(_open_database(services))
        # wait for an ordinary open, so that the first page finds a database, but not for an upgrade
        await asyncio.wait((opening,), timeout=_OPENING_SECONDS)
        group.create_task(services.hub.run())
        settling = group.create_task(keep_settling(services))
        keeping = group.create_task(services.sessions.keep())
        notifying = group.create_task(keep_notifying(services))
        group.create_task(_follow_transcripts(services, opening))
        group.create_task(_take_hooks(services, opening))
        yield
        settling.cancel()
        keeping.cancel()
        notifying.cancel()
        services.launcher.closing = True
        services.hooks.close()
        services.hub.close()
        services.follower.close()
    services.db.close()
    services.content_cache.close()
    services.audit_log.write("stopped_studio", pid=os.getpid())


async def _follow_transcripts(services: Services, opening: asyncio.Task[None]) -> None:
    await opening  # one process upgrades the database
    await services.follower.run()


async def _take_hooks(services: Services, opening: asyncio.Task[None]) -> None:
    await opening
    await services.hooks.run()


async def _open_database(services: Services) -> None:
    """Create or upgrade the database in a thread, so that the server answers meanwhile."""
    if services.db.read_only:
        return
    try:
        await asyncio.to_thread(services.db.database)
        await asyncio.to_thread(services.sessions.move_to_database)
    except LionError as error:
        services.audit_log.write("database", why=error.message)
        print(f"li: {error.message}", *([f"  try: {error.hint}"] if error.hint else []), sep="\n", file=sys.stderr)
    if services.db.backup is not None:
        services.audit_log.write("upgraded_database", backup=services.db.backup)


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        routes = [route.api_route for route in app.routes if isinstance(route, LazyRoute)]
        schema = get_openapi(title=app.title, version=app.version, routes=routes, servers=_SERVERS)
        parts = schema.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = ProblemView.model_json_schema()
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, operations in schema["paths"].items():
            for operation in operations.values():
                _add_security_and_headers(path, operation)
        app.openapi_schema = schema
    return app.openapi_schema


def _add_security_and_headers(path: str, operation: dict[str, Any]) -> None:
    operation["security"] = [] if path in ("/healthz", LOGIN) else [{"token": []}]
    for status in ("200", "201"):
        response = operation["responses"].get(status)
        if response is not None:
            response.setdefault("headers", {})["Lion-Seq"] = {"schema": {"type": "string"}, "required": False}
