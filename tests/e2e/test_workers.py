"""Workers: what each carries out, what orders wait for, drain and remove, and the worker beside each play."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.builders import write
from tests.support.workers import order, play, register, silence, take

from lionstudio.state.database import Database
from lionstudio.state.workers.orders import Work
from lionstudio.state.workers.workers import LEASE_SECONDS, beat_worker, stop_worker

Visit = Callable[..., Watched]
SIZES = [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")]


@pytest.fixture
def fleet(fresh: Studio) -> Studio:
    """Four workers in different states, a show of five plays, and an order that no worker can take."""
    with Database(fresh.settings.db) as db:
        register(db, "a" * 32, "north", labels=("docker", "gpu"), at_once=4, machine_id="a" * 32)
        register(db, "b" * 32, "south", at_once=2, machine_id="b" * 32, sandbox=None)
        register(db, "c" * 32, "east", at_once=2, machine_id="c" * 32, version="0.1.0", shape="other")
        register(db, "d" * 32, "west", at_once=1, machine_id="d" * 32)
        for name, status in (
            ("schema", "merged"),
            ("api", "running"),
            ("page", "running"),
            ("training", "prepared"),
            ("docs", "pending"),
        ):
            needs = () if name == "schema" else ("schema",)
            play(db, "release", name, status=status, attempt=1, depends_on=needs)
        take(db, order(db, "release", None, Work.SHOW), "a" * 32)
        take(db, order(db, "release", "schema", Work.ATTEMPT), "b" * 32, ends=True)
        take(db, order(db, "release", "api", Work.ATTEMPT), "a" * 32)
        take(db, order(db, "release", "page", Work.GATES), "b" * 32)
        order(db, "release", "training", Work.ATTEMPT, needs=("tpu",))
        for fresh_one in "ab":
            silence(db, fresh_one * 32, 1 - LEASE_SECONDS)  # stays connected for the test, also on a slow machine
        silence(db, "c" * 32, LEASE_SECONDS + 40)
        write(db, stop_worker, "d" * 32)
    return fresh


def keep(page: Page, name: str) -> None:
    """Save a picture where LION_SHOTS names a folder, to look at."""
    if folder := os.environ.get("LION_SHOTS"):
        page.wait_for_timeout(300)
        page.screenshot(path=f"{folder}/{name}.png")


def rows(page: Page) -> dict[str, str]:
    """The text of each worker by its name."""
    items = page.locator("[data-worker]")
    return {item.get_attribute("data-worker") or "": item.inner_text() for item in items.all()}


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_workers_show_what_each_carries_out(visit: Visit, fleet: Studio, width: int, scheme: str) -> None:
    page = visit(fleet, viewport={"width": width, "height": 900}, color_scheme=scheme).open("workers")

    expect(page.locator("[data-worker]")).to_have_count(4)
    keep(page, f"workers-{width}-{scheme}")
    texts = rows(page)
    assert {name: label for name in texts for label in ("busy", "silent", "stopped") if label in texts[name]} == {
        "north": "busy",
        "south": "busy",
        "east": "silent",
        "west": "stopped",
    }
    assert "release / api" in texts["north"]
    assert "1 of 4" in texts["north"]
    expect(page.get_by_role("list", name="Waiting orders")).to_contain_text("no connected worker has the label tpu")
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_worker_that_stops_is_not_offered_to_be_drained(visit: Visit, fleet: Studio, width: int, scheme: str) -> None:
    with Database(fleet.settings.db) as db:
        write(db, lambda conn: beat_worker(conn, "a" * 32, stopping=True))
    page = visit(fleet, viewport={"width": width, "height": 900}, color_scheme=scheme).open("workers")

    north = page.locator("[data-worker=north]")
    expect(north).to_contain_text("stopping")
    expect(north.get_by_role("button")).to_have_count(0)
    expect(page.locator("[data-worker=south]").get_by_role("button", name="Drain")).to_be_visible()
    keep(page, f"workers-stopping-{width}-{scheme}")
    assert_accessible(page)


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_show_names_the_worker_of_each_play(visit: Visit, fleet: Studio, width: int, scheme: str) -> None:
    page = visit(fleet, viewport={"width": width, "height": 900}, color_scheme=scheme).open("shows/release")

    expect(page.locator("[data-workers][data-play=api]")).to_contain_text("north")
    expect(page.locator("[data-workers][data-play=page]")).to_contain_text("south")
    expect(page.locator("[data-workers][data-play=schema]")).to_contain_text("south")
    expect(page.locator("[data-workers][data-play=training]")).to_contain_text("needs tpu")
    expect(page.get_by_role("region", name="About")).to_contain_text("Director")
    keep(page, f"show-{width}-{scheme}")
    assert_accessible(page)


def test_worker_is_drained_by_keyboard_and_removed(visit: Visit, fleet: Studio) -> None:
    page = visit(fleet).open("")
    page.keyboard.press("g")
    page.keyboard.press("w")
    expect(page.get_by_role("heading", level=1)).to_have_text("Workers")
    expect(page.locator("[data-worker]")).to_have_count(4)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("[data-worker=north][data-active=true]")).to_have_count(1)
    page.keyboard.press("d")
    expect(page.locator("[data-worker=north]")).to_contain_text("draining")
    page.locator("[data-worker=north]").get_by_role("button", name="Undrain").click()
    expect(page.locator("[data-worker=north]")).to_contain_text("busy")

    expect(page.locator("[data-worker=north]").get_by_role("button", name="Remove")).to_have_count(0)
    page.locator("[data-worker=east]").get_by_role("button", name="Remove").click()
    dialog = page.get_by_role("dialog", name="Remove east?")
    assert_accessible(page)
    dialog.get_by_role("button", name="Remove worker").click()
    expect(page.locator("[data-worker]")).to_have_count(3)

    page.keyboard.press("g")
    page.keyboard.press("g")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/shows/release\?play=api"))


def test_workers_appear_and_take_orders_while_the_page_is_open(visit: Visit, fresh: Studio) -> None:
    page = visit(fresh).open("workers")
    expect(page.get_by_text("Workers need a hub")).to_be_visible()
    keep(page, "workers-empty")
    expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Workers")).to_have_count(0)

    with Database(fresh.settings.db) as db:
        register(db, "a" * 32, "north")
        expect(page.locator("[data-worker=north]")).to_contain_text("ready")
        expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Workers")).to_be_visible()
        play(db, "release", "api", status="running", attempt=1)
        take(db, order(db, "release", "api", Work.ATTEMPT), "a" * 32)
        expect(page.locator("[data-worker=north]")).to_contain_text("release / api")


def test_palette_finds_the_page_of_workers(visit: Visit, fleet: Studio) -> None:
    page = visit(fleet).open("")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Command palette")).to_be_focused()
    page.keyboard.type("workers")
    expect(page.get_by_role("option", selected=True)).to_contain_text("Workers")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Workers")
