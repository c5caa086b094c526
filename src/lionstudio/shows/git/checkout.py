"""The checkout of a play: created from the integration branch, kept for every attempt, removed once merged."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.errors import Conflict
from lionstudio.model.shows.left_out import LeftOut
from lionstudio.model.shows.plan import Command
from lionstudio.shows.git.collect_work import collect, find_uncollected, save_collected_state
from lionstudio.shows.git.left_out import (
    list_ignored,
    move_aside,
    move_checkout_aside,
    move_git_dir_aside,
    save_provisioned,
)
from lionstudio.shows.git.materialize import check_out_files, create_git_dir, read_or_empty
from lionstudio.shows.git.merge import integration_tip
from lionstudio.shows.git.provision import copy_files, ignore_patterns, set_up, tear_down
from lionstudio.shows.git.remote.branch import fetch_tip
from lionstudio.shows.git.repo_layout import Checkout, Repo
from lionstudio.shows.git.setup import director_git, find_ref, users_git
from lionstudio.shows.git.untrusted_git_dir import repair_git_dir, write_git_files
from lionstudio.shows.git.worktree_scan import save_index_position
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.git import failure
from lionstudio.system.safe_rmtree import safe_rmtree
from lionstudio.system.sandbox.sandbox import Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutTarget:
    """The play and the files and commands that its checkout needs."""

    repo: Repo
    play: str
    copy: tuple[str, ...] = ()
    setup: tuple[Command, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)  # of the setup commands; the caller removes secrets
    confine: Callable[[str], Sandbox | None] = lambda path: None  # by the checkout
    # where other machines may have worked on the play: its base and its last collected work, both in the repository
    base: str | None = None
    head: str | None = None
    find_tip: Callable[[Repo], str] = integration_tip  # where a play of this machine starts


def prepare(target: CheckoutTarget) -> Checkout:
    """Create or reopen the checkout of a play, with files copied and setup done; raise when setup fails."""
    _replace_outdated(target)
    checkout = Checkout(repo=target.repo, play=target.play, base=_ensure_branch(target))
    if not os.path.lexists(checkout.path):
        _create(checkout)
    elif not repair_git_dir(checkout.path, objects=checkout.repo.objects, exclude=_exclude_text(checkout)):
        _replace_git(checkout)
    if not os.path.exists(_provisioned_mark(checkout)):
        _provision(target, checkout)
    return checkout


def _replace_outdated(target: CheckoutTarget) -> None:
    """Archive and remove the checkout of a play that has gone on elsewhere since; then it starts from that work."""
    if target.base is None:
        return
    repo, head = target.repo, target.head or target.base
    checkout = find_checkout(repo, target.play) or Checkout(repo=repo, play=target.play, base=target.base)
    branch = find_ref(repo, checkout.branch)
    if checkout.base == target.base and branch is not None and branch == (target.head or branch):
        return
    if os.path.lexists(checkout.path) and abandon(checkout).kept:
        move_checkout_aside(checkout)
    point("show.checkout.outdated")
    for name in ("collected.json", "conflict.json", "furnished"):
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(checkout.private_dir, name))
    users_git(repo).check("update-ref", "-m", "show: goes on here", checkout.branch, head)
    if target.head is not None:
        save_collected_state(checkout, head)
    write_text(os.path.join(checkout.private_dir, "base"), target.base + "\n")  # last: it ends all this


def find_checkout(repo: Repo, play: str) -> Checkout | None:
    """Return the checkout of a play that was prepared before, or None."""
    checkout = Checkout(repo=repo, play=play, base="")
    base = _read(os.path.join(checkout.private_dir, "base"))
    return Checkout(repo=repo, play=play, base=base) if base else None


def _ensure_branch(target: CheckoutTarget) -> str:
    """Return the play's base commit; it is saved before the ref is created, so that a crash changes nothing."""
    repo, play = target.repo, target.play
    private_dir = Checkout(repo=repo, play=play, base="").private_dir
    saved = _read(os.path.join(private_dir, "base"))
    if saved and find_ref(repo, repo.branch(play)):
        return saved
    base = saved or target.find_tip(repo)
    write_text(os.path.join(private_dir, "base"), base + "\n")
    point("show.checkout.based")
    result = users_git(repo).run("update-ref", "-m", "show: prepare", repo.branch(play), base, "")
    if result.code == 0:
        return base
    tip = find_ref(repo, repo.branch(play))
    if tip is None:
        raise failure("update-ref", result)
    if not director_git(repo).succeeds("merge-base", "--is-ancestor", base, tip):
        name = repo.branch(play).removeprefix("refs/heads/")
        raise Conflict(
            f"the branch {name} exists and does not belong to this show",
            hint=f"rename it (git branch -m {name} OTHER), or choose another topic",
        )
    return base


