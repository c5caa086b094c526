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
    expect(hits).to_have_count(2)  # the run and its message
    expect(hits.locator("mark")).to_have_text(["careful", "engineer"])
    expect(page.get_by_role("status").get_by_text("1 message in 1 run")).to_be_visible()
    expect(page).to_have_url(re.compile("q=careful"))

    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/runs/run-long\?m=0&find=careful"))
    marked = page.get_by_role("list", name="Messages").locator("[data-marked=true]")
    expect(marked).to_contain_text("You are a careful engineer.")
    page.go_back()
    expect(hits).to_have_count(2)
    hits.locator("p").click()
    expect(page).to_have_url(re.compile("/runs/run-long"))


def test_search_filters_and_empty_results(open_page: Open) -> None:
    page = open_page("search?q=failing+build&project=infra&order=best")
    hits = page.get_by_role("list", name="Matching messages").get_by_role("listitem")
    expect(page.get_by_role("status").get_by_text(re.compile("24 messages in 20 runs"))).to_be_visible()
    assert all("infra" in text for text in hits.get_by_role("heading", level=2).locator("xpath=..").all_inner_texts())
    assert_accessible(page)
    empty = open_page("search?q=zzzunheardof")
    expect(empty.get_by_text("No messages match")).to_be_visible()


def test_search_by_meaning_without_a_model_falls_back_to_words(open_page: Open) -> None:
    page = open_page("search?q=build&mode=semantic")
    expect(page.get_by_role("note")).to_contain_text("embed_model is not set. How: set embed_model and embed_url")
    expect(page.get_by_role("list", name="Matching messages")).to_contain_text("look at the failing build")
    page.get_by_role("combobox", name="Mode").click()
    expect(page.get_by_role("option", name="Semantic")).to_have_attribute("data-combobox-disabled", "true")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Why search by meaning is off").click()
    expect(page.get_by_text("Search by meaning needs an embedding model").last).to_be_visible()


def test_search_lists_three_messages_of_a_run_until_it_is_opened(open_page: Open) -> None:
    page = open_page("search?q=limits")
    rows = page.get_by_role("list", name="Matching messages").get_by_role("listitem")
    expect(page.get_by_role("status").get_by_text("45 messages in 1 run")).to_be_visible()
    expect(rows).to_have_count(5)  # the run, three messages, the rest
    expect(rows.first).to_contain_text("45 matches")
    page.get_by_role("button", name="42 more in this run").click()
    expect(rows.nth(6)).to_contain_text("limits")
    expect(page.get_by_role("button", name=re.compile("more in this run"))).to_have_count(0)
    page.wait_for_timeout(300)
    assert_accessible(page)


def test_search_finds_the_run_that_touched_a_file(open_page: Open) -> None:
    page = open_page("search")
    expect(page.get_by_role("link", name="file:README.md")).to_be_visible()
    page.get_by_role("textbox", name="File").fill("tests/step_7.py")
    rows = page.get_by_role("list", name="Matching messages").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.last).to_contain_text("Bash")
    expect(rows.last.locator("mark")).to_have_text(["tests/step_7.py"])
    expect(page).to_have_url(re.compile("file=tests"))
    rows.last.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/runs/run-long\?m=24"))


def test_search_previews_the_selected_message(open_page: Open) -> None:
    page = open_page("search?q=FAILED+role:tool")
    preview = page.get_by_role("complementary", name="Preview")
    expect(preview).to_contain_text("FAILED tests/step_23.py")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(preview).to_contain_text("FAILED tests/step_9.py")
    expect(preview).to_contain_text("pytest tests/step_9.py")  # the call before it
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", level=1)).to_have_text("Search")

    narrow = open_page("search?q=FAILED+role:tool", viewport={"width": 390, "height": 844})
    narrow.get_by_role("button", name=re.compile("Preview Bash result")).first.click()
    expect(narrow.get_by_role("link", name="Open in the run")).to_be_visible()
    narrow.wait_for_timeout(300)
    assert_accessible(narrow)


def test_search_with_an_unknown_role_says_which_exist(open_page: Open) -> None:
    page = open_page("search?q=x+role:boss")
    expect(page.get_by_role("alert")).to_contain_text("role must be one of user, assistant, tool, system")


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
    expect(page.get_by_role("row", name=re.compile("^Playbook"))).to_have_count(0)
    expect(page.get_by_role("heading", level=3)).to_have_text(["rate limits", "task 0"])
    alone = open_page("compare?a=run-long")
    expect(alone.get_by_text("Select two runs to compare")).to_be_visible()
    missing = open_page("compare?a=run-long&b=gone")
    expect(missing.get_by_role("alert")).to_contain_text("Run gone does not exist")
    expect(missing.get_by_role("link", name="All runs")).to_be_visible()
