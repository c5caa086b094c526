"""The plan that a director follows: the text of the file, without what a person has not accepted yet."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress

from lionstudio.errors import LionError
from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.model.shows.plan import Plan
from lionstudio.model.shows.plan_changes import FollowedPlan, hold_back
from lionstudio.model.shows.show_files import ACCEPTED_PLAN
from lionstudio.system.atomic_write import write_text
from lionstudio.system.safe_read import read_text


def followed_plan(topic: str, accepted: str | None, text: str) -> FollowedPlan:
    """Compare the text of a plan with the text that a person accepted; without one, this is the first."""
    edited: Plan = load_plan(topic, text)
    if accepted is None or accepted == text:
        return FollowedPlan(edited)
    return hold_back(load_plan(topic, accepted), edited)


def digest_of(text: str) -> str:
    """Return the digest that a decision about a plan names, so that a later edit is not accepted with it."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def find_accepted_plan(show_dir: str, digest: object, text: str) -> str | None:
    """Find the text that a person accepted last, by the digest in the row; None when another program changed it.

    `text` is the plan as it is now. The row has a digest only, because secrets are redacted in rows.
    """
    candidates = [text]
    with suppress(LionError):  # the row is written first, and the process may have been killed since
        candidates.append(read_text(os.path.join(show_dir, ACCEPTED_PLAN)))
    return next((candidate for candidate in candidates if digest_of(candidate) == digest), None)


def save_accepted_plan(show_dir: str, text: str) -> None:
    """Save the text whose digest the row has."""
    write_text(os.path.join(show_dir, ACCEPTED_PLAN), text)
