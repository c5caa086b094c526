"""A look at a repository before a show starts there: where it is, what its base is, what stands in the way.

Nothing that the repository configures is run, and nothing of it is written, not even its index.
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
from lionstudio.shows.git.untrusted_git_dir import GitDirOwner, make_git_folder
from lionstudio.system.filenames import shown
from lionstudio.system.git import OID, Git, GitResult, failure, program

_MOST_DIRTY = 20  # names that are told


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoReport:
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


class FoundRepo(NamedTuple):
    path: str
    git_dir: str
    own_git_dir: str  # of this work tree; the same as git_dir in the main one
    bare: bool
    shallow: bool
    sha256: bool


def check_repo(repo: str, base_branch: str | None = None, topic: str | None = None) -> RepoReport:
    """Look at a repository without running anything that it configures; refuses a folder that is none."""
    found = find(repo)
    git = Git(git_dir=found.git_dir)
    branch = base_branch or _current_branch(found)
    base = find_base(git, base_branch) if base_branch else find_commit(_own(found), "HEAD")
    dirty = _dirty(found) if base and not found.bare else ()
    submodules = base is not None and _resolves(git, f"{base}:.gitmodules")
    problems = [
        *_base_problems(found, base_branch, base),
        *_partial(git),
        *(names_in_the_way(git, topic) if topic else ()),
    ]
    return RepoReport(
        path=found.path,
        git_dir=found.git_dir,
        base_branch=branch,
        base=base,
        dirty=dirty,
        shallow=found.shallow,
        submodules=submodules,
        problems=tuple(problems),
        warnings=tuple(_warnings(dirty, submodules, found.shallow)),
    )


def find_base(git: Git, name: str) -> str | None:
    """The commit that a branch, a remote's branch, a tag or a full id stands for."""
    for ref in (f"refs/heads/{name}", f"refs/remotes/{name}", f"refs/tags/{name}", name if OID.fullmatch(name) else ""):
        if ref and (found := find_commit(git, ref)):
            return found
    return None


def find(repo: str) -> FoundRepo:
    if not os.path.isdir(repo):
        raise NotFound(f"there is no folder {shown(repo)}", hint="give the folder of a git repository")
    path = os.path.realpath(repo)
    # one question a call: the name of a folder may hold a line break
    common, own = (_rev_parse(path, "--path-format=absolute", name).line for name in ("--git-common-dir", "--git-dir"))
    told = _rev_parse(path, "--is-bare-repository", "--is-shallow-repository", "--show-object-format").line.split("\n")
    bare, shallow, form = told
    top = own if bare == "true" else _rev_parse(path, "--show-toplevel").line
    return FoundRepo(top, os.path.realpath(common), own, bare == "true", shallow == "true", form == "sha256")


def _rev_parse(path: str, *args: str) -> GitResult:
    """Asked with the user's own configuration: only that knows which folders of other users they trust."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | {"LC_ALL": "C"}
    done = subprocess.run([program(), "rev-parse", *args], cwd=path, env=env, capture_output=True)
    ran = GitResult(done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace").strip())
    if ran.code == 0:
        return ran
    if "not a git repository" in ran.err:
        raise InvalidInput(f"{shown(path)} is not a git repository", hint="git init, commit something, and try again")
    if "dubious ownership" in ran.err:
        raise InvalidInput(
            f"{shown(path)} belongs to another user, and git does not trust it",
            hint="git config --global --add safe.directory THAT_FOLDER, when you do",
        )
    raise failure("rev-parse", ran)


def _own(found: FoundRepo) -> Git:
    return Git(git_dir=found.own_git_dir)


def _current_branch(found: FoundRepo) -> str | None:
    ran = _own(found).ask("symbolic-ref", "-q", "HEAD", codes=(0, 1))
    return ran.line.removeprefix("refs/heads/") or None


def find_commit(git: Git, name: str) -> str | None:
    ran = git.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return ran.line if ran.code == 0 and OID.fullmatch(ran.line) else None


def _resolves(git: Git, name: str) -> bool:
    return git.run("rev-parse", "--verify", "--quiet", "--end-of-options", name).code == 0


def _base_problems(found: FoundRepo, named: str | None, base: str | None) -> Iterator[str]:
    if base is not None:
        return
    if named is None or not Git(git_dir=found.git_dir).ask("for-each-ref", "--count=1").out:
        yield f"{shown(found.path)} has no commit yet; commit something first"
    else:
        yield f"there is no branch {shown(named)} in {shown(found.path)}; see: git branch"


def _partial(git: Git) -> Iterator[str]:
    """Blobs that are fetched when they are needed: nothing of ours goes to the network."""
    if git.run("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$").code == 0:
        yield "the repository is a partial clone and lacks files of its history; clone it whole, without --filter"


def names_in_the_way(git: Git, topic: str) -> Iterator[str]:
    """Names that stand in the way of the show's branches."""
    for ref in ("refs/heads/show", f"refs/heads/show/{topic}"):
        if find_commit(git, ref):
            name = ref.removeprefix("refs/heads/")
            yield f"a branch {name} exists, so none below it can be made; rename it: git branch -m {name} OTHER"
    if where := checked_out_in(git, f"refs/heads/{integration_branch(topic)}"):
        yield f"{integration_branch(topic)} is checked out in {shown(where)}; switch to another branch there"


def checked_out_in(git: Git, ref: str) -> str | None:
    """The work tree that has a branch checked out; moving it would make that tree look changed."""
    return git.ask("for-each-ref", "--format=%(worktreepath)", ref).line or None


def _warnings(dirty: tuple[str, ...], submodules: bool, shallow: bool) -> Iterator[str]:
    if dirty:
        yield f"changes that are not committed are not part of the show: {', '.join(map(shown, dirty))}"
    if submodules:
        yield "submodules are empty in the checkouts; fill them with a setup command if plays need them"
    if shallow:
        yield "the repository is shallow; agents see no older history"


@contextmanager
def neutral(found: FoundRepo) -> Iterator[str]:
    """A git folder that configures nothing, for looking at a work tree whose own may name programs."""
    folder = tempfile.mkdtemp(prefix="li-git-")
    try:
        make_git_folder(
            folder,
            bare=False,
            head="ref: refs/heads/none",
            objects=None,
            owner=GitDirOwner("", ""),
            sha256=found.sha256,
        )
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _dirty(found: FoundRepo) -> tuple[str, ...]:
    """Tracked files that differ from HEAD, asked of a copy of the index so that the user's is not even refreshed."""
    head = find_commit(_own(found), "HEAD")
    index = os.path.join(found.own_git_dir, "index")
    if head is None or not os.path.isfile(index):
        return ()
    with neutral(found) as folder:
        copy = os.path.join(folder, "index")
        shutil.copyfile(index, copy)
        git = Git(git_dir=folder, objects=os.path.join(found.git_dir, "objects"), work_tree=found.path, index=copy)
        git.run("update-index", "-q", "--refresh", "--ignore-submodules")
        ran = git.run("diff-index", "-z", "--name-only", "--ignore-submodules=all", head, "--")
    return tuple(ran.fields()[:_MOST_DIRTY])
