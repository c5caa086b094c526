"""`/api/teams`: read teams, and write to them; the file first and then the row, as everywhere."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.files.teams.team_json import is_for
from lionstudio.model.status.computed_state import team_state
from lionstudio.model.teams import TeamMessage
from lionstudio.state.runs.page_queries import session_names
from lionstudio.state.teams import sessions_of_team
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import teams as wire
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.system.filenames import check_name
from lionstudio.teams.service import Conversation, Listed, Teams, open_teams

router = APIRouter(tags=["teams"])


@router.get("/api/teams", response_model=wire.TeamList, responses={304: {"description": "as before"}, **problems()})
async def list_teams(request: Request) -> Response:
    """Every team, the one that was used last first; a file that cannot be used is an entry that says why."""
    here = services(request)
    seq = here.db.seq()
    found = await asyncio.to_thread(lambda: _teams(here).list_all())
    now = time.time()
    return cacheable_response(
        request, encode_json({"teams": [_listed(each, now) for each in found]}), seq, evaluated_at=now
    )


@router.get("/api/teams/{team_id}", response_model=wire.TeamDetail, responses=problems())
async def get_team(request: Request, team_id: str) -> Response:
    """One team by its id or name."""
    here = services(request)
    check_name(team_id, "team")
    found = await asyncio.to_thread(lambda: _teams(here).get(team_id))
    named, seq = here.db.read(lambda conn: session_names(conn, sessions_of_team(conn, found.team.id)))
    listed = _listed(Listed(found.team.name, found.team, len(found.messages), found.path), time.time())
    linked = [{"id": id_, "name": name} for id_, name in sorted(named.items())]
    return json_response({"team": listed, "sessions": sorted(named), "linked": linked, "unread": _unread(found)}, seq)


@router.get("/api/teams/{team_id}/messages", response_model=wire.TeamMessages, responses=problems())
async def list_team_messages(
    request: Request, team_id: str, limit: Annotated[int, Query(ge=1, le=1000)] = 200
) -> Response:
    """The newest messages, in order."""
    here = services(request)
    check_name(team_id, "team")
    seq = here.db.seq()
    found = await asyncio.to_thread(lambda: _teams(here).get(team_id))
    shown = found.messages[-limit:]
    return json_response({"messages": [_message(each) for each in shown], "has_more": len(found.messages) > limit}, seq)


@router.post("/api/teams/{team_id}/messages", status_code=201, response_model=wire.Sent, responses=problems(409))
async def send_team_message(request: Request, team_id: str, given: wire.NewTeamMessage) -> Response:
    """Write to a member, to some, or to all."""
    here = services(request)
    check_name(team_id, "team")

    def send() -> tuple[dict[str, Any], str | None]:
        done = _teams(here, writing=True).send(
            team_id, given.text, sender=given.sender, to=given.to, session_id=given.session_id
        )
        return _message(done.messages[0]), None if done.unstored is None else done.unstored.message

    message, unstored = await asyncio.to_thread(send)
    return json_response({"message": message, "unstored": unstored}, here.db.seq(), status=201)


def _teams(here: Services, *, writing: bool = False) -> Teams:
    return open_teams(here.settings, here.db.database() if writing else here.db.find_database())


def _listed(each: Listed, now: float) -> dict[str, Any]:
    team = each.team
    return {
        "id": None if team is None else team.id,
        "name": each.name,
        "status": None if team is None else str(team.status),
        "members": [] if team is None else list(team.members),
        "member_count": 0 if team is None else len(team.members),
        "message_count": each.messages,
        "created_at": None if team is None else team.created_at,
        "updated_at": None if team is None else team.updated_at,
        "path": each.path,
        "error": each.error,
        "state": None if team is None else team_state(team.to_dict(), now=now).to_dict(),
    }


def _message(message: TeamMessage) -> dict[str, Any]:
    return message.to_dict("json")


def _unread(found: Conversation) -> dict[str, int]:
    return {
        member: sum(is_for(message, member) and member not in message.read_by for message in found.messages)
        for member in found.team.members
    }
