"""A gate that is an agent: what it is asked, and how its answer becomes a verdict."""

from __future__ import annotations

from collections.abc import Callable

from lionstudio.model.plans import Gate
from lionstudio.shows.gates import Verdict
from lionstudio.shows.places import Repo

__all__ = ["review", "review_prompt"]


def review_prompt(repo: Repo, gate: Gate, *, task: str, base: str, head: str) -> str:
    """What a reviewer is asked: the task, the change (bounded), and the shape of the answer."""
    raise NotImplementedError


def review(gate: Gate, prompt: str, ask: Callable[[str], str]) -> Verdict:
    """Ask, and ask once more when the answer is no verdict; a second one that is none fails the gate and says so."""
    raise NotImplementedError
