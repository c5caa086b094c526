"""The checkout of a play: made from the integration branch, kept for every attempt, removed once merged."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from lionstudio.crash import point
from lionstudio.errors import Conflict
from lionstudio.model.shows.plan import Command
from lionstudio.shows.git.collect_work import collect, left_since, remember
from lionstudio.shows.git.materialize import check_out_files, make_git, read_bytes
from lionstudio.shows.git.merge import integration_tip
from lionstudio.shows.git.provision import as_patterns, copy_files, set_up, tear_down
from lionstudio.shows.git.repo_layout import Checkout, Repo
from lionstudio.shows.git.setup import director_git, find_ref, users_git
from lionstudio.shows.git.untrusted_git_dir import put_files, repair_git_dir
from lionstudio.shows.git.worktree_scan import save_index_position
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.filenames import shown
from lionstudio.system.git import failure
from lionstudio.system.safe_rmtree import safe_rmtree


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckoutTarget:
    """What `prepare` needs to know about a play."""

    repo: Repo
    play: str
    copy: tuple[str, ...] = ()
    setup: tuple[Command, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)  # of the setup commands; scrubbed by the caller


def prepare(place: CheckoutTarget) -> Checkout:
    """The checkout of a play, made or found again, with copies and setup done. Raises when setup fails."""
    checkout = Checkout(repo=place.repo, play=place.play, base=_ensure_branch(place))
    if not os.path.lexists(checkout.path):
        _make(checkout)
    elif not repair_git_dir(checkout.path, objects=checkout.repo.objects, exclude=_exclude(checkout)):
        _replace_git(checkout)
    if not os.path.exists(_furnished(checkout)):
        _furnish(place, checkout)
    return checkout


def find_checkout(repo: Repo, play: str) -> Checkout | None:
    """The checkout of a play that was prepared before."""
    checkout = Checkout(repo=repo, play=play, base="")
    base = _read(os.path.join(checkout.notes, "base"))
    return Checkout(repo=repo, play=play, base=base) if base else None


def _ensure_branch(place: CheckoutTarget) -> str:
    """The commit that the play started from; written down before the ref is made, so that a crash changes nothing."""
    repo, play = place.repo, place.play
    notes = Checkout(repo=repo, play=play, base="").notes
    known = _read(os.path.join(notes, "base"))
    if known and find_ref(repo, repo.branch(play)):
        return known
    base = known or integration_tip(repo)
    write_text(os.path.join(notes, "base"), base + "\n")
    point("show.checkout.based")
    ran = users_git(repo).run("update-ref", "-m", "show: prepare", repo.branch(play), base, "")
    if ran.code == 0:
        return base
    found = find_ref(repo, repo.branch(play))
    if found is None:
        raise failure("update-ref", ran)
    if not director_git(repo).says("merge-base", "--is-ancestor", base, found):
        name = repo.branch(play).removeprefix("refs/heads/")
        raise Conflict(
            f"a branch {name} exists that is not of this show",
            hint=f"rename it: git branch -m {name} OTHER; or choose another topic",
        )
    return base


def _make(checkout: Checkout) -> None:
    """Lay the play's last collected commit out beside its place and move it there whole."""
    with suppress(FileNotFoundError):
        os.unlink(_furnished(checkout))
    start = _last_collected(checkout)
    making = os.path.join(checkout.repo.checkouts_dir, f".making-{checkout.play}")
    safe_rmtree(making)
    make_folder(making)
    save_index_position(checkout, None)
    check_out_files(checkout.repo, start, making, index=checkout.index)
    _make_git(checkout, making, start)
    point("show.checkout.laid_out")
    os.rename(making, checkout.path)


def _last_collected(checkout: Checkout) -> str:
    if not os.path.exists(os.path.join(checkout.notes, "collected.json")):
        return checkout.base  # it was never made before
    return find_ref(checkout.repo, checkout.branch) or checkout.base


def _make_git(checkout: Checkout, path: str, commit: str) -> None:
    make_git(checkout.repo, path, commit, head=f"ref: {checkout.branch}")
    put_files(path, {"info/exclude": _exclude(checkout).encode(), "index": read_bytes(checkout.index)})
    remember(checkout, commit)
    save_index_position(checkout, commit)


def _replace_git(checkout: Checkout) -> None:
    """A git folder that an agent has made useless gives way to a new one; the files stay as they are."""
    if not os.path.isdir(checkout.path) or os.path.islink(checkout.path):
        safe_rmtree(checkout.path)
        _make(checkout)
        return
    safe_rmtree(os.path.join(checkout.path, ".git"), above=2)
    commit = _last_collected(checkout)
    git = director_git(checkout.repo, work_tree=checkout.path, index=checkout.index)
    save_index_position(checkout, None)
    git.ask("read-tree", "--reset", commit)
    _make_git(checkout, checkout.path, commit)


