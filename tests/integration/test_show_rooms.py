"""The room of a show: agents have checkouts in it, and the director's own folders there stay the director's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.repositories import begun, checkout_of, make_repo

from lionstudio.errors import InvalidInput
from lionstudio.shows.places import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return begun(make_repo(tmp_path / "users"))


@pytest.mark.parametrize("play", ["director.git", "Director.git", ".gates", ".making-a", "../other", "a/b", ""])
def test_no_checkout_is_made_in_a_folder_of_our_own(repo: Repo, play: str) -> None:
    before = sorted(str(path) for path in Path(repo.room).rglob("*"))
    with pytest.raises(InvalidInput, match="no play can be named"):
        checkout_of(repo, play)
    assert sorted(str(path) for path in Path(repo.room).rglob("*")) == before
