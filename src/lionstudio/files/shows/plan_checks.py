"""Check a plan as a whole: its dependency graph, and the agents and playbooks that it names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from lionstudio.files.formats.field_rules import Problem, error
from lionstudio.files.formats.suggest import did_you_mean
from lionstudio.model.shows.plan import Plan, PlannedPlay, integration_branch
from lionstudio.system.filenames import shown


def check_graph(plan: Plan) -> Iterator[Problem]:
    """Report duplicate names, missing dependencies, cycles and a different integration branch."""
    first: dict[str, PlannedPlay] = {}
    for play in plan.plays:
        other = first.setdefault(play.name, play)
        if other is not play:
            where = f"; the first is on line {other.line}" if other.line else ""
            yield error(play.line, f"duplicate play name {play.name}{where}", "rename one of them")
        for need in play.depends_on:
            if need not in plan:
                yield error(
                    play.line,
                    f"{play.name} depends on {shown(need)!r:.80}, which is not a play of this show",
                    did_you_mean(need, plan.names, f"its plays: {', '.join(plan.names)[:200]}"),
                )
    yield from _check_cycles(plan)
    yield from _check_integration(plan)


def _check_cycles(plan: Plan) -> Iterator[Problem]:
    """Report each cycle once, with every play in it."""
    needs = {play.name: [need for need in play.depends_on if need in plan] for play in plan.plays}
    acyclic: set[str] = set()
    while ready := [name for name in needs if name not in acyclic and acyclic.issuperset(needs[name])]:
        acyclic.update(ready)
    reported: set[str] = set()
    for name in needs:
        if name in acyclic or name in reported:
            continue
        cycle = _find_cycle(name, needs, acyclic)
        if reported.isdisjoint(cycle):
            path = " → ".join([*cycle, cycle[0]])
            yield error(plan.play(cycle[0]).line, f"dependency cycle: {path}", "remove one of the dependencies")
        reported.update(cycle, [name])


def _find_cycle(name: str, needs: Mapping[str, list[str]], acyclic: set[str]) -> list[str]:
    """Follow the dependencies of a play that is not acyclic: they end in a cycle."""
    path = [name]
    while (need := next(need for need in needs[path[-1]] if need not in acyclic)) not in path:
        path.append(need)
    return path[path.index(need) :]


def _check_integration(plan: Plan) -> Iterator[Problem]:
    """Refuse any other name: everything that reads the work of a show derives it from the topic."""
    own = integration_branch(plan.topic)
    if plan.integration_branch != own:
        other = shown(plan.integration_branch)
        yield error(
            1,
            f"integration_branch must be {own}, not {other!r:.80}",
            f"remove integration_branch; when the show is done: git branch {other:.80} {own}",
        )


def check_plan(plan: Plan, playbooks: Collection[str], agents: Collection[str]) -> list[Problem]:
    """Report playbooks and agents that are not defined here; `provider/model` needs no agent."""
    problems = []
    for play in plan.plays:
        if play.playbook is not None and not _has(play.playbook, playbooks):
            hint = did_you_mean(play.playbook, playbooks, "li playbooks ls")
            problems.append(
                error(play.line, f"{play.name}: playbook {shown(play.playbook)!r:.80} does not exist", hint)
            )
        agent = play.agent or (plan.agent if play.playbook is None else None)
        if agent is None and play.playbook is None:
            problems.append(
                error(play.line, f"{play.name} has no agent", "add `agent: NAME` to the play or to the show")
            )
        elif agent is not None and not _has_agent(agent, agents):
            hint = did_you_mean(agent, agents, "li agents ls")
            problems.append(error(play.line, f"{play.name}: agent {shown(agent)!r:.80} does not exist", hint))
    gates = [gate for play in plan.plays for gate in play.gates or ()]
    for gate in (*plan.gates, *plan.final_gates, *gates):
        if gate.agent is not None and not _has_agent(gate.agent, agents):
            hint = did_you_mean(gate.agent, agents, "li agents ls")
            problems.append(error(gate.line, f"the reviewing agent {shown(gate.agent)!r:.80} does not exist", hint))
    return problems


def _has(name: str, names: Collection[str]) -> bool:
    return name.replace("_", "-") in {other.replace("_", "-") for other in names}


def _has_agent(name: str, agents: Collection[str]) -> bool:
    return _has(name, agents) or _has(name.partition("/")[0], agents)
