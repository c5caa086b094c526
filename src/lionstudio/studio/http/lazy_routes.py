"""Routes that FastAPI analyses when they are needed: at their first request, or for OpenAPI.

Analysing all of them takes a fifth of the start of Studio, and most pages use a few.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.routing import Route
from starlette.types import Receive, Scope, Send


class LazyRoute(Route):
    """Knows its path and methods; the rest is in `api_route`."""

    def __init__(self, path: str, endpoint: Callable[..., Any], tags: list[Any], about: dict[str, Any]) -> None:
        super().__init__(path, endpoint, methods=about["methods"])
        self.methods = set(about["methods"])  # Starlette adds HEAD, FastAPI does not
        self._tags, self._about = tags, about

    @cached_property
    def api_route(self) -> APIRoute:
        router = APIRouter(tags=self._tags)
        router.add_api_route(self.path, self.endpoint, **self._about)
        [route] = router.routes
        assert isinstance(route, APIRoute)
        return route

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.api_route.handle(scope, receive, send)


class LazyRouter(APIRouter):
    """Declares routes as an APIRouter does."""

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **about: Any) -> None:
        self.routes.append(LazyRoute(path, endpoint, self.tags, about))
