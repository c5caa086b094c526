"""A person's word about a play or a show, as a file that any process may write and a director picks up.

`{play}/_decision.json` holds the last word about a play, `_decision.json` in the show's folder the one about the show,
`_decisions.jsonl` every word and every edit of the plan in their order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lionstudio.shows.cues import Word

DECISION, LOG = "_decision.json", "_decisions.jsonl"


class Decision(NamedTuple):
    """One word. It is taken up once, by its id; one about an attempt that is past is void."""

    id: str
    word: Word
    attempt: int | None = None  # None: about the show
    feedback: str | None = None
    by: str | None = None
    at: float | None = None
    budget: dict[str, int] | None = None  # a new limit for what was used up: tokens, cost_microusd, seconds


def decide(show_dir: str, play: str | None, decision: Decision) -> None:
    """Leave a word; it is logged first."""
    raise NotImplementedError


def find_decision(show_dir: str, play: str | None) -> Decision | None:
    """The last word about a play, or about the show; None when there is none that can be read."""
    raise NotImplementedError


def log(show_dir: str, what: str, **facts: Any) -> None:
    """Add a line to what was decided."""
    raise NotImplementedError
