"""Turn a playbook into steps: its prompt with arguments, its mode, and the agent of each step.

Nothing is started or written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.files.definitions.agents import words
from lionstudio.files.definitions.artifacts import Artifact
from lionstudio.files.definitions.catalog import get_definition, load_value
from lionstudio.files.definitions.playbooks import Playbook, bind, render, unknown_slots
from lionstudio.runs.artifacts import deliver_text
from lionstudio.runs.prepare import flow
from lionstudio.runs.prepare.flow import Step, fanout_steps
from lionstudio.runs.prepare.resolve import ResolvedAgent
from lionstudio.settings import Settings

FindAgent = Callable[[str], ResolvedAgent]
_DEFAULT_WORKERS = 3


class PlannedPlaybook(NamedTuple):
    """A playbook that is ready to run."""

    name: str
    steps: list[Step]
    timeout: float | None
    team: str | None  # the team of its agents
    unknown: list[str]  # names in braces without a value; they reach the agent unchanged
    artifacts: tuple[Artifact, ...] = ()  # files that the run must deliver


def get_playbook(name: str, settings: Settings, cwd: str) -> Playbook:
    """Load a playbook by name; raises NotFound, or InvalidInput when it cannot be read."""
    playbook = load_value(get_definition("playbook", name, settings.home, cwd))
    assert isinstance(playbook, Playbook)
    return playbook


def plan_playbook(
    playbook: Playbook, text: str, values: Mapping[str, str], find_agent: FindAgent, *, agent: str | None = None
) -> PlannedPlaybook:
    """The steps of a playbook for one input; `agent` replaces the playbook's own."""
    prompt = render(playbook, text, bind(playbook, values))
    steps = _steps(playbook, prompt, _Agents(playbook, find_agent, agent))
    in_prompt = unknown_slots(playbook.prompt, playbook.args) if playbook.mode != "flow" else []
    in_steps = flow.unknown_slots(steps) if len(steps) > 1 else []
    unknown = list(dict.fromkeys([*in_prompt, *in_steps]))
    timeout, artifacts = playbook.options.get("timeout"), playbook.artifacts
    return PlannedPlaybook(
        playbook.name, _with_artifacts(steps, artifacts), timeout, _team(playbook), unknown, artifacts
    )


def _with_artifacts(steps: list[Step], artifacts: tuple[Artifact, ...]) -> list[Step]:
    """The last steps learn which files to deliver."""
    if not artifacts:
        return steps
    needed = {need for step in flow.check_steps(steps) for need in step.needs}
    text = deliver_text(artifacts)
    return [
        step if step.name in needed else step._replace(prompt=f"{step.prompt.rstrip()}\n\n{text}") for step in steps
    ]


def _team(playbook: Playbook) -> str | None:
    """`team_mode: true` has no name; then `team_attach` may have one."""
    names = (playbook.options.get("team_mode"), playbook.options.get("team_attach"))
    return next((name for name in names if isinstance(name, str)), None)


class _Agents:
    """The agents of a playbook's steps."""

    def __init__(self, playbook: Playbook, find_agent: FindAgent, agent: str | None) -> None:
        self._playbook = playbook
        self._find_agent = find_agent
        self._default = agent or next(iter(playbook.agents), None) or playbook.options.get("model")

    def get(self, target: Any = None) -> ResolvedAgent:
        """The agent of a step, or the playbook's, with the playbook's effort and permissions where it sets none."""
        name = target or self._default
        if not isinstance(name, str):
            raise InvalidInput(f"the playbook {self._playbook.name} has no agent", hint="add --agent AGENT")
        agent = self._find_agent(name)
        options = self._playbook.options
        permissions = "all" if options.get("yolo") or options.get("bypass") else options.get("permissions")
        return agent._replace(
            effort=agent.effort or options.get("effort"),
            permissions=agent.permissions or permissions,
            sandbox=agent.sandbox or options.get("sandbox"),
            pass_env=(*agent.pass_env, *words(options.get("pass_env", []))),
        )


def _steps(playbook: Playbook, prompt: str, agents: _Agents) -> list[Step]:
    if playbook.mode == "fanout":
        synthesis = playbook.options.get("with_synthesis")
        judge = agents.get(synthesis if isinstance(synthesis, str) else None) if synthesis else None
        return fanout_steps(agents.get(), prompt, int(playbook.options.get("workers") or _DEFAULT_WORKERS), judge)
    steps = playbook.options.get("steps")
    if playbook.mode == "flow" and isinstance(steps, dict) and steps:
        return [_step(str(name), fields, prompt, agents) for name, fields in steps.items()]
    return [Step("main", agents.get(), prompt)]


def _step(name: str, fields: Any, prompt: str, agents: _Agents) -> Step:
    if not isinstance(fields, dict) or not isinstance(fields.get("prompt"), str):
        raise InvalidInput(f"step {name} has no prompt", hint="write `prompt: …` below its name")
    needs = fields.get("needs") or fields.get("depends_on") or []
    if not isinstance(needs, list):
        raise InvalidInput(f"`needs` of step {name} must be a list of steps")
    agent = agents.get(fields.get("agent") or fields.get("model"))
    return Step(name, agent, fields["prompt"], tuple(map(str, needs)), input=prompt)
