"""The sender of a message: the person at the terminal, or the agent whose process runs the command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from lionstudio.cli._person import log_refusal, running_owners
from lionstudio.cli._toolkit import db_access
from lionstudio.errors import InvalidInput, LionError
from lionstudio.runs.callers.caller import check_person, sessions_in, this_process
from lionstudio.state.runs.active_owners import RunningOwner
from lionstudio.state.transitions import user_name

_LONGEST_NAME = 100  # characters


def sender_of(args: argparse.Namespace, session_id: str, name: str | None) -> str:
    """The sender: a person under any name, an agent only as itself, and never to its own session."""
    settings = db_access.settings_of(args)
    agents = calling_agents(settings.db)
    if agents is None:
        if name is not None and (name.startswith("agent ") or not 0 < len(name) <= _LONGEST_NAME):
            raise InvalidInput(f"{name!r:.60} cannot be the name of a person", hint="--as NAME, or leave it out")
        return name or user_name() or "user"
    try:
        return _agent_sender(agents, session_id, name)
    except LionError as refusal:
        log_refusal(settings.home, None, "li send", None, refusal.message, this_process().origin())
        raise


def _agent_sender(agents: list[RunningOwner], session_id: str, name: str | None = None) -> str:
    """The sender for a caller that belongs to an agent."""
    if not agents:
        raise LionError(
            "sending is refused: the caller belongs to an agent, and the run that it belongs to cannot be determined",
            hint="run the command in a terminal of your own",
        )
    sender = agents[0]
    if name is not None and name != sender.agent:
        raise LionError(
            f"sending is refused: the caller is the agent {sender.agent}, not {name!r:.60}", hint="leave --as out"
        )
    if session_id in {agent.id for agent in agents}:
        raise LionError("sending is refused: an agent does not write to its own session", hint="li ps")
    return agent_name(agents)


def agent_name(agents: Sequence[RunningOwner]) -> str:
    """The name of the nearest agent, which no person can have."""
    return f"agent {agents[0].agent or 'without a name'} (session {agents[0].id})" if agents else "agent without a run"


def calling_agents(db: str) -> list[RunningOwner] | None:
    """The sessions of the agents that the caller belongs to, nearest first; None for a person."""
    (owners, terminals), caller = running_owners(db), this_process()
    try:
        check_person(owners, caller, "sending", None, terminals)
    except LionError:
        return sessions_in(caller.chain, [*owners, *terminals])
    return None
