"""`/api/admin`: doctor, maintenance with previews, import status, health and log."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import LionError
from lionstudio.files.follow_lock import list_followers
from lionstudio.files.legacy_runs import find_runs
from lionstudio.files.progress_notes import list_progress
from lionstudio.files.shows.show_folder import find_shows
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.runs.resume_command import location_options
from lionstudio.runs.settle import mark_dead_runs, mark_stale_runs
from lionstudio.runs.talk.connections import hook_findings
from lionstudio.show_sync.checkouts import checkout_findings
from lionstudio.show_sync.drift import show_findings
from lionstudio.state.backends import maintenance, open_writer
from lionstudio.state.connection import Connection
from lionstudio.state.imports.doubles import list_doubles
from lionstudio.state.runs import page_queries, stats
from lionstudio.state.upkeep import doctor
from lionstudio.state.upkeep.prune import plan_prune
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import JSON, encode_json, json_response
from lionstudio.studio.routes.settings import current_settings
from lionstudio.studio.schemas import admin as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.studio.views.history import list_histories
from lionstudio.studio.views.log_entries import log_entry
from lionstudio.studio.views.run_health import health_overview
from lionstudio.system.filenames import check_name
from lionstudio.teams.drift import team_findings

router = LazyRouter(tags=["admin"])
_IMPORT_TARGETS = (
    *(("mirror", tool, f"{title} history") for tool, (title, _) in TRANSCRIPT_TOOLS.items()),
    ("import", "runs", "old runs"),
    ("import", "shows", "shows"),
    ("import", "teams", "teams"),
)
_SEVERITIES = ("error", "warning", "info")
_MOST_LOG = 200_000  # bytes of its end


@router.get("/api/admin/doctor", response_model=schemas.Doctor, responses=problems())
async def examine(request: Request, deep: bool = False) -> Response:
    """List every finding with its evidence, and the runs that could be marked as failed."""
    app = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        of_files = (team_findings, show_findings, checkout_findings)
        drift = [finding for findings in of_files for finding in findings(conn, app.settings)]
        findings = [*doctor.examine(conn, deep=deep), *drift, *hook_findings(conn)]
        findings.sort(key=lambda finding: _SEVERITIES.index(finding.severity))
        dead = doctor.list_dead(conn)
        names = page_queries.session_names(
            conn, [*filter(None, (finding.session_id for finding in findings)), *(run.session_id for run in dead)]
        )
        return {
            "findings": [
                finding._asdict() | {"display_name": names.get(finding.session_id or "")} for finding in findings
            ],
            "transitions": _dead_json(dead, names),
        }

    return json_response(*await asyncio.to_thread(app.db.read, work))


@router.post("/api/admin/doctor/transition", response_model=schemas.Transitions, responses=problems(409))
async def transition_stale(request: Request, payload: schemas.MarkedFailedView) -> Response:
    """Mark runs as failed that are proven dead: those named, or all that are stale; by default only list them."""
    app = services(request)
    only = None if payload.session_ids is None else frozenset(payload.session_ids)

    def work() -> list[dict[str, Any]]:
        if payload.dry_run:
            listed, _ = app.db.read(doctor.list_stale_and_dead if only is None else doctor.list_dead)
            runs = [run for run in listed if only is None or run.session_id in only]
        elif only is None:
            runs = mark_stale_runs(app.db.database())
        else:
            runs = mark_dead_runs(app.db.database(), only)
        names, _ = app.db.read(lambda conn: page_queries.session_names(conn, [run.session_id for run in runs]))
        return _dead_json(runs, names)

    body = {"dry_run": payload.dry_run, "transitions": await asyncio.to_thread(work)}
    return json_response(body, app.db.seq())


@router.get("/api/admin/doctor/doubles", response_model=schemas.Doubles, responses=problems())
async def preview_doubles(request: Request) -> Response:
    """List the runs that are stored twice; `POST /api/launches` with `fix doubles` merges them."""
    doubles, seq = await asyncio.to_thread(services(request).db.read, list_doubles)
    return json_response({"doubles": [double._asdict() for double in doubles]}, seq)


@router.post("/api/admin/checkpoint", response_model=schemas.CheckpointedView, responses=problems(409))
async def checkpoint(request: Request, payload: schemas.Checkpoint) -> Response:
    """Checkpoint the write-ahead log."""
    result = await asyncio.to_thread(
        _with_writer, services(request), lambda conn: maintenance(conn.path).checkpoint(conn, payload.mode)
    )
    return json_response({"result": result._asdict()}, services(request).db.seq())


@router.post("/api/admin/vacuum", response_model=schemas.Vacuumed, responses=problems(409))
async def vacuum(request: Request) -> Response:
    """Rebuild the file without its free space; writers wait meanwhile."""
    before, after = await asyncio.to_thread(
        _with_writer, services(request), lambda conn: maintenance(conn.path).vacuum(conn)
    )
    return json_response({"result": {"bytes_before": before, "bytes_after": after}}, services(request).db.seq())


@router.get("/api/admin/prune", response_model=schemas.PrunePreview, responses=problems())
async def preview_prune(
    request: Request,
    keep_days: Annotated[int | None, Query(ge=0, le=100_000)] = None,
    keep_n: Annotated[int | None, Query(ge=0, le=10_000_000)] = None,
    orphans: bool = False,
) -> Response:
    """Preview what `li state prune` would delete and free, and which old sessions it keeps."""
    app = services(request)
    settings = current_settings(app)
    days = settings.keep_days if keep_days is None else keep_days
    newest = settings.keep_n if keep_n is None else keep_n

    def work() -> dict[str, int]:
        with app.db.reader() as conn:
            before = time.time() - days * 86400
            return plan_prune(conn, before=before, keep_n=newest, orphan_progressions=orphans)._asdict()

    body = {"plan": await asyncio.to_thread(work), "keep_days": days, "keep_n": newest}
    return json_response(body, app.db.seq())


@router.post("/api/admin/backup", status_code=201, response_model=schemas.BackedUp, responses=problems(409))
async def backup(request: Request, payload: schemas.Backup) -> Response:
    """Copy the database into the folder `backups` of the home."""
    app = services(request)
    name = check_name(payload.name or time.strftime("state-%Y%m%d-%H%M%S.db", time.gmtime()), "backup")
    folder = os.path.join(app.settings.home, "backups")

    def work() -> dict[str, Any]:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, name)
        return {"path": path, "bytes": maintenance(app.settings.db).backup(app.settings.db, path)}

    return json_response({"result": await asyncio.to_thread(work)}, app.db.seq(), status=201)


@router.get("/api/admin/database", response_model=schemas.DatabaseStats, responses=problems())
async def database_stats(request: Request, sizes: bool = False) -> Response:
    """Get sizes, rows per table, pragmas, the backlog of the search index, and the growth of the last days."""

    def work(conn: Connection) -> dict[str, Any]:
        return {
            "stats": maintenance(conn.path).stats(conn, sizes=sizes),
            "growth": stats.daily_growth(conn, time.time()),
        }

    return json_response(*await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/admin/imports", response_model=schemas.ImportStatus, responses=problems())
async def import_status(request: Request) -> Response:
    """Get the sources of sessions, the files on disk, the progress of each import, and running imports."""
    app = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        by_source, (n_shows, n_teams) = page_queries.sessions_by_source(conn), page_queries.shows_and_teams(conn)
        return {
            "sessions_by_source": by_source,
            "runs_imported": by_source.get("imported_fs", 0),
            "shows_imported": n_shows,
            "teams_imported": n_teams,
            "mirrored_files": page_queries.mirrored_files(conn),
            "mirrors": [row | {"title": _tool_title(row["tool"])} for row in stats.transcript_totals(conn)],
            "troubled": stats.incomplete_files(conn),
        }

    def on_disk() -> dict[str, Any]:
        return {
            "runs_on_disk": _count(find_runs, app.settings.home),
            "shows_on_disk": _count(find_shows, app.settings.shows),
            "follower": _follower_json(app),
            "targets": [{"verb": verb, "target": target, "title": title} for verb, target, title in _IMPORT_TARGETS],
            "work": list_running_work(app),
        }

    counts, seq = await asyncio.to_thread(app.db.read, work)
    return json_response(counts | await asyncio.to_thread(on_disk), seq)


@router.get("/api/admin/history", response_model=schemas.Histories, responses=problems())
async def get_history(request: Request) -> Response:
    """Count the sessions of Claude Code and Codex on this machine, and those that are imported."""
    app = services(request)
    imported, seq = app.db.read(page_queries.sessions_by_source)
    body = {"histories": await asyncio.to_thread(list_histories, imported)}
    return json_response(body | {"location": location_options(app.settings, other_terminal=True)}, seq)


@router.post("/api/admin/follow", response_model=schemas.FollowerAnswer, responses=problems(409))
async def switch_following(request: Request, payload: schemas.FollowSwitch) -> Response:
    """Start or stop importing transcripts as they are written; the setting follow_transcripts makes it permanent."""
    app = services(request)
    app.follower.switch(payload.enabled)
    return Response(encode_json({"follower": await asyncio.to_thread(_follower_json, app)}), media_type=JSON)


@router.get("/api/work", response_model=schemas.Works, responses=problems())
async def list_work(request: Request) -> Response:
    """List running imports and upgrades of every process; works without the database."""
    body = {"work": await asyncio.to_thread(list_running_work, services(request))}
    return Response(encode_json(body), media_type=JSON)


@router.get("/api/admin/health", response_model=schemas.HealthOverview, responses=problems())
async def get_health(request: Request) -> Response:
    """List the runs that are marked running by health, with the evidence."""
    return json_response(*await asyncio.to_thread(services(request).db.read, health_overview))


@router.get("/api/admin/logs", response_model=schemas.Logs, responses=problems())
async def read_log(request: Request, lines: Annotated[int, Query(ge=1, le=1000)] = 200) -> Response:
    """Get the end of the Studio log, raw and as entries: refusals with their reasons, and unexpected errors."""
    path = services(request).audit_log.path
    last_lines = await asyncio.to_thread(_last_lines, path, lines)
    entries = [log_entry(line) for line in last_lines]
    return Response(encode_json({"lines": last_lines, "entries": entries}), media_type=JSON)


def _dead_json(runs: list[doctor.DeadRun], names: dict[str, str]) -> list[dict[str, Any]]:
    return [run._asdict() | {"display_name": names.get(run.session_id, run.session_id)} for run in runs]


def _follower_json(app: Services) -> dict[str, Any]:
    followers = list_followers(app.settings.db)
    return {
        "enabled": app.follower.enabled,
        "can_switch": not app.credentials.read_only,
        "error": app.follower.error,
        "tools": [
            {**tool._asdict(), "title": _tool_title(tool.tool), "is_ours": tool.pid == app.follower.pid}
            for tool in followers
        ],
    }


def _tool_title(tool: str) -> str:
    return TRANSCRIPT_TOOLS[tool][0] if tool in TRANSCRIPT_TOOLS else tool


def list_running_work(app: Services) -> list[dict[str, Any]]:
    """The progress notes in the home, and the opening of the database by this server."""
    work = [progress._asdict() for progress in list_progress(app.settings.home)]
    started_at = app.db.opening_since
    if started_at is not None:
        what = "Opening the database; an older version is upgraded first"
        facts = {"pid": os.getpid(), "done": 0, "total": 0, "began_at": started_at, "told_at": time.time()}
        work.append({"id": "opening", "what": what, **facts})
    return work


def _with_writer(app: Services, work: Any) -> Any:
    """Run maintenance on its own connection: it runs outside a transaction, and the writer of the server continues."""
    app.db.database()
    conn = open_writer(app.settings.db, create=False)
    try:
        conn.raw.set_busy_timeout(5000)
        return work(conn)
    finally:
        conn.close()


def _count(find: Any, root: str) -> int:
    try:
        return len(find(root))
    except LionError:
        return 0


def _last_lines(path: str, lines: int) -> list[str]:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_LOG))
            text = file.read(_MOST_LOG).decode("utf-8", "replace")
    except OSError:
        return []
    return text.splitlines()[-lines:]
