"""The shell: command palette, shortcuts, sign-in, and a server restart."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.browser import Studio, Watched, assert_accessible, serve
from tests.support.seed import li
from tests.support.studio import settings_in

Open = Callable[..., Page]


def palette(page: Page, typed: str = "") -> Locator:
    """Open the palette and type; its selected option."""
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Command palette")
    expect(box).to_be_focused()
    page.keyboard.type(typed)
    expect(page.locator("[role=listbox][data-settled=true]")).to_be_visible()
    return page.get_by_role("option", selected=True)


def test_command_palette_opens_the_run_whose_name_was_typed(open_page: Open) -> None:
    page = open_page()
    expect(palette(page, "task 7")).to_contain_text("task 7")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/runs/run-007$"))
    expect(page.get_by_role("dialog")).to_be_hidden()

    # Enter before the names have arrived waits for them.
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Command palette")).to_be_focused()
    page.keyboard.type("task 12")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/runs/run-012$"))


@pytest.mark.parametrize(
    ("typed", "shown", "address"),
    [
        ("teams", "Teams", r"/teams$"),
        ("reviewer", "reviewer", r"/agents/reviewer$"),
        ("ship", "ship-it", r"/playbooks/ship-it$"),
        ("che fl", "checkout-flow", r"/shows/checkout-flow$"),
        ("receipts", "checkout-flow / receipts", r"/shows/checkout-flow\?play=receipts$"),
        ("archive-me", "archive-me", r"/teams/"),
        ("infra", "infra", r"/runs\?project=infra"),
        ("answer", "Answer the next question", r"/#q$"),
        ("import", "Import history", r"/admin#imports$"),
        (
            "src/parser/tokens.py:7",
            "Runs that touched src/parser/tokens.py",
            r"/search\?file=src%2Fparser%2Ftokens\.py$",
        ),
        ("failed runs", "Failed runs", "status=failed"),
        ("longest", "Longest runs", "sort=duration"),
        ("dearest", "Most expensive runs", "sort=cost"),
    ],
)
def test_command_palette_leads_to_everything(open_page: Open, typed: str, shown: str, address: str) -> None:
    page = open_page("plugins")
    expect(palette(page, typed)).to_contain_text(shown)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(address))


def test_command_palette_compares_and_stars_the_open_run(visit: Callable[..., Watched], fresh: Studio) -> None:
    for name in ("first", "second"):
        li(fresh.settings, "agent", "script", f"@say {name}", "--name", name)
    watched = visit(fresh)
    page = watched.open("runs")
    palette(page, "second")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("second")
    palette(page, "star")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Starred second")).to_be_visible()
    assert '"starred"' in li(fresh.settings, "state", "show", "second", "--json")

    expect(palette(page, "compare")).to_contain_text("Compare this run with")
    page.keyboard.press("Enter")
    page.keyboard.type("first")
    expect(page.get_by_role("option", selected=True)).to_contain_text("first")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/compare\?a=.+&b=.+"))
    palette(page)
    expect(page.get_by_role("group", name="Recent", exact=True)).to_contain_text("first")


def test_command_palette_acts_on_the_open_run(visit: Callable[..., Watched], fresh: Studio) -> None:
    li(fresh.settings, "agent", "script", "@say hello", "--name", "first")
    page = visit(fresh).open("runs")
    page.get_by_role("link", name="first").click()
    expect(page.get_by_role("textbox", name="Continue this run")).to_be_visible()

    def choose(typed: str, command: str) -> None:
        expect(palette(page, typed)).to_contain_text(command)
        page.keyboard.press("Enter")

    choose("note", "Write a note about this run")
    page.get_by_role("dialog").get_by_role("textbox", name="Note").fill("ask Mara")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("region", name="Note")).to_have_text("ask Mara")
    choose("rename", "Rename this run")
    page.get_by_role("dialog").get_by_role("textbox", name="Name").fill("renamed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("renamed")
    choose("tag this", "Tag this run")
    page.get_by_role("dialog", name="Tags").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog", name="Tags")).to_have_count(0)
    with page.expect_download() as download:
        choose("markdown", "Export this run as Markdown")
    assert download.value.suggested_filename.endswith(".md")
    choose("again", "Run this again")
    expect(page.get_by_role("dialog", name="Run again")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Run again")).to_have_count(0)
    choose("changes", "Show the changes of this run")
    expect(page).to_have_url(re.compile("#all-changes"))
    page.get_by_role("button", name="More actions").focus()
    choose("continue", "Continue this run")
    expect(page.get_by_role("textbox", name="Continue this run")).to_be_focused()


def test_escape_closes_only_the_command_palette(open_page: Open) -> None:
    for width in (1440, 390):
        for scheme in ("light", "dark"):
            page = open_page("teams/checkout", viewport={"width": width, "height": 844}, color_scheme=scheme)
            palette(page, "re")
            page.wait_for_timeout(300)
            assert_accessible(page)
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_be_hidden()
            expect(page).to_have_url(re.compile(r"/teams/checkout$"))


@pytest.mark.parametrize(
    ("path", "title", "list_"),
    [
        ("runs/abcd", "Run abcd does not exist", "All runs"),
        ("shows/abcd", "Show abcd does not exist", "All shows"),
        ("teams/abcd", "Team abcd does not exist", "All teams"),
        ("agents/abcd", "Agent abcd does not exist", "All agents"),
        ("playbooks/abcd", "Playbook abcd does not exist", "All playbooks"),
    ],
)
def test_unknown_name_leads_to_the_list_and_the_search(open_page: Open, path: str, title: str, list_: str) -> None:
    page = open_page(path)
    expect(page.get_by_role("alert")).to_contain_text(title)
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    expect(page.get_by_role("link", name=list_)).to_be_visible()
    assert_accessible(page)
    page.get_by_role("link", name="Search for abcd").click()
    expect(page).to_have_url(re.compile("/search\\?q=abcd"))


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
    expect(page.get_by_text("li studio --sign-in").first).to_be_visible()
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
