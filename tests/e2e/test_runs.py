"""Runs: filters and order in the address, labels, saved views, live rows, keyboard."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from functools import partial

from playwright.sync_api import Locator, Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.seed import begin, li

from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.sessions import finish_session

Open = Callable[..., Page]


def rows(page: Page) -> list[str]:
    """The names of the rendered rows."""
    return page.get_by_role("list", name="Runs").get_by_role("link").all_inner_texts()


def links(page: Page) -> Locator:
    return page.get_by_role("list", name="Runs").get_by_role("link")


def choose(page: Page, filter_: str, *values: str) -> None:
    """Set values of a filter in the popover, and close it."""
    page.get_by_role("button", name="Filter", exact=True).click()
    filters = page.get_by_role("dialog")
    filters.get_by_role("button", name=filter_, exact=True).click()
    for value in values:
        filters.get_by_role("checkbox", name=re.compile(f"^{value}")).check()
    page.keyboard.press("Escape")
    expect(filters).to_have_count(0)


def test_filter_takes_several_values_and_matches_the_address(open_page: Open) -> None:
    page = open_page("runs")
    choose(page, "Status", "timed out", "failed")

    expect(page).to_have_url(re.compile("status="))
    expect(links(page)).to_have_count(19)
    expect(page.get_by_role("status", name="Totals")).to_contain_text("19 of ")
    choose(page, "Project", "web-shop")
    expect(links(page)).to_have_count(6)
    again = open_page("runs?status=timed_out&status=failed&project=web-shop")
    expect(links(again)).to_have_count(6)
    assert rows(again) == rows(page)

    page.get_by_role("button", name="Remove the filter Status").click()
    expect(page.get_by_role("button", name="Remove the filter Status")).to_have_count(0)
    page.go_back()
    expect(links(page)).to_have_count(6)
    page.get_by_role("button", name="Clear all").click()
    expect(page).to_have_url(re.compile(r"/runs$"))


def test_header_sorts_by_a_column_and_back(open_page: Open) -> None:
    page = open_page("runs?status=completed&project=api-gateway")
    newest = links(page).first
    newest.wait_for()
    before = rows(page)
    header = page.get_by_role("columnheader", name="Duration")
    expect(header).to_have_attribute("aria-sort", "none")
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "descending")
    expect(page).to_have_url(re.compile("sort=duration"))
    expect(newest).to_have_text("rate limits")
    longest = rows(page)
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    expect(newest).not_to_have_text("rate limits")
    assert rows(page) == longest[::-1]
    header.get_by_role("button").click()
    expect(page).not_to_have_url(re.compile("sort="))
    expect(newest).to_have_text(before[0])
    assert rows(page) == before


def test_text_finds_a_run_by_the_start_of_its_id(open_page: Open) -> None:
    page = open_page("runs")
    page.get_by_role("textbox", name=re.compile("Filter by name, id")).fill("run-017")

    expect(links(page)).to_have_text(["task 17"])


def test_view_is_saved_opened_and_deleted(open_page: Open) -> None:
    page = open_page("runs?status=failed&sort=cost")
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitem", name="Save this view").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("My failures")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="My failures", exact=True)).to_be_visible()

    page.get_by_role("button", name="Clear all").click()
    page.get_by_role("button", name="Views", exact=True).click()
    page.get_by_role("menuitem", name="My failures").click()
    expect(page).to_have_url(re.compile("status=failed"))
    expect(page).to_have_url(re.compile("sort=cost"))
    expect(page.get_by_role("columnheader", name="Cost")).to_have_attribute("aria-sort", "descending")

    page.get_by_role("button", name="My failures", exact=True).click()
    page.get_by_role("button", name="Delete the view My failures").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Views", exact=True)).to_be_visible()


def test_empty_list_offers_to_drop_the_filter_that_helps(open_page: Open) -> None:
    page = open_page("runs?status=aborted&project=api-gateway&q=no-such-name")
    expect(page.get_by_text("No runs match these filters")).to_be_visible()
    expect(page.get_by_role("button", name="Drop Status: 0 runs")).to_be_disabled()
    link = page.get_by_role("link", name="Search messages for “no-such-name”")
    expect(link).to_have_attribute("href", "/search?q=no-such-name")
    assert_accessible(page)
    page.get_by_role("button", name=re.compile("Drop Text: 3 runs")).click()

    expect(links(page)).to_have_count(3)


def test_run_is_starred_tagged_noted_renamed_and_deleted(visit: Callable[..., Watched], fresh: Studio) -> None:
    now = time.time()

    def ended(conn: Connection, number: int) -> None:
        begin(conn, f"run-{number}", now - 100 * number, name=f"job {number}")
        finish_session(conn, f"run-{number}", "completed", exit_code=0, at=now - 100 * number + 5)

    with Database(fresh.settings.db) as db:
        for number in range(3):
            db.write(partial(ended, number=number))
    page = visit(fresh).open("runs")
    row = page.get_by_role("list", name="Runs").get_by_role("listitem").filter(has_text="job 1")
    row.wait_for()
    for key in ("j", "j", "s"):
        page.keyboard.press(key)
    expect(row.get_by_role("img", name="Starred")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(row.get_by_role("img", name="Starred")).to_have_count(0)

    row.get_by_role("button", name="Actions for job 1").click()
    page.get_by_role("menuitem", name="Tags").click()
    dialog = page.get_by_role("dialog", name="Tags")
    dialog.get_by_placeholder("Add a tag").fill("customer")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Save").click()
    expect(row).to_contain_text("customer")

    row.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("job 1")
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Remove star")).to_be_visible()
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Add note").click()
    page.get_by_role("dialog").get_by_role("textbox", name="Note").fill("<b>ask</b> Mara")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("region", name="Note")).to_have_text("<b>ask</b> Mara")
    assert_accessible(page)
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_role("dialog").get_by_role("textbox", name="Name").fill("the customer's job")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("the customer's job")

    starred = page.context.new_page()
    starred.goto(fresh.running.url + "runs?tag=starred")
    expect(links(starred)).to_have_text(["the customer's job"])
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete this run?")
    expect(dialog).to_contain_text("the customer's job")
    dialog.get_by_role("button", name="Delete run").click()
    expect(page).to_have_url(re.compile("/runs$"))
    expect(links(page)).to_have_text(["job 0", "job 2"])


def test_selected_runs_are_tagged_and_deleted_together(visit: Callable[..., Watched], fresh: Studio) -> None:
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: conn.execute(_MANY, {"many": 4, "now": time.time()}))
    page = visit(fresh).open("runs")
    links(page).first.wait_for()
    for key in ("j", "x", "j", "x"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Tag…").click()
    dialog = page.get_by_role("dialog", name="Tag 2 runs")
    dialog.get_by_placeholder("Add a tag").fill("batch")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Add tags").click()
    expect(page.get_by_role("list", name="Runs").get_by_role("listitem").filter(has_text="batch")).to_have_count(2)
    page.get_by_role("button", name="Delete…").click()
    dialog = page.get_by_role("dialog", name="Delete 2 runs?")
    expect(dialog).to_contain_text("job 3")
    dialog.get_by_role("button", name="Delete 2 runs").click()

    expect(links(page)).to_have_text(["job 1", "job 0"])
    expect(page.get_by_role("status", name="Totals")).to_contain_text("2")


_MANY = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :many)
INSERT INTO sessions (id, created_at, updated_at, started_at, ended_at, name, agent_name, project, invocation_kind,
                      source_kind, status, model, cost_microusd, input_tokens, message_count)
SELECT printf('many-%06d', i), :now - :many + i, :now - :many + i, :now - :many + i, :now - :many + i + i % 977,
       'job ' || i, 'agent ' || (i % 7), 'project ' || (i % 5), 'agent', 'live',
       CASE i % 9 WHEN 0 THEN 'failed' WHEN 1 THEN 'timed_out' ELSE 'completed' END, 'claude-sonnet-4-5',
       i * 7919 % 1000003, i % 5000, i % 40
  FROM n
"""


