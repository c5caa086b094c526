"""Open a show whose repository is a remote: check it, resolve its base once, create or find its integration branch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from lionstudio.errors import InvalidInput
from lionstudio.show_sync.checkouts import DIRECTOR
from lionstudio.shows.git.preflight import LocatedRepo, find_commit
from lionstudio.shows.git.remote.address import as_argument
from lionstudio.shows.git.remote.branch import begin_branch, find_tip
from lionstudio.shows.git.remote.errors import RemoteRefused
from lionstudio.shows.git.remote.mirror import RemoteMirror, open_mirror, tracking, waiting_for_remote
from lionstudio.shows.git.remote.transport import LONG_SECONDS, MissingRef
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import check_integration, find_or_create
from lionstudio.system.filenames import shown
from lionstudio.system.git import OID, Git
from lionstudio.system.safe_rmtree import refuse_link

_RESERVED = "archive"  # refs/shows/archive/ has the archives of all shows


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteReport:
    """The result of the check; `problems` keep a show from starting, `warnings` do not."""

    remote: str
    base_branch: str | None  # short name; None for a commit
    base: str | None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def check_remote(remote: str, base_branch: str | None, topic: str, *, home: str) -> RemoteReport:
    """Check a remote before a show starts, and fetch its base; without a branch, that of its HEAD.

    A remote that is away raises RemoteAway, one that refuses us RemoteRefused.
    """
    mirror = open_mirror(remote, home=home)
    name, base = _resolve_base(mirror, base_branch)
    problems = [*_base_problems(mirror, base_branch, base), *_name_problems(mirror, topic)]
    git = Git(git_dir=mirror.path)
    has_submodules = base is not None and git.run("cat-file", "-e", f"{base}:.gitmodules").code == 0
    warnings = (
        ("submodules are empty in the checkouts; fill them with a setup command if plays need them",)
        if has_submodules
        else ()
    )
    return RemoteReport(remote=remote, base_branch=name, base=base, problems=tuple(problems), warnings=warnings)


def open_remote_repo(remote: str, topic: str, base: str, *, checkouts_dir: str, home: str) -> Repo:
    """Create or reopen a show of a remote on this machine; safe to repeat, also on several machines at once."""
    for folder in (checkouts_dir, os.path.join(checkouts_dir, DIRECTOR)):
        refuse_link(folder)
    if topic == _RESERVED:
        raise InvalidInput(f"a show on several machines cannot be named {topic}", hint="choose another topic")
    mirror = open_mirror(remote, home=home)
    _ensure_commit(mirror, topic, base)
    path = os.path.realpath(mirror.path)
    located = LocatedRepo(path, path, path, bare=True, shallow=False, sha256=len(base) == 64)
    repo = find_or_create(checkouts_dir, located, topic, base, remote=remote)
    check_integration(repo, find_tip(repo) or begin_branch(repo))
    return repo


def _resolve_base(mirror: RemoteMirror, name: str | None) -> tuple[str | None, str | None]:
    """Return the branch and the commit that a show starts from, fetched."""
    if name is not None and OID.fullmatch(name):
        return None, _fetch_commit(mirror, name)
    branch = name.removeprefix("origin/") if name is not None else None
    candidates = ["HEAD"] if name is None else [f"refs/heads/{name}", f"refs/heads/{branch}", f"refs/tags/{name}"]
    refs = mirror.transport.list_refs(*candidates)
    ref = refs.get("@HEAD") if name is None else next((ref for ref in candidates if ref in refs), None)
    if ref is None:
        return name, None
    try:
        _fetch(mirror, f"+{ref}:{tracking(ref)}")
    except MissingRef:  # an empty repository has a HEAD that leads nowhere
        return name, None
    return ref.removeprefix("refs/heads/"), find_commit(Git(git_dir=mirror.path), tracking(ref))


def _fetch_commit(mirror: RemoteMirror, commit: str) -> str | None:
    """Fetch a commit by its id; where the remote does not allow that, with all branches and tags."""
    git, own = Git(git_dir=mirror.path), f"refs/lion/base/{commit}"
    if find_commit(git, own) == commit:
        return commit
    try:
        _fetch(mirror, f"+{commit}:{own}")
        return find_commit(git, own)
    except MissingRef:
        pass
    names = ("heads", "tags")
    _fetch(mirror, *(f"+refs/{name}/*:refs/lion/all/{name}/*" for name in names))
    contained = git.run("for-each-ref", "--count=1", f"--contains={commit}", "refs/lion/all/")
    return commit if contained.code == 0 and contained.out else None


def _fetch(mirror: RemoteMirror, *refspecs: str) -> None:
    with waiting_for_remote(f"{mirror.path}.fetch.lock"):
        mirror.transport.fetch(refspecs, strict=False, seconds=LONG_SECONDS)


def _ensure_commit(mirror: RemoteMirror, topic: str, base: str) -> None:
    """Make sure that this machine has the base; the integration branch contains it, whatever became of its branch."""
    if not OID.fullmatch(base):
        raise InvalidInput(f"{shown(base)[:80]} is not a commit", hint="give the full id of a commit")
    git, integration = Git(git_dir=mirror.path), f"refs/heads/show/{topic}/integration"
    refs = (f"refs/lion/base/{base}", "refs/lion/heads/", "refs/lion/tags/", integration)
    if git.run("cat-file", "-e", f"{base}^{{commit}}").code == 0:
        known = git.run("for-each-ref", "--count=1", f"--contains={base}", *refs)
        if known.code == 0 and known.out:
            return
    with suppress(MissingRef):
        _fetch(mirror, f"+{integration}:{tracking(integration)}")
    begun = git.run("for-each-ref", "--count=1", f"--contains={base}", tracking(integration))
    if not (begun.code == 0 and begun.out) and _fetch_commit(mirror, base) is None:
        raise RemoteRefused(
            f"the remote {mirror.transport.shown} does not have the base {base[:12]} of the show",
            hint="push it there, or start the show from another base",
        )


def _base_problems(mirror: RemoteMirror, name: str | None, base: str | None) -> Iterator[str]:
    remote = mirror.transport.shown
    if base is None and name is None:
        yield f"{remote} has no commit yet; push something first"
    elif base is None:
        command = f"git ls-remote --heads {as_argument(mirror.remote)}"
        yield f"{shown(str(name))} does not exist on {remote}; list its branches with: {command}"


def _name_problems(mirror: RemoteMirror, topic: str) -> Iterator[str]:
    """Yield what prevents the show from creating its refs."""
    if topic == _RESERVED:
        yield f"a show on several machines cannot be named {topic}"
    names = ("refs/heads/show", f"refs/heads/show/{topic}")
    refs = mirror.transport.list_refs(*names)
    for name in names:
        if name in refs:
            branch = name.removeprefix("refs/heads/")
            remote = mirror.transport.shown
            yield f"the branch {branch} of {remote} blocks the show's branches below {branch}/; rename it"
