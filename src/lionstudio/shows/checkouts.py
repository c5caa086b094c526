"""The checkout of a play: made from the integration branch, kept for every attempt, removed when its merge is proven."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lionstudio.model.plans import Command
from lionstudio.shows.places import Checkout, Repo

__all__ = ["Collected", "Place", "collect", "hand_back_conflict", "prepare", "prune_checkouts", "remove"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What `prepare` needs to know about a play."""

    repo: Repo
    play: str
    copy: tuple[str, ...] = ()
    setup: tuple[Command, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)  # of the setup commands; scrubbed by the caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What an attempt left: one commit that holds it all. With problems it must not be merged."""

    head: str
    changed: tuple[str, ...] = ()  # against the play's base; () for a play that did nothing
    problems: tuple[str, ...] = ()  # each a sentence for the agent's next attempt
    left_out: tuple[str, ...] = ()  # files that only the agent's own git could have committed (filters, submodules)


def prepare(place: Place) -> Checkout:
    """The checkout of a play, made or found again, with copies and setup done. Raises when setup fails."""
    raise NotImplementedError


def collect(checkout: Checkout, message: str, *, attempt: int) -> Collected:
    """Everything the agent left, committed or not, as a commit in the user's repository under branch and archive ref.

    The agent's processes must have ended. Nothing of the checkout's own git configuration is used.
    """
    raise NotImplementedError


def hand_back_conflict(checkout: Checkout, head: str, tip: str) -> tuple[str, ...]:
    """Leave the checkout in the middle of merging `tip` into the collected `head`; gives the conflicted files."""
    raise NotImplementedError


def remove(
    checkout: Checkout, *, teardown: tuple[Command, ...] = (), env: Mapping[str, str] | None = None
) -> str | None:
    """Remove a checkout whose work is proven merged; otherwise leave it and give the reason."""
    raise NotImplementedError


def prune_checkouts(repo: Repo) -> Mapping[str, str]:
    """Remove what a finished show left; gives the plays whose checkouts stay, with the reason."""
    raise NotImplementedError
