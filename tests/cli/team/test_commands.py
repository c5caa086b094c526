"""`li team` and `li state import-teams`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.builders import begin
from tests.support.commands import li, run_li, run_on_terminal

from lionstudio.state.database import Database


@pytest.fixture(params=["files", "table"])
def home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home with teams in files and the database, or only in the database."""
    for name in ("LIONAGI_DB", "LIONAGI_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path))
    monkeypatch.setenv("LIONAGI_TEAMS_IN_DB_ONLY", "true" if request.param == "table" else "false")
    return tmp_path


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home with team files."""
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path))
    for name in ("LIONAGI_DB", "LIONAGI_SESSION_ID", "LIONAGI_TEAMS_IN_DB_ONLY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def given() -> dict[str, str]:
    """The settings as environment of a child process."""
    return {name: value for name, value in os.environ.items() if name.startswith("LIONAGI_")}


def test_team_ls_of_an_empty_home_creates_nothing(files: Path) -> None:
    done = run_li("team", "ls")

    assert (done.code, done.out) == (0, "")
    assert "li team create" in done.err
    assert run_li("team", "ls", "--json").json["teams"] == []
    assert list(files.iterdir()) == []


def test_team_create_send_inbox_archive(home: Path) -> None:
    made = run_li("team", "create", "review", "--members", "analyst, critic", "--json").json
    assert (made["team"]["members"], made["in_table"]) == (["analyst", "critic"], True)
    sent = run_li("team", "send", "review", "Start\x1b[2J", "--from", "critic", "--to", "analyst", "--json").json
    assert sent["in_table"]
    assert (sent["message"]["sender"], sent["message"]["recipients"]) == ("critic", ["analyst"])
    assert run_li("team", "send", "review", "for two", "--to", "analyst,critic").out.startswith(
        "Sent to analyst, critic"
    )
    assert li("team", "send", "review", "-", "--from", "analyst", input=b"from a pipe\n", env=given()).code == 0

    inbox = run_li("team", "inbox", "review", "--member", "analyst", "--mark-read", "--json").json
    assert [message["content"] for message in inbox["messages"]] == ["Start\x1b[2J", "for two"]
    again = run_li("team", "inbox", "review", "--member", "analyst")
    assert (again.code, again.out, again.err) == (0, "", "No new messages for analyst.\n")
    everything = run_li("team", "inbox", "review", "--member", "analyst", "--all").out
    assert "critic → analyst" in everything
    assert "\x1b" not in everything

    shown = run_li("team", "show", "review", "--json").json
    assert [message["read_by"] for message in shown["messages"]] == [["analyst"], ["analyst"], []]
    (listed,) = run_li("team", "ls", "--json").json["teams"]
    assert (listed["name"], listed["message_count"], listed["status"]) == ("review", 3, "active")
    assert run_li("team", "ls").out.split("\t")[1:4] == ["review", "active", "3"]

    assert run_li("team", "archive", "review").out == "Team review is archived.\n"
    assert run_li("team", "send", "review", "late").code == 1
    assert run_li("team", "ls").out == ""
    assert "archived" in run_li("team", "ls", "--all").out
    assert run_li("team", "archive", "review", "--undo").code == 0
    assert run_li("team", "send", "review", "in time").code == 0


def test_team_show_summarises_long_messages_unless_full(home: Path) -> None:
    run_li("team", "create", "review", "--members", "a,b")
    long = "First line.\n" + "x" * 400
    run_li("team", "send", "review", long, "--from", "a")

    short = run_on_terminal("team", "show", "review", env=given()).out
    assert "First line. [412 characters, --full]" in short
    assert "x" * 50 not in short
    assert "x" * 400 in run_li("team", "show", "review", "--full").out
    assert "x" * 400 in run_li("team", "inbox", "review", "--member", "b").out


def test_team_send_links_the_message_to_its_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_li("team", "create", "review", "--members", "a,b")
    with Database(str(home / "state.db")) as db:
        begin(db, "the-run")
    monkeypatch.setenv("LIONAGI_SESSION_ID", "the-run")
    linked = run_li("team", "send", "review", "x", "--json").json["message"]
    monkeypatch.setenv("LIONAGI_SESSION_ID", "not-a-run")
    loose = run_li("team", "send", "review", "x", "--json").json["message"]

    assert (linked["session_id"], loose["session_id"]) == ("the-run", None)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("create", "x", "--members", ","), 2, "a team needs members"),
        (("create", "../x", "--members", "a"), 2, "contains a slash"),
        (("create", "x"), 2, "--members"),
        (("create", "review", "--members", "a"), 1, "already"),
        (("send", "nobody", "x"), 3, "not found"),
        (("send", "review", "x", "--from", "stranger"), 2, "is not in the team review"),
        (("send", "review", "x", "--to", "stranger"), 2, "its members: analyst, critic"),
        (("send", "review", ""), 2, "a message has 1 to"),
        (("inbox", "review", "--member", "stranger"), 2, "is not in the team"),
        (("show", "nobody"), 3, "not found"),
        (("archive", "nobody"), 3, "not found"),
        (("export", "nobody"), 3, "not found"),
    ],
)
def test_team_commands_reject_invalid_input(arguments: tuple[str, ...], code: int, words: str, home: Path) -> None:
    run_li("team", "create", "review", "--members", "analyst,critic")

    done = run_li("team", *arguments)

    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_team_export_can_be_imported_elsewhere(home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    run_li("team", "create", "review", "--members", "a,b")
    run_li("team", "send", "review", "one", "--from", "a", "--to", "b")
    other = tmp_path_factory.mktemp("other")
    (other / "teams").mkdir()
    target = other / "teams" / "copied.json"

    assert run_li("team", "export", "review", "--output", str(target)).code == 0
    assert run_li("team", "export", "review", "--output", str(target)).code == 1
    assert run_li("team", "export", "review", "--output", str(target), "--force").code == 0
    assert json.loads(run_li("team", "export", "review").out) == json.loads(target.read_text())
    env = {"LIONAGI_HOME": str(other)}
    assert li("state", "import-teams", "--json", env=env).json["added"] == 1
    assert [message["content"] for message in li("team", "show", "review", "--json", env=env).json["messages"]] == [
        "one"
    ]


def test_team_ls_lists_a_damaged_file(files: Path) -> None:
    run_li("team", "create", "good", "--members", "a")
    (files / "teams" / "empty.json").touch()
    (files / "teams" / "torn.json").write_text('{"id": "torn", "na')

    listed = run_li("team", "ls", "--json").json["teams"]
    assert [(each["name"], each["error"] is None) for each in listed] == [
        ("good", True),
        ("empty", False),
        ("torn", False),
    ]
    assert (
        "is empty: another program was interrupted"
        in run_on_terminal("team", "ls", env={**given(), "COLUMNS": "200"}).out
    )
    assert run_li("team", "send", "torn", "x").code == 2
    assert run_li("team", "send", "good", "x").code == 0


def test_team_send_works_without_a_database(files: Path) -> None:
    (files / "state.db").write_text("this is no database")

    made = run_li("team", "create", "review", "--members", "a")
    sent = run_li("team", "send", "review", "x", "--json")

    assert (made.code, sent.code, sent.json["in_table"]) == (0, 0, False)
    assert "Using only the team file" in sent.err
    assert [message["content"] for message in run_li("team", "show", "review", "--json").json["messages"]] == ["x"]
    assert (files / "state.db").read_text() == "this is no database"
    (files / "state.db").unlink()
    done = run_li("state", "import-teams", "--json").json
    assert (done["teams"], done["added"]) == (1, 1)


def test_import_teams_reports_added_and_skipped(files: Path) -> None:
    (files / "teams").mkdir()
    message = {"id": "m", "from": "a", "content": "x", "timestamp": "2026-11-15T20:12:41+00:00"}
    (files / "teams" / "one.json").write_text(json.dumps({"id": "one", "members": ["a"], "messages": [message]}))
    (files / "teams" / "torn.json").write_text("{")

    dry = run_li("state", "import-teams", "--dry-run").out
    assert dry.startswith("2 team files: 1 team would be updated, 1 message would be added")
    first = run_li("state", "import-teams").out
    assert "1 message added" in first
    assert f"skipped {files}/teams/torn.json" in first
    assert "0 teams updated, 0 messages added, 0 changed, 1 skipped" in run_li("state", "import-teams").out


def test_doctor_reports_team_drift(files: Path) -> None:
    run_li("team", "create", "review", "--members", "a")
    path = next((files / "teams").glob("*.json"))
    data = json.loads(path.read_text())
    data["messages"].append({"id": "m", "from": "a", "content": "x"})
    path.write_text(json.dumps(data))

    found = run_li("state", "doctor", "--json").json["findings"]
    assert [(each["code"], each["evidence"]) for each in found] == [("team.drift", "messages only in the file: 1")]
    run_li("state", "import-teams")
    assert run_li("state", "doctor", "--json").json["findings"] == []


def test_team_add_keeps_the_members_it_has(home: Path) -> None:
    run_li("team", "create", "review", "--members", "analyst,critic")

    assert run_li("team", "add", "review", "tester", "critic").out == "Team review: analyst, critic, tester\n"
    assert run_li("team", "add", "review", "writer", "--json").json["team"]["member_count"] == 4
    assert run_li("team", "send", "review", "welcome", "--to", "tester").code == 0
    refused = run_li("team", "add", "review", "user")
    assert (refused.code, "cannot be a member name" in refused.err) == (2, True)
    run_li("team", "archive", "review")
    assert "li team archive review --undo" in run_li("team", "add", "review", "late").err
    assert run_li("team", "show", "review", "--json").json["team"]["members"] == [
        "analyst",
        "critic",
        "tester",
        "writer",
    ]
