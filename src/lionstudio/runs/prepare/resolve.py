"""Resolve a request into a session and its agents: definitions and providers.

Nothing is started or written here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from lionstudio.agents.provider import Provider, Task, get_provider, split_target
from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.files.definitions.agents import Agent, parse
from lionstudio.files.definitions.catalog import (
    Definition,
    find_definition,
    find_untrusted,
    load_value,
    untrusted_error,
)
from lionstudio.model.ids import new_id
from lionstudio.model.providers import PROVIDER_USAGE
from lionstudio.model.questions import AnsweredQuestion
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind, SourceKind
from lionstudio.runs.environment import agent_environment
from lionstudio.runs.prepare.confinement import PLAIN, ConfinementRequest, confine_agent
from lionstudio.runs.prepare.project import commit_of, project_name
from lionstudio.runs.run import RunPart
from lionstudio.settings import Settings
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.safe_read import read_text

if TYPE_CHECKING:
    from lionstudio.runs.prepare.resume_point import ResumePoint


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
    pass_env: tuple[str, ...] = ()  # more environment variables that it gets
    sandbox: str | None = None  # auto | require | off
    untrusted_material: bool = False  # it judges files that it must not obey


class PinnedAgent(NamedTuple):
    """An agent as it was at one moment; later changes of its file do not count."""

    target: str
    name: str | None = None  # of its definition; None for a provider
    text: str | None = None
    digest: str | None = None  # SHA-256 of the text

    def resolve(self) -> ResolvedAgent:
        """Resolve the agent from the pinned text; refused when that is not what was pinned."""
        if self.name is None:
            provider_and_model = split_target(self.target)
            if provider_and_model is None:
                raise InvalidInput(f"the pinned agent {self.target!r:.80} is not a provider")
            return ResolvedAgent(*provider_and_model)
        if self.text is None or hashlib.sha256(self.text.encode()).hexdigest() != self.digest:
            raise InvalidInput(f"the pinned definition of {self.name} was changed or removed")
        agent, _ = parse(self.name, self.text)
        return _from_definition(agent)

    def save(self, folder: str) -> None:
        """Save the text in a private file; not redacted, because it is a copy of what a person wrote."""
        if self.text is not None:
            make_folder(folder)
            write_text(self._path(folder), self.text, follow=False)

    def to_record(self) -> dict[str, str | None]:
        """Return the agent without its text, which a record would redact."""
        return {"target": self.target, "name": self.name, "digest": self.digest}

    @classmethod
    def load(cls, record: Mapping[str, Any], folder: str) -> PinnedAgent:
        """Return the agent of a record with the text that was saved; refused when that is not what was pinned."""
        pinned = cls(record["target"], record.get("name"), None, record.get("digest"))
        if pinned.name is not None:
            with suppress(LionError):  # resolving it says so
                pinned = pinned._replace(text=read_text(pinned._path(folder), root=folder))
        pinned.resolve()
        return pinned

    def _path(self, folder: str) -> str:
        return os.path.join(folder, f"{self.digest}.md")


def pin_agent(target: str, settings: Settings, cwd: str) -> PinnedAgent:
    """Pin an agent by its name; raises when it cannot be resolved."""
    definition = _find_definition(target, settings, cwd)
    if definition is None or definition.text is None:
        _from_provider(target, settings, cwd)
        return PinnedAgent(target)
    load_value(definition)
    digest = hashlib.sha256(definition.text.encode()).hexdigest()
    return PinnedAgent(target, definition.name, definition.text, digest)


def resolve_agent(target: str, settings: Settings, cwd: str) -> ResolvedAgent:
    """Resolve a name: an agent definition, else `provider` or `provider/model`."""
    definition = _find_definition(target, settings, cwd)
    if definition is None:
        return _from_provider(target, settings, cwd)
    agent = load_value(definition)
    assert isinstance(agent, Agent)
    return _from_definition(agent)


def _find_definition(target: str, settings: Settings, cwd: str) -> Definition | None:
    return find_definition("agent", target, settings.home, cwd) if "/" not in target else None


def _from_provider(target: str, settings: Settings, cwd: str) -> ResolvedAgent:
    provider_and_model = split_target(target)
    if provider_and_model is not None:
        return ResolvedAgent(*provider_and_model)
    if "/" not in target and (place := find_untrusted("agent", target, settings.home, cwd)) is not None:
        raise untrusted_error("agent", target, place)
    raise NotFound(
        f"no agent or provider is named {target!r:.80}", hint=f"li agents ls, or a provider: {PROVIDER_USAGE}"
    )


def _from_definition(agent: Agent) -> ResolvedAgent:
    target = split_target(agent.model) if agent.model else None
    if agent.provider is not None:
        provider, model = agent.provider, target[1] if target else agent.model
    elif target is not None:
        provider, model = target
    else:
        raise InvalidInput(
            f"the agent {agent.name} has no provider",
            hint="add `provider: claude` or `model: claude/sonnet` to its front matter",
        )
    return ResolvedAgent(
        provider=provider,
        model=model,
        agent_name=agent.name,
        system=agent.prompt or None,
        effort=agent.effort,
        permissions="all" if agent.yolo or agent.bypass else agent.permissions,
        tools=agent.tools,
        timeout=agent.timeout,
        options=agent.options,
        pass_env=agent.pass_env,
        sandbox=agent.sandbox,
    )


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
    confine: ConfinementRequest = PLAIN,
    has_team: bool = False,
    answered: tuple[AnsweredQuestion, ...] = (),
) -> RunPart:
    """An agent with its task; raises when the provider cannot run it."""
    provider: Provider = get_provider(agent.provider)
    env = agent_environment(environ, session_id=session_id, settings=settings, also=(*pass_on, *agent.pass_env))
    cwd = os.path.abspath(cwd)
    confinement = confine_agent(
        agent.provider,
        agent.options,
        # `ask` writes what a person allows; a reviewer cannot ask
        agent.permissions is None or agent.untrusted_material,
        agent.sandbox,
        confine,
        cwd=cwd,
        env=env,
        settings=settings,
        has_team=has_team,
    )
    # additional arguments may need `codex exec`, which forks a whole conversation only
    turn = origin.turn if origin and not same_conversation and not agent.options.get("args") else None
    conversation = turn.conversation if turn else origin.conversation if origin else None
    is_fork = bool(conversation) and not same_conversation
    task = Task(
        prompt=prompt,
        cwd=cwd,
        env=env,
        model=agent.model,
        system=agent.system,
        effort=agent.effort,
        tools=agent.tools,
        permissions=agent.permissions,
        resume=conversation,
        last_turn=turn.id if turn else None,
        # the program may not have the conversation of a run that died, or that is forked
        history=origin.history if origin and (conversation is None or answered or is_fork) else (),
        options={**agent.options, "fork": is_fork},
        sandbox=confinement.sandbox,
        untrusted_material=agent.untrusted_material,
        answered=answered,
        park_after=settings.park_minutes * 60.0 or None,
    )
    provider.check(task)
    metadata = {"confinement": confinement.evidence}
    return RunPart(name, provider, task, new_id(), origin.fork if origin else None, metadata)
