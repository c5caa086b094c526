"""Teams: messages, the composer and linked sessions."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.seed import li

Open = Callable[..., Page]


def messages(page: Page) -> list[str]:
    """The rendered messages."""
    return page.get_by_role("list", name="Messages").locator("[data-message]").all_inner_texts()


def test_team_list_opens_a_team_by_keyboard(open_page: Open) -> None:
    page = open_page("teams")
    expect(page.get_by_role("list", name="Teams").get_by_role("listitem")).to_have_count(2)
    page.get_by_role("link", name="checkout").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("checkout")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("/teams$"))


def test_long_message_is_truncated_until_expanded(open_page: Open) -> None:
    page = open_page("teams/checkout")
    page.get_by_role("list", name="Messages").wait_for()
    expand = page.get_by_role("button", name=re.compile("Expand"))
    before = len(max(messages(page), key=len))
    expand.click()
    fold = page.get_by_role("button", name="Collapse")
    expect(fold).to_have_attribute("aria-expanded", "true")
    assert len(max(messages(page), key=len)) > before


def test_team_message_is_sent_by_keyboard_and_replies_arrive(visit: Callable[..., Watched], fresh: Studio) -> None:
    li(fresh.settings, "team", "create", "crew", "--members", "ada,bob")
    page = visit(fresh).open("teams/crew")
    expect(page.get_by_text("No messages yet")).to_be_visible()
    page.keyboard.press("c")
    page.keyboard.type("Please begin with **the tests**.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("list", name="Messages")).to_contain_text("Please begin with the tests.")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    expect(page.get_by_role("complementary", name="About the team")).to_contain_text("1 unread")

    li(fresh.settings, "team", "send", "crew", "On it.", "--from", "ada")
    expect(page.get_by_role("list", name="Messages")).to_contain_text("On it.")


def test_teams_are_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}}
            for path in ("teams", "teams/checkout"):
                assert_accessible(open_page(path, **options))