def _furnish(place: CheckoutTarget, checkout: Checkout) -> None:
    logs = os.path.join(checkout.notes, "logs")
    copied = copy_files(place.repo.path, checkout.path, place.copy)
    _leave_out(checkout, copied)
    if place.setup:
        set_up(checkout.path, place.setup, place.env, logs)
        _leave_out(checkout, copied + _untracked(checkout))
    point("show.checkout.furnished")
    write_text(_furnished(checkout), "")


def _untracked(checkout: Checkout) -> list[str]:
    """What setup made and nobody ignores: not the agent's work."""
    git = director_git(checkout.repo, work_tree=checkout.path, index=checkout.index, excludes=_excludes(checkout))
    return git.ask("ls-files", "-z", "-o", "--directory", "--exclude-standard").fields()


def _leave_out(checkout: Checkout, names: list[str]) -> None:
    write_text(_excludes(checkout), "".join(f"{line}\n" for line in as_patterns(names)))
    put_files(checkout.path, {"info/exclude": _exclude(checkout).encode()})


def remove(
    checkout: Checkout, *, teardown: tuple[Command, ...] = (), env: Mapping[str, str] | None = None
) -> str | None:
    """Remove a checkout whose work is proven merged; otherwise leave it and give the reason."""
    merged = _merged_refs(checkout)
    if reason := why_keep(checkout, merged):
        return reason
    if os.path.isdir(checkout.path) and teardown:
        tear_down(checkout.path, teardown, env or {}, os.path.join(checkout.notes, "logs"))
    safe_rmtree(checkout.path)
    point("show.checkout.removed")
    _drop_branch(checkout, merged)
    return None


def abandon(checkout: Checkout) -> str | None:
    """Remove a checkout whose work nobody wants merged, once all of it is archived; otherwise give the reason."""
    if os.path.isdir(checkout.path):
        collected = collect(checkout, f"What was left of {checkout.play}", attempt=0)
        if collected.left_out:
            return f"it holds {shown(collected.left_out[0])}, which only its own git can commit"
        if reason := left_since(checkout):
            return reason
    safe_rmtree(checkout.path)
    return None


def why_keep(checkout: Checkout, merged: Mapping[str, tuple[str, str]]) -> str | None:
    """What would be lost with a checkout, None when everything in it is proven to be merged and archived."""
    branch = merged[checkout.branch][0] if checkout.branch in merged else find_ref(checkout.repo, checkout.branch)
    if branch is not None and checkout.branch not in merged:
        return "its work is not merged"
    if not any(ref.startswith("refs/shows/archive/") for ref in merged) and branch != checkout.base:
        return "its work is not archived"
    return left_since(checkout) if os.path.isdir(checkout.path) else None


def _merged_refs(checkout: Checkout) -> dict[str, tuple[str, str]]:
    """Branch and archive of a play as far as the integration branch contains them, and where one is checked out."""
    repo = checkout.repo
    archive = repo.archive(checkout.play, 0).removesuffix("/0")
    form = "--format=%(refname) %(objectname) %(worktreepath)"
    told = users_git(repo).ask("for-each-ref", f"--merged={repo.integration}", form, checkout.branch, archive)
    lines = (line.split(" ", 2) for line in told.text.splitlines())
    return {name: (oid, where) for name, oid, where in lines}


def _drop_branch(checkout: Checkout, merged: Mapping[str, tuple[str, str]]) -> None:
    """The archive keeps the commits; a branch that somebody looks at stays."""
    oid, where = merged.get(checkout.branch, ("", ""))
    if oid and not where:
        users_git(checkout.repo).run("update-ref", "-d", checkout.branch, oid)


def _excludes(checkout: Checkout) -> str:
    return os.path.join(checkout.notes, "exclude")


def _furnished(checkout: Checkout) -> str:
    return os.path.join(checkout.notes, "furnished")


def _exclude(checkout: Checkout) -> str:
    """What the agent's own git is told to leave alone: the user's exclusions and what we put there."""
    ours = [os.path.join(checkout.repo.director, "info", "exclude"), _excludes(checkout)]
    return "\n".join(read_bytes(path).decode("utf-8", "ignore") for path in ours)


def _read(path: str) -> str:
    return read_bytes(path).decode("ascii", "ignore").strip()
