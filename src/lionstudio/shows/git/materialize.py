"""Files of a commit laid out in a folder by the director's own git."""

from __future__ import annotations

import os
from contextlib import suppress

from lionstudio.errors import Conflict
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import director_git
from lionstudio.shows.git.untrusted_git_dir import GitDirOwner, make_git_folder, put_files
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filenames import shown


def check_out_files(repo: Repo, tree: str, path: str, *, index: str) -> None:
    """Fill an empty folder with the files of a commit or tree, and an index that knows them."""
    make_folder(os.path.dirname(index))
    with suppress(FileNotFoundError):
        os.unlink(index)
    director_git(repo, work_tree=path, index=index).ask("read-tree", "--reset", "-u", tree)


def check_out_tree(repo: Repo, tree: str, path: str, *, parents: tuple[str, ...] = ()) -> None:
    """Fill a new folder with a tree, as a repository of its own with one commit on top of `parents`; for gates."""
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise Conflict(f"{shown(path)} is in the way of a merge result", hint="remove it")
    os.makedirs(path, 0o700, exist_ok=True)
    commit = commit_tree(repo, tree, parents, "The merge result that the gates look at")
    make_git(repo, path, commit, head=commit)
    check_out_files(repo, tree, path, index=os.path.join(path, ".git", "index"))


def make_git(repo: Repo, path: str, commit: str, *, head: str) -> None:
    """Give a folder a git folder of its own that borrows the objects of the repository."""
    make_git_folder(
        os.path.join(path, ".git"),
        bare=False,
        head=head,
        objects=repo.objects,
        owner=GitDirOwner(repo.name, repo.email),
        sha256=len(commit) == 64,
        shallow=read_bytes(os.path.join(repo.director, "shallow")),
    )
    if head.startswith("ref: "):
        put_files(path, {head.removeprefix("ref: "): f"{commit}\n".encode()})


def commit_tree(repo: Repo, tree: str, parents: tuple[str, ...], message: str) -> str:
    """A commit that no ref holds yet."""
    args = [part for parent in parents for part in ("-p", parent)]
    return director_git(repo).ask("commit-tree", tree, *args, stdin=message.encode("utf-8", "surrogateescape")).line


def read_bytes(path: str) -> bytes:
    """A file of ours, nothing when it is not there."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
