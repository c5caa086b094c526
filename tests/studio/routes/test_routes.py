"""Responses of the routes: the shapes of OpenAPI, the counts of the ADRs, and the seq."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import begin, say, write
from tests.support.studio import AUTH, InProcess, application

from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus, ShowStatus
from lionstudio.state.database import Database
from lionstudio.state.sessions import finish_session
from lionstudio.state.shows import put_play, put_show, transition_play, transition_show
from lionstudio.studio.schemas import admin, definitions, messages, overview, runs, search, shows, teams
from lionstudio.system.process_identity import identify
from lionstudio.teams.service import open_teams

NOW = time.time()


def fill(db: Database, folder: Path) -> None:
    """A database and folders with some of every entity."""
    first = begin(db, "s-first", name="first", project="demo", agent_name="coder", created_at=NOW - 90)
    say(db, first.branch_id, "hello there", "and more", "the third", created_at=NOW - 80)
    write(db, finish_session, "s-first", "completed", exit_code=0)
    failed = begin(db, "s-failed", name="show_build_api", project="demo", created_at=NOW - 60)
    say(db, failed.branch_id, "broken", created_at=NOW - 50)
    write(db, finish_session, "s-failed", "failed", exit_code=3)
    begin(db, "s-running", name="silent", created_at=NOW - 9 * 3600, updated_at=NOW - 9 * 3600)
    show = write(db, put_show, Show(topic="build", show_dir=str(folder / "shows" / "build"), goal="ship it"))
    for number, (name, status, needs) in enumerate(
        [("api", PlayStatus.ESCALATED, ()), ("ui", PlayStatus.PENDING, ("api",)), ("docs", PlayStatus.MERGED, ())]
    ):
        session = "s-failed" if name == "api" else None
        play = Play(show_id=show.id, name=name, status=status, depends_on=needs, sort_order=number, session_id=session)
        write(db, put_play, play)


@pytest.fixture(scope="module")
def studio(database_kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InProcess]:
    folder = tmp_path_factory.mktemp("routes")
    (folder / "home" / "agents").mkdir(parents=True)
    (folder / "home" / "agents" / "coder.md").write_text("---\ndescription: codes\n---\nYou write code.\n")
    (folder / "home" / "agents" / "bad.md").write_text("---\n: [\n---\n")
    (folder / "home" / "runs" / "s-first").mkdir(parents=True)
    (folder / "home" / "runs" / "s-first" / "run.json").write_text('{"kind": "agent"}')
    play = folder / "shows" / "build" / "api"
    play.mkdir(parents=True)
    (folder / "shows" / "build" / "_show.md").write_text("# Build\n\n## Goal\nship it\n")
    (play / "_intent.md").write_text("make the api")
    (play / "_verdict.json").write_text('{"gate_passed": false, "feedback": "no tests"}')
    loose = folder / "shows" / "loose" / "one"
    loose.mkdir(parents=True)
    (loose / "_meta.json").write_text('{"status": "running"}')
    with application(folder) as running:
        db = running.services.db.database()
        fill(db, folder)
        open_teams(running.services.settings, db).create("crew", ["ann", "bob"])
        yield running


def test_list_runs_is_newest_first(studio: InProcess) -> None:
    page = studio.get("/api/runs")

    runs.Runs.model_validate(page, strict=True)
    assert [run["id"] for run in page["runs"]] == ["s-failed", "s-first", "s-running"]
    assert page["counts"] == {"completed": 1, "failed": 1, "running": 1}
    assert page["seq"] == studio.services.db.seq()
    stale = page["runs"][2]
    assert (stale["status"], stale["effective_health"], stale["message_count"]) == ("running", "stale", 0)
    assert page["runs"][0]["state"]["reasons"][0]["code"] == "run.failed.exit_nonzero"


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("status=failed", ["s-failed"]),
        ("project=demo", ["s-failed", "s-first"]),
        ("agent=coder", ["s-first"]),
        ("q=silen", ["s-running"]),
        ("name=first", ["s-first"]),
        ("until=an-hour-ago", ["s-running"]),
        ("project=demo&status=running", []),
    ],
)
def test_list_runs_filters(studio: InProcess, query: str, wanted: list[str]) -> None:
    asked = query.replace("an-hour-ago", str(NOW - 3600))

    assert [run["id"] for run in studio.get(f"/api/runs?{asked}")["runs"]] == wanted


def test_list_runs_pages_by_cursor(studio: InProcess) -> None:
    first = studio.get("/api/runs?limit=2")
    second = studio.get("/api/runs", params={"limit": 2, "cursor": first["next_cursor"]})

    assert [run["id"] for run in first["runs"] + second["runs"]] == ["s-failed", "s-first", "s-running"]
    assert second["next_cursor"] is None


def test_unchanged_list_is_304(studio: InProcess) -> None:
    first = studio.client.get("/api/runs?status=failed", headers=AUTH)
    again = studio.client.get("/api/runs?status=failed", headers={**AUTH, "If-None-Match": first.headers["etag"]})
    other = studio.client.get("/api/runs?status=completed", headers={**AUTH, "If-None-Match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["lion-seq"] == str(studio.services.db.seq())
    assert other.status_code == 200


def test_get_run_has_manifest_and_play(studio: InProcess) -> None:
    archived, failed = studio.get("/api/runs/s-first"), studio.get("/api/runs/s-failed")

    for result in (archived, failed):
        runs.RunDetail.model_validate(result, strict=True)
    assert archived["manifest"] == {"kind": "agent"}
    assert (failed["manifest"], failed["source"]) == (None, {"topic": "build", "play": "api"})
    assert archived["branches"][0]["message_count"] == 3
    runs.SessionDetail.model_validate(studio.get("/api/sessions/s-first"), strict=True)


def test_list_messages_pages_by_ord(studio: InProcess) -> None:
    def ords(query: str) -> tuple[list[int], bool]:
        result = studio.get(f"/api/sessions/s-first/messages{query}")
        messages.Messages.model_validate(result)
        return [message["ord"] for message in result["messages"]], result["has_more"]

    assert ords("") == ([0, 1, 2], False)
    assert ords("?after=0&limit=1") == ([1], True)
    assert ords("?before=2&limit=1") == ([1], True)
    assert ords("?before=1") == ([0], False)
    first = studio.get("/api/sessions/s-first/messages?limit=1")["messages"][0]
    assert first["content"] == {"instruction": "hello there"}
    assert (first["role"], first["branch_id"]) == ("user", "s-first.main")


def test_get_show_has_critical_path_and_blocked_plays(studio: InProcess) -> None:
    show = studio.get("/api/shows/build")

    shows.ShowView.model_validate(show, strict=True)
    assert (show["status"], show["status_source"], show["blocked"]) == ("active", "sqlite", {"ui": ["api"]})
    assert show["show_md"].startswith("# Build")
    assert show["critical_path"] == ["api", "ui"]
    assert show["state"]["health"] == "waiting"
    assert [play["name"] for play in show["plays"]] == ["api", "ui", "docs"]
    assert show["plays"][0]["session_name"] == "show_build_api"


def test_get_show_reads_the_folder_without_rows(studio: InProcess) -> None:
    listed = studio.get("/api/shows")
    show = studio.get("/api/shows/loose")

    shows.Shows.model_validate(listed, strict=True)
    shows.ShowView.model_validate(show, strict=True)
    assert {each["topic"]: each["status_source"] for each in listed["shows"]} == {
        "build": "sqlite",
        "loose": "filesystem",
    }
    assert (show["status"], show["plays"][0]["meta"]) == ("unknown", {"status": "running"})
    assert (show["running_plays"], show["plays_merged"]) == ([show["plays"][0]["name"]], 0)


def test_get_play_reads_intent_and_verdict_from_disk(studio: InProcess) -> None:
    play = studio.get("/api/shows/build/plays/api")

    shows.PlayDetail.model_validate(play, strict=True)
    assert play["intent"] == "make the api"
    assert play["raw_verdict"]["feedback"] == "no tests"
    assert studio.client.get("/api/shows/build/plays/none", headers=AUTH).status_code == 404


@pytest.mark.parametrize("name", ["%2e%2e", "..%2f..%2fetc", "%5c", ".hidden", "-rf", "a%00b", "x" * 300])
@pytest.mark.parametrize("route", ["/api/shows/{}", "/api/shows/build/plays/{}", "/api/definitions/agent/{}"])
def test_names_in_urls_are_one_path_component(studio: InProcess, route: str, name: str) -> None:
    answer = studio.client.get(route.format(name), headers=AUTH, follow_redirects=False)

    assert answer.status_code in (400, 404)
    assert "passwd" not in answer.text


def test_teams_can_be_read_and_written(studio: InProcess) -> None:
    teams.TeamList.model_validate(studio.get("/api/teams"), strict=True)
    sent = studio.client.post(
        "/api/teams/crew/messages", headers=AUTH, json={"text": "look", "sender": "ann", "to": ["bob"]}
    )
    detail, messages = studio.get("/api/teams/crew"), studio.get("/api/teams/crew/messages")

    assert sent.status_code == 201, sent.text
    teams.Sent.model_validate(sent.json(), strict=True)
    teams.TeamDetail.model_validate(detail, strict=True)
    teams.TeamMessages.model_validate(messages, strict=True)
    assert detail["unread"] == {"ann": 0, "bob": 1}
    assert [message["content"] for message in messages["messages"]] == ["look"]
    assert (
        studio.client.post("/api/teams/crew/messages", headers=AUTH, json={"text": "x", "to": ["eve"]}).status_code
        == 400
    )
    assert studio.client.get("/api/teams/none", headers=AUTH).status_code == 404


def test_save_definition_needs_a_precondition(studio: InProcess) -> None:
    url = "/api/definitions/agent/writer"
    made = studio.client.put(url, headers={**AUTH, "If-None-Match": "*"}, json={"text": "You write."})
    tag = made.headers["etag"]
    bare = studio.client.put(url, headers=AUTH, json={"text": "You write."})
    second = studio.client.put(url, headers={**AUTH, "If-Match": tag}, json={"text": "You write well."})
    lost = studio.client.put(url, headers={**AUTH, "If-Match": tag}, json={"text": "You write badly."})
    exists = studio.client.put(url, headers={**AUTH, "If-None-Match": "*"}, json={"text": "Other."})

    assert [each.status_code for each in (made, bare, second, lost, exists)] == [201, 428, 200, 412, 412]
    result = studio.get(f"{url}/versions")
    definitions.Versions.model_validate(result, strict=True)
    assert [version["version"] for version in result["versions"]] == [2, 1]
    back = studio.client.post(f"{url}/rollback", headers=AUTH, json={"version": 1})
    assert back.json()["text"] == "You write."
    assert studio.get(f"{url}/versions/2")["version"]["content"] == "You write well."
    assert studio.client.get(f"{url}/versions/99", headers=AUTH).status_code == 404


def test_save_definition_refuses_an_invalid_text(studio: InProcess) -> None:
    url = "/api/definitions/agent/careful"
    new = {**AUTH, "If-None-Match": "*"}
    refused = studio.client.put(url, headers=new, json={"text": "---\nmodel: [\n---\nYou write.\n"})

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_definition")
    assert [(each["severity"], each["line"]) for each in refused.json()["errors"]] == [("error", 3)]
    assert studio.client.get(url, headers=AUTH).status_code == 404
    made = studio.client.put(url, headers=new, json={"text": "You write.\n"})
    change = {**AUTH, "If-Match": made.headers["etag"]}
    assert studio.client.put(url, headers=change, json={"text": "---\n: [\n---\n"}).status_code == 422
    assert studio.get(url)["text"] == "You write.\n"
    assert studio.client.delete(url, headers=change).status_code == 200


def test_delete_definition_keeps_its_versions(studio: InProcess) -> None:
    url = "/api/definitions/playbook/short"
    new = {**AUTH, "If-None-Match": "*"}
    tag = studio.client.put(url, headers=new, json={"text": "prompt: Go.\n"}).headers["etag"]

    assert studio.client.delete(url, headers=AUTH).status_code == 428
    assert studio.client.delete(url, headers={**AUTH, "If-Match": '"other"'}).status_code == 412
    gone = studio.client.delete(url, headers={**AUTH, "If-Match": tag})
    assert (gone.status_code, gone.json()["version"]["version"]) == (200, 1)
    assert studio.client.get(url, headers=AUTH).status_code == 404
    assert [version["version"] for version in studio.get(f"{url}/versions")["versions"]] == [1]
    restored = studio.client.post(f"{url}/rollback", headers=AUTH, json={"version": 1})
    assert restored.json()["text"] == "prompt: Go.\n"
    assert studio.client.get("/api/definitions/playbook/never/versions", headers=AUTH).status_code == 404


def test_list_agents_has_an_error_entry_for_an_invalid_one(studio: InProcess) -> None:
    result = studio.get("/api/agents")

    definitions.Definitions.model_validate(result, strict=True)
    assert {each["name"]: each["error"] is None for each in result["items"] if each["name"] != "writer"} == {
        "bad": False,
        "coder": True,
    }
    for kind in ("playbooks", "skills", "plugins"):
        definitions.Definitions.model_validate(studio.get(f"/api/{kind}"), strict=True)
    one = studio.get("/api/definitions/agent/coder")
    definitions.DefinitionDetail.model_validate(one, strict=True)
    assert one["text"].endswith("You write code.\n")


def test_dashboard_counts_as_the_adrs_define(studio: InProcess) -> None:
    result = studio.get("/api/dashboard")

    overview.Dashboard.model_validate(result, strict=True)
    assert result["cards"] == {
        "running": 1,
        "failed_24h": 1,
        "slow": 1,
        "stale": 1,
        "needs_review": 1,
        "teams_active": 1,
    }
    assert sum(hour["runs"] for hour in result["hours"]) == 3
    assert result["shows"][0]["plays_by_status"] == {"escalated": 1, "merged": 1, "pending": 1}
    overview.Stats.model_validate(studio.get("/api/stats"), strict=True)


def test_attention_lists_runs_and_plays(studio: InProcess) -> None:
    result = studio.get("/api/attention")

    overview.Attention.model_validate(result, strict=True)
    codes = [item["code"] for item in result["items"]]
    assert sorted(codes) == ["play.escalated", "run.health.orphaned"]  # the failed run of the play is the play's item
    assert result["items"][0]["severity"] == "critical"


def test_search_messages_finds_messages(studio: InProcess) -> None:
    result = studio.get("/api/search?q=hello")

    search.Hits.model_validate(result, strict=True)
    assert [(hit["session_id"], hit["ord"]) for hit in result["hits"]] == [("s-first", 0)]
    assert studio.client.get("/api/search?q=%22", headers=AUTH).status_code == 400


@pytest.mark.sqlite
def test_admin_maintenance_routes_work(studio: InProcess) -> None:
    admin.Doctor.model_validate(studio.get("/api/admin/doctor"), strict=True)
    admin.PrunePreview.model_validate(studio.get("/api/admin/prune?keep_days=0&keep_n=0"), strict=True)
    admin.DatabaseStats.model_validate(studio.get("/api/admin/database?sizes=true"), strict=True)
    admin.ImportStatus.model_validate(studio.get("/api/admin/imports"), strict=True)
    admin.Logs.model_validate(studio.get("/api/admin/logs"), strict=True)
    admin.SettingsShape.model_validate(studio.get("/api/admin/settings"), strict=True)
    for path, body, status in [
        ("checkpoint", {"mode": "PASSIVE"}, 200),
        ("doctor/transition", {}, 200),
        ("backup", {"name": "copy.db"}, 201),
        ("backup", {"name": "copy.db"}, 409),
        ("backup", {"name": "../copy.db"}, 400),
        ("checkpoint", {"mode": "NONE"}, 422),
    ]:
        answer = studio.client.post(f"/api/admin/{path}", headers=AUTH, json=body)
        assert answer.status_code == status, (path, answer.text)
    assert studio.client.post("/api/admin/vacuum", headers=AUTH).status_code == 200


def test_errors_have_one_problem_shape(studio: InProcess) -> None:
    for path, status in [
        ("/api/runs/none", 404),
        ("/api/nothing", 404),
        ("/api/runs?limit=0", 422),
        ("/api/runs?status=odd", 400),
        ("/api/runs?cursor=odd", 400),
    ]:
        answer = studio.client.get(path, headers=AUTH)
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"
        assert {"type", "title", "status", "code", "detail", "hint", "retryable"} <= set(answer.json())
    assert studio.client.delete("/api/runs", headers=AUTH).status_code == 405
    assert studio.client.post("/", headers=AUTH, json={}).status_code == 405
    for path in ("/api/nothing", "/v1/traces", "/mcp"):
        assert studio.client.post(path, headers=AUTH, json={}).status_code == 404


def test_attention_marks_one_dead_run_at_a_time(tmp_path: Path) -> None:
    """A dead run can be marked at once and is never stopped or followed; marking one run leaves the others."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (tmp_path / "lock").touch()
    owner = identify(child.pid, lock_path=str(tmp_path / "lock"))._asdict()
    child.kill()
    child.communicate()
    with application(tmp_path) as studio:
        db = studio.services.db.database()
        for name, ago in (("one", 13), ("other", 13), ("fresh", 0)):
            at = NOW - ago * 3600
            begin(db, name, created_at=at, updated_at=at, last_message_at=at, owner=owner)
        items = {item["session_id"]: item["actions"] for item in studio.get("/api/attention")["items"]}
        [mark] = items["one"]
        [fresh] = items["fresh"]
        sent = studio.client.post(mark["path"], headers=AUTH, json={**mark["body"], "dry_run": True}).json()
        done = studio.client.post(mark["path"], headers=AUTH, json=mark["body"]).json()
        studio.client.post(fresh["path"], headers=AUTH, json=fresh["body"])
        after = {run["id"]: run["status"] for run in studio.get("/api/runs")["runs"]}

    assert (mark["label"], "is marked as failed" in mark["what"]) == ("Mark as failed", True)
    assert sent["transitions"] == done["transitions"]
    assert [each["session_id"] for each in done["transitions"]] == ["one"]
    assert after == {"one": "failed", "other": "running", "fresh": "failed"}


