"""The integration branch of a show on its remote: created once, and moved only from the commit that was seen there."""

from __future__ import annotations

from collections.abc import Callable

from lionstudio.crash import point
from lionstudio.errors import NotFound
from lionstudio.shows.git.remote.address import as_argument
from lionstudio.shows.git.remote.errors import RemoteRefused
from lionstudio.shows.git.remote.fence import Seen, check_fence, look, push_fenced, raise_fence
from lionstudio.shows.git.remote.mirror import mirror_of
from lionstudio.shows.git.remote.transport import MissingRef, RefUpdate
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import find_ref


def fetch_tip(repo: Repo) -> str:
    """Fetch the integration branch and return its commit; raise when the remote does not have it."""
    return _tip_of(repo, None)[1]


def remembered_tip(repo: Repo, recorded: str | None) -> str:
    """Return the commit of the branch without asking the remote, where this machine has what the show recorded last.

    It may be old all the same: the push of a merge on top of it finds that out.
    """
    if recorded is not None and find_ref(repo, repo.integration) == recorded:
        return recorded
    return fetch_tip(repo)


def find_tip(repo: Repo) -> str | None:
    """Fetch the integration branch; None when the remote does not have it."""
    try:
        return fetch_tip(repo)
    except NotFound:
        return None


def begin_branch(repo: Repo) -> str:
    """Create the integration branch at the base of the show, unless another machine has; return its commit."""
    mirror = mirror_of(repo)
    outcome = mirror.transport.push([RefUpdate(repo.integration, repo.base, "")])
    point("show.remote.begun")
    tip = find_tip(repo)
    if tip is None:
        reason = outcome.messages or "; ".join(outcome.rejected.values())
        raise RemoteRefused(
            f"the remote {mirror.transport.shown} refuses the branch {_name(repo)}: {reason}",
            hint="allow pushes to refs/heads/show/, or choose another topic",
        )
    return tip


def _tip_of(repo: Repo, play: str | None) -> tuple[Seen, str]:
    try:
        seen = look(repo, play)
    except MissingRef:
        seen = Seen(None, {})
    if seen.tip is None:
        remote = mirror_of(repo).transport.shown
        raise NotFound(
            f"the branch {_name(repo)} is gone from {remote}",
            hint=f"restore it: git push {as_argument(mirror_of(repo).remote)} COMMIT:{repo.integration}",
        )
    return seen, seen.tip


def _name(repo: Repo) -> str:
    return repo.integration.removeprefix("refs/heads/")


class RemoteBranch:
    """The integration branch as the holder of a fence moves it."""

    def __init__(self, repo: Repo, play: str, fence: int, get_recorded: Callable[[], str | None]) -> None:
        self._repo = repo
        self._play = play
        self._fence = fence
        self._get_recorded = get_recorded
        self._seen = Seen(None, {})
        self.is_asked = False  # whether the remote was

    def tip(self) -> str:
        """Return the branch; raise when another worker has taken over.

        The first time, branch and fence as they were seen last will do unless the show has recorded another tip: the
        push moves both only from there.
        """
        if self._seen.tip is None:
            self._seen = look(self._repo, self._play, fetch=False)
            is_ours = 0 < self._seen.fence <= self._fence
            if is_ours and self._seen.tip is not None and self._seen.tip == self._get_recorded():
                return self._seen.tip
        self._seen, tip = _tip_of(self._repo, self._play)
        self.is_asked = True
        check_fence(self._repo, self._play, self._fence, self._seen)
        return tip

    def move(self, sha: str, tip: str) -> bool:
        """Move the branch from a tip; False when it, or the fence, is no longer as it was seen."""
        moved = push_fenced(
            self._repo,
            self._play,
            self._fence,
            self._seen,
            lambda _namespace: [RefUpdate(self._repo.integration, sha, tip)],
            note=f"merges {sha}",
            followed=[RefUpdate(self._repo.integration, sha, tip)],
        )
        point("show.remote.pushed")
        return moved

    def keep_out_older(self) -> None:
        """Raise the fence before something else than a merge is decided."""
        if self._seen.fence < self._fence:
            raise_fence(self._repo, self._play, self._fence)
