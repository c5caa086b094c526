"""Resolve a request into a session and its agents: definitions, providers, resume and fork.

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
    """An agent that can be run: its provider, and the options of its definition or the command line."""

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
    """The branch and message that a run continues from, and the provider's conversation."""

    session: Session
    fork: ForkPoint
    conversation: str | None  # the provider's own id, when it can continue from exactly there
    history: tuple[Message, ...]


def resolve_agent(target: str, settings: Settings, cwd: str) -> ResolvedAgent:
    """Resolve a name: an agent definition, else `provider` or `provider/model`."""
    provider_and_model = split_target(target)
    definition = find_definition("agent", target, settings.home, cwd) if "/" not in target else None
    if definition is not None:
        agent = load_value(definition)
        assert isinstance(agent, Agent)
        return _from_definition(agent)
    if provider_and_model is not None:
        return ResolvedAgent(*provider_and_model)
    raise NotFound(
        f"no agent or provider is named {target!r:.80}",
        hint=f"`li agents ls` lists agents; the providers are {PROVIDER_USAGE}",
    )


def _from_definition(agent: Agent) -> ResolvedAgent:
    provider_field = agent.extra.get("provider")
    target = split_target(agent.model) if agent.model else None
    if isinstance(provider_field, str):
        provider, model = provider_field, target[1] if target else agent.model
    elif target is not None:
        provider, model = target
    else:
        raise InvalidInput(
            f"the agent {agent.name} has no provider",
            hint="add `provider: claude` or `model: claude/sonnet` to its front matter",
        )
    tools, permissions = agent.extra.get("tools"), agent.extra.get("permissions")
    tool_list = tools.replace(",", " ").split() if isinstance(tools, str) else tools
    return ResolvedAgent(
        provider=provider,
        model=model,
        agent_name=agent.name,
        system=agent.prompt or None,
        effort=agent.effort,
        permissions="all" if agent.yolo or agent.bypass else permissions if permissions in PERMISSIONS else None,
        tools=tuple(map(str, tool_list)) if isinstance(tool_list, list) else None,
        timeout=agent.timeout,
        options={key: agent.extra[key] for key in ("command", "args", "base_url", "url") if key in agent.extra},
    )


def find_resume_point(conn: Connection, *, resume: str | None, fork: str | None) -> ResumePoint | None:
    """The point that --resume SESSION or --fork SESSION[:ORD] refers to; None without either."""
    if resume is not None:
        session_id = resolve_session(conn, resume)
        return _resume_point(conn, session_id, _main_branch(conn, session_id), None)
    if fork is None:
        return None
    name, colon, ord_ = fork.rpartition(":")
    if not (colon and ord_.isascii() and ord_.isdigit()):
        session_id = resolve_session(conn, fork)
        return _resume_point(conn, session_id, _main_branch(conn, session_id), None)
    session_id = resolve_session(conn, name)
    entries = messages_after(conn, session_id, int(ord_) - 1, 1)
    if not entries or entries[0].ord != int(ord_):
        raise NotFound(f"session {session_id} has no message {ord_}", hint=f"li state show {session_id}")
    branch_id = branches_of(conn, session_id, [entries[0].message_id]).get(entries[0].message_id)
    if branch_id is None:
        raise NotFound(f"message {ord_} of session {session_id} is not on a branch")
    return _resume_point(conn, session_id, get_branch(conn, branch_id), entries[0].message_id)


def _main_branch(conn: Connection, session_id: str) -> Branch:
    branches = list_branches(conn, session_id)
    if not branches:
        raise NotFound(f"session {session_id} has no branch to continue")
    return branches[0]


def _resume_point(conn: Connection, session_id: str, branch: Branch, message_id: str | None) -> ResumePoint:
    messages: list[Message] = []
    last = branch_length(conn, branch.id) - 1
    for entry in history(conn, branch.id):
        if entry.message is not None:
            messages.append(entry.message)
        if message_id is not None and entry.message_id == message_id and entry.branch_id == branch.id:
            last = entry.ord
            break
    at_end = last == branch_length(conn, branch.id) - 1
    conversation = branch.metadata.get("conversation") if at_end else None
    if not isinstance(conversation, str):
        conversation = None
    return ResumePoint(get_session(conn, session_id), ForkPoint(branch.id, last), conversation, tuple(messages))


def new_session(
    settings: Settings,
    cwd: str,
    kind: InvocationKind,
    agent: ResolvedAgent,
    *,
    session_id: str | None = None,
    **fields: Any,
) -> Session:
    """The session of a run, with its folder, project, commit and model."""
    return Session(
        id=session_id or new_id(),
        invocation_kind=kind,
        source_kind=SourceKind.LIVE,
        agent_name=agent.agent_name or agent.provider,
        provider=agent.provider,
        model=agent.model,
        project=settings.project or project_name(cwd),
        cwd=cwd,
        git_commit=commit_of(cwd),
        **fields,
    )


def new_part(
    agent: ResolvedAgent,
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
    """An agent with its task; raises when the provider cannot run it."""
    provider: Provider = get_provider(agent.provider)
    env = agent_environment(environ, session_id=session_id, settings=settings, also=pass_on)
    conversation = origin.conversation if origin else None
    task = Task(
        prompt=prompt,
        cwd=os.path.abspath(cwd),
        env=env,
        model=agent.model,
        system=agent.system,
        effort=agent.effort,
        tools=agent.tools,
        permissions=agent.permissions,
        resume=conversation,
        history=origin.history if origin and conversation is None else (),
        options={**agent.options, "fork": bool(conversation) and not same_conversation},
    )
    provider.check(task)
    return RunPart(name, provider, task, new_id(), origin.fork if origin else None)
