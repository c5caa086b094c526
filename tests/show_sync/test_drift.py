"""Drift of folder and rows: none after any step; a kill between the two is reported and resolved."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, read, write
from tests.support.children import environment
from tests.support.commands import run_li

from lionstudio.files.shows.plan_reader import load_plan
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.settings import Settings, load_settings
from lionstudio.show_sync.drift import show_drift, show_findings
from lionstudio.shows.records import play_records
from lionstudio.state.database import Database
from lionstudio.state.shows import get_play, get_show, transition_play

PLAN = """---
goal: Ship it
repo: /srv/repo
plays:
  - name: api
    prompt: Build the API
    agent: script
  - name: ui
    prompt: Build the page
    agent: script
    depends_on: [api]
---
# The plan
"""
P = PlayStatus
# Everything a play goes through, with what each step notes.
STEPS: list[tuple[str, dict[str, Any]]] = [
    ("prepared", {"worktree": "/w/api"}),
    ("running", {"session_id": "run-1", "started_at": 1_790_000_000.0}),
    ("running_complete", {"ended_at": 1_790_000_100.0, "exit_code": 0}),
    ("redoing", {"attempt": 2, "ended_at": None, "exit_code": None, "reason": "tests are red"}),
    ("running", {"session_id": "run-2", "started_at": 1_790_000_200.0}),
    ("running_complete", {"ended_at": 1_790_000_300.0, "exit_code": 0}),
]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "home").mkdir()
    return load_settings({"home": str(tmp_path / "home"), "shows": str(tmp_path / "shows")}, {}, str(tmp_path))


@pytest.fixture
def folder(settings: Settings) -> str:
    path = os.path.join(settings.shows, "ship")
    os.makedirs(path)
    with Database(settings.db) as db:
        play_records.save_show(path, db, load_plan("ship", PLAN), PLAN)
    return path


def drifted(settings: Settings) -> list[tuple[str, str]]:
    with Database(settings.db) as db:
        return [(found.code, found.evidence) for found in db.read(lambda conn: list(show_findings(conn, settings)))]


def heal(settings: Settings) -> None:
    done = run_li("--home", settings.home, "state", "import-shows", "--root", settings.shows)
    assert done.code == 0, done.err


def test_show_drift_is_empty_after_every_step(settings: Settings, folder: str) -> None:
    with Database(settings.db) as db:
        for session in ("run-1", "run-2"):
            begin(db, session, name="show_ship_api")
        assert read(db, show_drift, settings) == []
        for status, noted in STEPS:
            play_records.save_play(folder, db, "api", P(status), **noted)
            assert read(db, show_drift, settings) == [], status
        play_records.save_verdict(folder, db, "api", {"gate_passed": True, "feedback": "fine"}, P.GATED)
        play_records.save_play(folder, db, "api", P.MERGED, merge_sha="abc", merged_at=1_790_000_400.0)
        assert read(db, show_drift, settings) == []
        play_records.save_final_verdict(folder, db, {"show_passed": False, "blockers": ["slow"]}, ShowStatus.ABORTED)
        assert read(db, show_drift, settings) == []
        assert read(db, get_play, read(db, get_show, "ship").id, "api").session_id == "run-2"
    heal(settings)
    with Database(settings.db) as db:
        assert read(db, get_show, "ship").status == "aborted"


RECORD = """
import json, sys
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.shows.records import play_records
from lionstudio.state.database import Database
folder, db, steps = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
with Database(db) as database:
    for status, noted in steps:
        play_records.save_play(folder, database, "api", PlayStatus(status), **noted)
    verdict = {"gate_passed": True, "feedback": "fine"}
    play_records.save_verdict(folder, database, "api", verdict, PlayStatus.GATED)
    play_records.save_final_verdict(folder, database, {"show_passed": True}, ShowStatus.COMPLETED)
"""


@pytest.mark.crash
@pytest.mark.parametrize(
    ("point", "evidence"),
    [
        ("show.play_written:1", "play api is prepared in its file and pending in its row"),
        ("show.play_written:4", "play api is redoing in its file and running_complete in its row"),
        ("show.verdict_written:1", "play api differs in gate_passed, gate_feedback"),
        ("show.final_written:1", "the show is completed in its file and active in its row"),
    ],
)
def test_show_drift_after_a_kill_is_reported_and_resolved(
    settings: Settings, folder: str, point: str, evidence: str
) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", RECORD, folder, settings.db, json.dumps(STEPS)],
        env=environment(LIONAGI_CRASH_AT=point),
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert drifted(settings) == [("show.drift", evidence)]
    heal(settings)
    assert drifted(settings) == []
    with Database(settings.db) as db:
        play = read(db, get_play, read(db, get_show, "ship").id, "api")
        meta = json.loads(Path(folder, "api", "_meta.json").read_text())
        assert (play.status, play.attempt, play.ended_at) == (meta["status"], meta["attempt"], meta.get("ended_at"))


def test_doctor_reports_drift_and_import_resolves_it(settings: Settings, folder: str) -> None:
    with Database(settings.db) as db:
        write(db, transition_play, read(db, get_show, "ship").id, "ui", "blocked")
    env = ("state",)
    os.environ |= {"LIONAGI_HOME": settings.home, "LIONAGI_SHOWS": settings.shows}
    try:
        [found] = [one for one in run_li("--json", *env, "doctor").json["findings"] if one["code"] == "show.drift"]
        assert found["evidence"] == "play ui is pending in its file and blocked in its row"
        assert found["advice"] == "`li state import-shows`"
        assert run_li(*env, "import-shows").code == 0
        assert [one for one in run_li("--json", *env, "doctor").json["findings"] if one["code"] == "show.drift"] == []
    finally:
        del os.environ["LIONAGI_SHOWS"], os.environ["LIONAGI_HOME"]


def test_doctor_reports_missing_rows_missing_folder_and_bad_file(settings: Settings, folder: str) -> None:
    for name in ("new", "bad"):
        os.makedirs(os.path.join(settings.shows, name, "p"))
        Path(settings.shows, name, "p", "_meta.json").write_text('{"status": "pending"}')
    heal(settings)
    Path(settings.shows, "bad", "p", "_meta.json").write_text("{half")
    Path(settings.shows, "new", "q").mkdir()
    Path(settings.shows, "new", "q", "_meta.json").write_text('{"status": "running"}')
    os.rename(folder, f"{folder}-moved-away")
    os.rename(f"{folder}-moved-away", os.path.join(settings.home, "elsewhere"))
    codes = dict(drifted(settings))
    assert codes["show.drift"] == "play q has no row"
    assert "_meta.json" in codes["show.unreadable"]
    assert folder in codes["show.no_folder"]
