"""What the routes of one server share: settings, the store, the feed, launches, and the way into them."""

from __future__ import annotations

import os
from typing import NamedTuple

from starlette.requests import Request

from lionstudio.live.questions import Asker
from lionstudio.settings import Settings
from lionstudio.studio.denials import FILE, Log
from lionstudio.studio.feed import Feed
from lionstudio.studio.gates import Keys
from lionstudio.studio.launching import Launches
from lionstudio.studio.long_values import LongValues
from lionstudio.studio.store import Store
from lionstudio.studio.tokens import Codes


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
