"""Skills: a folder with a SKILL.md that describes the skill. Skills are listed, never run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.files.formats import field_rules
from lionstudio.files.formats.field_rules import Problem, check_fields, valid_fields, warning
from lionstudio.files.formats.frontmatter import split

FILE = "SKILL.md"
RULES = {"name": field_rules.text, "description": field_rules.text}


class Skill(NamedTuple):
    name: str
    description: str | None
    body: str
    extra: Mapping[str, Any]


def parse(name: str, text: str) -> tuple[Skill, list[Problem]]:
    """Parse a SKILL.md and list its problems; BadYaml when the front matter cannot be read."""
    front = split(text)
    problems = list(check_fields(front.fields, RULES, front.lines))
    if not front.fields.get("description"):
        problems.append(warning(None, "the description is missing", "say in the front matter when to use the skill"))
    valid = valid_fields(front.fields, RULES)
    extra = {key: value for key, value in front.fields.items() if key not in RULES}
    return Skill(valid.get("name", name), valid.get("description"), front.body, extra), problems
