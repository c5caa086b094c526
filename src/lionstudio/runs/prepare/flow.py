"""Flows: several agents in one session, as steps that wait for each other and use each other's answers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lionstudio.agents.denials import completed
from lionstudio.agents.events import Ended
from lionstudio.errors import InvalidInput
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.prepare.resolve import ResolvedAgent
from lionstudio.runs.run import Result, RunPart, RunSession

_SLOT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)\}")
_INPUT = "input"
MAX_CONCURRENT = 8  # agents of one session at once (default)


class Step(NamedTuple):
    """One agent of a flow; `{name}` in its prompt is replaced by the answer of that step."""

    name: str
    agent: ResolvedAgent
    prompt: str
    needs: tuple[str, ...] = ()
    input: str = ""  # replaces `{input}`; names inside it are not replaced


def check_steps(steps: Iterable[Step]) -> list[Step]:
    """The steps with their needs completed from their prompts; cycles are refused."""
    steps = list(steps)
    names = [step.name for step in steps]
    if _INPUT in names:
        raise InvalidInput(f"a step cannot be named {_INPUT}", hint=f"{{{_INPUT}}} stands for the flow's input")
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise InvalidInput(f"two steps are named {duplicate}", hint="give each step a unique name")
    steps = [step._replace(needs=_needs(step, set(names))) for step in steps]
    for step in steps:
        for need in step.needs:
            if need not in names:
                raise InvalidInput(f"step {step.name} needs {need}, which does not exist")
    waiting = {step.name: set(step.needs) for step in steps}
    while ready := [name for name, needs in waiting.items() if not needs]:
        for name in ready:
            del waiting[name]
        for needs in waiting.values():
            needs.difference_update(ready)
    if waiting:
        raise InvalidInput(f"steps {', '.join(sorted(waiting))} form a cycle")
    return steps


def concurrent_editors(steps: Iterable[Step]) -> list[str]:
    """The checked steps that may edit files at the same time as another one: all agents of a run share one folder."""
    steps = list(steps)
    before: dict[str, set[str]] = {step.name: set(step.needs) for step in steps}
    for _ in steps:
        for needs in before.values():
            needs |= {earlier for need in needs for earlier in before[need]}
    editors = [step.name for step in steps if step.agent.permissions in ("edit", "all")]
    return [
        name
        for name in editors
        if any(name not in before[other] and other not in before[name] for other in editors if other != name)
    ]


def unknown_slots(steps: Iterable[Step]) -> list[str]:
    """Names in braces that are not a step; they reach the agent unchanged."""
    steps = list(steps)
    names = {step.name for step in steps}
    return sorted({slot for step in steps for slot in _SLOT.findall(step.prompt) if slot not in {_INPUT, *names}})


def _needs(step: Step, names: set[str]) -> tuple[str, ...]:
    mentioned = [slot for slot in _SLOT.findall(step.prompt) if slot in names and slot != step.name]
    return tuple(dict.fromkeys([*step.needs, *mentioned]))


def fanout_steps(agent: ResolvedAgent, prompt: str, workers: int, synthesis: ResolvedAgent | None) -> list[Step]:
    """The same task for several workers, and optionally an agent that combines their answers."""
    steps = [Step(f"worker-{number}", agent, prompt) for number in range(1, workers + 1)]
    if synthesis is None:
        return steps
    answers = "\n\n".join(f"Answer of {step.name}:\n{{{step.name}}}" for step in steps)
    question = f"Several workers were asked this:\n{prompt}\n\n{answers}\n\nMake one best answer of these."
    return [*steps, Step("synthesis", synthesis, question, tuple(step.name for step in steps))]


MakePart = Callable[[Step, str], RunPart]


async def run_flow(
    running: RunSession, steps: list[Step], make_part: MakePart, *, max_concurrent: int = MAX_CONCURRENT
) -> Result:
    """Run every step after the steps it needs; a step is skipped when one it needs did not complete."""
    results: dict[str, Result] = {}
    done = {step.name: asyncio.Event() for step in steps}
    slots = asyncio.Semaphore(max_concurrent)

    async def run(step: Step) -> None:
        try:
            for need in step.needs:
                await done[need].wait()
            results[step.name] = await _run_step(running, step, make_part, results, slots)
        finally:
            done[step.name].set()

    try:
        async with asyncio.TaskGroup() as group:
            for step in steps:
                group.create_task(run(step))
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    return _combine(steps, results)


async def _run_step(
    running: RunSession, step: Step, make_part: MakePart, results: Mapping[str, Result], slots: asyncio.Semaphore
) -> Result:
    failed = [need for need in step.needs if results[need].ended.status is not SessionStatus.COMPLETED]
    if failed:
        return Result(
            Ended(SessionStatus.FAILED, 1, None, f"{step.name} needs {failed[0]}, which did not complete"), None
        )
    answers = {need: results[need].answer or "" for need in step.needs}
    if step.input:
        answers[_INPUT] = step.input
    prompt = _SLOT.sub(lambda slot: answers.get(slot[1], slot[0]), step.prompt)
    async with slots:
        if running.stopped is not None:
            return Result(running.stopped, None)
        return await running.execute(make_part(step, prompt))


def _combine(steps: list[Step], results: Mapping[str, Result]) -> Result:
    """The first failure in the order of the steps is the end of the run; the answer is that of the last step."""
    for step in steps:
        ended = results[step.name].ended
        if ended.status is not SessionStatus.COMPLETED:
            detail = ended.detail or f"{step.name} did not complete"
            return Result(ended._replace(detail=f"{step.name}: {detail}"), results[steps[-1].name].answer)
    denied = tuple(tool for step in steps for tool in results[step.name].ended.denied)
    return Result(completed(denied), results[steps[-1].name].answer)
