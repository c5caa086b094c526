"""NOTIFY after a commit, on a connection of its own: inside the transaction it would make commits wait for each other.

A lost notification costs time only: readers also look by themselves (tail.py).
"""

from __future__ import annotations

import threading
from contextlib import suppress

import psycopg
from psycopg import pq

from lionstudio.errors import LionError
from lionstudio.state.connection import Row
from lionstudio.state.postgres.open import connect

CHANNEL = "lion_changes"
# a bell need not survive a power cut, so it does not wait for the disk
_RING = f"BEGIN; SET LOCAL synchronous_commit = off; NOTIFY {CHANNEL}; COMMIT".encode()
_PAUSE_SECONDS = 0.002  # one notification for all commits of this time
_RETRY_SECONDS = 1.0


class NotifyBell:
    """Wakes readers from a thread, so that no commit waits for it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._rung = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def ring(self) -> None:
        if not self._rung.is_set():  # what was rung is cleared before it is sent, so it covers this commit too
            self._rung.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="lion-bell", daemon=True)
            self._thread.start()

    def _serve(self) -> None:
        pg: psycopg.Connection[Row] | None = None
        while True:
            self._rung.wait()
            closing = self._closing.is_set()
            self._rung.clear()
            try:
                if pg is None or pg.closed:
                    pg = connect(self._path)
                # the library's own call works without the interpreter, for which a writer waits
                if pg.pgconn.exec_(_RING).status != pq.ExecStatus.COMMAND_OK:
                    raise psycopg.OperationalError
            except (LionError, psycopg.Error):
                self._rung.set()  # readers still have to be told
                with suppress(psycopg.Error):
                    if pg is not None:
                        pg.close()
                self._closing.wait(_RETRY_SECONDS)
            if closing:
                if pg is not None:
                    pg.close()
                return
            self._closing.wait(_PAUSE_SECONDS)

    def close(self) -> None:
        """Send what was rung, and end the thread."""
        if self._thread is not None:
            self._closing.set()
            self._rung.set()
            self._thread.join(5)
            self._thread = None