@pytest.fixture
def dead_owner(tmp_path: Path) -> dict[str, Any]:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    (tmp_path / "lock").touch()
    owner = identify(child.pid, lock_path=str(tmp_path / "lock"))._asdict()
    child.kill()
    child.communicate()
    return owner


def test_running_card_counts_only_runs_that_may_be_alive(tmp_path: Path, dead_owner: dict[str, Any]) -> None:
    now = time.time()
    with application(tmp_path) as studio:
        db = studio.services.db.database()
        begin(db, "dead", created_at=now, last_message_at=now, owner=dead_owner)
        begin(db, "alive", created_at=now, last_message_at=now, owner=identify()._asdict())
        assert studio.get("/api/dashboard")["cards"]["running"] == 1
        assert [run["id"] for run in studio.get("/api/runs?card=running")["runs"]] == ["alive"]
        [item] = studio.get("/api/attention")["items"]
    assert (item["session_id"], item["code"]) == ("dead", "run.health.process_dead")


def test_attention_shows_the_cause_and_a_command_that_works(tmp_path: Path) -> None:
    now = time.time()
    cause = "Not logged in · Please run /login"
    with application(tmp_path) as studio:
        db = studio.services.db.database()
        begin(db, "claude", created_at=now, provider="claude", agent_name="claude", cwd=str(tmp_path))
        begin(db, "boom", created_at=now, agent_name="boom")
        for name in ("claude", "boom"):
            write(db, finish_session, name, "failed", exit_code=1, reasons=["run.failed.exit_nonzero"], detail=cause)
        items = {item["session_id"]: item for item in studio.get("/api/attention")["items"]}
    assert cause in items["claude"]["evidence"]
    [resume] = items["claude"]["actions"]
    home = studio.services.settings.home
    assert resume["command"] == f"li agent claude --resume claude --cwd {tmp_path} --home {home}"
    assert items["boom"]["actions"] == []


