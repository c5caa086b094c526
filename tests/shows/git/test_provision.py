"""Copied files and setup commands of checkouts and merge results."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.support.repositories import begun, commit, files_of, git, make_repo, merge, write

from lionstudio.errors import Conflict as Refused
from lionstudio.errors import InvalidInput
from lionstudio.model.shows.plan import Plan
from lionstudio.shows.git.checkout import CheckoutTarget, prepare
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import AlreadyMerged, ForeignCommits, MergeCommitted, MergeConflict
from lionstudio.shows.git.provision import NotReady, provision
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


def test_collect_excludes_copied_and_setup_files(users: Path, repo: Repo, tmp_path: Path) -> None:
    write(users, {".env": "SECRET=1\n", "conf/local.ini": "x\n", "dir/sub/f": "f\n", "README.md": "changed\n"})
    setup = (("sh", "-c", 'mkdir deps && echo d > deps/d && echo "$PWD" > "odd [name]"'),)
    place = CheckoutTarget(
        repo=repo,
        play="play",
        copy=(".env", "conf/*.ini", "dir", "README.md", "none"),
        setup=setup,
        env={"PATH": os.environ["PATH"]},
    )
    checkout = prepare(place)
    assert Path(checkout.path, ".env").read_text() == "SECRET=1\n"
    assert Path(checkout.path, "README.md").read_text() == "hello\n"  # tracked: as it was committed
    assert Path(checkout.path, "odd [name]").read_text() == f"{checkout.path}\n"
    assert git(checkout.path, "status", "--porcelain=v1") == ""
    git(checkout.path, "add", "-A")
    write(checkout.path, {"work.txt": "w\n"})
    assert collect(checkout, "work", attempt=1).changed == ("work.txt",)
    Path(checkout.path, ".env").unlink()
    prepare(place)
    assert not os.path.exists(os.path.join(checkout.path, ".env"))  # furnished once, then it is the agent's


def test_prepare_retries_a_failed_setup(repo: Repo) -> None:
    place = CheckoutTarget(
        repo=repo, play="play", setup=(("sh", "-c", "echo no luck; exit 3"),), env={"PATH": os.environ["PATH"]}
    )
    for _ in range(2):
        with pytest.raises(Refused, match=r"failed: exit code 3 \(no luck\)"):
            prepare(place)
    missing = CheckoutTarget(repo=repo, play="play", setup=(("no-such-program",),), env={"PATH": os.environ["PATH"]})
    with pytest.raises(Refused, match="could not start"):
        prepare(missing)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../out.txt", "a/../../out.txt", "", "link.txt", "linked/x", ".git/config"]
)
def test_copy_files_refuses_paths_outside(users: Path, repo: Repo, tmp_path: Path, name: str) -> None:
    write(tmp_path, {"out.txt": "outside\n", "folder/x": "outside\n"})
    (users / "link.txt").symlink_to(tmp_path / "out.txt")
    (users / "linked").symlink_to(tmp_path / "folder")
    place = CheckoutTarget(repo=repo, play="play", copy=(name,))
    if name == ".git/config":
        prepare(place)
    else:
        with pytest.raises(InvalidInput, match=r"cannot be copied|leads out"):
            prepare(place)
    checkout = Path(repo.checkouts_dir, "play")
    assert not any("outside" in path.read_text() for path in checkout.rglob("*.txt"))


def test_copy_files_refuses_a_committed_link(users: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (users / "conf").symlink_to(tmp_path / "victim")
    (users / ".env").symlink_to(tmp_path / "victim.txt")
    commit(users)
    (users / "conf").unlink()
    (users / ".env").unlink()
    write(users, {"conf/local": "x\n", ".env": "x\n"})
    place = CheckoutTarget(repo=begun(users), play="play", copy=(".env", "conf/local"))
    with pytest.raises(InvalidInput, match="leads out"):
        prepare(place)
    assert (list((tmp_path / "victim").iterdir()), (tmp_path / "victim.txt").exists()) == ([], False)


def test_provision_prepares_a_merge_result(users: Path, repo: Repo, tmp_path: Path) -> None:
    write(users, {".env": "SECRET=1\n"})
    env, gate = {"PATH": os.environ["PATH"]}, str(tmp_path / "gate")
    check_out_tree(repo, f"{repo.base}^{{tree}}", gate)
    setup, teardown = (("sh", "-c", "cat .env > made"),), (("sh", "-c", "echo down > ../down"),)
    plan = Plan(topic="topic", plays=(), copy=(".env",), setup=setup, teardown=teardown)
    with provision(str(users), gate, plan, env, str(tmp_path / "logs")):
        assert Path(gate, "made").read_text() == "SECRET=1\n"
        assert git(gate, "status", "--porcelain=v1") == "?? made"
        assert not (tmp_path / "down").exists()
    assert (tmp_path / "down").read_text() == "down\n"
    broken = Plan(topic="topic", plays=(), setup=(("false",),), teardown=teardown)
    with (
        pytest.raises(NotReady, match="failed: exit code 1 \\(in the merge result\\)"),
        provision(str(users), gate, broken, env, str(tmp_path / "logs")),
    ):
        pytest.fail("the gates began")
