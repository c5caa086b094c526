"""Record what an agent tried to decide, where every server and command sees it."""

from __future__ import annotations

from collections.abc import Sequence

from lionstudio.runs.callers.caller import sessions_in
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.refusals import Refusal, add_refusal
from lionstudio.state.runs.active_owners import RunningOwner, list_agent_owners
from lionstudio.system.callers.ancestry import AncestorProcess

_UNKNOWN = "an agent without a recorded session"


def record_refusal(conn: Connection, chain: Sequence[AncestorProcess], action: str, reason: str) -> None:
    """Count a refused decision for the agent in the chain of the caller's processes."""
    sessions = sessions_in(chain, list_agent_owners(conn))
    add_refusal(conn, _refusal(sessions, action, reason))


def _refusal(sessions: Sequence[RunningOwner], action: str, reason: str) -> Refusal:
    if not sessions:
        return Refusal(_UNKNOWN, action, reason)
    session = sessions[0]
    name = f"{session.topic} / {session.play}" if session.topic else session.agent or _UNKNOWN
    return Refusal(name, action, reason, session.id)
