"""`/api/dashboard`, `/api/stats` and `/api/attention`."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Annotated, Any

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import NotFound
from lionstudio.files.definitions import catalog, plugins, search_paths
from lionstudio.model.status.statuses import SESSIONS, row_of
from lionstudio.state.backends import is_server
from lionstudio.state.connection import Connection
from lionstudio.state.runs import dashboard, dismissals, page_queries
from lionstudio.state.shows import list_shows
from lionstudio.state.workers.held_orders import has_workers
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import overview as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.studio.views import shows
from lionstudio.studio.views.attention import list_attention
from lionstudio.studio.views.run_health import count_dead_runs
from lionstudio.studio.views.runs import run_json

router = LazyRouter(tags=["overview"])
ItemId = Annotated[str, Path(max_length=500)]
_RECENT = 20
_ACTIVE = 50


@router.get(
    "/api/dashboard", response_model=schemas.Dashboard, responses={304: {"description": "as before"}, **problems()}
)
async def get_dashboard(request: Request) -> Response:
    """Get the cards, runs by hour of the last day, active shows, and recent runs."""
    app, now = services(request), time.time()

    def work(conn: Connection) -> bytes:
        since = (now // 3600 - 23) * 3600
        active = [show for show in list_shows(conn, _ACTIVE) if show.status == "active"]
        hours = [_hour(row, since) for row in page_queries.runs_by_hour(conn, since)]
        cards = dashboard.cards(conn, now)
        return encode_json(
            {
                "cards": cards | {"running": max(0, cards["running"] - count_dead_runs(conn))},
                "hours": hours,
                "recent": [run_json(row, now) for row in page_queries.recent_rows(conn, _RECENT)],
                "shows": shows.show_summaries(conn, active, now),
                "has_workers": is_server(app.settings.db) or has_workers(conn),
            }
        )

    return cacheable_response(request, *app.db.read(work), evaluated_at=now)


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


@router.post("/api/attention/{item_id}/dismiss", response_model=schemas.Dismissal, responses=problems(409))
async def dismiss_item(request: Request, item_id: ItemId) -> Response:
    """Hide an item until the status of its entity changes."""
    return await _hide(request, item_id, None)


@router.post("/api/attention/{item_id}/snooze", response_model=schemas.Dismissal, responses=problems(409))
async def snooze_item(request: Request, item_id: ItemId, payload: schemas.Snooze) -> Response:
    """Hide an item for a time, or until the status of its entity changes."""
    return await _hide(request, item_id, time.time() + payload.seconds)


async def _hide(request: Request, item_id: str, until: float | None) -> Response:
    app = services(request)

    def work() -> None:
        items, _ = app.db.read(lambda conn: list_attention(conn, app.settings))
        item = next((item for item in items if item["id"] == item_id), None)
        if item is None:
            raise NotFound(f"attention item {item_id!r:.200} does not exist", hint="GET /api/attention lists them")
        app.db.write(lambda conn: dismissals.dismiss(conn, item_id, item["state"], time.time(), until=until))

    await asyncio.to_thread(work)
    return json_response({"id": item_id, "dismissed": until is None, "snoozed_until": until}, app.db.seq())


@router.delete("/api/attention/{item_id}/dismiss", response_model=schemas.Dismissal, responses=problems(409))
async def restore_item(request: Request, item_id: ItemId) -> Response:
    """List a dismissed or snoozed item again."""
    app = services(request)
    await asyncio.to_thread(app.db.write, lambda conn: dismissals.restore(conn, item_id))
    return json_response({"id": item_id, "dismissed": False, "snoozed_until": None}, app.db.seq())


def _hour(row: dict[str, Any], since: float) -> dict[str, Any]:
    status, hour = row_of(SESSIONS, row["status"]), row.pop("hour")
    return {**row, "at": since + hour * 3600, "label": status.label, "tone": status.tone}


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
