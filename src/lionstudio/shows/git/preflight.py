"""Check a repository before a show starts there: its folder, its base commit, and the problems.

No program that the repository configures is run, and nothing in it is written, not even its index.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.shows.plan import integration_branch
from lionstudio.shows.git.untrusted_git_dir import GitDirOwner, write_git_dir
from lionstudio.system.filenames import shown
from lionstudio.system.git import OID, Git, GitResult, failure, program, users_environment

_MOST_DIRTY = 20  # names in the report


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoReport:
    """The result of the check; `problems` keep a show from starting, `warnings` do not."""

    path: str
    git_dir: str
    base_branch: str | None  # short name; None when HEAD is detached and no branch was named
    base: str | None  # the commit; None when the branch has none
    dirty: tuple[str, ...] = ()  # some of the changed files, which no play will see
    shallow: bool = False
    submodules: bool = False
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class LocatedRepo(NamedTuple):
    path: str
    git_dir: str
    own_git_dir: str  # of this work tree; the same as git_dir in the main one
    bare: bool
    shallow: bool
    sha256: bool


def check_repo(repo: str, base_branch: str | None = None, topic: str | None = None) -> RepoReport:
    """Check a repository without running a program that it configures; refuse any other folder."""
    located = find_repo(repo)
    git = Git(git_dir=located.git_dir)
    branch = base_branch or _current_branch(located)
    base = find_base(git, base_branch) if base_branch else find_commit(_worktree_git(located), "HEAD")
    dirty = _dirty(located) if base and not located.bare else ()
    submodules = base is not None and _resolves(git, f"{base}:.gitmodules")
    problems = [
        *_base_problems(located, base_branch, base),
        *_partial_clone_problem(git),
        *(conflicting_branches(git, topic) if topic else ()),
    ]
    return RepoReport(
        path=located.path,
        git_dir=located.git_dir,
        base_branch=branch,
        base=base,
        dirty=dirty,
        shallow=located.shallow,
        submodules=submodules,
        problems=tuple(problems),
        warnings=tuple(_warnings(dirty, submodules, located.shallow)),
    )


def find_base(git: Git, name: str) -> str | None:
    """Resolve a branch, a remote branch, a tag or a full commit id."""
    for ref in (f"refs/heads/{name}", f"refs/remotes/{name}", f"refs/tags/{name}", name if OID.fullmatch(name) else ""):
        if ref and (commit := find_commit(git, ref)):
            return commit
    return None


def find_repo(repo: str) -> LocatedRepo:
    if not os.path.isdir(repo):
        raise NotFound(f"the folder {shown(repo)} does not exist", hint="give the folder of a git repository")
    path = os.path.realpath(repo)
    # one path per call: a folder name may contain a line break
    common, own = (_rev_parse(path, "--path-format=absolute", name).line for name in ("--git-common-dir", "--git-dir"))
    flags = _rev_parse(path, "--is-bare-repository", "--is-shallow-repository", "--show-object-format").line
    bare, shallow, form = flags.split("\n")
    top = own if bare == "true" else _rev_parse(path, "--show-toplevel").line
    return LocatedRepo(top, os.path.realpath(common), own, bare == "true", shallow == "true", form == "sha256")


def _rev_parse(path: str, *args: str) -> GitResult:
    """Run with the user's own configuration: only that lists the folders of other users that they trust."""
    env = users_environment() | {"LC_ALL": "C"}
    process = subprocess.run([program(), "rev-parse", *args], cwd=path, env=env, capture_output=True)
    result = GitResult(process.returncode, process.stdout, process.stderr.decode("utf-8", "backslashreplace").strip())
    if result.code == 0:
        return result
    if "not a git repository" in result.err:
        raise InvalidInput(
            f"{shown(path)} is not a git repository",
            hint=f"create one: git -C {shown(path)} init, then commit something",
        )
    if "dubious ownership" in result.err:
        raise InvalidInput(
            f"{shown(path)} belongs to another user, and git does not trust it",
            hint=f"if you trust it: git config --global --add safe.directory {shown(path)}",
        )
    raise failure("rev-parse", result)


