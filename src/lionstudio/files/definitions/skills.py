"""Skills: a folder with a SKILL.md that says what the skill is for. Shown, never run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.files.formats import field_rules
from lionstudio.files.formats.field_rules import Problem, check_fields, valid_fields, warning
from lionstudio.files.formats.frontmatter import split

FILE = "SKILL.md"
RULES = {"name": field_rules.text, "description": field_rules.text}


class Skill(NamedTuple):
    """What a skill says about itself."""

    name: str
    description: str | None
    body: str
    extra: Mapping[str, Any]


def parse(name: str, text: str) -> tuple[Skill, list[Problem]]:
    """The skill of a text, with everything that is wrong with it; BadYaml when nothing can be read."""
    head = split(text)
    found = list(check_fields(head.fields, RULES, head.lines))
    if not head.fields.get("description"):
        found.append(warning(None, "there is no description", "say in the head when the skill is to be used"))
    good = valid_fields(head.fields, RULES)
    extra = {key: value for key, value in head.fields.items() if key not in RULES}
    return Skill(good.get("name", name), good.get("description"), head.body, extra), found
