"""Routes of the other pages: drafts, files of a run, stop, running work, health, growth, settings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, say, sql
from tests.support.studio import AUTH, InProcess, application, settings_in
from tests.support.waiting import wait_until

from lionstudio.files.progress_notes import FOLDER, ProgressNote, list_progress
from lionstudio.state.backends import open_database
from lionstudio.studio.launch.policy import TASKS, task_argv
from lionstudio.studio.schemas import admin, definitions, launches, runs
from lionstudio.studio.services import open_services

NOW = time.time()
START = "import sys; from lionstudio.cli.main import main; sys.exit(main())"


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        yield running


def post(studio: InProcess, path: str, body: Any) -> Any:
    answer = studio.client.post(path, headers=AUTH, json=body)
    assert answer.status_code < 300, answer.text
    return answer.json()


def until_ended(studio: InProcess, launch_id: str) -> Any:
    deadline = time.monotonic() + 20
    while (result := studio.get(f"/api/launches/{launch_id}"))["launch"]["running"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return result


def test_check_definition_does_not_save(studio: InProcess) -> None:
    good = post(studio, "/api/definitions/agent/reviewer/validate", {"text": "---\nmodel: opus\n---\nYou review."})
    bad = post(studio, "/api/definitions/agent/reviewer/validate", {"text": "---\n: [\n---\n"})

    definitions.CheckedText.model_validate(good, strict=True)
    definitions.CheckedText.model_validate(bad, strict=True)
    assert (good["definition"]["error"], good["definition"]["model"]) == (None, "opus")
    assert bad["definition"]["problems"][0]["line"] is not None
    assert studio.get("/api/agents")["items"] == []


def test_list_files_only_reads_our_folders(studio: InProcess, tmp_path: Path) -> None:
    db = studio.services.db.database()
    begin(db, "left")
    begin(db, "stray", artifacts_path="/etc")
    folder = tmp_path / "home" / "runs" / "left" / "deep"
    folder.mkdir(parents=True)
    (folder / "note.txt").write_text("abcdef")
    os.symlink("/etc/passwd", folder / "link")
    result = studio.get("/api/sessions/left/files")

    runs.Artifacts.model_validate(result, strict=True)
    assert [(file["path"], file["size"]) for file in result["files"]] == [("deep/note.txt", 6)]
    part = studio.get("/api/sessions/left/files/content?path=deep/note.txt&start=2&length=3")
    runs.ArtifactText.model_validate(part, strict=True)
    assert (part["text"], part["total"]) == ("cde", 6)
    assert studio.get("/api/sessions/stray/files")["root"] is None
    for path in ("../../studio.token", "deep/../../x", "/etc/passwd", "deep/link", "none"):
        answer = studio.client.get("/api/sessions/left/files/content", headers=AUTH, params={"path": path})
        assert answer.status_code in (400, 404), path
    assert studio.client.get("/api/sessions/stray/files/content?path=passwd", headers=AUTH).status_code == 404


def test_stop_session_stops_like_li_kill(studio: InProcess) -> None:
    launched = post(studio, "/api/launches", {"verb": "agent", "target": "script", "prompt": "@hang"})["launch"]
    deadline = time.monotonic() + 20
    while studio.client.get(f"/api/runs/{launched['id']}", headers=AUTH).status_code != 200:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    stopped = post(studio, f"/api/sessions/{launched['id']}/stop", {"grace_seconds": 10})

    runs.StopResultView.model_validate(stopped, strict=True)
    assert stopped["over"]
    until_ended(studio, launched["id"])
    assert studio.get(f"/api/runs/{launched['id']}")["session"]["status"] == "cancelled"
    assert post(studio, f"/api/sessions/{launched['id']}/stop", {})["outcome"] == "had ended"
    assert studio.client.post("/api/sessions/none/stop", headers=AUTH, json={}).status_code == 404


def test_stop_session_does_not_signal_an_unknown_process(studio: InProcess) -> None:
    begin(studio.services.db.database(), "foreign")
    stopped = post(studio, "/api/sessions/foreign/stop", {})

    assert not stopped["over"]
    assert stopped["outcome"].startswith("not stopped")


def test_list_work_has_running_imports_only(studio: InProcess, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    wait_until(lambda: studio.get("/api/work")["work"] == [])  # the server's own work at its start
    with ProgressNote(home, "Importing", 10) as note:
        note.update(3)
        during = studio.get("/api/work")
    admin.Works.model_validate(during, strict=True)
    assert [(each["what"], each["total"], each["pid"]) for each in during["work"]] == [("Importing", 10, os.getpid())]
    assert studio.get("/api/work")["work"] == []
    assert studio.get("/api/admin/imports")["work"] == []


KILLED = """
import sys, time
from lionstudio.files.progress_notes import ProgressNote
with ProgressNote(sys.argv[1], "x"):
    print(1, flush=True)
    time.sleep(60)
