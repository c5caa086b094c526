"""Messages of a session: pages by ord, one message, long contents in parts, outline, timeline, search, export."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from typing import IO, Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.state.branches import branch_length, get_branch
from lionstudio.state.connection import Connection
from lionstudio.state.messages.export import export
from lionstudio.state.messages.find_text import find_text
from lionstudio.state.messages.outline import outline as read_outline
from lionstudio.state.messages.pages import (
    JsonPage,
    MessageScope,
    ord_of,
    page_after,
    page_before,
    scope_of_branch,
    scope_of_session,
    status_and_count,
)
from lionstudio.state.messages.timeline import timeline as read_timeline
from lionstudio.state.sessions import get_session
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.routes.changes import page_changes
from lionstudio.studio.schemas import messages as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services

router = LazyRouter(tags=["messages"])
Ord = Annotated[int | None, Query(ge=-1, le=2**53)]
Limit = Annotated[int, Query(ge=1, le=10_000)]
Changes = Annotated[bool, Query(description="add the first lines that the calls of the page changed in files")]
_LISTED = {304: {"description": "as before"}, **problems()}


@router.get("/api/sessions/{session_id}/messages", response_model=schemas.Messages, responses=_LISTED)
async def list_messages(
    request: Request,
    session_id: str,
    after: Ord = None,
    before: Ord = None,
    limit: Limit = 100,
    changes: Changes = False,
) -> Response:
    """List messages after or before an ord; from the beginning by default."""

    def work(conn: Connection) -> list[bytes]:
        count = _message_count(conn, session_id)
        scope = scope_of_session(conn, session_id)
        page = _page(conn, scope, after, before, limit)
        return _page_json(page, session_id, count, page_changes(conn, scope, page) if changes else [])

    # in a thread: reading the beginning of a message of 100 MB takes a while
    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/branches/{branch_id}/messages", response_model=schemas.Messages, responses=_LISTED)
async def list_branch_messages(
    request: Request,
    branch_id: str,
    after: Ord = None,
    before: Ord = None,
    limit: Limit = 100,
    changes: Changes = False,
) -> Response:
    """List messages of one branch, by the ord in the branch; reads the messages that a fork inherited."""

    def work(conn: Connection) -> list[bytes]:
        session_id = get_branch(conn, branch_id).session_id
        scope = scope_of_branch(conn, branch_id)
        page = _page(conn, scope, after, before, limit)
        added = page_changes(conn, scope, page) if changes else []
        return _page_json(page, session_id, branch_length(conn, branch_id), added)

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/sessions/{session_id}/messages/{message_id}", response_model=schemas.OneMessage, responses=problems())
async def get_message(request: Request, session_id: str, message_id: str) -> Response:
    """Get one message and its ord, for a link to it."""

    def work(conn: Connection) -> bytes:
        _message_count(conn, session_id)
        scope = scope_of_session(conn, session_id)
        number = ord_of(conn, scope, message_id)
        page = page_after(conn, scope, number - 1, 1, number + 1)
        return b"".join((encode_json({"session_id": session_id})[:-1], b',"message":', *page.pieces, b"}"))

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get(
    "/api/sessions/{session_id}/messages/{message_id}/content", response_model=schemas.ContentPart, responses=problems()
)
async def get_content(
    request: Request,
    session_id: str,
    message_id: str,
    key: Annotated[str, Query(max_length=200, description="a key of `cut`; empty for the content itself")] = "",
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    length: Annotated[int, Query(ge=1, le=1_000_000)] = 65_536,
) -> Response:
    """Get some characters of a content that is too long for one response."""
    app = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        _message_count(conn, session_id)
        ord_of(conn, scope_of_session(conn, session_id), message_id)
        part = app.content_cache.read(conn, message_id, key, start, length)
        return {"message_id": message_id, "key": key, **part._asdict()}

    return json_response(*await asyncio.to_thread(app.db.read, work))


@router.get("/api/sessions/{session_id}/outline", response_model=schemas.OutlineView, responses=_LISTED)
async def get_outline(request: Request, session_id: str, after: Ord = -1) -> Response:
    """Get the kinds of the messages, tool errors, tools, files and contexts, in parts: the next begins `after` the last
    ord."""

    def work(conn: Connection) -> bytes:
        _message_count(conn, session_id)
        outline = read_outline(conn, scope_of_session(conn, session_id), -1 if after is None else after)
        return encode_json(
            {
                "last_ord": outline.last,
                "has_more": outline.has_more,
                "session_id": session_id,
                "kinds": outline.kinds,
                "lanes": [lane._asdict() for lane in outline.lanes],
                "contexts": [context._asdict() for context in outline.contexts],
                "errors": [error._asdict() for error in outline.errors],
                "users": outline.users,
                "tools": outline.tools,
                "files": outline.files,
            }
        )

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/sessions/{session_id}/timeline", response_model=schemas.TimelineView, responses=_LISTED)
async def get_timeline(
    request: Request, session_id: str, buckets: Annotated[int, Query(ge=10, le=2000)] = 300
) -> Response:
    """Count the messages of each branch in buckets of equal time; 30,000 messages make a few hundred blocks."""

    def work(conn: Connection) -> bytes:
        _message_count(conn, session_id)
        timeline = read_timeline(conn, scope_of_session(conn, session_id), buckets)
        blocks = [block._asdict() for block in timeline.blocks]
        return encode_json({"session_id": session_id, **timeline._asdict(), "blocks": blocks})

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/sessions/{session_id}/search", response_model=schemas.Matches, responses=problems())
async def search_session(
    request: Request,
    session_id: str,
    q: Annotated[str, Query(min_length=1, max_length=200)],
    after: Ord = -1,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Response:
    """List the messages of a run that contain a text, in order."""

    def work(conn: Connection) -> dict[str, Any]:
        _message_count(conn, session_id)
        start = -1 if after is None else after
        matches, more = find_text(conn, scope_of_session(conn, session_id), q, after=start, limit=limit)
        return {"session_id": session_id, "matches": [match._asdict() for match in matches], "has_more": more}

    return json_response(*await asyncio.to_thread(services(request).db.read, work))


class Form(StrEnum):
    """The format of an export."""

    JSON = "json"
    JSONL = "jsonl"
    MD = "md"
    HTML = "html"


_TYPES = {
    Form.JSON: "application/json",
    Form.JSONL: "application/x-ndjson",
    Form.MD: "text/markdown; charset=utf-8",
    Form.HTML: "text/html; charset=utf-8",
}
_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {"description": "the whole session", "content": {kind.split(";")[0]: {} for kind in _TYPES.values()}}
}


@router.get("/api/sessions/{session_id}/export", response_class=Response, responses={**_EXPORTED, **problems()})
async def export_session(
    request: Request, session_id: str, form: Annotated[Form, Query(alias="format")] = Form.JSON
) -> Response:
    """Export the session as a file, like `li state export`."""
    file = await asyncio.to_thread(_export_to_file, services(request).db, session_id, form.value)
    # ASCII letters and digits only: the client chooses where it saves the file
    name = "".join(char if char.isalnum() and char.isascii() else "-" for char in session_id)[:80]
    headers = {"Content-Disposition": f'attachment; filename="session-{name}.{form.value}"'}
    return StreamingResponse(_chunks(file), media_type=_TYPES[form], headers=headers)


def _export_to_file(db: StudioDb, session_id: str, form: str) -> IO[bytes]:
    """Written to a file first: a client that reads slowly must not keep a transaction open."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  (_chunks closes it)
    try:
        with db.reader() as conn:
            conn.execute("BEGIN")
            get_session(conn, session_id)
            for piece in export(conn, session_id, form):
                file.write(piece.encode("utf-8", "backslashreplace"))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(262_144):
            yield chunk


def _message_count(conn: Connection, session_id: str) -> int:
    head = status_and_count(conn, session_id)
    if head is None:
        raise NotFound(f"session {session_id!r:.100} does not exist", hint="li state ls")
    return head[1]


def _page(conn: Connection, scope: MessageScope, after: int | None, before: int | None, limit: int) -> JsonPage:
    if after is not None and before is not None:
        raise InvalidInput("after and before exclude each other", hint="use only one of them")
    if before is not None:
        return page_before(conn, scope, before, limit)
    return page_after(conn, scope, -1 if after is None else after, limit)


def _page_json(page: JsonPage, session_id: str | None, count: int, changes: list[dict[str, Any]]) -> list[bytes]:
    facts = encode_json(
        {
            "session_id": session_id,
            "message_count": count,
            "has_more": page.has_more,
            "first_ord": page.first,
            "last_ord": page.last,
            "changes": changes,
        }
    )
    return [facts[:-1] + b',"messages":[', *page.pieces, b"]}"]
