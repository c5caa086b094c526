"""`li state import-shows`: folders of both formats, valid and invalid, imported repeatedly."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.archives import BEGAN, AssertUnchanged, rows_of
from tests.support.builders import begin, read, sql, write
from tests.support.sql_trace import plan

from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.imports.shows import import_shows
from lionstudio.model.shows.show import Play
from lionstudio.state.database import Database
from lionstudio.state.imports import lookup
from lionstudio.state.shows import get_play, get_show, list_plays, put_play, transition_play

PLAN = """# Show: t

## Goal
Ship it.

## Context
- Repo: /home/u/repo
- Base: main
- Integration: show/t/integration (made first)

## Plays
**ui**
- deps: [api]
**api**
- deps: []
"""
DONE = {
    "status": "merged",
    "attempt": 2,
    "started_at": BEGAN,
    "ended_at": "2026-09-21T14:00:00+00:00",
    "exit_code": 0,
    "worktree": "/w/api",
    "branch": "show/t/api",
    "merge_sha": "abc",
    "merged_at": BEGAN + 9,
    "effort": "high",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder for shows."""
    return tmp_path / "shows"


def put(root: Path, topic: str, plan: str | None = PLAN, **plays: dict[str, Any]) -> Path:
    """Write a show folder whose plays have a _meta.json."""
    folder = root / topic
    folder.mkdir(parents=True)
    if plan is not None:
        (folder / "_show.md").write_text(plan)
    for name, meta in plays.items():
        (folder / name).mkdir()
        (folder / name / "_meta.json").write_text(json.dumps(meta))
    return folder


def imported(db: Database, *roots: Path, **options: Any) -> Report:
    report = Report()
    import_shows(db, [str(root) for root in roots], report, **options)
    return report


def play(db: Database, name: str, topic: str = "t") -> Play:
    return read(db, get_play, read(db, get_show, topic).id, name)


def test_import_shows_inserts_show_and_plays(db: Database, root: Path) -> None:
    folder = put(root, "t", api=DONE, ui={"status": "blocked", "block_reason": "dep_failed", "attention_opt_in": True})
    (folder / "api" / "_verdict.json").write_text('{"gate_passed": true, "feedback": null, "notes": "fine"}')
    (folder / "ui" / "_verdict.json").write_text('{"gate_passed": false, "feedback": ["a", "b"]}')
    (folder / "screenshots").mkdir()  # no play: nothing in it begins with an underscore
    (folder / "screenshots" / "a.png").touch()

    report = imported(db, root)

    show = read(db, get_show, "t")
    assert report.counts == {("show", ItemOutcome.IMPORTED): 1}
    assert (show.goal, show.repo, show.base_branch) == ("Ship it.", "/home/u/repo", "main")
    assert (show.integration_branch, show.show_dir) == ("show/t/integration", str(folder))
    assert (show.status, show.status_source) == ("active", "filesystem")
    assert [found.name for found in read(db, list_plays, show.id)] == ["ui", "api"]  # in the order of the plan
    api, ui = play(db, "api"), play(db, "ui")
    assert (api.status, api.attempt, api.started_at, api.exit_code) == ("merged", 2, BEGAN, 0)
    assert (api.ended_at, api.merged_at, api.merge_sha) == (1790000000.0 - 800, BEGAN + 9, "abc")
    assert (api.gate_passed, api.gate_feedback, api.effort, api.depends_on) == (True, None, "high", ())
    assert (ui.depends_on, ui.gate_passed, ui.gate_feedback) == (("api",), False, '["a","b"]')
    assert ui.metadata == {"meta": {"block_reason": "dep_failed", "attention_opt_in": True}}


@pytest.mark.parametrize(
    ("statuses", "passed", "abort", "expected"),
    [
        (["merged", "merged"], None, False, "completed"),
        (["merged", "escalated"], None, False, "active"),
        (["merged", "running"], None, False, "active"),
        (["escalated"], True, False, "completed"),
        (["merged"], False, False, "aborted"),
        (["merged", "escalated"], False, False, "aborted"),
        (["merged"], True, True, "aborted"),
        ([], None, False, "active"),
    ],
)
def test_import_shows_derives_the_status_from_files(
    db: Database, root: Path, statuses: list[str], passed: bool | None, abort: bool, expected: str
) -> None:
    folder = put(root, "t", PLAN, **{f"p{n}": {"status": status} for n, status in enumerate(statuses)})
    if passed is not None:
        (folder / "_final_verdict.json").write_text(json.dumps({"show_passed": passed, "blockers": ["x"]}))
    if abort:
        (folder / "_ABORT").touch()

    imported(db, root)

    assert read(db, get_show, "t").status == expected


def test_import_shows_waits_for_final_gates(db: Database, root: Path) -> None:
    plan = "---\nfinal_gates: [[make, test]]\n---\n"
    folder = put(root, "t", plan, api={"status": "merged"})
    imported(db, root)
    assert read(db, get_show, "t").status == "active"

    (folder / "_final_verdict.json").write_text(json.dumps({"show_passed": True}))
    imported(db, root)
    assert read(db, get_show, "t").status == "completed"


def test_import_shows_twice_writes_nothing(db: Database, root: Path) -> None:
    put(root, "t", api=DONE, ui={})
    put(root, "u", None, one={"status": "who knows", "attempt": 2**70, "started_at": "never", "exit_code": 2**64})
    begin(db, "s", name="show_t_api")
    imported(db, root)
    once = rows_of(db.path)

    with AssertUnchanged(db):
        report = imported(db, root)

    assert rows_of(db.path) == once
    assert report.counts == {("show", ItemOutcome.UNCHANGED): 2}
    odd = play(db, "one", "u")
    assert (odd.status, odd.attempt, odd.exit_code, odd.metadata["meta"]) == (
        "pending",
        1,
        None,
        {"status": "who knows"},
    )


