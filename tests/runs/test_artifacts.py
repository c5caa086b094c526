"""Artifacts of a playbook: checked at the end, they decide the delivery and the status of the run."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.support.agents import contents, json_lines, li, session

from lionstudio.agents.denials import completed
from lionstudio.agents.events import Ended
from lionstudio.files.definitions import playbooks
from lionstudio.files.definitions.artifacts import Artifact
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.artifacts import CheckedArtifact, ExpectedArtifacts, delivery_of, with_delivery

REPORT = Artifact("report", "out/report.md")
NOTES = Artifact("notes", "notes.md", required=False)
DONE = Ended(SessionStatus.COMPLETED, 0)


def play(home: Path, script: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a playbook that must deliver a report and may deliver notes."""
    (home / "playbooks").mkdir(exist_ok=True)
    expected = (
        "[{id: report, path: out/report.md, description: the findings}, {id: notes, path: notes.md, required: false}]"
    )
    text = f"agent: script\nartifacts: {{expected: {expected}}}\nprompt: |\n  {script}\n"
    (home / "playbooks" / "audit.playbook.yaml").write_text(text)
    (home / "work").mkdir(exist_ok=True)
    return li(home, "play", "audit", "--cwd", str(home / "work"), *options)


def test_delivered_artifacts_pass(tmp_path: Path) -> None:
    done = play(tmp_path, "@run sh -c 'mkdir out; echo good > out/report.md; echo x > notes.md'")

    assert done.returncode == 0, done.stderr
    row = session(tmp_path)
    assert (row["status"], row["delivery"], row["reason_codes"]) == ("completed", "passed", [])
    assert row["metadata"]["artifacts"][0] == {
        "id": "report",
        "path": "out/report.md",
        "required": True,
        "description": "the findings",
        "state": "delivered",
        "size": 5,
        "sha256": hashlib.sha256(b"good\n").hexdigest(),
        "unchanged": False,
        "problem": None,
    }
    assert "delivered out/report.md, 5 B" in done.stderr
    assert "artifacts  delivered out/report.md, 5 B" in li(tmp_path, "state", "show", row["id"]).stdout
    prompt = contents(tmp_path)["main"][0]["instruction"]
    assert prompt.endswith(
        "Deliver these files, relative to the working folder:\n- out/report.md: the findings\n- notes.md (optional)"
    )


def test_missing_required_artifact_fails_the_run(tmp_path: Path) -> None:
    done = play(tmp_path, "@say I am done", "--json")

    assert done.returncode == 1
    row = session(tmp_path)
    assert (row["status"], row["delivery"]) == ("failed", "missing")
    assert row["reason_codes"] == ["run.failed.missing_artifact"]
    assert row["metadata"]["ended_with"] == "the artifact out/report.md does not exist"
    end = json_lines(done.stdout)[-1]
    assert [artifact["state"] for artifact in end["artifacts"]] == ["missing", "missing"]
    shown = json.loads(li(tmp_path, "state", "show", row["id"], "--json").stdout)["session"]["state"]
    assert [reason["code"] for reason in shown["reasons"]] == ["run.failed.missing_artifact"]


def test_missing_optional_artifact_is_partial(tmp_path: Path) -> None:
    done = play(tmp_path, "@write out/report.md good")

    assert done.returncode == 0, done.stderr
    assert session(tmp_path)["delivery"] == "partial"
    assert "missing notes.md (optional)" in done.stderr


def test_unchanged_artifact_is_marked(tmp_path: Path) -> None:
    (tmp_path / "work" / "out").mkdir(parents=True)
    (tmp_path / "work" / "out" / "report.md").write_text("of yesterday")
    done = play(tmp_path, "@say nothing to do")

    assert done.returncode == 0
    assert "delivered out/report.md, 12 B (not changed by this run)" in done.stderr


def test_stopped_run_keeps_its_reason(tmp_path: Path) -> None:
    done = play(tmp_path, "@fail 3 the disk is full")

    assert done.returncode == 3
    row = session(tmp_path)
    assert (row["status"], row["delivery"], row["reason_codes"]) == ("failed", "missing", [])


def check(folder: Path, *artifacts: Artifact) -> tuple[CheckedArtifact, ...]:
    return ExpectedArtifacts(str(folder), artifacts).check()


def test_artifact_must_be_a_file_with_content_inside_the_folder(tmp_path: Path) -> None:
    folder, secret = tmp_path / "work", tmp_path / "secret"
    folder.mkdir()
    secret.write_text("private")
    (folder / "link").symlink_to(secret)
    (folder / "parent").symlink_to(tmp_path)
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    (folder / "dangling").symlink_to(folder / "nothing")
    (folder / "good").write_text("x")
    (folder / "inside").symlink_to(folder / "good")
    os.mkfifo(folder / "pipe")
    names = ("link", "parent/secret", "empty", "folder", "dangling", "pipe", "good", "inside")
    checked = check(folder, *(Artifact(name, name) for name in names))

    assert [(item.artifact.id, item.state) for item in checked] == [
        *((name, "invalid") for name in names[:6]),
        ("good", "delivered"),
        ("inside", "delivered"),
    ]
    assert not any("private" in str(item) for item in checked)
    assert checked[0].sha256 is None
    assert delivery_of(checked) == "invalid"
    assert with_delivery(DONE, checked).reason == "run.failed.missing_artifact"


def test_with_delivery_keeps_denied_actions(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("x")
    denied = completed(["Bash"])

    assert with_delivery(denied, check(tmp_path, NOTES)) == denied
    failed = with_delivery(denied, check(tmp_path, REPORT))
    assert failed.status is SessionStatus.FAILED
    assert failed.detail == "the artifact out/report.md does not exist; 1 action was denied (Bash)"
    assert with_delivery(DONE, ()) == DONE


@pytest.mark.parametrize(
    ("artifacts", "message"),
    [
        ("{expected: 3}", "artifacts.expected must be a list"),
        ("{expected: [{id: a}]}", "artifact 1 has no path"),
        ("{expected: [{path: ../a}]}", "the path '../a' is absolute, or has an empty, `.` or `..` part"),
        ("{expected: [{path: /etc/passwd}]}", "the path '/etc/passwd' is absolute"),
        ("{expected: [{path: a, required: maybe}]}", "required must be true or false"),
        ("{expected: [{path: a}, {path: b, id: a}]}", "two artifacts have the id 'a'"),
    ],
)
def test_parse_playbook_reports_invalid_artifacts(artifacts: str, message: str) -> None:
    _, problems = playbooks.parse("it", f"prompt: x\nartifacts: {artifacts}\n")

    assert [problem.message[: len(message)] for problem in problems] == [message]
