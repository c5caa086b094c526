"""From what a person asked for to a session and the agents that run in it: definitions, providers, resume and fork.

Nothing is started or written here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.agents.provider import Provider, Task, get_provider, split_target
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.files.definitions.agents import Agent
from lionstudio.files.definitions.catalog import find_definition, load_value
from lionstudio.model.branches import Branch, ForkPoint
from lionstudio.model.ids import new_id
from lionstudio.model.messages import Message
from lionstudio.model.providers import PROVIDER_USAGE
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SourceKind
from lionstudio.runs.environment import agent_environment
from lionstudio.runs.prepare.project import commit_of, project_name
from lionstudio.runs.run import RunPart
from lionstudio.settings import Settings
from lionstudio.state.branches import branch_length, get_branch, history, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import branches_of, messages_after
from lionstudio.state.sessions import get_session, resolve_session

PERMISSIONS = ("ask", "edit", "all")


class ResolvedAgent(NamedTuple):
    """An agent as it can be run: its provider, and what its definition or the command line says."""

    provider: str
    model: str | None = None
    agent_name: str | None = None
    system: str | None = None
    effort: str | None = None
    permissions: str | None = None
    tools: tuple[str, ...] | None = None
    timeout: float | None = None
    options: Mapping[str, Any] = {}


class ResumePoint(NamedTuple):
    """Where a run continues: the branch and message it starts from, and what the provider knows of it."""

    session: Session
    fork: ForkPoint
    conversation: str | None  # the provider's own id, when it can go on from exactly there
    history: tuple[Message, ...]


def resolve_agent(target: str, settings: Settings, cwd: str) -> ResolvedAgent:
    """The agent that a name stands for: a definition, else `provider` or `provider/model`."""
    plain = split_target(target)
    definition = find_definition("agent", target, settings.home, cwd) if "/" not in target else None
    if definition is not None:
        value = load_value(definition)
        assert isinstance(value, Agent)
        return _defined(value)
    if plain is not None:
        return ResolvedAgent(*plain)
    raise NotFound(
        f"there is no agent or provider {target!r:.80}",
        hint=f"`li agents ls` lists agents; the providers are {PROVIDER_USAGE}",
    )


def _defined(agent: Agent) -> ResolvedAgent:
    given = agent.extra.get("provider")
    named = split_target(agent.model) if agent.model else None
    if isinstance(given, str):
        provider, model = given, named[1] if named else agent.model
    elif named is not None:
        provider, model = named
    else:
        raise InvalidInput(
            f"the agent {agent.name} does not say which provider runs it",
            hint="add `provider: claude` or `model: claude/sonnet` to its head",
        )
    tools, permissions = agent.extra.get("tools"), agent.extra.get("permissions")
    listed = tools.replace(",", " ").split() if isinstance(tools, str) else tools
    return ResolvedAgent(
        provider=provider,
        model=model,
        agent_name=agent.name,
        system=agent.prompt or None,
        effort=agent.effort,
        permissions="all" if agent.yolo or agent.bypass else permissions if permissions in PERMISSIONS else None,
        tools=tuple(map(str, listed)) if isinstance(listed, list) else None,
        timeout=agent.timeout,
        options={key: agent.extra[key] for key in ("command", "args", "base_url", "url") if key in agent.extra},
    )


def find_resume_point(conn: Connection, *, resume: str | None, fork: str | None) -> ResumePoint | None:
    """What --resume SESSION or --fork SESSION[:ORD] names."""
    if resume is not None:
        session_id = resolve_session(conn, resume)
        return _origin(conn, session_id, _main_branch(conn, session_id), None)
    if fork is None:
        return None
    name, colon, ord_ = fork.rpartition(":")
    if not (colon and ord_.isascii() and ord_.isdigit()):
        session_id = resolve_session(conn, fork)
        return _origin(conn, session_id, _main_branch(conn, session_id), None)
    session_id = resolve_session(conn, name)
    found = messages_after(conn, session_id, int(ord_) - 1, 1)
    if not found or found[0].ord != int(ord_):
        raise NotFound(f"session {session_id} has no message {ord_}", hint=f"li state show {session_id}")
    branch_id = branches_of(conn, session_id, [found[0].message_id]).get(found[0].message_id)
    if branch_id is None:
        raise NotFound(f"message {ord_} of session {session_id} is on no branch")
    return _origin(conn, session_id, get_branch(conn, branch_id), found[0].message_id)


def _main_branch(conn: Connection, session_id: str) -> Branch:
    branches = list_branches(conn, session_id)
    if not branches:
        raise NotFound(f"session {session_id} has no branch to continue")
    return branches[0]


def _origin(conn: Connection, session_id: str, branch: Branch, message_id: str | None) -> ResumePoint:
    seen: list[Message] = []
    last = branch_length(conn, branch.id) - 1
    for entry in history(conn, branch.id):
        if entry.message is not None:
            seen.append(entry.message)
        if message_id is not None and entry.message_id == message_id and entry.branch_id == branch.id:
            last = entry.ord
            break
    whole = last == branch_length(conn, branch.id) - 1
    conversation = branch.metadata.get("conversation") if whole else None
    known = conversation if isinstance(conversation, str) else None
    return ResumePoint(get_session(conn, session_id), ForkPoint(branch.id, last), known, tuple(seen))


def new_session(
    settings: Settings,
    cwd: str,
    kind: InvocationKind,
    who: ResolvedAgent,
    *,
    session_id: str | None = None,
    **given: Any,
) -> Session:
    """The session of a run, with where and with what it happens."""
    return Session(
        id=session_id or new_id(),
        invocation_kind=kind,
        source_kind=SourceKind.LIVE,
        agent_name=who.agent_name or who.provider,
        provider=who.provider,
        model=who.model,
        project=settings.project or project_name(cwd),
        cwd=cwd,
        git_commit=commit_of(cwd),
        **given,
    )


def new_part(
    who: ResolvedAgent,
    prompt: str,
    *,
    session_id: str,
    settings: Settings,
    cwd: str,
    environ: Mapping[str, str],
    name: str = "main",
    origin: ResumePoint | None = None,
    same_conversation: bool = False,
    pass_on: tuple[str, ...] = (),
) -> RunPart:
    """An agent with its task; refused here when it cannot work."""
    provider: Provider = get_provider(who.provider)
    env = agent_environment(environ, session_id=session_id, settings=settings, also=pass_on)
    conversation = origin.conversation if origin else None
    task = Task(
        prompt=prompt,
        cwd=os.path.abspath(cwd),
        env=env,
        model=who.model,
        system=who.system,
        effort=who.effort,
        tools=who.tools,
        permissions=who.permissions,
        resume=conversation,
        history=origin.history if origin and conversation is None else (),
        options={**who.options, "fork": bool(conversation) and not same_conversation},
    )
    provider.check(task)
    return RunPart(name, provider, task, new_id(), origin.fork if origin else None)
