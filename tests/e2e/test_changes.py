"""What a run changed: diffs in the transcript, the section Changes, Compare, and exports that people can share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import Studio, Watched, assert_accessible, serve
from tests.support.changes import edited_home
from tests.support.studio import settings_in

Visit = Callable[..., Watched]


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A home with a transcript of Claude Code, one of Codex, and a run of an ACP agent; all of them changed files."""
    folder = tmp_path_factory.mktemp("edited")
    settings = settings_in(folder)
    edited_home(settings, folder)
    with serve(folder) as running:
        yield Studio(running, settings, None)


def open_run(visit: Visit, edited: Studio, name: str, **options: object) -> Page:
    """Open a run by its name in the list."""
    page = visit(edited, **options).open("runs")
    page.get_by_role("link", name=name).first.click()
    page.get_by_role("list", name="Messages").wait_for()
    return page


def test_claude_edits_are_diffs_with_real_line_numbers(visit: Visit, edited: Studio) -> None:
    page = open_run(visit, edited, "Add rate limits")
    edit = page.get_by_role("article").filter(has_text="src/limits.py").filter(has_text="+2").first
    expect(edit.get_by_title("Diff of /home/u/demo/src/limits.py")).to_contain_text("-    return n < 10")
    first = edit.locator("[data-kind=same]").first
    assert first.get_attribute("data-numbers") == "41 41"
    expect(edit).to_contain_text("+2")
    expect(edit).to_contain_text("−1")
    expect(edit.locator(".hljs-keyword").first).to_be_visible()  # syntax colours by the name of the file
    expect(page.get_by_text("has been updated")).to_have_count(0)  # the diff says it
    assert_accessible(page)


def test_long_change_is_folded_and_opens(visit: Visit, edited: Studio) -> None:
    page = open_run(visit, edited, "Add rate limits")
    write = page.get_by_role("article").filter(has_text="tests/test_limits.py").first
    diff = write.get_by_title("Diff of /home/u/demo/tests/test_limits.py")
    expect(diff).not_to_contain_text("step_90")
    write.get_by_role("button", name="Show 88 more lines").click()
    expect(diff).to_contain_text("step_90")


def test_refused_edit_is_not_applied(visit: Visit, edited: Studio) -> None:
    page = open_run(visit, edited, "Add rate limits")
    refused = page.get_by_role("article").filter(has_text="Not applied: the call failed or was refused")
    expect(refused).to_contain_text("secrets.py")
    expect(refused).to_contain_text("The user doesn't want to proceed")


def test_changes_lists_files_and_leads_to_their_messages(visit: Visit, edited: Studio) -> None:
    page = open_run(visit, edited, "Add rate limits")
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text("3 files")
    file = changes.get_by_role("button", name="limits.py +2")
    expect(file).to_contain_text("+2")
    file.click()
    expect(changes.get_by_title("Diff of src/limits.py")).to_contain_text("+    return n < limit")
    assert_accessible(page)
    changes.get_by_role("button", name="#3", exact=True).click()
    expect(page).to_have_url(re.compile("m=3"))


@pytest.mark.parametrize("width", [1440, 390])
def test_wide_view_has_the_files_beside_the_diffs(visit: Visit, edited: Studio, width: int) -> None:
    page = open_run(visit, edited, "Add rate limits", viewport={"width": width, "height": 900})
    if width < 1000:
        page.get_by_role("navigation", name="Sections of this run").get_by_role("link", name="Changes").click()
    page.get_by_role("link", name="Wide view").click()
    wide = page.get_by_role("dialog", name=re.compile("Changes"))
    files = wide.get_by_role("navigation", name="Changed files")
    expect(files.get_by_role("button")).to_have_count(3)
    files.get_by_role("button", name="test_limits.py").click()
    expect(wide.get_by_role("region")).to_contain_text("step_90")  # not folded
    files.get_by_role("button", name="limits.py +2").first.click()
    expect(wide.get_by_title("Diff of src/limits.py")).to_contain_text("+    return n < limit")
    assert_accessible(page)
    wide.get_by_role("button", name="#3", exact=True).click()
    expect(wide).to_have_count(0)
    expect(page).to_have_url(re.compile("m=3"))


def test_codex_patches_and_acp_diffs_are_drawn(visit: Visit, edited: Studio) -> None:
    page = open_run(visit, edited, "Rename the parser")
    patch = page.get_by_role("article").filter(has_text="parser.py → lexer.py").first
    expect(patch).to_contain_text("Patch")
    expect(patch.get_by_title("Diff of lexer.py")).to_contain_text("+def lex(text):")
    changes = page.get_by_role("region", name="Changes")
    expect(changes.get_by_role("button", name="lexer.py")).to_contain_text("renamed")
    page = open_run(visit, edited, "Greet in two languages")
    expect(page.get_by_title("Diff of /home/u/demo/hello.txt").first).to_contain_text("+Hallo")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_diffs_fit_a_phone(visit: Visit, edited: Studio, scheme: str, tmp_path: Path) -> None:
    page = open_run(visit, edited, "Add rate limits", viewport={"width": 390, "height": 844}, color_scheme=scheme)
    page.get_by_title("Diff of /home/u/demo/src/limits.py").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert_accessible(page)


def test_compare_shows_the_files_that_each_run_changed(visit: Visit, edited: Studio) -> None:
    page = visit(edited).open("compare?a=run-acp&b=run-other")
    table = page.get_by_role("region", name="Changes").get_by_role("table")
    expect(table.get_by_role("row").filter(has_text="hello.txt")).to_contain_text("+1")
    expect(table.get_by_role("row").filter(has_text="other.txt")).to_contain_text("+3")
    assert_accessible(page)


def test_html_export_is_one_page_without_requests(
    visit: Visit, edited: Studio, browser: Browser, tmp_path: Path
) -> None:
    page = open_run(visit, edited, "Add rate limits")
    page.get_by_role("button", name="More actions").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="HTML page").click()
    target = tmp_path / "run.html"
    download.value.save_as(target)
    requests: list[str] = []
    problems: list[str] = []
    for scheme, width in (("light", 1280), ("dark", 390)):
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 844})  # type: ignore[arg-type]
        shared = context.new_page()
        shared.on("request", lambda request: requests.append(request.url))
        shared.on("console", lambda message: problems.append(message.text))
        shared.goto(f"{target.as_uri()}#m3")
        edit = shared.locator("#m3")
        expect(edit).to_contain_text("Edit src/limits.py")
        expect(edit.locator(".del")).to_have_text("-    return n < 10\n")
        assert (
            edit.locator(".add").first.evaluate("node => getComputedStyle(node).backgroundColor") != "rgba(0, 0, 0, 0)"
        )
        assert shared.evaluate("document.documentElement.scrollWidth") <= width
        assert_accessible(shared)
        context.close()
    assert set(requests) == {f"{target.as_uri()}#m3"} or set(requests) == {target.as_uri()}
    assert problems == []