def _worktree_git(located: LocatedRepo) -> Git:
    return Git(git_dir=located.own_git_dir)


def _current_branch(located: LocatedRepo) -> str | None:
    result = _worktree_git(located).check("symbolic-ref", "-q", "HEAD", codes=(0, 1))
    return result.line.removeprefix("refs/heads/") or None


def find_commit(git: Git, name: str) -> str | None:
    result = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return result.line if result.code == 0 and OID.fullmatch(result.line) else None


def _resolves(git: Git, name: str) -> bool:
    return git.run("rev-parse", "--verify", "--quiet", "--end-of-options", name).code == 0


def _base_problems(located: LocatedRepo, name: str | None, base: str | None) -> Iterator[str]:
    if base is not None:
        return
    if name is None or not Git(git_dir=located.git_dir).check("for-each-ref", "--count=1").out:
        yield f"{shown(located.path)} has no commit yet; commit something first"
    else:
        yield f"branch {shown(name)} does not exist in {shown(located.path)}; list branches with: git branch"


def _partial_clone_problem(git: Git) -> Iterator[str]:
    """Refuse a clone whose blobs are fetched on demand: our git never uses the network."""
    if git.run("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$").code == 0:
        yield "the repository is a partial clone and lacks files of its history; clone it again without --filter"


def conflicting_branches(git: Git, topic: str) -> Iterator[str]:
    """Yield the branches that prevent the show from creating or moving its own."""
    for ref in ("refs/heads/show", f"refs/heads/show/{topic}"):
        if find_commit(git, ref):
            name = ref.removeprefix("refs/heads/")
            yield f"the branch {name} blocks the show's branches below {name}/; rename it: git branch -m {name} OTHER"
    if where := find_worktree(git, f"refs/heads/{integration_branch(topic)}"):
        yield f"{integration_branch(topic)} is checked out in {shown(where)}; switch to another branch there"


def find_worktree(git: Git, ref: str) -> str | None:
    """Return the work tree that has a branch checked out; moving the branch would make it look changed."""
    return git.check("for-each-ref", "--format=%(worktreepath)", ref).line or None


def _warnings(dirty: tuple[str, ...], submodules: bool, shallow: bool) -> Iterator[str]:
    if dirty:
        yield f"the show does not include uncommitted changes: {', '.join(map(shown, dirty))}"
    if submodules:
        yield "submodules are empty in the checkouts; fill them with a setup command if plays need them"
    if shallow:
        yield "the repository is a shallow clone; agents do not see older history"


@contextmanager
def neutral_git_dir(located: LocatedRepo) -> Iterator[str]:
    """Create an unconfigured git folder, to read a work tree whose own configuration may name programs."""
    folder = tempfile.mkdtemp(prefix="li-git-")
    try:
        write_git_dir(
            folder,
            bare=False,
            head="ref: refs/heads/none",
            objects=None,
            owner=GitDirOwner("", ""),
            sha256=located.sha256,
        )
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _dirty(located: LocatedRepo) -> tuple[str, ...]:
    """List tracked files that differ from HEAD, by a copy of the index: the user's own is not even refreshed."""
    head = find_commit(_worktree_git(located), "HEAD")
    index = os.path.join(located.own_git_dir, "index")
    if head is None or not os.path.isfile(index):
        return ()
    with neutral_git_dir(located) as folder:
        copy = os.path.join(folder, "index")
        shutil.copyfile(index, copy)
        git = Git(git_dir=folder, objects=os.path.join(located.git_dir, "objects"), work_tree=located.path, index=copy)
        git.run("update-index", "-q", "--refresh", "--ignore-submodules")
        result = git.run("diff-index", "-z", "--name-only", "--ignore-submodules=all", head, "--")
    return tuple(result.fields()[:_MOST_DIRTY])
