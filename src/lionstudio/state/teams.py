"""Teams and their messages: the rows of the JSON files (ADR-0019 A)."""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

from lionstudio.errors import Conflict, NotFound
from lionstudio.model.ids import check_id
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.status.statuses import TEAM_TRANSITIONS, TeamStatus, check_transition, parse
from lionstudio.model.teams import Team, TeamMessage, summarize
from lionstudio.state.connection import Connection
from lionstudio.state.row_values import validate_row

_PUT = """
INSERT INTO teams (id, name, created_at, updated_at, member_count, members, node_metadata, status)
VALUES (:id, :name, :created_at, :updated_at, :member_count, :members, :node_metadata, :status)
ON CONFLICT (id) DO UPDATE SET
  name = excluded.name, updated_at = excluded.updated_at, member_count = excluded.member_count,
  members = excluded.members, node_metadata = excluded.node_metadata, status = excluded.status
"""
_GET = "SELECT * FROM teams WHERE id = :key OR name = :key ORDER BY id = :key DESC, created_at DESC LIMIT 1"
_LIST = "SELECT * FROM teams ORDER BY updated_at DESC, id LIMIT :limit"


def put_team(conn: Connection, team: Team) -> Team:
    """Insert or update a team."""
    row = {
        "id": check_id(team.id, "team id"),
        "name": team.name,
        "created_at": float(team.created_at),
        "updated_at": team.updated_at if team.updated_at is not None else team.created_at,
        "member_count": len(team.members),
        "members": dump(list(team.members), "members"),
        "node_metadata": dump(dict(team.metadata), "metadata") if team.metadata else None,
        "status": parse(TeamStatus, team.status, "team status"),
    }
    conn.execute(_PUT, validate_row(row))
    return get_team(conn, team.id)


def find_team(conn: Connection, key: str) -> Team | None:
    """One team by id, or the newest with a name."""
    row = conn.first_dict(_GET, {"key": key})
    return None if row is None else _team(row)


def get_team(conn: Connection, key: str) -> Team:
    team = find_team(conn, key)
    if team is None:
        raise NotFound(f"team {key!r:.100} not found", hint="li team ls")
    return team


def list_teams(conn: Connection, limit: int = 100) -> list[Team]:
    """Teams, most recently used first."""
    return [_team(row) for row in conn.dicts(_LIST, {"limit": limit})]


_SET_STATUS = "UPDATE teams SET status = :status, updated_at = :at WHERE id = :id"


def transition_team(conn: Connection, team_id: str, status: TeamStatus | str) -> None:
    """Archive or restore a team."""
    target, team = parse(TeamStatus, status, "team status"), get_team(conn, team_id)
    check_transition(TEAM_TRANSITIONS, team.status, target, f"team {team.name}")
    conn.execute(_SET_STATUS, {"id": team.id, "status": target, "at": time.time()})


_PUT_MESSAGE = """
INSERT INTO team_messages (id, team_id, created_at, sender, recipient, content, summary, read_by, session_id,
                           node_metadata)
VALUES (:id, :team_id, :created_at, :sender, :recipient, :content, :summary, :read_by, :session_id, :node_metadata)
ON CONFLICT (id) DO UPDATE SET
  created_at = excluded.created_at, sender = excluded.sender, recipient = excluded.recipient,
  content = excluded.content, summary = excluded.summary, read_by = excluded.read_by,
  session_id = coalesce(excluded.session_id, team_messages.session_id), node_metadata = excluded.node_metadata
 WHERE team_messages.team_id = excluded.team_id
RETURNING id
"""
_TOUCH = "UPDATE teams SET updated_at = max(updated_at, :at) WHERE id = :id RETURNING id"


