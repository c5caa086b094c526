"""The sessions of browsers: a cookie and a header secret, both random, both required.

A browser sends a cookie to every port of this machine, so the cookie alone must not let anyone in. The page keeps the
header secret in localStorage, which belongs to one port.

Sessions and one-time codes are rows of the database. While it is not open for writing (an upgrade, a full disk, a
read-only server) they are kept in memory, and moved when it is.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from lionstudio.errors import LionError
from lionstudio.model.ids import new_id
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.open import open_in_memory
from lionstudio.state.studio import studio_sessions as rows
from lionstudio.state.studio.studio_sessions import StudioSession
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http.tokens import secrets_equal

T = TypeVar("T")
HEADER = "Lion-Session"
CODE_SECONDS = 55.0  # documented as less than a minute
_BYTES = 32
_MOST_AGENT = 300  # characters of a User-Agent
_FLUSH_SECONDS = 30.0


class NewSession(NamedTuple):
    """The secrets of a session; only the browser keeps them."""

    id: str
    cookie: str
    secret: str


class StudioSessions:
    """One per server; thread-safe, but `forget` and `end_event` belong to the event loop."""

    def __init__(self, db: StudioDb, clock: Callable[[], float] = time.time) -> None:
        self._db, self._clock = db, clock
        self.on_sign_in: Callable[[], None] = lambda: None
        self._lock = threading.Lock()
        self._memory: Connection | None = None
        self._ending_all = False  # rows of an earlier token end when the database is opened
        self._known: dict[str, StudioSession] = {}  # by cookie hash: they stay valid while the database is unreadable
        self._seen: dict[str, float] = {}
        self._ends: dict[str, asyncio.Event] = {}

    def create_code(self) -> str:
        """A code that signs a browser in, once and for less than a minute."""
        return create_code(self._write, self._clock())

    def use_code(self, code: str) -> bool:
        """Return whether the code was valid; it is not afterwards."""
        now = self._clock()

        def use(conn: Connection) -> bool:
            return rows.use_code(conn, _hash(code), now)

        if self._memory is not None and self._in_memory(use):
            return True
        # read first: a client without a token must not cause writes
        is_valid = self._db.is_open and self._db.read(lambda conn: rows.is_valid_code(conn, _hash(code), now))[0]
        return is_valid and self._db.write(use)

    def sign_in(self, user_agent: str | None, address: str | None) -> NewSession:
        """Create a session."""
        session = NewSession(new_id(), secrets.token_urlsafe(_BYTES), secrets.token_urlsafe(_BYTES))
        now = self._clock()
        self._write(
            lambda conn: rows.add_session(
                conn,
                session_id=session.id,
                cookie_hash=_hash(session.cookie),
                header_hash=_hash(session.secret),
                at=now,
                user_agent=None if user_agent is None else user_agent[:_MOST_AGENT],
                address=address,
            )
        )
        self.on_sign_in()
        return session

    def find(self, cookie: str, secret: str) -> StudioSession | None:
        """The session of a browser that sends both secrets; raises when the database cannot be read."""
        cookie_hash, now = _hash(cookie), self._clock()
        session = self._find_row(cookie_hash, now)
        if session is None or not secrets_equal(_hash(secret), session.header_hash):
            return None
        self._known[cookie_hash] = session
        self._seen[session.id] = now
        return session

    def _find_row(self, cookie_hash: str, now: float) -> StudioSession | None:
        def find(conn: Connection) -> StudioSession | None:
            return rows.find_session(conn, cookie_hash, now)

        session = None if self._memory is None else self._in_memory(find)
        if session is not None or self._db.read_only or self._ending_all:
            return session
        try:
            return self._db.read(find)[0]
        except LionError:
            known = self._known.get(cookie_hash)
            if known is None:
                raise
            return known if known.expires_at > now else None

    def list_active(self) -> list[StudioSession]:
        """The active sessions, the last one seen first."""
        now = self._clock()
        self._flush(now)
        in_memory = [] if self._memory is None else self._in_memory(lambda conn: rows.list_studio_sessions(conn, now))
        if not self._db.is_open:
            return in_memory
        return in_memory + self._db.read(lambda conn: rows.list_studio_sessions(conn, now))[0]

    def end(self, session_id: str) -> bool:
        """Sign a browser out; call `forget` afterwards."""
        return bool(self._end(lambda conn: rows.end_session(conn, session_id)))

    def end_all(self) -> None:
        """Sign every browser out: those in the database when it is opened."""
        self._ending_all = not self._db.read_only

    def move_to_database(self) -> None:
        """Move what was kept in memory into the database, which is open now."""
        if not self._db.is_open:
            return
        if self._ending_all:
            self._db.write(rows.end_all_sessions)
            self._ending_all = False
        with self._lock:
            memory = self._memory
            if memory is not None:
                self._db.write(lambda conn: rows.move_rows(memory, conn))
                memory.close()
                self._memory = None

    async def keep(self) -> None:
        """Record when sessions were used and end those that expire, until the task is cancelled."""
        while True:
            await asyncio.sleep(_FLUSH_SECONDS)
            for session_id in await asyncio.to_thread(self._flush, self._clock()):
                self.forget(session_id)

    def _flush(self, now: float) -> list[str]:
        seen, self._seen = self._seen, {}
        if not seen and not self._has_expired(now):
            return []  # an idle server writes nothing

        def flush(conn: Connection) -> list[str]:
            rows.mark_seen(conn, seen)
            return rows.end_expired_sessions(conn, now)

        try:
            return self._end(flush)
        except LionError:
            return []  # busy: the next time

    def _has_expired(self, now: float) -> bool:
        try:
            return self._memory is not None or (
                self._db.is_open and self._db.read(lambda conn: rows.has_expired(conn, now))[0]
            )
        except LionError:
            return False

    def end_event(self, session_id: str | None) -> asyncio.Event | None:
        """The event that ends the streams of a session; None for a client with the token."""
        return None if session_id is None else self._ends.setdefault(session_id, asyncio.Event())

    def forget(self, session_id: str) -> None:
        """End the streams of a session that was deleted, here or by another process."""
        self._known = {key: session for key, session in self._known.items() if session.id != session_id}
        self._seen.pop(session_id, None)
        event = self._ends.pop(session_id, None)
        if event is not None:
            event.set()

    def _end(self, work: Callable[[Connection], list[str]]) -> list[str]:
        ended = [] if self._memory is None else self._in_memory(work)
        return ended + (self._db.write(work) if self._db.is_open else [])

    def _write(self, work: Callable[[Connection], T]) -> T:
        if self._db.is_open:
            try:
                return self._db.write(work)
            except LionError:
                pass  # busy or full: in memory until the next start
        return self._in_memory(work)

    def _in_memory(self, work: Callable[[Connection], T]) -> T:
        with self._lock:
            if self._memory is None:
                self._memory = open_in_memory()
            with self._memory.transaction() as conn:
                return work(conn)


def create_code(write: Callable[[Callable[[Connection], bool]], bool], now: float) -> str:
    """Store the hash of a new one-time code, and return the code."""
    code = secrets.token_urlsafe(_BYTES)
    if not write(lambda conn: rows.add_code(conn, _hash(code), now, now + CODE_SECONDS)):
        raise LionError("too many one-time codes are unused", hint="wait a minute, then try again")
    return code


def is_unused(conn: Connection, code: str, now: float) -> bool:
    return rows.is_valid_code(conn, _hash(code), now)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
