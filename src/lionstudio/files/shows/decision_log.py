"""The open question of a show, read from the end of `_decisions.jsonl`."""

from __future__ import annotations

import os

from lionstudio.errors import LionError
from lionstudio.model.shows.decisions import Question, parse_open_question
from lionstudio.model.shows.show_files import DECISION_LOG
from lionstudio.system.safe_read import is_within

_TAIL = 65_536  # bytes; an open question is near the end


def find_open_question(show_dir: str) -> Question | None:
    """Return the question about the show that has no answer yet; an unreadable log counts as empty."""
    path = os.path.join(show_dir, DECISION_LOG)
    try:
        if not os.path.isfile(path) or not is_within(path, show_dir):
            return None
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            return parse_open_question(file.read(_TAIL).decode("utf-8", "replace").splitlines())
    except (OSError, LionError):
        return None
