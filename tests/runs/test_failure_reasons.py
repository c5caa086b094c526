"""The reason of a failed run is stored with it and shown by the CLI and the API."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.commands import li
from tests.support.studio import AUTH, application

from lionstudio import record
from lionstudio.state.database import Database


def env(home: Path) -> dict[str, str]:
    return {"LIONAGI_HOME": str(home), "LIONAGI_SHOWS": str(home / "shows")}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("command", "x", "--", "sh", "-c", "echo oops >&2; exit 4"), "oops"),
        (("script", "@fail 3 the disk is full"), "the disk is full"),
    ],
)
def test_failed_run_shows_its_reason_in_the_cli(tmp_path: Path, arguments: tuple[str, ...], reason: str) -> None:
    failed = li("agent", *arguments, env=env(tmp_path))
    assert failed.code != 0
    session = li("state", "ls", "--json", env=env(tmp_path)).json["sessions"][0]["id"]

    shown = li("state", "show", session, "--json", env=env(tmp_path)).json
    assert reason in str(shown["session"]["state"]["reasons"][0]["evidence"])
    assert reason in li("state", "show", session, env=env(tmp_path)).out


def test_failed_run_shows_its_reason_in_the_api(tmp_path: Path) -> None:
    with application(tmp_path) as studio:
        home = studio.services.settings.home
        li("agent", "script", "@fail 3 the disk is full", env=env(Path(home)))
        run = studio.get("/api/runs")["runs"][0]["id"]
        response = studio.client.get(f"/api/runs/{run}", headers=AUTH).json()

    assert "the disk is full" in response["session"]["state"]["reasons"][0]["evidence"]
    assert "metadata" not in response["session"]


def test_record_stores_the_exception_as_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path))

    def fails() -> None:
        with record("mine"):
            raise RuntimeError("no such table, password=hunter2hunter2")

    with pytest.raises(RuntimeError):
        fails()
    with Database(str(tmp_path / "state.db")) as db:
        reason = db.read(lambda conn: conn.value("SELECT node_metadata ->> '$.ended_with' FROM sessions"))

    assert reason.startswith("RuntimeError: no such table")
    assert "hunter2" not in reason
