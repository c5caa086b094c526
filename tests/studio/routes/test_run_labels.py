"""PATCH and DELETE of a run: name, note, tags, removal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, say, write
from tests.support.studio import AUTH, InProcess, application

from lionstudio.state.sessions import finish_session
from lionstudio.studio.schemas import runs


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        database = running.services.db.database()
        say(database, begin(database, "done", name="old").branch_id, "hello")
        write(database, finish_session, "done", "completed")
        begin(database, "active")
        yield running


def patch(studio: InProcess, body: Any, run: str = "done") -> Any:
    answer = studio.client.patch(f"/api/runs/{run}", headers=AUTH, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_patch_sets_only_the_fields_that_are_sent(studio: InProcess) -> None:
    detail = patch(studio, {"note": "look at this", "tags": ["b", "a", "b"]})
    runs.RunDetail.model_validate(detail, strict=True)
    labels = [detail["session"][name] for name in ("name", "note", "tags")]
    assert labels == ["old", "look at this", ["a", "b"]]

    session = patch(studio, {"name": "new", "note": None, "tags": ["b"]})["session"]
    assert (session["name"], session["note"], session["tags"]) == ("new", None, ["b"])
    assert [run["id"] for run in studio.get("/api/runs?tag=b")["runs"]] == ["done"]
    assert studio.get("/api/runs?tag=a")["runs"] == []


def test_patch_redacts_and_checks(studio: InProcess) -> None:
    session = patch(studio, {"note": "key AKIAIOSFODNN7EXAMPLQ"})["session"]
    assert "AKIA" not in session["note"]
    for body, status in (({"tags": ["two words"]}, 400), ({"status": "failed"}, 422), ({"name": "x" * 300}, 400)):
        assert studio.client.patch("/api/runs/done", headers=AUTH, json=body).status_code == status
    assert studio.client.patch("/api/runs/absent", headers=AUTH, json={"name": "x"}).status_code == 404
    assert studio.client.patch("/api/runs/done", json={"name": "x"}).status_code == 401


def test_delete_removes_an_ended_run_only(studio: InProcess) -> None:
    assert studio.client.delete("/api/runs/active", headers=AUTH).status_code == 409
    assert studio.client.delete("/api/runs/absent", headers=AUTH).status_code == 404
    assert studio.client.delete("/api/runs/done").status_code == 401

    answer = studio.client.delete("/api/runs/done", headers=AUTH)

    assert answer.status_code == 200, answer.text
    runs.RemovedRun.model_validate(answer.json(), strict=True)
    assert answer.json()["messages"] == 1
    assert studio.client.get("/api/runs/done", headers=AUTH).status_code == 404


def test_run_detail_has_the_status_history(studio: InProcess) -> None:
    changes = studio.get("/api/runs/done")["transitions"]

    assert [(change["previous"], change["status"], change["source"]) for change in changes] == [
        (None, "running", "run"),
        ("running", "completed", "run"),
    ]
