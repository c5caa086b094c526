"""Start, repeat, continue and fork runs on the page, without a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.browser import Studio, Watched, assert_accessible, serve
from tests.support.repositories import make_repo
from tests.support.seed import li
from tests.support.studio import settings_in
from tests.support.transcripts import ClaudeTranscript

Visit = Callable[..., Watched]
_SECONDS = 40_000
PLAYBOOK = """\
description: Greets somebody
agent: script
prompt: |
  @say Hello {who}, {times} times, loud: {loud}. {input}
args:
  who: {type: str, required: true, help: Whom to greet}
  times: {type: int, default: 2}
  loud: {type: bool, default: false}
"""


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def messages(page: Page) -> Locator:
    return page.get_by_role("list", name="Messages").get_by_role("article")


def choose(page: Page, label: str, option: str) -> None:
    dialog(page).get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=re.compile(f"^{option}")).click()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "work"
    place.mkdir()
    return place


def test_new_run_starts_an_agent_and_opens_it(visit: Visit, fresh: Studio, folder: Path) -> None:
    page = visit(fresh).open("runs")
    page.get_by_text("No runs yet").wait_for()
    page.keyboard.press("c")
    choose(page, "Agent", "script")
    dialog(page).get_by_role("combobox", name="Folder").fill(str(folder))
    expect(dialog(page).get_by_text("Not a git repository")).to_be_visible()
    dialog(page).get_by_role("textbox", name="Prompt").fill("@say It runs.\n@write note.txt hello")
    page.keyboard.press("Control+Enter")

    expect(dialog(page)).to_have_count(0)
    expect(messages(page).filter(has_text="It runs.").last).to_be_visible(timeout=_SECONDS)
    assert (folder / "note.txt").read_text().strip() == "hello"


def test_new_run_explains_the_scripted_agent(visit: Visit, fresh: Studio, folder: Path) -> None:
    page = visit(fresh).open("runs")
    page.get_by_text("No runs yet").wait_for()
    page.keyboard.press("c")
    choose(page, "Agent", "script")
    dialog(page).get_by_role("button", name="What the scripted agent understands").click()
    assert_accessible(page)
    dialog(page).get_by_role("combobox", name="Folder").fill(str(folder))
    dialog(page).get_by_role("button", name="Run a command, then fail").click()
    expect(dialog(page).get_by_role("textbox", name="Prompt")).to_have_value(re.compile("^@run .*\n@fail "))
    dialog(page).get_by_role("button", name="Start run").click()
    end = page.get_by_role("region", name="Why the run ended")
    expect(end).to_contain_text("Nothing to do here", timeout=_SECONDS)
    page.goto(fresh.running.url + "runs")
    expect(page.get_by_role("list", name="Runs")).to_contain_text("Nothing to do here")


def test_new_run_shows_errors_at_their_fields(visit: Visit, fresh: Studio, folder: Path) -> None:
    page = visit(fresh).open("runs")
    page.get_by_role("button", name="New run").click()
    choose(page, "Agent", "script")
    prompt, place = (
        dialog(page).get_by_role("textbox", name="Prompt"),
        dialog(page).get_by_role("combobox", name="Folder"),
    )
    start = dialog(page).get_by_role("button", name="Start run")
    start.click()
    expect(dialog(page).get_by_text("Write what the agent shall do")).to_be_visible()

    place.fill("/nowhere/at/all")
    expect(dialog(page).get_by_text("This folder does not exist")).to_be_visible()
    prompt.fill("@say hello")
    start.click()
    expect(dialog(page).get_by_text("choose an existing folder", exact=False)).to_be_visible()

    place.fill(str(folder))
    prompt.fill("@unknown line")
    start.click()
    expect(dialog(page).get_by_text(re.compile("line 1 of the script"))).to_be_visible()
    expect(prompt).to_have_attribute("aria-invalid", "true")
    assert json.loads(li(fresh.settings, "state", "ls", "--json"))["sessions"] == []


def test_new_run_fills_in_the_arguments_of_a_playbook(visit: Visit, fresh: Studio, folder: Path) -> None:
    playbooks = Path(fresh.settings.home) / "playbooks"
    playbooks.mkdir()
    (playbooks / "greet.yaml").write_text(PLAYBOOK)
    page = visit(fresh).open("playbooks/greet")
    page.get_by_role("button", name="Run…").click()
    dialog(page).get_by_role("combobox", name="Folder").fill(str(folder))
    dialog(page).get_by_role("button", name="Start run").click()
    expect(dialog(page).get_by_text("Required", exact=True)).to_be_visible()

    dialog(page).get_by_role("textbox", name="who").fill("Ada")
    dialog(page).get_by_role("spinbutton", name="times").fill("3")
    dialog(page).get_by_role("checkbox", name="loud").check()
    dialog(page).get_by_role("textbox", name="Input").fill("Welcome.")
    dialog(page).get_by_role("button", name="Start run").click()
    answer = messages(page).filter(has_text="Hello Ada, 3 times, loud: true. Welcome.")
    expect(answer.last).to_be_visible(timeout=_SECONDS)


def test_run_again_repeats_the_request_and_links_both_runs(visit: Visit, fresh: Studio, folder: Path) -> None:
    command = ("agent", "script", "@say Once more.", "--name", "nightly", "--timeout", "600", "--cwd", str(folder))
    li(fresh.settings, *command)
    run = json.loads(li(fresh.settings, "state", "ls", "--json"))["sessions"][0]["id"]
    page = visit(fresh).open(f"runs/{run}")
    page.get_by_role("button", name="Run again…").click()
    expect(dialog(page).get_by_role("textbox", name="Prompt")).to_have_value("@say Once more.")
    expect(dialog(page).get_by_role("combobox", name="Folder")).to_have_value(str(folder))
    expect(dialog(page).get_by_role("textbox", name="Timeout")).to_have_value("10")
    dialog(page).get_by_role("textbox", name="Prompt").fill("@say Better now.")
    dialog(page).get_by_role("button", name="Start run").click()

    expect(messages(page).filter(has_text="Better now.").last).to_be_visible(timeout=_SECONDS)
    header = page.locator("main header")
    expect(header.get_by_text("Repeats", exact=True)).to_be_visible()
    header.get_by_role("link", name="nightly").click()
    expect(page).to_have_url(re.compile(run))
    expect(page.get_by_role("list", name="Continued in")).to_contain_text("Run again as nightly")


def test_continue_goes_to_a_new_run_that_reads_as_one_thread(visit: Visit, fresh: Studio, folder: Path) -> None:
    li(fresh.settings, "agent", "script", "@say The first answer", "--name", "origin", "--cwd", str(folder))
    page = visit(fresh).open("runs")
    page.get_by_role("list", name="Runs").get_by_role("link", name="origin").click()
    box = page.get_by_role("textbox", name="Continue this run")
    box.fill("@say The second answer")
    box.press("Control+Enter")

    expect(messages(page).filter(has_text="The second answer").last).to_be_visible(timeout=_SECONDS)
    earlier = messages(page).filter(has_text="The first answer").last
    expect(earlier).to_have_attribute("data-inherited", "true")
    expect(page.get_by_text("Continued here")).to_be_visible()
    assert_accessible(page)
    page.locator("main header").get_by_role("link", name="origin").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("origin")
    expect(page.get_by_role("list", name="Continued in")).to_contain_text("completed")
    page.get_by_role("list", name="Continued in").get_by_role("link").click()
    expect(messages(page).filter(has_text="The second answer").last).to_be_visible()


def test_fork_from_a_message_opens_the_fork(visit: Visit, fresh: Studio, folder: Path) -> None:
    li(fresh.settings, "agent", "script", "@say One\n@say Two\n@say Three", "--name", "origin", "--cwd", str(folder))
    page = visit(fresh).open("runs")
    page.get_by_role("list", name="Runs").get_by_role("link", name="origin").click()
    row = messages(page).filter(has_text="Two").last
    row.hover()
    row.get_by_role("button", name=re.compile("Actions for message")).click()
    page.get_by_role("menuitem", name="Fork here").click()
    box = page.get_by_role("region", name="Fork").get_by_role("textbox")
    expect(box).to_be_focused()
    assert_accessible(page)
    box.fill("@say Another way")
    page.get_by_role("region", name="Fork").get_by_role("button", name="Fork").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("origin (fork)", timeout=_SECONDS)
    expect(messages(page).filter(has_text="Another way").last).to_be_visible(timeout=_SECONDS)
    expect(messages(page).filter(has_text="Two").last).to_have_attribute("data-inherited", "true")
    own = messages(page).and_(page.locator("[data-inherited=false]"))
    expect(own.filter(has_text="Three")).to_have_count(0)


def test_run_that_cannot_be_continued_says_why(visit: Visit, fresh: Studio, folder: Path) -> None:
    li(fresh.settings, "agent", "script", "@say hi", "--name", "gone", "--cwd", str(folder))
    folder.rmdir()
    page = visit(fresh).open("runs")
    page.get_by_role("list", name="Runs").get_by_role("link", name="gone").click()
    expect(page.get_by_text("Cannot be continued here:")).to_be_visible()
    expect(page.get_by_role("textbox", name="Continue this run")).to_have_count(0)


def test_run_page_says_why_a_started_run_did_not_begin(visit: Visit, fresh: Studio) -> None:
    body = {"verb": "agent", "target": "script", "prompt": "@say x", "options": {"timeout": 10**9}}
    status, answer = fresh.running.ask("POST", "/api/launches", body)
    assert status == 201
    page = visit(fresh).open(f"runs/{answer['launch']['id']}")
    expect(page.get_by_text("The run did not start")).to_be_visible(timeout=_SECONDS)
    expect(page.get_by_text(re.compile("--timeout"))).to_be_visible()


def test_show_is_planned_from_the_dialog(visit: Visit, fresh: Studio, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    page = visit(fresh).open("shows")
    page.keyboard.press("c")
    dialog(page).get_by_text("Show", exact=True).click()
    expect(dialog(page).locator("input[value=script]")).to_have_count(0)  # it has no model to draft with
    dialog(page).get_by_text("Template", exact=True).click()
    dialog(page).get_by_role("textbox", name="Topic").fill("tidy up")
    dialog(page).get_by_role("combobox", name="Folder").fill(str(repo))
    dialog(page).get_by_role("button", name="Write plan").click()
    expect(dialog(page).get_by_text("Use lowercase letters")).to_be_visible()
    dialog(page).get_by_role("textbox", name="Topic").fill("tidy-up")
    dialog(page).get_by_role("button", name="Write plan").click()

    done = page.get_by_role("alert").filter(has_text="Plan of tidy-up: done")
    expect(done).to_be_visible(timeout=_SECONDS)
    done.get_by_role("link", name="Open").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("tidy-up")


@pytest.fixture
def with_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Studio]:
    """An empty home on a machine with three sessions of Claude Code."""
    claude = tmp_path / "claude"
    for name in ("a", "b", "c"):
        ClaudeTranscript(claude, f"{name}0000000-0000-4000-8000-000000000000").talk(3)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(claude))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    with serve(tmp_path, "--no-follow") as running:
        yield Studio(running, settings_in(tmp_path), None)


def test_empty_home_imports_the_history(visit: Visit, with_history: Studio) -> None:
    page = visit(with_history).open()
    button = page.get_by_role("button", name="Import 3 Claude Code sessions")
    expect(button).to_be_visible()
    expect(page.get_by_text(f"li mirror claude --follow --home {with_history.settings.home}")).to_be_visible()
    button.click()
    done = page.get_by_role("alert").filter(has_text="Import of Claude Code history: done")
    expect(done).to_be_visible(timeout=_SECONDS)
    expect(page.get_by_role("heading", name="Recent runs")).to_be_visible()


def test_job_is_announced_after_a_reload(visit: Visit, with_history: Studio) -> None:
    page = visit(with_history).open()
    page.get_by_role("button", name="Import 3 Claude Code sessions").click()
    page.wait_for_function("() => JSON.parse(localStorage.getItem('lion-jobs') ?? '[]').length === 1")
    page.goto(f"{with_history.running.url}admin")
    page.reload()
    done = page.get_by_role("alert").filter(has_text="Import of Claude Code history: done")
    expect(done).to_be_visible(timeout=_SECONDS)
    assert page.evaluate("localStorage.getItem('lion-jobs')") == "[]"


def test_empty_home_runs_the_demo_in_this_home(visit: Visit, fresh: Studio) -> None:
    page = visit(fresh).open()
    page.get_by_role("button", name="Run the demo here").click()
    expect(page.get_by_role("alert").filter(has_text="Demo show: done")).to_be_visible(timeout=_SECONDS)
    page.goto(f"{fresh.running.url}shows/lighthouse")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("lighthouse"))
    assert fresh.running.ask("POST", "/api/shows/lighthouse/actions", {"action": "abort"})[0] == 201


def test_empty_home_says_why_a_job_failed(visit: Visit, fresh: Studio) -> None:
    (Path(fresh.settings.shows) / "lighthouse").mkdir()
    page = visit(fresh).open()
    page.get_by_role("button", name="Run the demo here").click()
    section = page.get_by_role("region", name="Watch a show")
    expect(section.get_by_role("alert")).to_contain_text("exists already", timeout=_SECONDS)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_dialog_and_empty_home_are_accessible(visit: Visit, fresh: Studio, scheme: str, width: int) -> None:
    page = visit(fresh, color_scheme=scheme, viewport={"width": width, "height": 844}).open()
    page.get_by_role("button", name=re.compile("^Run the scripted agent|^Ask ")).wait_for()
    assert_accessible(page)
    page.get_by_role("button", name="New run").click()
    dialog(page).get_by_role("button", name=re.compile("Model, permissions")).click()
    expect(dialog(page).get_by_role("combobox", name="Sandbox")).to_be_visible()
    assert_accessible(page)
    dialog(page).get_by_text("Show", exact=True).click()
    assert_accessible(page)
