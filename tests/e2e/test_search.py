"""Search in all runs, and the comparison of two runs."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect
from tests.support.browser import assert_accessible

Open = Callable[..., Page]


def test_search_finds_messages_and_links_to_the_run(open_page: Open) -> None:
    page = open_page("runs")
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Search all messages…")).to_be_focused()
    page.keyboard.type("careful engineer")
    hits = page.get_by_role("list", name="Matching messages").get_by_role("listitem")
    expect(hits).to_have_count(1)
    expect(hits.locator("mark")).to_have_text(["careful", "engineer"])
    expect(page).to_have_url(re.compile("q=careful"))

    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/runs/run-long\?m=0&find=careful"))
    marked = page.get_by_role("list", name="Messages").locator("[data-marked=true]")
    expect(marked).to_contain_text("You are a careful engineer.")
    page.go_back()
    expect(hits).to_have_count(1)
    hits.locator("p").click()
    expect(page).to_have_url(re.compile("/runs/run-long"))


def test_search_filters_and_empty_results(open_page: Open) -> None:
    page = open_page("search?q=failing+build&project=infra&order=best")
    hits = page.get_by_role("list", name="Matching messages").get_by_role("listitem")
    expect(hits.first).to_contain_text("infra")
    expect(page.get_by_role("status").get_by_text(re.compile("message"))).to_be_visible()
    assert all("infra" in text for text in hits.all_inner_texts())
    page.wait_for_timeout(300)
    assert_accessible(page)
    empty = open_page("search?q=zzzunheardof")
    expect(empty.get_by_text("No messages match")).to_be_visible()


def test_semantic_search_without_a_model_shows_a_hint(open_page: Open) -> None:
    page = open_page("search?q=build&mode=semantic")
    expect(page.get_by_role("alert")).to_contain_text("Could not load results")
    expect(page.get_by_role("alert")).to_contain_text("embed_model is not set. Set embed_model and embed_url")


def test_search_renders_hostile_text_as_text(open_page: Open) -> None:
    page = open_page("search?q=onerror")
    expect(page.get_by_role("list", name="Matching messages").get_by_role("listitem").first).to_contain_text(
        "<img src=x"
    )
    assert page.locator("main :is(script, iframe, img)").count() == 0


def test_compare_two_selected_runs_by_keyboard(open_page: Open) -> None:
    page = open_page("runs?project=api-gateway")
    page.get_by_role("list", name="Runs").get_by_role("listitem").first.wait_for()
    for key in ("j", "x", "j", "x", "c"):
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile(r"/compare\?a=.+&b=.+"))
    expect(page.get_by_role("row", name=re.compile("^State"))).to_be_visible()
    expect(page.get_by_role("heading", name="First difference")).to_be_visible()
    expect(page.get_by_text(re.compile("The first messages differ|identical message"))).to_be_visible()
    page.wait_for_timeout(300)
    assert_accessible(page)
    address = page.url
    page.go_back()
    expect(page).to_have_url(re.compile("project=api-gateway"))
    page.goto(address)
    expect(page.get_by_role("row", name=re.compile("^State"))).to_be_visible()


def test_compare_marks_differences(open_page: Open) -> None:
    page = open_page("compare?a=run-long&b=run-000")
    messages = page.get_by_role("row", name=re.compile("^Messages"))
    expect(messages).to_have_attribute("data-differs", "true")
    expect(page.get_by_role("row", name=re.compile("^Bash"))).to_contain_text("4 failed")
    expect(page.get_by_role("row", name=re.compile("^Exit code"))).to_have_attribute("data-differs", "false")
    alone = open_page("compare?a=run-long")
    expect(alone.get_by_text("Select two runs to compare")).to_be_visible()
