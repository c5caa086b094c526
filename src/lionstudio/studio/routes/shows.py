"""`/api/shows`: from the database, or from the folder where it has no rows; intents and verdicts always from disk."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.errors import LionError, NotFound
from lionstudio.files.documents import read_object
from lionstudio.files.names import check_name
from lionstudio.files.shows import META, MOST_BYTES, VERDICT
from lionstudio.model.shows import Show as ShowRow
from lionstudio.state.connection import Connection
from lionstudio.state.shows import list_shows
from lionstudio.state.summaries import play_counts
from lionstudio.studio import shows
from lionstudio.studio.answers import answer, cached, encoded
from lionstudio.studio.services import Services, services
from lionstudio.studio.wire.shared import problems
from lionstudio.studio.wire.shows import PlayDetail, Show, Shows

router = APIRouter(tags=["shows"])
_MOST_SHOWS = 1000


@router.get("/api/shows", response_model=Shows, responses={304: {"description": "as before"}, **problems()})
async def get_shows(request: Request) -> Response:
    """Every show, the one that changed last first; those that are only on disk come after."""
    here = services(request)
    (rows, counts), seq = here.store.read(_with_counts)
    found = [shows.listed(show, counts.get(show.id, {})) for show in rows]
    known = {show.topic for show in rows}
    found += await asyncio.to_thread(shows.listed_from_disk, here.settings.shows, known)
    return cached(request, encoded({"shows": found}), seq)


@router.get("/api/shows/{topic}", response_model=Show, responses=problems())
async def get_show(request: Request, topic: str) -> Response:
    """One show with its plays, its critical path and what is blocked by whom."""
    found, seq = await _show(services(request), topic)
    return answer(found, seq)


@router.get("/api/shows/{topic}/plays/{name}", response_model=PlayDetail, responses=problems())
async def get_play(request: Request, topic: str, name: str) -> Response:
    """One play with its intent and verdict as they lie in its folder."""
    check_name(name, "play")
    found, seq = await _show(services(request), topic)
    play = next((each for each in found["plays"] if each["name"] == name), None)
    if play is None:
        raise NotFound(f"there is no play {name!r:.100} in {topic}", hint="`li show status TOPIC` lists its plays")
    facts = await asyncio.to_thread(_folder_of_play, found["path"], name)
    return answer({"topic": topic, "play": play, **facts}, seq)


def _with_counts(conn: Connection) -> tuple[list[ShowRow], dict[str, dict[str, int]]]:
    found = list_shows(conn, _MOST_SHOWS)
    return found, play_counts(conn, (show.id for show in found))


async def _show(here: Services, topic: str) -> tuple[dict[str, Any], int]:
    check_name(topic, "topic")
    found, seq = here.store.read(lambda conn: shows.show_of_rows(conn, topic, time.time()))
    if found is None:
        return await asyncio.to_thread(shows.show_of_folder, here.settings.shows, topic), seq
    found["show_md"] = await asyncio.to_thread(shows.plan_text, found["path"], found["path"])
    return found, seq


def _folder_of_play(show_dir: str, name: str) -> dict[str, Any]:
    folder = os.path.join(show_dir, name)
    errors: list[str] = []
    intent, wrong = shows.text_in(os.path.join(folder, "_intent.md"), show_dir)
    errors += [wrong] if wrong else []
    return {
        "intent": intent,
        "raw_meta": _object(os.path.join(folder, META), show_dir, errors),
        "raw_verdict": _object(os.path.join(folder, VERDICT), show_dir, errors),
        "errors": errors,
    }


def _object(path: str, root: str, errors: list[str]) -> dict[str, Any] | None:
    if not os.path.lexists(path):
        return None
    try:
        return read_object(path, most=MOST_BYTES, root=root)
    except LionError as error:
        errors.append(error.message)
        return None
