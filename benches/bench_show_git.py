"""The cost of git for one play: checkout, collect, merge result, merge, removal; against plain git doing the same.

Plain git makes a worktree, commits there, merges in a second worktree and removes the first. It trusts the files of
the agent. Repositories of 20 and of 2,000 files, and the first play of a show against one after many.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.repositories import merge

from benches.stores import clean_up, fresh_folder
from benches.table import Options, Table, at_most, options
from lionstudio.shows.git.checkout import CheckoutTarget, prepare, remove
from lionstudio.shows.git.collect_work import collect
from lionstudio.shows.git.materialize import check_out_tree
from lionstudio.shows.git.merge import CleanMerge, MergeCommitted, integration_tip, prepare_merge, try_merge
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import open_show_repo
from lionstudio.system import git as wrapper
from lionstudio.system.safe_rmtree import safe_rmtree

_ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}
_MOST_STARTS = 20


def main() -> None:
    args = options(__doc__)
    try:
        table = Table("Git of a play", args)
        for files in (20, 2000):
            _measure(table, args, files)
        table.close()
    finally:
        clean_up()


def _measure(table: Table, args: Options, files: int) -> None:
    rounds = 4 if args.quick else 15
    users = _repository(files)
    ours, plain = _Ours(users), _Plain(users)
    spent: dict[str, list[float]] = {"ours": [], "plain": []}
    for number in range(rounds):
        for name, play in (("ours", ours.play), ("plain", plain.play)):
            spent[name].append(_timed(lambda play=play, number=number: play(number)))  # type: ignore[misc]
    ratios = [one / other for one, other in zip(*spent.values(), strict=True)]
    table.row(f"one play, {files} files", statistics.median(spent["ours"]) * 1e3, "ms")
    table.row(f"plain git, {files} files", statistics.median(spent["plain"]) * 1e3, "ms")
    table.row(f"one play / plain git, {files} files", statistics.median(ratios), "×", at_most(4))
    table.row(f"starts of git, {files} files", ours.starts[-1], "", at_most(_MOST_STARTS))
    half = rounds // 2
    late = statistics.median(ratios[half:]) / statistics.median(ratios[:half])
    table.row(f"the same, later plays / earlier plays, {files} files", late, "×", at_most(1.5))


def _timed(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _repository(files: int) -> Path:
    users = fresh_folder(f"git-{files}") / "users"
    for number in range(files):
        path = users / f"dir{number % 40}" / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n" * 30)
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"]):
        _git(users, *words)
    return users


def _git(where: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=where, env=_ENV, check=True, capture_output=True, text=True
    ).stdout.strip()


class _Ours:
    def __init__(self, users: Path) -> None:
        base = _git(users, "rev-parse", "HEAD")
        self._repo: Repo = open_show_repo(str(users), "bench", base, checkouts_dir=str(users.parent / "room"))
        self.starts: list[int] = []

    def play(self, number: int) -> None:
        """All steps of one play whose agent commits nothing itself."""
        before = wrapper.processes_started
        repo, name = self._repo, f"p{number}"
        checkout = prepare(CheckoutTarget(repo=repo, play=name))
        Path(checkout.path, f"made-{number}.txt").write_text("made\n")
        collected = collect(checkout, "work", attempt=1)
        tip, head = collected.tip or integration_tip(repo), collected.head
        tried = try_merge(repo, tip, head, is_new=collected.is_new)
        assert isinstance(tried, CleanMerge)
        prepared = prepare_merge(repo, "bench", name, 1, head, "Merge", tried)
        gate = os.path.join(repo.checkouts_dir, ".gates", name)
        check_out_tree(repo, tried.tree, gate, commit=prepared.sha)
        safe_rmtree(gate)
        assert isinstance(merge(repo, "bench", name, 1, head, "Merge", prepared=prepared), MergeCommitted)
        assert remove(checkout).kept is None
        self.starts.append(wrapper.processes_started - before)


class _Plain:
    def __init__(self, users: Path) -> None:
        self._users = users
        _git(users, "branch", "plain")
        self._merging = users.parent / "merging"
        _git(users, "worktree", "add", "-q", str(self._merging), "plain")

    def play(self, number: int) -> None:
        """The same with worktrees."""
        path = self._users.parent / f"plain-{number}"
        _git(self._users, "worktree", "add", "-q", "-b", f"plain-{number}", str(path), "plain")
        (path / f"plain-{number}.txt").write_text("made\n")
        _git(path, "add", "-A")
        _git(path, "commit", "-q", "-m", "work")
        _git(self._merging, "merge", "-q", "--no-ff", "-m", "merge", f"plain-{number}")
        # a gate needs its own folder here too
        shutil.copytree(self._merging, self._users.parent / "gate", symlinks=True)
        shutil.rmtree(self._users.parent / "gate")
        _git(self._users, "worktree", "remove", str(path))
        _git(self._users, "branch", "-d", "-q", f"plain-{number}", "--force")


if __name__ == "__main__":
    main()
