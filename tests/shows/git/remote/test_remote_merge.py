"""Merges on a remote: once each, from two machines, killed anywhere, connections cut, never by an old fence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer

import pytest
from tests.support.git_remotes import (
    CuttingProxy,
    GitDaemon,
    commit_with,
    git_daemon,
    machine,
    make_remote,
    merges_of,
    refs_of,
    run_script,
)
from tests.support.repositories import checkout_of, commit, files_of, git, merge, write

from lionstudio.errors import NotFound
from lionstudio.shows.git import merge as merging
from lionstudio.shows.git.checkout import find_checkout, remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.materialize import commit_tree
from lionstudio.shows.git.merge import (
    AlreadyMerged,
    ForeignCommits,
    MergeCommitted,
    MergeConflict,
    find_foreign_commits,
    integration_tip,
)
from lionstudio.shows.git.merge import merge as merge_recorded
from lionstudio.shows.git.remote.branch import remembered_tip
from lionstudio.shows.git.remote.errors import RemoteAway, RemoteRefused, StaleFence
from lionstudio.shows.git.remote.fence import raise_fence
from lionstudio.shows.git.remote.mirror import mirror_of
from lionstudio.shows.git.remote.patience import wait_out_remote
from lionstudio.shows.git.remote.transport import Transport
from lionstudio.shows.git.remote.work import fetch_work, publish_work
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.system.git import GitResult

INTEGRATION = "refs/heads/show/topic/integration"


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


@pytest.fixture
def daemon(remote: Path) -> Iterator[GitDaemon]:
    with git_daemon(remote.parent) as daemon:
        yield daemon


def work_of(repo: Repo, play: str, files: dict[str, str] | None = None, *, fence: int = 1) -> str:
    """The published work of a play's first attempt."""
    checkout = checkout_of(repo, play)
    write(checkout.path, files or {f"{play}.txt": f"{play}\n"})
    head = collect(checkout, play, attempt=1).head
    wait_out_remote(lambda: publish_work(repo, play, attempt=1, fence=fence, head=head), warn=print)
    return head


class Record:
    """The merges of a show as a row has them."""

    def __init__(self) -> None:
        self.merges: list[str] = []
        self.tip: str | None = None
        self.checked_tip: str | None = None

    def record_merge(self, sha: str) -> None:
        self.merges.append(sha)

    def record_tip(self, sha: str) -> None:
        self.tip = self.checked_tip = sha


def test_merge_moves_the_branch_of_the_remote_once(daemon: GitDaemon, remote: Path, tmp_path: Path) -> None:
    one, two = machine(daemon.url(), tmp_path / "one"), machine(daemon.url(), tmp_path / "two")
    head = work_of(one, "play")
    fetch_work(two, "play", attempt=1, fence=1, head=head)
    first = merge(two, "topic", "play", 1, head, "Merge", fence=2)
    assert isinstance(first, MergeCommitted)
    for repo in (one, two, one):
        assert merge(repo, "topic", "play", 1, head, "Merge", fence=2) == AlreadyMerged(first.sha)
    assert merges_of(remote) == ["topic/play"]
    assert files_of(remote, INTEGRATION)["play.txt"] == "play"
    assert git(remote, "rev-parse", INTEGRATION) == first.sha == integration_tip(one)
    git(remote, "fsck", "--strict")


