"""Admin: health, doctor, maintenance, imports and settings."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.seed import dead_run, li

from lionstudio.state.database import Database
from lionstudio.state.sessions import get_session

Open = Callable[..., Page]


def test_doctor_previews_and_marks_a_dead_run(visit: Callable[..., Watched], fresh: Studio) -> None:
    dead_run(fresh.settings)
    page = visit(fresh).open("admin")
    health = page.get_by_role("region", name="Health")
    expect(health).to_contain_text("left alone")
    page.get_by_role("button", name="Mark 1 dead run as failed…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("run-dead")
    expect(dialog).to_contain_text(re.compile("gone|process"))
    with Database(fresh.settings.db) as db:
        assert db.read(lambda conn: get_session(conn, "run-dead")).status == "running"

        dialog.get_by_role("button", name="Mark 1 run as failed").click()
        expect(page.get_by_text("1 run marked as failed")).to_be_visible()
        assert db.read(lambda conn: get_session(conn, "run-dead")).status == "failed"


def test_database_maintenance_buttons(visit: Callable[..., Watched], fresh: Studio) -> None:
    li(fresh.settings, "agent", "script", "hello", "--name", "one")
    page = visit(fresh).open("admin")
    database = page.get_by_role("region", name="Database")
    for name, message in (("Checkpoint", "Checkpoint:"), ("Vacuum", "Vacuum:"), ("Backup", "Backup:")):
        database.get_by_role("button", name=name).click()
        expect(page.get_by_text(re.compile(message)).first).to_be_visible()
    database.get_by_role("button", name="Prune…").click()
    expect(page.get_by_role("dialog")).to_contain_text("0 runs would be deleted")
    expect(page.get_by_role("button", name="Delete 0 runs")).to_be_disabled()


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


def test_admin_is_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            page = open_page("admin", color_scheme=scheme, viewport={"width": width, "height": 844})
            page.get_by_role("region", name="Settings").get_by_role("row").first.wait_for()
            assert_accessible(page)
