"""Teams: messages, the composer and linked sessions."""

from __future__ import annotations

import json
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
    page.keyboard.press("r")
    page.keyboard.type("Please begin with **the tests**.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("list", name="Messages")).to_contain_text("Please begin with the tests.")
    expect(page.get_by_role("textbox", name="Message")).to_have_value("")
    expect(page.get_by_role("complementary", name="About the team")).to_contain_text("1 unread")

    li(fresh.settings, "team", "send", "crew", "On it.", "--from", "ada")
    expect(page.get_by_role("list", name="Messages")).to_contain_text("On it.")


def test_team_is_created_changed_and_archived_on_the_page(visit: Callable[..., Watched], fresh: Studio) -> None:
    watched = visit(fresh)
    page = watched.open("teams")
    page.get_by_role("button", name="Create a team").click()
    dialog = page.get_by_role("dialog", name="New team")
    dialog.get_by_label("Name").fill("crew")
    dialog.get_by_label("Members").fill("ada, bob")
    assert_accessible(page)
    dialog.get_by_role("button", name="Create team").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("crew")

    about = page.get_by_role("complementary", name="About the team")
    about.get_by_label("New member").fill("cy")
    about.get_by_role("button", name="Add").click()
    expect(about.get_by_role("link", name="cy")).to_be_visible()
    expect(page.get_by_text("as you (user)")).to_be_visible()

    page.get_by_role("button", name="Archive").click()
    expect(page.get_by_text("This team is archived and read-only")).to_be_visible()
    assert json.loads(li(fresh.settings, "team", "show", "crew", "--json"))["team"]["status"] == "archived"
    page.get_by_role("button", name="Reopen").click()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    assert json.loads(li(fresh.settings, "team", "show", "crew", "--json"))["team"]["members"] == ["ada", "bob", "cy"]


def test_member_leads_to_its_inbox_and_a_link_to_a_message(visit: Callable[..., Watched], fresh: Studio) -> None:
    li(fresh.settings, "team", "create", "crew", "--members", "ada,bob")
    li(fresh.settings, "team", "send", "crew", "for `bob` alone", "--from", "ada", "--to", "bob")
    li(fresh.settings, "team", "send", "crew", "for all", "--from", "bob")
    li(
        fresh.settings,
        "agent",
        "script",
        "@say hello",
        "--name",
        "the run of ada",
        "--team-mode",
        "crew",
        "--as",
        "ada",
    )
    page = visit(fresh).open("teams/crew")
    about = page.get_by_role("complementary", name="About the team")
    expect(about.get_by_role("link", name="the run of ada")).to_be_visible()
    about.get_by_role("link", name="bob").click()
    expect(page).to_have_url(re.compile("member=bob"))
    expect(page.get_by_text("Inbox of bob")).to_be_visible()
    listed = page.get_by_role("list", name="Messages").locator("[data-message]")
    expect(listed).to_have_count(1)
    expect(listed.locator("code")).to_have_text("bob")
    message = listed.get_attribute("data-message")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Escape")
    expect(listed).to_have_count(2)

    page.goto(f"{page.url.split('?')[0]}?m={message}")
    expect(page.locator("[data-marked=true]")).to_contain_text("for bob alone")


def test_teams_are_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}}
            for path in ("teams", "teams/checkout"):
                assert_accessible(open_page(path, **options))
