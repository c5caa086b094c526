"""Refs of ended shows in the user's repository: archived attempts and branches, and which of them may be deleted."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from lionstudio.system.filenames import shown
from lionstudio.system.git import Git

_ARCHIVE = "refs/shows/archive/"
_OWN = ("refs/heads/", "refs/tags/", "refs/remotes/")  # refs that keep a commit for the user


class ShowRef(NamedTuple):
    """A ref of a show; `kept` is the reason when it may not be deleted."""

    topic: str
    ref: str
    oid: str
    committed_at: float
    kept: str | None = None


class _RefLine(NamedTuple):
    name: str
    oid: str
    worktree: str
    committed_at: float


def list_show_refs(
    git: Git, topic: str, *, archives: bool, branches: bool, before: float | None = None, force: bool = False
) -> list[ShowRef]:
    """List the refs of a show with the reason to keep each; without `force`, one with unmerged commits is kept."""
    refs = _list_refs(git)
    prefixes = ([f"{_ARCHIVE}{topic}/"] if archives else []) + ([f"refs/heads/show/{topic}/"] if branches else [])
    chosen = [
        ref for ref in refs if ref.name.startswith(tuple(prefixes)) and (before is None or ref.committed_at < before)
    ]
    if not prefixes or not chosen:
        return []
    others = [ref.oid for ref in refs if ref.name.startswith(_OWN) and not ref.name.startswith(tuple(prefixes))]
    unmerged = set() if force else list_unmerged(git, [ref.oid for ref in chosen], others)
    return [ShowRef(topic, ref.name, ref.oid, ref.committed_at, _why_keep(ref, unmerged)) for ref in chosen]


def _list_refs(git: Git) -> list[_RefLine]:
    form = "--format=%(refname)%00%(objectname)%00%(worktreepath)%00%(committerdate:unix)"
    lines = git.check("for-each-ref", form).lines
    fields = (line.split("\0") for line in lines)
    return [_RefLine(name, oid, worktree, float(date or 0)) for name, oid, worktree, date in fields]


def list_unmerged(git: Git, oids: Sequence[str], others: Collection[str]) -> set[str]:
    """Return the commits that no other branch, tag or remote branch contains."""
    stdin = "".join(f"{oid}\n" for oid in oids) + "".join(f"^{oid}\n" for oid in dict.fromkeys(others))
    return set(git.check("rev-list", "--stdin", stdin=stdin.encode()).text.split())


def _why_keep(ref: _RefLine, unmerged: Collection[str]) -> str | None:
    if ref.worktree:
        return f"checked out in {shown(ref.worktree)}"
    return "not merged into another branch" if ref.oid in unmerged else None


def disk_usage(git: Git, refs: Sequence[ShowRef]) -> int:
    """Return the bytes that only these refs keep; `git gc` frees them after the refs are deleted."""
    if not refs:
        return 0
    names = {ref.ref for ref in refs}
    others = [ref.oid for ref in _list_refs(git) if ref.name not in names]
    stdin = "".join(f"{ref.oid}\n" for ref in refs) + "".join(f"^{oid}\n" for oid in dict.fromkeys(others))
    return int(git.check("rev-list", "--objects", "--disk-usage", "--stdin", stdin=stdin.encode()).line or 0)


def delete_refs(git: Git, refs: Sequence[ShowRef]) -> None:
    """Delete refs in one transaction; one that moved meanwhile stops it, one that is gone does not."""
    current = {ref.name for ref in _list_refs(git)}
    lines = "".join(f"delete {ref.ref}\0{ref.oid}\0" for ref in refs if ref.ref in current)
    if lines:
        git.check("update-ref", "-z", "--stdin", stdin=lines.encode("utf-8", "surrogateescape"))
