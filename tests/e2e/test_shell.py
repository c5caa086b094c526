"""The shell: command palette, shortcuts, sign-in, and a server restart."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible, serve
from tests.support.seed import li
from tests.support.studio import settings_in

Open = Callable[..., Page]


def test_command_palette_finds_pages_and_runs(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("Control+k")
    box = page.get_by_role("textbox", name="Command palette")
    box.fill("task 7")
    page.get_by_text("task 7", exact=False).first.wait_for()
    box.fill("teams")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/teams$"))


def test_shortcut_sheet_lists_shortcuts(open_page: Open) -> None:
    page = open_page("runs")
    page.keyboard.press("?")

    dialog = page.get_by_role("dialog", name="Shortcuts")
    expect(dialog.get_by_text("Go to Runs")).to_be_visible()
    expect(dialog.get_by_text("Next row").first).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_sign_in_page_accepts_the_token(visit: Callable[..., Watched], studio: Studio) -> None:
    page = visit(studio, signed_in=False).open("runs")
    expect(page.get_by_role("heading", level=1)).to_have_text("This browser is not signed in")
    expect(page.get_by_text("li studio --open").first).to_be_visible()
    assert_accessible(page)

    page.get_by_label("Or paste the token").fill(studio.running.token)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")


def test_unknown_address_shows_not_found(open_page: Open) -> None:
    page = open_page("no/such/page")
    expect(page.get_by_role("link", name="Go home")).to_be_visible()


def test_page_reconnects_after_a_server_restart(visit: Callable[..., Watched], tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    with serve(tmp_path) as first:
        li(settings, "agent", "script", "@say one", "--name", "before")
        watched = visit(Studio(first, settings, None))
        page = watched.open("runs")
        expect(page.get_by_text("Live · verified")).to_be_visible()
        port = first.port
    expect(page.get_by_text("Reconnecting")).to_be_visible()
    li(settings, "agent", "script", "@say two", "--name", "meanwhile")

    with serve(tmp_path, port=port):
        expect(page.get_by_text("Live · verified")).to_be_visible(timeout=20_000)
        expect(page.get_by_text("meanwhile")).to_be_visible()


def test_offline_page_reloads_when_the_server_is_back(visit: Callable[..., Watched], tmp_path: Path) -> None:
    with serve(tmp_path) as first:
        watched = visit(Studio(first, settings_in(tmp_path), None))
        page = watched.open("runs")
        port = first.port
    page.get_by_role("link", name="Agents").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Studio is not running")
    assert_accessible(page)

    with serve(tmp_path, port=port):
        expect(page.get_by_role("heading", level=1)).to_have_text("Agents", timeout=20_000)
    # React logs the error behind an error page.
    watched.violations[:] = [text for text in watched.violations if "could not be loaded" not in text]


def test_tabs_share_one_stream_and_take_over(visit: Callable[..., Watched], fresh: Studio) -> None:
    watched = visit(fresh)
    first, second = watched.open("runs"), watched.open("runs")
    expect(second.get_by_text("Live · verified")).to_be_visible()
    _, text = fresh.running.ask("GET", "/metrics")
    assert "lion_stream_clients 1\n" in text

    first.close()
    li(fresh.settings, "agent", "script", "@say hi", "--name", "after")
    expect(second.get_by_text("after")).to_be_visible(timeout=20_000)
