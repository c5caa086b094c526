"""The template of a new plan, and a function that sets single keys without touching the other lines."""

from __future__ import annotations

import json
from collections.abc import Mapping

from lionstudio.errors import InvalidInput
from lionstudio.files.formats.frontmatter import split

PATTERN = """\
---
agent: claude            # runs every play that does not name its own agent or playbook
concurrency: 4           # maximum plays running at once
max_attempts: 3          # attempts per play before it is handed to you
# permissions: all       # let agents run commands such as the tests (default: edit)
# remote: origin         # let the workers of your hub play it (docs/workers.md)
gates:                   # checks of every play's merge result, in this order
  # - command: make test
  # - review: claude     # an agent that gives a verdict
  # - person             # your approval: li show approve TOPIC PLAY
plays:
  - name: first
    prompt: |
      Describe the task for the agent.
  - name: second
    depends_on: [first]
    prompt: |
      Describe the task that starts after `first` is merged.
---

Notes about this show: its purpose, decisions and results. You can edit this file at any time: a running
director reads changed plays at its next step.
"""


def with_fields(text: str, fields: Mapping[str, str]) -> str:
    """Set keys of the front matter; the lines of existing keys are replaced, all others stay."""
    front = split(text)
    lines = text.splitlines(keepends=True)
    if not front.lines:
        keys = "".join(_line(name, value) for name, value in fields.items())
        return f"---\n{keys}---\n\n{text}" if fields else text
    added = ""
    for name, value in fields.items():
        value_before = front.fields.get(name)
        if name not in front.fields:
            added += _line(name, value)
        elif value_before != value:
            lines[_find_line(name, value_before, front.lines)] = _line(name, value)
    opening = next(number for number, line in enumerate(lines) if line.strip() == "---")
    lines.insert(opening + 1, added)
    return "".join(lines)


def _find_line(name: str, value: object, lines: Mapping[tuple[str | int, ...], int]) -> int:
    """Return the index of the line of a key whose value is on the same line."""
    number = lines[(name,)]
    following = min((line for path, line in lines.items() if len(path) == 1 and line > number), default=number + 1)
    if following > number + 1 and isinstance(value, str) and "\n" in value:
        raise InvalidInput(f"the value of {name} in the plan has several lines", hint="edit the plan by hand")
    return number - 1


def _line(name: str, value: str) -> str:
    # a JSON string is always a valid YAML string
    plain = value.isascii() and all(char.isalnum() or char in "/._- " for char in value) and value[:1].isalpha()
    return f"{name}: {value if plain or (value.startswith('/') and ' ' not in value) else json.dumps(value)}\n"
