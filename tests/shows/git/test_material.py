"""The material of a reviewer: every file of the tree once, whatever the names in the tree."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.repositories import begun, commit, git, make_repo, write

from lionstudio.shows.git.materialize import lay_out_material
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.system.safe_rmtree import safe_rmtree

PARTS = [".claude", "AGENTS.md", "CLAUDE.md", ".cursor", "a", "x"]
NAMES = st.builds(str.__add__, st.sampled_from(PARTS), st.sampled_from(["", ".material", ".MATERIAL", ".material-2"]))
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return begun(make_repo(tmp_path_factory.mktemp("material") / "users"))


def tree_of(repo: Repo, paths: list[str]) -> str:
    """Write a tree in which every file holds its own path."""
    with tempfile.TemporaryDirectory() as folder:
        git(folder, "init", "-q")
        write(folder, {path: path for path in paths})
        commit(folder)
        packed = subprocess.run(
            ["git", "-C", folder, "pack-objects", "--all", "--stdout", "-q"], capture_output=True, check=True
        ).stdout
        subprocess.run(["git", "-C", repo.path, "unpack-objects", "-q"], input=packed, check=True)
        return git(folder, "rev-parse", "HEAD^{tree}")


def material_of(repo: Repo, tree: str) -> tuple[str, dict[str, str]]:
    """Return the suffix, and the text of each file of the material."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "material")
        try:
            suffix = lay_out_material(repo, tree, str(path))
            files = [Path(where, name) for where, _, names in os.walk(path) for name in names]
            return suffix, {str(file.relative_to(path)): file.read_text() for file in files}
        finally:
            safe_rmtree(str(path))


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["AGENTS.md", "a"], {"AGENTS.md.material", "a"}),
        (["AGENTS.md", "AGENTS.md.material"], {"AGENTS.md.material-2", "AGENTS.md.material"}),
        ([".claude/x", ".claude.material/x"], {".claude.material-2/x", ".claude.material/x"}),
        (["AGENTS.md", "b/c.material", "d.Material-2"], {"AGENTS.md.material-3", "b/c.material", "d.Material-2"}),
    ],
)
def test_lay_out_material_takes_a_suffix_that_no_name_has(repo: Repo, paths: list[str], expected: set[str]) -> None:
    _, files = material_of(repo, tree_of(repo, paths))
    assert set(files) == expected
    assert sorted(files.values()) == sorted(paths)


def test_lay_out_material_renames_names_of_the_greatest_length(repo: Repo) -> None:
    paths = [f".cursor{'x' * 247}{last}" for last in "ab"]
    suffix, files = material_of(repo, tree_of(repo, paths))
    assert sorted(files.values()) == paths
    assert all(name.endswith(suffix) for name in files)


@settings(max_examples=15, deadline=None)
@given(st.lists(PATHS, min_size=1, max_size=8, unique=True))
def test_lay_out_material_keeps_every_file_once(repo: Repo, drawn: list[str]) -> None:
    paths = [path for path in drawn if not any(other.startswith(f"{path}/") for other in drawn)]
    suffix, files = material_of(repo, tree_of(repo, paths))
    assert sorted(files.values()) == sorted(paths)
    assert {name.replace(suffix, "") for name in files} == set(paths)
