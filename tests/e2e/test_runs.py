"""Runs: filters in the address, live rows, keyboard."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial

from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.seed import begin, li

from lionstudio.state.database import Database

Open = Callable[..., Page]


def rows(page: Page) -> list[str]:
    """The names of the rendered rows."""
    return page.get_by_role("list", name="Runs").get_by_role("link").all_inner_texts()


def test_filter_and_address_match(open_page: Open) -> None:
    page = open_page("runs")
    page.get_by_role("combobox", name="Status").click()
    page.get_by_role("option", name="timed out").click()

    expect(page).to_have_url(re.compile("status=timed_out"))
    expect(page.get_by_role("list", name="Runs").get_by_role("link")).to_have_count(9)
    again = open_page("runs?status=timed_out")
    expect(again.get_by_role("list", name="Runs").get_by_role("link")).to_have_count(9)
    assert rows(again) == rows(page)

    page.go_back()
    expect(page).to_have_url(re.compile(r"/runs$"))


def test_keyboard_moves_opens_and_returns(open_page: Open) -> None:
    page = open_page("runs")
    page.get_by_role("list", name="Runs").get_by_role("listitem").first.wait_for()
    second = rows(page)[1]
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/runs/"))

    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    assert second


def test_row_is_a_link_and_its_checkbox_selects(open_page: Open) -> None:
    page = open_page("runs")
    row = page.get_by_role("list", name="Runs").get_by_role("listitem").nth(1)
    row.hover()
    row.get_by_role("checkbox").click()
    expect(row.get_by_role("checkbox")).to_be_checked()
    expect(page).to_have_url(re.compile(r"/runs$"))

    box = row.bounding_box()
    assert box is not None
    row.click(position={"x": box["width"] / 2, "y": box["height"] - 6})
    expect(page).to_have_url(re.compile("/runs/."))
    page.go_back()
    # An element above the link, for its tooltip, follows the link too.
    row.locator("time").click()
    expect(page).to_have_url(re.compile("/runs/."))


def test_list_shows_a_new_run_and_its_state_live(visit: Callable[..., Watched], fresh: Studio) -> None:
    page = visit(fresh).open("runs")
    expect(page.get_by_text("No runs yet")).to_be_visible()
    li(
        fresh.settings,
        "agent",
        "script",
        "@say hello\n@error Bash no\n@fail 3 broken",
        "--name",
        "doomed",
        "--background",
    )

    row = page.get_by_role("list", name="Runs").get_by_role("listitem").first
    expect(row).to_contain_text("doomed")
    expect(row).to_contain_text("failed", timeout=20_000)


def test_list_holds_new_runs_back_until_clicked(visit: Callable[..., Watched], fresh: Studio) -> None:
    with Database(fresh.settings.db) as db:
        for number in range(150):
            at = time.time() - 1000 + number
            db.write(partial(begin, id_=f"old-{number:03}", at=at, name=f"old {number}"))
        page = visit(fresh).open("runs")
        expect(page.get_by_text("old 149")).to_be_visible()
        page.get_by_role("list", name="Runs").hover()
        page.mouse.wheel(0, 3000)
        page.wait_for_function("() => document.querySelector('[data-scroll] ul li')?.dataset.index > 20")
        before = rows(page)
        db.write(lambda conn: begin(conn, "new-1", time.time(), name="the new one"))

        announced = page.get_by_role("button", name="1 new run")
        expect(announced).to_be_visible()
        assert rows(page) == before
        announced.click()
        expect(page.get_by_text("the new one")).to_be_visible()


def test_runs_are_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            page = open_page("runs", color_scheme=scheme, viewport={"width": width, "height": 844})
            page.get_by_role("list", name="Runs").get_by_role("listitem").first.wait_for()
            assert_accessible(page)
