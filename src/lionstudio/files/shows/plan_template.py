"""The head of a plan as text: a pattern to start from, and single keys set without touching what stands around."""

from __future__ import annotations

import json
from collections.abc import Mapping

from lionstudio.errors import InvalidInput
from lionstudio.files.formats.frontmatter import split

PATTERN = """\
---
agent: claude            # who plays, unless a play or its playbook says otherwise
concurrency: 4           # plays at a time
max_attempts: 3          # of each play, before you are asked
gates:                   # looked through in this order for every play, on the merge result
  # - command: make test
  # - review: claude     # an agent that gives a verdict
  # - person             # you: li show approve TOPIC PLAY
plays:
  - name: first
    prompt: |
      What the agent is to do.
  - name: second
    depends_on: [first]
    prompt: |
      What comes after the first is merged.
---

Why this show exists, what was decided, what came out. Edit it whenever you like: a director takes
up changed plays at its next step.
"""


def with_fields(text: str, fields: Mapping[str, str]) -> str:
    """The text with keys of its head set; lines that say them already are replaced, others stay as they are."""
    head = split(text)
    lines = text.splitlines(keepends=True)
    if not head.lines:
        written = "".join(_line(name, value) for name, value in fields.items())
        return f"---\n{written}---\n\n{text}" if fields else text
    added = ""
    for name, value in fields.items():
        before = head.fields.get(name)
        if name not in head.fields:
            added += _line(name, value)
        elif before != value:
            lines[_place(name, before, head.lines)] = _line(name, value)
    opening = next(number for number, line in enumerate(lines) if line.strip() == "---")
    lines.insert(opening + 1, added)
    return "".join(lines)


def _place(name: str, before: object, where: Mapping[tuple[str | int, ...], int]) -> int:
    """The number of the line that holds a key with its whole value."""
    number = where[(name,)]
    following = min((line for path, line in where.items() if len(path) == 1 and line > number), default=number + 1)
    if following > number + 1 and isinstance(before, str) and "\n" in before:
        raise InvalidInput(f"{name} has several lines in that plan", hint="change it there by hand")
    return number - 1


def _line(name: str, value: str) -> str:
    # a JSON string is a YAML string, whatever it holds
    plain = value.isascii() and all(sign.isalnum() or sign in "/._- " for sign in value) and value[:1].isalpha()
    return f"{name}: {value if plain or (value.startswith('/') and ' ' not in value) else json.dumps(value)}\n"
