"""The caller of a command or of an HTTP request, and whether it may decide.

Decisions come from people. A caller that belongs to an agent's tree is refused, unless the plan of the show names the
agent as a decider and the play is another agent's.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.state.runs.active_owners import RunningOwner
from lionstudio.system.callers.ancestry import (
    AncestorProcess,
    ancestors_of,
    find_agent,
    find_hidden_agent,
    has_ancestry,
    own_pid,
)
from lionstudio.system.callers.tcp_peer import find_peer
from lionstudio.system.process_identity import INITIAL_PID_NAMESPACE, identify, liveness

# Studio sets it for the commands that it runs for a page: the origin of the request.
ORIGIN_VARIABLE = "LIONAGI_DECISION_ORIGIN"
_MOST_NAMED = 4  # ancestors in the record of a decision


class Caller(NamedTuple):
    """A caller; `agent` is the evidence that it is an agent, or that it cannot be told apart from one."""

    via: str  # cli | http
    chain: tuple[AncestorProcess, ...] = ()
    agent: str | None = None
    address: str | None = None  # of a client on another machine, or of a process that is not ours

    def origin(self) -> dict[str, Any]:
        """The caller as decisions record it."""
        facts: dict[str, Any] = {"via": self.via}
        if self.address is not None:
            facts["address"] = self.address
        if self.chain:
            facts["pid"] = self.chain[0].pid
            facts["terminal"] = self.chain[0].terminal
            facts["processes"] = [f"{process.name} ({process.pid})" for process in self.chain[:_MOST_NAMED]]
        return facts


def describe_origin(origin: Mapping[str, Any]) -> str:
    """One line about the origin of a decision, for lists of decisions."""
    processes = origin.get("processes")
    parts = [
        "on the page" if origin.get("via") == "http" else "on the command line",
        f"terminal {origin['terminal']}" if origin.get("terminal") else None,
        f"from {origin['address']}" if origin.get("address") else None,
        " < ".join(map(str, processes)) if isinstance(processes, list) and processes else None,
    ]
    return ", ".join(part for part in parts if part)


def this_process() -> Caller:
    """The caller of this command."""
    return _caller("cli", own_pid())


def peer_of(client: tuple[str, int] | None, server_port: int, by_proxy: bool = False) -> Caller:
    """The caller at the other end of a connection to a port of ours.

    `by_proxy`: a browser came by the address of the proxy, which packages run as a user of its own.
    """
    address, port = client or ("", 0)
    try:
        is_loopback = ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return _caller("http", own_pid())  # not a connection: a client inside this process
    if not has_ancestry():
        return Caller("http", address=address)
    peer = find_peer(address, port, server_port)
    if peer is None:
        reason = "the process at the other end of the connection cannot be found" if is_loopback else None
        return Caller("http", agent=reason, address=address)
    callers = [_caller("http", pid) for pid in peer.holders]
    if callers:
        return next((caller for caller in callers if caller.agent), callers[0])
    if peer.uid != os.geteuid():
        if by_proxy:
            return Caller("http", address=address)
        return Caller("http", agent=f"the connection belongs to another user (uid {peer.uid})", address=address)
    if not peer.hidden or os.geteuid() == 0:  # root can look into every program that a person would use
        reason = "no process holds the other end of the connection"  # it is in flight between two processes
        return Caller("http", agent=reason, address=address)
    # a program such as sshd hides its descriptors; so may an agent: none of the hidden ones must be in its tree
    for pid in peer.hidden:
        caller = _caller("http", pid, lambda chain: find_hidden_agent(chain, peer.uid))
        if caller.agent and os.path.exists(f"/proc/{pid}"):  # one that has ended holds nothing
            return Caller("http", agent=caller.agent, address=address)
    return Caller("http", address=address)


def _caller(via: str, pid: int, find: Callable[[list[AncestorProcess]], str | None] = find_agent) -> Caller:
    if not has_ancestry():
        return Caller(via)
    chain = ancestors_of(pid)
    if chain is None:
        return Caller(via, agent=f"the ancestors of process {pid} cannot be read")
    return Caller(via, tuple(chain), find(chain))


class Subject(NamedTuple):
    """The play of a show that a decision is about, and the agents that its plan allows to decide."""

    topic: str
    play: str | None = None
    deciders: Collection[str] = ()


def check_person(
    owners: Sequence[RunningOwner],
    caller: Caller,
    action: str,
    subject: Subject | None = None,
    terminals: Sequence[RunningOwner] = (),
) -> RunningOwner | None:
    """Return the session of an agent that the plan allows to decide, None for a person; refuse other agents."""
    reason = caller.agent or _hidden_agent(caller, owners) or find_connected_agent(caller.chain, terminals)
    if reason is None:
        return None
    sessions = sessions_in(caller.chain, owners)
    if _may_decide(sessions, subject):
        return sessions[0]
    who = f" ({_named(sessions[0])})" if sessions else ""
    raise LionError(
        f"{action} is refused: only a person decides, and the caller belongs to an agent{who}: {reason}",
        hint="run the command in a terminal of your own, or decide on the page: li studio",
    )


def sessions_in(chain: Sequence[AncestorProcess], owners: Sequence[RunningOwner]) -> list[RunningOwner]:
    """The running sessions whose process is in the chain, nearest first: no environment variable can claim that."""
    if not chain:
        return []
    here = identify()
    by_process = {
        (running.owner.pid, running.owner.start_ticks): running
        for running in owners
        if (running.owner.boot_id, running.owner.pid_ns) == (here.boot_id, here.pid_ns)
    }
    return [by_process[key] for process in chain if (key := (process.pid, process.start_ticks)) in by_process]


def find_connected_agent(chain: Sequence[AncestorProcess], terminals: Sequence[RunningOwner]) -> str | None:
    """The evidence that a process was started by the program of a connected terminal, None when there is none."""
    agents = sessions_in(chain, terminals)
    if not agents:
        return None
    return f"{agents[0].agent} in a connected terminal started it (process {agents[0].owner.pid})"


def _may_decide(sessions: Sequence[RunningOwner], subject: Subject | None) -> bool:
    """Whether every agent in the chain has the right to decide, and none is the play's own."""
    if subject is None or subject.play is None or not sessions:
        return False
    return all(
        session.agent in subject.deciders and (session.topic, session.play) != (subject.topic, subject.play)
        for session in sessions
    )


def _hidden_agent(caller: Caller, owners: Sequence[RunningOwner]) -> str | None:
    """Our /proc ends at our pid namespace: an agent could have made it to hide its ancestors."""
    here = identify()
    if not caller.chain or here.pid_ns == INITIAL_PID_NAMESPACE:
        return None
    for running in owners:
        owner = running.owner
        if owner.boot_id == here.boot_id and owner.pid_ns != here.pid_ns and liveness(owner).answer == "alive":
            return (
                f"{_named(running)} runs in another pid namespace, so the ancestors of the caller are not all visible"
            )
    return None


def _named(session: RunningOwner) -> str:
    name = f"{session.topic}/{session.play}" if session.topic else session.agent or "an agent"
    return f"{name}, session {session.id}"
