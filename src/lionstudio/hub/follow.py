"""Follow a database and push what it commits, for as long as it takes: a hub that is away loses nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from lionstudio.errors import Busy
from lionstudio.hub.connect import HubAway
from lionstudio.hub.push import Push, PushReport
from lionstudio.state.backends import open_tail
from lionstudio.state.hub.machines import HEARTBEAT_SECONDS

if TYPE_CHECKING:
    from lionstudio.state.sqlite.tail import Tail

DEBOUNCE_SECONDS = 0.2
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0

Event = PushReport | HubAway


def follow(push: Push, path: str, sleep: Callable[[float], None] = time.sleep) -> Iterator[Event]:
    """Yield a report for each round that pushed something, and an error once each time that the hub goes away.

    The first round always reports, and so does the first one after the hub was away.
    """
    pause = _FIRST_PAUSE
    is_new = True
    # before the first round: what is committed during it wakes us up
    with open_tail(path) as tail:
        while True:
            try:
                report = push.run()
                if is_new or report.sessions or report.refused:
                    yield report
                is_new, pause = False, _FIRST_PAUSE
                _wait(push, tail, sleep)
            except Busy:
                sleep(_FIRST_PAUSE)  # another process pushes this database at this moment
            except HubAway as error:
                if not is_new or pause == _FIRST_PAUSE:
                    yield error
                is_new = True
                sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)


def _wait(push: Push, tail: Tail, sleep: Callable[[float], None]) -> None:
    """Wait for a commit, and then for those that follow closely; tell the hub meanwhile that we are there."""
    while True:
        changes = tail.wait(HEARTBEAT_SECONDS)
        if changes.rows or changes.resync:
            sleep(DEBOUNCE_SECONDS)
            while tail.look().rows:
                pass
            return
        push.beat()
