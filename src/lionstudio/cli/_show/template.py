"""What of a plan is still the pattern's: prompts that ask an agent for nothing."""

from __future__ import annotations

from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.files.shows.plan_template import PATTERN
from lionstudio.model.shows.plan import Plan
from lionstudio.system.safe_read import read_text


def unwritten(plan: Plan) -> list[str]:
    """The plays whose prompt nobody has written yet."""
    pattern, _ = parse_plan("pattern", PATTERN)
    prompts = {(play.prompt or "").strip() for play in pattern.plays} if pattern is not None else set()
    return [play.name for play in plan.plays if (play.prompt or "").strip() in prompts - {""}]


def refuse_unwritten(topic: str, path: str) -> None:
    """A plan that was not edited is not run; one that cannot be read is its director's to tell."""
    try:
        plan, _ = parse_plan(topic, read_text(path))
    except LionError:
        return
    if plan is not None and (names := unwritten(plan)):
        raise InvalidInput(
            f"the plan of {topic} does not say yet what is to be done: {', '.join(names)}",
            hint=f"edit {path}, then run it",
        )
