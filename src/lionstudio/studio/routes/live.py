"""`/api/events` and the streams of sessions and shows: server-sent events that resume at Last-Event-ID."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import Header, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import NotFound
from lionstudio.model.status.statuses import SHOWS
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change
from lionstudio.state.feed.replay import entities_of_show
from lionstudio.state.imports.transcript_stamps import SOURCES
from lionstudio.state.runs.page_queries import find_session_end
from lionstudio.studio.http.auth import SESSION_ID
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.live.sse import MEDIA_TYPE, EventStream
from lionstudio.studio.live.stream import StreamSubject, stream
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.system.filenames import check_name

router = LazyRouter(tags=["live"])
After = Annotated[int | None, Query(ge=0, le=2**62, description="the seq of the response that the page shows")]
LastSeen = Annotated[str | None, Header(alias="Last-Event-ID", max_length=30)]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "server-sent events", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}
}
_MIRRORED = frozenset(SOURCES.values())
# The end of another tool's session is inferred from its processes, which may run where we do not see them.
_QUIET_SECONDS = 30.0
_ENDED_SHOWS = frozenset(status for status, row in SHOWS.items() if row.has_ended)


@router.get("/api/events", response_class=Response, responses={**_STREAM, **problems()})
async def follow_everything(request: Request, after: After = None, last_event_id: LastSeen = None) -> Response:
    """Every change as a hint with ids; the page then fetches what it shows (GET)."""
    return await _open_stream(request, StreamSubject(ids=lambda: None), _start(last_event_id, after))


@router.get("/api/sessions/{session_id}/stream", response_class=Response, responses={**_STREAM, **problems()})
async def follow_session(
    request: Request, session_id: str, after: After = None, last_event_id: LastSeen = None
) -> Response:
    """The messages of a session as they are recorded, complete; `done` when the session has ended."""
    app = services(request)

    def final_status(conn: Connection) -> str | None:
        end = find_session_end(conn, session_id)
        if end is None:
            return "deleted"
        is_mirrored = end.source_kind in _MIRRORED and time.time() - (end.last_message_at or 0) < _QUIET_SECONDS
        return None if end.status == "running" or is_mirrored else end.status or "unknown"

    if app.db.read(lambda conn: find_session_end(conn, session_id))[0] is None:
        raise NotFound(f"session {session_id!r:.100} does not exist", hint="li state ls")
    ids = frozenset({session_id})
    subject = StreamSubject(ids=lambda: ids, whole=True, final_status=final_status, ending_entity="session")
    return await _open_stream(request, subject, _start(last_event_id, after))


@router.get("/api/shows/{topic}/stream", response_class=Response, responses={**_STREAM, **problems()})
async def follow_show(request: Request, topic: str, after: After = None, last_event_id: LastSeen = None) -> Response:
    """The changes of a show, its plays and their sessions; `done` when the show has ended."""
    app = services(request)
    check_name(topic, "topic")
    entities = app.db.read(lambda conn: entities_of_show(conn, topic))[0]
    if entities is None:
        raise NotFound(f"the database has no show {topic!r:.100}", hint="li state import-shows")
    return await _open_stream(request, _ShowSubject(app, topic, *entities).subject(), _start(last_event_id, after))


class _ShowSubject:
    """The sessions of a show are created while it runs, so its ids are read again when a play changes."""

    def __init__(self, app: Services, topic: str, show_id: str, _status: str, ids: frozenset[str]) -> None:
        self._app, self._topic, self._show, self._ids = app, topic, show_id, ids

    def subject(self) -> StreamSubject:
        """The subject without messages: sessions have their own streams."""
        return StreamSubject(
            ids=lambda: self._ids, final_status=self._final_status, ending_entity="show", predicate=self._includes
        )

    def _includes(self, change: Change) -> bool:
        if change.entity == "play" and change.parent_id == self._show:
            entities = self._app.db.read(lambda conn: entities_of_show(conn, self._topic))[0]
            self._ids = self._ids if entities is None else entities[2]
        return change.entity != "message"

    def _final_status(self, conn: Connection) -> str | None:
        entities = entities_of_show(conn, self._topic)
        if entities is None:
            return "deleted"
        return entities[1] if entities[1] in _ENDED_SHOWS else None


async def _open_stream(request: Request, subject: StreamSubject, after: int | None) -> Response:
    app = services(request)
    await app.hub.wait_until_ready()
    stop = app.sessions.end_event(request.scope.get(SESSION_ID))
    return EventStream(stream(app.db, app.hub, subject, after), stop)


def _start(last_event_id: str | None, after: int | None) -> int | None:
    """Last-Event-ID of a reconnecting browser takes precedence over `after`."""
    seq = (last_event_id or "").strip()
    return int(seq) if seq.isascii() and seq.isdigit() and len(seq) < 19 else after
