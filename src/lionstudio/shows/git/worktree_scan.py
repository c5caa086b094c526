"""The files of a checkout compared with our own index of it, name by name, and taken into it.

Only plumbing that starts no other program: `git add` and `git status` would run git inside of nested repositories,
with whatever those configure.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lionstudio.shows.git.materialize import read_bytes
from lionstudio.shows.git.repo_layout import Checkout
from lionstudio.system.filenames import shown
from lionstudio.system.git import Git

MOST_FILE = 100_000_000  # bytes; hosts of repositories refuse larger files
MOST_BYTES = 1_000_000_000  # of all new files together
MOST_FILES = 50_000  # somebody forgot to ignore a folder of dependencies


@dataclass(slots=True)
class ScanResult:
    """What was found: names that were taken, names that cannot be with a sentence, and the tree that came out."""

    paths: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    tree: str | None = None


def scan(checkout: Checkout, git: Git) -> ScanResult:
    """Take every changed, new and removed file into our index, which stands at the commit below them."""
    ours = _ours(checkout, git)
    swept = _found(checkout, ours, [*_changed(ours), *_staged(checkout, ours)])
    if swept.paths:
        save_index_position(checkout, None)
        _take(ours, swept)
    return swept


def differing(checkout: Checkout, git: Git) -> list[str]:
    """The names that a sweep would find now; nothing is taken."""
    ours = _ours(checkout, git)
    found = _found(checkout, ours, list(_changed(ours)))
    return [*found.paths, *found.refused]


def _ours(checkout: Checkout, git: Git) -> Git:
    excludes = os.path.join(checkout.notes, "exclude")
    return replace(git, work_tree=checkout.path, index=checkout.index, excludes=excludes)


def _found(checkout: Checkout, git: Git, names: list[str]) -> ScanResult:
    swept = ScanResult()
    _sort_out(checkout.path, dict.fromkeys(names), swept)
    if swept.paths:
        swept.left_out = _filtered(git, swept)
    return swept


def _changed(git: Git) -> Iterator[str]:
    for line in git.ask("ls-files", "-z", "-t", "-m", "-d", "-o", "--exclude-standard").fields():
        yield line[2:]


def _staged(checkout: Checkout, git: Git) -> list[str]:
    """What the agent's git would ignore and the agent had it add all the same; an index of nonsense says nothing."""
    index = os.path.join(checkout.path, ".git", "index")
    try:
        if not stat.S_ISREG(os.lstat(index).st_mode) or _same_end(index, str(git.index)):
            return []
    except OSError:
        return []
    theirs = replace(git, index=index)
    forced = theirs.run("ls-files", "-z", "-c", "-i", "--exclude-standard")
    if forced.code != 0 or not forced.out:
        return []
    # what was put there by us is ignored because of us, and stays out
    ours = theirs.run("ls-files", "-z", "-c", "-i", "-X", git.excludes or "") if git.excludes else None
    return [name for name in forced.fields() if ours is None or name not in ours.fields()]


def _same_end(one: str, other: str) -> bool:
    """Whether two indexes are the same, by the checksum at their end."""
    ends = []
    for path in (one, other):
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 20))
            ends.append(file.read())
    return ends[0] == ends[1]


def _sort_out(top: str, found: dict[str, None], swept: ScanResult) -> None:
    total = 0
    for name in found:
        size, wrong = _look_at(top, name)
        total += size
        if wrong is not None:
            swept.refused[name] = wrong
        else:
            swept.paths.append(name)
    if len(swept.paths) > MOST_FILES or total > MOST_BYTES:
        swept.refused[""] = (
            f"{len(swept.paths)} changed files with {total / 1e6:.0f} MB are too many to be work;"
            f" ignore what was generated, such as {shown(swept.paths[0]).split('/')[0]}"
        )
        swept.paths.clear()


def _look_at(top: str, name: str) -> tuple[int, str | None]:
    """How large it is, and why it cannot be taken."""
    if name.endswith("/"):
        return 0, f"{shown(name)} is a git repository of its own; remove its .git, or have it ignored"
    path = os.path.join(top, name)
    try:
        found = os.lstat(path)
    except OSError:
        return 0, None  # it was removed: that is taken too
    if stat.S_ISREG(found.st_mode) and found.st_size > MOST_FILE:
        return (
            0,
            f"{shown(name)} has {found.st_size / 1e6:.0f} MB, too much for a repository; remove it or have it ignored",
        )
    if stat.S_ISREG(found.st_mode) and not os.access(path, os.R_OK):
        return 0, f"{shown(name)} may not be read; chmod it"
    return found.st_size, None


def _filtered(git: Git, swept: ScanResult) -> tuple[str, ...]:
    """Files whose content in the repository is made by a program; we do not run it: only commits count."""
    given = b"".join(os.fsencode(name) + b"\0" for name in swept.paths)
    fields = git.ask("check-attr", "-z", "--stdin", "filter", stdin=given).fields()
    named = {
        name for name, value in zip(fields[::3], fields[2::3], strict=True) if value not in ("unspecified", "unset")
    }
    links = {name for name in swept.paths if _is_folder(os.path.join(str(git.work_tree), name))}
    swept.paths = [name for name in swept.paths if name not in named | links]
    return tuple(sorted(named | links))


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def index_position(checkout: Checkout) -> str | None:
    """The commit that our index is known to be at."""
    return read_bytes(f"{checkout.index}.at").decode("ascii", "ignore") or None


def save_index_position(checkout: Checkout, commit: str | None) -> None:
    """Note it after the index was brought there; None before the index changes."""
    with suppress(FileNotFoundError):
        os.unlink(f"{checkout.index}.at")
    if commit is not None:
        with open(f"{checkout.index}.at", "w", encoding="ascii") as file:
            file.write(commit)


def _take(git: Git, swept: ScanResult) -> None:
    # removed first: a file may have given way to a folder of its name
    there = {name: os.path.lexists(os.path.join(str(git.work_tree), name)) for name in swept.paths}
    ordered = sorted(swept.paths, key=lambda name: (there[name], name))
    given = b"".join(os.fsencode(name) + b"\0" for name in ordered)
    git.ask("update-index", "-z", "--add", "--remove", "--replace", "--stdin", stdin=given)
    swept.tree = git.ask("write-tree").line
