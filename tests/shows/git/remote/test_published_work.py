"""Work of attempts on a remote: published, fetched, gone on with on another machine; LFS objects go with it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.git_remotes import GitDaemon, commit_with, git_daemon, machine, make_remote, refs_of, run_script
from tests.support.repositories import checkout_of, commit, files_of, git, merge, write

from lionstudio.errors import InvalidInput
from lionstudio.shows.git.checkout import CheckoutTarget, abandon, prepare, remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.conflict import hand_back_conflict
from lionstudio.shows.git.merge import MergeCommitted, MergeConflict, integration_tip
from lionstudio.shows.git.provision import copy_files
from lionstudio.shows.git.remote.errors import RemoteRefused
from lionstudio.shows.git.remote.fence import look
from lionstudio.shows.git.remote.mirror import mirror_of
from lionstudio.shows.git.remote.work import fetch_work, publish_work, work_ref


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


@pytest.fixture
def daemon(remote: Path) -> Iterator[GitDaemon]:
    with git_daemon(remote.parent) as daemon:
        yield daemon


def hook(remote: Path, name: str, script: str) -> None:
    path = remote / "hooks" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_publish_work_pushes_to_refs_of_its_own(remote: Path, tmp_path: Path) -> None:
    one = machine(remote, tmp_path / "one")
    checkout = checkout_of(one)
    write(checkout.path, {"x.txt": "x\n"})
    head = collect(checkout, "work", attempt=1).head
    for _ in range(2):
        assert publish_work(one, "play", attempt=1, fence=7, head=head) == "refs/shows/topic/play/1-7"
    assert refs_of(remote)["refs/shows/topic/play/1-7"] == head
    two = machine(remote, tmp_path / "two")
    for _ in range(2):
        fetch_work(two, "play", attempt=1, fence=7, head=head)
    assert files_of(two.git_dir, head)["x.txt"] == "x"


@pytest.mark.parametrize("hook_name", ["update", "pre-receive", None])
def test_publish_work_falls_back_where_other_namespaces_are_refused(
    daemon: GitDaemon, remote: Path, tmp_path: Path, hook_name: str | None
) -> None:
    if hook_name == "update":
        hook(remote, "update", "case $1 in refs/shows/*) exit 1;; esac")
    elif hook_name == "pre-receive":
        hook(remote, "pre-receive", "grep -q refs/shows/ && exit 1; exit 0")
    else:
        git(remote, "config", "receive.hideRefs", "refs/shows")
    one = machine(daemon.url(), tmp_path / "one")
    head = _commit(one.git_dir, one.base)
    assert publish_work(one, "play", attempt=2, fence=3, head=head) == "refs/heads/lion/topic/play/2-3"
    assert mirror_of(one).namespace == "refs/heads/lion/"
    assert publish_work(one, "next", attempt=1, fence=1, head=head) == "refs/heads/lion/topic/next/1-1"
    two = machine(daemon.url(), tmp_path / "two")
    fetch_work(two, "play", attempt=2, fence=3, head=head)
    assert git(two.git_dir, "cat-file", "-t", head) == "commit"


def _commit(git_dir: str, parent: str, text: str = "work") -> str:
    return git(git_dir, "commit-tree", f"{parent}^{{tree}}", "-p", parent, "-m", text)


def test_publish_work_refused_everywhere_says_why(daemon: GitDaemon, remote: Path, tmp_path: Path) -> None:
    one = machine(daemon.url(), tmp_path / "one")
    hook(remote, "pre-receive", "echo quota exceeded >&2; exit 1")
    with pytest.raises(RemoteRefused, match="quota exceeded"):
        publish_work(one, "play", attempt=1, fence=1, head=one.base)
    assert mirror_of(one).namespace == "refs/shows/"  # the host does not refuse the namespace


@pytest.mark.parametrize("kind", ["commit", "tag"])
def test_publish_work_reads_a_fence_that_another_program_wrote(remote: Path, tmp_path: Path, kind: str) -> None:
    """One value on several lines, in a commit or in a tag, is not a number, and breaks nothing."""
    repo, message = machine(remote, tmp_path / "one"), "x\n\nShow-Fence: 5\n 6"
    sha = git(remote, "commit-tree", "main^{tree}", "-p", "main", "-m", message)
    if kind == "tag":
        git(remote, "tag", "-a", "evil", "-m", message, sha)
        sha = git(remote, "rev-parse", "refs/tags/evil")
    git(remote, "update-ref", "refs/shows/topic/play/fence", sha)

    assert look(repo, "play").fence == 0


def test_fetch_work_refuses_another_commit_than_the_recorded_one(remote: Path, tmp_path: Path) -> None:
    one, two = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two")
    head = _commit(one.git_dir, one.base)
    with pytest.raises(RemoteRefused, match="does not have it"):
        fetch_work(two, "play", attempt=1, fence=1, head=head)
    git(remote, "update-ref", work_ref(one, "play", 1, 1), _commit(str(remote), one.base, "an agent pushed this"))
    with pytest.raises(RemoteRefused, match="instead"):
        fetch_work(two, "play", attempt=1, fence=1, head=head)


PUBLISH = """
from pathlib import Path
from tests.support.git_remotes import machine
from lionstudio.shows.git.remote.work import publish_work
repo = machine(arguments["remote"], Path(arguments["home"]))
print(publish_work(repo, "play", attempt=1, fence=1, head=arguments["head"]))
"""


def test_publish_work_is_repeated_after_a_kill(remote: Path, tmp_path: Path) -> None:
    one = machine(remote, tmp_path / "one")
    head = _commit(one.git_dir, one.base)
    arguments = {"remote": str(remote), "home": str(tmp_path / "one"), "head": head}
    killed = run_script(PUBLISH, arguments, LIONAGI_CRASH_AT="show.work.published")
    killed.communicate(timeout=120)
    assert killed.returncode == -9
    again = run_script(PUBLISH, arguments)
    assert again.communicate(timeout=120)[0].strip() == "refs/shows/topic/play/1-1"


# ── the next attempt, on another machine ──


def test_prepare_goes_on_with_work_of_another_machine(remote: Path, tmp_path: Path) -> None:
    one, two = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two")
    first = checkout_of(one)
    write(first.path, {"x.txt": "one\n"})
    head = collect(first, "work", attempt=1).head
    publish_work(one, "play", attempt=1, fence=1, head=head)
    fetch_work(two, "play", attempt=1, fence=1, head=head)
    second = prepare(CheckoutTarget(repo=two, play="play", base=first.base, head=head))
    assert Path(second.path, "x.txt").read_text() == "one\n"
    assert git(second.path, "rev-parse", "HEAD") == head
    assert git(second.path, "status", "--porcelain") == ""
    write(second.path, {"x.txt": "two\n"})
    commit(second.path)
    again = collect(second, "work", attempt=2)
    assert (again.problems, again.changed) == ((), ("x.txt",))
    publish_work(two, "play", attempt=2, fence=2, head=again.head)
    # and back: what the first machine still has is archived, and the play goes on with the newer work
    write(first.path, {"mine.txt": "m\n"})
    fetch_work(one, "play", attempt=2, fence=2, head=again.head)
    for _ in range(2):
        prepare(CheckoutTarget(repo=one, play="play", base=first.base, head=again.head))
        assert Path(first.path, "x.txt").read_text() == "two\n"
        assert not Path(first.path, "mine.txt").exists()
    archived = git(one.git_dir, "for-each-ref", "--format=%(objectname)", "refs/shows/archive/topic/play").split()
    assert any("mine.txt" in files_of(one.git_dir, oid) for oid in archived)
    assert isinstance(merge(one, "topic", "play", 2, again.head, "Merge", fence=3), MergeCommitted)
    assert remove(first).kept is None
    assert not os.path.exists(first.path)
    assert remove(second).kept is None


def test_prepare_replaces_a_checkout_of_another_base(remote: Path, tmp_path: Path) -> None:
    one, two = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two")
    lost = checkout_of(one)
    write(lost.path, {"lost.txt": "l\n"})
    other = checkout_of(two, "other")
    write(other.path, {"o.txt": "o\n"})
    head = collect(other, "work", attempt=1).head
    assert isinstance(merge(two, "topic", "other", 1, head, "Merge", fence=1), MergeCommitted)
    base = checkout_of(two).base
    integration_tip(one)
    fresh = prepare(CheckoutTarget(repo=one, play="play", base=base))
    assert fresh.base == base != lost.base
    assert sorted(os.listdir(fresh.path)) == [".git", "README.md", "o.txt", "src"]
    assert collect(fresh, "nothing", attempt=1).changed == ()


PREPARE = """
from pathlib import Path
from tests.support.git_remotes import machine
from lionstudio.shows.git.checkout import CheckoutTarget, prepare
repo = machine(arguments["remote"], Path(arguments["home"]))
print(prepare(CheckoutTarget(repo=repo, play="play", base=arguments["base"], head=arguments["head"])).path)
"""


def test_prepare_of_newer_work_is_repeated_after_a_kill(remote: Path, tmp_path: Path) -> None:
    one = machine(remote, tmp_path / "one")
    first = checkout_of(one)
    head = _commit(one.git_dir, one.base)
    arguments = {"remote": str(remote), "home": str(tmp_path / "one"), "base": first.base, "head": head}
    killed = run_script(PREPARE, arguments, LIONAGI_CRASH_AT="show.checkout.outdated")
    killed.communicate(timeout=120)
    assert killed.returncode == -9
    again = run_script(PREPARE, arguments)
    path = again.communicate(timeout=120)[0].strip()
    assert git(path, "rev-parse", "HEAD") == head
    assert git(path, "status", "--porcelain") == ""


def test_prepare_moves_a_broken_checkout_aside(remote: Path, tmp_path: Path) -> None:
    one = machine(remote, tmp_path / "one")
    broken = checkout_of(one)
    Path(broken.path, ".git", "HEAD").write_text("f" * 40 + "\n")
    write(broken.path, {"mine.txt": "m\n"})
    head = _commit(one.git_dir, one.base)
    fresh = prepare(CheckoutTarget(repo=one, play="play", base=one.base, head=head))
    assert not Path(fresh.path, "mine.txt").exists()
    assert git(fresh.path, "rev-parse", "HEAD") == head
    left = Path(one.checkouts_dir, ".left_out", "play")
    archived = git(one.git_dir, "for-each-ref", "--format=%(objectname)", "refs/shows/archive/topic/play").split()
    assert any("mine.txt" in files_of(one.git_dir, oid) for oid in archived) or any(left.rglob("mine.txt"))


def test_conflict_is_handed_back_on_another_machine(remote: Path, tmp_path: Path) -> None:
    one, two = machine(remote, tmp_path / "one"), machine(remote, tmp_path / "two")
    heads = {}
    for checkout in [checkout_of(one, "a"), checkout_of(two, "b")]:
        write(checkout.path, {"README.md": f"{checkout.play}\n"})
        heads[checkout.play] = collect(checkout, checkout.play, attempt=1).head
        publish_work(checkout.repo, checkout.play, attempt=1, fence=1, head=heads[checkout.play])
    head = heads["b"]
    assert isinstance(merge(one, "topic", "a", 1, heads["a"], "Merge", fence=1), MergeCommitted)
    assert isinstance(merge(two, "topic", "b", 1, head, "Merge", fence=1), MergeConflict)
    fetch_work(one, "b", attempt=1, fence=1, head=head)
    again = prepare(CheckoutTarget(repo=one, play="b", base=one.base, head=head))
    assert hand_back_conflict(again, head, integration_tip(one)) == ("README.md",)
    assert "<<<<<<<" in Path(again.path, "README.md").read_text()
    write(again.path, {"README.md": "both\n"})
    commit(again.path, "merge")
    resolved = collect(again, "b", attempt=2)
    assert resolved.problems == ()
    publish_work(one, "b", attempt=2, fence=2, head=resolved.head)
    assert isinstance(merge(one, "topic", "b", 2, resolved.head, "Merge", fence=2), MergeCommitted)
    assert abandon(again).kept is None


def test_copy_is_refused_with_a_remote(remote: Path, tmp_path: Path) -> None:
    one = machine(remote, tmp_path / "one")
    with pytest.raises(InvalidInput, match="has only its remote"):
        prepare(CheckoutTarget(repo=one, play="play", copy=("config",)))
    assert copy_files(None, str(tmp_path), ()) == []


# ── LFS ──


def _lfs_work(repo_git_dir: str, base: str, content: bytes) -> tuple[str, str]:
    """A commit with the pointer of an object that is in the store of the mirror."""
    oid = hashlib.sha256(content).hexdigest()
    store = Path(repo_git_dir, "lfs", "objects", oid[:2], oid[2:4])
    store.mkdir(parents=True)
    (store / oid).write_bytes(content)
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"
    return commit_with(repo_git_dir, base, "big.bin", pointer), oid


def test_publish_work_with_lfs_objects_needs_git_lfs(
    remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = machine(remote, tmp_path / "one")
    head, oid = _lfs_work(one.git_dir, one.base, b"large" * 1000)
    if not any(Path(folder, "git-lfs").exists() for folder in os.get_exec_path()):
        with pytest.raises(RemoteRefused, match="no git-lfs to upload them"):
            publish_work(one, "play", attempt=1, fence=1, head=head)
        assert list(refs_of(remote)) == [one.integration]
    programs, log = tmp_path / "bin", tmp_path / "log"
    programs.mkdir()
    (programs / "git-lfs").write_text(f'#!/bin/sh\necho "$@" >> {log}\n')
    (programs / "git-lfs").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    publish_work(one, "play", attempt=1, fence=1, head=head)
    assert log.read_text() == f"push --object-id file://{remote} {oid}\n"
    publish_work(one, "other", attempt=1, fence=1, head=one.base)
    assert len(log.read_text().splitlines()) == 1
