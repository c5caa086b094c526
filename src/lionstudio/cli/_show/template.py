"""Find plays whose prompt is still the placeholder of the plan template."""

from __future__ import annotations

import os

from lionstudio.errors import InvalidInput
from lionstudio.files.shows.plan_reader import load_plan, parse_plan
from lionstudio.files.shows.plan_template import PATTERN
from lionstudio.model.shows.plan import Plan
from lionstudio.system.safe_read import read_text


def placeholder_plays(plan: Plan) -> list[str]:
    template, _ = parse_plan("template", PATTERN)
    prompts = {(play.prompt or "").strip() for play in template.plays} if template is not None else set()
    return [play.name for play in plan.plays if (play.prompt or "").strip() in prompts - {""}]


def check_placeholders(topic: str, path: str) -> None:
    """Refuse an invalid plan and one with placeholder prompts; without a file, the director restores it."""
    if not os.path.lexists(path):
        return
    plan = load_plan(topic, read_text(path), path)
    if names := placeholder_plays(plan):
        raise InvalidInput(
            f"plays of {topic} still have placeholder prompts: {', '.join(names)}",
            hint=f"edit {path}, then li show run {topic}",
        )
