"""Check a tree out into a folder with the director's own git."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterable
from contextlib import suppress

from lionstudio.errors import Conflict
from lionstudio.model.shows.agent_settings import steers
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import director_git
from lionstudio.shows.git.untrusted_git_dir import GitDirOwner, write_git_dir, write_git_files
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filenames import shown

_MATERIAL = ".material"  # appended to the names of files that steer agents


def check_out_files(repo: Repo, tree: str, path: str, *, index: str) -> None:
    """Write the files of a commit or tree into an empty folder, and an index of them."""
    make_folder(os.path.dirname(index))
    with suppress(FileNotFoundError):
        os.unlink(index)
    director_git(repo, work_tree=path, index=index).check("read-tree", "--reset", "-u", tree)


def check_out_tree(
    repo: Repo, tree: str, path: str, *, parents: tuple[str, ...] = (), commit: str | None = None
) -> None:
    """Check a tree out as a repository of its own, at its commit, or at a new one on top of `parents`; for gates."""
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise Conflict(
            f"cannot check the merge result out: {shown(path)} exists", hint=f"remove it: rm -r {shown(path)}"
        )
    os.makedirs(path, 0o700, exist_ok=True)
    commit = commit or commit_tree(repo, tree, parents, "Merge result for the gates")
    create_git_dir(repo, path, commit, head=commit)
    check_out_files(repo, tree, path, index=os.path.join(path, ".git", "index"))


def lay_out_material(repo: Repo, tree: str, path: str) -> str:
    """Write the files of a tree into a new folder for reading: no git folder, links as text, nothing writable.

    Files that steer agents get another name, for programs that load them when they read beside them. Return the suffix
    of these names; no name of the tree ends with it, so that no file takes the place of another.
    """
    os.makedirs(path, 0o700)
    index = f"{path}.index"
    git = director_git(repo, work_tree=path, index=index)
    git.check("-c", "core.symlinks=false", "read-tree", "--reset", "-u", tree)
    os.unlink(index)
    suffix = _free_suffix(name for _, folders, names in os.walk(path) for name in (*folders, *names))
    for folder, folders, names in os.walk(path, topdown=False):
        for name in names:
            os.chmod(os.path.join(folder, name), 0o400)
        for name in filter(steers, (*folders, *names)):
            os.rename(os.path.join(folder, name), os.path.join(folder, _shortened(name) + suffix))
        os.chmod(folder, 0o500)
    return suffix


def _free_suffix(names: Iterable[str]) -> str:
    taken = {folded[folded.rindex(_MATERIAL) :] for name in names if _MATERIAL in (folded := name.casefold())}
    suffixes = itertools.chain([_MATERIAL], (f"{_MATERIAL}-{number}" for number in itertools.count(2)))
    return next(suffix for suffix in suffixes if suffix not in taken)


def _shortened(name: str) -> str:
    """Return a name that leaves room for a suffix; 255 bytes is the longest that file systems take."""
    raw = os.fsencode(name)
    return name if len(raw) <= 200 else f"{name[:40]}-{hashlib.sha256(raw).hexdigest()}"


def create_git_dir(repo: Repo, path: str, commit: str, *, head: str) -> None:
    """Create a git folder that borrows the objects of the repository."""
    write_git_dir(
        os.path.join(path, ".git"),
        bare=False,
        head=head,
        objects=repo.objects,
        owner=GitDirOwner(repo.name, repo.email),
        sha256=len(commit) == 64,
        shallow=read_or_empty(os.path.join(repo.director_dir, "shallow")),
    )
    if head.startswith("ref: "):
        write_git_files(path, {head.removeprefix("ref: "): f"{commit}\n".encode()})


def commit_tree(repo: Repo, tree: str, parents: tuple[str, ...], message: str) -> str:
    """Commit a tree without moving a ref."""
    args = [part for parent in parents for part in ("-p", parent)]
    return director_git(repo).check("commit-tree", tree, *args, stdin=message.encode("utf-8", "surrogateescape")).line


def read_or_empty(path: str) -> bytes:
    """Read a file of ours; empty when it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
