"""Agents and playbooks: view, editor, version history and conflicts with the file on disk."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched, assert_accessible

Open = Callable[..., Page]
TEXT = "---\ndescription: Looks at changes\nmodel: claude/sonnet\n---\n\nYou are careful.\n"


def editor(page: Page, name: str = "looker") -> None:
    """Put the cursor at the end of the text."""
    page.get_by_role("textbox", name=f"Text of {name}").click()
    page.keyboard.press("Control+End")


def agent(studio: Studio) -> Path:
    """A definition on disk."""
    path = Path(studio.settings.home) / "agents" / "looker.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEXT)
    return path


def test_agent_is_edited_saved_compared_and_rolled_back(visit: Callable[..., Watched], fresh: Studio) -> None:
    path = agent(fresh)
    page = visit(fresh).open("agents/looker")
    expect(page.get_by_text("You are careful.")).to_be_visible()
    page.keyboard.press("e")
    editor(page)
    page.keyboard.type("You name the line.")
    page.keyboard.press("Escape")
    page.keyboard.type("it should name lines")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").get_by_text("Saved", exact=True)).to_be_visible()
    assert path.read_text() == TEXT + "You name the line."

    page.get_by_role("button", name="Versions").click()
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text("it should name lines")
    drawer.get_by_role("button", name=re.compile("^1")).click()
    expect(drawer.get_by_label("Changes of version 1")).to_contain_text("You name the line.")
    drawer.get_by_role("button", name="Roll back to version 1").click()
    expect(page.get_by_text("Rolled back looker to version 1")).to_be_visible()
    assert path.read_text() == TEXT
    expect(drawer.get_by_role("listitem")).to_have_count(3)
    # A version with the current text offers no rollback.
    expect(drawer.get_by_text("Same as the current text")).to_be_visible()
    expect(drawer.get_by_role("button", name="Roll back to version 1")).to_have_count(0)


def test_invalid_text_is_refused_and_nothing_is_saved(visit: Callable[..., Watched], fresh: Studio) -> None:
    path = agent(fresh)
    page = visit(fresh).open("agents/looker?view=edit")
    page.get_by_role("textbox", name="Text of looker").click()
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.type("\nmodel: [")
    page.keyboard.press("Control+s")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("invalid agent: line")
    expect(alert.get_by_text("Saved", exact=True)).to_have_count(0)
    expect(page.get_by_role("list", name="Problems").get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_text("Correct 1 error to save")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    expect(page.locator(".cm-lint-marker-error")).to_have_count(1)
    assert path.read_text() == TEXT
    assert_accessible(page)


def test_invalid_file_shows_its_error_once(open_page: Open) -> None:
    page = open_page("agents/broken")
    problems = page.get_by_role("list", name="Problems")
    expect(problems).to_contain_text("line 3")
    error = problems.get_by_role("listitem").first.inner_text().split(": ", 1)[1].split(".")[0]
    expect(page.get_by_text(error)).to_have_count(1)
    expect(page.get_by_role("button", name="Run", exact=True)).to_have_count(0)


def test_playbook_shows_arguments_agent_and_coloured_text(visit: Callable[..., Watched], fresh: Studio) -> None:
    agent(fresh)
    path = Path(fresh.settings.home) / "playbooks" / "audit.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "description: Look into it\nagent: looker\nargs:\n"
        "  depth: {type: int, default: 2, help: how deep to look}\n  area: {required: true}\n"
        "prompt: |\n  Look at {input} {area} {depth}. ```<img src=x onerror=alert(1)>\n"
    )
    page = visit(fresh).open("playbooks/audit")
    table = page.get_by_role("table", name="Arguments")
    expect(table.get_by_role("row").filter(has_text="depth")).to_contain_text("integer2how deep to look")
    expect(table.get_by_role("row").filter(has_text="area")).to_contain_text("textrequired")
    text = page.get_by_role("region", name="Text")
    expect(text.locator(".hljs-attr").first).to_have_text("description:")
    expect(text).to_contain_text("<img src=x onerror=alert(1)>")
    assert text.locator("img").count() == 0
    assert_accessible(page)
    page.get_by_role("link", name="looker").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("looker")


def test_definition_leads_to_its_runs(open_page: Open) -> None:
    page = open_page("agents/reviewer")
    page.get_by_role("link", name="All runs of reviewer").click()
    expect(page).to_have_url(re.compile(r"/runs\?agent=.*reviewer"))


def test_duplicate_and_delete_keep_the_history(visit: Callable[..., Watched], fresh: Studio) -> None:
    path = agent(fresh)
    page = visit(fresh).open("agents/looker")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Duplicate…").click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value("looker-copy")
    page.get_by_role("button", name="Duplicate", exact=True).click()
    expect(page.get_by_role("textbox", name="Text of looker-copy")).to_contain_text("You are careful.")
    assert path.with_name("looker-copy.md").read_text() == TEXT

    page = visit(fresh).open("agents/looker")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Delete…").click()
    dialog = page.get_by_role("dialog", name="Delete looker?")
    expect(dialog).to_contain_text(str(path))
    dialog.get_by_role("button", name="Delete agent").click()
    rows = page.get_by_role("list", name="Agents").get_by_role("listitem")
    expect(rows).to_have_count(1)
    assert not path.exists()

    page.goto(f"{fresh.running.url}agents/looker")
    expect(page.get_by_text("looker was deleted")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.get_by_text("You are careful.")).to_be_visible()
    assert path.read_text() == TEXT


def test_empty_list_creates_the_first_one(visit: Callable[..., Watched], fresh: Studio) -> None:
    page = visit(fresh).open("agents")
    empty = page.get_by_text("No agents yet").locator("..")
    empty.get_by_role("button", name="New agent").click()
    expect(page.get_by_role("dialog", name="New agent")).to_be_visible()


def test_editor_shows_problems_while_typing(visit: Callable[..., Watched], fresh: Studio) -> None:
    agent(fresh)
    page = visit(fresh).open("agents/looker?view=edit")
    page.get_by_role("textbox", name="Text of looker").click()
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.type("\nmodel: [")
    expect(page.get_by_role("list", name="Problems")).to_contain_text(re.compile("line"))


def test_conflict_dialog_keeps_my_version(visit: Callable[..., Watched], fresh: Studio) -> None:
    path = agent(fresh)
    page = visit(fresh).open("agents/looker?view=edit")
    editor(page)
    page.keyboard.type("Mine.")
    path.write_text(TEXT + "Theirs.\n")
    page.keyboard.press("Control+s")
    dialog = page.get_by_role("dialog", name="Changed on disk")
    expect(dialog).to_contain_text("Theirs.")
    expect(dialog).to_contain_text("Mine.")
    assert path.read_text() == TEXT + "Theirs.\n"

    dialog.get_by_role("button", name="Continue editing").click()
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="Save").click()
    dialog.get_by_role("button", name="Keep my version").click()
    expect(dialog).to_have_count(0)
    assert path.read_text() == TEXT + "Mine."

    page.get_by_role("button", name="Versions").click()
    expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(3)


def test_conflict_dialog_uses_the_version_on_disk(visit: Callable[..., Watched], fresh: Studio) -> None:
    path = agent(fresh)
    page = visit(fresh).open("agents/looker?view=edit")
    editor(page)
    page.keyboard.type("Mine.")
    path.write_text(TEXT + "Theirs.\n")
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="Use version on disk").click()
    expect(page.get_by_role("textbox", name="Text of looker")).to_contain_text("Theirs.")
    expect(page.get_by_role("textbox", name="Text of looker")).not_to_contain_text("Mine.")
    assert path.read_text() == TEXT + "Theirs.\n"


def test_new_playbook_opens_in_the_editor(visit: Callable[..., Watched], fresh: Studio) -> None:
    page = visit(fresh).open("playbooks")
    page.keyboard.press("n")
    page.get_by_role("textbox", name="Name").fill("tidy")
    page.get_by_role("button", name="Create").click()
    expect(page.get_by_role("textbox", name="Text of tidy")).to_contain_text("prompt")
    assert (Path(fresh.settings.home) / "playbooks" / "tidy.playbook.yaml").is_file()


def test_invalid_file_is_listed_with_its_error(open_page: Open) -> None:
    page = open_page("agents")
    rows = page.get_by_role("list", name="Agents").get_by_role("listitem")
    expect(rows).to_have_count(6)
    expect(rows.filter(has_text="broken")).to_contain_text(re.compile("line|YAML|read", re.IGNORECASE))


def test_definitions_are_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}}
            for path in ("agents", "agents/reviewer", "playbooks/ship-it", "plugins"):
                assert_accessible(open_page(path, **options))
            page = open_page("agents/reviewer?view=edit", **options)
            page.get_by_role("textbox", name="Text of reviewer").wait_for()
            assert_accessible(page)


def test_unsaved_guard_asks_before_leaving(visit: Callable[..., Watched], fresh: Studio) -> None:
    path = agent(fresh)
    page = visit(fresh).open("agents/looker?view=edit")
    editor(page)
    page.keyboard.type("Not saved.")
    page.get_by_role("link", name="Runs").click()
    dialog = page.get_by_role("dialog", name="Leave without saving?")
    dialog.get_by_role("button", name="Keep editing").click()
    expect(page.get_by_role("textbox", name="Text of looker")).to_contain_text("Not saved.")
    page.get_by_role("link", name="Runs").click()
    dialog.get_by_role("button", name="Discard changes").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    assert path.read_text() == TEXT
