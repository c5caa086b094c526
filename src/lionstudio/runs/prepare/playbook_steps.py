"""From a playbook to the agents that play it: its prompt with its arguments, its mode, who runs each step.

Nothing is started or written here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.files.definitions.catalog import get_definition, load_value
from lionstudio.files.definitions.playbooks import Playbook, bind, render, unknown_slots
from lionstudio.runs.prepare import flow
from lionstudio.runs.prepare.flow import Step, fanout_steps
from lionstudio.runs.prepare.resolve import ResolvedAgent
from lionstudio.settings import Settings

FindWho = Callable[[str], ResolvedAgent]
_USUAL_WORKERS = 3


class Planned(NamedTuple):
    """A playbook ready to be run."""

    name: str
    steps: list[Step]
    timeout: float | None
    team: str | None  # that its agents write to each other in
    unknown: list[str]  # what stands in braces and names nothing; it reaches the agent as it is


def get_playbook(name: str, settings: Settings, cwd: str) -> Playbook:
    """The playbook of a name; NotFound, or InvalidInput when it cannot be read."""
    playbook = load_value(get_definition("playbook", name, settings.home, cwd))
    assert isinstance(playbook, Playbook)
    return playbook


def plan_playbook(
    playbook: Playbook, text: str, values: Mapping[str, str], find_who: FindWho, *, agent: str | None = None
) -> Planned:
    """The steps of a playbook for one input; `agent` runs it instead of the playbook's own."""
    prompt = render(playbook, text, bind(playbook, values))
    steps = _steps(playbook, prompt, _Cast(playbook, find_who, agent))
    of_prompt = unknown_slots(playbook.prompt, playbook.args) if playbook.mode != "flow" else []
    of_steps = flow.unknown_slots(steps) if len(steps) > 1 else []
    unknown = list(dict.fromkeys([*of_prompt, *of_steps]))
    return Planned(playbook.name, steps, playbook.options.get("timeout"), _team(playbook), unknown)


def _team(playbook: Playbook) -> str | None:
    """`team_mode: true` alone names none; then `team_attach` may."""
    given = (playbook.options.get("team_mode"), playbook.options.get("team_attach"))
    return next((name for name in given if isinstance(name, str)), None)


class _Cast:
    """Who plays what."""

    def __init__(self, playbook: Playbook, find_who: FindWho, agent: str | None) -> None:
        self._playbook = playbook
        self._find_who = find_who
        self._usual = agent or next(iter(playbook.agents), None) or playbook.options.get("model")

    def who(self, target: Any = None) -> ResolvedAgent:
        """The agent of a step, else the playbook's; how hard and how freely it works is the playbook's to say."""
        named = target or self._usual
        if not isinstance(named, str):
            raise InvalidInput(f"the playbook {self._playbook.name} does not say who runs it", hint="add --agent AGENT")
        found = self._find_who(named)
        options = self._playbook.options
        free = "all" if options.get("yolo") or options.get("bypass") else None
        return found._replace(effort=found.effort or options.get("effort"), permissions=found.permissions or free)


def _steps(playbook: Playbook, prompt: str, cast: _Cast) -> list[Step]:
    if playbook.mode == "fanout":
        synthesis = playbook.options.get("with_synthesis")
        judge = cast.who(synthesis if isinstance(synthesis, str) else None) if synthesis else None
        return fanout_steps(cast.who(), prompt, int(playbook.options.get("workers") or _USUAL_WORKERS), judge)
    listed = playbook.options.get("steps")
    if playbook.mode == "flow" and isinstance(listed, dict) and listed:
        return [_step(str(name), given, prompt, cast) for name, given in listed.items()]
    return [Step("main", cast.who(), prompt)]


def _step(name: str, given: Any, prompt: str, cast: _Cast) -> Step:
    if not isinstance(given, dict) or not isinstance(given.get("prompt"), str):
        raise InvalidInput(f"the step {name} has no prompt", hint="write `prompt: …` below its name")
    needs = given.get("needs") or given.get("depends_on") or []
    if not isinstance(needs, list):
        raise InvalidInput(f"`needs` of the step {name} must be a list of steps")
    agent = cast.who(given.get("agent") or given.get("model"))
    return Step(name, agent, given["prompt"], tuple(map(str, needs)), given=prompt)
