"""What was said in a session: windows by ord, one message, long contents in parts, errors, times, text, an export."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from typing import IO, Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.state.branches import branch_length, get_branch
from lionstudio.state.connection import Connection
from lionstudio.state.messages import run_outline
from lionstudio.state.messages.export import export
from lionstudio.state.messages.pages import (
    JsonPage,
    MessageScope,
    head_of,
    ord_of,
    page_after,
    page_before,
    scope_of_branch,
    scope_of_session,
)
from lionstudio.state.sessions import get_session
from lionstudio.studio.db import StudioDb
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import messages as wire
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services

router = APIRouter(tags=["messages"])
Ord = Annotated[int | None, Query(ge=-1, le=2**53)]
Limit = Annotated[int, Query(ge=1, le=10_000)]
_LISTED = {304: {"description": "as before"}, **problems()}


@router.get("/api/sessions/{session_id}/messages", response_model=wire.Messages, responses=_LISTED)
async def list_messages(
    request: Request, session_id: str, after: Ord = None, before: Ord = None, limit: Limit = 100
) -> Response:
    """A window by ord: what comes after one, or right before one; from the beginning by default."""

    def work(conn: Connection) -> list[bytes]:
        count = _count_of(conn, session_id)
        found = _window(conn, scope_of_session(conn, session_id), after, before, limit)
        return _listed(found, session_id, count)

    # a message of 100 MB is looked into for its beginning, which takes a while
    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/branches/{branch_id}/messages", response_model=wire.Messages, responses=_LISTED)
async def list_branch_messages(
    request: Request, branch_id: str, after: Ord = None, before: Ord = None, limit: Limit = 100
) -> Response:
    """The same for one branch, by the ord in the branch: what a fork inherited is read with this."""

    def work(conn: Connection) -> list[bytes]:
        session_id = get_branch(conn, branch_id).session_id
        found = _window(conn, scope_of_branch(conn, branch_id), after, before, limit)
        return _listed(found, session_id, branch_length(conn, branch_id))

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/sessions/{session_id}/messages/{message_id}", response_model=wire.OneMessage, responses=problems())
async def get_message(request: Request, session_id: str, message_id: str) -> Response:
    """One message and its ord, for a link that leads to it."""

    def work(conn: Connection) -> bytes:
        _count_of(conn, session_id)
        place = scope_of_session(conn, session_id)
        number = ord_of(conn, place, message_id)
        found = page_after(conn, place, number - 1, 1, number + 1)
        return b"".join((encode_json({"session_id": session_id})[:-1], b',"message":', *found.pieces, b"}"))

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get(
    "/api/sessions/{session_id}/messages/{message_id}/content", response_model=wire.ContentPart, responses=problems()
)
async def get_content(
    request: Request,
    session_id: str,
    message_id: str,
    key: Annotated[str, Query(max_length=200, description="one of `cut`; nothing reads the content itself")] = "",
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    length: Annotated[int, Query(ge=1, le=1_000_000)] = 65_536,
) -> Response:
    """Some characters of a content that is too long to be sent whole."""
    here = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        _count_of(conn, session_id)
        ord_of(conn, scope_of_session(conn, session_id), message_id)
        part = here.content_cache.read(conn, message_id, key, start, length)
        return {"message_id": message_id, "key": key, **part._asdict()}

    return json_response(*await asyncio.to_thread(here.db.read, work))


@router.get("/api/sessions/{session_id}/outline", response_model=wire.OutlineView, responses=_LISTED)
async def get_outline(request: Request, session_id: str, after: Ord = -1) -> Response:
    """Tool errors, what people said, tools and files; after an ord only what came since."""

    def work(conn: Connection) -> bytes:
        _count_of(conn, session_id)
        found = run_outline.outline(conn, scope_of_session(conn, session_id), -1 if after is None else after)
        errors = [each._asdict() for each in found.errors]
        last = {"last_ord": found.last, "session_id": session_id, "errors": errors}
        return encode_json({**last, "users": found.users, "tools": found.tools, "files": found.files})

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/sessions/{session_id}/timeline", response_model=wire.TimelineView, responses=_LISTED)
async def get_timeline(
    request: Request, session_id: str, buckets: Annotated[int, Query(ge=10, le=2000)] = 300
) -> Response:
    """When the messages of each branch came, in stretches of equal length; 30,000 messages are a few hundred blocks."""

    def work(conn: Connection) -> bytes:
        _count_of(conn, session_id)
        found = run_outline.timeline(conn, scope_of_session(conn, session_id), buckets)
        blocks = [each._asdict() for each in found.blocks]
        return encode_json({"session_id": session_id, **found._asdict(), "blocks": blocks})

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/sessions/{session_id}/search", response_model=wire.Matches, responses=problems())
async def search_session(
    request: Request,
    session_id: str,
    q: Annotated[str, Query(min_length=1, max_length=200)],
    after: Ord = -1,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> Response:
    """Where a run holds a piece of text, in order."""

    def work(conn: Connection) -> dict[str, Any]:
        _count_of(conn, session_id)
        start = -1 if after is None else after
        found, more = run_outline.search_in(conn, scope_of_session(conn, session_id), q, after=start, limit=limit)
        return {"session_id": session_id, "matches": [each._asdict() for each in found], "has_more": more}

    return json_response(*await asyncio.to_thread(services(request).db.read, work))


class Form(StrEnum):
    """What an export is written as."""

    JSON = "json"
    JSONL = "jsonl"
    MD = "md"


_TYPES = {Form.JSON: "application/json", Form.JSONL: "application/x-ndjson", Form.MD: "text/markdown; charset=utf-8"}
_EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {"description": "the session, whole", "content": {kind.split(";")[0]: {} for kind in _TYPES.values()}}
}


@router.get("/api/sessions/{session_id}/export", response_class=Response, responses={**_EXPORTED, **problems()})
async def export_session(
    request: Request, session_id: str, form: Annotated[Form, Query(alias="format")] = Form.JSON
) -> Response:
    """The session as a file, as `li state export` writes it."""
    file = await asyncio.to_thread(_exported, services(request).db, session_id, form.value)
    # what a client does with the name is its own affair, so only plain letters are in it
    name = "".join(each if each.isalnum() and each.isascii() else "-" for each in session_id)[:80]
    headers = {"Content-Disposition": f'attachment; filename="session-{name}.{form.value}"'}
    return StreamingResponse(_pieces(file), media_type=_TYPES[form], headers=headers)


def _exported(store: StudioDb, session_id: str, form: str) -> IO[bytes]:
    """Written to a file first: a client that reads slowly must not keep a transaction open."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by whoever reads it)
    try:
        with store.reader() as conn:
            conn.execute("BEGIN")
            get_session(conn, session_id)
            for piece in export(conn, session_id, form):
                file.write(piece.encode("utf-8", "backslashreplace"))
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(262_144):
            yield piece


def _count_of(conn: Connection, session_id: str) -> int:
    head = head_of(conn, session_id)
    if head is None:
        raise NotFound(f"there is no session {session_id!r:.100}", hint="`li state ls` lists them")
    return head[1]


def _window(conn: Connection, place: MessageScope, after: int | None, before: int | None, limit: int) -> JsonPage:
    if after is not None and before is not None:
        raise InvalidInput("after and before exclude each other", hint="give one of them")
    if before is not None:
        return page_before(conn, place, before, limit)
    return page_after(conn, place, -1 if after is None else after, limit)


def _listed(found: JsonPage, session_id: str | None, count: int) -> list[bytes]:
    facts = encode_json(
        {
            "session_id": session_id,
            "message_count": count,
            "has_more": found.has_more,
            "first_ord": found.first,
            "last_ord": found.last,
        }
    )
    return [facts[:-1] + b',"messages":[', *found.pieces, b"]}"]
