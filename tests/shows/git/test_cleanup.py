"""Stale checkouts: the doctor reports them, `li show clean` removes those without unsaved work."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.commands import run_li
from tests.support.repositories import begun, checkout_of, files_of, git, make_repo, merge, write

from lionstudio.model.shows.show import Show
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.process.lock import acquire_director_lock
from lionstudio.state.database import Database
from lionstudio.state.shows import get_show, put_show, transition_show


@pytest.fixture
def users(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "users")


@pytest.fixture
def repo(users: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A show with one merged and one unmerged play; the home is the folder that `begun` uses."""
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LIONAGI_SHOWS", str(tmp_path / "shows"))
    monkeypatch.delenv("LIONAGI_DB", raising=False)
    (tmp_path / "shows" / "topic").mkdir(parents=True)
    repo = begun(users)
    for play in ("merged", "open"):
        write(checkout_of(repo, play).path, {f"{play}.txt": "w\n"})
    head = collect(checkout_of(repo, "merged"), "work", attempt=1).head
    merge(repo, "topic", "merged", 1, head, "Merge")
    with Database(str(tmp_path / "home" / "state.db")) as database:
        database.write(lambda conn: put_show(conn, Show(topic="topic", show_dir=str(tmp_path / "shows" / "topic"))))
    return repo


def end(tmp_path: Path) -> None:
    with Database(str(tmp_path / "home" / "state.db")) as database:
        database.write(lambda conn: transition_show(conn, "topic", ShowStatus.ABORTED))


def test_list_stale_checkouts_skips_active_shows(repo: Repo) -> None:
    assert run_li("show", "clean", "--yes").out == "No stale checkouts.\n"
    assert "show.checkout_left" not in run_li("state", "doctor").out
    assert sorted(name for name in os.listdir(repo.checkouts_dir) if name != "director.git") == ["merged", "open"]


def test_doctor_reports_stale_checkouts(repo: Repo, tmp_path: Path) -> None:
    end(tmp_path)
    found = [
        each for each in run_li("state", "doctor", "--json").json["findings"] if each["code"] == "show.checkout_left"
    ]
    assert [each["subject"] for each in found] == ["checkout of topic/merged", "checkout of topic/open"]
    assert "the show is aborted" in found[0]["evidence"]


def test_clean_removes_merged_checkouts_only(repo: Repo, tmp_path: Path) -> None:
    end(tmp_path)
    assert run_li("show", "clean", "--dry-run").out.count("(aborted)") == 2
    assert run_li("show", "clean").code == 2  # stdin is not a terminal
    said = run_li("show", "clean", "--yes")
    kept = "it has changes that were not collected: open.txt"
    assert (said.code, said.out) == (1, f"topic/merged  removed\ntopic/open  kept: {kept}\n")
    assert sorted(os.listdir(repo.checkouts_dir)) == ["director.git", "open"]


def test_clean_abandoned_archives_the_work(users: Path, repo: Repo, tmp_path: Path) -> None:
    end(tmp_path)
    make_repo(Path(repo.checkouts_dir, "open", "nested"), {"n.txt": "n\n"})
    said = run_li("show", "clean", "topic", "--abandoned", "--yes", "--json")
    kept = {each["play"]: each["kept"] for each in said.json["cleaned"]}
    assert kept == {"merged": None, "open": "it has changes that were not collected: nested/"}
    git(Path(repo.checkouts_dir, "open", "nested"), "rm", "-q", "-r", ".")
    git(repo.checkouts_dir, "-C", "open", "clean", "-q", "-f", "-f", "-d", "nested")
    assert run_li("show", "clean", "topic", "--abandoned", "--yes").code == 0
    assert os.listdir(repo.checkouts_dir) == ["director.git"]
    assert files_of(users, "refs/shows/archive/topic/open/0")["open.txt"] == "w"


def test_clean_skips_a_show_with_a_director(repo: Repo, tmp_path: Path) -> None:
    end(tmp_path)
    with acquire_director_lock(str(tmp_path / "shows" / "topic")):
        assert run_li("show", "clean", "--yes").code == 7
    assert os.path.isdir(os.path.join(repo.checkouts_dir, "merged"))


