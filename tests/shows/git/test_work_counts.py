"""Git processes and reads per play are bounded, whatever the size of show and repository."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.repositories import AnyCommits, begun, checkout_of, commit, make_repo, write

from lionstudio.shows.gates.agent_files import changed_steering_files
from lionstudio.shows.git.checkout import remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import CleanMerge, MergeCommitted, merge, prepare_merge, try_merge
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.system import git as wrapper
from lionstudio.system.safe_rmtree import safe_rmtree

# starts of git for one play, from its checkout to its removal; the agent's own commits are checked as they are copied
MOST = {"by us": 20, "by the agent": 24}


class Record(AnyCommits):
    """A record that also remembers, as an open show does, the tree of the last merge."""

    tree: str | None = None


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The commands that were given to git."""
    calls: list[str] = []
    real = wrapper.Git._argv

    def note(self: wrapper.Git, args: Any) -> list[str]:
        calls.append(next(arg for arg in args if not arg.startswith("-") and "=" not in arg))
        return real(self, args)

    with monkeypatch.context() as patch:
        patch.setattr(wrapper.Git, "_argv", note)
        yield calls


def whole_play(repo: Repo, play: str, record: Record, *, committed: bool) -> None:
    """The steps of a play as the director makes them."""
    checkout = checkout_of(repo, play)
    write(checkout.path, {f"{play}.txt": "w\n"})
    if committed:
        commit(checkout.path)
    collected = collect(checkout, "work", attempt=1)
    assert collected.problems == ()
    assert collected.tip is not None
    tried = try_merge(repo, collected.tip, collected.head, is_new=collected.is_new)
    assert isinstance(tried, CleanMerge)
    prepared = prepare_merge(repo, "topic", play, 1, collected.head, "Merge", tried)
    gate = f"{repo.checkouts_dir}/.gates/{play}"
    check_out_tree(repo, tried.tree, gate, commit=prepared.sha)
    safe_rmtree(gate)
    assert changed_steering_files(repo, record.tree or collected.tip, tried.tree) == []
    record.tree = tried.tree
    merged = merge(repo, "topic", play, 1, collected.head, "Merge", record=record, prepared=prepared)
    assert merged == MergeCommitted(prepared.sha)
    assert remove(checkout).kept is None


@pytest.mark.parametrize("committed", ["by us", "by the agent"])
def test_play_starts_a_bounded_number_of_git_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, committed: str
) -> None:
    repo, record, by_agent = begun(make_repo(tmp_path / "users")), Record(), committed == "by the agent"
    whole_play(repo, "first", record, committed=by_agent)
    with counted(monkeypatch) as calls:
        whole_play(repo, "second", record, committed=by_agent)
    assert len(calls) <= MOST[committed], calls
    for number in range(5):
        whole_play(repo, f"more-{number}", record, committed=by_agent)
    with counted(monkeypatch) as later:
        whole_play(repo, "last", record, committed=by_agent)
    assert later == calls


def test_collect_reads_only_changed_files(tmp_path: Path) -> None:
    """Our index knows the files since they were laid out; hashing every file again would cost what a clone costs."""
    repo = begun(make_repo(tmp_path / "users", {f"src/{number}.txt": f"{number}\n" for number in range(200)}))
    checkout = checkout_of(repo)
    write(checkout.path, {"src/7.txt": "changed\n"})
    collect(checkout, "work", attempt=1)
    stat = subprocess.run(
        ["git", "--git-dir", repo.director_dir, "--work-tree", checkout.path, "ls-files", "--debug", "src/8.txt"],
        env={"GIT_INDEX_FILE": f"{checkout.private_dir}/index", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        cwd=checkout.path,
        check=True,
    ).stdout
    assert f"ino: {Path(checkout.path, 'src/8.txt').stat().st_ino}" in stat