def _create(checkout: Checkout) -> None:
    """Check the play's last collected commit out into a temporary folder, then rename it."""
    with suppress(FileNotFoundError):
        os.unlink(_provisioned_mark(checkout))
    start = _last_collected(checkout)
    temporary = os.path.join(checkout.repo.checkouts_dir, f".making-{checkout.play}")
    safe_rmtree(temporary)
    make_folder(temporary)
    save_index_position(checkout, None)
    check_out_files(checkout.repo, start, temporary, index=checkout.index)
    _write_git_dir(checkout, temporary, start)
    point("show.checkout.laid_out")
    os.rename(temporary, checkout.path)


def _last_collected(checkout: Checkout) -> str:
    if not os.path.exists(os.path.join(checkout.private_dir, "collected.json")):
        return checkout.base  # this is the first checkout
    return find_ref(checkout.repo, checkout.branch) or checkout.base


def _write_git_dir(checkout: Checkout, path: str, commit: str) -> None:
    create_git_dir(checkout.repo, path, commit, head=f"ref: {checkout.branch}")
    write_git_files(path, {"info/exclude": _exclude_text(checkout).encode(), "index": read_or_empty(checkout.index)})
    save_collected_state(checkout, commit)
    save_index_position(checkout, commit)


def _replace_git(checkout: Checkout) -> None:
    """Replace a git folder that the agent has broken; the files stay as they are."""
    if not os.path.isdir(checkout.path) or os.path.islink(checkout.path):
        safe_rmtree(checkout.path)
        _create(checkout)
        return
    if os.path.isdir(git_dir := os.path.join(checkout.path, ".git")) and not os.path.islink(git_dir):
        move_git_dir_aside(checkout)
    safe_rmtree(git_dir, above=2)
    commit = _last_collected(checkout)
    git = director_git(checkout.repo, work_tree=checkout.path, index=checkout.index)
    save_index_position(checkout, None)
    git.check("read-tree", "--reset", commit)
    _write_git_dir(checkout, checkout.path, commit)


def _provision(target: CheckoutTarget, checkout: Checkout) -> None:
    logs = os.path.join(checkout.private_dir, "logs")
    copied = copy_files(target.repo.user_files, checkout.path, target.copy)
    _exclude(checkout, copied)
    if target.setup:
        set_up(checkout.path, target.setup, target.env, logs, target.confine(checkout.path))
        _exclude(checkout, copied + _untracked(checkout))
    if target.copy or target.setup:
        save_provisioned(checkout)
    point("show.checkout.furnished")
    write_text(_provisioned_mark(checkout), "")


def _untracked(checkout: Checkout) -> list[str]:
    """List the files that setup created and git does not ignore: they are not the agent's work."""
    git = director_git(checkout.repo, work_tree=checkout.path, index=checkout.index, excludes=_exclude_file(checkout))
    return git.check("ls-files", "-z", "-o", "--directory", "--exclude-standard").fields()


def _exclude(checkout: Checkout, names: list[str]) -> None:
    write_text(_exclude_file(checkout), "".join(f"{line}\n" for line in ignore_patterns(names)))
    write_git_files(checkout.path, {"info/exclude": _exclude_text(checkout).encode()})


class Removal(NamedTuple):
    """The result of removing a checkout: the reason to keep it, or the files that were moved aside."""

    kept: str | None = None
    left_out: tuple[LeftOut, ...] = ()


