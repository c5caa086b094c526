"""`/api/shows`: from the database, or from the folder of a show without rows; intents and verdicts from disk."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import Busy, Conflict, NotFound
from lionstudio.state.show_activity import list_show_questions
from lionstudio.state.shows import list_shows
from lionstudio.studio.http.caller import ORIGIN
from lionstudio.studio.http.error_responses import error_response
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import JSON, cacheable_response, encode_json, json_response
from lionstudio.studio.launch.launcher import DECISION_SECONDS, read_output
from lionstudio.studio.launch.policy import show_argv
from lionstudio.studio.schemas import shows as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.studio.views import plays, shows
from lionstudio.studio.views.show_decisions import list_entries
from lionstudio.studio.views.show_folder import add_folder_facts
from lionstudio.studio.views.show_timeline import show_timeline
from lionstudio.system.filenames import check_name

router = LazyRouter(tags=["shows"])
_MOST_SHOWS = 1000
Number = Annotated[int | None, Query(ge=1, le=10_000)]


@router.get("/api/shows", response_model=schemas.Shows, responses={304: {"description": "as before"}, **problems()})
async def get_shows(request: Request) -> Response:
    """List shows, most recently changed first; shows that are only on disk come last."""
    app = services(request)
    now = time.time()
    summaries, seq = app.db.read(lambda conn: shows.show_summaries(conn, list_shows(conn, _MOST_SHOWS), now))
    topics = {show["topic"] for show in summaries}
    summaries += await asyncio.to_thread(shows.summaries_from_folder, app.settings.shows, topics)
    return cacheable_response(request, encode_json({"shows": summaries}), seq, evaluated_at=now)


@router.get("/api/shows/{topic}", response_model=schemas.ShowView, responses=problems())
async def get_show(request: Request, topic: str) -> Response:
    """Get a show with its plays, dependencies, critical path and blocked plays."""
    show, seq = await _show(services(request), topic)
    return json_response(show, seq)


@router.post(
    "/api/shows/{topic}/actions", status_code=201, response_model=schemas.DecisionAccepted, responses=problems(409, 429)
)
async def order(request: Request, topic: str, payload: schemas.DecisionRequest) -> Response:
    """Run `li show …` as a process: a decision about a play, or an action on the show."""
    app = services(request)
    show, _ = await _show(app, topic)
    shown = payload.shown()
    argv = show_argv(payload.action.value, topic, payload.play, payload.feedback, payload.granted(), shown)
    _check_shown(show, payload, shown)
    try:
        started = app.launcher.start_command(
            "show",
            payload.action.value,
            argv,
            options={"topic": topic, "play": payload.play},
            origin=request.scope.get(ORIGIN),
        )
    except Busy as error:
        return error_response(error, 429)
    app.audit_log.write("launched", id=started.id, verb="show", action=payload.action.value)
    await asyncio.to_thread(app.launcher.wait, started, DECISION_SECONDS)
    if started.process.poll():
        _check_shown((await _show(app, topic))[0], payload, shown)  # it changed after the first check
    body = {"launch": started.to_dict(), "output": await asyncio.to_thread(read_output, started)}
    return Response(encode_json(body), 201, media_type=JSON)


@router.get("/api/shows/{topic}/plays/{name}", response_model=schemas.PlayDetail, responses=problems())
async def get_play(request: Request, topic: str, name: str) -> Response:
    """Get a play with the intent and verdict in its folder."""
    show, play, seq = await _play(services(request), topic, name)
    folder = await asyncio.to_thread(plays.read_play_folder, show, play)
    transitions, _ = services(request).db.read(lambda conn: shows.play_transitions(conn, topic, name))
    return json_response({"topic": topic, "play": play, **folder, "transitions": transitions}, seq)


@router.get("/api/shows/{topic}/plays/{name}/attempts", response_model=schemas.Attempts, responses=problems())
async def get_attempts(request: Request, topic: str, name: str) -> Response:
    """List the attempts of a play."""
    show, play, seq = await _play(services(request), topic, name)
    attempts, errors = await asyncio.to_thread(plays.list_attempts, show, play)
    return json_response({"topic": topic, "play": name, "attempts": attempts, "errors": errors}, seq)


@router.get("/api/shows/{topic}/plays/{name}/diff", response_model=schemas.DiffView, responses=problems())
async def get_diff(request: Request, topic: str, name: str, attempt: Number = None, against: Number = None) -> Response:
    """Get the diff of a play, of one `attempt`, or of an attempt `against` another."""
    show, play, seq = await _play(services(request), topic, name)
    diff = await asyncio.to_thread(plays.diff_json, show, play, attempt, against)
    return json_response({"topic": topic, "play": name, **diff}, seq)


@router.get("/api/shows/{topic}/timeline", response_model=schemas.ShowTimeline, responses=problems())
async def get_timeline(request: Request, topic: str) -> Response:
    """Get the attempts of every play with the times of their agents, gates and waits."""
    app = services(request)
    await _show(app, topic)
    bars, seq = app.db.read(lambda conn: show_timeline(conn, topic))
    return json_response({"topic": topic, "plays": bars}, seq)


@router.get("/api/shows/{topic}/decisions", response_model=schemas.Decisions, responses=problems())
async def get_decisions(request: Request, topic: str) -> Response:
    """List who decided what, when and from where, newest first."""
    app = services(request)
    show, _ = await _show(app, topic)
    answers, seq = app.db.read(lambda conn: list_show_questions(conn, topic))
    entries = await asyncio.to_thread(list_entries, show, answers)
    return json_response({"topic": topic, "decisions": entries}, seq)


@router.get("/api/shows/{topic}/changes", response_model=schemas.ShowChanges, responses=problems())
async def get_changes(request: Request, topic: str) -> Response:
    """Count the changed files and lines of each play."""
    show, seq = await _show(services(request), topic)
    return json_response({"topic": topic, "plays": await asyncio.to_thread(plays.count_changes, show)}, seq)


async def _show(app: Services, topic: str) -> tuple[dict[str, Any], int]:
    check_name(topic, "topic")
    show, seq = app.db.read(lambda conn: shows.show_from_rows(conn, topic, time.time()))
    if show is None:
        return await asyncio.to_thread(shows.show_from_folder, app.settings.shows, topic), seq
    return await asyncio.to_thread(add_folder_facts, show, app.settings), seq


def _check_shown(show: dict[str, Any], payload: schemas.DecisionRequest, shown: dict[str, Any]) -> None:
    """Refuse early, with a 409, what `li show` refuses because its subject is another one by now."""
    if payload.play is not None:
        deeds: list[dict[str, Any]] = next(
            (play["deeds"] for play in show["plays"] if play["name"] == payload.play), []
        )
        changed = any(shown[name] != deeds[0]["subject"].get(name) for name in shown) if deeds else False
    else:
        held = (show.get("held_back") or {}) if payload.decides_held_back else {}
        changed = shown.get("plan") != held.get("plan") or {*shown.get("commits", ())} != {*held.get("commits", ())}
    if changed:
        topic = show["topic"]
        raise Conflict(f"{payload.play or topic} changed since you saw it: look again", hint=f"li show status {topic}")


async def _play(app: Services, topic: str, name: str) -> tuple[dict[str, Any], dict[str, Any], int]:
    check_name(name, "play")
    show, seq = await _show(app, topic)
    play = next((play for play in show["plays"] if play["name"] == name), None)
    if play is None:
        raise NotFound(f"{topic} has no play {name!r:.100}", hint=f"li show status {topic}")
    return show, play, seq
