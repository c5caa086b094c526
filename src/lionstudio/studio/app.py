"""The web application: middleware around the routes, and the tasks that live as long as the server."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import Route

from lionstudio.errors import LionError
from lionstudio.settings import load_settings
from lionstudio.studio.http import error_responses
from lionstudio.studio.http.auth import AuthMiddleware
from lionstudio.studio.http.body_limit import BodyLimit
from lionstudio.studio.http.headers import ErrorBoundary, SecurityHeaders
from lionstudio.studio.http.static import is_public, serve_page
from lionstudio.studio.routes import admin, auth, definitions, launches, live, messages, overview, runs, shows, teams
from lionstudio.studio.schemas.shared import ProblemView
from lionstudio.studio.services import Services, open_services
from lionstudio.version import VERSION

_OPENING_SECONDS = 0.5
_ROUTERS = (auth, overview, runs, messages, live, shows, teams, definitions, launches, admin)


def create_app(services: Services | None = None) -> FastAPI:
    """Create the application; without services it can be inspected, but its token is unknown."""
    # The interactive pages of FastAPI load scripts from other hosts, which our policy forbids.
    app = FastAPI(title="Lion Studio", version=VERSION, docs_url=None, redoc_url=None, lifespan=_lifespan)
    app.state.services = services = services or open_services(load_settings(), token=secrets.token_urlsafe(32))
    error_responses.install(app)
    for module in _ROUTERS:
        app.router.routes.extend(module.router.routes)
    app.router.routes.append(Route("/{path:path}", serve_page, methods=["GET"], include_in_schema=False))
    # The last one added is the outermost: a refusal carries the headers too.
    app.add_middleware(BodyLimit)
    app.add_middleware(AuthMiddleware, credentials=services.credentials, log=services.audit_log, is_public=is_public)
    app.add_middleware(ErrorBoundary, log=services.audit_log)
    app.add_middleware(SecurityHeaders)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    services: Services = app.state.services
    async with asyncio.TaskGroup() as group:
        opening = group.create_task(_open_database(services))
        # wait for an ordinary open, so that the first page finds a database, but not for an upgrade
        await asyncio.wait((opening,), timeout=_OPENING_SECONDS)
        group.create_task(services.hub.run())
        yield
        services.launcher.closing = True
        services.hub.close()
    services.db.close()
    services.content_cache.close()


async def _open_database(services: Services) -> None:
    """Create or upgrade the database in a thread, so that the server answers meanwhile."""
    if services.db.read_only:
        return
    try:
        await asyncio.to_thread(services.db.database)
    except LionError as error:
        services.audit_log.write("database", why=error.message)


def _openapi(app: FastAPI) -> dict[str, Any]:
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
        parts = schema.setdefault("components", {})
        parts.setdefault("schemas", {})["Problem"] = ProblemView.model_json_schema()
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, operations in schema["paths"].items():
            for operation in operations.values():
                _add_security_and_headers(path, operation)
        app.openapi_schema = schema
    return app.openapi_schema


def _add_security_and_headers(path: str, operation: dict[str, Any]) -> None:
    operation["security"] = [] if path in ("/healthz", "/login") else [{"token": []}]
    for status in ("200", "201"):
        response = operation["responses"].get(status)
        if response is not None:
            response.setdefault("headers", {})["Lion-Seq"] = {"schema": {"type": "string"}, "required": False}
