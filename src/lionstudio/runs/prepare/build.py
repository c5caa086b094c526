"""Build a run from its steps: the session, the agents with their tasks, and the order they run in.

Nothing is started or written here; a run that cannot work is refused here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lionstudio.agents.dialog import TAKES_MESSAGES, deliveries_of
from lionstudio.files.definitions.artifacts import Artifact
from lionstudio.model.questions import AnsweredQuestion
from lionstudio.model.redaction.process import redactor
from lionstudio.model.run_name import fork_name, play_run_name, run_name, title_of
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind
from lionstudio.runs.prepare import flow, resolve
from lionstudio.runs.prepare.confinement import PLAIN, ConfinementRequest
from lionstudio.runs.prepare.flow import Step
from lionstudio.runs.prepare.project import project_of
from lionstudio.runs.prepare.resolve import ResolvedAgent
from lionstudio.runs.run import Result, RunPart, RunSession
from lionstudio.runs.talk.continue_answered import check_may_begin
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.questions import close_questions_of

if TYPE_CHECKING:
    from lionstudio.runs.prepare.resume_point import ResumePoint


class TeamPrompt(Protocol):
    """A team that the agents of a run belong to."""

    def prompt(self, member: str, prompt: str, *, arrives: bool) -> str:
        """The prompt of a member, preceded by its inbox and reply instructions.

        `arrives`: new messages reach the agent while it works.
        """

    def link(self, member: str) -> Mapping[str, str]:
        """The metadata of a session that runs this member."""


class RunContext(NamedTuple):
    """The settings, folder and environment of a run."""

    settings: Settings
    cwd: str
    environ: Mapping[str, str]
    pass_on: tuple[str, ...] = ()  # extra environment variables for the agents
    repo: str | None = None  # the repository the run works for, when `cwd` is a checkout elsewhere (plays of a show)
    confine: ConfinementRequest = PLAIN


class ShowLink(NamedTuple):
    """The given name and id of a run, the play it belongs to, and the session it repeats."""

    name: str | None = None
    show_topic: str | None = None
    show_play_name: str | None = None
    session_id: str | None = None
    retries: str | None = None


class PreparedRun(NamedTuple):
    """A run that is ready to start."""

    session: Session
    parts: list[RunPart]
    run: Callable[[RunSession], Awaitable[Result]]
    guard: Callable[[Connection], None] | None = None  # in the transaction that begins the session; it may refuse
    concurrent_editors: tuple[str, ...] = ()  # steps that may edit the same files at once
    artifacts: tuple[Artifact, ...] = ()  # files that it must deliver

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
    target: str | None = None,
    request: Mapping[str, Any] | None = None,
    answered: tuple[AnsweredQuestion, ...] = (),
) -> PreparedRun:
    """A run of one agent, which the caller names `target`; with an origin it continues or forks that conversation.

    The `request` is kept for a run that continues this one after its death; `answered` is of the origin that died.
    """
    lineage: dict[str, str | None] = {}
    guard = None
    if origin is not None:
        from lionstudio.runs.prepare.resume_point import continue_with

        origin = continue_with(origin, agent.provider, target, same_conversation=same_conversation)
        lineage = {"continues" if same_conversation else "forked_from": origin.session.id}
        if same_conversation:
            lineage["conversation_id"] = origin.conversation
            guard = partial(_check_continues, origin=origin, answered=answered)
        elif not link.name:
            link = link._replace(name=fork_name(run_name(origin.session.to_dict())))
    # the prompt of a run that continues with answers is ours
    title = origin.session.title if origin is not None and answered else _title(context, prompt)
    metadata: dict[str, Any] = {} if request is None else {"request": dict(request)}
    if agent.untrusted_material:
        metadata[TAKES_MESSAGES] = False  # a reviewer decides alone
    session = _session(context, link, InvocationKind.AGENT, agent, title, metadata=metadata, **lineage)
    member = agent.agent_name or agent.provider
    arrives = bool(deliveries_of(session))
    fields: dict[str, Any] = {"origin": origin, "same_conversation": same_conversation, "answered": answered}
    part = _part(context, session, agent, prompt, member, team, arrives=arrives, **fields)
    if team is not None and arrives:
        session = replace(session, metadata={**session.metadata, **team.link(member)})
    return PreparedRun(_with_evidence(session, [part]), [part], lambda running: running.execute(part), guard)


def _check_continues(conn: Connection, *, origin: ResumePoint, answered: tuple[AnsweredQuestion, ...]) -> None:
    """Refuse a second run of the conversation; it replaces the open questions of the run that died."""
    from lionstudio.runs.prepare.resume_point import check_not_running

    check_not_running(conn, origin)
    check_may_begin(conn, answered)
    close_questions_of(conn, origin.session.id, "the conversation was continued")


def prepare_steps(
    context: RunContext,
    link: ShowLink,
    kind: InvocationKind,
    steps: list[Step],
    *,
    team: TeamPrompt | None = None,
    playbook_name: str | None = None,
    artifacts: tuple[Artifact, ...] = (),
    request: Mapping[str, Any] | None = None,
) -> PreparedRun:
    """A run of several steps, each on its own branch of one session; the `request` is kept to repeat it."""
    steps = flow.check_steps(steps)
    first = steps[0]
    one_provider = len({step.agent.provider for step in steps}) == 1
    agent = first.agent if one_provider else first.agent._replace(model=None)
    title = _title(context, first.input or first.prompt)
    metadata = {} if request is None else {"request": dict(request)}
    session = _session(context, link, kind, agent, title, playbook_name=playbook_name, metadata=metadata)

    def make_part(step: Step, text: str) -> RunPart:
        name = "main" if len(steps) == 1 else step.name
        return _part(context, session, step.agent, text, step.agent.agent_name or step.name, team, name=name)

    parts = [make_part(step, step.prompt) for step in steps]  # refused now, not when their turn comes
    return PreparedRun(
        _with_evidence(session, parts),
        parts,
        lambda running: flow.run_flow(running, steps, make_part),
        concurrent_editors=tuple(flow.concurrent_editors(steps)),
        artifacts=artifacts,
    )


def _session(
    context: RunContext, link: ShowLink, kind: InvocationKind, agent: ResolvedAgent, title: str | None, **fields: Any
) -> Session:
    name = link.name
    if not name and link.show_topic and link.show_play_name:
        name = play_run_name(link.show_topic, link.show_play_name)
    session = resolve.new_session(
        context.settings,
        context.cwd,
        InvocationKind.SHOW_PLAY if link.show_topic else kind,
        agent,
        session_id=link.session_id,
        name=name,
        title=title,
        show_topic=link.show_topic,
        show_play_name=link.show_play_name,
        retries=link.retries,
        **fields,
    )
    if context.repo is None:
        return session
    return replace(session, project=project_of(context.repo, context.settings, context.environ))


def _with_evidence(session: Session, parts: list[RunPart]) -> Session:
    evidence = "; ".join(dict.fromkeys(part.metadata["confinement"] for part in parts))
    return replace(session, metadata={**session.metadata, "confinement": evidence})


def _title(context: RunContext, prompt: str) -> str | None:
    # redacted before it is shortened: no rule matches half a secret
    return title_of(redactor().text(prompt))


def _part(
    context: RunContext,
    session: Session,
    agent: ResolvedAgent,
    prompt: str,
    member: str,
    team: TeamPrompt | None,
    *,
    arrives: bool = False,
    **fields: Any,
) -> RunPart:
    return resolve.new_part(
        agent,
        prompt if team is None else team.prompt(member, prompt, arrives=arrives),
        session_id=session.id,
        settings=context.settings,
        cwd=context.cwd,
        environ=context.environ,
        pass_on=context.pass_on,
        confine=context.confine,
        has_team=team is not None,
        **fields,
    )
