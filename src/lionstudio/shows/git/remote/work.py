"""The work of attempts on the remote: published where it was made, fetched where its gates run or where it goes on."""

from __future__ import annotations

from lionstudio.crash import point
from lionstudio.shows.git.lfs import list_new_objects
from lionstudio.shows.git.remote.errors import RemoteAway, RemoteRefused
from lionstudio.shows.git.remote.fence import look_at_fence, push_fenced
from lionstudio.shows.git.remote.mirror import NAMESPACES, mirror_of
from lionstudio.shows.git.remote.transport import LONG_SECONDS, MissingRef, RefUpdate
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import find_ref, users_git

_MOST_TRIES = 20


def work_ref(repo: Repo, play: str, attempt: int, fence: int, namespace: str = NAMESPACES[0]) -> str:
    """Name the ref of the remote that has the work of an attempt."""
    return f"{namespace}{repo.topic}/{play}/{attempt}-{fence}"


def publish_work(repo: Repo, play: str, *, attempt: int, fence: int, head: str) -> str:
    """Push the collected work of an attempt, and raise the fence with it; return the ref. Safe to repeat."""
    if objects := list_new_objects(repo, head):
        mirror_of(repo).transport.push_lfs_objects(objects)

    def updates(namespace: str) -> list[RefUpdate]:
        return [RefUpdate(work_ref(repo, play, attempt, fence, namespace), head)]

    for number in range(_MOST_TRIES):
        seen = look_at_fence(repo, play, fence, fetch=number > 0)
        note = f"publishes attempt {attempt}, {head}"
        if push_fenced(repo, play, fence, seen, updates, note=note, seconds=LONG_SECONDS):
            point("show.work.published")
            return work_ref(repo, play, attempt, fence, mirror_of(repo).namespace)
    raise RemoteAway(f"could not publish the work of {repo.topic}/{play}: its fence kept changing", hint="try again")


def fetch_work(repo: Repo, play: str, *, attempt: int, fence: int, head: str) -> None:
    """Make sure that this machine has the published work of an attempt, exactly the commit that was recorded."""
    own = repo.archive(play, attempt)
    if find_ref(repo, own) == head or find_ref(repo, local := f"{own}-{fence}") == head:
        return  # not by the object alone: a fetch that was killed leaves some without the rest
    transport, namespace = mirror_of(repo).transport, mirror_of(repo).namespace
    for name in (namespace, *(other for other in NAMESPACES if other != namespace)):
        try:
            transport.fetch(
                [f"+{work_ref(repo, play, attempt, fence, name)}:{local}"], strict=True, seconds=LONG_SECONDS
            )
            break
        except MissingRef:
            continue
    commit = find_ref(repo, local)
    if commit != head:
        users_git(repo).run("update-ref", "-d", local)
        what = f"has {commit[:12]} instead" if commit is not None else "does not have it"
        raise RemoteRefused(
            f"attempt {attempt} of {repo.topic}/{play} ended with {head[:12]}, and the remote {transport.shown} {what}",
            hint="redo the play, or push that commit to the remote again",
        )
