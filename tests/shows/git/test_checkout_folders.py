"""The checkouts folder of a show: agents cannot take over the director's own folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.repositories import begun, checkout_of, git, make_repo
from tests.support.show_harness import ShowHarness

from lionstudio.errors import Conflict, InvalidInput
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import open_show_repo
from lionstudio.system.safe_rmtree import safe_rmtree


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return begun(make_repo(tmp_path / "users"))


@pytest.mark.parametrize("play", ["director.git", "Director.git", ".gates", ".making-a", "../other", "a/b", ""])
def test_checkout_refuses_our_own_folder_names(repo: Repo, play: str) -> None:
    before = sorted(str(path) for path in Path(repo.checkouts_dir).rglob("*"))
    with pytest.raises(InvalidInput, match="a play cannot be named"):
        checkout_of(repo, play)
    assert sorted(str(path) for path in Path(repo.checkouts_dir).rglob("*")) == before


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder of another user, with the names that the director uses in its own."""
    folder = tmp_path / "victim"
    (folder / "a-1" / "inner").mkdir(parents=True)
    (folder / "a-1" / "inner" / "precious").write_text("x")
    return folder


def test_safe_rmtree_refuses_a_link_above(repo: Repo, victim: Path) -> None:
    os.symlink(victim, f"{repo.checkouts_dir}/.gates")
    with pytest.raises(Conflict, match=r"\.gates must be a folder of the show"):
        safe_rmtree(f"{repo.checkouts_dir}/.gates/a-1", above=2)
    assert (victim / "a-1" / "inner" / "precious").exists()
    safe_rmtree(f"{repo.checkouts_dir}/.gates")
    assert not os.path.lexists(f"{repo.checkouts_dir}/.gates")
    assert (victim / "a-1" / "inner" / "precious").exists()


def test_safe_rmtree_refuses_a_link_as_checkouts_dir(repo: Repo, victim: Path) -> None:
    os.rename(repo.checkouts_dir, f"{repo.checkouts_dir}-moved")
    (victim / ".gates").symlink_to("a-1")
    os.symlink(victim, repo.checkouts_dir)
    for path, above in ((f"{repo.checkouts_dir}/a-1", 1), (f"{repo.checkouts_dir}/a-1/inner", 2)):
        with pytest.raises(Conflict, match="must be a folder of the show"):
            safe_rmtree(path, above=above)
    assert (victim / "a-1" / "inner" / "precious").exists()


@pytest.mark.parametrize("name", ["", "director.git"])
def test_open_show_repo_refuses_a_link_as_checkouts_dir(repo: Repo, name: str) -> None:
    own = os.path.join(repo.checkouts_dir, name).rstrip("/")
    os.rename(own, f"{own}-moved")
    os.symlink(f"{own}-moved", own)
    with pytest.raises(Conflict, match="is a link"):
        open_show_repo(repo.path, repo.topic, repo.base, checkouts_dir=repo.checkouts_dir)


def test_open_show_repo_allows_a_link_above_checkouts_dir(repo: Repo) -> None:
    parent = os.path.dirname(repo.checkouts_dir)
    os.rename(parent, f"{parent}-elsewhere")
    os.symlink(f"{parent}-elsewhere", parent)
    checkout = checkout_of(open_show_repo(repo.path, repo.topic, repo.base, checkouts_dir=repo.checkouts_dir), "a")
    assert git(Path(checkout.path), "status", "--porcelain") == ""
    safe_rmtree(checkout.path)
    assert not os.path.exists(checkout.path)


def test_safe_rmtree_removes_links_without_following(tmp_path: Path, victim: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    os.symlink(victim, folder / "link")
    os.symlink(victim, folder / "deep" / "link")
    os.mkfifo(folder / "deep" / "pipe")
    (folder / "deep" / "locked" / "inner").mkdir(parents=True)
    (folder / "deep" / "locked" / "inner").chmod(0)
    (folder / "deep" / "locked").chmod(0)
    os.symlink(folder, tmp_path / "outer")
    safe_rmtree(str(tmp_path / "outer"))
    assert folder.exists()
    safe_rmtree(str(folder))
    assert not folder.exists()
    assert (victim / "a-1" / "inner" / "precious").exists()


def test_safe_rmtree_removes_deep_folders(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    descriptor = os.open(folder, os.O_RDONLY)
    for _ in range(3000):
        os.mkdir("d", dir_fd=descriptor)
        inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(descriptor)
    safe_rmtree(str(folder))
    assert not folder.exists()


def test_safe_rmtree_ignores_missing_paths(tmp_path: Path) -> None:
    safe_rmtree(str(tmp_path / "no" / "such"), above=2)
    safe_rmtree(str(tmp_path / "none"))
    (tmp_path / "file").write_text("x")
    safe_rmtree(str(tmp_path / "file"))
    assert os.listdir(tmp_path) == []


def test_show_survives_an_agent_that_plants_a_link(tmp_path: Path, victim: Path) -> None:
    harness = ShowHarness(tmp_path)
    prompt = f"@run ln -s {victim} ../.gates\n@write a.txt a"
    harness.write_plan({"a": {"prompt": prompt, "max_attempts": 1}}, gates=["true"])
    harness.direct()
    assert (victim / "a-1" / "inner" / "precious").exists()
    assert harness.statuses() == {"a": "escalated"}
    assert ".gates must be a folder of the show" in harness.meta("a")["reason"]
