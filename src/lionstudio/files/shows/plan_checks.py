"""What must hold between the parts of a plan, and what it names that this machine does not have."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from lionstudio.files.formats.field_rules import Problem, error
from lionstudio.model.shows.plan import Plan, PlannedPlay, integration_branch
from lionstudio.system.filenames import shown


def check_graph(plan: Plan) -> Iterator[Problem]:
    """Names that stand twice, dependencies that do not exist, circles, another integration branch."""
    first: dict[str, PlannedPlay] = {}
    for play in plan.plays:
        other = first.setdefault(play.name, play)
        if other is not play:
            where = f"; the first is on line {other.line}" if other.line else ""
            yield error(play.line, f"there are two plays {play.name}{where}", "give one another name")
        for need in play.depends_on:
            if need not in plan.names:
                yield error(
                    play.line,
                    f"{play.name} depends on {shown(need)!r:.80}, which is no play of this show",
                    nearest(need, plan.names, f"its plays: {', '.join(plan.names)[:200]}"),
                )
    yield from _check_circles(plan)
    yield from _check_integration(plan)


def _check_circles(plan: Plan) -> Iterator[Problem]:
    """One complaint a circle, with every play on it."""
    needs = {play.name: [need for need in play.depends_on if need in plan.names] for play in plan.plays}
    free: set[str] = set()
    while ready := [name for name in needs if name not in free and free.issuperset(needs[name])]:
        free.update(ready)
    told: set[str] = set()
    for name in needs:
        if name in free or name in told:
            continue
        circle = _circle(name, needs, free)
        if told.isdisjoint(circle):
            way = " → ".join([*circle, circle[0]])
            yield error(
                plan.play(circle[0]).line, f"these wait for each other: {way}", "remove one of the dependencies"
            )
        told.update(circle, [name])


def _circle(name: str, needs: Mapping[str, list[str]], free: set[str]) -> list[str]:
    """The circle that a play waits for; every play that is not free leads to one."""
    way = [name]
    while (following := next(need for need in needs[way[-1]] if need not in free)) not in way:
        way.append(following)
    return way[way.index(following) :]


def _check_integration(plan: Plan) -> Iterator[Problem]:
    """Its name follows from the topic: everything that looks for the work of a show relies on it."""
    own = integration_branch(plan.topic)
    if plan.integration_branch != own:
        other = shown(plan.integration_branch)
        yield error(
            1,
            f"the work comes together in {own}, it cannot be {other!r:.80}",
            f"leave integration_branch out; afterwards `git branch {other:.80} {own}` gives it that name",
        )


def check_plan(plan: Plan, playbooks: Collection[str], agents: Collection[str]) -> list[Problem]:
    """What the plan names and this machine does not have; each with its line. `provider/model` needs no agent."""
    found = []
    for play in plan.plays:
        if play.playbook is not None and not _has(play.playbook, playbooks):
            hint = nearest(play.playbook, playbooks, "`li playbooks ls` lists them")
            found.append(error(play.line, f"{play.name}: there is no playbook {shown(play.playbook)!r:.80}", hint))
        agent = play.agent or (plan.agent if play.playbook is None else None)
        if agent is None and play.playbook is None:
            found.append(error(play.line, f"nobody plays {play.name}", "write `agent: NAME` there, or for the show"))
        elif agent is not None and not _has_agent(agent, agents):
            hint = nearest(agent, agents, "`li agents ls` lists them")
            found.append(error(play.line, f"{play.name}: there is no agent {shown(agent)!r:.80}", hint))
    gates = [gate for play in plan.plays for gate in play.gates or ()]
    for gate in (*plan.gates, *plan.final_gates, *gates):
        if gate.agent is not None and not _has_agent(gate.agent, agents):
            hint = nearest(gate.agent, agents, "`li agents ls` lists them")
            found.append(error(gate.line, f"there is no agent {shown(gate.agent)!r:.80} to review", hint))
    return found


def _has(name: str, known: Collection[str]) -> bool:
    return name.replace("_", "-") in {each.replace("_", "-") for each in known}


def _has_agent(name: str, agents: Collection[str]) -> bool:
    return _has(name, agents) or _has(name.partition("/")[0], agents)


def nearest(name: str, known: Collection[str], otherwise: str) -> str:
    """The word that was probably meant, else what to do instead."""
    from difflib import get_close_matches  # slow to load, and only needed after a mistake

    near = get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]}?" if near else otherwise
