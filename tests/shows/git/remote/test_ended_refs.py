"""Refs of ended shows on a remote: listed with the reason to keep them, deleted only as they were listed."""

from __future__ import annotations

from pathlib import Path

from tests.support.git_remotes import machine, make_remote, refs_of
from tests.support.repositories import git, merge

from lionstudio.shows.git.merge import MergeCommitted
from lionstudio.shows.git.remote.ended_refs import delete_ended_refs, list_ended_refs
from lionstudio.shows.git.remote.work import publish_work

INTEGRATION = "refs/heads/show/topic/integration"


def test_ended_refs_are_deleted_when_their_work_is_merged(tmp_path: Path) -> None:
    remote, home = make_remote(tmp_path), tmp_path / "one"
    repo = machine(remote, home)
    machine(remote, home, "topic2")
    heads = {}
    for play in ("done", "lost"):
        tree = f"{repo.base}^{{tree}}"
        heads[play] = git(repo.git_dir, "commit-tree", tree, "-p", repo.base, "-m", play)
        publish_work(repo, play, attempt=1, fence=1, head=heads[play])
    assert isinstance(merge(repo, "topic", "done", 1, heads["done"], "Merge", fence=1), MergeCommitted)
    before = refs_of(remote)
    found = list_ended_refs(str(remote), "topic", home=str(home), work=True, branches=False)
    assert {ref.ref: ref.kept for ref in found} == {
        "refs/shows/topic/done/1-1": None,
        "refs/shows/topic/done/fence": None,
        "refs/shows/topic/lost/1-1": "not merged into another branch",
        "refs/shows/topic/lost/fence": None,
    }
    both = list_ended_refs(str(remote), "topic", home=str(home), work=True, branches=True)
    assert {ref.ref for ref in both if ref.kept} == {
        INTEGRATION,
        "refs/shows/topic/done/1-1",
        "refs/shows/topic/lost/1-1",
    }
    assert refs_of(remote) == before
    moved = git(remote, "commit-tree", f"{repo.base}^{{tree}}", "-m", "moved")
    git(remote, "update-ref", "refs/shows/topic/lost/fence", moved)
    delete_ended_refs(str(remote), [ref for ref in found if ref.kept is None], home=str(home))
    assert sorted(refs_of(remote)) == [
        INTEGRATION,
        "refs/heads/show/topic2/integration",
        "refs/shows/topic/lost/1-1",
        "refs/shows/topic/lost/fence",
    ]
    everything = list_ended_refs(str(remote), "topic", home=str(home), work=True, branches=True, force=True)
    delete_ended_refs(str(remote), everything, home=str(home))
    assert list(refs_of(remote)) == ["refs/heads/show/topic2/integration"]
    assert list_ended_refs(str(remote), "topic", home=str(home), work=True, branches=True) == []
