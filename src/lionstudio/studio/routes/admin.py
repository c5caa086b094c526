"""`/api/admin`: doctor, maintenance with previews, import status, health, log and settings."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import LionError
from lionstudio.files.legacy_runs import find_runs
from lionstudio.files.progress_notes import list_progress
from lionstudio.files.shows.show_folder import find_shows
from lionstudio.settings import describe
from lionstudio.show_sync.drift import show_findings
from lionstudio.state.connection import Connection
from lionstudio.state.runs import page_queries, stats
from lionstudio.state.sqlite import maintenance
from lionstudio.state.sqlite.open import open_writer
from lionstudio.state.upkeep import doctor
from lionstudio.state.upkeep.prune import plan_prune
from lionstudio.studio.http.responses import JSON, encode_json, json_response
from lionstudio.studio.schemas import admin as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.studio.views.run_health import health_overview
from lionstudio.system.filenames import check_name
from lionstudio.teams.drift import team_findings

router = APIRouter(tags=["admin"])
_MOST_LOG = 200_000  # bytes of its end


@router.get("/api/admin/doctor", response_model=schemas.Doctor, responses=problems())
async def examine(request: Request, deep: bool = False) -> Response:
    """List every finding with its evidence, and the runs that could be marked as failed."""
    app = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        drift = [*team_findings(conn, app.settings), *show_findings(conn, app.settings)]
        findings = [*doctor.examine(conn, deep=deep), *drift]
        dead = doctor.list_stale_and_dead(conn)
        return {"findings": [finding._asdict() for finding in findings], "transitions": [run._asdict() for run in dead]}

    return json_response(*await asyncio.to_thread(app.db.read, work))


@router.post("/api/admin/doctor/transition", response_model=schemas.Transitions, responses=problems(409))
async def transition_stale(request: Request, payload: schemas.MarkedFailedView) -> Response:
    """Mark runs as failed that are stale and proven dead; by default only list them."""
    app = services(request)
    only = None if payload.session_ids is None else frozenset(payload.session_ids)

    def work() -> list[doctor.StaleSession]:
        if not payload.dry_run:
            return app.db.write(lambda conn: doctor.transition_stale(conn, only=only))
        dead, _ = app.db.read(doctor.list_stale_and_dead)
        return [run for run in dead if only is None or run.session_id in only]

    runs = await asyncio.to_thread(work)
    body = {"dry_run": payload.dry_run, "transitions": [run._asdict() for run in runs]}
    return json_response(body, app.db.seq())


@router.post("/api/admin/checkpoint", response_model=schemas.CheckpointedView, responses=problems(409))
async def checkpoint(request: Request, payload: schemas.Checkpoint) -> Response:
    """Checkpoint the write-ahead log."""
    result = await asyncio.to_thread(
        _with_writer, services(request), lambda conn: maintenance.checkpoint(conn, payload.mode)
    )
    return json_response({"result": result._asdict()}, services(request).db.seq())


@router.post("/api/admin/vacuum", response_model=schemas.Vacuumed, responses=problems(409))
async def vacuum(request: Request) -> Response:
    """Rebuild the file without its free space; writers wait meanwhile."""
    before, after = await asyncio.to_thread(_with_writer, services(request), maintenance.vacuum)
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
    days = app.settings.keep_days if keep_days is None else keep_days
    newest = app.settings.keep_n if keep_n is None else keep_n

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
        return {"path": path, "bytes": maintenance.backup(app.settings.db, path)}

    return json_response({"result": await asyncio.to_thread(work)}, app.db.seq(), status=201)


@router.get("/api/admin/database", response_model=schemas.DatabaseStats, responses=problems())
async def database_stats(request: Request, sizes: bool = False) -> Response:
    """Get sizes, rows per table, pragmas, the backlog of the search index, and the growth of the last days."""

    def work(conn: Connection) -> dict[str, Any]:
        return {"stats": maintenance.stats(conn, sizes=sizes), "growth": stats.daily_growth(conn, time.time())}

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
            "mirrors": stats.transcript_totals(conn),
            "troubled": stats.incomplete_files(conn),
        }

    def on_disk() -> dict[str, Any]:
        return {
            "runs_on_disk": _count(find_runs, app.settings.home),
            "shows_on_disk": _count(find_shows, app.settings.shows),
            "work": list_running_work(app),
        }

    counts, seq = await asyncio.to_thread(app.db.read, work)
    return json_response(counts | await asyncio.to_thread(on_disk), seq)


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
    """Get the end of the Studio log: refusals with their reasons, and unexpected errors."""
    path = services(request).audit_log.path
    last_lines = await asyncio.to_thread(_last_lines, path, lines)
    return Response(encode_json({"lines": last_lines}), media_type=JSON)


@router.get("/api/admin/settings", response_model=schemas.SettingsShape, responses=problems())
async def get_settings(request: Request) -> Response:
    """Get every setting and its origin."""
    app = services(request)
    items = describe(app.settings)
    values, origins = ({item["name"]: item[key] for item in items} for key in ("value", "origin"))
    body = {"settings": values, "origins": origins, "items": items, "read_only": app.credentials.read_only}
    return Response(encode_json(body), media_type=JSON)


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