def test_merge_asks_the_remote_only_where_another_machine_has_merged(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, record = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two"), Record()
    heads = {name: work_of(one, name) for name in "abcde"} | {"elsewhere": work_of(two, "elsewhere")}
    asked: list[str] = []
    real = Transport._run

    def note(self: Transport, args: Sequence[str], seconds: float) -> GitResult:
        asked.append(next(arg for arg in args if arg in ("fetch", "push", "ls-remote")))
        return real(self, args, seconds)

    monkeypatch.setattr(Transport, "_run", note)

    def merged(repo: Repo, play: str) -> list[str]:
        asked.clear()
        result = merge_recorded(repo, "topic", play, 1, heads[play], "Merge", record=record, fence=1)
        assert isinstance(result, MergeCommitted)
        return asked

    assert merged(one, "a") == ["fetch", "push"]  # nothing is recorded yet
    assert merged(one, "b") == ["push"]
    assert remembered_tip(one, record.tip) == record.tip
    assert (checkout := find_checkout(one, "b")) is not None
    assert remove(checkout, is_fetched=True).kept is None
    assert asked == ["push"]

    assert merged(two, "elsewhere") == ["fetch", "push"]
    assert merged(one, "c") == ["fetch", "push"]

    tip = record.tip
    fetch_work(two, "d", attempt=1, fence=1, head=heads["d"])
    assert merged(two, "d") == ["fetch", "push"]
    record.tip = record.checked_tip = tip  # killed between the push and the record
    assert merged(one, "e") == ["push", "fetch", "push"]
    assert merges_of(remote) == [f"topic/{play}" for play in ("a", "b", "elsewhere", "c", "d", "e")]


def test_merge_of_two_plays_from_two_machines_keeps_both(remote: Path, tmp_path: Path) -> None:
    one, two = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two")
    a, b = work_of(one, "a"), work_of(two, "b")
    assert isinstance(merge(one, "topic", "a", 1, a, "Merge", fence=1), MergeCommitted)
    assert isinstance(merge(two, "topic", "b", 1, b, "Merge", fence=1), MergeCommitted)
    assert merges_of(remote) == ["topic/a", "topic/b"]
    c = work_of(two, "c", {"a.txt": "other\n"})
    d = work_of(one, "d", {"a.txt": "another\n"})
    assert isinstance(merge(two, "topic", "c", 1, c, "Merge", fence=1), MergeCommitted)
    conflict = merge(one, "topic", "d", 1, d, "Merge", fence=3)
    assert isinstance(conflict, MergeConflict)
    assert conflict.files == ("a.txt",)
    with pytest.raises(StaleFence):  # a conflict keeps older workers out too
        merge(two, "topic", "d", 1, d, "Merge", fence=2)


RACE = """
from pathlib import Path
from tests.support.git_remotes import machine
from tests.support.repositories import merge
from lionstudio.shows.git.remote.patience import wait_out_remote
from lionstudio.shows.git.remote.transport import Transport
from lionstudio.shows.git.remote.work import fetch_work
repo = machine(arguments["remote"], Path(arguments["home"]))
for play, head in arguments["heads"]:
    wait_out_remote(lambda: fetch_work(repo, play, attempt=1, fence=1, head=head), warn=str)
    result = wait_out_remote(lambda: merge(repo, "topic", play, 1, head, "Merge", fence=1), warn=str)
    print(type(result).__name__, play, result.sha, flush=True)
"""


def test_merge_by_two_racing_processes_makes_each_merge_once(daemon: GitDaemon, remote: Path, tmp_path: Path) -> None:
    repo, heads = machine(daemon.url(), tmp_path / "author"), []
    for number in range(50):  # commits without a checkout, which is not what this is about
        head = commit_with(repo.git_dir, repo.base, f"file-{number}.txt", f"{number}\n")
        heads.append((f"play-{number}", head))
    git(repo.git_dir, "push", "-q", str(remote), *(f"{head}:refs/shows/topic/{play}/1-1" for play, head in heads))
    arguments = {"remote": daemon.url(), "heads": heads}
    racers = [run_script(RACE, arguments | {"home": str(tmp_path / name)}) for name in ("left", "right")]
    said = [racer.communicate(timeout=300) for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0], said
    left, right = ([line.split() for line in out.splitlines()] for out, _ in said)
    # two processes in the same second make the same commit, and both are told that it is there
    assert {kind for kind, _, _ in (*left, *right)} <= {"AlreadyMerged", "MergeCommitted"}
    assert [(play, sha) for _, play, sha in left] == [(play, sha) for _, play, sha in right]
    assert sorted(merges_of(remote)) == sorted(f"topic/play-{number}" for number in range(50))
    assert len([name for name in files_of(remote, INTEGRATION) if name.startswith("file-")]) == 50
    git(remote, "fsck", "--strict")


ONE = """
from pathlib import Path
from tests.support.git_remotes import machine
from tests.support.repositories import merge
repo = machine(arguments["remote"], Path(arguments["home"]))
print(type(merge(repo, "topic", "play", 1, arguments["head"], "Merge", fence=1)).__name__)
"""


@pytest.mark.parametrize("where", ["show.merge.committed", "show.remote.pushed", "show.merge.moved"])
def test_merge_is_found_again_after_a_kill(remote: Path, tmp_path: Path, where: str) -> None:
    repo = machine(remote, tmp_path / "one")
    head = work_of(repo, "play")
    arguments = {"remote": str(remote), "home": str(tmp_path / "one"), "head": head}
    killed = run_script(ONE, arguments, LIONAGI_CRASH_AT=where)
    killed.communicate(timeout=120)
    assert killed.returncode == -9
    moved = where != "show.merge.committed"
    assert merges_of(remote) == (["topic/play"] if moved else [])
    again = run_script(ONE, arguments)
    expected = "AlreadyMerged" if moved else "MergeCommitted"
    assert again.communicate(timeout=120)[0].strip() == expected
    other = machine(remote, tmp_path / "two")
    fetch_work(other, "play", attempt=1, fence=1, head=head)
    assert isinstance(merge(other, "topic", "play", 1, head, "Merge", fence=2), AlreadyMerged)
    assert merges_of(remote) == ["topic/play"]


@pytest.mark.parametrize("down", [False, True])
def test_merge_is_found_again_when_the_answer_was_cut(
    daemon: GitDaemon, remote: Path, tmp_path: Path, down: bool
) -> None:
    proxy = CuttingProxy(daemon.port)
    repo = machine(daemon.url(port=proxy.port), tmp_path / "one")
    head = work_of(repo, "play")
    proxy.swallow_answer, proxy.down_afterwards = True, down
    if down:
        with pytest.raises(RemoteAway, match="does not answer"):
            merge(repo, "topic", "play", 1, head, "Merge", fence=1)
    else:  # the branch is looked at again
        assert isinstance(merge(repo, "topic", "play", 1, head, "Merge", fence=1), MergeCommitted)
    assert proxy.cuts == 1
    proxy.swallow_answer = proxy.is_down = False
    assert merges_of(remote) == ["topic/play"]
    assert isinstance(merge(repo, "topic", "play", 1, head, "Merge", fence=1), AlreadyMerged)
    assert merges_of(remote) == ["topic/play"]
    proxy.close()


@pytest.mark.parametrize("after", [1, 40, 300, 800])
def test_merge_works_after_connections_were_cut_anywhere(
    daemon: GitDaemon, remote: Path, tmp_path: Path, after: int
) -> None:
    proxy = CuttingProxy(daemon.port)
    repo = machine(daemon.url(port=proxy.port), tmp_path / "one")
    head = work_of(repo, "play")
    for number in range(4):
        proxy.cut = lambda asked, answered, number=number: len(asked) + len(answered) > after + 250 * number  # type: ignore[misc]
        with suppress(RemoteAway):
            merge(repo, "topic", "play", 1, head, "Merge", fence=1)
    assert proxy.cuts > 0
    proxy.cut = lambda asked, answered: False
    result = wait_out_remote(lambda: merge(repo, "topic", "play", 1, head, "Merge", fence=1), warn=print)
    assert isinstance(result, MergeCommitted | AlreadyMerged)
    assert merges_of(remote) == ["topic/play"]
    git(remote, "fsck", "--strict")
    git(repo.git_dir, "fsck", "--strict")
    proxy.close()


def test_merge_waits_for_a_remote_that_is_away(daemon: GitDaemon, remote: Path, tmp_path: Path) -> None:
    repo = machine(daemon.url(), tmp_path / "one")
    head = work_of(repo, "play")
    daemon.stop()
    for _ in range(2):
        with pytest.raises(RemoteAway) as caught:
            merge(repo, "topic", "play", 1, head, "Merge", fence=1)
        assert caught.value.retryable
    daemon.start()
    assert isinstance(merge(repo, "topic", "play", 1, head, "Merge", fence=1), MergeCommitted)


def test_merge_by_an_old_fence_is_refused(remote: Path, tmp_path: Path) -> None:
    one, two = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two")
    head = work_of(one, "play", fence=3)
    before = refs_of(remote)
    for fence in (1, 2):
        with pytest.raises(StaleFence, match=f"its fence is 3, ours is {fence}"):
            merge(one, "topic", "play", 1, head, "Merge", fence=fence)
        with pytest.raises(StaleFence):
            publish_work(two, "play", attempt=1, fence=fence, head=two.base)
        with pytest.raises(StaleFence):
            raise_fence(two, "play", fence)
    assert refs_of(remote) == before
    raise_fence(two, "play", 4)
    raise_fence(two, "play", 4)
    with pytest.raises(StaleFence):
        merge(one, "topic", "play", 1, head, "Merge", fence=3)


def test_merge_is_refused_when_the_fence_rises_right_before_the_push(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two")
    head = work_of(one, "play")

    def take_over(name: str) -> None:
        if name == "show.merge.committed":
            raise_fence(two, "play", 2)

    monkeypatch.setattr("lionstudio.shows.git.merge.point", take_over)
    with pytest.raises(StaleFence):
        merge(one, "topic", "play", 1, head, "Merge", fence=1)
    assert merges_of(remote) == []


@pytest.mark.parametrize("where", ["daemon", "folder"])
def test_merge_without_atomic_pushes_is_made_once(daemon: GitDaemon, remote: Path, tmp_path: Path, where: str) -> None:
    git(remote, "config", "receive.advertiseAtomic", "false")
    url = daemon.url() if where == "daemon" else str(remote)
    one, two = machine(url, tmp_path / "one"), machine(url, tmp_path / "two")
    head = work_of(one, "play")
    assert not mirror_of(one).atomic
    fetch_work(two, "play", attempt=1, fence=1, head=head)
    assert isinstance(merge(two, "topic", "play", 1, head, "Merge", fence=2), MergeCommitted)
    with pytest.raises(StaleFence):
        merge(one, "topic", "play", 1, head, "Merge", fence=1)
    assert isinstance(merge(one, "topic", "play", 1, head, "Merge", fence=3), AlreadyMerged)
    assert merges_of(remote) == ["topic/play"]


def test_merge_works_where_only_fast_forwards_of_branches_are_taken(
    daemon: GitDaemon, remote: Path, tmp_path: Path
) -> None:
    git(remote, "config", "receive.denyNonFastForwards", "true")
    git(remote, "config", "receive.denyDeletes", "true")
    hook = remote / "hooks" / "update"
    hook.write_text("#!/bin/sh\ncase $1 in refs/heads/*) ;; *) echo only branches here >&2; exit 1;; esac\n")
    hook.chmod(0o755)
    one, two = machine(daemon.url(), tmp_path / "one"), machine(daemon.url(), tmp_path / "two")
    for play in ("play-0", "play-1", "play-2"):
        head = work_of(one, play)
        if play != "play-1":
            assert isinstance(merge(one, "topic", play, 1, head, "Merge", fence=2), MergeCommitted)
    assert mirror_of(one).namespace == "refs/heads/lion/"
    assert not [name for name in refs_of(remote) if name.startswith("refs/shows/")]
    head = git(remote, "rev-parse", "refs/heads/lion/topic/play-1/1-1")
    fetch_work(two, "play-1", attempt=1, fence=1, head=head)
    with pytest.raises(StaleFence):
        merge(two, "topic", "play-1", 1, head, "Merge", fence=0)
    assert isinstance(merge(two, "topic", "play-1", 1, head, "Merge", fence=2), MergeCommitted)
    assert sorted(merges_of(remote)) == ["topic/play-0", "topic/play-1", "topic/play-2"]


def test_merge_reads_only_what_was_merged_since_it_looked(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first-parent line grows with the show; the part that this machine has checked cannot change."""
    one, two, record, seen = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two"), Record(), Record()
    heads = {name: work_of(one, name) for name in "abc"} | {"elsewhere": work_of(two, "elsewhere")}
    for play in "ab":
        merge_recorded(one, "topic", play, 1, heads[play], "Merge", record=record, fence=1)
    assert find_foreign_commits(two, integration_tip(two), seen_by(record, seen)) is None
    merge_recorded(one, "topic", "c", 1, heads["c"], "Merge", record=record, fence=1)
    seen_by(record, seen)

    with monkeypatch.context() as patch:
        patch.setattr(merging, "_line", lambda *_: pytest.fail("the whole line was read again"))
        merged = merge_recorded(two, "topic", "elsewhere", 1, heads["elsewhere"], "Merge", record=seen, fence=1)
    assert isinstance(merged, MergeCommitted)

    # what was checked is gone, and what replaced it is not recorded
    foreign = commit_tree(one, f"{one.base}^{{tree}}", (one.base,), "Merge\n\nShow-Play: topic/a\n")
    assert find_foreign_commits(one, foreign, record) == ForeignCommits((foreign,), tuple(record.merges[2::-1]))


def seen_by(record: Record, other: Record) -> Record:
    """The same row, read by a process that has checked something else."""
    other.merges, other.tip = record.merges, record.tip
    return other


def test_merge_refused_by_a_hook_is_final_and_says_why(daemon: GitDaemon, remote: Path, tmp_path: Path) -> None:
    repo = machine(daemon.url(), tmp_path / "one")
    head = work_of(repo, "play")
    hook = remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\ngrep -q integration && { echo protected branch >&2; exit 1; }; exit 0\n")
    hook.chmod(0o755)
    with pytest.raises(RemoteRefused, match="protected branch") as caught:
        merge(repo, "topic", "play", 1, head, "Merge", fence=1)
    assert not caught.value.retryable
    assert merges_of(remote) == []


def test_merge_finds_commits_that_an_agent_pushed_by_itself(remote: Path, tmp_path: Path) -> None:
    repo, record = machine(remote, tmp_path / "one"), Record()
    first = work_of(repo, "first")
    assert isinstance(merge_recorded(repo, "topic", "first", 1, first, "Merge", record=record, fence=1), MergeCommitted)
    agent = tmp_path / "agent"
    git(tmp_path, "clone", "-q", "-b", "show/topic/integration", str(remote), str(agent))
    write(agent, {"evil.txt": "e\n"})
    foreign = commit(agent, "Merge\n\nShow-Play: topic/play\n")
    git(agent, "push", "-q", "origin", "HEAD:show/topic/integration")
    head = work_of(repo, "play")
    found = merge_recorded(repo, "topic", "play", 1, head, "Merge", record=record, fence=1)
    assert found == ForeignCommits((foreign,))
    git(agent, "push", "-q", "--force", "origin", f"{repo.base}:refs/heads/show/topic/integration")
    record.checked_tip = None
    dropped = find_foreign_commits(repo, integration_tip(repo), record)
    assert dropped == ForeignCommits((), tuple(record.merges[:1]))


def test_merge_reports_a_branch_that_is_gone(remote: Path, tmp_path: Path) -> None:
    repo = machine(remote, tmp_path / "one")
    head = work_of(repo, "play")
    git(remote, "update-ref", "-d", INTEGRATION)
    with pytest.raises(NotFound, match="is gone from"):
        merge(repo, "topic", "play", 1, head, "Merge", fence=1)


def test_merge_waits_while_a_ref_of_the_remote_is_locked(remote: Path, tmp_path: Path) -> None:
    repo = machine(remote, tmp_path / "one")
    head = work_of(repo, "play")
    lock = remote / f"{INTEGRATION}.lock"
    lock.touch()
    timer = Timer(0.5, lock.unlink)
    timer.start()
    assert isinstance(merge(repo, "topic", "play", 1, head, "Merge", fence=1), MergeCommitted)
    timer.join()
