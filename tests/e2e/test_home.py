"""Home: attention items, cards, and the page of a new installation."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.builders import begin, write
from tests.support.seed import li

from lionstudio.state.database import Database
from lionstudio.state.sessions import finish_session

Open = Callable[..., Page]


def test_home_lists_attention_items_with_links(open_page: Open) -> None:
    page = open_page()
    waiting = page.get_by_role("region", name="Needs you")

    expect(waiting.get_by_text("checkout-flow / mails")).to_be_visible()
    expect(waiting.get_by_text("The mail has no plain-text part")).to_be_visible()
    waiting.get_by_role("link", name="checkout-flow / mails").click()
    expect(page).to_have_url(re.compile(r"/shows/checkout-flow\?play=mails$"))


def test_card_links_to_the_runs_it_counts(open_page: Open) -> None:
    page = open_page()
    card = page.get_by_role("link", name="Stale")
    expect(card).to_contain_text("1")
    card.click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    expect(page.get_by_role("list", name="Runs").get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_role("link", name="Compare the queues")).to_be_visible()


def test_home_is_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        page = open_page(color_scheme=scheme)
        page.get_by_role("region", name="Recent runs").wait_for()
        assert_accessible(page)


def test_new_home_shows_commands_and_updates_live(visit: Callable[..., Watched], fresh: Studio) -> None:
    page = visit(fresh).open()
    expect(page.get_by_role("heading", name="Start a run")).to_be_visible()
    expect(page.get_by_role("button", name="Run the demo here")).to_be_visible()
    expect(page.get_by_text("li demo --here")).to_be_visible()
    assert_accessible(page)

    li(fresh.settings, "agent", "script", "@say hello", "--name", "first")

    expect(page.get_by_role("region", name="Recent runs")).to_contain_text("script")


def test_dismissed_item_is_hidden_and_listed_again(visit: Callable[..., Watched], fresh: Studio) -> None:
    with Database(fresh.settings.db) as db:
        begin(db, "login", name="login", created_at=time.time())
        write(db, finish_session, "login", "failed", exit_code=1, detail="Not logged in")
    page = visit(fresh).open()
    waiting = page.get_by_role("region", name="Needs you")
    expect(waiting.get_by_role("link", name="login")).to_be_visible()
    expect(waiting).to_contain_text("Not logged in")
    waiting.get_by_role("button", name="Dismiss until its status changes").click()
    expect(waiting.get_by_role("link", name="login")).to_be_hidden()
    waiting.get_by_role("button", name="1 dismissed").click()
    expect(waiting.get_by_role("link", name="login")).to_be_visible()
    assert_accessible(page)
    waiting.get_by_role("button", name="List again").click()
    expect(waiting.get_by_role("button", name="Dismiss until its status changes")).to_be_visible()
