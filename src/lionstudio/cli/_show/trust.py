"""Refuse a show before it starts when its agents are defined in a repository that is not trusted."""

from __future__ import annotations

from collections.abc import Iterator

from lionstudio.errors import LionError
from lionstudio.files.definitions.catalog import find_definition, find_untrusted, untrusted_error
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.model.providers import find_provider
from lionstudio.model.shows.plan import Plan
from lionstudio.settings import Settings
from lionstudio.system.safe_read import read_text


def check_trust(topic: str, path: str, settings: Settings) -> None:
    """Raise InvalidInput with the command that trusts the repository; other mistakes are the director's to report."""
    try:
        plan, _ = parse_plan(topic, read_text(path))
    except LionError:
        return  # no file: the rows have the plan
    if plan is None or plan.repo is None:
        return
    for kind, name in _definitions(plan):
        if "/" in name or (kind == "agent" and find_provider(name) is not None):
            continue
        if find_definition(kind, name, settings.home, plan.repo) is None:
            place = find_untrusted(kind, name, settings.home, plan.repo)
            if place is not None:
                raise untrusted_error(kind, name, place)


def _definitions(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the agents and playbooks that the plan names."""
    gates = [*plan.gates, *plan.final_gates, *(gate for play in plan.plays for gate in play.gates or ())]
    agents = [plan.agent, *(play.agent for play in plan.plays), *(gate.agent for gate in gates)]
    yield from (("agent", name) for name in dict.fromkeys(agents) if name)
    yield from (("playbook", name) for name in dict.fromkeys(play.playbook for play in plan.plays) if name)
