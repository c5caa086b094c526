"""Usage: the same numbers on Home, in the chart, in the tables, in the file and from `li usage`."""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.builders import write
from tests.support.seed import begin, li, say

from lionstudio.state.database import Database
from lionstudio.state.messages.append import append

Open = Callable[..., Page]


def test_usage_shows_one_number_everywhere(open_page: Open, studio: Studio) -> None:
    report = json.loads(li(studio.settings, "usage", "--by", "model", "--since", "7d", "--json"))
    page = open_page("usage?range=30d&measure=tokens")
    parts = page.get_by_role("region", name="By model", exact=True).get_by_role("table")

    expect(page.get_by_role("link", name=re.compile("^Total tokens"))).to_contain_text("in ·")
    expect(parts.locator("tbody tr")).to_have_count(len(report["rows"]))
    for row in report["rows"]:
        expect(parts).to_contain_text(row["model"] if row["model"] != "unknown" else "Unknown model")
    total = page.get_by_role("link", name=re.compile("^Total tokens")).locator("span").nth(1).inner_text()
    home = open_page("")
    month = home.get_by_role("row", name=re.compile("30 days"))
    expect(month).to_contain_text(total)
    expect(month).to_contain_text("since ")
    month.get_by_role("link").click()
    expect(home).to_have_url(re.compile(r"/usage\?range=30d$"))


def test_usage_keeps_its_state_in_the_address(open_page: Open) -> None:
    page = open_page("usage")
    expect(page.get_by_role("group", name="Usage over time").get_by_role("button")).to_have_count(7)

    page.get_by_role("radiogroup", name="Range").get_by_text("30 days").click()
    page.get_by_role("radiogroup", name="Stacked by").get_by_text("Project").click()
    page.get_by_role("radiogroup", name="Measure").get_by_text("Time").click()

    expect(page).to_have_url(re.compile(r"range=30d.*stack=project.*measure=time|measure=time"))
    expect(page.get_by_role("region", name="By project", exact=True)).to_be_visible()
    expect(page.get_by_text("Agent time")).to_be_visible()
    expect(page.get_by_role("link", name=re.compile(r"^Runs \d+ created in this range"))).to_be_visible()
    expect(page.get_by_role("group", name="Usage over time").get_by_role("button")).to_have_count(30)
    page.get_by_role("radiogroup", name="Range").get_by_text("Custom").click()
    expect(page.get_by_label("First day")).to_be_visible()
    expect(page).to_have_url(re.compile("since="))
    assert_accessible(page)


def test_usage_bar_is_reached_by_keyboard_and_opens_its_runs(open_page: Open) -> None:
    page = open_page("usage?range=7d")
    bars = page.get_by_role("group", name="Usage over time").get_by_role("button")
    expect(bars).to_have_count(7)

    bars.nth(6).focus()
    page.keyboard.press("ArrowLeft")
    expect(bars.nth(5)).to_be_focused()
    page.keyboard.press("End")
    expect(bars.nth(6)).to_be_focused()
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile(r"/runs\?since=\d+&until=\d+"))
    expect(page.get_by_role("list", name="Runs").get_by_role("listitem").first).to_be_visible()


def test_usage_is_reached_by_key_and_leads_to_the_runs_of_a_project(open_page: Open) -> None:
    page = open_page("teams")
    page.keyboard.press("g")
    page.keyboard.press("u")
    expect(page.get_by_role("heading", level=1)).to_have_text("Usage")

    page.get_by_role("radiogroup", name="Stacked by").get_by_text("Project").click()
    row = page.get_by_role("region", name="By project", exact=True).get_by_role("row").nth(1)
    name = row.get_by_role("link").inner_text()
    row.get_by_role("link").click()

    expect(page).to_have_url(re.compile(rf"/runs\?.*project={name}"))


@pytest.mark.parametrize("width", [800, 390])
def test_usage_tables_keep_the_cost_in_view(open_page: Open, width: int) -> None:
    page = open_page("usage?range=7d", viewport={"width": width, "height": 844})
    tables = page.locator("main table")
    expect(tables).to_have_count(3)
    for table in tables.all():
        expect(table.get_by_role("columnheader", name="Cost")).to_be_visible()
        assert table.evaluate("table => table.offsetWidth <= table.parentElement.clientWidth")


def test_usage_downloads_what_it_shows(open_page: Open, tmp_path: Path) -> None:
    page = open_page("usage?range=30d&stack=agent")
    page.get_by_role("region", name="Top runs").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    download.value.save_as(tmp_path / "usage.csv")

    with (tmp_path / "usage.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert download.value.suggested_filename == "usage-by-day-and-agent.csv"
    assert rows
    assert all(
        int(row["total"]) == sum(int(row[name]) for name in ("input", "output", "cache_read", "cache_write"))
        for row in rows
    )


def test_usage_says_that_a_price_is_unknown(visit: Callable[..., Watched], fresh: Studio) -> None:
    now = time.time()
    with Database(fresh.settings.db) as db:
        write(db, lambda conn: append(conn, begin(conn, "local", now - 60, model="my-own"), _answer(now - 50, None)))
    watched = visit(fresh)
    page = watched.open("usage")
    expect(page.get_by_role("link", name=re.compile("^Cost"))).to_contain_text("unknown")
    expect(page.get_by_role("link", name=re.compile("^Cost"))).to_contain_text("5k tokens of unknown price")
    assert_accessible(page)

    with Database(fresh.settings.db) as db:
        write(db, lambda conn: append(conn, "local.main", _answer(now - 40, 2_500_000)))
    page.reload()
    expect(page.get_by_role("link", name=re.compile("^Cost"))).to_contain_text("$2.50+")


def _answer(at: float, cost: int | None):  # type: ignore[no-untyped-def]
    return say({"assistant_response": "done"}, at, used=(4000, 1000, cost))  # type: ignore[arg-type]


def test_usage_that_cannot_be_loaded_says_so(open_page: Open) -> None:
    page = open_page("teams")

    def fail(route: Route) -> None:
        route.fulfill(status=500, content_type="application/problem+json", body='{"title": "broken", "status": 500}')

    page.route("**/api/usage?*", fail)
    page.get_by_role("link", name="Usage").click()

    expect(page.get_by_role("alert")).to_contain_text("Could not load usage")
    page.unroute("**/api/usage?*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("region", name="Top runs")).to_be_visible()
