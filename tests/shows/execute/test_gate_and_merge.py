"""Gates beside a merge: a play is gated on top of the merge that is being checked, and merged in that form only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.children import environment
from tests.support.show_harness import ShowHarness

from lionstudio.shows.director.events import GatesEvaluated, MergeResult, MergeTried
from lionstudio.shows.execute import gate_and_merge
from lionstudio.shows.execute.gate_and_merge import GateAndMerge
from lionstudio.shows.execute.open_show import OpenShow
from lionstudio.shows.gates.verdict import Check, Verdict, combine_checks
from lionstudio.shows.git.merge import integration_tip
from lionstudio.system.watchdog import Watchdog


class CountedGates:
    """The command gates: the files that each run saw, and the runs that fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[set[str]] = []
        self.heads: list[str] = []
        self.failing: set[int] = set()
        monkeypatch.setattr(gate_and_merge, "run_commands", self._run)

    def _run(self, gates: Any, folder: str, *args: Any, **more: Any) -> Verdict:
        self.seen.append({name for name in os.listdir(folder) if name in ("a.txt", "b.txt")})
        with open(os.path.join(folder, ".git", "HEAD"), encoding="ascii") as file:
            self.heads.append(file.read().strip())
        passed = len(self.seen) not in self.failing
        return combine_checks([Check(kind="command", title="gate", passed=passed, summary="gate")])


@pytest.fixture
def show(harness: ShowHarness) -> Iterator[OpenShow]:
    """Two plays that have passed their gates on the base, and wait for a person."""
    harness.write_plan({name: f"@write {name}.txt {name}" for name in "ab"}, gates=[{"command": ["true"]}, "person"])
    harness.direct()
    assert harness.statuses() == {"a": "gated", "b": "gated"}
    opened = OpenShow(str(harness.show_dir), harness.settings, environment(**harness.env), harness.warnings.append)
    yield opened
    opened.close()


def evaluate(show: OpenShow, play: str) -> bool:
    event = GateAndMerge(show, play).run_gates()
    assert isinstance(event, GatesEvaluated)
    return event.passed


def merge(show: OpenShow, play: str) -> MergeResult:
    event = GateAndMerge(show, play).merge(anyway=False)
    assert isinstance(event, MergeTried)
    return event.result


def test_merge_uses_the_commit_that_the_gates_saw(show: OpenShow, monkeypatch: pytest.MonkeyPatch) -> None:
    gates = CountedGates(monkeypatch)
    assert evaluate(show, "a")
    assert merge(show, "a") is MergeResult.MERGED

    assert gates.heads == [integration_tip(show.repo)]


def test_merge_runs_the_gates_again_after_the_branch_moved(show: OpenShow, monkeypatch: pytest.MonkeyPatch) -> None:
    gates = CountedGates(monkeypatch)
    assert merge(show, "a") is MergeResult.MERGED
    assert merge(show, "b") is MergeResult.MERGED

    assert gates.seen == [{"a.txt", "b.txt"}], "of b only, on top of a"
    assert gates.heads == [integration_tip(show.repo)]


def test_gates_run_on_top_of_the_merge_in_progress(show: OpenShow, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the gates of one play run again right before its merge, another play is gated once, and merged at once."""
    gates = CountedGates(monkeypatch)
    assert evaluate(show, "a")
    show.candidate = show.prepared["a"]
    assert evaluate(show, "b")
    assert show.read_meta("b")["gated_tip"] == show.prepared["a"].sha
    assert (merge(show, "a"), merge(show, "b")) == (MergeResult.MERGED, MergeResult.MERGED)

    assert gates.seen == [{"a.txt"}, {"a.txt", "b.txt"}]
    assert gates.heads[1] == integration_tip(show.repo)


def test_gates_run_again_when_the_merge_in_progress_fails(show: OpenShow, monkeypatch: pytest.MonkeyPatch) -> None:
    gates = CountedGates(monkeypatch)
    assert evaluate(show, "a")
    show.candidate = show.prepared["a"]
    assert evaluate(show, "b")
    show.candidate = None  # the gates of a failed, and it is not merged
    assert merge(show, "b") is MergeResult.MERGED

    assert gates.seen == [{"a.txt"}, {"a.txt", "b.txt"}, {"b.txt"}]
    assert gates.heads[2] == integration_tip(show.repo)


def test_gates_that_fail_on_a_merge_in_progress_run_on_the_branch(
    show: OpenShow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other play may be the reason for the failure, and may never be merged."""
    gates = CountedGates(monkeypatch)
    assert evaluate(show, "a")
    show.candidate, gates.failing = show.prepared["a"], {2}
    assert evaluate(show, "b")

    assert gates.seen == [{"a.txt"}, {"a.txt", "b.txt"}, {"b.txt"}]
    assert show.read_meta("b")["gated_tip"] == integration_tip(show.repo)


def test_merge_makes_a_new_commit_when_the_prepared_one_is_gone(
    harness: ShowHarness, show: OpenShow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git gc --prune=now` removes commits that no branch has."""
    CountedGates(monkeypatch)
    assert evaluate(show, "a")
    harness.git("prune", "--expire=now")

    assert merge(show, "a") is MergeResult.MERGED
    assert integration_tip(show.repo) == show.read_meta("a")["merge_sha"]


def test_gates_of_a_show_share_one_watchdog(show: OpenShow, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    start = Watchdog._spawn

    def spawn(watchdog: Watchdog) -> None:
        start(watchdog)
        started.append(watchdog.pid)

    monkeypatch.setattr(Watchdog, "_spawn", spawn)
    assert evaluate(show, "a")
    assert evaluate(show, "b")
    assert started == [show.watchdog.pid]
    show.close()
    with pytest.raises(ProcessLookupError):
        os.kill(started[0], 0)
