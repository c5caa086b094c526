"""Merging a play into its show without a checkout: merge-tree, commit-tree, and a ref that moves only from its old value."""

from __future__ import annotations

from dataclasses import dataclass

from lionstudio.shows.places import Repo

__all__ = ["Already", "Clean", "Conflict", "Merged", "integration_tip", "lay_out", "merge", "try_merge"]


@dataclass(frozen=True, slots=True)
class Clean:
    """It merges; `tree` is what would come out, `tip` what it was tried against."""

    tree: str
    tip: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """It does not merge: which files, and git's words about them."""

    files: tuple[str, ...]
    text: str
    tip: str


@dataclass(frozen=True, slots=True)
class Already:
    """It is in there already; `sha` is its merge commit, or the tip for work that needed none."""

    sha: str


@dataclass(frozen=True, slots=True)
class Merged:
    """It was merged now."""

    sha: str


def integration_tip(repo: Repo) -> str:
    """The commit of the integration branch; refuses when it is checked out somewhere or gone."""
    raise NotImplementedError


def try_merge(repo: Repo, tip: str, head: str) -> Clean | Conflict | Already:
    """What merging would give; writes objects and nothing else."""
    raise NotImplementedError


def lay_out(repo: Repo, tree: str, path: str, *, parents: tuple[str, ...] = ()) -> None:
    """Fill a new folder with a tree, as a repository of its own with one commit on top of `parents`; for gates."""
    raise NotImplementedError


def merge(repo: Repo, topic: str, play: str, attempt: int, head: str, title: str) -> Merged | Conflict | Already:
    """Merge a play once, however often it is asked for: found by its trailer, tried again after a lost race."""
    raise NotImplementedError
