"""Teams: file first, row second; old file formats; repeatable imports; drift."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.builders import begin, copied
from tests.support.commands import li
from tests.support.hostile import values
from tests.support.records import dump
from tests.support.sql_trace import traced

from lionstudio.errors import Conflict, IllegalTransition, InvalidInput, NotFound
from lionstudio.files.teams.team_file import list_team_files, read_team_file
from lionstudio.files.teams.team_json import message_data, messages_of, parse_time, team_data, team_of
from lionstudio.imports.teams import import_teams
from lionstudio.model.status.statuses import TeamStatus
from lionstudio.settings import Settings, load_settings
from lionstudio.state.database import Database
from lionstudio.state.teams import get_team, sessions_of_team, team_messages
from lionstudio.teams.drift import TeamDrift, find_drift, team_findings
from lionstudio.teams.service import FileTeams, Teams, current_session_id, export_team, inbox, open_teams

MANY = 50

OLD = {
    "id": "71608b8026e1",
    "name": "review",
    "members": ["analyst", "critic"],
    "messages": [
        {
            "id": "0e0dc69bcbd2",
            "from": "critic",
            "to": ["analyst"],
            "content": "Start analysis",
            "timestamp": "2026-11-15T20:12:41.467804+00:00",
            "read_by": {"analyst": "2026-11-15T20:12:46.255336+00:00"},
            "kind": "message",
        },
        {
            "id": "7bac507d811b",
            "from": "analyst",
            "to": ["critic"],
            "content": "done",
            "timestamp": "2026-11-15T20:12:44+00:00",
            "read_by": {},
            "kind": "done",
            "from_op": "o3",
            "artifacts": ["a.md"],
        },
    ],
    "created_at": "2026-11-15T20:12:39.662726+00:00",
}


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    return load_settings(environ={"LIONAGI_HOME": str(tmp_path)})


@pytest.fixture(params=["files", "table"])
def teams(request: pytest.FixtureRequest, home: Settings, db: Database) -> Teams:
    return open_teams(home._replace(teams_in_db_only=request.param == "table"), db)


def put(home: Settings, data: Any, name: str | None = None) -> Path:
    path = Path(home.home, "teams", f"{name or data['id']}.json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(data))
    return path


def rows(db: Database, team_id: str) -> list[str]:
    return [message.content for message in db.read(lambda conn: team_messages(conn, team_id, limit=10_000))]


# ── operations, in files and in the database ────────────────────────────────────


def test_teams_send_read_and_summarize(teams: Teams, db: Database) -> None:
    team = teams.create("review", ["analyst", "critic", "analyst"]).team
    teams.send("review", "start", sender="critic", to=["analyst"])
    teams.send(team.id, "to all", sender="_cli", to=["all"])
    teams.send("review", "to two", sender="system", to=["critic", "analyst"])
    long = "A first line.\n" + "more " * 100
    teams.send("review", long, sender="analyst", to=["critic"])

    conversation = teams.get("review")
    assert conversation.team.members == ("analyst", "critic")
    assert [message.content for message in inbox(conversation, "analyst")] == ["start", "to all", "to two"]
    assert [message.content for message in inbox(conversation, "critic")] == ["to all", "to two", long]
    assert conversation.messages[3].summary == "A first line."
    assert [message.summary for message in conversation.messages[:3]] == [None] * 3

    teams.mark_read("review", "analyst", [conversation.messages[0].id, conversation.messages[1].id])
    again = teams.get("review")
    assert [message.content for message in inbox(again, "analyst")] == ["to two"]
    assert [message.content for message in inbox(again, "analyst", unread=False)] == ["start", "to all", "to two"]
    assert [message.read_by for message in again.messages] == [("analyst",), ("analyst",), (), ()]
    assert rows(db, team.id) == ["start", "to all", "to two", long]


def test_teams_refuse_invalid_input(teams: Teams) -> None:
    teams.create("review", ["analyst", "critic"])

    refused: list[tuple[type[Exception], Callable[[], object]]] = [
        (Conflict, lambda: teams.create("review", ["a"])),
        (InvalidInput, lambda: teams.create("x", [])),
        (InvalidInput, lambda: teams.create("x", ["all"])),
        (InvalidInput, lambda: teams.create("../x", ["a"])),
        (NotFound, lambda: teams.send("unknown", "x", sender="a", to=[])),
        (NotFound, lambda: teams.get("../../etc/passwd")),
        (InvalidInput, lambda: teams.send("review", "x", sender="stranger", to=[])),
        (InvalidInput, lambda: teams.send("review", "x", sender="critic", to=["stranger"])),
        (InvalidInput, lambda: teams.send("review", "  \n", sender="critic", to=[])),
        (InvalidInput, lambda: teams.mark_read("review", "stranger", [])),
        (InvalidInput, lambda: inbox(teams.get("review"), "stranger")),
    ]
    for kind, work in refused:
        with pytest.raises(kind):
            work()
    assert teams.get("review").messages == []


def test_archived_team_refuses_messages_until_reopened(teams: Teams, db: Database) -> None:
    team = teams.create("review", ["a"]).team
    teams.move("review", TeamStatus.ARCHIVED)

    with pytest.raises(IllegalTransition, match="is archived"):
        teams.send("review", "x", sender="a", to=[])
    with pytest.raises(IllegalTransition):
        teams.move("review", TeamStatus.ARCHIVED)
    assert db.read(lambda conn: get_team(conn, team.id)).status == TeamStatus.ARCHIVED

    another = teams.create("review", ["b"]).team
    assert teams.get("review").team.id == another.id
    teams.move(team.id, TeamStatus.ACTIVE)
    teams.send(team.id, "x", sender="a", to=[])
    assert db.read(lambda conn: get_team(conn, team.id)).status == TeamStatus.ACTIVE


def test_send_links_the_sending_run(teams: Teams, db: Database) -> None:
    begin(db, "the-run")
    team = teams.create("review", ["a"]).team
    for given_id in ("the-run", "no-such-run", ""):
        session = current_session_id(db, {"LIONAGI_SESSION_ID": given_id})
        teams.send("review", given_id or "none", sender="a", to=[], session_id=session)

    assert [message.session_id for message in teams.get("review").messages] == ["the-run", None, None]
    assert db.read(lambda conn: sessions_of_team(conn, team.id)) == ["the-run"]


def test_send_redacts_secrets(teams: Teams, home: Settings) -> None:
    token = "ghp_" + "a1B2" * 9
    teams.create("review", ["a"])
    teams.send("review", f"use {token} for it", sender="a", to=[])

    assert "[REDACTED:github-token:" in teams.get("review").messages[0].content
    assert all(token not in path.read_text() for path in Path(home.home).rglob("*.json"))


def test_send_preserves_unusual_text(teams: Teams) -> None:
    teams.create("review", ["a"])
    for text in ("🦁 \u202e \x1b[31m", "a\0b", "\ud800", "line\r\nline", '"\\', "x" * 1_000_000):
        teams.send("review", text, sender="a", to=[])

    contents = [message.content for message in teams.get("review").messages]
    assert contents[:3] == ["🦁 \u202e \x1b[31m", "a\\x00b", "\\ud800"]
    assert contents[3:] == ["line\r\nline", '"\\', "x" * 1_000_000]


def test_export_team_can_be_imported(teams: Teams, db: Database, tmp_path: Path) -> None:
    teams.create("review", ["a", "b"])
    teams.send("review", "x", sender="a", to=["b"])
    teams.send("review", "y", sender="a", to=["a", "b"])
    teams.mark_read("review", "b", [teams.get("review").messages[0].id])

    data = json.loads(json.dumps(export_team(teams, "review", db)))

    team = team_of(data)
    conversation = teams.get("review")
    assert (team.id, team.members, messages_of(data, team)) == (
        conversation.team.id,
        conversation.team.members,
        conversation.messages,
    )


# ── files ───────────────────────────────────────────────────────────────────


def test_team_file_format_is_readable_by_older_tools(home: Settings, db: Database) -> None:
    teams = FileTeams(home.home, db)
    team = teams.create("review", ["analyst", "critic"]).team
    teams.send("review", "hello", sender="critic", to=["analyst"])

    data = json.loads(Path(home.home, "teams", f"{team.id}.json").read_text())

    assert set(data) == {"id", "name", "members", "messages", "created_at"}
    (message,) = data["messages"]
    assert set(message) == {"id", "from", "to", "content", "timestamp", "read_by", "kind"}
    assert (message["from"], message["to"], message["read_by"]) == ("critic", ["analyst"], {})
    assert parse_time(message["timestamp"]) is not None
    assert len(team.id) == 12


def test_read_team_file_accepts_old_formats_and_unknown_keys(home: Settings, db: Database) -> None:
    odd: dict[str, Any] = {
        "id": "oldest",
        "name": "oldest",
        "members": ["a", "b"],
        "colour": "red",
        "messages": [
            {"id": "1", "from": "a", "to": "b", "content": "to one", "timestamp": 1790000000, "read_by": ["b"]},
            {"id": "2", "from": "a", "to": "*", "content": "to all", "timestamp": "2026-11-15T20:12:44", "mood": "ok"},
            {"id": "3", "from": "a", "content": "no time"},
            {"from": "a", "content": {"not": "text"}},
            {"from": "a", "content": {"not": "text"}},
            {"id": "3", "content": "an id that is taken"},
            "not a message",
        ],
    }
    path = put(home, odd)

    file = read_team_file(str(path))
    assert file.error is None
    assert [(m.recipient, m.content, m.read_by) for m in file.messages] == [
        ("b", "to one", ("b",)),
        ("all", "to all", ()),
        ("all", "no time", ()),
        ("all", '{"not":"text"}', ()),
        ("all", '{"not":"text"}', ()),
        ("all", "an id that is taken", ()),
    ]
    assert len({message.id for message in file.messages}) == 6
    assert [message.id for message in file.messages] == [m.id for m in read_team_file(str(path)).messages]

    FileTeams(home.home, db).send("oldest", "new", sender="b", to=[])
    after = json.loads(path.read_text())
    assert after["messages"][:-1] == odd["messages"]
    assert after["colour"] == "red"
    FileTeams(home.home, db).mark_read("oldest", "b", [file.messages[0].id, file.messages[3].id])
    marked = json.loads(path.read_text())["messages"]
    assert [list(message["read_by"]) for message in (marked[0], marked[3])] == [["b"], ["b"]]


def test_team_file_with_another_name_is_edited_in_place(home: Settings, db: Database) -> None:
    path = put(home, OLD, "by-hand")

    FileTeams(home.home, db).send("review", "x", sender="_cli", to=[])

    assert len(json.loads(path.read_text())["messages"]) == 3
    assert [file.path for file in list_team_files(home.home)] == [str(path)]


def test_list_team_files_prefers_the_file_named_by_id(home: Settings, db: Database) -> None:
    for name in ("a copy", OLD["id"], "z copy"):
        put(home, OLD, str(name))

    done = import_teams(db, home.home)

    assert (done.files, done.added, len(done.skipped)) == (3, 2, 2)
    assert all("duplicate id:" in item.reason for item in done.skipped)


def test_send_without_database_reports_drift(home: Settings, db: Database) -> None:
    teams = FileTeams(home.home, None)
    written = teams.create("review", ["a"])
    sent = teams.send("review", "x", sender="a", to=[])

    assert written.unstored is not None
    assert sent.unstored is not None
    assert [(item.name, item.only_in_file, item.no_row) for item in db.read(lambda conn: find_drift(conn, home))] == [
        ("review", 1, True)
    ]


def test_send_restores_a_missing_team_file(home: Settings, db: Database) -> None:
    table = open_teams(home._replace(teams_in_db_only=True), db)
    team = table.create("review", ["a", "b"]).team
    table.send("review", "in the table", sender="a", to=[])
    files = FileTeams(home.home, db)
    assert [(item.name, item.messages, item.path) for item in files.list_all()] == [("review", 1, None)]
    assert [message.content for message in files.get("review").messages] == ["in the table"]
    (drift,) = db.read(lambda conn: find_drift(conn, home))
    assert drift == TeamDrift("review", team.id, None, only_in_db=1, no_file=True)

    files.send("review", "in both", sender="b", to=[])

    assert [message.content for message in files.get("review").messages] == ["in the table", "in both"]
    assert db.read(lambda conn: find_drift(conn, home)) == []


# ── import and drift ────────────────────────────────────────────────────────


def test_import_teams_is_idempotent(home: Settings, db: Database) -> None:
    begin(db, "known-run")
    put(home, OLD)
    linked = {"id": "m1", "from": "a", "content": "x" * 500, "session_id": "known-run", "to": ["a", "b"]}
    lost = {"id": "m2", "from": "a", "content": "y", "session_id": "unknown-run"}
    put(home, {"id": "other", "members": ["a", "b"], "messages": [linked, lost, {"content": "no id"}], "more": [1]})

    first = import_teams(db, home.home)
    once = dump(db.path)
    with traced(db.conn) as ran:
        second = import_teams(db, home.home)

    assert (first.teams, first.added, first.changed, first.skipped) == (2, 5, 0, ())
    assert second == first._replace(teams=0, added=0)
    assert dump(db.path) == once
    assert ran == [], "the second import must not even start a transaction"
    assert db.read(lambda conn: find_drift(conn, home)) == []
    assert db.read(lambda conn: sessions_of_team(conn, "other")) == ["known-run"]


def test_import_teams_dry_run_writes_nothing(home: Settings, db: Database) -> None:
    put(home, OLD)
    before = dump(db.path)

    done = import_teams(db, home.home, dry_run=True)

    assert (done.teams, done.added) == (1, 2)
    assert dump(db.path) == before


def test_import_teams_adds_new_messages_readers_and_runs(home: Settings, db: Database) -> None:
    data = json.loads(json.dumps(OLD))
    data["messages"][0]["session_id"] = "later"
    path = put(home, data)
    import_teams(db, home.home)

    data["messages"][1]["read_by"] = {"critic": "2026-11-15T20:20:00+00:00"}
    data["messages"].append({"id": "third", "from": "critic", "to": ["*"], "content": "thanks"})
    data["members"].append("newcomer")
    path.write_text(json.dumps(data))
    done = import_teams(db, home.home)
    assert (done.teams, done.added, done.changed) == (1, 1, 1)

    begin(db, "later")
    assert import_teams(db, home.home).changed == 1
    assert db.read(lambda conn: sessions_of_team(conn, data["id"])) == ["later"]
    assert rows(db, data["id"]) == ["Start analysis", "done", "thanks"]


def test_import_teams_finds_nothing_after_send(home: Settings, db: Database) -> None:
    teams = FileTeams(home.home, db)
    begin(db, "run")
    teams.create("review", ["a", "b"])
    teams.send("review", "x" * 300, sender="a", to=["b"], session_id="run")
    teams.send("review", "y", sender="b", to=["a", "b"])
    teams.mark_read("review", "b", [teams.get("review").messages[0].id])
    teams.move("review", TeamStatus.ARCHIVED)
    live = dump(db.path)

    done = import_teams(db, home.home)

    assert (done.teams, done.added, done.changed) == (0, 0, 0)
    assert dump(db.path) == live


def test_import_teams_separates_shared_message_ids(home: Settings, db: Database) -> None:
    for name in ("one", "two"):
        put(home, {"id": name, "members": ["a"], "messages": [{"id": "same", "from": "a", "content": name}]})

    import_teams(db, home.home)
    once = dump(db.path)
    import_teams(db, home.home)

    assert [rows(db, name) for name in ("one", "two")] == [["one"], ["two"]]
    assert dump(db.path) == once
    assert db.read(lambda conn: find_drift(conn, home)) == []


def test_import_teams_skips_damaged_files(home: Settings, db: Database) -> None:
    put(home, OLD)
    Path(home.home, "teams", "empty.json").touch()
    Path(home.home, "teams", "torn.json").write_text(json.dumps(OLD)[:200])
    Path(home.home, "teams", "deep.json").write_text(
        '{"id": "deep", "messages": [], "x": ' + "[" * 700 + "]" * 700 + "}"
    )

    done = import_teams(db, home.home)

    assert (done.files, done.teams, done.added) == (4, 1, 2)
    reasons = {Path(item.path).stem: item.reason for item in done.skipped}
    assert "is empty: another program was interrupted while writing it" in reasons["empty"]
    assert "is not valid JSON" in reasons["torn"]
    assert "nested" in reasons["deep"]
    findings = db.read(lambda conn: list(team_findings(conn, home)))
    assert {finding.code for finding in findings} == {"team.unreadable"}


@pytest.mark.sqlite
def test_find_drift_in_both_directions(home: Settings, db: Database) -> None:
    path = put(home, OLD)
    import_teams(db, home.home)
    table = open_teams(home._replace(teams_in_db_only=True), db)
    table.send("review", "only in the table", sender="critic", to=[])
    data = json.loads(path.read_text())
    data["messages"].append({"id": "new", "from": "critic", "content": "only in the file"})
    data["messages"][0]["read_by"] = {}
    path.write_text(json.dumps(data))

    (drift,) = db.read(lambda conn: find_drift(conn, home))
    assert (drift.only_in_file, drift.only_in_db, drift.changed) == (1, 1, 1)
    assert "li state import-teams" in next(iter(db.read(lambda conn: list(team_findings(conn, home))))).advice

    import_teams(db, home.home)
    (left,) = db.read(lambda conn: list(team_findings(conn, home)))
    assert left.evidence == "messages only in the database: 1"
    done = li(*left.advice.strip("`").split()[1:], "--force", env={"LIONAGI_HOME": home.home})
    assert done.code == 0, done.err
    assert db.read(lambda conn: find_drift(conn, home)) == []
    assert len(json.loads(path.read_text())["messages"]) == 4


# ── any file ────────────────────────────────────────────────────────────────


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "id": st.sampled_from(["x", "y z", "é"]),
            "name": values(),
            "members": values(),
            "created_at": values(),
            "status": st.sampled_from(["archived", "active", 7]),
            "archived_at": values(),
            "extra": values(),
            "messages": st.lists(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "id": values(),
                        "from": values(),
                        "to": values(),
                        "content": values(),
                        "timestamp": values(),
                        "read_by": values(),
                        "kind": values(),
                        "summary": values(),
                        "session_id": values(),
                        "artifacts": values(),
                    },
                ),
                max_size=4,
            ),
        },
    )
)
def test_import_teams_accepts_or_refuses_any_file(blank: Path, data: dict[str, Any]) -> None:
    with copied(blank) as db:
        home = str(Path(db.path).parent)
        Path(home, "teams").mkdir()
        try:
            Path(home, "teams", "x.json").write_text(json.dumps(data))
        except (RecursionError, ValueError):
            return
        done = import_teams(db, home)
        once = dump(db.path)
        again = import_teams(db, home)
        assert dump(db.path) == once
        assert (again.added, again.changed, again.teams) == (0, 0, 0)
        if done.skipped:
            return
        file = read_team_file(str(Path(home, "teams", "x.json")))
        assert file.team is not None
        exported = team_data(file.team, list(file.messages))
        team = team_of(exported)
        assert [message_data(message) for message in messages_of(exported, team)] == exported["messages"]