def remove(
    checkout: Checkout,
    *,
    teardown: tuple[Command, ...] = (),
    env: Mapping[str, str] | None = None,
    sandbox: Sandbox | None = None,
    is_fetched: bool = False,
) -> Removal:
    """Remove a checkout whose work is proven merged; otherwise keep it. Files in no commit are moved aside.

    `is_fetched` tells that this machine has just seen the integration branch.
    """
    if checkout.repo.remote is not None and not is_fetched:
        fetch_tip(checkout.repo)
    merged = _merged_refs(checkout)
    kept, left_out = why_keep(checkout, merged)
    if kept:
        return Removal(kept)
    if os.path.isdir(checkout.path) and teardown:
        tear_down(checkout.path, teardown, env or {}, os.path.join(checkout.private_dir, "logs"), sandbox)
    moved = _remove_folder(checkout, left_out)
    point("show.checkout.removed")
    _drop_branch(checkout, merged)
    return Removal(None, moved)


def abandon(checkout: Checkout) -> Removal:
    """Archive the work of a checkout that will not be merged and remove it; otherwise return the reason."""
    left_out: tuple[LeftOut, ...] = ()
    if os.path.isdir(checkout.path):
        collect(checkout, f"Last work of {checkout.play}", attempt=0)
        kept, left_out = find_uncollected(checkout)
        if kept:
            return Removal(kept)
    return Removal(None, _remove_folder(checkout, left_out))


def _remove_folder(checkout: Checkout, left_out: tuple[LeftOut, ...]) -> tuple[LeftOut, ...]:
    """Remove the folder after everything in it that is in no commit was moved aside."""
    ignored = list_ignored(checkout) if os.path.isdir(checkout.path) and not os.path.islink(checkout.path) else []
    moved = move_aside(checkout, [*left_out, *ignored])
    point("show.checkout.moved_aside")
    safe_rmtree(checkout.path)
    return tuple(moved)


def why_keep(checkout: Checkout, merged: Mapping[str, tuple[str, str]]) -> tuple[str | None, tuple[LeftOut, ...]]:
    """Return the reason to keep a checkout, None when all of it is merged and archived, and the files left out."""
    branch = merged[checkout.branch][0] if checkout.branch in merged else find_ref(checkout.repo, checkout.branch)
    if branch is not None and checkout.branch not in merged:
        return "its work is not merged", ()
    if not any(ref.startswith("refs/shows/archive/") for ref in merged) and branch != checkout.base:
        return "its work is not archived", ()
    return find_uncollected(checkout) if os.path.isdir(checkout.path) else (None, ())


def _merged_refs(checkout: Checkout) -> dict[str, tuple[str, str]]:
    """Map the merged refs of a play (branch and archive) to their commit and their work tree."""
    repo = checkout.repo
    archive = repo.archive(checkout.play, 0).removesuffix("/0")
    form = "--format=%(refname) %(objectname) %(worktreepath)"
    refs = users_git(repo).check("for-each-ref", f"--merged={repo.integration}", form, checkout.branch, archive)
    lines = (line.split(" ", 2) for line in refs.lines)
    return {name: (oid, worktree) for name, oid, worktree in lines}


def _drop_branch(checkout: Checkout, merged: Mapping[str, tuple[str, str]]) -> None:
    """Delete the branch unless it is checked out; the archive keeps its commits."""
    oid, worktree = merged.get(checkout.branch, ("", ""))
    if oid and not worktree:
        users_git(checkout.repo).run("update-ref", "-d", checkout.branch, oid)


def _exclude_file(checkout: Checkout) -> str:
    return os.path.join(checkout.private_dir, "exclude")


def _provisioned_mark(checkout: Checkout) -> str:
    return os.path.join(checkout.private_dir, "furnished")


def _exclude_text(checkout: Checkout) -> str:
    """Build the exclude file of the agent's git: the user's exclusions and the files we put there."""
    paths = [os.path.join(checkout.repo.director_dir, "info", "exclude"), _exclude_file(checkout)]
    return "\n".join(read_or_empty(path).decode("utf-8", "ignore") for path in paths)


def _read(path: str) -> str:
    return read_or_empty(path).decode("ascii", "ignore").strip()
