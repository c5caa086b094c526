"""A connection that waits only for some seconds: an answer that comes too late is as good as none.

The timeouts of TCP do not help where something between us and the server takes our bytes and passes nothing on.
"""

from __future__ import annotations

import math
import time
from collections.abc import Generator
from typing import Any

import psycopg

from lionstudio.state.connection import Row
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.open import connect

_LOOK_SECONDS = 0.1
_LEAST_CONNECT_SECONDS = 2  # of PostgreSQL's library


def open_impatient(path: str, seconds: float) -> PostgresConnection:
    """A connection for single statements of at most `seconds`; it does not look at the schema."""

    class Impatient(psycopg.Connection[Row]):
        CONNECT_SECONDS = max(_LEAST_CONNECT_SECONDS, math.ceil(seconds))

        def wait(self, gen: Generator[Any, Any, Any], interval: float = _LOOK_SECONDS, *rest: Any, **more: Any) -> Any:
            return super().wait(_limited(gen, seconds), min(interval, _LOOK_SECONDS), *rest, **more)

    conn = PostgresConnection(connect(path, Impatient), path)
    conn.pg.prepare_threshold = None  # a pooler may give each statement another session
    return conn


def _limited(work: Generator[Any, Any, Any], seconds: float) -> Generator[Any, Any, Any]:
    """Pass everything on between the library and its work, until the time is over."""
    deadline = time.monotonic() + seconds
    try:
        wanted = next(work)
        while True:
            ready = yield wanted
            if time.monotonic() > deadline and not ready:
                raise psycopg.OperationalError(f"no answer within {seconds:g} s")
            wanted = work.send(ready)
    except StopIteration as end:
        return end.value
