"""The branches of a session as a tree: a fork is a child of the branch it was forked from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.branches import Branch

_SHORTEST_PREFIX = 4


def tree(branches: Sequence[Branch]) -> Iterator[tuple[str, Branch]]:
    """Each branch with its tree lines; every branch appears exactly once, even with invalid parents."""
    ids = {branch.id for branch in branches}
    children: dict[str, list[Branch]] = {}
    for branch in branches:
        if branch.fork is not None and branch.fork.parent_branch_id in ids:
            children.setdefault(branch.fork.parent_branch_id, []).append(branch)
    below = {child.id for forks in children.values() for child in forks}
    seen: set[str] = set()
    # branches in a cycle have no root and come last
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
        forks = children.get(branch.id, [])
        steps = [(child, child is forks[-1]) for child in forks]
        waiting += [
            (child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))
            for child, last in reversed(steps)
        ]


def get_named(branches: Sequence[Branch], name: str) -> Branch:
    """The branch with this id, name or id prefix."""
    candidates = (
        [branch for branch in branches if branch.id == name],
        [branch for branch in branches if branch.name == name],
        [branch for branch in branches if len(name) >= _SHORTEST_PREFIX and branch.id.startswith(name)],
    )
    for matches in candidates:
        if len(matches) == 1:
            return matches[0]
        if matches:
            ids = ", ".join(branch.id for branch in matches[:3])
            raise InvalidInput(f"several branches of this session match {name}", hint=f"pass an id, such as {ids}")
    names = ", ".join(branch.name or branch.id for branch in branches[:5])
    raise NotFound(f"this session has no branch {name}", hint=f"one of: {names}" if names else None)
