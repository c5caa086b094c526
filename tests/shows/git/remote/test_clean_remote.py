"""`li show clean` of a show that workers played: its refs on the remote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.commands import run_li
from tests.support.git_remotes import git_daemon, machine, make_remote, refs_of
from tests.support.repositories import git, merge

from lionstudio.cli.show import clean
from lionstudio.model.shows.show import TEAM, Show
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.git.merge import MergeCommitted
from lionstudio.shows.git.remote.work import publish_work
from lionstudio.state.database import Database
from lionstudio.state.shows import put_show, transition_show

INTEGRATION = "refs/heads/show/topic/integration"


def play(tmp_path: Path, remote: str) -> None:
    """A show with a merged and a lost play, directed from another home; its repository is on another machine."""
    repo = machine(remote, tmp_path / "worker")
    for name in ("done", "lost"):
        head = git(repo.git_dir, "commit-tree", f"{repo.base}^{{tree}}", "-p", repo.base, "-m", name)
        publish_work(repo, name, attempt=1, fence=1, head=head)
        if name == "done":
            assert isinstance(merge(repo, "topic", name, 1, head, "Merge", fence=1), MergeCommitted)
    show = Show(
        topic="topic",
        show_dir="/elsewhere/shows/topic",
        repo="/elsewhere/project",
        integration_branch="show/topic/integration",
        metadata={TEAM: {"remote": remote, "definitions": {}}},
    )
    with Database(str(tmp_path / "home" / "state.db")) as database:
        database.write(lambda conn: put_show(conn, show))


def set_status(tmp_path: Path, status: ShowStatus) -> None:
    with Database(str(tmp_path / "home" / "state.db")) as database:
        database.write(lambda conn: transition_show(conn, "topic", status))


def act_after_confirmation(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    def confirm(*_: object) -> Callable[[str], bool]:
        act()
        return lambda _: True

    monkeypatch.setattr(clean, "confirm", confirm)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LIONAGI_SHOWS", str(tmp_path / "shows"))
    monkeypatch.delenv("LIONAGI_DB", raising=False)
    return tmp_path / "home"


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return make_remote(tmp_path)


def test_clean_deletes_merged_refs_of_the_remote(tmp_path: Path, remote: Path) -> None:
    play(tmp_path, str(remote))
    before = refs_of(remote)
    assert run_li("show", "clean", "--all", "--yes").out == "Nothing to clean.\n"  # the show is active
    set_status(tmp_path, ShowStatus.COMPLETED)
    assert run_li("show", "clean", "--yes").out == "No stale checkouts.\n"  # nobody asked for refs
    listed = run_li("show", "clean", "--archives", "--dry-run")
    assert "refs/shows/topic/done/1-1\n" in listed.out
    assert "refs/shows/topic/lost/1-1  kept: not merged into another branch\n" in listed.out
    assert f"topic: 4 refs of {remote}\n" in listed.out
    assert run_li("show", "clean", "--archives").code == 2  # stdin is not a terminal
    old = run_li("show", "clean", "--archives", "--older-than", "1d", "--dry-run").out
    assert f"topic: 2 refs of {remote}\n" in old  # commits of the tests have a date in the past, fences do not
    assert refs_of(remote) == before

    done = run_li("show", "clean", "--archives", "--yes", "--json")
    assert done.code == 1  # one is kept
    assert {ref["ref"]: (ref["is_remote"], ref["kept"] is None) for ref in done.json["refs"]} == {
        "refs/shows/topic/done/1-1": (True, True),
        "refs/shows/topic/done/fence": (True, True),
        "refs/shows/topic/lost/1-1": (True, False),
        "refs/shows/topic/lost/fence": (True, True),
    }
    assert sorted(refs_of(remote)) == [INTEGRATION, "refs/shows/topic/lost/1-1"]

    git(remote, "update-ref", "refs/heads/main", before[INTEGRATION])  # its work is merged by the user
    assert run_li("show", "clean", "--branches", "--yes").code == 0
    assert list(refs_of(remote)) == ["refs/shows/topic/lost/1-1"]
    assert run_li("show", "clean", "--all", "--force", "--yes").code == 0
    assert refs_of(remote) == {}


def test_clean_reports_a_remote_that_is_away_or_refuses(tmp_path: Path, remote: Path) -> None:
    with git_daemon(tmp_path) as daemon:
        play(tmp_path, daemon.url())
        set_status(tmp_path, ShowStatus.ABORTED)
        hook = remote / "hooks" / "pre-receive"
        hook.write_text("#!/bin/sh\necho refs are kept for audits\nexit 1\n")
        hook.chmod(0o755)
        refused = run_li("show", "clean", "--archives", "--force", "--yes")
        assert refused.code == 1
        assert refused.out.count("refuses: refs are kept for audits") == 4
        assert "removed" not in refused.out
        before = refs_of(remote)
        daemon.stop()

        for option, code in (("--dry-run", 0), ("--yes", 1)):
            away = run_li("show", "clean", "--archives", option)
            assert (away.code, away.out.startswith("topic: the remote git://127.0.0.1")) == (code, True), away
            assert "does not answer" in away.out
    assert refs_of(remote) == before


def test_clean_keeps_refs_when_the_remote_goes_away_in_between(
    tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with git_daemon(tmp_path) as daemon:
        play(tmp_path, daemon.url())
        set_status(tmp_path, ShowStatus.ABORTED)
        act_after_confirmation(monkeypatch, daemon.stop)
        away = run_li("show", "clean", "--archives", "--force", "--yes")

    assert away.code == 1
    assert away.out.count("does not answer") == 4
    assert len(refs_of(remote)) == 5


def test_clean_keeps_refs_of_a_show_that_is_resumed_in_between(
    tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(tmp_path, str(remote))
    set_status(tmp_path, ShowStatus.ABORTED)
    act_after_confirmation(monkeypatch, lambda: set_status(tmp_path, ShowStatus.ACTIVE))
    resumed = run_li("show", "clean", "--archives", "--force", "--yes")

    assert resumed.code == 1
    assert resumed.out.count("kept: the show was resumed meanwhile") == 4
    assert len(refs_of(remote)) == 5
