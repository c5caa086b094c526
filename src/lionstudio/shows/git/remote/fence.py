"""The fence of a play on the remote: a ref whose commit names the highest fence that has moved refs of the play.

It moves together with what it protects, in one atomic push and only from the commit that we have seen there, so that a
worker that was taken over can no longer publish or merge. Where a remote cannot push atomically, the fence moves first:
an older worker is then stopped by it, or by the comparison of the branch itself, and a merge is made once all the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lionstudio.shows.git.materialize import commit_tree
from lionstudio.shows.git.remote.errors import RemoteAway, RemoteRefused, StaleFence
from lionstudio.shows.git.remote.mirror import NAMESPACES, RemoteMirror, mirror_of, tracking, waiting_for_remote
from lionstudio.shows.git.remote.transport import BRIEF_SECONDS, NoAtomicPush, PushOutcome, RefUpdate
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import users_git
from lionstudio.system.filenames import shown

_MOST_TRIES = 50  # each failure means that another worker moved the refs meanwhile
_MOST_LOCKED = 8  # the remote was about to move the ref; each waits longer
_FORM = "%(refname) %(objectname) %(trailers:key=Show-Fence,valueonly,unfold,separator=%x2C)"


class Fence(NamedTuple):
    """The commit of a fence ref, and its number."""

    oid: str = ""
    number: int = 0


class Seen(NamedTuple):
    """The state of the remote when it was last asked: the integration branch, and a play's fence by namespace."""

    tip: str | None
    fences: dict[str, Fence]

    @property
    def fence(self) -> int:
        return max((fence.number for fence in self.fences.values()), default=0)


def fence_ref(repo: Repo, play: str, namespace: str) -> str:
    return f"{namespace}{repo.topic}/{play}/fence"


def look(repo: Repo, play: str | None = None, *, integration: bool = True, fetch: bool = True) -> Seen:
    """Fetch the integration branch and the fence of a play; without `fetch`, what was seen last."""
    wanted = [repo.integration] if integration else []
    refs = [fence_ref(repo, play, namespace) for namespace in NAMESPACES] if play is not None else []
    with waiting_for_remote(f"{repo.director_dir}/fetch.lock"):
        if fetch:
            # a pattern, because a name that the remote does not have is an error
            patterns = [f"{ref[:-1]}*" for ref in refs]
            specs = [f"+{name}:{name}" for name in wanted] + [f"+{name}:{tracking(name)}" for name in patterns]
            mirror_of(repo).transport.fetch(specs, strict=True)
        names = [*wanted, *map(tracking, refs)]
        lines = users_git(repo).check("for-each-ref", f"--format={_FORM}", *names).lines
    by_name = {name: Fence(oid, _number(number)) for name, oid, number in (line.split(" ", 2) for line in lines)}
    fences = {
        namespace: by_name.get(tracking(ref), Fence()) for namespace, ref in zip(NAMESPACES, refs, strict=bool(refs))
    }
    tip = by_name.get(repo.integration)
    return Seen(tip.oid if tip is not None else None, fences)


def _number(trailer: str) -> int:
    return int(trailer) if trailer.isascii() and trailer.isdigit() and len(trailer) < 16 else 0


def check_fence(repo: Repo, play: str, fence: int, seen: Seen) -> None:
    """Raise when another worker has raised the fence above ours."""
    if seen.fence > fence:
        raise StaleFence(
            f"{repo.topic}/{play} was taken over: its fence is {seen.fence}, ours is {fence}; nothing was moved",
            hint=f"if no other worker has it, delete {fence_ref(repo, play, mirror_of(repo).namespace)} on the remote",
        )


def look_at_fence(repo: Repo, play: str, fence: int, *, fetch: bool) -> Seen:
    """Look at the fence of a play; raise when it is above ours, which only the remote itself says for sure."""
    seen = look(repo, play, integration=False, fetch=fetch)
    if not fetch and seen.fence > fence:
        seen = look(repo, play, integration=False)
    check_fence(repo, play, fence, seen)
    return seen


