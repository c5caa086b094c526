"""`/api/teams`: read and change teams, send messages; the file is written before the row."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from lionstudio.files.teams.team_json import is_for
from lionstudio.model.status.computed_state import team_state
from lionstudio.model.status.statuses import SESSIONS, TeamStatus, row_of
from lionstudio.state.connection import Connection
from lionstudio.state.runs.page_queries import session_names
from lionstudio.state.teams import MemberSession, list_member_sessions, sessions_of_team
from lionstudio.studio.http.lazy_routes import LazyRouter
from lionstudio.studio.http.responses import cacheable_response, encode_json, json_response
from lionstudio.studio.schemas import teams as schemas
from lionstudio.studio.schemas.shared import problems
from lionstudio.studio.services import Services, services
from lionstudio.system.filenames import check_name
from lionstudio.teams.service import Conversation, TeamEntry, Teams, TeamWrite, open_teams

router = LazyRouter(tags=["teams"])


@router.get("/api/teams", response_model=schemas.TeamList, responses={304: {"description": "as before"}, **problems()})
async def list_teams(request: Request) -> Response:
    """List teams, most recently used first; an invalid file has an `error`."""
    app = services(request)
    seq = app.db.seq()
    teams = await asyncio.to_thread(lambda: _teams(app).list_all())
    now = time.time()
    return cacheable_response(
        request, encode_json({"teams": [_team_json(team, now) for team in teams]}), seq, evaluated_at=now
    )


@router.get("/api/teams/{team_id}", response_model=schemas.TeamDetail, responses=problems())
async def get_team(request: Request, team_id: str) -> Response:
    """Get a team by its id or name."""
    app = services(request)
    check_name(team_id, "team")
    conversation = await asyncio.to_thread(lambda: _teams(app).get(team_id))

    def work(conn: Connection) -> tuple[list[MemberSession], dict[str, str]]:
        members = list_member_sessions(conn, conversation.team.id)
        ids = [run.id for run in members] + sessions_of_team(conn, conversation.team.id)
        return members, session_names(conn, ids)

    (members, names), seq = app.db.read(work)
    team = _team_json(
        TeamEntry(conversation.team.name, conversation.team, len(conversation.messages), conversation.path), time.time()
    )
    linked = [
        {"id": run.id, "name": names.get(run.id), "member": run.member, "state": _run_state(run.status)}
        for run in members
    ]
    started = {run.id for run in members}
    linked += [{"id": id_, "name": name} for id_, name in sorted(names.items()) if id_ not in started]
    return json_response(
        {"team": team, "sessions": sorted(names), "linked": linked, "unread": _unread(conversation)}, seq
    )


@router.get("/api/teams/{team_id}/messages", response_model=schemas.TeamMessages, responses=problems())
async def list_team_messages(
    request: Request, team_id: str, limit: Annotated[int, Query(ge=1, le=1000)] = 200
) -> Response:
    """List the newest messages, in order."""
    app = services(request)
    check_name(team_id, "team")
    seq = app.db.seq()
    conversation = await asyncio.to_thread(lambda: _teams(app).get(team_id))
    messages = [message.to_dict("json") for message in conversation.messages[-limit:]]
    return json_response({"messages": messages, "has_more": len(conversation.messages) > limit}, seq)


@router.post("/api/teams/{team_id}/messages", status_code=201, response_model=schemas.Sent, responses=problems(409))
async def send_team_message(request: Request, team_id: str, payload: schemas.NewTeamMessage) -> Response:
    """Send a message to some members, or to all."""
    app = services(request)
    check_name(team_id, "team")

    def send() -> tuple[dict[str, Any], str | None]:
        sent = _teams(app, writing=True).send(
            team_id, payload.text, sender=payload.sender, to=payload.to, session_id=payload.session_id
        )
        return sent.messages[0].to_dict("json"), None if sent.unstored is None else sent.unstored.message

    message, unstored = await asyncio.to_thread(send)
    return json_response({"message": message, "unstored": unstored}, app.db.seq(), status=201)


@router.post("/api/teams", status_code=201, response_model=schemas.ChangedTeam, responses=problems(409))
async def create_team(request: Request, payload: schemas.NewTeam) -> Response:
    """Create a team with its members."""
    return await _change(request, lambda teams: teams.create(payload.name, payload.members), status=201)


@router.post("/api/teams/{team_id}/members", response_model=schemas.ChangedTeam, responses=problems(409))
async def add_team_members(request: Request, team_id: str, payload: schemas.NewMembers) -> Response:
    """Add members to a team; those that it has stay."""
    check_name(team_id, "team")
    return await _change(request, lambda teams: teams.add_members(team_id, payload.members))


@router.post("/api/teams/{team_id}/archive", response_model=schemas.ChangedTeam, responses=problems(409))
async def archive_team(request: Request, team_id: str) -> Response:
    """Make a team read-only; nothing is deleted."""
    check_name(team_id, "team")
    return await _change(request, lambda teams: teams.move(team_id, TeamStatus.ARCHIVED))


@router.delete("/api/teams/{team_id}/archive", response_model=schemas.ChangedTeam, responses=problems(409))
async def reopen_team(request: Request, team_id: str) -> Response:
    """Reactivate an archived team."""
    check_name(team_id, "team")
    return await _change(request, lambda teams: teams.move(team_id, TeamStatus.ACTIVE))


async def _change(request: Request, change: Callable[[Teams], TeamWrite], *, status: int = 200) -> Response:
    app = services(request)

    def work() -> tuple[dict[str, Any], str | None]:
        teams = _teams(app, writing=True)
        written = change(teams)
        conversation = teams.get(written.team.id)
        entry = TeamEntry(written.team.name, written.team, len(conversation.messages), conversation.path)
        return _team_json(entry, time.time()), None if written.unstored is None else written.unstored.message

    team, unstored = await asyncio.to_thread(work)
    return json_response({"team": team, "unstored": unstored}, app.db.seq(), status=status)


def _run_state(status: str | None) -> dict[str, str] | None:
    if status is None:
        return None
    row = row_of(SESSIONS, status)
    return {"status": status, "label": row.label, "tone": row.tone, "icon": row.icon}


def _teams(app: Services, *, writing: bool = False) -> Teams:
    return open_teams(app.settings, app.db.database() if writing else app.db.find_database())


def _team_json(listed: TeamEntry, now: float) -> dict[str, Any]:
    team = listed.team
    return {
        "id": None if team is None else team.id,
        "name": listed.name,
        "status": None if team is None else str(team.status),
        "members": [] if team is None else list(team.members),
        "member_count": 0 if team is None else len(team.members),
        "message_count": listed.messages,
        "created_at": None if team is None else team.created_at,
        "updated_at": None if team is None else team.updated_at,
        "path": listed.path,
        "error": listed.error,
        "state": None if team is None else team_state(team.to_dict(), now=now).to_dict(),
    }


def _unread(conversation: Conversation) -> dict[str, int]:
    return {
        member: sum(is_for(message, member) and member not in message.read_by for message in conversation.messages)
        for member in conversation.team.members
    }
