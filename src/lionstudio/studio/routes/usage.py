"""`/api/usage`: sums of tokens, money and time, as JSON and as comma-separated values."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.model.reports.calendar import DAY, zone_of
from lionstudio.model.reports.csv_rows import to_csv
from lionstudio.model.usage import UsageSum
from lionstudio.state.connection import Connection
from lionstudio.state.usage.sums import UsageScope, sum_usage
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import usage as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import services
from lionstudio.studio.views.usage import budget_of, usage_report

router = LazyRouter(tags=["usage"])
Text = Annotated[str | None, Query(max_length=200)]
Moment = Annotated[float | None, Query(ge=-1e11, le=1e11, allow_inf_nan=False, description="unix seconds")]


def scope(
    since: Moment = None,
    until: Moment = None,
    model: Text = None,
    project: Text = None,
    agent: Text = None,
    show: Text = None,
    source: Text = None,
) -> UsageScope:
    """The range (default: the last 7 days), and filters on columns."""
    end = time.time() if until is None else until
    return UsageScope(end - 7 * DAY if since is None else since, end, model, project, agent, show, source)


Filter = Annotated[UsageScope, Depends(scope)]
TimeZone = Annotated[str | None, Query(max_length=100, description="a name such as Europe/Berlin (default: ours)")]


@router.get(
    "/api/usage", response_model=schemas.UsageReport, responses={304: {"description": "as before"}, **problems()}
)
async def get_usage(
    request: Request,
    scope: Filter,
    by: schemas.UsageTime = schemas.UsageTime.DAY,
    stack: schemas.UsageName | None = None,
    measure: schemas.UsageMeasure = schemas.UsageMeasure.USAGE,
    timezone: TimeZone = None,
) -> Response:
    """Sum tokens and money, the duration of runs, or the time that questions waited for a person."""
    app, zone = services(request), zone_of(timezone)
    now = time.time()

    def work(conn: Connection) -> bytes:
        report = usage_report(
            conn,
            scope,
            by=by.value,
            stack=stack and stack.value,
            measure=measure.value,
            zone=zone,
            timezone=timezone or "local",
            now=now,
        )
        return encode_json(report | {"budget": budget_of(conn, app.settings.usage_budget_usd, now, zone)})

    return cacheable_response(request, *await asyncio.to_thread(app.db.read, work))


@router.get("/api/usage/sums", response_model=schemas.UsageSums, responses=problems())
async def get_usage_sums(
    request: Request,
    since: Annotated[list[Annotated[float, Query(ge=-1e11, le=1e11, allow_inf_nan=False)]], Query(max_length=4)],
) -> Response:
    """Sum tokens and money since each of up to four moments."""

    def work(conn: Connection) -> list[dict[str, Any]]:
        return [_sum_since(conn, at) for at in since]

    sums, seq = await asyncio.to_thread(services(request).db.read, work)
    return json_response({"sums": sums}, seq)


def _sum_since(conn: Connection, since: float) -> dict[str, Any]:
    lines = sum_usage(conn, UsageScope(since=since), by=None, stack=None, zone=zone_of("UTC"))
    line = lines[0] if lines else None
    usage = UsageSum() if line is None else line.usage
    return {"since": since, "usage": usage.to_dict(), "runs": 0 if line is None else line.runs}


@router.get(
    "/api/usage.csv",
    response_class=Response,
    responses={200: {"description": "CSV", "content": {"text/csv": {}}}, **problems()},
)
async def download_usage(
    request: Request,
    scope: Filter,
    by: schemas.UsageTime = schemas.UsageTime.DAY,
    stack: schemas.UsageName = schemas.UsageName.MODEL,
    measure: schemas.UsageMeasure = schemas.UsageMeasure.USAGE,
    timezone: TimeZone = None,
) -> Response:
    """Download the same sums, a line for each time and name."""
    zone, now = zone_of(timezone), time.time()

    def work(conn: Connection) -> dict[str, Any]:
        options = {"by": by.value, "stack": stack.value, "measure": measure.value}
        return usage_report(conn, scope, **options, zone=zone, timezone=timezone or "local", now=now)

    report, _ = await asyncio.to_thread(services(request).db.read, work)
    rows = [
        {by.value: bucket["label"], stack.value: "other" if part["name"] is None else part["name"] or "unknown"}
        | (part["usage"] or {"seconds": part["seconds"]})
        | {"runs": part["runs"]}
        for bucket in report["buckets"]
        for part in bucket["parts"]
    ]
    headers = {"Content-Disposition": f'attachment; filename="usage-by-{by.value}-and-{stack.value}.csv"'}
    return Response(to_csv(rows), headers=headers, media_type="text/csv; charset=utf-8")
