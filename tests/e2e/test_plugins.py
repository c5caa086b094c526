"""Plugins of two roots: list, badges, content in tabs, broken ones with the way to repair them; secrets stay hidden."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.browser import Studio, Watched, assert_accessible, serve
from tests.support.plugin_seed import PASSWORD, SECRET, seed_many, seed_plugins
from tests.support.seed import rich_home
from tests.support.studio import settings_in

Visit = Callable[..., Watched]


@pytest.fixture(scope="module")
def equipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A server whose home and Claude Code have plugins."""
    folder = tmp_path_factory.mktemp("plugins")
    settings = settings_in(folder)
    rich_home(settings)
    seed_plugins(Path(settings.home), folder / "claude")
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CLAUDE_CONFIG_DIR", str(folder / "claude"))
            running = stack.enter_context(serve(folder))
        yield Studio(running, settings, None)


def rows(page: Page, name: str = "Plugins") -> Locator:
    return page.get_by_role("list", name=name, exact=True).get_by_role("listitem")


def open_plugin(page: Page, name: str, version: str) -> None:
    row = rows(page).filter(has_text=name).filter(has_text=version)
    row.get_by_role("link", name=name).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_list_shows_roots_versions_and_what_did_not_load(visit: Visit, equipped: Studio) -> None:
    page = visit(equipped).open("plugins")
    expect(rows(page)).to_have_count(5)
    current = rows(page).filter(has_text="v1.4.0")
    expect(current).to_contain_text("2 skills · 1 agent · 1 command · 1 hook · 2 MCP servers")
    expect(current).to_contain_text("read-only")
    expect(current).to_contain_text("Claude Code")
    expect(rows(page).filter(has_text="v1.3.0")).to_contain_text("older version")
    expect(rows(page).filter(has_text="v0.9.0")).to_contain_text("Lion Studio")
    expect(rows(page).filter(has_text="deploy")).to_contain_text("marketplace")
    broken = rows(page, "Plugins that did not load").filter(has=page.get_by_role("link", name="torn"))
    expect(broken.get_by_role("list", name="Problems")).to_contain_text("is not valid JSON")
    expect(broken).to_contain_text("Correct it, or move it away")
    folders = page.get_by_role("region", name="Plugins").get_by_text("folders searched")
    folders.click()
    expect(page.get_by_role("region", name="Plugins")).to_contain_text(re.compile(r"claude/plugins.*4 plugins"))


def test_filter_and_root_are_in_the_address(visit: Visit, equipped: Studio) -> None:
    page = visit(equipped).open("plugins")
    expect(rows(page)).to_have_count(5)
    page.get_by_role("textbox", name="Filter plugins and skills…").fill("review")
    expect(rows(page)).to_have_count(3)
    expect(page).to_have_url(re.compile(r"\?q=review"))
    page.goto(f"{equipped.running.url}plugins?q=review&root=home")
    expect(rows(page)).to_have_count(1)
    page.get_by_role("button", name="Clear").click()
    expect(rows(page)).to_have_count(5)


def test_tabs_show_content_and_hide_secrets(visit: Visit, equipped: Studio) -> None:
    page = visit(equipped).open("plugins")
    open_plugin(page, "code-review", "v1.4.0")
    expect(page.get_by_role("tab", name="Skills 2")).to_have_attribute("aria-selected", "true")
    page.get_by_text("Find injection and secrets").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("Read checklist.md first.")
    expect(page.get_by_role("tabpanel")).to_contain_text("scripts/scan.py")

    page.get_by_role("tab", name="Agents 1").click()
    expect(page).to_have_url(re.compile("tab=agents"))
    page.reload()
    expect(page.get_by_role("tabpanel")).to_contain_text("You read diffs.")
    page.get_by_role("tab", name="Hooks 1").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("PreToolUse")
    expect(page.get_by_role("tabpanel")).to_contain_text("guard --token [REDACTED")
    page.get_by_role("tab", name="MCP 2").click()
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("GITHUB_TOKEN=•••")
    expect(panel).to_contain_text("LOG_LEVEL=•••")
    expect(panel).to_contain_text("https://tracker.example/mcp")
    expect(panel).to_contain_text("Authorization=•••")
    for address in ("api/plugins", f"api/plugins/{page.url.partition('plugin=')[2].partition('&')[0]}"):
        answer = page.request.get(
            equipped.running.url + address, headers={"Authorization": f"Bearer {equipped.running.token}"}
        )
        assert answer.ok
        assert SECRET not in answer.text()
        assert PASSWORD not in answer.text()


def test_readme_is_hostile_text(visit: Visit, equipped: Studio) -> None:
    page = visit(equipped).open("plugins")
    open_plugin(page, "code-review", "v1.4.0")
    page.get_by_role("tab", name="README").click()
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("Reviews pull requests.")
    expect(panel).to_contain_text("<script>")
    assert panel.locator("script, img, iframe, svg, a[href^=javascript], a[href^=data]").count() == 0


def test_agents_and_skills_are_linked(visit: Visit, equipped: Studio) -> None:
    page = visit(equipped).open("plugins")
    skill = page.get_by_role("list", name="Skills").get_by_role("link", name="code-review:tests")
    skill.click()
    expect(page.get_by_role("tabpanel")).to_contain_text("Break the code, run the tests.")
    page.get_by_role("tab", name="Agents 1").click()
    page.get_by_role("tabpanel").get_by_role("link", name="Agents").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("reviewer")


def test_broken_plugin_says_how_to_repair_it(visit: Visit, equipped: Studio) -> None:
    page = visit(equipped).open("plugins")
    rows(page, "Plugins that did not load").get_by_role("link", name="listed").click()
    expect(page.get_by_role("list", name="Problems")).to_contain_text(
        "The manifest is not a JSON object", ignore_case=True
    )
    expect(page.get_by_role("tabpanel")).to_contain_text("No README")
    page.keyboard.press("Escape")
    expect(rows(page)).to_have_count(5)


def test_plugins_are_accessible(visit: Visit, equipped: Studio) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            page = visit(equipped, color_scheme=scheme, viewport={"width": width, "height": 844}).open("plugins")
            expect(rows(page)).to_have_count(5)
            assert_accessible(page)
            open_plugin(page, "code-review", "v1.4.0")
            for tab in ("Skills", "Hooks", "MCP", "README"):
                page.get_by_role("tab", name=re.compile(f"^{tab}")).click()
                expect(page.get_by_role("tab", name=re.compile(f"^{tab}"))).to_have_attribute("aria-selected", "true")
                assert_accessible(page)


def test_no_plugins_and_fifty(visit: Visit, fresh: Studio) -> None:
    page = visit(fresh).open("plugins")
    expect(page.get_by_text("No plugins", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Plugins")).to_contain_text("home/plugins")
    seed_many(Path(fresh.settings.home), 50)
    page.reload()
    expect(rows(page)).to_have_count(50)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("plugin-01")
