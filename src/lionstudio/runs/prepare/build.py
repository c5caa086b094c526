"""Build a run from its steps: the session, the agents with their tasks, and the order they run in.

Nothing is started or written here; a run that cannot work is refused here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from lionstudio.model.message_text import first_line
from lionstudio.model.redaction import Redactor
from lionstudio.model.run_name import MAX_LENGTH, play_run_name
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind
from lionstudio.runs.environment import secrets_in
from lionstudio.runs.prepare import flow, resolve
from lionstudio.runs.prepare.flow import Step
from lionstudio.runs.prepare.project import project_of
from lionstudio.runs.prepare.resolve import ResolvedAgent, ResumePoint
from lionstudio.runs.run import Result, RunPart, RunSession
from lionstudio.settings import Settings


class TeamPrompt(Protocol):
    """A team that the agents of a run belong to."""

    def prompt(self, member: str, prompt: str) -> str:
        """The prompt of a member, preceded by its inbox and reply instructions."""


class RunContext(NamedTuple):
    """The settings, folder and environment of a run."""

    settings: Settings
    cwd: str
    environ: Mapping[str, str]
    pass_on: tuple[str, ...] = ()  # extra environment variables for the agents
    repo: str | None = None  # the repository the run works for, when `cwd` is a checkout elsewhere (plays of a show)


class ShowLink(NamedTuple):
    """The given name and id of a run, and the play it belongs to."""

    name: str | None = None
    show_topic: str | None = None
    show_play_name: str | None = None
    session_id: str | None = None


class PreparedRun(NamedTuple):
    """A run that is ready to start."""

    session: Session
    parts: list[RunPart]
    run: Callable[[RunSession], Awaitable[Result]]

    @property
    def has_several_agents(self) -> bool:
        return len(self.parts) > 1


def prepare_agent(
    context: RunContext,
    link: ShowLink,
    agent: ResolvedAgent,
    prompt: str,
    *,
    origin: ResumePoint | None = None,
    same_conversation: bool = False,
    team: TeamPrompt | None = None,
) -> PreparedRun:
    """A run of one agent; with an origin it continues that conversation, or forks it."""
    metadata = {} if origin is None else {"resumed_from" if same_conversation else "forked_from": origin.session.id}
    continued = origin.session.name if origin is not None and same_conversation else None
    name = continued or _prompt_name(context, prompt)
    session = _session(context, link, InvocationKind.AGENT, agent, name, metadata=metadata)
    member = agent.agent_name or agent.provider
    part = _part(context, session, agent, prompt, member, team, origin=origin, same_conversation=same_conversation)
    return PreparedRun(session, [part], lambda running: running.execute(part))


def prepare_steps(
    context: RunContext,
    link: ShowLink,
    kind: InvocationKind,
    steps: list[Step],
    *,
    team: TeamPrompt | None = None,
    playbook_name: str | None = None,
) -> PreparedRun:
    """A run of several steps, each on its own branch of one session."""
    steps = flow.check_steps(steps)
    first = steps[0]
    one_provider = len({step.agent.provider for step in steps}) == 1
    agent = first.agent if one_provider else first.agent._replace(model=None)
    name = _prompt_name(context, first.input or first.prompt)
    session = _session(context, link, kind, agent, name, playbook_name=playbook_name)

    def make_part(step: Step, text: str) -> RunPart:
        name = "main" if len(steps) == 1 else step.name
        return _part(context, session, step.agent, text, step.agent.agent_name or step.name, team, name=name)

    parts = [make_part(step, step.prompt) for step in steps]  # refused now, not when their turn comes
    return PreparedRun(session, parts, lambda running: flow.run_flow(running, steps, make_part))


def _session(
    context: RunContext, link: ShowLink, kind: InvocationKind, agent: ResolvedAgent, name: str | None, **fields: Any
) -> Session:
    if link.show_topic and link.show_play_name:
        name = play_run_name(link.show_topic, link.show_play_name)
    session = resolve.new_session(
        context.settings,
        context.cwd,
        InvocationKind.SHOW_PLAY if link.show_topic else kind,
        agent,
        session_id=link.session_id,
        name=link.name or name,
        show_topic=link.show_topic,
        show_play_name=link.show_play_name,
        **fields,
    )
    if context.repo is None:
        return session
    return replace(session, project=project_of(context.repo, context.settings, context.environ))


def _prompt_name(context: RunContext, prompt: str) -> str | None:
    # redacted before it is shortened: no rule matches half a secret
    return first_line(Redactor(secrets_in(context.environ)).text(prompt), MAX_LENGTH) or None


def _part(
    context: RunContext,
    session: Session,
    agent: ResolvedAgent,
    prompt: str,
    member: str,
    team: TeamPrompt | None,
    **fields: Any,
) -> RunPart:
    return resolve.new_part(
        agent,
        prompt if team is None else team.prompt(member, prompt),
        session_id=session.id,
        settings=context.settings,
        cwd=context.cwd,
        environ=context.environ,
        pass_on=context.pass_on,
        **fields,
    )
