"""What the routes of one server share: settings, the store, the feed, launches, and the way into them."""

from __future__ import annotations

import os
from typing import NamedTuple

from starlette.requests import Request

from lionstudio.embeddings.query import QueryEmbedder
from lionstudio.settings import Settings
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http.audit_log import FILE, AuditLog
from lionstudio.studio.http.auth import Credentials
from lionstudio.studio.http.tokens import Codes
from lionstudio.studio.launch.launcher import Launcher
from lionstudio.studio.live.hub import Hub
from lionstudio.studio.views.content_cache import ContentCache


class Services(NamedTuple):
    """One of each for a server."""

    settings: Settings
    keys: Credentials
    codes: Codes
    log: AuditLog
    store: StudioDb
    feed: Hub
    launches: Launcher
    asker: QueryEmbedder
    long_values: ContentCache


def open_services(settings: Settings, token: str, *, read_only: bool = False) -> Services:
    """Everything a server needs; nothing is opened yet."""
    store = StudioDb(settings.db, read_only=read_only)
    return Services(
        settings=settings,
        keys=Credentials(token, read_only),
        codes=Codes(),
        log=AuditLog(os.path.join(settings.home, FILE), (token,)),
        store=store,
        feed=Hub(store),
        launches=Launcher(settings),
        asker=QueryEmbedder(settings),
        long_values=ContentCache(),
    )


def services(request: Request) -> Services:
    """The services of the server that a request came to."""
    found: Services = request.app.state.services
    return found
