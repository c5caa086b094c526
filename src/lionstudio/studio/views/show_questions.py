"""What the director of a show asked about the show itself: a budget that is used up, the last word of a person.

It writes each question and each answer as a line of `_decisions.jsonl`; the last question without an answer is open.
"""

from __future__ import annotations

import os
import re
from enum import Enum, auto
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.model.json_codec import load_or_keep
from lionstudio.system.safe_read import is_within

LOG = "_decisions.jsonl"
_TAIL = 65_536  # bytes: the last words are enough
# The sentences of shows/director/rules.py and shows/director/machine.py; a test holds them together.
_BUDGET = re.compile(r"the budget of (tokens|money|time) is used up")
_LAST_WORD = "the final gates passed"


class Question(Enum):
    """What is asked: each kind has other answers."""

    BUDGET = auto()
    LAST_WORD = auto()
    OTHER = auto()


class Asked(NamedTuple):
    """An open question."""

    reason: str
    at: float | None

    @property
    def question(self) -> Question:
        """Its kind, by its words."""
        if self.part is not None:
            return Question.BUDGET
        return Question.LAST_WORD if self.reason.startswith(_LAST_WORD) else Question.OTHER

    @property
    def part(self) -> str | None:
        """Of what there is nothing left: tokens, money or time."""
        found = _BUDGET.match(self.reason)
        return found[1] if found else None


def open_question(show_dir: str) -> Asked | None:
    """The question about a show that nobody has answered yet."""
    found: Asked | None = None
    for line in _last_lines(show_dir):
        said = load_or_keep(line)
        if not isinstance(said, dict) or said.get("play") is not None:
            continue
        if said.get("what") == "asked" and isinstance(said.get("reason"), str):
            at = said.get("logged_at")
            found = Asked(said["reason"], at if isinstance(at, (int, float)) else None)
        elif said.get("what") == "decision":
            found = None
    return found


def _last_lines(show_dir: str) -> list[str]:
    path = os.path.join(show_dir, LOG)
    try:
        if not os.path.isfile(path) or not is_within(path, show_dir):
            return []
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            return file.read(_TAIL).decode("utf-8", "replace").splitlines()
    except (OSError, LionError):
        return []
