"""The mark of a director that rests: nothing continues without a person, and it has read these decisions.

Without it, a process that watches the show could not tell a decision that changed nothing from one not read yet.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress

from lionstudio.model.shows.show_files import RESTING
from lionstudio.shows.process.lock import has_director
from lionstudio.shows.records.decisions import find_decision
from lionstudio.system.atomic_write import write_text
from lionstudio.system.json_read import find_object


def mark_resting(show_dir: str, decisions: Iterable[str]) -> None:
    """Save that the director rests, with the ids of all decisions that it has read."""
    write_text(os.path.join(show_dir, RESTING), json.dumps({"decisions": sorted(decisions)}) + "\n")


def clear_resting(show_dir: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(os.path.join(show_dir, RESTING))


def is_director_busy(show_dir: str, plays: Iterable[str]) -> bool:
    """Return whether a director runs that has work to do, or a decision to read."""
    if not has_director(show_dir):
        return False
    mark = find_object(os.path.join(show_dir, RESTING))
    if mark is None:
        return True
    decisions = (find_decision(show_dir, play) for play in (*plays, None))
    return not {decision.id for decision in decisions if decision is not None} <= set(mark.get("decisions") or ())
