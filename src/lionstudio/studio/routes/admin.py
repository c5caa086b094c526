"""`/api/admin`: what is wrong and what says so, upkeep with a preview first, where things came from, the log."""

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
from lionstudio.studio.schemas import admin as wire
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.studio.views.run_health import health_overview
from lionstudio.system.filenames import check_name
from lionstudio.teams.drift import team_findings

router = APIRouter(tags=["admin"])
_MOST_LOG = 200_000  # bytes of its end


@router.get("/api/admin/doctor", response_model=wire.Doctor, responses=problems())
async def examine(request: Request, deep: bool = False) -> Response:
    """Every finding with its evidence, and which runs could be marked failed."""
    here = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        drift = [*team_findings(conn, here.settings), *show_findings(conn, here.settings)]
        found = [*doctor.examine(conn, deep=deep), *drift]
        moves = doctor.stale_and_dead(conn)
        return {"findings": [each._asdict() for each in found], "transitions": [each._asdict() for each in moves]}

    return json_response(*await asyncio.to_thread(here.db.read, work))


@router.post("/api/admin/doctor/transition", response_model=wire.Transitions, responses=problems(409))
async def transition_stale(request: Request, given: wire.MarkedFailedView) -> Response:
    """Mark as failed what is stale and proven dead; by default it only says which runs that would be."""
    here = services(request)

    only = None if given.session_ids is None else frozenset(given.session_ids)

    def work() -> list[doctor.MarkedFailed]:
        if not given.dry_run:
            return here.db.write(lambda conn: doctor.transition_stale(conn, only=only))
        moves, _ = here.db.read(doctor.stale_and_dead)
        return [each for each in moves if only is None or each.session_id in only]

    found = await asyncio.to_thread(work)
    body = {"dry_run": given.dry_run, "transitions": [each._asdict() for each in found]}
    return json_response(body, here.db.seq())


@router.post("/api/admin/checkpoint", response_model=wire.CheckpointedView, responses=problems(409))
async def checkpoint(request: Request, given: wire.Checkpoint) -> Response:
    """Fold the log back into the database file."""
    done = await asyncio.to_thread(
        _with_writer, services(request), lambda conn: maintenance.checkpoint(conn, given.mode)
    )
    return json_response({"result": done._asdict()}, services(request).db.seq())


@router.post("/api/admin/vacuum", response_model=wire.Vacuumed, responses=problems(409))
async def vacuum(request: Request) -> Response:
    """Rebuild the file without its free space; others wait meanwhile."""
    before, after = await asyncio.to_thread(_with_writer, services(request), maintenance.vacuum)
    return json_response({"result": {"bytes_before": before, "bytes_after": after}}, services(request).db.seq())


@router.get("/api/admin/prune", response_model=wire.PrunePreview, responses=problems())
async def preview_prune(
    request: Request,
    keep_days: Annotated[int | None, Query(ge=0, le=100_000)] = None,
    keep_n: Annotated[int | None, Query(ge=0, le=10_000_000)] = None,
    orphans: bool = False,
) -> Response:
    """What `li state prune` would delete and free, and what it keeps although it is old enough."""
    here = services(request)
    days = here.settings.keep_days if keep_days is None else keep_days
    newest = here.settings.keep_n if keep_n is None else keep_n

    def work() -> dict[str, int]:
        with here.db.reader() as conn:
            before = time.time() - days * 86400
            return plan_prune(conn, before=before, keep_n=newest, orphan_progressions=orphans)._asdict()

    body = {"plan": await asyncio.to_thread(work), "keep_days": days, "keep_n": newest}
    return json_response(body, here.db.seq())


@router.post("/api/admin/backup", status_code=201, response_model=wire.BackedUp, responses=problems(409))
async def backup(request: Request, given: wire.Backup) -> Response:
    """Copy the database into the home's folder `backups`."""
    here = services(request)
    name = check_name(given.name or time.strftime("state-%Y%m%d-%H%M%S.db", time.gmtime()), "backup")
    folder = os.path.join(here.settings.home, "backups")

    def work() -> dict[str, Any]:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, name)
        return {"path": path, "bytes": maintenance.backup(here.settings.db, path)}

    return json_response({"result": await asyncio.to_thread(work)}, here.db.seq(), status=201)