def put_team_message(conn: Connection, message: TeamMessage) -> None:
    """Insert or update a team message; its file is the truth."""
    row = validate_row(
        {
            "id": check_id(message.id, "message id"),
            "team_id": message.team_id,
            "created_at": float(message.created_at),
            "sender": message.sender,
            "recipient": message.recipient,
            "content": message.content,
            "summary": message.summary or summarize(message.content) or None,
            "read_by": dump(list(message.read_by), "read_by"),
            "session_id": message.session_id,
            "node_metadata": dump(dict(message.metadata), "metadata") if message.metadata else None,
        }
    )
    if conn.one(_TOUCH, {"id": row["team_id"], "at": row["created_at"]}) is None:
        raise NotFound(f"team {message.team_id!r:.100} not found", hint="li team create NAME --members A,B")
    if conn.one(_PUT_MESSAGE, row) is None:
        raise Conflict(f"message {message.id} belongs to another team", hint="give the message its own id")


_MESSAGES = """
SELECT * FROM team_messages WHERE team_id = :team AND (created_at, id) > (:after_at, :after_id)
 ORDER BY created_at, id LIMIT :limit
"""


def team_messages(
    conn: Connection, team_id: str, *, after: tuple[float, str] = (-math.inf, ""), limit: int = 100
) -> list[TeamMessage]:
    params = {"team": team_id, "after_at": after[0], "after_id": after[1], "limit": limit}
    return [_message(row) for row in conn.dicts(_MESSAGES, params)]


_MESSAGE = "SELECT * FROM team_messages WHERE id = :id"
_COUNTS = "SELECT team_id, count(*) FROM team_messages GROUP BY team_id"


def find_team_message(conn: Connection, message_id: str) -> TeamMessage | None:
    row = conn.first_dict(_MESSAGE, {"id": message_id})
    return None if row is None else _message(row)


def message_counts(conn: Connection) -> dict[str, int]:
    """The number of messages by team; teams without messages are left out."""
    return {row[0]: row[1] for row in conn.all(_COUNTS)}


_SESSIONS = """
SELECT DISTINCT session_id FROM team_messages WHERE team_id = :team AND session_id IS NOT NULL ORDER BY session_id
"""


def sessions_of_team(conn: Connection, team_id: str) -> list[str]:
    """The sessions that sent messages to a team."""
    return [row[0] for row in conn.all(_SESSIONS, {"team": team_id})]


# among the newest sessions: the name of the team is in the metadata, which has no index
_MEMBER_SESSIONS = """
SELECT id, node_metadata ->> '$.member', status, created_at FROM (
  SELECT id, status, created_at, node_metadata FROM sessions ORDER BY created_at DESC LIMIT 2000) s
 WHERE CASE WHEN json_valid(node_metadata) THEN node_metadata ->> '$.team' END = :team
"""


class MemberSession(NamedTuple):
    """A run that was started as a member of a team."""

    id: str
    member: str | None
    status: str | None
    created_at: float


def list_member_sessions(conn: Connection, team_id: str) -> list[MemberSession]:
    """The newest runs of the members of a team (`--team-mode`), newest first."""
    return [MemberSession(*row) for row in conn.all(_MEMBER_SESSIONS, {"team": team_id})]


_RUNNING_MEMBERS = """
SELECT node_metadata ->> '$.member', id FROM sessions
 WHERE status = 'running' AND CASE WHEN json_valid(node_metadata) THEN node_metadata ->> '$.team' END = :team
 ORDER BY created_at, pk
"""


def list_running_members(conn: Connection, team_id: str) -> dict[str, str]:
    """The members of a team that run now, each with its session; of several runs of one member, the newest."""
    return {str(member): session_id for member, session_id in conn.all(_RUNNING_MEMBERS, {"team": team_id}) if member}


def _team(row: dict[str, Any]) -> Team:
    del row["member_count"]  # the length of members, for other readers of the table
    return Team.from_dict(_parsed(row, "members"))


def _message(row: dict[str, Any]) -> TeamMessage:
    return TeamMessage.from_dict(_parsed(row, "read_by"))


def _parsed(row: dict[str, Any], names: str) -> dict[str, Any]:
    metadata, listed = load_or_keep(row["node_metadata"]) or {}, load_or_keep(row[names])
    return row | {
        "node_metadata": metadata if isinstance(metadata, dict) else {"unreadable": metadata},
        names: listed if isinstance(listed, list) else [],
    }
