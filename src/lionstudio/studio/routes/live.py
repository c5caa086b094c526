"""The live half: one feed for the page, one for a session, one for a show; each can be taken up where it broke off."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import NotFound
from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change
from lionstudio.state.feed.replay import entities_of_show
from lionstudio.state.messages.pages import head_of
from lionstudio.studio.live.sse import MEDIA_TYPE, EventStream
from lionstudio.studio.live.stream import StreamSubject, stream
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.system.filenames import check_name

router = APIRouter(tags=["live"])
After = Annotated[int | None, Query(ge=0, le=2**62, description="the seq of the answer that the page shows")]
LastSeen = Annotated[str | None, Header(alias="Last-Event-ID", max_length=30)]
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"description": "server-sent events", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}
}
_ENDED_SHOWS = ("completed", "aborted")


@router.get("/api/events", response_class=Response, responses={**_STREAM, **problems()})
async def follow_everything(request: Request, after: After = None, last_event_id: LastSeen = None) -> Response:
    """Every change, by its id; a page fetches what it shows."""
    return await _opened(services(request), StreamSubject(ids=lambda: None), _start(last_event_id, after))


@router.get("/api/sessions/{session_id}/stream", response_class=Response, responses={**_STREAM, **problems()})
async def follow_session(
    request: Request, session_id: str, after: After = None, last_event_id: LastSeen = None
) -> Response:
    """The messages of a session while they come, whole; `done` when it has ended."""
    here = services(request)

    def ended(conn: Connection) -> str | None:
        head = head_of(conn, session_id)
        return "deleted" if head is None else None if head[0] == "running" else head[0] or "unknown"

    if here.db.read(lambda conn: head_of(conn, session_id))[0] is None:
        raise NotFound(f"there is no session {session_id!r:.100}", hint="`li state ls` lists them")
    ids = frozenset({session_id})
    subject = StreamSubject(ids=lambda: ids, whole=True, final_status=ended, ending_entity="session")
    return await _opened(here, subject, _start(last_event_id, after))


@router.get("/api/shows/{topic}/stream", response_class=Response, responses={**_STREAM, **problems()})
async def follow_show(request: Request, topic: str, after: After = None, last_event_id: LastSeen = None) -> Response:
    """What happens to a show, its plays and their sessions; `done` when it has ended."""
    here = services(request)
    check_name(topic, "topic")
    found = here.db.read(lambda conn: entities_of_show(conn, topic))[0]
    if found is None:
        raise NotFound(f"there is no show {topic!r:.100} in the database", hint="`li state import-shows`")
    return await _opened(here, _ShowSubject(here, topic, *found).subject(), _start(last_event_id, after))


class _ShowSubject:
    """A show's sessions become known while it runs, so its ids are looked up again when a play changes."""

    def __init__(self, here: Services, topic: str, show_id: str, _status: str, ids: frozenset[str]) -> None:
        self._here, self._topic, self._show, self._ids = here, topic, show_id, ids

    def subject(self) -> StreamSubject:
        """As the stream wants it; what the sessions say has streams of their own."""
        return StreamSubject(
            ids=lambda: self._ids, final_status=self._ended, ending_entity="show", predicate=self._concerns
        )

    def _concerns(self, change: Change) -> bool:
        if change.entity == "play" and change.parent_id == self._show:
            found = self._here.db.read(lambda conn: entities_of_show(conn, self._topic))[0]
            self._ids = self._ids if found is None else found[2]
        return change.entity != "message"

    def _ended(self, conn: Connection) -> str | None:
        found = entities_of_show(conn, self._topic)
        return "deleted" if found is None else found[1] if found[1] in _ENDED_SHOWS else None


async def _opened(here: Services, subject: StreamSubject, after: int | None) -> Response:
    await here.hub.wait_until_ready()
    return EventStream(stream(here.db, here.hub, subject, after))


def _start(last_event_id: str | None, after: int | None) -> int | None:
    """What the browser saw last counts more than what the page was loaded with."""
    given = (last_event_id or "").strip()
    return int(given) if given.isascii() and given.isdigit() and len(given) < 19 else after
