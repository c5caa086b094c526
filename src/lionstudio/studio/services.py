"""What the routes of one server share: settings, the store, the feed, launches, and the way into them."""

from __future__ import annotations

import os
from typing import NamedTuple

from starlette.requests import Request

from lionstudio.embeddings.query import Asker
from lionstudio.settings import Settings
from lionstudio.studio.db import Store
from lionstudio.studio.http.audit_log import FILE, Log
from lionstudio.studio.http.auth import Keys
from lionstudio.studio.http.tokens import Codes
from lionstudio.studio.launch.launcher import Launches
from lionstudio.studio.live.hub import Feed
from lionstudio.studio.views.content_cache import LongValues


class Services(NamedTuple):
    """One of each for a server."""

    settings: Settings
    keys: Keys
    codes: Codes
    log: Log
    store: Store
    feed: Feed
    launches: Launches
    asker: Asker
    long_values: LongValues


def open_services(settings: Settings, token: str, *, read_only: bool = False) -> Services:
    """Everything a server needs; nothing is opened yet."""
    store = Store(settings.db, read_only=read_only)
    return Services(
        settings=settings,
        keys=Keys(token, read_only),
        codes=Codes(),
        log=Log(os.path.join(settings.home, FILE), (token,)),
        store=store,
        feed=Feed(store),
        launches=Launches(settings),
        asker=Asker(settings),
        long_values=LongValues(),
    )


def services(request: Request) -> Services:
    """The services of the server that a request came to."""
    found: Services = request.app.state.services
    return found
