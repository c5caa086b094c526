"""is_within follows every link, with any file name."""

from __future__ import annotations

import os
import random
from contextlib import suppress
from pathlib import Path

import pytest

from lionstudio.system.atomic_write import write_text
from lionstudio.system.safe_read import is_within


def followed(path: str, root: str) -> bool:
    """The plain definition."""
    real, folder = os.path.realpath(path), os.path.realpath(root)
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_following_every_link_says(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    names = ["a", "b", "c"]
    for _ in range(12):
        place = tmp_path.joinpath(*chance.choices(names, k=chance.randint(1, 3)))
        with suppress(OSError):  # something of another kind is there already
            if chance.random() < 0.4:
                place.symlink_to(chance.choice(["../a", "..", str(tmp_path / "c"), "b", "/etc"]))
            else:
                place.mkdir(parents=True)
    for _ in range(200):
        parts = chance.choices([*names, "..", ".", ""], k=chance.randint(1, 4))
        root = str(tmp_path.joinpath(*chance.choices(names, k=chance.randint(0, 2))))
        path = os.path.join(chance.choice([root, str(tmp_path)]), *parts)
        if os.path.exists(root):
            assert is_within(path, root) == followed(path, root), (path, root)


@pytest.mark.parametrize("path", ["/x\0y", "/x\ud800", "x"])
def test_what_no_file_is_called_lies_nowhere(path: str) -> None:
    assert not is_within(path, "/nowhere")
    assert not is_within(f"/nowhere{path}\0", "/nowhere")
    assert not is_within("/nowhere/\ud800", "/nowhere")


def test_a_file_is_written_where_a_link_to_a_folder_leads_that_is_not_there_yet(tmp_path: Path) -> None:
    (tmp_path / "agents").symlink_to(tmp_path / "dotfiles" / "agents")
    write_text(str(tmp_path / "agents" / "x.md"), "text")

    assert (tmp_path / "dotfiles" / "agents" / "x.md").read_text() == "text"
