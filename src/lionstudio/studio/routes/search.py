"""`/api/search` finds messages, `/api/find` finds things by name."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from typing import Annotated, Any, Literal

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.embeddings.query import find_obstacle
from lionstudio.errors import LionError
from lionstudio.files.definitions import catalog
from lionstudio.model.status.statuses import PLAYS, SESSIONS, SHOWS, TEAMS, row_of
from lionstudio.state.connection import Connection
from lionstudio.state.runs.find_names import FoundName, find_others, find_runs, rank_name, recent_runs, recent_shows
from lionstudio.state.sqlite.fulltext import search
from lionstudio.state.sqlite.search_hits import list_tools, load_runs
from lionstudio.state.sqlite.search_ranges import Scope
from lionstudio.state.sqlite.search_runs import RunHits, group_hits, search_runs
from lionstudio.state.sqlite.search_text import ROLES
from lionstudio.state.sqlite.vectors import VectorQuery, search_hybrid, search_semantic
from lionstudio.studio.http.error_responses import error_response
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import json_response
from lionstudio.studio.schemas import search as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services

router = LazyRouter(tags=["search"])
Name = Annotated[str | None, Query(max_length=500)]
_LISTED = 6  # names of one kind
_RECENT = 8
# where names fit equally well; the run of a play is found by the name of the play too
_ORDER = ("show", "agent", "playbook", "team", "project", "run", "play")


@router.get("/api/search", response_model=schemas.Hits, responses=problems(502))
async def search_messages(
    request: Request,
    q: Annotated[str, Query(max_length=500)] = "",
    project: Name = None,
    session: Name = None,
    since: Annotated[float | None, Query(ge=-1e11, le=1e11, allow_inf_nan=False)] = None,
    agent: Name = None,
    status: Name = None,
    role: Name = None,
    tool: Name = None,
    file: Name = None,
    ranked: bool = False,
    mode: Literal["words", "semantic", "hybrid"] = "words",
    group: bool = False,
    limit: Annotated[int, Query(ge=1, le=200, description="messages, or runs with `group`")] = 20,
    per_run: Annotated[int, Query(ge=1, le=200, description="messages of a run with `group`")] = 3,
    below: Annotated[int | None, Query(ge=0, le=2**62, description="`next` of the page before")] = None,
    max_chars: Annotated[int, Query(ge=20, le=2000)] = 200,
) -> Response:
    """Search messages by keywords (last recorded first, or the most relevant of the last thousand) or by meaning."""
    app = services(request)
    scope = Scope(project, session, since, agent, status, role, tool, file)
    vector = None
    if mode != "words":
        try:
            vector = await asyncio.to_thread(app.query_embedder.embed_query, q)
        except LionError as error:
            return error_response(
                error, 502 if type(error) is LionError else None
            )  # an error of the model, or of a setting

    def work(conn: Connection) -> dict[str, Any]:
        if vector is not None:
            return _by_meaning(conn, vector, scope, hybrid=mode == "hybrid", group=group, limit=limit, per_run=per_run)
        if group:
            sizes = {"runs": limit, "per_run": per_run, "max_chars": max_chars}
            result = search_runs(conn, q, scope, ranked=ranked, below=below, **sizes)
            return _answer([], result.runs, result.total, more=result.more, following=result.next)
        hits = search(conn, q, ranked=ranked, limit=limit, max_chars=max_chars, **_filters(scope))
        return _answer(hits, [], len(hits), more=len(hits) == limit)

    # in a thread: messages that are not indexed yet are scanned, which may take a while
    answer, seq = await asyncio.to_thread(app.db.read, work)
    return json_response(answer, seq)


def _by_meaning(
    conn: Connection, query: VectorQuery, scope: Scope, *, hybrid: bool, group: bool, limit: int, per_run: int
) -> dict[str, Any]:
    find = search_hybrid if hybrid else search_semantic
    hits = find(conn, query, limit=100 if group else limit, lines=group, **_filters(scope))
    if not group:
        return _answer(hits, [], len(hits), more=False)
    groups = group_hits(hits, load_runs(conn, hits), per_run)
    return _answer([], groups[:limit], len(hits), more=False)


def _filters(scope: Scope) -> dict[str, Any]:
    filters = scope._asdict()
    return {"session_id": filters.pop("session"), **filters}


def _answer(
    hits: list[Any], runs: list[RunHits], total: int, *, more: bool, following: int | None = None
) -> dict[str, Any]:
    return {
        "hits": [hit._asdict() for hit in hits],
        "runs": [_run_json(run) for run in runs],
        "total": total,
        "more": more,
        "next": following,
    }


def _run_json(group: RunHits) -> dict[str, Any]:
    run = group.run
    return {
        "session_id": group.session_id,
        "name": None if run is None else run.name,
        "project": None if run is None else run.project,
        "agent_name": None if run is None else run.agent_name,
        "state": None if run is None else _label("run", run.status),
        "count": group.matches,
        "hits": [hit._asdict() for hit in group.hits],
    }


@router.get("/api/search/filters", response_model=schemas.SearchFilters, responses=problems())
async def get_search_filters(request: Request) -> Response:
    """Get the modes of the search that can be used, and what it can be narrowed by."""
    app = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        obstacle = find_obstacle(conn, app.settings)
        reason, hint = (None, None) if obstacle is None else (obstacle.message, obstacle.hint)
        modes = [{"mode": "words", "reason": None, "hint": None}]
        modes += [{"mode": mode, "reason": reason, "hint": hint} for mode in ("semantic", "hybrid")]
        return {"modes": modes, "roles": list(ROLES), "tools": list_tools(conn)}

    answer, seq = await asyncio.to_thread(app.db.read, work)
    return json_response(answer, seq)


@router.get("/api/find", response_model=schemas.Names, responses=problems())
async def find_names(request: Request, q: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Find runs, shows, plays, teams, projects, agents and playbooks by name; without a text, the most recent ones."""
    app, typed = services(request), q.strip()

    def work(conn: Connection) -> list[FoundName]:
        if not typed:
            return recent_runs(conn, _RECENT) + recent_shows(conn, _LISTED)
        return find_runs(conn, typed) + find_others(conn, typed)

    def find() -> tuple[list[FoundName], int]:
        rows, seq = app.db.read(work)
        return rows + (_find_definitions(app, typed) if typed else []), seq

    every, seq = await asyncio.to_thread(find)
    counts = Counter(name.kind for name in every)
    sections: dict[str, list[FoundName]] = {}
    for name in sorted(every, key=lambda name: (name.rank, _ORDER.index(name.kind), -name.updated_at)):
        sections.setdefault(name.kind, []).append(name)
    most = _LISTED if typed else _RECENT
    return json_response(
        {
            "sections": [
                {
                    "kind": kind,
                    "rank": names[0].rank,
                    "count": counts[kind],
                    "names": [_name_json(name) for name in names[:most]],
                }
                for kind, names in sections.items()
            ]
        },
        seq,
    )


def _find_definitions(app: Services, typed: str) -> list[FoundName]:
    try:
        cwd = os.getcwd()
    except OSError:
        cwd = os.sep
    names = []
    for kind in ("agent", "playbook"):
        for definition in catalog.list_definitions(kind, app.settings.home, cwd):
            rank = rank_name(definition.name, typed)
            if rank is not None and definition.shadowed_by is None:
                about = None if definition.value is None else definition.value.description
                names.append(FoundName(kind, definition.name, definition.name, rank, about=about))
    return names


_TABLES: dict[str, Any] = {"run": SESSIONS, "show": SHOWS, "play": PLAYS, "team": TEAMS}


def _label(kind: str, status: str | None) -> dict[str, str] | None:
    if status is None or kind not in _TABLES:
        return None
    row = row_of(_TABLES[kind], status)
    return {"status": status, "label": row.label, "tone": row.tone, "icon": row.icon}


def _name_json(name: FoundName) -> dict[str, Any]:
    return {
        "kind": name.kind,
        "id": name.id,
        "name": name.name,
        "about": name.about,
        "topic": name.topic,
        "state": _label(name.kind, name.status),
    }