def refs(users: Path) -> list[str]:
    return git(users, "for-each-ref", "--format=%(refname)", "refs/shows", "refs/heads/show").splitlines()


@pytest.fixture
def ended(users: Path, repo: Repo, tmp_path: Path) -> Path:
    """The repository of an ended show, in the row of the show."""
    write(Path(repo.checkouts_dir, ".left_out", "merged"), {"out/report.txt": "report\n"})
    collect(checkout_of(repo, "open"), "work", attempt=1)
    with Database(str(tmp_path / "home" / "state.db")) as database:
        database.write(lambda conn: put_show(conn, replace(get_show(conn, "topic"), repo=str(users))))
    end(tmp_path)
    return users


def test_clean_previews_refs_and_left_out_files(ended: Path) -> None:
    before = refs(ended)
    said = run_li("show", "clean", "--dry-run", "--all")
    assert said.code == 0
    assert "topic/merged" in said.out
    assert "(1 file, 7 B, in no commit)" in said.out
    assert "refs/shows/archive/topic/open/1  kept: not merged into another branch" in said.out
    assert refs(ended) == before
    report = run_li("show", "clean", "--dry-run", "--all", "--json").json
    assert {ref["ref"] for ref in report["refs"]} == set(before)
    assert report["left_out"][0]["bytes"] == 7


def test_clean_deletes_archives_that_a_branch_contains(ended: Path) -> None:
    git(
        ended, "update-ref", "refs/shows/archive/topic/open/0-lost", git(ended, "commit-tree", "-m", "x", "HEAD^{tree}")
    )
    assert run_li("show", "clean", "topic", "--archives", "--yes").code == 1  # one is kept
    assert refs(ended) == [
        "refs/heads/show/topic/integration",
        "refs/heads/show/topic/open",
        "refs/shows/archive/topic/open/0-lost",
    ]


def test_clean_deletes_branches_only_after_you_merged_them(ended: Path) -> None:
    assert run_li("show", "clean", "--archives", "--branches", "--yes").code == 1
    assert "refs/heads/show/topic/integration" in refs(ended)
    git(ended, "merge", "-q", "show/topic/integration")
    assert run_li("show", "clean", "--archives", "--branches", "--yes").code == 1
    assert refs(ended) == ["refs/heads/show/topic/open", "refs/shows/archive/topic/open/1"]
    assert run_li("show", "clean", "--all", "--older-than", "30000d", "--yes").code in (0, 1)
    assert refs(ended) == ["refs/heads/show/topic/open", "refs/shows/archive/topic/open/1"]
    run_li("show", "clean", "--archives", "--branches", "--force", "--yes")
    assert refs(ended) == []


def test_clean_keeps_a_branch_that_is_checked_out(ended: Path, tmp_path: Path) -> None:
    git(ended, "worktree", "add", "-q", str(tmp_path / "tree"), "show/topic/integration")
    said = run_li("show", "clean", "--branches", "--force", "--yes")
    assert f"kept: checked out in {tmp_path / 'tree'}" in said.out
    assert "refs/heads/show/topic/integration" in refs(ended)


def test_clean_left_out_deletes_files_in_no_commit(ended: Path, repo: Repo) -> None:
    folder = Path(repo.checkouts_dir, ".left_out", "merged")
    assert "show.left_out" in run_li("state", "doctor").out
    run_li("show", "clean", "--yes")
    assert folder.exists()
    run_li("show", "clean", "--left-out", "--yes")
    assert not folder.exists()
    assert "show.left_out" not in run_li("state", "doctor").out


def test_clean_deletes_left_out_files_of_an_active_show_by_its_name(repo: Repo) -> None:
    folder = Path(repo.checkouts_dir, ".left_out", "merged")
    write(folder, {"out/report.txt": "report\n"})
    run_li("show", "clean", "--left-out", "--yes")
    assert folder.exists()
    assert run_li("show", "clean", "topic", "--left-out", "--yes").code == 0
    assert not folder.exists()


def test_clean_leaves_refs_of_active_shows(users: Path, repo: Repo) -> None:
    before = refs(users)
    assert run_li("show", "clean", "--all", "--force", "--yes").out == "Nothing to clean.\n"
    assert refs(users) == before
