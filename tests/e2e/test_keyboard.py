"""The main tasks by keyboard: no test of this module uses a pointer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect
from tests.support.browser import Studio, Watched
from tests.support.seed import dead_run, li

from lionstudio.state.database import Database
from lionstudio.state.sessions import get_session

Open = Callable[..., Page]
TEXT = "---\ndescription: Looks at changes\n---\n\nYou are careful.\n"
_MOST_TABS = 150
_HAS_FOCUS = "element => element.contains(document.activeElement)"


def reach(page: Page, wanted: Locator) -> None:
    """Press Tab until the element has the focus."""
    wanted.wait_for()
    for _ in range(_MOST_TABS):
        if wanted.evaluate(_HAS_FOCUS):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{_MOST_TABS} times Tab do not lead to {wanted}")


def press(page: Page, wanted: Locator) -> None:
    """Focus a button or link and press Enter."""
    reach(page, wanted)
    page.keyboard.press("Enter")


def test_keyboard_opens_a_new_run_and_returns(visit: Callable[..., Watched], fresh: Studio) -> None:
    page = visit(fresh).open("runs")
    script = "@say hello\n@error Bash no\n@fail 3 broken"
    li(fresh.settings, "agent", "script", script, "--name", "doomed", "--background")
    row = page.get_by_role("list", name="Runs").get_by_role("listitem").first
    expect(row).to_contain_text("failed", timeout=20_000)
    for key in ("j", "Enter"):
        page.keyboard.press(key)

    expect(page).to_have_url(re.compile("/runs/."))
    transcript = page.get_by_role("list", name="Messages")
    expect(transcript).to_contain_text("hello")
    expect(transcript.locator("[data-speaker=error]")).to_have_count(1)
    page.keyboard.press("Escape")
    page.get_by_text("Press Esc again to leave this run").wait_for()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("/runs$"))


def test_keyboard_filters_and_compares_runs(open_page: Open) -> None:
    page = open_page("runs")
    page.get_by_role("list", name="Runs").get_by_role("listitem").first.wait_for()
    page.keyboard.press("f")
    reach(page, page.get_by_role("dialog").get_by_role("checkbox", name=re.compile("^timed out")))
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile("status=timed_out"))
    expect(page.get_by_role("list", name="Runs").get_by_role("link")).to_have_count(9)

    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.evaluate("() => document.activeElement?.blur()")
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    press(page, page.get_by_role("button", name=re.compile("Compare")).or_(page.get_by_role("link", name="Compare")))
    expect(page).to_have_url(re.compile("/compare"))


def test_keyboard_walks_from_the_graph_to_a_session(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    node = page.locator("[data-plays]").locator("[data-play='mails']")
    press(page, node)
    row = page.get_by_role("region", name="Plays").locator("button[data-play='mails']")
    expect(row).to_have_attribute("aria-expanded", "true")
    press(page, page.locator("#play-mails").get_by_role("link", name="Open session"))
    expect(page).to_have_url(re.compile("/runs/show-checkout-mails"))
    press(page, page.get_by_role("link", name=re.compile("checkout-flow")).first)
    expect(page).to_have_url(re.compile("/shows/checkout-flow"))
    page.keyboard.press("h")
    expect(page.get_by_role("button", name="Show graph")).to_be_visible()


def test_keyboard_edits_and_rolls_back_an_agent(visit: Callable[..., Watched], fresh: Studio) -> None:
    path = Path(fresh.settings.home) / "agents" / "looker.md"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT)
    page = visit(fresh).open("agents")
    press(page, page.get_by_role("link", name="looker"))
    expect(page.get_by_text("You are careful.")).to_be_visible()
    page.keyboard.press("e")
    reach(page, page.get_by_role("textbox", name="Text of looker"))
    page.keyboard.press("Control+End")
    page.keyboard.type("And kind.")
    path.write_text(TEXT + "Theirs.\n")
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog", name="Changed on disk")
    expect(dialog).to_contain_text("Theirs.")
    press(page, dialog.get_by_role("button", name="Keep my version"))
    expect(dialog).to_have_count(0)
    assert path.read_text() == TEXT + "And kind."

    press(page, page.get_by_role("button", name="Versions"))
    drawer = page.get_by_role("dialog")
    press(page, drawer.get_by_role("button", name=re.compile("^1")))
    expect(drawer.get_by_label("Changes of version 1")).to_contain_text("And kind.")
    press(page, drawer.get_by_role("button", name="Roll back to version 1"))
    expect(page.get_by_text("Rolled back looker to version 1")).to_be_visible()
    assert path.read_text() == TEXT
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)


def test_keyboard_writes_to_a_team_and_opens_a_run(visit: Callable[..., Watched], fresh: Studio) -> None:
    li(fresh.settings, "agent", "script", "@say done", "--name", "worker")
    run = json.loads(li(fresh.settings, "state", "ls", "--json"))["sessions"][0]["id"]
    li(fresh.settings, "team", "create", "crew", "--members", "ada,bob")
    li(fresh.settings, "team", "send", "crew", "The prices are of yesterday. " * 20, "--from", "ada", session=run)
    page = visit(fresh).open("teams")
    press(page, page.get_by_role("link", name="crew"))
    press(page, page.get_by_role("button", name=re.compile("Expand")))
    expect(page.get_by_role("button", name="Collapse")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("r")
    page.keyboard.type("By keyboard.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("list", name="Messages")).to_contain_text("By keyboard.")
    press(page, page.get_by_role("list", name="Messages").locator("a[href*='/runs/']").first)
    expect(page).to_have_url(re.compile(f"/runs/{run}"))


def test_keyboard_marks_a_dead_run(visit: Callable[..., Watched], fresh: Studio) -> None:
    dead_run(fresh.settings)
    page = visit(fresh).open()
    for key in ("g", "d"):
        page.keyboard.press(key)
    expect(page.get_by_role("heading", level=1)).to_have_text("Admin")
    findings = page.get_by_role("list", name="Findings")
    press(page, findings.get_by_role("button", name="Mark as failed…"))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("left alone")
    press(page, dialog.get_by_role("button", name="Mark 1 run as failed"))
    expect(page.get_by_text("1 run marked as failed")).to_be_visible()
    with Database(fresh.settings.db) as db:
        assert db.read(lambda conn: get_session(conn, "run-dead")).status == "failed"
