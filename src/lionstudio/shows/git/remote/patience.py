"""Wait for a remote that does not answer: seconds at first, then minutes, up to an hour."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from lionstudio.errors import Busy
from lionstudio.shows.git.remote.errors import RemoteRefused

MOST_SECONDS = 3600.0
_FIRST_SECONDS, _LONGEST_SECONDS = 0.5, 30.0
_QUIET_SECONDS = 10.0  # a shorter absence is not worth a message

_Result = TypeVar("_Result")


def wait_out_remote(
    work: Callable[[], _Result],
    *,
    warn: Callable[[str], None],
    why_stop: Callable[[], str | None] = lambda: None,
    pause: Callable[[float], object] = time.sleep,
    most_seconds: float = MOST_SECONDS,
) -> _Result:
    """Do work that may be repeated until the remote answers; an hour after its first silence, or when told, give up."""
    since: float | None = None  # of the first failure: the work may have run gates for hours before it asks the remote
    seconds, told = _FIRST_SECONDS, False
    while True:
        try:
            return work()
        except Busy as error:
            since = time.monotonic() if since is None else since
            away = time.monotonic() - since
            if (reason := why_stop()) is not None:
                raise RemoteRefused(f"{reason}, while the remote was away: {error.message}") from None
            if away > most_seconds:
                raise RemoteRefused(
                    f"the remote was away for {away / 60:.0f} minutes: {error.message}", hint=error.hint
                ) from None
            if away > _QUIET_SECONDS and not told:
                told = True
                warn(f"waiting for the remote: {error.message}")
            pause(seconds)
            seconds = min(seconds * 2, _LONGEST_SECONDS)
