"""Changes of a show that wait for a person: an edit that weakens its plan, commits that it did not make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lionstudio.errors import LionError
from lionstudio.files.shows.followed_plan import digest_of, find_accepted_plan, followed_plan


class HeldBack(NamedTuple):
    """Subjects of a decision about the whole show, besides its end."""

    plan: str | None = None  # digest of the edited plan
    commits: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()  # merges that are missing from the integration branch
    lines: tuple[str, ...] = ()  # each change in words

    @property
    def shas(self) -> tuple[str, ...]:
        """The commits that a decision names: those of others, and lost ones of the show."""
        return (*self.commits, *self.dropped)


def find_held_back(topic: str, folder: str, text: str, facts: Mapping[str, Any]) -> HeldBack | None:
    """Find what waits for a person, by the text of the plan and the facts of the row; None for nothing."""
    accepted = find_accepted_plan(folder, facts.get("accepted_plan"), text)
    changes = () if accepted in (None, text) else _held_changes(topic, accepted, text)
    commits = tuple(map(str, facts.get("foreign_commits") or ()))
    dropped = tuple(map(str, facts.get("dropped_merges") or ()))
    lines = (
        *(f"plan: {change}" for change in changes),
        *(f"commit {sha} on the integration branch, which no gate has checked" for sha in commits),
        *(f"merge {sha} is missing from the integration branch; its work is lost" for sha in dropped),
    )
    return HeldBack(digest_of(text) if changes else None, commits, dropped, lines) if lines else None


def _held_changes(topic: str, accepted: str | None, text: str) -> tuple[str, ...]:
    """List the changes of a plan that are not followed; none for a plan that is refused as a whole."""
    try:
        return followed_plan(topic, accepted, text).held
    except LionError:
        return ()
