"""The branches of a session as a tree: a fork stands below the branch it left, with the place where it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.branches import Branch

_SHORTEST_PREFIX = 4


def tree(branches: Sequence[Branch]) -> Iterator[tuple[str, Branch]]:
    """Each branch with the lines that lead to it; every branch comes exactly once, whatever its parent says."""
    known = {branch.id for branch in branches}
    children: dict[str, list[Branch]] = {}
    for branch in branches:
        if branch.fork is not None and branch.fork.parent_branch_id in known:
            children.setdefault(branch.fork.parent_branch_id, []).append(branch)
    below = {child.id for found in children.values() for child in found}
    seen: set[str] = set()
    # those that are their own ancestors hang below nothing, and come last
    for root in (*(branch for branch in branches if branch.id not in below), *branches):
        yield from _walk(root, "", "", children, seen)


def _walk(
    branch: Branch, line: str, below: str, children: dict[str, list[Branch]], seen: set[str]
) -> Iterator[tuple[str, Branch]]:
    waiting = [(branch, line, below)]
    while waiting:
        branch, line, below = waiting.pop()
        if branch.id in seen:
            continue
        seen.add(branch.id)
        yield line, branch
        found = children.get(branch.id, [])
        steps = [(child, child is found[-1]) for child in found]
        waiting += [
            (child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
            for child, last in reversed(steps)
        ]


def get_named(branches: Sequence[Branch], given: str) -> Branch:
    """The branch that a person meant: a whole id, a name, or the start of an id."""
    ways = (
        [branch for branch in branches if branch.id == given],
        [branch for branch in branches if branch.name == given],
        [branch for branch in branches if len(given) >= _SHORTEST_PREFIX and branch.id.startswith(given)],
    )
    for found in ways:
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(branch.id for branch in found[:3])
            raise InvalidInput(f"{given} names several branches of this session", hint=f"an id, such as {ids}")
    names = ", ".join(branch.name or branch.id for branch in branches[:5])
    raise NotFound(f"this session has no branch {given}", hint=f"one of: {names}" if names else None)
