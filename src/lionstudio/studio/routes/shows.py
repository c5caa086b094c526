"""`/api/shows`: from the database, or from the folder where it has no rows; intents and verdicts always from disk."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import Busy, NotFound
from lionstudio.model.shows.show import Show as ShowRow
from lionstudio.state.connection import Connection
from lionstudio.state.runs.page_queries import play_counts, running_plays
from lionstudio.state.shows import list_shows
from lionstudio.studio.http.error_responses import error_response
from lionstudio.studio.http.responses import JSON, cacheable_response, encode_json, json_response
from lionstudio.studio.launch.launcher import read_output
from lionstudio.studio.launch.policy import show_argv
from lionstudio.studio.schemas import shows as wire
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.studio.views import plays, shows
from lionstudio.studio.views.show_folder import add_folder_facts
from lionstudio.system.filenames import check_name

router = APIRouter(tags=["shows"])
_MOST_SHOWS = 1000
_PATIENCE = 8.0  # seconds for an order that only leaves a word; one that runs a show goes on by itself
Number = Annotated[int | None, Query(ge=1, le=10_000)]


@router.get("/api/shows", response_model=wire.Shows, responses={304: {"description": "as before"}, **problems()})
async def get_shows(request: Request) -> Response:
    """Every show, the one that changed last first; those that are only on disk come after."""
    here = services(request)
    (rows, counts, running), seq = here.db.read(_with_counts)
    now = time.time()
    found = [shows.show_summary(show, counts.get(show.id, {}), running.get(show.id, ()), now) for show in rows]
    known = {show.topic for show in rows}
    found += await asyncio.to_thread(shows.summaries_from_folder, here.settings.shows, known)
    return cacheable_response(request, encode_json({"shows": found}), seq, evaluated_at=now)


@router.get("/api/shows/{topic}", response_model=wire.ShowView, responses=problems())
async def get_show(request: Request, topic: str) -> Response:
    """One show with its plays, what waits for what, its critical path and what is blocked by whom."""
    found, seq = await _show(services(request), topic)
    return json_response(found, seq)


@router.post(
    "/api/shows/{topic}/actions", status_code=201, response_model=wire.DecisionAccepted, responses=problems(409, 429)
)
async def order(request: Request, topic: str, given: wire.DecisionRequest) -> Response:
    """A person's word about a play (approve, reject, redo, escalate) or a show: `li show …` as a process of its own."""
    here = services(request)
    await _show(here, topic)
    words = show_argv(given.action.value, topic, given.play, given.feedback, given.granted())
    try:
        started = here.launcher.start_command(
            "show", given.action.value, words, options={"topic": topic, "play": given.play}
        )
    except Busy as error:
        return error_response(error, 429)
    here.audit_log.write("launched", id=started.id, verb="show", action=given.action.value)
    await asyncio.to_thread(here.launcher.wait, started, _PATIENCE)
    body = {"launch": started.to_dict(), "output": await asyncio.to_thread(read_output, started)}
    return Response(encode_json(body), 201, media_type=JSON)


@router.get("/api/shows/{topic}/plays/{name}", response_model=wire.PlayDetail, responses=problems())
async def get_play(request: Request, topic: str, name: str) -> Response:
    """One play with its intent and verdict as they lie in its folder."""
    found, play, seq = await _play(services(request), topic, name)
    facts = await asyncio.to_thread(plays.read_play_folder, found, name)
    return json_response({"topic": topic, "play": play, **facts}, seq)


@router.get("/api/shows/{topic}/plays/{name}/attempts", response_model=wire.Attempts, responses=problems())
async def get_attempts(request: Request, topic: str, name: str) -> Response:
    """Every try of a play side by side."""
    found, play, seq = await _play(services(request), topic, name)
    tried, errors = await asyncio.to_thread(plays.list_attempts, found, play)
    return json_response({"topic": topic, "play": name, "attempts": tried, "errors": errors}, seq)


@router.get("/api/shows/{topic}/plays/{name}/diff", response_model=wire.DiffView, responses=problems())
async def get_diff(request: Request, topic: str, name: str, attempt: Number = None, against: Number = None) -> Response:
    """What a play changed; with `attempt` what that one did, with `against` what it did otherwise than another."""
    found, play, seq = await _play(services(request), topic, name)
    told = await asyncio.to_thread(plays.diff_json, found, play, attempt, against)
    return json_response({"topic": topic, "play": name, **told}, seq)


def _with_counts(conn: Connection) -> tuple[list[ShowRow], dict[str, dict[str, int]], dict[str, list[str]]]:
    found = list_shows(conn, _MOST_SHOWS)
    ids = [show.id for show in found]
    return found, play_counts(conn, ids), running_plays(conn, ids)


async def _show(here: Services, topic: str) -> tuple[dict[str, Any], int]:
    check_name(topic, "topic")
    found, seq = here.db.read(lambda conn: shows.show_from_rows(conn, topic, time.time()))
    if found is None:
        return await asyncio.to_thread(shows.show_from_folder, here.settings.shows, topic), seq
    return await asyncio.to_thread(add_folder_facts, found, here.settings), seq


async def _play(here: Services, topic: str, name: str) -> tuple[dict[str, Any], dict[str, Any], int]:
    check_name(name, "play")
    found, seq = await _show(here, topic)
    play = next((each for each in found["plays"] if each["name"] == name), None)
    if play is None:
        raise NotFound(f"there is no play {name!r:.100} in {topic}", hint="`li show status TOPIC` lists its plays")
    return found, play, seq