def raise_fence(repo: Repo, play: str, fence: int) -> None:
    """Make sure that no worker with a lower fence can move refs of a play from now on."""
    for number in range(_MOST_TRIES):
        seen = look_at_fence(repo, play, fence, fetch=number > 0)
        if number > 0 and seen.fence == fence:
            return
        if push_fenced(repo, play, fence, seen, lambda namespace: [], note="raised"):
            return
    raise RemoteAway(f"could not raise the fence of {repo.topic}/{play}: it kept changing", hint="try again")


def push_fenced(
    repo: Repo,
    play: str,
    fence: int,
    seen: Seen,
    updates: Callable[[str], list[RefUpdate]],
    *,
    note: str,
    seconds: float = BRIEF_SECONDS,
    followed: Sequence[RefUpdate] = (),
) -> bool:
    """Move refs and the fence of a play together; False when one of them was not as we have seen it.

    `updates` names the refs by namespace: a remote may refuse one that is not for branches. `followed` are refs of the
    mirror that move afterwards.
    """
    mirror, refused = mirror_of(repo), None
    for namespace in NAMESPACES[NAMESPACES.index(mirror.namespace) :]:
        seen_fence = seen.fences[namespace]
        message = f"Fence {fence} of {repo.topic}/{play}: {note}\n\nShow-Fence: {fence}\n"
        # on top of the last one, for remotes that only take descendants
        parents = (seen_fence.oid,) if seen_fence.oid else ()
        commit = commit_tree(repo, f"{repo.base}^{{tree}}", parents, message)
        own = RefUpdate(fence_ref(repo, play, namespace), commit, seen_fence.oid)
        outcome = _push(mirror, [*updates(namespace), own], seconds)
        if not outcome.rejected:
            if namespace != mirror.namespace:
                mirror.learn(namespace=namespace)
            ours = [RefUpdate(tracking(own.ref), commit), *followed]
            lines = "".join(f"update {ref} {new} {old or ''}".rstrip() + "\n" for ref, new, old in ours)
            # if it fails, a fetch has seen a later commit already
            users_git(repo).run("update-ref", "--stdin", stdin=lines.encode())
            return True
        if outcome.stale:
            return False
        refused = refused or outcome
    assert refused is not None
    raise _refusal(mirror, refused)


def _push(mirror: RemoteMirror, updates: list[RefUpdate], seconds: float) -> PushOutcome:
    """Push; wait while another process holds a ref of the remote."""
    outcome = _push_once(mirror, updates, seconds)
    for number in range(_MOST_LOCKED):
        if not outcome.locked or outcome.stale:
            return outcome
        time.sleep(0.05 * 2**number)
        outcome = _push_once(mirror, updates, seconds)
    raise RemoteAway(
        f"the remote {mirror.transport.shown} cannot move {updates[0].ref}: {outcome.messages or 'it is locked'}",
        hint="if no git is running there, remove the lock file that it names",
    )


def _push_once(mirror: RemoteMirror, updates: list[RefUpdate], seconds: float) -> PushOutcome:
    if mirror.atomic:
        try:
            return mirror.transport.push(updates, seconds=seconds)
        except NoAtomicPush:
            mirror.learn(atomic=False)
    *others, fence = updates
    outcome = mirror.transport.push([fence], seconds=seconds)
    for update in others:
        if outcome.rejected:
            break
        outcome = mirror.transport.push([update], seconds=seconds)
    return outcome


def _refusal(mirror: RemoteMirror, outcome: PushOutcome) -> RemoteRefused:
    reasons = [f"{ref} {reason}" for ref, reason in outcome.rejected.items() if "atomic push fail" not in reason]
    reason = "; ".join(reasons or outcome.rejected.values())
    remark = f" ({outcome.messages})" if outcome.messages else ""
    return RemoteRefused(
        f"the remote {mirror.transport.shown} refuses to move {shown(reason)}{remark}",
        hint="allow pushes to refs/heads/show/ and to refs/shows/ or refs/heads/lion/",
    )
