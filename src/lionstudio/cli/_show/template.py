"""Find plays whose prompt is still the placeholder of the plan template."""

from __future__ import annotations

from lionstudio.errors import InvalidInput, LionError
from lionstudio.files.shows.plan_reader import parse_plan
from lionstudio.files.shows.plan_template import PATTERN
from lionstudio.model.shows.plan import Plan
from lionstudio.system.safe_read import read_text


def placeholder_plays(plan: Plan) -> list[str]:
    template, _ = parse_plan("template", PATTERN)
    prompts = {(play.prompt or "").strip() for play in template.plays} if template is not None else set()
    return [play.name for play in plan.plays if (play.prompt or "").strip() in prompts - {""}]


def check_placeholders(topic: str, path: str) -> None:
    """Refuse a plan with placeholder prompts; the director reports an unreadable plan."""
    try:
        plan, _ = parse_plan(topic, read_text(path))
    except LionError:
        return
    if plan is not None and (names := placeholder_plays(plan)):
        raise InvalidInput(
            f"plays of {topic} still have placeholder prompts: {', '.join(names)}",
            hint=f"edit {path}, then li show run {topic}",
        )