def test_ten_thousand_runs_sort_scroll_and_count(visit: Callable[..., Watched], fresh: Studio) -> None:
    many = 10_000
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: conn.execute(_MANY, {"many": many, "now": time.time()}))
    page = visit(fresh).open("runs?status=failed&status=timed_out&sort=cost")
    dearest = sorted((i for i in range(many) if i % 9 < 2), key=lambda i: -(i * 7919 % 1000003))
    expect(links(page).first).to_have_text(f"job {dearest[0]}")
    expect(page.get_by_role("status", name="Totals")).to_contain_text(f"{len(dearest):,} of 10,000")
    page.get_by_role("list", name="Runs").hover()
    shown = page.get_by_text(f"job {dearest[150]}", exact=True)
    for _ in range(60):
        if shown.count():
            break
        page.mouse.wheel(0, 900)
        page.wait_for_timeout(50)
    expect(shown).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    wide = "() => document.documentElement.scrollWidth <= innerWidth"
    page.wait_for_function(wide)
    assert_accessible(page)


def test_failed_run_says_why_in_every_list(visit: Callable[..., Watched], fresh: Studio) -> None:
    def fail(conn: Connection) -> None:
        begin(conn, "bad", time.time() - 60, name="bad", project="web")
        finish_session(conn, "bad", "failed", exit_code=1, detail="no such model: opus-9\nmore")

    with Database(fresh.settings.db) as db:
        db.write(fail)
    page = visit(fresh, viewport={"width": 1700, "height": 900}).open("runs")
    expect(page.get_by_role("list", name="Runs")).to_contain_text("no such model: opus-9")
    links(page).first.click()
    expect(page.get_by_role("list", name="Runs of the list")).to_contain_text("no such model: opus-9")
    page.goto(fresh.running.url)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        reason = page.get_by_role("region", name="Recent runs").get_by_text("no such model: opus-9")
        expect(reason).to_be_visible()


def test_brackets_and_the_list_beside_a_run_follow_the_filters(open_page: Open) -> None:
    page = open_page("runs?status=failed", viewport={"width": 1700, "height": 900})
    links(page).nth(2).wait_for()
    names = rows(page)
    links(page).first.click()
    title = page.get_by_role("heading", level=1)
    expect(title).to_have_text(names[0])
    beside = page.get_by_role("list", name="Runs of the list")
    expect(beside.get_by_role("link")).to_have_text(names)
    page.keyboard.press("]")
    expect(title).to_have_text(names[1])
    expect(beside.locator("[aria-current=page]")).to_have_text(names[1])
    assert_accessible(page)
    page.keyboard.press("[")
    expect(title).to_have_text(names[0])

    page.get_by_role("button", name="Hide the list").click()
    expect(beside).to_have_count(0)
    page.set_viewport_size({"width": 1000, "height": 900})
    page.keyboard.press("]")
    expect(title).to_have_text(names[1])
    page.keyboard.press("Escape")
    expect(page.get_by_text("Press Esc again to leave this run")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("status=failed"))


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


def test_filter_popover_is_accessible(open_page: Open) -> None:
    page = open_page("runs", color_scheme="dark", viewport={"width": 390, "height": 844})
    page.get_by_role("list", name="Runs").get_by_role("listitem").first.wait_for()
    page.keyboard.press("f")
    page.get_by_role("dialog").get_by_role("checkbox").first.wait_for()
    assert_accessible(page)
