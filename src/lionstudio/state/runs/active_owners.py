"""The processes of running sessions, with the agent and the play of each."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.state.connection import Connection
from lionstudio.state.exchange.terminals import list_live_terminals, process_of
from lionstudio.state.upkeep.liveness import owner_of
from lionstudio.system.process_identity import Owner


class RunningOwner(NamedTuple):
    id: str
    agent: str | None
    topic: str | None
    play: str | None
    owner: Owner


_RUNNING = """
SELECT id, agent_name, show_topic, show_play_name, owner FROM sessions
 WHERE status = 'running' AND owner IS NOT NULL ORDER BY created_at DESC LIMIT 10000
"""


def list_running_owners(conn: Connection) -> list[RunningOwner]:
    """List the sessions that are marked running and whose process was recorded, newest first."""
    rows = conn.dicts(_RUNNING)
    return [
        RunningOwner(row["id"], row["agent_name"], row["show_topic"], row["show_play_name"], owner)
        for row in rows
        if (owner := owner_of(row)) is not None
    ]


def list_terminal_owners(conn: Connection) -> list[RunningOwner]:
    """List the programs that run in terminals of the user and report by hooks."""
    return [
        RunningOwner(terminal.session_id, terminal.tool, None, None, owner)
        for terminal in list_live_terminals(conn)
        if (owner := process_of(terminal)) is not None
    ]


def list_agent_owners(conn: Connection) -> list[RunningOwner]:
    """List the processes of all agents: of running sessions, and in terminals of the user."""
    return [*list_running_owners(conn), *list_terminal_owners(conn)]
