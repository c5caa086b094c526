"""Files that the tool calls of a run changed."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import NotFound
from lionstudio.model.file_changes.change import Outcome, shortened
from lionstudio.state.branches import get_branch
from lionstudio.state.connection import Connection
from lionstudio.state.messages.changes import (
    MOST_CALLS,
    NEAR,
    ChangingCall,
    RunFileChanges,
    changed_files,
    list_changes,
    with_session_ords,
)
from lionstudio.state.messages.pages import JsonPage, MessageScope, ord_of, scope_of_branch, scope_of_session
from lionstudio.state.sessions import get_session
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import changes as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services

router = LazyRouter(tags=["messages"])

_PAGE_LINES, _PAGE_FILES = 40, 10  # of one call in a page of messages
_MOST_LINES = 20_000
_MOST_FILES = 2_000
_LINE = 2_000  # characters of a line


@router.get(
    "/api/sessions/{session_id}/changes",
    response_model=schemas.RunChanges,
    responses={304: {"description": "as before"}, **problems()},
)
async def get_changes(
    request: Request,
    session_id: str,
    branch: Annotated[str | None, Query(max_length=200, description="only the calls of this branch")] = None,
    path: Annotated[str | None, Query(max_length=4_000, description="only this file, with its hunks")] = None,
    after: Annotated[int, Query(ge=-1, le=2**53)] = -1,
) -> Response:
    """Get the files that a run changed, with sums; one file with all its hunks.

    A fork has only its own changes.
    """

    def work(conn: Connection) -> bytes:
        session = get_session(conn, session_id)
        scope = whole = scope_of_session(conn, session_id)
        if branch is not None:
            if get_branch(conn, branch).session_id != session_id:
                raise NotFound(f"branch {branch!r:.100} is not in that session", hint=f"li state show {session_id}")
            scope = scope_of_branch(conn, branch)
        calls = list_changes(conn, scope, after=after)
        next_after = calls[-1].ord if len(calls) == MOST_CALLS else None
        if branch is not None:
            calls = with_session_ords(conn, whole, calls)
        files = changed_files(calls, session.cwd)
        shown = [file for file in files if path is None or file.path == path]
        return encode_json(
            {
                "session_id": session_id,
                "branch_id": branch,
                "added": sum(file.added for file in files),
                "removed": sum(file.removed for file in files),
                "is_partial": any(file.is_partial for file in files),
                "files": [_file(file, with_hunks=path is not None) for file in shown[:_MOST_FILES]],
                "file_count": len(files),
                "failed_calls": sum(call.changes.outcome is Outcome.FAILED for call in calls),
                "pending_calls": sum(call.changes.outcome is Outcome.PENDING for call in calls),
                "next_after": next_after,
            }
        )

    return cacheable_response(request, *await asyncio.to_thread(services(request).db.read, work))


@router.get(
    "/api/sessions/{session_id}/messages/{message_id}/changes",
    response_model=schemas.CallChangesAnswer,
    responses=problems(),
)
async def get_call_changes(request: Request, session_id: str, message_id: str) -> Response:
    """Get all lines that one tool call changes."""

    def work(conn: Connection) -> dict[str, Any]:
        get_session(conn, session_id)
        scope = scope_of_session(conn, session_id)
        number = ord_of(conn, scope, message_id)
        calls = list_changes(conn, scope, after=number - 1, before=number + 1)
        call = _call(calls[0], _MOST_LINES, _MOST_FILES) if calls else None
        return {"session_id": session_id, "call": call}

    return json_response(*await asyncio.to_thread(services(request).db.read, work))


def page_changes(conn: Connection, scope: MessageScope, page: JsonPage) -> list[dict[str, Any]]:
    """The first changed lines of the calls of a page, and of calls shortly before it whose results are in it."""
    if page.first is None or page.last is None:
        return []
    calls = list_changes(conn, scope, after=page.first - 1 - NEAR, before=page.last + 1)
    first = page.first
    return [
        _call(call, _PAGE_LINES, _PAGE_FILES)
        for call in calls
        if call.ord >= first or (call.result_ord is not None and call.result_ord >= first)
    ]


def _call(call: ChangingCall, lines: int, files: int) -> dict[str, Any]:
    outcome, changes = call.changes
    return {
        **{name: value for name, value in call._asdict().items() if name != "changes"},
        "outcome": outcome,
        "files": [shortened(change, lines, _LINE).to_dict() for change in changes[:files]],
        "omitted_files": max(0, len(changes) - files),
    }


def _file(file: RunFileChanges, *, with_hunks: bool) -> dict[str, Any]:
    hunks, left = [], _MOST_LINES
    total = sum(len(entry.hunk.lines) for entry in file.hunks)
    for entry in file.hunks if with_hunks else ():
        lines = [line if len(line) <= _LINE else f"{line[:_LINE]}…" for line in entry.hunk.lines[:left]]
        left -= len(lines)
        if lines:
            hunks.append({**entry.hunk.to_dict(), "lines": lines, "ord": entry.ord, "call_id": entry.call_id})
    omitted = max(0, total - _MOST_LINES) if with_hunks else total
    facts = {
        name: getattr(file, name) for name in ("path", "kind", "old_path", "added", "removed", "is_partial", "ords")
    }
    return {**facts, "hunks": hunks, "omitted": omitted}
