"""Project and commit of a run, read without starting git and compared with git's own answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.builders import git

from lionstudio.runs.prepare.project import commit_of, project_name, project_of, top_folder
from lionstudio.settings import load_settings


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "the-project"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def commit(folder: Path, message: str = "m") -> str:
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def test_commit_of_branch(repository: Path) -> None:
    commit_id = commit(repository)
    (repository / "a" / "b").mkdir(parents=True)

    assert commit_of(str(repository / "a" / "b")) == commit_of(str(repository)) == commit_id
    assert top_folder(str(repository / "a" / "b")) == str(repository)
    assert project_name(str(repository / "a")) == "the-project"


def test_commit_of_empty_repository(repository: Path) -> None:
    assert commit_of(str(repository)) is None
    assert project_name(str(repository)) == "the-project"


def test_commit_of_detached_head(repository: Path) -> None:
    first = commit(repository, "first")
    commit(repository, "second")
    git(repository, "checkout", "-q", first)

    assert commit_of(str(repository)) == first


def test_commit_of_packed_refs(repository: Path) -> None:
    other = commit(repository, "other")
    git(repository, "update-ref", "refs/a/refs/heads/main", other)  # a name that ends the same way
    commit_id = commit(repository)
    git(repository, "tag", "-a", "-m", "t", "main")
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git" / "refs" / "heads" / "main").exists()

    assert commit_of(str(repository)) == commit_id
    newer = commit(repository)
    assert commit_of(str(repository)) == newer


def test_commit_of_branch_with_slashes(repository: Path) -> None:
    commit(repository)
    git(repository, "checkout", "-q", "-b", "show/docs/review")
    commit_id = commit(repository)
    git(repository, "pack-refs", "--all")

    assert commit_of(str(repository)) == commit_id


def test_commit_of_worktree(repository: Path, tmp_path: Path) -> None:
    commit(repository)
    git(repository, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    commit_id = commit(tmp_path / "side", "on the side")

    assert commit_of(str(tmp_path / "side")) == commit_id
    assert commit_of(str(repository)) == git(repository, "rev-parse", "HEAD") != commit_id
    assert project_name(str(tmp_path / "side")) == "side"
    git(repository, "pack-refs", "--all")
    assert commit_of(str(tmp_path / "side")) == commit_id


def test_commit_of_submodule(repository: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    commit_id = commit(inner)
    commit(repository)
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")

    assert commit_of(str(repository / "sub")) == commit_id


def test_commit_outside_a_checkout(tmp_path: Path) -> None:
    assert (top_folder(str(tmp_path)), project_name(str(tmp_path)), commit_of(str(tmp_path))) == (None, None, None)


@pytest.mark.parametrize(
    "head",
    [b"", b"garbage", b"ref: refs/heads/nowhere", b"ref: ../../../etc/passwd", b"\xff\xfe", b"a" * 39, b"g" * 40],
)
def test_commit_of_invalid_head(repository: Path, head: bytes) -> None:
    commit(repository)
    (repository / ".git" / "HEAD").write_bytes(head)

    assert commit_of(str(repository)) is None


@pytest.mark.parametrize("pointer", ["", "gitdir: /nowhere", "nothing"])
def test_commit_of_dangling_gitdir(tmp_path: Path, pointer: str) -> None:
    (tmp_path / ".git").write_text(pointer)

    assert commit_of(str(tmp_path)) is None


def test_commit_of_runs_no_program(repository: Path, tmp_path: Path) -> None:
    commit_id = commit(repository)
    trap = tmp_path / "trapped"
    git(repository, "config", "core.fsmonitor", f"touch {trap}")
    git(repository, "config", "core.hooksPath", str(tmp_path))

    assert commit_of(str(repository)) == commit_id
    assert not trap.exists()


def test_project_of_reads_the_repository_settings(repository: Path, tmp_path: Path) -> None:
    settings = load_settings({"home": str(tmp_path / "home")}, {}, "/")
    repo = str(repository)
    assert project_of(repo, settings, {}) == "the-project"

    config = repository / ".lionagi" / "config.toml"
    config.parent.mkdir()
    config.write_text('project = "other"\n')
    assert project_of(repo, settings, {}) == "other"
    assert project_of(repo, settings, {"LIONAGI_PROJECT": "named"}) == "named"

    config.write_text("not toml at all")
    assert project_of(repo, settings, {}) == "the-project"
