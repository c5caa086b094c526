"""Team messages to running members: each becomes a message in the inbox of the member's session.

The receipt is that of any message to a running agent: its place in the session. The member has then read it.
"""

from __future__ import annotations

import uuid

from lionstudio.agents.dialog import MAX_TEXT, deliveries_of, quoted
from lionstudio.files.teams.team_json import is_for
from lionstudio.model.messages import Instruction
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.mailboxes import find_taken, send
from lionstudio.state.sessions import get_session
from lionstudio.state.teams import list_running_members
from lionstudio.state.upkeep.liveness import proof_of

TEAM, MEMBER, TEAM_MESSAGE = "team", "member", "team_message"  # keys in the metadata of sessions and messages
_NAMESPACE = uuid.UUID("0d8a8f9e-6f0b-5f4e-8b1c-6a7d1f2c9e55")  # never change it: messages would be delivered again


def delivery_id(message_id: str, member: str) -> str:
    """The id of a team message in the inbox of a member: delivered twice is delivered once."""
    made = uuid.uuid5(_NAMESPACE, f"{message_id}|{member}")
    return str(uuid.UUID(bytes=made.bytes, version=4))  # version 5 is for records of transcripts


def deliver(conn: Connection, team: Team, message: TeamMessage) -> None:
    """Queue a message for its recipients that run now and can take it; the others find it in the team."""
    text = f"{message.sender} wrote to {message.recipient} in the team {team.name}:\n{quoted(message.content)}"
    if len(text) > MAX_TEXT:
        return
    for member, session_id in list_running_members(conn, team.id).items():
        if not is_for(message, member) or member in message.read_by:
            continue
        session = get_session(conn, session_id)
        offered = deliveries_of(session)
        if not offered or proof_of(session.to_dict()).answer == "dead":
            continue
        queued = Instruction(
            id=delivery_id(message.id, member),
            created_at=message.created_at,
            content={"instruction": text},
            sender=f"{team.name}/{message.sender}",
            recipient=session_id,
            metadata={"delivery": str(offered[0]), TEAM: team.id, TEAM_MESSAGE: message.id, MEMBER: member},
        )
        send(conn, queued)


def was_taken(conn: Connection, message: TeamMessage, member: str) -> bool:
    """Whether a run of the member has this message, although its team may not know yet."""
    return find_taken(conn, delivery_id(message.id, member)) is not None
