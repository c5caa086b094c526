"""Check a tree out into a folder with the director's own git."""

from __future__ import annotations

import os
from contextlib import suppress

from lionstudio.errors import Conflict
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import director_git
from lionstudio.shows.git.untrusted_git_dir import GitDirOwner, write_git_dir, write_git_files
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filenames import shown


def check_out_files(repo: Repo, tree: str, path: str, *, index: str) -> None:
    """Write the files of a commit or tree into an empty folder, and an index of them."""
    make_folder(os.path.dirname(index))
    with suppress(FileNotFoundError):
        os.unlink(index)
    director_git(repo, work_tree=path, index=index).check("read-tree", "--reset", "-u", tree)


def check_out_tree(repo: Repo, tree: str, path: str, *, parents: tuple[str, ...] = ()) -> None:
    """Check a tree out as a repository of its own, with one commit on top of `parents`; for gates."""
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        raise Conflict(
            f"cannot check the merge result out: {shown(path)} exists", hint=f"remove it: rm -r {shown(path)}"
        )
    os.makedirs(path, 0o700, exist_ok=True)
    commit = commit_tree(repo, tree, parents, "Merge result for the gates")
    create_git_dir(repo, path, commit, head=commit)
    check_out_files(repo, tree, path, index=os.path.join(path, ".git", "index"))


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
