"""The user's repository: looked at before a show, and given the show's first ref. Nothing else of it is touched."""

from __future__ import annotations

from dataclasses import dataclass

from lionstudio.shows.places import Repo

__all__ = ["Inspected", "begin", "inspect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspected:
    """What a look at a repository found; `problems` keep a show from starting, `warnings` do not."""

    path: str
    git_dir: str
    base_branch: str | None  # short name; None when HEAD is detached and no branch was named
    base: str | None  # the commit; None when there is none
    dirty: tuple[str, ...] = ()  # changed files that no play will see, a few of them
    shallow: bool = False
    submodules: bool = False
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def inspect(repo: str, base_branch: str | None = None, topic: str | None = None) -> Inspected:
    """Look at a repository without running anything that it configures; refuses a folder that is none."""
    raise NotImplementedError


def begin(repo: str, topic: str, base_sha: str, *, room: str) -> Repo:
    """Make the integration ref and the director's room, or find them; twice is the same as once."""
    raise NotImplementedError
