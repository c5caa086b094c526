"""Shows: graph panel, play details, links, live updates and actions."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.browser import Studio, Watched, assert_accessible

from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.state.database import Database
from lionstudio.state.shows import put_play, put_show, transition_play
from lionstudio.system.filelock import RunLock

Open = Callable[..., Page]


def graph_panel(page: Page) -> Locator:
    """The graph above the table."""
    return page.locator("[data-plays]")


def node(page: Page, name: str) -> Locator:
    """A play in the graph."""
    return graph_panel(page).locator(f"[data-play='{name}']")


def row(page: Page, name: str) -> Locator:
    """A play in the table."""
    return page.get_by_role("region", name="Plays").locator(f"button[data-play='{name}']")


def test_show_list_shows_progress_and_opens_by_keyboard(open_page: Open) -> None:
    page = open_page("shows")
    shows = page.get_by_role("list", name="Shows")
    expect(shows.get_by_role("listitem")).to_have_count(2)
    expect(shows).to_contain_text("4/9 merged · checkout-api running")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/shows/checkout-flow"))
    row(page, "schema").wait_for()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("/shows$"))


def test_play_details_follow_the_order_of_adr_0011(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    row(page, "mails").click()
    expect(page).to_have_url(re.compile("play=mails"))
    opened = page.locator("#play-mails")
    expect(opened).to_contain_text("No plain-text part")

    text = opened.inner_text()
    titles = ["Open session", "Intent", "Duration", "Gate: failed", "Diff", "Raw data"]
    positions = [text.index(title) for title in titles]
    assert positions == sorted(positions)
    expect(opened.get_by_text("_meta.json")).to_have_count(0)

    opened.get_by_role("link", name="Open session").click()
    expect(page).to_have_url(re.compile("/runs/show-checkout-mails"))
    source = page.get_by_role("link", name=re.compile("checkout-flow")).first
    source.click()
    expect(page).to_have_url(re.compile("/shows/checkout-flow"))


def test_play_badges_have_the_tones_of_adr_0011(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    row(page, "schema").wait_for()

    def badges(name: str) -> list[tuple[str, str | None, str | None]]:
        badges = row(page, name).locator("[data-kind]").all()
        return [(b.inner_text(), b.get_attribute("data-kind"), b.get_attribute("data-tone")) for b in badges]

    tones = {"completed": "lifecycle", "passed": "gate", "merged": "integration"}
    assert badges("schema") == [(label, kind, "success") for label, kind in tones.items()]
    assert badges("checkout-api") == [("running", "lifecycle", "info")]
    assert badges("checkout-page")[0] == ("awaiting gate", "lifecycle", "warning")
    assert badges("load-test") == [("pending", "lifecycle", "warning")]
    assert badges("mails")[:2] == [("failed", "lifecycle", "danger"), ("gate failed", "gate", "danger")]


def test_rows_and_graph_nodes_highlight_each_other(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    row(page, "prices").hover()
    expect(node(page, "prices")).to_have_attribute("data-marked", "true")
    expect(node(page, "basket")).to_have_attribute("data-marked", "false")
    node(page, "basket").hover()
    expect(page.locator("#play-basket")).to_have_attribute("data-marked", "true")

    node(page, "load-test").click()
    expect(row(page, "load-test")).to_have_attribute("aria-expanded", "true")
    expect(row(page, "load-test")).to_be_in_viewport()


def test_critical_path_and_blocked_plays_are_marked(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    expect(node(page, "checkout-api")).to_have_attribute("data-critical", "true")
    expect(node(page, "taxes")).to_have_attribute("data-critical", "false")
    expect(row(page, "receipts")).to_contain_text("blocked by mails")
    expect(page.get_by_role("region", name="Timeline")).to_contain_text("not started")


def test_hidden_graph_stays_hidden(visit: Callable[..., Watched], studio: Studio) -> None:
    browser = visit(studio)
    page = browser.open("shows/checkout-flow")
    page.get_by_role("button", name="Hide graph").click()
    expect(graph_panel(page)).to_have_count(0)
    again = browser.open("shows/docs-refresh")
    expect(again.get_by_role("button", name="Show graph")).to_be_visible()
    again.keyboard.press("h")
    expect(graph_panel(again)).to_be_visible()


@pytest.mark.parametrize(("count", "height"), [(4, 112), (5, 160), (20, 160), (21, 220), (200, 220)])
def test_graph_panel_height_follows_adr_0011(
    visit: Callable[..., Watched], fresh: Studio, count: int, height: int
) -> None:
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: put_show(conn, _show(fresh)))
        for number in range(count):
            needs = (f"p{number - 3}",) if number >= 3 else ()
            db.write(partial(put_play, play=_play(number, needs)))
    page = visit(fresh).open("shows/big")
    expect(page.get_by_role("region", name="Plays").get_by_role("listitem")).to_have_count(count)
    box = graph_panel(page).bounding_box()
    assert box is not None
    assert box["height"] == height
    expect(node(page, "p0")).to_be_visible()


def test_play_status_updates_live(visit: Callable[..., Watched], fresh: Studio) -> None:
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: put_show(conn, _show(fresh)))
        db.write(lambda conn: put_play(conn, _play(0, ())))
        page = visit(fresh).open("shows/big")
        expect(row(page, "p0")).to_contain_text("pending")
        for status, word in (("prepared", "pending"), ("running", "running"), ("running_complete", "awaiting gate")):
            db.write(partial(transition_play, show_id="show-big", name="p0", status=status))
            expect(row(page, "p0")).to_contain_text(word, timeout=3000)
        expect(node(page, "p0")).to_have_attribute("data-tone", "warning")


def test_show_works_by_keyboard(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    row(page, "schema").wait_for()
    for key in ("j", "j", "Enter"):
        page.keyboard.press(key)
    expect(row(page, "prices")).to_have_attribute("aria-expanded", "true")
    expect(node(page, "prices")).to_have_attribute("data-marked", "true")
    page.locator("#play-prices").get_by_role("link", name="Open session").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/runs/show-checkout-prices"))


def test_action_requires_confirmation(open_page: Open) -> None:
    page = open_page("shows/checkout-flow?play=checkout-page")
    page.locator("#play-checkout-page").get_by_role("button", name="Reject").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Reject")).to_be_disabled()
    dialog.get_by_role("textbox").fill("Too slow.")
    expect(dialog.get_by_role("button", name="Reject")).to_be_enabled()
    dialog.get_by_role("button", name="Cancel").focus()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    # Escape closed only the dialog.
    expect(page).to_have_url(re.compile("play=checkout-page"))


def test_exhausted_budget_is_raised(visit: Callable[..., Watched], fresh: Studio) -> None:
    """On the show page and on Home; a rejection by li is shown as an error although the request succeeds."""
    folder = Path(fresh.settings.shows) / "big"
    folder.mkdir(parents=True)
    asked = {"what": "asked", "play": None, "reason": "token budget exhausted", "kind": "budget", "part": "tokens"}
    (folder / "_decisions.jsonl").write_text(json.dumps({**asked, "logged_at": time.time()}) + "\n")
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: put_show(conn, _show(fresh)))
        db.write(lambda conn: put_play(conn, _play(0, ())))
    page = visit(fresh).open("shows/big")
    page.get_by_role("button", name="Raise budget").click()
    dialog = page.get_by_role("dialog")
    grant = dialog.get_by_role("button", name="Raise budget")
    expect(dialog).to_contain_text("The budget of big is raised by this amount")
    dialog.get_by_label("Additional tokens").fill("many")
    expect(grant).to_be_disabled()
    dialog.get_by_label("Additional tokens").fill("5000")
    expect(grant).to_be_enabled()
    page.goto(page.url.split("/shows")[0] + "/")
    waiting = page.get_by_role("region", name="Needs you")
    waiting.get_by_role("button", name="Raise budget").click()
    dialog.get_by_label("Additional tokens").fill("5000")
    with RunLock.take(str(folder / "_director.lock")):  # prevents the start of a director
        dialog.get_by_role("button", name="Raise budget").click()
        expect(page.get_by_text("Budget of big raised")).to_be_visible(timeout=20_000)
    assert json.loads((folder / "_decision.json").read_text())["budget"] == {"tokens": 5000}


def test_rejected_action_is_shown_as_an_error(open_page: Open) -> None:
    page = open_page()
    refused = {"launch": {"exit_code": 4, "target": "approve"}, "output": "it is merged already"}
    page.route("**/api/shows/*/actions", lambda route: route.fulfill(status=201, json=refused))
    waiting = page.get_by_role("region", name="Needs you").get_by_role("listitem")
    waiting.filter(has_text="checkout-flow / mails").get_by_role("button", name="Approve").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("it is merged already")).to_be_visible()
    expect(dialog).to_be_visible()


def test_shows_are_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}}
            assert_accessible(open_page("shows", **options))
            page = open_page("shows/checkout-flow?play=mails", **options)
            page.get_by_text("No plain-text part").first.wait_for()
            assert_accessible(page)


def _show(studio: Studio) -> Show:
    folder = f"{studio.settings.shows}/big"
    return Show(id="show-big", topic="big", show_dir=folder, goal="Many plays", created_at=time.time())


def _play(number: int, needs: tuple[str, ...]) -> Play:
    return Play(
        id=f"play-{number}",
        show_id="show-big",
        name=f"p{number}",
        status=PlayStatus.PENDING,
        depends_on=needs,
        sort_order=number,
        created_at=time.time(),
    )
