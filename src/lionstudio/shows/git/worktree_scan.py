"""Compare the files of a checkout with our own index of it, and add the changes to the index.

Only plumbing commands that start no other program: `git add` and `git status` would run git inside nested
repositories, with their configuration.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from lionstudio.shows.git.materialize import read_or_empty
from lionstudio.shows.git.repo_layout import Checkout
from lionstudio.system.filenames import shown
from lionstudio.system.git import Git

MOST_FILE = 100_000_000  # bytes; git hosts refuse larger files
MOST_BYTES = 1_000_000_000  # total of all changed files
MOST_FILES = 50_000  # more means that a folder of dependencies is not ignored


@dataclass(slots=True)
class ScanResult:
    """The changed names, the refused names with a reason, and the resulting tree."""

    paths: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    tree: str | None = None


def scan(checkout: Checkout, git: Git) -> ScanResult:
    """Add every changed, new and removed file to our index, which is at the parent commit."""
    ours = _ours(checkout, git)
    result = _classify(checkout, ours, [*_changed(ours), *_staged(checkout, ours)])
    if result.paths:
        save_index_position(checkout, None)
        _update_index(ours, result)
    return result


def list_changes(checkout: Checkout, git: Git) -> list[str]:
    """List the names that a scan would find, without changing the index."""
    ours = _ours(checkout, git)
    result = _classify(checkout, ours, list(_changed(ours)))
    return [*result.paths, *result.refused]


def _ours(checkout: Checkout, git: Git) -> Git:
    excludes = os.path.join(checkout.private_dir, "exclude")
    return replace(git, work_tree=checkout.path, index=checkout.index, excludes=excludes)


def _classify(checkout: Checkout, git: Git, names: list[str]) -> ScanResult:
    result, total = ScanResult(), 0
    for name in dict.fromkeys(names):
        size, reason = _inspect(checkout.path, name)
        total += size
        if reason is not None:
            result.refused[name] = reason
        else:
            result.paths.append(name)
    if len(result.paths) > MOST_FILES or total > MOST_BYTES:
        result.refused[""] = (
            f"{len(result.paths)} changed files with {total / 1e6:.0f} MB are too many;"
            f" add generated files to .gitignore, such as {shown(result.paths[0]).split('/')[0]}"
        )
        result.paths.clear()
    if result.paths:
        result.left_out = _remove_filtered(git, result)
    return result


def _changed(git: Git) -> Iterator[str]:
    for line in git.check("ls-files", "-z", "-t", "-m", "-d", "-o", "--exclude-standard").fields():
        yield line[2:]


def _staged(checkout: Checkout, git: Git) -> list[str]:
    """List ignored files that the agent added with force; an unreadable index lists none."""
    index = os.path.join(checkout.path, ".git", "index")
    try:
        if not stat.S_ISREG(os.lstat(index).st_mode) or _same_checksum(index, str(git.index)):
            return []
    except OSError:
        return []
    theirs = replace(git, index=index)
    forced = theirs.run("ls-files", "-z", "-c", "-i", "--exclude-standard")
    if forced.code != 0 or not forced.out:
        return []
    # files that we put there are ignored by our own exclusions, and stay out
    ours = theirs.run("ls-files", "-z", "-c", "-i", "-X", git.excludes or "") if git.excludes else None
    return [name for name in forced.fields() if ours is None or name not in ours.fields()]


def _same_checksum(one: str, other: str) -> bool:
    """Compare two index files by the checksum at their end."""
    ends = []
    for path in (one, other):
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - 20))
            ends.append(file.read())
    return ends[0] == ends[1]


def _inspect(top: str, name: str) -> tuple[int, str | None]:
    """Return the size of a file and the reason to refuse it, if any."""
    if name.endswith("/"):
        return 0, f"{shown(name)} is a nested git repository; remove its .git folder, or add it to .gitignore"
    path = os.path.join(top, name)
    try:
        status = os.lstat(path)
    except OSError:
        return 0, None  # a removed file is a change too
    if stat.S_ISREG(status.st_mode) and status.st_size > MOST_FILE:
        size = f"{status.st_size / 1e6:.0f} MB"
        return 0, f"{shown(name)} is too large for a repository ({size}); remove it or add it to .gitignore"
    if stat.S_ISREG(status.st_mode) and not os.access(path, os.R_OK):
        return 0, f"{shown(name)} is not readable; fix it: chmod u+r {shown(name)}"
    return status.st_size, None


def _remove_filtered(git: Git, result: ScanResult) -> tuple[str, ...]:
    """Take files out whose git content is made by a filter program, which we do not run, and return them."""
    names = b"".join(os.fsencode(name) + b"\0" for name in result.paths)
    fields = git.check("check-attr", "-z", "--stdin", "filter", stdin=names).fields()
    filtered = {
        name for name, value in zip(fields[::3], fields[2::3], strict=True) if value not in ("unspecified", "unset")
    }
    paths = {name: os.path.join(str(git.work_tree), name) for name in result.paths}
    submodules = {name for name, path in paths.items() if os.path.isdir(path) and not os.path.islink(path)}
    left_out = filtered | submodules
    result.paths = [name for name in result.paths if name not in left_out]
    return tuple(sorted(left_out))


def index_position(checkout: Checkout) -> str | None:
    """Return the commit that our index is at, None when unknown."""
    return read_or_empty(f"{checkout.index}.at").decode("ascii", "ignore") or None


def save_index_position(checkout: Checkout, commit: str | None) -> None:
    """Save the position after the index was reset; None before the index changes."""
    with suppress(FileNotFoundError):
        os.unlink(f"{checkout.index}.at")
    if commit is not None:
        with open(f"{checkout.index}.at", "w", encoding="ascii") as file:
            file.write(commit)


def _update_index(git: Git, result: ScanResult) -> None:
    # removed files first: a folder may have replaced a file of its name
    exists = {name: os.path.lexists(os.path.join(str(git.work_tree), name)) for name in result.paths}
    ordered = sorted(result.paths, key=lambda name: (exists[name], name))
    names = b"".join(os.fsencode(name) + b"\0" for name in ordered)
    git.check("update-index", "-z", "--add", "--remove", "--replace", "--stdin", stdin=names)
    result.tree = git.check("write-tree").line
