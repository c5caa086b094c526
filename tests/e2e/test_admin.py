"""Admin: health, doctor, maintenance, imports and settings."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.seed import begin, dead_run, li, say

from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session, get_session

Open = Callable[..., Page]


def status_of(studio: Studio, session_id: str) -> str:
    with Database(studio.settings.db) as db:
        return str(db.read(lambda conn: get_session(conn, session_id)).status)


def test_dead_run_is_marked_as_failed_with_its_proof(visit: Callable[..., Watched], fresh: Studio) -> None:
    dead_run(fresh.settings)
    page = visit(fresh).open("admin")
    row = page.get_by_role("list", name="Active runs").get_by_role("listitem").filter(has_text="left alone")
    expect(row).to_contain_text(re.compile(r"Process \d+ is gone"))
    finding = page.get_by_role("list", name="Findings").get_by_role("listitem").filter(has_text="left alone")
    expect(finding.get_by_role("link", name="left alone")).to_have_attribute("href", "/runs/run-dead")
    expect(page.get_by_text("--transition-stale")).to_have_count(0)
    expect(finding.get_by_role("button", name="Mark as failed…")).to_be_visible()

    row.get_by_role("button", name="Mark as failed…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("link", name="left alone")).to_be_visible()
    expect(dialog).to_contain_text(re.compile("lock"))
    assert_accessible(page)
    assert status_of(fresh, "run-dead") == "running"
    dialog.get_by_role("button", name="Mark 1 run as failed").click()
    expect(page.get_by_text("1 run marked as failed")).to_be_visible()
    assert status_of(fresh, "run-dead") == "failed"
    expect(page.get_by_role("region", name="Health")).to_contain_text("No active runs")


def test_home_marks_a_dead_run_and_never_stops_it(visit: Callable[..., Watched], fresh: Studio) -> None:
    dead_run(fresh.settings)
    page = visit(fresh).open()
    needs = page.get_by_role("region", name="Needs you")
    expect(needs).to_contain_text("left alone")
    expect(needs.get_by_role("button", name="Stop")).to_have_count(0)
    needs.get_by_role("button", name="Mark as failed").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("is marked as failed")
    dialog.get_by_role("button", name="Mark as failed").click()
    expect(dialog).to_have_count(0)
    assert status_of(fresh, "run-dead") == "failed"


def test_health_evidence_is_aligned(open_page: Open) -> None:
    page = open_page("admin")
    rows = page.get_by_role("list", name="Active runs").get_by_role("listitem")
    expect(rows).not_to_have_count(0)
    lefts = rows.evaluate_all("(rows) => rows.map((row) => Math.round(row.children[2].getBoundingClientRect().x))")
    assert len(set(lefts)) == 1
    narrow = open_page("admin", viewport={"width": 390, "height": 844})
    evidence = narrow.get_by_role("list", name="Active runs").get_by_role("listitem").first.locator("> *").nth(2)
    expect(evidence).to_be_visible()
    assert evidence.evaluate("(element) => element.clientWidth") > 300


def test_maintenance_previews_and_reports_what_it_measured(visit: Callable[..., Watched], fresh: Studio) -> None:
    li(fresh.settings, "agent", "script", "hello", "--name", "one")
    page = visit(fresh).open("admin")
    database = page.get_by_role("region", name="Database")
    expect(database.get_by_text("Messages of the runs of each day")).to_be_visible()
    for name, preview, result in (
        ("Checkpoint", "The write-ahead log has", r"Checkpoint: \d+ of \d+ pages written back"),
        ("Vacuum", "are free pages", r"Vacuum: \S+ \S+ → \S+ \S+, \S+ \S+ freed"),
        ("Backup", "A copy of about", r"Backup: .*backups/state-.*\.db \(\d+"),
    ):
        database.get_by_role("button", name=f"{name}…").click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text(preview)
        dialog.get_by_role("button", name=name, exact=True).click()
        expect(database.get_by_role("status")).to_have_text(re.compile(result))
        expect(dialog).to_have_count(0)
    assert len(list(Path(fresh.settings.home, "backups").iterdir())) == 1


def test_prune_counts_messages_and_frees_what_it_says(visit: Callable[..., Watched], fresh: Studio) -> None:
    li(fresh.settings, "agent", "script", "hello", "--name", "today")
    with Database(fresh.settings.db) as db:
        db.write(_old_runs)
    page = visit(fresh).open("admin")
    database = page.get_by_role("region", name="Database")
    database.get_by_role("button", name="Prune…").click()
    dialog = page.get_by_role("dialog")
    preview = dialog.get_by_role("list", name="Preview")
    dialog.get_by_role("textbox", name="Always keep the newest (runs)").fill("0")
    expect(preview).to_contain_text("9 runs would be deleted")
    expect(preview).to_contain_text(re.compile(r"9 messages of these runs stay, with 1\.\d MB of content"))
    dialog.get_by_role("checkbox", name="Delete their messages too").check()
    expect(preview).to_contain_text(re.compile(r"9 messages would be deleted, with 1\.\d MB of content"))
    assert_accessible(page)
    dialog.get_by_role("button", name="Delete 9 runs").click()
    expect(database.get_by_role("status")).to_have_text(
        re.compile(r"Prune: deleted 9 runs and 9 messages, [\d.]+ [kM]B freed on disk"), timeout=30_000
    )
    with Database(fresh.settings.db) as db:
        assert db.read(lambda conn: conn.value("SELECT count(*) FROM sessions")) == 1


def _old_runs(conn: Connection) -> None:
    at = time.time() - 90 * 86400
    for number in range(9):
        branch = begin(conn, f"old-{number}", at)
        append(conn, branch, say({"instruction": f"{number} {'word ' * 40_000}"}, at))
        finish_session(conn, f"old-{number}", "completed", exit_code=0, at=at + 5)


def test_log_is_formatted_and_filtered(visit: Callable[..., Watched], fresh: Studio) -> None:
    fresh.running.ask("GET", "/api/runs", headers={"Authorization": "Bearer wrong"})
    page = visit(fresh).open("admin")
    log = page.get_by_role("region", name="Log", exact=True)
    lines = log.get_by_role("region", name="Log lines").get_by_role("listitem")
    expect(lines.filter(has_text="Studio started")).to_have_count(1)
    log.get_by_role("radiogroup", name="Level").get_by_text("Warnings").click()
    expect(lines).to_have_count(1)
    expect(lines).to_contain_text("Refused a request")
    expect(lines.get_by_text('"event": "denied"')).to_be_hidden()
    lines.get_by_text("Refused a request").click()
    expect(lines.get_by_text('"event": "denied"')).to_be_visible()
    log.get_by_role("textbox", name="Filter the log").fill("no such line")
    expect(log).to_contain_text("No lines match")


def test_setting_is_changed_with_validation(visit: Callable[..., Watched], fresh: Studio) -> None:
    page = visit(fresh).open("admin")
    settings = page.get_by_role("region", name="Settings")
    row = settings.get_by_role("row").filter(has=page.get_by_text("keep_days", exact=True))
    expect(row).to_contain_text("default")
    row.get_by_role("button", name="Change keep_days").click()
    dialog = page.get_by_role("dialog", name="Change setting")
    field = dialog.get_by_role("textbox", name="keep_days")
    field.fill("many")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_contain_text("keep_days must be an integer, not 'many'")
    assert_accessible(page)
    assert not Path(fresh.settings.home, "config.toml").exists()
    field.fill("90")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(row).to_contain_text("config.toml")
    expect(row).to_contain_text("Studio uses 30 until it restarts")
    assert Path(fresh.settings.home, "config.toml").read_text() == "keep_days = 90\n"
    row.get_by_role("button", name="Change keep_days").click()
    dialog.get_by_role("button", name="Back to default (30)").click()
    expect(row).to_contain_text("default")
    assert Path(fresh.settings.home, "config.toml").read_text() == ""
    locked = settings.get_by_role("row").filter(has=page.get_by_text("shows", exact=True))
    expect(locked).to_contain_text("The environment variable LIONAGI_SHOWS sets it")
    expect(locked.get_by_role("button")).to_have_count(0)


def test_import_starts_and_shows_its_output(visit: Callable[..., Watched], fresh: Studio) -> None:
    page = visit(fresh).open("admin")
    page.get_by_role("button", name="Import teams").click()
    started = page.get_by_role("region", name="Launches")
    expect(started).to_contain_text("import teams")
    expect(started).to_contain_text("done", timeout=20_000)
    started.get_by_role("button", name="import teams").click()
    expect(started.get_by_title("Output")).to_be_visible()


def test_settings_show_their_source(open_page: Open) -> None:
    page = open_page("admin")
    settings = page.get_by_role("region", name="Settings")
    expect(settings.get_by_role("row").filter(has_text="home").first).to_contain_text("environment")


def test_section_that_fails_leaves_the_others(open_page: Open) -> None:
    """A section asks again when it appears; the page must not take it away while it waits for that."""
    page = open_page("runs")
    problem = {"code": "corrupt_store", "detail": "state.db is damaged", "hint": "li state doctor", "retryable": False}
    page.route("**/api/admin/health", lambda route: route.fulfill(status=503, json=problem))
    page.get_by_role("link", name="Admin").click()
    lines = page.get_by_role("region", name="Log lines")
    expect(lines.get_by_text("Studio started")).to_be_visible()
    alert = page.get_by_role("region", name="Health").get_by_role("alert")
    expect(alert).to_contain_text("state.db is damaged. Run li state doctor")
    expect(alert.locator("code")).to_have_text("li state doctor")


def test_admin_is_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            page = open_page("admin", color_scheme=scheme, viewport={"width": width, "height": 844})
            page.get_by_role("region", name="Settings").get_by_role("row").first.wait_for()
            assert_accessible(page)


def test_following_is_shown_and_switched(visit: Callable[..., Watched], fresh: Studio) -> None:
    page = visit(fresh).open("admin")
    imports = page.get_by_role("region", name="Imports")
    expect(imports).to_contain_text("No process follows transcripts.")
    imports.get_by_role("switch", name="Follow transcripts").click()
    expect(imports).to_contain_text("Claude Code: followed for")
    expect(imports.get_by_role("switch", name="Follow transcripts")).to_be_checked()
    assert_accessible(page)
    imports.get_by_role("switch", name="Follow transcripts").click()
    expect(imports).to_contain_text("No process follows transcripts.")
