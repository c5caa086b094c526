"""The strict reader of `_show.md`: every mistake is told with its line, and nothing is guessed.

`files/shows.py` is the lenient one, for folders that other tools wrote.
"""

from __future__ import annotations

from collections.abc import Collection

from lionstudio.files.problems import Problem
from lionstudio.model.plans import Plan


def read_plan(path: str) -> Plan:
    """The plan of a file whose folder is the topic; InvalidInput says `file:line` for the first mistake."""
    raise NotImplementedError


def parse_plan(topic: str, text: str) -> tuple[Plan | None, list[Problem]]:
    """The plan of a text with everything that is wrong with it; None when an error leaves no plan."""
    raise NotImplementedError


def check_plan(plan: Plan, playbooks: Collection[str], agents: Collection[str]) -> list[Problem]:
    """What the plan names and this machine does not have; each with its line."""
    raise NotImplementedError


def write_plan(path: str, plan: Plan, body: str = "") -> str:
    """Write a plan as front matter over a text; what was written."""
    raise NotImplementedError
