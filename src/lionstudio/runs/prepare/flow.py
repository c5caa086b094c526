"""Several agents in one session: steps that wait for each other and pass their answers on, each on its own branch."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lionstudio.agents.events import Ended
from lionstudio.errors import InvalidInput
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.prepare.resolve import ResolvedAgent
from lionstudio.runs.run import Result, RunPart, RunSession

_SLOT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_-]*)\}")
_INPUT = "input"
MOST_AT_ONCE = 8  # agents of one session beside each other, unless the caller says otherwise


class Step(NamedTuple):
    """One agent of a flow; `{name}` in its prompt is the answer of the step of that name."""

    name: str
    who: ResolvedAgent
    prompt: str
    needs: tuple[str, ...] = ()
    given: str = ""  # what `{input}` stands for; never looked through for names itself


def check_steps(steps: Iterable[Step]) -> list[Step]:
    """The steps with what their prompts refer to among their needs; refused when they wait in a circle."""
    given = list(steps)
    names = [step.name for step in given]
    if _INPUT in names:
        raise InvalidInput(f"a step cannot be called {_INPUT}", hint="that is what was given on the command line")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"two steps are called {twice}", hint="give each a name of its own")
    known = [step._replace(needs=_needs(step, set(names))) for step in given]
    for step in known:
        for need in step.needs:
            if need not in names:
                raise InvalidInput(f"the step {step.name} waits for {need}, which does not exist")
    waiting = {step.name: set(step.needs) for step in known}
    while ready := [name for name, needs in waiting.items() if not needs]:
        for name in ready:
            del waiting[name]
        for needs in waiting.values():
            needs.difference_update(ready)
    if waiting:
        raise InvalidInput(f"the steps {', '.join(sorted(waiting))} wait for each other in a circle")
    return known


def unknown_slots(steps: Iterable[Step]) -> list[str]:
    """What stands in braces in a prompt and is no step; it reaches the agent as it is."""
    given = list(steps)
    names = {step.name for step in given}
    return sorted({slot for step in given for slot in _SLOT.findall(step.prompt) if slot not in {_INPUT, *names}})


def _needs(step: Step, names: set[str]) -> tuple[str, ...]:
    mentioned = [slot for slot in _SLOT.findall(step.prompt) if slot in names and slot != step.name]
    return tuple(dict.fromkeys([*step.needs, *mentioned]))


def fanout_steps(who: ResolvedAgent, prompt: str, workers: int, synthesis: ResolvedAgent | None) -> list[Step]:
    """The same task for several workers, and one who makes a whole of their answers."""
    each = [Step(f"worker-{number}", who, prompt) for number in range(1, workers + 1)]
    if synthesis is None:
        return each
    answers = "\n\n".join(f"Answer of {step.name}:\n{{{step.name}}}" for step in each)
    asked = f"Several workers were asked this:\n{prompt}\n\n{answers}\n\nMake one best answer of these."
    return [*each, Step("synthesis", synthesis, asked, tuple(step.name for step in each))]


MakePart = Callable[[Step, str], RunPart]


async def play_flow(
    running: RunSession, steps: list[Step], make_part: MakePart, *, at_once: int = MOST_AT_ONCE
) -> Result:
    """Run every step after the ones it needs; what needs a step that failed is not started."""
    results: dict[str, Result] = {}
    done = {step.name: asyncio.Event() for step in steps}
    room = asyncio.Semaphore(at_once)

    async def play(step: Step) -> None:
        try:
            for need in step.needs:
                await done[need].wait()
            results[step.name] = await _play_step(running, step, make_part, results, room)
        finally:
            done[step.name].set()

    try:
        async with asyncio.TaskGroup() as group:
            for step in steps:
                group.create_task(play(step))
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    return _whole(steps, results)


async def _play_step(
    running: RunSession, step: Step, make_part: MakePart, results: Mapping[str, Result], room: asyncio.Semaphore
) -> Result:
    failed = [need for need in step.needs if results[need].ended.status is not SessionStatus.COMPLETED]
    if failed:
        return Result(
            Ended(SessionStatus.FAILED, 1, None, f"{step.name} needs {failed[0]}, which did not complete"), None
        )
    answers = {need: results[need].answer or "" for need in step.needs}
    if step.given:
        answers[_INPUT] = step.given
    prompt = _SLOT.sub(lambda slot: answers.get(slot[1], slot[0]), step.prompt)
    async with room:
        if running.stopped is not None:
            return Result(running.stopped, None)
        return await running.execute(make_part(step, prompt))


def _whole(steps: list[Step], results: Mapping[str, Result]) -> Result:
    """The first failure in the order of the steps decides; the answer is that of the last step."""
    for step in steps:
        ended = results[step.name].ended
        if ended.status is not SessionStatus.COMPLETED:
            detail = ended.detail or f"{step.name} did not complete"
            return Result(ended._replace(detail=f"{step.name}: {detail}"), results[steps[-1].name].answer)
    return Result(Ended(SessionStatus.COMPLETED, 0), results[steps[-1].name].answer)
