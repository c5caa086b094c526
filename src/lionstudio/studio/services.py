"""The services that the routes of one server share."""

from __future__ import annotations

import os
from typing import NamedTuple

from starlette.requests import Request

from lionstudio.embeddings.query import QueryEmbedder
from lionstudio.settings import Settings
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http.audit_log import FILE, AuditLog
from lionstudio.studio.http.auth import Credentials
from lionstudio.studio.http.tokens import OneTimeCodes
from lionstudio.studio.launch.launcher import Launcher
from lionstudio.studio.live.hub import Hub
from lionstudio.studio.views.content_cache import ContentCache


class Services(NamedTuple):
    """One instance of each service per server."""

    settings: Settings
    credentials: Credentials
    codes: OneTimeCodes
    audit_log: AuditLog
    db: StudioDb
    hub: Hub
    launcher: Launcher
    query_embedder: QueryEmbedder
    content_cache: ContentCache


def open_services(settings: Settings, token: str, *, read_only: bool = False) -> Services:
    """Create the services of a server; no file is opened yet."""
    db = StudioDb(settings.db, read_only=read_only)
    return Services(
        settings=settings,
        credentials=Credentials(token, read_only),
        codes=OneTimeCodes(),
        audit_log=AuditLog(os.path.join(settings.home, FILE), (token,)),
        db=db,
        hub=Hub(db),
        launcher=Launcher(settings),
        query_embedder=QueryEmbedder(settings),
        content_cache=ContentCache(),
    )


def services(request: Request) -> Services:
    """The services of the server that received a request."""
    instance: Services = request.app.state.services
    return instance
