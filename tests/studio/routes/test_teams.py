"""`/api/teams`: create, add members, archive; the runs of members."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin
from tests.support.studio import AUTH, InProcess, application

from lionstudio.studio.schemas import teams
from lionstudio.teams.service import open_teams


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[InProcess]:
    with application(tmp_path) as running:
        open_teams(running.services.settings, running.services.db.database()).create("crew", ["ann", "bob"])
        yield running


def test_teams_can_be_created_changed_and_archived(studio: InProcess) -> None:
    def change(method: str, path: str, **body: object) -> tuple[int, dict[str, Any]]:
        answer = studio.client.request(method, f"/api/teams{path}", headers=AUTH, json=body or None)
        return answer.status_code, answer.json()

    status, made = change("POST", "", name="night", members=["ann", "bob"])
    teams.ChangedTeam.model_validate(made, strict=True)
    assert (status, made["team"]["members"], made["unstored"]) == (201, ["ann", "bob"], None)
    assert change("POST", "", name="night", members=["ann"])[0] == 409
    assert change("POST", "", name="../x", members=["ann"])[0] == 400
    assert change("POST", "/night/members", members=["cy"])[1]["team"]["members"] == ["ann", "bob", "cy"]
    assert change("POST", "/night/members", members=["user"])[0] == 400
    assert change("POST", "/night/archive")[1]["team"]["status"] == "archived"
    assert change("POST", "/night/members", members=["dee"])[0] == 409
    assert change("DELETE", "/night/archive")[1]["team"]["status"] == "active"
    assert change("POST", "/nowhere/archive")[0] == 404


def test_team_lists_the_runs_of_its_members(studio: InProcess) -> None:
    team = studio.get("/api/teams/crew")["team"]["id"]
    db = studio.services.db.database()
    begin(db, "s-member", name="night shift", metadata={"team": team, "member": "ann"})
    begin(db, "s-other", metadata={"team": "another", "member": "ann"})

    linked = studio.get("/api/teams/crew")["linked"]

    assert [(run["name"], run["member"], run["state"]["label"]) for run in linked] == [
        ("night shift", "ann", "running")
    ]
