"""Preflight and setup of repositories in every state; the user's own files are never touched."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.support.repositories import begun, checkout_of, commit, files_of, fingerprint, git, make_repo, merge, write

from lionstudio.errors import Conflict as Refused
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.merge import MergeCommitted
from lionstudio.shows.git.preflight import check_repo
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import open_show_repo


@pytest.fixture
def users(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "users")


def play_through(users: Path, repo: Repo) -> dict[str, str]:
    """One play from checkout to merge; the files that the show has then."""
    checkout = checkout_of(repo)
    write(checkout.path, {"work.txt": "w\n"})
    commit(checkout.path)
    write(checkout.path, {"more.txt": "m\n"})
    collected = collect(checkout, "work", attempt=1)
    assert collected.problems == ()
    assert isinstance(merge(repo, repo.topic, "play", 1, collected.head, "Merge"), MergeCommitted)
    git(users, "fsck")
    return files_of(users, "show/topic/integration")


def test_check_repo_accepts_an_ordinary_repository(users: Path) -> None:
    before = fingerprint(users)
    found = check_repo(str(users / "src"), None, "topic")
    assert (found.path, found.base_branch, found.base) == (str(users), "main", git(users, "rev-parse", "main"))
    assert (found.problems, found.warnings, found.dirty) == ((), (), ())
    assert fingerprint(users) == before


def test_check_repo_refuses_other_folders(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(InvalidInput, match="is not a git repository"):
        check_repo(str(tmp_path / "plain"))
    with pytest.raises(NotFound, match="does not exist"):
        check_repo(str(tmp_path / "nowhere"))


def test_check_repo_reports_a_missing_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "empty")
    for branch in (None, "main"):
        found = check_repo(str(tmp_path / "empty"), branch)
        assert found.base is None
        assert "has no commit yet; commit something first" in found.problems[0]


def test_check_repo_reports_a_missing_branch(users: Path) -> None:
    for name in ("nope", "-D", "--upload-pack=x", "HEAD~1", "main:README.md", "@{upstream}", "a..b"):
        assert "does not exist in" in check_repo(str(users), name).problems[0]


def test_check_repo_accepts_tags_and_commits_as_base(users: Path) -> None:
    sha = git(users, "rev-parse", "main")
    git(users, "tag", "-a", "v1", "-m", "one")
    git(users, "update-ref", "refs/remotes/origin/main", sha)
    assert [check_repo(str(users), name).base for name in ("v1", "origin/main", sha, "main")] == [sha] * 4
    git(users, "checkout", "-q", "--detach")
    found = check_repo(str(users))
    assert (found.base_branch, found.base, found.problems) == (None, sha, ())


def test_check_repo_warns_about_uncommitted_changes(users: Path) -> None:
    write(users, {"src/a.py": "a = 'mine'\n", "staged.txt": "s\n", "untracked.txt": "u\n"})
    git(users, "add", "staged.txt")
    os.utime(users / "README.md", (1, 1))  # only touched
    before = fingerprint(users)
    found = check_repo(str(users))
    assert (found.dirty, found.problems) == (("src/a.py", "staged.txt"), ())
    assert "does not include uncommitted changes: src/a.py, staged.txt" in found.warnings[0]
    assert play_through(users, begun(users))["src/a.py"] == "a = 1"
    assert fingerprint(users) == before


def test_check_repo_runs_no_configured_program(users: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    trap.chmod(0o755)
    git(users, "config", "core.fsmonitor", str(trap))
    git(users, "config", "filter.evil.clean", str(trap))
    write(users, {".git/info/attributes": "* filter=evil\n", "README.md": "other\n"})
    (users / ".git" / "hooks").mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-checkout", "post-index-change"):
        (users / ".git" / "hooks" / name).symlink_to(trap)
    assert check_repo(str(users), None, "topic").dirty == ("README.md",)
    repo = begun(users)
    checkout = checkout_of(repo)
    write(checkout.path, {"work.txt": "w\n"})
    assert isinstance(merge(repo, "topic", "play", 1, collect(checkout, "w", attempt=1).head, "Merge"), MergeCommitted)
    assert not (tmp_path / "ran").exists()
    git(users, "status")
    assert (tmp_path / "ran").exists()


def test_check_repo_warns_about_a_shallow_clone(tmp_path: Path, users: Path) -> None:
    for number in range(3):
        write(users, {"n.txt": f"{number}\n"})
        commit(users)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{users}", "shallow")
    shallow = tmp_path / "shallow"
    found = check_repo(str(shallow))
    assert (found.shallow, found.problems) == (True, ())
    assert "shallow" in found.warnings[0]
    assert play_through(shallow, begun(shallow))["more.txt"] == "m"


def test_check_repo_refuses_a_partial_clone(tmp_path: Path, users: Path) -> None:
    git(users, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{users}", "partial")
    assert "is a partial clone" in check_repo(str(tmp_path / "partial")).problems[0]


def test_merge_keeps_submodules_pinned(tmp_path: Path, users: Path) -> None:
    library = make_repo(tmp_path / "library", {"lib.txt": "l\n"})
    git(users, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    commit(users)
    assert check_repo(str(users)).submodules
    repo = begun(users)
    pinned = git(users, "rev-parse", "HEAD:lib")
    play_through(users, repo)
    assert git(users, "rev-parse", "show/topic/integration:lib") == pinned


def test_open_show_repo_in_work_trees_bare_and_borrowing_repositories(tmp_path: Path, users: Path) -> None:
    git(users, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    found = check_repo(str(tmp_path / "side"))
    assert (found.base_branch, found.git_dir, found.path) == ("side", str(users / ".git"), str(tmp_path / "side"))
    git(tmp_path, "clone", "-q", "--bare", str(users), "bare.git")
    assert play_through(users, begun(tmp_path / "side"))["work.txt"] == "w"
    assert check_repo(str(tmp_path / "bare.git")).base_branch == "main"
    bare = tmp_path / "bare.git"
    other = open_show_repo(str(bare), "topic", git(bare, "rev-parse", "main"), checkouts_dir=str(tmp_path / "room2"))
    assert play_through(bare, other)["work.txt"] == "w"
    git(tmp_path, "clone", "-q", "--shared", str(users), "shared")
    shared = tmp_path / "shared"
    third = open_show_repo(
        str(shared), "topic", git(shared, "rev-parse", "HEAD"), checkouts_dir=str(tmp_path / "room3")
    )
    assert play_through(shared, third)["work.txt"] == "w"


def test_open_show_repo_with_sha256(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "users", None, "--object-format=sha256")
    assert play_through(users, begun(users))["work.txt"] == "w"


@pytest.mark.parametrize("name", ["show", "show/topic"])
def test_check_repo_reports_a_blocking_branch(users: Path, name: str) -> None:
    git(users, "branch", name)
    assert f"the branch {name} blocks" in check_repo(str(users), None, "topic").problems[0]
    with pytest.raises(Refused, match=f"the branch {name} blocks"):
        begun(users)


def test_check_repo_reports_a_checked_out_integration_branch(users: Path) -> None:
    begun(users)
    git(users, "checkout", "-q", "show/topic/integration")
    assert "is checked out in" in check_repo(str(users), "main", "topic").problems[0]


def test_open_show_repo_refuses_a_branch_of_another_history(users: Path) -> None:
    git(users, "checkout", "-q", "--orphan", "other")
    commit(users, "unrelated")
    git(users, "branch", "show/topic/integration")
    git(users, "checkout", "-q", "main")
    with pytest.raises(Refused, match="does not contain the show's base"):
        begun(users)


def test_prepare_refuses_a_foreign_play_branch(users: Path) -> None:
    repo = begun(users)
    git(users, "checkout", "-q", "--orphan", "show/topic/play")
    commit(users, "unrelated")
    with pytest.raises(Refused, match="exists and does not belong to this show"):
        checkout_of(repo)


def test_open_show_repo_keeps_its_base(users: Path) -> None:
    base = git(users, "rev-parse", "main")
    repo = begun(users)
    write(users, {"later.txt": "l\n"})
    commit(users)
    assert begun(users, base=base) == repo
    assert "later.txt" not in play_through(users, repo)
    with pytest.raises(Refused, match="started from"):
        begun(users)


def test_open_show_repo_twice_changes_nothing(users: Path) -> None:
    repo = begun(users)
    play_through(users, repo)
    refs = git(users, "for-each-ref")
    assert begun(users) == repo
    assert git(users, "for-each-ref") == refs


def test_open_show_repo_after_the_repository_moved(tmp_path: Path, users: Path) -> None:
    repo = begun(users)
    checkout = checkout_of(repo)
    write(checkout.path, {"work.txt": "w\n"})
    moved = tmp_path / "moved"
    shutil.move(users, moved)
    again = open_show_repo(str(moved), "topic", repo.base, checkouts_dir=repo.checkouts_dir)
    assert again.git_dir == str(moved / ".git")
    assert git(checkout_of(again).path, "status", "--porcelain=v1") == "?? work.txt"
    assert play_through(moved, again)["work.txt"] == "w"


def test_open_show_repo_refuses_a_missing_commit(users: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="is not a commit of"):
        open_show_repo(str(users), "topic", "1" * 40, checkouts_dir=str(tmp_path / "room"))


def test_open_show_repo_with_odd_paths(tmp_path: Path) -> None:
    users = make_repo(tmp_path / "-a:b \"c\" 'd' é\n#" / "users")
    assert play_through(users, begun(users))["work.txt"] == "w"


def test_open_show_repo_uses_the_committer_of_the_user(users: Path) -> None:
    git(users, "config", "user.name", 'Ann "A" O\'Neil; <x>')
    git(users, "config", "user.email", "ann@example.com")
    play_through(users, begun(users))
    told = git(users, "log", "-1", "--format=%an|%ae|%cn", "show/topic/integration")
    assert told == 'Ann "A" O\'Neil; x|ann@example.com|Ann "A" O\'Neil; x'
