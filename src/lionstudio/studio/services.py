"""The services that the routes of one server share."""

from __future__ import annotations

import os
from typing import NamedTuple

from starlette.requests import Request

from lionstudio.embeddings.query import QueryEmbedder
from lionstudio.settings import Settings, set_server_home
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http.audit_log import FILE, AuditLog
from lionstudio.studio.http.auth import Credentials
from lionstudio.studio.http.studio_sessions import StudioSessions
from lionstudio.studio.launch.launcher import Launcher
from lionstudio.studio.live.hub import Hub
from lionstudio.studio.terminals.listener import HookListener
from lionstudio.studio.terminals.live_terminals import LiveTerminals
from lionstudio.studio.transcript_follower import TranscriptFollower
from lionstudio.studio.views.content_cache import ContentCache
from lionstudio.system.callers.ancestry import has_ancestry


class Services(NamedTuple):
    """One instance of each service per server."""

    settings: Settings
    credentials: Credentials
    sessions: StudioSessions
    audit_log: AuditLog
    db: StudioDb
    hub: Hub
    launcher: Launcher
    follower: TranscriptFollower
    hooks: HookListener
    query_embedder: QueryEmbedder
    content_cache: ContentCache


def open_services(
    settings: Settings, token: str, *, read_only: bool = False, follow_transcripts: bool = False
) -> Services:
    """Create the services of a server; no file is opened yet."""
    set_server_home(settings.home)
    db = StudioDb(settings.db, read_only=read_only)
    sessions = StudioSessions(db)
    audit_log = AuditLog(os.path.join(settings.home, FILE), (token,))
    hub = Hub(db, sessions.forget)
    # not into a database that was named to look at it
    takes_hooks = has_ancestry() and not read_only and settings.origins["db"] != "flag"
    return Services(
        settings=settings,
        credentials=Credentials(token, read_only, settings.studio_url),
        sessions=sessions,
        audit_log=audit_log,
        db=db,
        hub=hub,
        launcher=Launcher(settings, db),
        follower=TranscriptFollower(settings, audit_log, enabled=follow_transcripts and not read_only),
        hooks=HookListener(settings.home, LiveTerminals(db, hub), audit_log, enabled=takes_hooks),
        query_embedder=QueryEmbedder(settings),
        content_cache=ContentCache(),
    )


def services(request: Request) -> Services:
    """The services of the server that received a request."""
    instance: Services = request.app.state.services
    return instance
