"""From steps to a run that can be started: its session, its agents with their tasks, and how they play together.

Nothing is started or written here; what cannot work is refused here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import InvocationKind
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
    """Where a run happens and what it may see."""

    settings: Settings
    cwd: str
    environ: Mapping[str, str]
    pass_on: tuple[str, ...] = ()  # variables that its agents see beside the usual ones
    repo: str | None = None  # the repository that it works for in a checkout elsewhere, as a play of a show does


class ShowLink(NamedTuple):
    """What a run is called and belongs to; a play of a show has a name that the show finds it by."""

    name: str | None = None
    show_topic: str | None = None
    show_play_name: str | None = None
    session_id: str | None = None

    def called(self, usual: str) -> str:
        """The name a person gave, the deterministic one of a show's play, or the usual one."""
        if self.name:
            return self.name
        if self.show_topic and self.show_play_name:
            return f"show_{self.show_topic}_{self.show_play_name}"
        return usual


class PreparedRun(NamedTuple):
    """A run that has only to be begun."""

    session: Session
    parts: list[RunPart]
    play: Callable[[RunSession], Awaitable[Result]]

    @property
    def several(self) -> bool:
        """Whether more than one agent speaks in it."""
        return len(self.parts) > 1


def prepare_agent(
    place: RunContext,
    link: ShowLink,
    who: ResolvedAgent,
    prompt: str,
    *,
    origin: ResumePoint | None = None,
    same_conversation: bool = False,
    team: TeamPrompt | None = None,
) -> PreparedRun:
    """One agent; with an origin it continues that conversation, or branches off it."""
    links = {} if origin is None else {"resumed_from" if same_conversation else "forked_from": origin.session.id}
    continued = origin.session.name if origin is not None and same_conversation else None
    session = _session(place, link, InvocationKind.AGENT, who, continued or _caller(who), metadata=links)
    part = _part(place, session, who, prompt, _caller(who), team, origin=origin, same_conversation=same_conversation)
    return PreparedRun(session, [part], lambda running: running.execute(part))


def prepare_steps(
    place: RunContext,
    link: ShowLink,
    kind: InvocationKind,
    steps: list[Step],
    *,
    usual_name: str,
    team: TeamPrompt | None = None,
    playbook_name: str | None = None,
) -> PreparedRun:
    """Steps that wait for each other, each on a branch of one session."""
    steps = flow.check_steps(steps)
    one_provider = len({step.who.provider for step in steps}) == 1
    who = steps[0].who if one_provider else steps[0].who._replace(model=None)
    session = _session(place, link, kind, who, usual_name, playbook_name=playbook_name)

    def make_part(step: Step, text: str) -> RunPart:
        name = "main" if len(steps) == 1 else step.name
        return _part(place, session, step.who, text, step.who.agent_name or step.name, team, name=name)

    parts = [make_part(step, step.prompt) for step in steps]  # refused now, not when their turn comes
    return PreparedRun(session, parts, lambda running: flow.play_flow(running, steps, make_part))


def _caller(who: ResolvedAgent) -> str:
    return who.agent_name or who.provider


def _session(
    place: RunContext, link: ShowLink, kind: InvocationKind, who: ResolvedAgent, usual_name: str, **given: Any
) -> Session:
    session = resolve.new_session(
        place.settings,
        place.cwd,
        InvocationKind.SHOW_PLAY if link.show_topic else kind,
        who,
        session_id=link.session_id,
        name=link.called(usual_name),
        show_topic=link.show_topic,
        show_play_name=link.show_play_name,
        **given,
    )
    if place.repo is None:
        return session
    return replace(session, project=project_of(place.repo, place.settings, place.environ))


def _part(
    place: RunContext,
    session: Session,
    who: ResolvedAgent,
    prompt: str,
    member: str,
    team: TeamPrompt | None,
    **given: Any,
) -> RunPart:
    told = prompt if team is None else team.prompt(member, prompt)
    return resolve.new_part(
        who,
        told,
        session_id=session.id,
        settings=place.settings,
        cwd=place.cwd,
        environ=place.environ,
        pass_on=place.pass_on,
        **given,
    )
