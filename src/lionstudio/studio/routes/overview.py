"""`/api/dashboard`, `/api/stats`, `/api/attention` and `/api/search`."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import LionError
from lionstudio.files.definitions import catalog, plugins, search_paths
from lionstudio.model.status.statuses import SESSIONS, row_of
from lionstudio.state.connection import Connection
from lionstudio.state.runs import dashboard, page_queries
from lionstudio.state.shows import list_shows
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.sqlite.vectors import search_hybrid, search_semantic
from lionstudio.studio.http.error_responses import error_response
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import overview as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.studio.views import shows
from lionstudio.studio.views.attention import list_attention
from lionstudio.studio.views.runs import run_json

router = APIRouter(tags=["overview"])
_RECENT = 20
_ACTIVE = 50


@router.get(
    "/api/dashboard", response_model=schemas.Dashboard, responses={304: {"description": "as before"}, **problems()}
)
async def get_dashboard(request: Request) -> Response:
    """Get the cards, runs by hour of the last day, active shows, and recent runs."""
    now = time.time()

    def work(conn: Connection) -> bytes:
        since = (now // 3600 - 23) * 3600
        active = [show for show in list_shows(conn, _ACTIVE) if show.status == "active"]
        ids = [show.id for show in active]
        counts, running = page_queries.play_counts(conn, ids), page_queries.running_plays(conn, ids)
        hours = [_hour(row, since) for row in page_queries.runs_by_hour(conn, since)]
        return encode_json(
            {
                "cards": dashboard.cards(conn, now),
                "hours": hours,
                "recent": [run_json(row, now) for row in page_queries.recent_rows(conn, _RECENT)],
                "shows": [
                    shows.show_summary(show, counts.get(show.id, {}), running.get(show.id, ()), now) for show in active
                ],
            }
        )

    return cacheable_response(request, *services(request).db.read(work), evaluated_at=now)


@router.get("/api/stats", response_model=schemas.Stats, responses=problems())
async def get_stats(request: Request) -> Response:
    """Count sessions in the database and definitions in their folders."""
    app = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        counts = dashboard.status_counts(conn)
        n_shows, n_teams = page_queries.shows_and_teams(conn)
        return {"sessions": counts, "total_sessions": sum(counts.values()), "shows": n_shows, "teams": n_teams}

    counts, seq = app.db.read(work)
    return json_response(counts | await asyncio.to_thread(_count_definitions, app), seq)


@router.get(
    "/api/attention", response_model=schemas.Attention, responses={304: {"description": "as before"}, **problems()}
)
async def get_attention(request: Request) -> Response:
    """List everything that needs a person."""
    app = services(request)
    items, seq = await asyncio.to_thread(app.db.read, lambda conn: list_attention(conn, app.settings))
    return cacheable_response(request, encode_json({"items": items}), seq)


@router.get("/api/search", response_model=schemas.Hits, responses=problems(502))
async def search_messages(
    request: Request,
    q: Annotated[str, Query(min_length=1, max_length=500)],
    project: Annotated[str | None, Query(max_length=200)] = None,
    session: Annotated[str | None, Query(max_length=200)] = None,
    since: Annotated[float | None, Query(ge=-1e11, le=1e11, allow_inf_nan=False)] = None,
    ranked: bool = False,
    mode: Literal["words", "semantic", "hybrid"] = "words",
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
    max_chars: Annotated[int, Query(ge=20, le=2000)] = 200,
) -> Response:
    """Search messages by keywords (newest first, or the most relevant of the newest thousand) or by meaning."""
    app = services(request)
    options: dict[str, Any] = {
        "limit": limit,
        "max_chars": max_chars,
        "project": project,
        "session_id": session,
        "since": since,
    }
    vector = None
    if mode != "words":
        try:
            vector = await asyncio.to_thread(app.query_embedder.embed_query, q)
        except LionError as error:
            return error_response(
                error, 502 if type(error) is LionError else None
            )  # an error of the model, or of a setting

    def work(conn: Connection) -> list[dict[str, Any]]:
        if vector is None:
            return [hit._asdict() for hit in search(conn, q, ranked=ranked, **options)]
        return [
            hit._asdict() for hit in (search_hybrid if mode == "hybrid" else search_semantic)(conn, vector, **options)
        ]

    # in a thread: messages that are not indexed yet are scanned, which may take a while
    hits, seq = await asyncio.to_thread(app.db.read, work)
    return json_response({"hits": hits}, seq)


def _hour(row: dict[str, Any], since: float) -> dict[str, Any]:
    status = row_of(SESSIONS, row["status"])
    return {**row, "at": since + row.pop("hour") * 3600, "label": status.label, "tone": status.tone}


def _count_definitions(app: Services) -> dict[str, int]:
    home, claude = app.settings.home, search_paths.claude_folder()
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = os.sep
    return {
        "agents": len(catalog.list_definitions("agent", home, cwd)),
        "playbooks": len(catalog.list_definitions("playbook", home, cwd)),
        "skills": len(plugins.list_skills(home, cwd, claude)),
        "plugins": len(plugins.list_plugins(home, claude).plugins),
    }