def test_dismissed_item_returns_when_its_state_changes(tmp_path: Path) -> None:
    with application(tmp_path) as studio:
        db = studio.services.db.database()
        write(db, put_show, Show(id="show", topic="t", show_dir=str(tmp_path / "shows" / "t")))
        play = Play(id="play", show_id="show", name="p", status=PlayStatus.ESCALATED)
        write(db, put_play, play)

        def dismissed() -> dict[str, bool]:
            return {item["id"]: item["dismissed"] for item in studio.get("/api/attention")["items"]}

        name = "play:play:play.escalated"
        assert dismissed()[name] is False
        answer = studio.client.post(f"/api/attention/{name}/dismiss", headers=AUTH, json={})
        assert (answer.status_code, answer.json()["dismissed"]) == (200, True)
        assert dismissed()[name] is True
        assert studio.client.delete(f"/api/attention/{name}/dismiss", headers=AUTH).status_code == 200
        assert dismissed()[name] is False
        studio.client.post(f"/api/attention/{name}/dismiss", headers=AUTH, json={})
        write(db, transition_play, "show", "p", PlayStatus.REDOING)
        assert name not in dismissed()
        for status in (PlayStatus.RUNNING, PlayStatus.ESCALATED):
            write(db, transition_play, "show", "p", status)
        assert dismissed()[name] is False
        assert studio.client.post("/api/attention/play:none:x/dismiss", headers=AUTH, json={}).status_code == 404


def test_plays_of_an_aborted_show_and_failed_attempts_need_nobody(tmp_path: Path) -> None:
    now = time.time()
    with application(tmp_path) as studio:
        db = studio.services.db.database()
        begin(db, "attempt", created_at=now, invocation_kind="show-play", show_topic="t", show_play_name="p")
        write(db, finish_session, "attempt", "failed", exit_code=1)
        write(db, put_show, Show(id="show", topic="t", show_dir="/t"))
        write(db, put_play, Play(id="p", show_id="show", name="p", status=PlayStatus.GATED, session_id="attempt"))
        write(db, transition_show, "t", ShowStatus.ABORTED)
        assert studio.get("/api/attention")["items"] == []
        assert studio.get("/api/dashboard")["cards"]["needs_review"] == 0
