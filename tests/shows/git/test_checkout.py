"""The checkout of a play: prepare, collect, hand back, merge, remove; with real git and an honest agent."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.support.repositories import begun, checkout_of, commit, files_of, fingerprint, git, make_repo, merge, write

from lionstudio.errors import Conflict as Refused
from lionstudio.errors import NotFound
from lionstudio.shows.git.checkout import remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.conflict import hand_back_conflict
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import (
    AlreadyMerged,
    CleanMerge,
    ForeignCommits,
    MergeCommitted,
    MergeConflict,
    integration_tip,
    try_merge,
)
from lionstudio.shows.git.repo_layout import Checkout, Repo


@pytest.fixture
def users(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "users")


@pytest.fixture
def repo(users: Path) -> Repo:
    return begun(users)


def merged(checkout: Checkout, attempt: int = 1) -> MergeCommitted | MergeConflict | AlreadyMerged | ForeignCommits:
    collected = collect(checkout, "work", attempt=attempt)
    assert collected.problems == ()
    return merge(checkout.repo, "topic", checkout.play, attempt, collected.head, f"Merge {checkout.play}")


def integrated(users: Path) -> dict[str, str]:
    return files_of(users, "show/topic/integration")


def test_checkout_collect_merge_remove(users: Path, repo: Repo) -> None:
    before = fingerprint(users)
    checkout = checkout_of(repo)
    assert git(checkout.path, "status", "--porcelain=v1", "--branch") == "## show/topic/play"
    assert git(checkout.path, "log", "--format=%s") == "first"
    write(checkout.path, {"src/a.py": "a = 2\n"})
    commit(checkout.path, "two")
    write(checkout.path, {"new file.txt": "new\n"})
    os.unlink(os.path.join(checkout.path, "src/b.py"))
    collected = collect(checkout, "the rest of play", attempt=1)
    assert (collected.problems, collected.left_out) == ((), ())
    assert sorted(collected.changed) == ["new file.txt", "src/a.py", "src/b.py"]
    kept = git(users, "rev-parse", "show/topic/play", "refs/shows/archive/topic/play/1")
    assert kept == f"{collected.head}\n{collected.head}"
    assert git(users, "log", "--format=%s", collected.head) == "the rest of play\ntwo\nfirst"
    clean = try_merge(repo, integration_tip(repo), collected.head)
    assert isinstance(clean, CleanMerge)
    done = merge(repo, "topic", "play", 1, collected.head, "Merge play: all of it")
    assert isinstance(done, MergeCommitted)
    assert integrated(users) == {"README.md": "hello", "src/a.py": "a = 2", "new file.txt": "new"}
    assert git(users, "log", "-1", "--format=%(trailers)", done.sha) == "Show-Play: topic/play\nShow-Attempt: 1"
    assert merge(repo, "topic", "play", 1, collected.head, "again") == AlreadyMerged(done.sha)
    assert remove(checkout).kept is None
    assert not os.path.exists(checkout.path)
    assert git(users, "rev-parse", "refs/shows/archive/topic/play/1") == collected.head
    assert git(users, "branch", "--list", "show/topic/play") == ""
    assert fingerprint(users) == before
    git(users, "fsck", "--strict")


def test_collect_twice_gives_the_same_commit(repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new\n"})
    first = collect(checkout, "work", attempt=1)
    assert collect(checkout, "work", attempt=1) == first


def test_collect_archives_discarded_work(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "one\n"})
    first = collect(checkout, "work", attempt=1)
    write(checkout.path, {"new.txt": "two\n"})
    again = collect(checkout, "work", attempt=1)
    second = collect(checkout, "work", attempt=2)
    refs = git(users, "for-each-ref", "--format=%(refname:lstrip=3) %(objectname)", "refs/shows/archive").splitlines()
    assert refs == [
        f"topic/play/1 {again.head}",
        f"topic/play/1-{first.head[:12]} {first.head}",
        f"topic/play/2 {second.head}",
    ]


def test_collect_without_changes(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    collected = collect(checkout, "work", attempt=1)
    assert (collected.head, collected.changed, collected.problems) == (checkout.base, (), ())
    assert merge(repo, "topic", "play", 1, collected.head, "nothing") == AlreadyMerged(checkout.base)
    assert git(users, "rev-parse", "show/topic/integration") == checkout.base
    assert remove(checkout).kept is None


def test_collect_ignores_empty_commits(repo: Repo) -> None:
    checkout = checkout_of(repo)
    commit(checkout.path, "I did a lot")
    assert collect(checkout, "work", attempt=1).changed == ()


def test_prepare_reopens_the_checkout(repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"half.txt": "half\n"})
    Path(checkout.path, ".git", "index.lock").touch()
    assert checkout_of(repo) == checkout
    git(checkout.path, "add", "-A")
    assert collect(checkout, "work", attempt=2).changed == ("half.txt",)


def test_prepare_isolates_plays_and_includes_merged_work(users: Path, repo: Repo) -> None:
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    write(one.path, {"one.txt": "1\n"})
    assert not os.path.exists(os.path.join(two.path, "one.txt"))
    assert isinstance(merged(one), MergeCommitted)
    assert Path(checkout_of(repo, "three").path, "one.txt").read_text() == "1\n"
    write(two.path, {"two.txt": "2\n"})
    assert isinstance(merged(two), MergeCommitted)
    assert {"one.txt", "two.txt"} <= set(integrated(users))
    assert git(users, "log", "--first-parent", "--format=%s", "show/topic/integration") == "Merge two\nMerge one\nfirst"


def test_hand_back_conflict_resolved_by_edits(users: Path, repo: Repo) -> None:
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    write(one.path, {"src/a.py": "a = 'one'\n", "other.txt": "o\n"})
    write(two.path, {"src/a.py": "a = 'two'\n", "second.txt": "s\n"})
    assert isinstance(merged(one), MergeCommitted)
    collected = collect(two, "two", attempt=1)
    conflict = merge(repo, "topic", "two", 1, collected.head, "Merge two")
    assert isinstance(conflict, MergeConflict)
    assert conflict.files == ("src/a.py",)
    assert "CONFLICT (content)" in conflict.text
    for _ in range(2):  # a director that was killed here does it again
        assert hand_back_conflict(two, collected.head, conflict.tip) == ("src/a.py",)
    assert git(two.path, "status", "--porcelain=v1") == "A  other.txt\nUU src/a.py"
    text = Path(two.path, "src/a.py").read_text()
    assert "<<<<<<< show/topic/two\na = 'two'\n=======\na = 'one'\n>>>>>>> show/topic/integration" in text
    # left as it is, it is not resolved
    assert any("src/a.py" in problem for problem in collect(two, "two", attempt=2).problems)
    write(two.path, {"src/a.py": "a = 'both'\n"})
    solved = collect(two, "two again", attempt=2)
    assert solved.problems == ()
    assert sorted(solved.changed) == ["second.txt", "src/a.py"]
    assert isinstance(merge(repo, "topic", "two", 2, solved.head, "Merge two"), MergeCommitted)
    assert integrated(users)["src/a.py"] == "a = 'both'"
    assert git(users, "log", "-1", "--format=%P", solved.head).split() == [collected.head, conflict.tip]
    assert remove(two).kept is None


def test_hand_back_conflict_again_after_the_branch_moved(users: Path, repo: Repo) -> None:
    one, two, three = (checkout_of(repo, play) for play in ("one", "two", "three"))
    write(one.path, {"src/a.py": "a = 'one'\n"})
    write(two.path, {"src/a.py": "a = 'two'\n"})
    write(three.path, {"src/b.py": "b = 3\n"})
    assert isinstance(merged(one), MergeCommitted)
    head = collect(two, "two", attempt=1).head
    hand_back_conflict(two, head, integration_tip(repo))
    assert isinstance(merged(three), MergeCommitted)
    assert hand_back_conflict(two, head, integration_tip(repo)) == ("src/a.py",)
    assert git(two.path, "status", "--porcelain=v1") == "UU src/a.py\nM  src/b.py"
    write(two.path, {"src/a.py": "a = 'both'\n"})
    assert isinstance(merged(two, 2), MergeCommitted)
    assert integrated(users) == {"README.md": "hello", "src/a.py": "a = 'both'", "src/b.py": "b = 3"}


def test_hand_back_conflict_resolved_by_a_commit(users: Path, repo: Repo) -> None:
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    write(one.path, {"src/a.py": "a = 'one'\n"})
    write(two.path, {"src/a.py": "a = 'two'\n"})
    commit(two.path)
    assert isinstance(merged(one), MergeCommitted)
    collected = collect(two, "two", attempt=1)
    hand_back_conflict(two, collected.head, integration_tip(repo))
    write(two.path, {"src/a.py": "a = 'both'\n"})
    git(two.path, "commit", "-q", "-a", "--no-edit")
    assert git(two.path, "status", "--porcelain=v1") == ""
    assert isinstance(merged(two, 2), MergeCommitted)
    assert integrated(users)["src/a.py"] == "a = 'both'"


def test_hand_back_conflict_of_delete_and_modify(repo: Repo) -> None:
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    os.unlink(os.path.join(one.path, "src/a.py"))
    write(two.path, {"src/a.py": "a = 'two'\n"})
    assert isinstance(merged(one), MergeCommitted)
    collected = collect(two, "two", attempt=1)
    assert hand_back_conflict(two, collected.head, integration_tip(repo)) == ("src/a.py",)
    assert "not resolved: src/a.py" in collect(two, "two", attempt=2).problems[0]
    os.unlink(os.path.join(two.path, "src/a.py"))
    git(two.path, "add", "-A")
    git(two.path, "commit", "-q", "--no-edit")
    assert isinstance(merged(two, 3), MergeCommitted)


def test_merge_retries_after_a_lost_race(users: Path, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    write(one.path, {"one.txt": "1\n"})
    write(two.path, {"two.txt": "2\n"})
    second = collect(two, "two", attempt=1)

    def meanwhile(name: str) -> None:
        monkeypatch.undo()
        if name == "show.merge.committed":
            assert isinstance(merged(one), MergeCommitted)

    monkeypatch.setattr("lionstudio.shows.git.merge.point", meanwhile)
    assert isinstance(merge(repo, "topic", "two", 1, second.head, "Merge two"), MergeCommitted)
    assert git(users, "log", "--first-parent", "--format=%s", "show/topic/integration") == "Merge two\nMerge one\nfirst"


def test_merge_title_cannot_forge_a_trailer(users: Path, repo: Repo) -> None:
    one = checkout_of(repo, "one")
    write(one.path, {"one.txt": "1\n"})
    head = collect(one, "one", attempt=1).head
    done = merge(repo, "topic", "one", 1, head, "x\n\nShow-Play: topic/two")
    assert isinstance(done, MergeCommitted)
    assert git(users, "log", "-1", "--format=%(trailers:key=Show-Play,valueonly)", done.sha).strip() == "topic/one"


def test_merge_ignores_forged_trailers_of_agents(repo: Repo) -> None:
    one, two = checkout_of(repo, "one"), checkout_of(repo, "two")
    write(one.path, {"one.txt": "1\n"})
    commit(one.path, "x\n\nShow-Play: topic/two\nShow-Attempt: 1")
    assert isinstance(merged(one), MergeCommitted)
    write(two.path, {"two.txt": "2\n"})
    assert isinstance(merged(two), MergeCommitted)


def test_check_out_tree_for_gates(users: Path, repo: Repo, tmp_path: Path) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new\n", ".env": "made by the agent\n"})
    head = collect(checkout, "work", attempt=1).head
    tip = integration_tip(repo)
    clean = try_merge(repo, tip, head)
    assert isinstance(clean, CleanMerge)
    check_out_tree(repo, clean.tree, str(tmp_path / "gate"), parents=(tip, head))
    assert git(tmp_path / "gate", "status", "--porcelain=v1") == ""
    assert git(tmp_path / "gate", "log", "-1", "--format=%P").split() == [tip, head]
    assert (tmp_path / "gate" / "new.txt").read_text() == "new\n"
    assert git(users, "for-each-ref", "--contains", git(tmp_path / "gate", "rev-parse", "HEAD")) == ""
    with pytest.raises(Refused, match="cannot check the merge result out"):
        check_out_tree(repo, clean.tree, str(tmp_path / "gate"))


def test_remove_keeps_unmerged_work(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new\n"})
    collected = collect(checkout, "work", attempt=1)
    assert remove(checkout).kept == "its work is not merged"
    merge(repo, "topic", "play", 1, collected.head, "Merge play")
    write(checkout.path, {"later.txt": "written later\n"})
    assert remove(checkout).kept == "it has changes that were not collected: later.txt"
    assert remove(checkout).kept == "it has changes that were not collected: later.txt"
    commit(checkout.path)
    assert remove(checkout).kept == "it has commits that were not collected"
    git(checkout.path, "reset", "-q", "--hard", "HEAD~1")
    # its own HEAD is the base again: what we had committed for it is not in its history
    write(checkout.path, {"new.txt": "new\n"})
    assert remove(checkout).kept is None
    assert not os.path.exists(checkout.path)


def test_collect_does_not_move_a_checked_out_branch(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new\n"})
    collect(checkout, "work", attempt=1)
    git(users, "checkout", "-q", "show/topic/play")
    write(checkout.path, {"new.txt": "newer\n"})
    before = fingerprint(users)
    assert isinstance(merged(checkout, 2), MergeCommitted)
    assert integrated(users)["new.txt"] == "newer"
    assert remove(checkout).kept == "its work is not merged"  # that of the branch is not
    assert fingerprint(users) == before
    assert git(users, "status", "--porcelain=v1", "--branch") == "## show/topic/play"


def test_remove_keeps_a_checked_out_branch(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new\n"})
    merged(checkout)
    git(users, "checkout", "-q", "show/topic/play")
    assert remove(checkout).kept is None
    assert git(users, "status", "--porcelain=v1", "--branch") == "## show/topic/play"


def test_remove_folders_without_permissions(repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {".gitignore": "cache/\n", "cache/deep/file": "x\n"})
    os.chmod(os.path.join(checkout.path, "cache/deep"), 0o500)
    os.chmod(os.path.join(checkout.path, "cache"), 0o500)
    merged(checkout)
    assert remove(checkout).kept is None
    assert not os.path.exists(checkout.path)


def test_integration_tip_refuses_a_checked_out_branch(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new\n"})
    head = collect(checkout, "work", attempt=1).head
    git(users, "checkout", "-q", "show/topic/integration")
    with pytest.raises(Refused, match="is checked out in"):
        merge(repo, "topic", "play", 1, head, "Merge play")
    assert git(users, "status", "--porcelain=v1") == ""
    git(users, "checkout", "-q", "main")
    git(users, "branch", "-q", "-D", "show/topic/integration")
    with pytest.raises(NotFound, match="is gone"):
        merge(repo, "topic", "play", 1, head, "Merge play")


@pytest.mark.parametrize(
    ("left", "problem"),
    [
        (["checkout", "-q", "--detach"], None),
        (["checkout", "-q", "-b", "elsewhere"], None),
        (["checkout", "-q", "--detach", "HEAD~1"], "lacks commits of show/topic/play"),
        (["checkout", "-q", "--orphan", "other"], "HEAD does not point to a commit"),
        (["update-ref", "-d", "refs/heads/show/topic/play"], "HEAD does not point to a commit"),
    ],
)
def test_collect_keeps_work_wherever_head_is(users: Path, repo: Repo, left: list[str], problem: str | None) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"one.txt": "1\n"})
    work = commit(checkout.path)
    git(checkout.path, *left)
    write(checkout.path, {"two.txt": "2\n"})
    collected = collect(checkout, "work", attempt=1)
    assert [(problem or "") in found for found in collected.problems] == [True] * (problem is not None)
    assert files_of(users, collected.head)["two.txt"] == "2"
    if problem is None or "lacks" in problem:
        assert git(users, "for-each-ref", "--contains", work, "refs/shows/archive") != ""


def test_collect_reports_an_unfinished_rebase(repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"src/a.py": "a = 2\n"})
    commit(checkout.path)
    git(checkout.path, "checkout", "-q", "-b", "side", "HEAD~1")
    write(checkout.path, {"src/a.py": "a = 3\n"})
    commit(checkout.path)
    git(checkout.path, "rebase", "show/topic/play", check=False)
    problems = collect(checkout, "work", attempt=1).problems
    assert "a rebase was not finished; finish or abort it" in problems
    assert any("conflict markers" in problem for problem in problems)


def test_collect_finishes_an_unfinished_merge(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"a.txt": "1\n"})
    commit(checkout.path)
    git(checkout.path, "checkout", "-q", "-b", "side", "HEAD~1")
    write(checkout.path, {"b.txt": "2\n"})
    side = commit(checkout.path)
    git(checkout.path, "checkout", "-q", "show/topic/play")
    git(checkout.path, "merge", "-q", "--no-commit", "side")
    collected = collect(checkout, "work", attempt=1)
    assert collected.problems == ()
    assert side in git(users, "rev-list", collected.head)
    assert isinstance(merge(repo, "topic", "play", 1, collected.head, "Merge play"), MergeCommitted)


def test_collect_archives_stashes(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"src/a.py": "a = 'aside'\n"})
    git(checkout.path, "stash", "-q")
    stash = git(checkout.path, "rev-parse", "refs/stash")
    write(checkout.path, {"new.txt": "new\n"})
    assert collect(checkout, "work", attempt=1).changed == ("new.txt",)
    assert git(users, "show", f"refs/shows/archive/topic/play/0-{stash[:12]}:src/a.py") == "a = 'aside'"


def test_collect_archives_other_refs(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    kept = {}
    for name in ("one", "two"):
        write(checkout.path, {"src/a.py": f"a = '{name}'\n"})
        git(checkout.path, "stash", "-q")
        kept[name] = git(checkout.path, "rev-parse", "refs/stash")
    for name in ("deep/er/side", "packed"):
        git(checkout.path, "checkout", "-q", "-b", name)
        write(checkout.path, {"src/a.py": f"a = '{name}'\n"})
        kept[name] = commit(checkout.path)
        git(checkout.path, "checkout", "-q", "show/topic/play")
    git(checkout.path, "tag", "-m", "a tag", "tagged", "packed~0")
    git(checkout.path, "pack-refs", "--all")
    git(checkout.path, "branch", "-q", "same")
    write(checkout.path, {"new.txt": "new\n"})
    collected = collect(checkout, "work", attempt=1)

    assert collected.problems == ()
    assert collected.changed == ("new.txt",)
    for name, oid in kept.items():
        assert git(users, "show", f"refs/shows/archive/topic/play/0-{oid[:12]}:src/a.py") == f"a = '{name}'"
    archived = git(users, "for-each-ref", "--format=%(refname)", "refs/shows/archive").splitlines()
    assert len(archived) == 1 + len(kept) + 1  # the attempt, what was beside it, the tag; nothing for `same`
    merge(repo, "topic", "play", 1, collected.head, "Merge")
    assert remove(checkout).kept is None


def test_remove_keeps_a_checkout_with_an_unarchived_branch(repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"new.txt": "new\n"})
    lost = Path(checkout.path, ".git", "refs", "heads", "broken")
    lost.write_text(f"{'1' * 40}\n")
    collected = collect(checkout, "work", attempt=1)
    assert collected.problems == ()
    merge(repo, "topic", "play", 1, collected.head, "Merge")
    assert remove(checkout).kept == "refs/heads/broken was not collected"
    lost.unlink()
    git(checkout.path, "branch", "later", git(checkout.path, "commit-tree", "-m", "late", "HEAD^{tree}"))
    assert remove(checkout).kept == "refs/heads/later was not collected"
    collect(checkout, "work", attempt=1)
    assert remove(checkout).kept is None


def test_collect_reports_a_rewritten_history(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    git(checkout.path, "commit", "-q", "--amend", "-m", "mine now")
    for attempt in (1, 2):
        collected = collect(checkout, "work", attempt=attempt)
        assert "the history was rewritten" in collected.problems[0]
        assert git(users, "rev-parse", f"refs/shows/archive/topic/play/{attempt}") == collected.head


def test_find_conflict_markers_ignores_headings(repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(
        checkout.path,
        {"doc.rst": "Heading\n=======\n\ntext  \n", "b.txt": "<<<<<<< mine\n1\n=======\n2\n>>>>>>> yours\n"},
    )
    assert collect(checkout, "work", attempt=1).problems == ("conflict markers remain in b.txt",)


def test_prepare_recreates_a_deleted_checkout(users: Path, repo: Repo) -> None:
    checkout = checkout_of(repo)
    write(checkout.path, {"one.txt": "1\n"})
    first = collect(checkout, "work", attempt=1)
    shutil.rmtree(checkout.path)
    gone = collect(checkout, "work", attempt=2)
    assert gone.head == first.head
    assert "the checkout was deleted" in gone.problems[0]
    assert Path(checkout_of(repo).path, "one.txt").read_text() == "1\n"
    shutil.rmtree(os.path.join(checkout.path, ".git"))
    write(checkout.path, {"two.txt": "2\n"})
    without = collect(checkout, "work", attempt=3)
    assert "its .git folder was deleted" in without.problems[0]
    assert files_of(users, without.head)["two.txt"] == "2"
    assert checkout_of(repo) == checkout
    assert git(checkout.path, "status", "--porcelain=v1") == ""
    assert collect(checkout, "work", attempt=4).problems == ()


def test_collect_ignored_files(users: Path, repo: Repo) -> None:
    (users / ".git" / "info" / "exclude").write_text("*.mine\n")
    repo = begun(users, "other")
    checkout = checkout_of(repo)
    write(checkout.path, {".gitignore": "build/\n", "build/x": "x\n", "build/forced": "f\n", "a.mine": "m\n"})
    git(checkout.path, "add", "-f", "build/forced")
    assert set(collect(checkout, "work", attempt=1).changed) == {".gitignore", "build/forced"}