def test_import_shows_resolves_drift_and_keeps_other_columns(db: Database, root: Path) -> None:
    folder = put(root, "t", api={"status": "running", "attempt": 1}, ui={})
    imported(db, root)
    show = read(db, get_show, "t")
    write(db, put_play, replace(play(db, "ui"), playbook="web", metadata={"director": 1}))
    write(db, transition_play, show.id, "api", "running_complete")
    (folder / "api" / "_meta.json").write_text(json.dumps(DONE))

    report = imported(db, root)

    assert [str(item.outcome) for item in report.items] == ["updated"]
    assert (play(db, "api").status, play(db, "api").attempt) == ("merged", 2)
    assert (play(db, "ui").playbook, play(db, "ui").metadata) == ("web", {"director": 1})


def test_import_shows_dry_run_writes_nothing(db: Database, root: Path) -> None:
    put(root, "t", api=DONE)

    with AssertUnchanged(db):
        planned = imported(db, root, dry_run=True)

    assert planned.counts == imported(db, root).counts


def test_import_shows_reads_front_matter_and_meta_dependencies(db: Database, root: Path) -> None:
    head = "---\ngoal: ship\nplays:\n  - name: b\n    playbook: web\n    depends_on: [a]\n  - name: a\n---\nText.\n"
    put(root, "t", head, a={"depends_on": ["z"]}, b={"depends_on": ["ignored"]}, c={"depends_on": "a"})

    imported(db, root)

    assert read(db, get_show, "t").goal == "ship"
    assert {name: play(db, name).depends_on for name in "abc"} == {"a": ("z",), "b": ("a",), "c": ("a",)}
    assert play(db, "b").playbook == "web"


def test_import_shows_links_sessions_by_name_column_or_worktree(db: Database, root: Path) -> None:
    begin(db, "older", name="show_t_a")
    begin(db, "newest", name="show_t_a", created_at=BEGAN + 5)
    begin(db, "column", name="agent", show_topic="t", show_play_name="b")
    begin(db, "elsewhere", cwd="/w/c", created_at=BEGAN - 9999)
    begin(db, "worktree", cwd="/w/c", created_at=BEGAN + 30)
    ran = {"started_at": BEGAN, "ended_at": BEGAN + 60}
    put(root, "t", a={}, b={}, c={"worktree": "/w/c", **ran}, d={"worktree": "/w/d", **ran})

    imported(db, root)

    assert {name: play(db, name).session_id for name in "abcd"} == {
        "a": "newest",
        "b": "column",
        "c": "worktree",
        "d": None,
    }


@pytest.mark.sqlite
def test_session_lookup_uses_an_index(db: Database) -> None:
    for query in (lookup._BY_NAME, lookup._BY_PLAY, lookup._BY_WORKTREE, lookup._BY_RUN):
        names = ("name", "topic", "play", "worktree", "earliest", "latest", "run")
        assert all("SEARCH sessions USING" in step for step in plan(db.conn, query, dict.fromkeys(names, 1.0))), query


def test_import_shows_first_root_wins_for_a_topic(db: Database, tmp_path: Path) -> None:
    one, two, link = tmp_path / "one", tmp_path / "two", tmp_path / "link"
    put(one, "same", "## Goal\nfirst\n")
    put(two, "same", "## Goal\nsecond\n")
    put(two, "other", "## Goal\nother\n")
    link.symlink_to(one)

    report = imported(db, one, two, link, tmp_path / "nowhere")

    assert report.counts == {("show", ItemOutcome.IMPORTED): 2, ("show", ItemOutcome.SKIPPED): 1}
    assert read(db, get_show, "same").goal == "first"


def test_import_shows_skips_bad_shows_and_plays(db: Database, root: Path) -> None:
    good = put(root, "good", PLAN, fine={"status": "merged"})
    for name, text in {
        "json": b"{",
        "utf8": b"\xff",
        "deep": b"[" * 100_000,
        "list": b"[]",
        "twice": b'{"a":1,"a":2}',
        "empty": b"",
    }.items():
        (good / name).mkdir()
        (good / name / "_meta.json").write_bytes(text)
    (good / "pipe").mkdir()
    os.mkfifo(good / "pipe" / "_meta.json")
    (good / "verdict").mkdir()
    (good / "verdict" / "_verdict.json").write_text("nope")
    put(root, "bad-yaml", "---\ngoal: [\n---\n")
    (put(root, "bad-utf8", None) / "_show.md").write_bytes(b"\xff\xfe")
    (put(root, "bad-folder", None) / "_show.md").mkdir()
    (put(root, "bad-verdict") / "_final_verdict.json").write_text("nope")
    with (put(root, "bad-huge", None) / "_show.md").open("wb") as file:
        file.truncate(10**10)
    put(root, "line\nbreak")
    put(root, "nothing", None)  # no show: it holds none of a show's files

    report = imported(db, root)

    assert report.counts == {
        ("show", ItemOutcome.IMPORTED): 1,
        ("show", ItemOutcome.SKIPPED): 6,
        ("play", ItemOutcome.SKIPPED): 8,
    }
    assert all(item.reason for item in report.items if item.outcome is ItemOutcome.SKIPPED)
    assert sql(db, "SELECT topic, status FROM shows") == [("good", "active")]  # not every play is known to be merged
    assert sql(db, "SELECT name FROM plays") == [("fine",)]
