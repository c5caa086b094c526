"""The room of a show: agents have checkouts in it, and the director's own folders there stay the director's."""

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
def test_no_checkout_is_made_in_a_folder_of_our_own(repo: Repo, play: str) -> None:
    before = sorted(str(path) for path in Path(repo.checkouts_dir).rglob("*"))
    with pytest.raises(InvalidInput, match="no play can be named"):
        checkout_of(repo, play)
    assert sorted(str(path) for path in Path(repo.checkouts_dir).rglob("*")) == before


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder of somebody else, with the names that the director uses in its own."""
    folder = tmp_path / "victim"
    (folder / "a-1" / "inner").mkdir(parents=True)
    (folder / "a-1" / "inner" / "precious").write_text("x")
    return folder


def test_a_link_in_the_place_of_a_folder_of_ours_is_not_followed(repo: Repo, victim: Path) -> None:
    os.symlink(victim, f"{repo.checkouts_dir}/.gates")
    with pytest.raises(Conflict, match=r"\.gates should be a folder of the show"):
        safe_rmtree(f"{repo.checkouts_dir}/.gates/a-1", above=2)
    assert (victim / "a-1" / "inner" / "precious").exists()
    safe_rmtree(f"{repo.checkouts_dir}/.gates")
    assert not os.path.lexists(f"{repo.checkouts_dir}/.gates")
    assert (victim / "a-1" / "inner" / "precious").exists()


def test_a_link_in_the_place_of_the_room_is_not_followed(repo: Repo, victim: Path) -> None:
    os.rename(repo.checkouts_dir, f"{repo.checkouts_dir}-moved")
    (victim / ".gates").symlink_to("a-1")
    os.symlink(victim, repo.checkouts_dir)
    for path, above in ((f"{repo.checkouts_dir}/a-1", 1), (f"{repo.checkouts_dir}/a-1/inner", 2)):
        with pytest.raises(Conflict, match="should be a folder of the show"):
            safe_rmtree(path, above=above)
    assert (victim / "a-1" / "inner" / "precious").exists()


@pytest.mark.parametrize("name", ["", "director.git"])
def test_a_show_does_not_begin_in_a_room_that_is_a_link(repo: Repo, name: str) -> None:
    own = os.path.join(repo.checkouts_dir, name).rstrip("/")
    os.rename(own, f"{own}-moved")
    os.symlink(f"{own}-moved", own)
    with pytest.raises(Conflict, match="is a link"):
        open_show_repo(repo.path, repo.topic, repo.base, room=repo.checkouts_dir)


def test_the_folder_of_all_rooms_may_be_a_link(repo: Repo) -> None:
    rooms = os.path.dirname(repo.checkouts_dir)
    os.rename(rooms, f"{rooms}-elsewhere")
    os.symlink(f"{rooms}-elsewhere", rooms)
    checkout = checkout_of(open_show_repo(repo.path, repo.topic, repo.base, room=repo.checkouts_dir), "a")
    assert git(Path(checkout.path), "status", "--porcelain") == ""
    safe_rmtree(checkout.path)
    assert not os.path.exists(checkout.path)


def test_links_without_and_within_are_removed_and_not_followed(tmp_path: Path, victim: Path) -> None:
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


def test_nothing_is_nested_too_deep(tmp_path: Path) -> None:
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


def test_what_is_not_there_is_no_mistake(tmp_path: Path) -> None:
    safe_rmtree(str(tmp_path / "no" / "such"), above=2)
    safe_rmtree(str(tmp_path / "none"))
    (tmp_path / "file").write_text("x")
    safe_rmtree(str(tmp_path / "file"))
    assert os.listdir(tmp_path) == []


def test_an_agent_that_puts_a_link_there_removes_nothing_of_others(tmp_path: Path, victim: Path) -> None:
    harness = ShowHarness(tmp_path)
    prompt = f"@run ln -s {victim} ../.gates\n@write a.txt a"
    harness.write_plan({"a": {"prompt": prompt, "max_attempts": 1}}, gates=["true"])
    harness.direct()
    assert (victim / "a-1" / "inner" / "precious").exists()
    assert harness.statuses() == {"a": "escalated"}
    assert ".gates should be a folder of the show" in harness.meta("a")["reason"]