"""


def test_list_work_omits_a_killed_import(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert len(list_progress(str(tmp_path))) == 1
        process.send_signal(signal.SIGKILL)
    assert list_progress(str(tmp_path)) == []
    (tmp_path / FOLDER / f"{os.getpid()}-1-odd.json").write_text("{")
    with ProgressNote(str(tmp_path), "again"):
        assert [work.what for work in list_progress(str(tmp_path))] == ["again"]
    assert os.listdir(tmp_path / FOLDER) == []


@pytest.mark.sqlite
def test_server_answers_during_a_database_upgrade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    going, let = threading.Event(), threading.Event()
    real = open_database

    def slow(*args: Any, **more: Any) -> Any:
        going.set()
        assert let.wait(20)
        return real(*args, **more)

    monkeypatch.setattr("lionstudio.studio.db.open_database", slow)
    with application(tmp_path) as studio:
        assert going.wait(10)
        during = studio.client.get("/api/runs", headers=AUTH)
        work = studio.get("/api/work")["work"]
        assert studio.client.get("/healthz").status_code == 200
        let.set()
        deadline = time.monotonic() + 10
        while studio.client.get("/api/runs", headers=AUTH).status_code != 200 or studio.get("/api/work")["work"]:
            assert time.monotonic() < deadline
            time.sleep(0.02)

    assert (during.status_code, during.json()["retryable"]) == (503, True)
    assert [each["id"] for each in work] == ["opening"]


def test_admin_responses_match_their_schemas(studio: InProcess) -> None:
    db, now = studio.services.db.database(), time.time()  # of the suite may be an hour ago
    begun = begin(db, "silent", created_at=now - 9 * 3600, updated_at=now - 9 * 3600)
    say(db, begun.branch_id, "one", "two", created_at=now - 9 * 3600)
    sql(
        db,
        """INSERT INTO mirror_files VALUES ('/x.jsonl', 'claude', NULL, 1, 100, 1, 40, '', '{}', 5,
               '{"too long": 2}', 1.0, NULL)""",
    )
    health = studio.get("/api/admin/health")
    admin.HealthOverview.model_validate(health, strict=True)
    assert [(group["health"], group["runs"]) for group in health["groups"]] == [("stale", 1)]
    assert "last message 9 h ago" in health["runs"][0]["evidence"]
    result = studio.get("/api/admin/database?sizes=true")
    admin.DatabaseStats.model_validate(result, strict=True)
    assert sum(day["messages"] for day in result["growth"]) == 2
    assert len(result["growth"]) == 14
    settings = studio.get("/api/admin/settings")
    admin.SettingsShape.model_validate(settings, strict=True)
    assert {item["name"] for item in settings["items"]} == set(settings["settings"])
    imports = studio.get("/api/admin/imports")
    admin.ImportStatus.model_validate(imports, strict=True)
    [mirror] = imports["mirrors"]
    assert (mirror["incomplete"], mirror["bytes_read"], mirror["skipped"]) == (1, 40, 1)
    assert imports["troubled"][0]["skipped"] == {"too long": 2}


@pytest.mark.parametrize("task", TASKS)
def test_task_argv_is_accepted_by_li(task: str) -> None:
    verb, target = task.split()
    words = task_argv(verb, target, {})
    done = subprocess.run([sys.executable, "-c", START, *words, "--help"], capture_output=True, text=True, timeout=30)

    assert done.returncode == 0, done.stderr
    assert "usage: li" in done.stdout


def test_launch_of_a_task_has_no_session(studio: InProcess) -> None:
    launched = post(studio, "/api/launches", {"verb": "import", "target": "teams"})["launch"]
    result = until_ended(studio, launched["id"])

    launches.LaunchDetail.model_validate(result, strict=True)
    assert (result["launch"]["session_id"], result["launch"]["exit_code"]) == (None, 0)
    assert "0 team files" in result["output"]
    for body in ({"verb": "import", "target": "db"}, {"verb": "prune"}, {"verb": "mirror", "target": "claude; x"}):
        assert studio.client.post("/api/launches", headers=AUTH, json=body).status_code == 400


def test_list_work_shows_a_running_import(tmp_path: Path) -> None:
    from lionstudio.cli._toolkit.progress import progress_when_known

    with progress_when_known("Importing", quiet=True, unit=10, home=str(tmp_path)) as watch:
        assert list_progress(str(tmp_path)) == []
        watch(50, 1000)
        [work] = list_progress(str(tmp_path))
    assert (work.what, work.total) == ("Importing", 100)
    assert list_progress(str(tmp_path)) == []


def test_studio_command_reports_running_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lionstudio.cli import studio as command

    monkeypatch.setattr(command, "_OPENING_SECONDS", 0.05)
    services = open_services(settings_in(tmp_path), "t" * 30)
    services.db.opening_since = time.time()
    with ProgressNote(services.settings.home, "Importing", 40):
        command._report_background_work(services)
    deadline = time.monotonic() + 10
    said = ""
    while "Opening the database" not in said and time.monotonic() < deadline:
        time.sleep(0.02)
        said += capsys.readouterr().err
    services.db.opening_since = None
    while "ready after" not in said and time.monotonic() < deadline:
        time.sleep(0.02)
        said += capsys.readouterr().err

    assert f"Importing, 0 of 40 (process {os.getpid()})" in said
    assert "Database ready after" in said
