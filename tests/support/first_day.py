"""The first day of a person with Studio, from the empty home and without a terminal, in steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect
from tests.support.transcripts import ClaudeTranscript

Picture = Callable[[Page, str], None]
_SECONDS = 60_000
EXPORT = "HTML page"
GREETING = (
    "@say I will write a greeting.\n@ask Which greeting do you like? | Hello | Ahoy\n"
    "@write greeting.txt Hello, world!\n@say The greeting is in greeting.txt."
)
_TOPICS = ("Fix the flaky login test", "Explain how prices are rounded", "Add a health check to the gateway")


def write_history(claude: Path) -> None:
    """A machine on which Claude Code was used for a while."""
    for number, topic in enumerate(_TOPICS):
        transcript = ClaudeTranscript(claude, f"{number}a000000-0000-4000-8000-000000000000")
        transcript.user(topic)
        call = transcript.call("Bash", command="git status --short")
        transcript.result(call, " M src/app.py")
        transcript.assistant("I looked at the code and found the reason. The tests pass now.")


def first_day(page: Page, folder: Path, picture: Picture) -> Path:
    """Take all steps; returns the exported file."""
    import_history(page, picture)
    start_a_run(page, folder, picture)
    run = answer_its_question(page, picture)
    see_the_change(page, folder, picture)
    fork_it(page, picture)
    compare_both(page, run, picture)
    return export_one(page, run, picture)


def import_history(page: Page, picture: Picture) -> None:
    button = page.get_by_role("button", name="Import 3 Claude Code sessions")
    expect(button).to_be_visible()
    page.get_by_role("button", name=re.compile("Run the scripted agent|^Ask ")).wait_for()
    picture(page, "1-empty-home")
    button.click()
    done = page.get_by_role("alert").filter(has_text="Import of Claude Code history: done")
    expect(done).to_be_visible(timeout=_SECONDS)
    expect(page.get_by_role("heading", name="Recent runs")).to_be_visible()
    expect(page.get_by_text(_TOPICS[0]).first).to_be_visible()
    picture(page, "2-imported")
    done.get_by_role("button", name="Close").click()


def start_a_run(page: Page, folder: Path, picture: Picture) -> None:
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Agent").click()
    page.get_by_role("option", name=re.compile("^script")).click()
    dialog.get_by_role("textbox", name="Prompt").fill(GREETING)
    dialog.get_by_role("combobox", name="Folder").fill(str(folder))
    expect(dialog.get_by_text("Not a git repository")).to_be_visible()
    picture(page, "3-new-run")
    dialog.get_by_role("button", name="Start run").click()
    expect(dialog).to_have_count(0)


def answer_its_question(page: Page, picture: Picture) -> str:
    question = page.locator("[data-question]")
    expect(question).to_contain_text("Which greeting do you like?", timeout=_SECONDS)
    picture(page, "4-question")
    question.get_by_role("button", name="Hello").click()
    expect(_messages(page).filter(has_text="The greeting is in").last).to_be_visible(timeout=_SECONDS)
    expect(page.get_by_role("textbox", name="Continue this run")).to_be_visible(timeout=_SECONDS)
    return page.url


def see_the_change(page: Page, folder: Path, picture: Picture) -> None:
    assert (folder / "greeting.txt").read_text().strip() == "Hello, world!"
    call = _messages(page).filter(has_text="greeting.txt").filter(has_text="+1").first
    expect(call.get_by_title(re.compile("^Diff of .*greeting.txt$"))).to_contain_text("+Hello, world!")
    expect(page.get_by_role("region", name="Changes")).to_contain_text("greeting.txt")
    picture(page, "5-change")


def fork_it(page: Page, picture: Picture) -> None:
    row = _messages(page).filter(has_text="I will write a greeting.").last
    row.hover()
    row.get_by_role("button", name=re.compile("Actions for message")).click()
    page.get_by_role("menuitem", name="Fork here").click()
    fork = page.get_by_role("region", name="Fork")
    fork.get_by_role("textbox").fill("@write greeting.txt Ahoy, world!\n@say The greeting is nautical now.")
    picture(page, "6-fork")
    fork.get_by_role("button", name="Fork").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("(fork)", timeout=_SECONDS)
    expect(_messages(page).filter(has_text="The greeting is nautical now.").last).to_be_visible(timeout=_SECONDS)


def compare_both(page: Page, run: str, picture: Picture) -> None:
    fork = page.url
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    expect(page.get_by_role("list", name="Runs").get_by_role("listitem")).to_have_count(len(_TOPICS) + 2)
    for count, url in enumerate((run, fork), 1):
        address = url.rpartition("/runs/")[2].partition("?")[0]
        row = (
            page.get_by_role("list", name="Runs")
            .get_by_role("listitem")
            .filter(has=page.locator(f"a[href*='{address}']"))
        )
        row.hover()
        row.get_by_role("checkbox").click()
        expect(page.get_by_text(f"{count} selected")).to_be_visible()
    page.get_by_role("button", name="Compare").click()
    expect(page).to_have_url(re.compile("/compare"))
    expect(page.get_by_text("(fork)").first).to_be_visible()
    picture(page, "7-compare")


def export_one(page: Page, run: str, picture: Picture) -> Path:
    page.goto(run)
    _messages(page).first.wait_for()
    page.get_by_role("button", name="More actions").click()
    item = page.get_by_role("menuitem", name=EXPORT)
    expect(item).to_be_visible()
    picture(page, "8-export")
    with page.expect_download() as download:
        item.click()
    return download.value.path()


def _messages(page: Page) -> Locator:
    return page.get_by_role("list", name="Messages").get_by_role("article")