@router.get("/api/admin/database", response_model=wire.DatabaseStats, responses=problems())
async def database_stats(request: Request, sizes: bool = False) -> Response:
    """Sizes, rows per table, pragmas, how far behind the search index is, and what came in on the last days."""

    def work(conn: Connection) -> dict[str, Any]:
        return {"stats": maintenance.stats(conn, sizes=sizes), "growth": stats.growth(conn, time.time())}

    return json_response(*await asyncio.to_thread(services(request).db.read, work))


@router.get("/api/admin/imports", response_model=wire.ImportStatus, responses=problems())
async def import_status(request: Request) -> Response:
    """Where sessions came from, what lies on disk, how far it was brought in, and what is being brought in now."""
    here = services(request)

    def work(conn: Connection) -> dict[str, Any]:
        by_source, (n_shows, n_teams) = page_queries.sessions_by_source(conn), page_queries.shows_and_teams(conn)
        return {
            "sessions_by_source": by_source,
            "runs_imported": by_source.get("imported_fs", 0),
            "shows_imported": n_shows,
            "teams_imported": n_teams,
            "mirrored_files": page_queries.mirrored_files(conn),
            "mirrors": stats.mirrors(conn),
            "troubled": stats.troubled_files(conn),
        }

    def on_disk() -> dict[str, Any]:
        return {
            "runs_on_disk": _count(find_runs, here.settings.home),
            "shows_on_disk": _count(find_shows, here.settings.shows),
            "work": works_of(here),
        }

    found, seq = await asyncio.to_thread(here.db.read, work)
    return json_response(found | await asyncio.to_thread(on_disk), seq)


@router.get("/api/work", response_model=wire.Works, responses=problems())
async def list_work(request: Request) -> Response:
    """Imports and upgrades that go on now, in whichever process; it is told without the database."""
    body = {"work": await asyncio.to_thread(works_of, services(request))}
    return Response(encode_json(body), media_type=JSON)


@router.get("/api/admin/health", response_model=wire.HealthOverview, responses=problems())
async def get_health(request: Request) -> Response:
    """Everything that is marked running, by its health, with what says so."""
    return json_response(*await asyncio.to_thread(services(request).db.read, health_overview))


@router.get("/api/admin/logs", response_model=wire.Logs, responses=problems())
async def read_log(request: Request, lines: Annotated[int, Query(ge=1, le=1000)] = 200) -> Response:
    """The end of Studio's own log: who was refused and why, and what broke."""
    path = services(request).audit_log.path
    found = await asyncio.to_thread(_end_of, path, lines)
    return Response(encode_json({"lines": found}), media_type=JSON)


@router.get("/api/admin/settings", response_model=wire.SettingsShape, responses=problems())
async def get_settings(request: Request) -> Response:
    """Every setting with where it came from."""
    here = services(request)
    items = describe(here.settings)
    values, origins = ({item["name"]: item[key] for item in items} for key in ("value", "origin"))
    body = {"settings": values, "origins": origins, "items": items, "read_only": here.credentials.read_only}
    return Response(encode_json(body), media_type=JSON)


def works_of(here: Services) -> list[dict[str, Any]]:
    """What is noted in the home, and the opening of the database by this server itself."""
    found = [each._asdict() for each in list_progress(here.settings.home)]
    began = here.db.opening_since
    if began is not None:
        what = "Opening the database, upgraded first where it is of an older version"
        facts = {"pid": os.getpid(), "done": 0, "total": 0, "began_at": began, "told_at": time.time()}
        found.append({"id": "opening", "what": what, **facts})
    return found


def _with_writer(here: Services, work: Any) -> Any:
    """Upkeep takes a connection of its own: it is no transaction, and the server's writer goes on."""
    here.db.database()
    conn = open_writer(here.settings.db, create=False)
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


def _end_of(path: str, lines: int) -> list[str]:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_LOG))
            text = file.read(_MOST_LOG).decode("utf-8", "replace")
    except OSError:
        return []
    return text.splitlines()[-lines:]
