"""Suggest the existing name that a misspelled one probably means."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, names: Iterable[str]) -> str | None:
    from difflib import get_close_matches  # slow to load, and only needed after a mistake

    return next(iter(get_close_matches(name, list(names), n=1)), None)


def did_you_mean(name: str, names: Iterable[str], otherwise: str) -> str:
    """Return a hint with the nearest name, or another hint when none is near."""
    match = nearest(name, names)
    return f"did you mean {match}?" if match else otherwise
