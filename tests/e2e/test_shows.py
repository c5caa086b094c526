"""Shows: list, graph panel, play details, timeline, decisions, live updates and actions."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.show_harness import ShowHarness

from lionstudio.files.shows.followed_plan import digest_of, save_accepted_plan
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.shows.show_files import PLAN
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.shows.process.lock import acquire_director_lock
from lionstudio.shows.records.decisions import log_decision
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.shows import put_play, put_show, transition_play
from lionstudio.system.filelock import RunLock

Open = Callable[..., Page]


def graph_panel(page: Page) -> Locator:
    """The graph above the table."""
    return page.locator("[data-plays]")


def node(page: Page, name: str) -> Locator:
    """A play in the graph."""
    return graph_panel(page).locator(f"[data-play='{name}']")


def row(page: Page, name: str) -> Locator:
    """A play in the table."""
    return page.get_by_role("region", name="Plays").locator(f"button[data-play='{name}']")


def test_show_list_shows_progress_and_opens_by_keyboard(open_page: Open) -> None:
    page = open_page("shows")
    shows = page.get_by_role("list", name="Shows")
    expect(shows.get_by_role("listitem")).to_have_count(2)
    expect(shows).to_contain_text("4/9 merged · checkout-api running")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/shows/checkout-flow"))
    row(page, "schema").wait_for()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("/shows$"))


def test_play_details_follow_the_order_of_adr_0011(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    row(page, "mails").click()
    expect(page).to_have_url(re.compile("play=mails"))
    opened = page.locator("#play-mails")
    expect(opened).to_contain_text("No plain-text part")

    text = opened.inner_text()
    titles = ["Open session", "Intent", "Duration", "Gate: failed", "Diff", "Raw data"]
    positions = [text.index(title) for title in titles]
    assert positions == sorted(positions)
    expect(opened.get_by_text("_meta.json")).to_have_count(0)

    opened.get_by_role("link", name="Open session").click()
    expect(page).to_have_url(re.compile("/runs/show-checkout-mails"))
    source = page.get_by_role("link", name=re.compile("checkout-flow")).first
    source.click()
    expect(page).to_have_url(re.compile("/shows/checkout-flow"))


def test_play_badges_have_the_tones_of_adr_0011(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    row(page, "schema").wait_for()

    def badges(name: str) -> list[tuple[str, str | None, str | None]]:
        badges = row(page, name).locator("[data-kind]").all()
        return [(b.inner_text(), b.get_attribute("data-kind"), b.get_attribute("data-tone")) for b in badges]

    tones = {"completed": "lifecycle", "passed": "gate", "merged": "integration"}
    assert badges("schema") == [(label, kind, "success") for label, kind in tones.items()]
    assert badges("checkout-api") == [("running", "lifecycle", "info")]
    assert badges("checkout-page")[0] == ("awaiting your approval", "lifecycle", "warning")
    assert badges("load-test") == [("pending", "lifecycle", "warning")]
    assert badges("mails")[:2] == [("failed", "lifecycle", "danger"), ("gate failed", "gate", "danger")]


def test_rows_and_graph_nodes_highlight_each_other(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    row(page, "prices").hover()
    expect(node(page, "prices")).to_have_attribute("data-marked", "true")
    expect(node(page, "basket")).to_have_attribute("data-marked", "false")
    node(page, "basket").hover()
    expect(page.locator("#play-basket")).to_have_attribute("data-marked", "true")

    node(page, "load-test").click()
    expect(row(page, "load-test")).to_have_attribute("aria-expanded", "true")
    expect(row(page, "load-test")).to_be_in_viewport()


def test_critical_path_and_blocked_plays_are_marked(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    expect(node(page, "checkout-api")).to_have_attribute("data-critical", "true")
    expect(node(page, "taxes")).to_have_attribute("data-critical", "false")
    expect(row(page, "receipts")).to_contain_text("blocked by mails")
    expect(page.get_by_role("region", name="Timeline")).to_contain_text("not started")


def test_blocked_play_names_its_blocker_on_a_phone(open_page: Open) -> None:
    page = open_page("shows/checkout-flow", viewport={"width": 390, "height": 844})
    expect(row(page, "receipts").get_by_text("blocked by mails")).to_be_visible()
    expect(row(page, "load-test").get_by_text("checkout-api, checkout-page")).to_be_hidden()


def test_hidden_graph_stays_hidden(visit: Callable[..., Watched], studio: Studio) -> None:
    browser = visit(studio)
    page = browser.open("shows/checkout-flow")
    page.get_by_role("button", name="Hide graph").click()
    expect(graph_panel(page)).to_have_count(0)
    again = browser.open("shows/docs-refresh")
    expect(again.get_by_role("button", name="Show graph")).to_be_visible()
    again.keyboard.press("h")
    expect(graph_panel(again)).to_be_visible()


@pytest.mark.parametrize(("count", "height"), [(4, 112), (5, 160), (20, 160), (21, 220), (200, 220)])
def test_graph_panel_height_follows_adr_0011(
    visit: Callable[..., Watched], fresh: Studio, count: int, height: int
) -> None:
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: put_show(conn, _show(fresh)))
        for number in range(count):
            needs = (f"p{number - 3}",) if number >= 3 else ()
            db.write(partial(put_play, play=_play(number, needs)))
    page = visit(fresh).open("shows/big")
    expect(page.get_by_role("region", name="Plays").get_by_role("listitem")).to_have_count(count)
    box = graph_panel(page).bounding_box()
    assert box is not None
    assert box["height"] == height
    expect(node(page, "p0")).to_be_visible()


def test_play_status_updates_live(visit: Callable[..., Watched], fresh: Studio) -> None:
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: put_show(conn, _show(fresh)))
        db.write(lambda conn: put_play(conn, _play(0, ())))
        page = visit(fresh).open("shows/big")
        expect(row(page, "p0")).to_contain_text("pending")
        for status, word in (("prepared", "pending"), ("running", "running"), ("running_complete", "awaiting gate")):
            db.write(partial(transition_play, show_id="show-big", name="p0", status=status))
            expect(row(page, "p0")).to_contain_text(word, timeout=3000)
        expect(node(page, "p0")).to_have_attribute("data-tone", "warning")


def test_show_works_by_keyboard(open_page: Open) -> None:
    page = open_page("shows/checkout-flow")
    row(page, "schema").wait_for()
    for key in ("j", "j", "Enter"):
        page.keyboard.press(key)
    expect(row(page, "prices")).to_have_attribute("aria-expanded", "true")
    expect(node(page, "prices")).to_have_attribute("data-marked", "true")
    page.locator("#play-prices").get_by_role("link", name="Open session").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/runs/show-checkout-prices"))


def test_action_requires_confirmation(open_page: Open) -> None:
    page = open_page("shows/checkout-flow?play=checkout-page")
    page.locator("#play-checkout-page").get_by_role("button", name="Reject").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Reject")).to_be_disabled()
    dialog.get_by_role("textbox").fill("Too slow.")
    expect(dialog.get_by_role("button", name="Reject")).to_be_enabled()
    dialog.get_by_role("button", name="Cancel").focus()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    # Escape closed only the dialog.
    expect(page).to_have_url(re.compile("play=checkout-page"))


def test_exhausted_budget_is_raised(visit: Callable[..., Watched], fresh: Studio) -> None:
    """On the show page and on Home; a rejection by li is shown as an error although the request succeeds."""
    folder = Path(fresh.settings.shows) / "big"
    folder.mkdir(parents=True)
    (folder / "_show.md").write_text("---\ngoal: big\nplays: [{name: play-0, prompt: x}]\n---\n")
    asked = {"what": "asked", "play": None, "reason": "token budget exhausted", "kind": "budget", "part": "tokens"}
    (folder / "_decisions.jsonl").write_text(json.dumps({**asked, "logged_at": time.time()}) + "\n")
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: put_show(conn, _show(fresh)))
        db.write(lambda conn: put_play(conn, _play(0, ())))
    page = visit(fresh).open("shows/big")
    page.get_by_role("button", name="Raise budget").click()
    dialog = page.get_by_role("dialog")
    grant = dialog.get_by_role("button", name="Raise budget")
    expect(dialog).to_contain_text("The budget of big is raised by this amount")
    dialog.get_by_label("Additional tokens").fill("many")
    expect(grant).to_be_disabled()
    dialog.get_by_label("Additional tokens").fill("5000")
    expect(grant).to_be_enabled()
    page.goto(page.url.split("/shows")[0] + "/")
    waiting = page.get_by_role("region", name="Needs you")
    waiting.get_by_role("button", name="Raise budget").click()
    dialog.get_by_label("Additional tokens").fill("5000")
    with RunLock.take(str(folder / "_director.lock")):  # prevents the start of a director
        dialog.get_by_role("button", name="Raise budget").click()
        expect(page.get_by_text("Budget of big raised")).to_be_visible(timeout=20_000)
    assert json.loads((folder / "_decision.json").read_text())["budget"] == {"tokens": 5000}


def test_rejected_action_is_shown_as_an_error(open_page: Open) -> None:
    page = open_page()
    refused = {"launch": {"exit_code": 4, "target": "approve"}, "output": "it is merged already"}
    page.route("**/api/shows/*/actions", lambda route: route.fulfill(status=201, json=refused))
    waiting = page.get_by_role("region", name="Needs you").get_by_role("listitem")
    waiting.filter(has_text="checkout-flow / mails").get_by_role("button", name="Approve").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("it is merged already")).to_be_visible()
    expect(dialog).to_be_visible()


def test_shows_are_accessible(open_page: Open) -> None:
    for scheme in ("light", "dark"):
        for width in (1440, 390):
            options = {"color_scheme": scheme, "viewport": {"width": width, "height": 844}}
            assert_accessible(open_page("shows", **options))
            page = open_page("shows/checkout-flow?play=mails", **options)
            page.get_by_text("No plain-text part").first.wait_for()
            assert_accessible(page)


def _show(studio: Studio) -> Show:
    folder = f"{studio.settings.shows}/big"
    return Show(id="show-big", topic="big", show_dir=folder, goal="Many plays", created_at=time.time())


def _play(number: int, needs: tuple[str, ...]) -> Play:
    return Play(
        id=f"play-{number}",
        show_id="show-big",
        name=f"p{number}",
        status=PlayStatus.PENDING,
        depends_on=needs,
        sort_order=number,
        created_at=time.time(),
    )


@pytest.fixture
def held_show(fresh: Studio) -> Iterator[str]:
    """A show whose edited plan drops a gate, with a commit that no gate has checked; its topic."""
    folder = Path(fresh.settings.shows) / "build"
    folder.mkdir()
    head = (
        "---\ngoal: x\nrepo: /repo\nbase_branch: main\nagent: script\nplays:\n  - {name: api, prompt: do it}\ngates:\n"
    )
    accepted = f"{head}  - command: [make, test]\n  - command: [make, lint]\n---\n"
    (folder / PLAN).write_text(f"{head}  - command: [make, test]\n---\n")
    save_accepted_plan(str(folder), accepted)
    log_decision(str(folder), "asked", play=None, reason="the edited plan weakens the show", kind="plan")
    facts = {"accepted_plan": digest_of(accepted), "foreign_commits": ["f" * 40]}
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: put_show(conn, Show(topic="build", show_dir=str(folder), metadata=facts)))
    lock = acquire_director_lock(str(folder))
    yield "build"
    lock.release()


@pytest.mark.parametrize("width", [1440, 390])
def test_dialog_lists_the_changes_that_are_held_back(
    visit: Callable[..., Watched], fresh: Studio, held_show: str, width: int
) -> None:
    page = visit(fresh, viewport={"width": width, "height": 844}).open(f"shows/{held_show}")
    page.get_by_role("button", name="Approve").first.click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("gates of the show: make lint is removed or changed")
    expect(dialog.locator("code")).to_have_text("f" * 12)
    expect(dialog.locator("code")).to_have_attribute("title", "f" * 40)
    assert dialog.evaluate("box => [...box.querySelectorAll('li')].every(line => line.scrollWidth <= line.clientWidth)")
    assert_accessible(page)


# ── a real show, directed by a process ──

CHECK = ["sh", "-c", "! grep -rn TODO src"]
PLAYS: dict[str, Any] = {
    "scaffold": "@usage 1200 90 4100\n@write src/tokens.txt KINDS\n@say done",
    "bench": {"prompt": "@write src/bench.txt TODO", "depends_on": ["scaffold"], "max_attempts": 2},
    "public-api": {
        "prompt": "@usage 500 50\n@write src/api.txt same\n@write README new\n@say done",
        "depends_on": ["scaffold"],
        "gates": [{"command": ["true"]}, {"person": "Is the public API the same?"}],
    },
    "report": {"prompt": "@write src/report.txt x", "depends_on": ["bench", "public-api"]},
}


@pytest.fixture
def directed(fresh: Studio, tmp_path: Path) -> Iterator[ShowHarness]:
    """A show whose director waits: bench is escalated, public-api is at the gate of a person."""
    harness = ShowHarness(tmp_path)
    harness.write_plan(
        PLAYS,
        goal="A parser that explains its errors",
        base_branch="main",
        gates=[{"command": CHECK}],
        budget={"tokens": 9000},
    )
    director = harness.start()
    try:
        harness.wait_until(lambda: (harness.statuses().get("bench"), harness.statuses().get("public-api")) == WAITING)
        yield harness
    finally:
        director.kill()
        director.communicate()


WAITING = ("escalated", "gated")


def card(page: Page, text: str) -> Locator:
    """The card of a question."""
    return page.locator("[data-question]").filter(has_text=text)


def test_person_decides_at_a_gate_with_question_checks_and_diff(
    visit: Callable[..., Watched], fresh: Studio, directed: ShowHarness
) -> None:
    page = visit(fresh, viewport={"width": 1440, "height": 900}).open("shows/demo")
    expect(page.get_by_text("waits for you: 2")).to_be_visible()
    expect(page.get_by_role("button", name="Resume")).to_have_count(0)
    gate = card(page, "Is the public API the same?")
    expect(gate).to_have_attribute("data-kind", "gate")
    checks = gate.get_by_role("list", name="Checks").get_by_role("listitem")
    expect(checks).to_have_count(1)
    expect(checks).to_contain_text("passed")
    expect(gate.locator("pre")).to_contain_text(["+same"])
    expect(gate).to_contain_text("goes back to its agent with your feedback: attempt 2 of")
    expect(row(page, "public-api").locator("[data-kind]")).to_have_text(["needs you", "local"])
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert_accessible(page)

    row(page, "public-api").click()
    opened = page.locator("#play-public-api")
    expect(opened.locator("[data-question]")).to_have_count(1)
    expect(opened.get_by_role("button", name="Approve")).to_have_count(1)
    opened.get_by_role("button", name="Approve").click()
    expect(row(page, "public-api").locator("[data-kind='integration']")).to_have_text("merged")
    log = page.get_by_role("region", name="Decisions")
    expect(log.get_by_role("listitem").first).to_contain_text("You approved public-api")
    expect(log.get_by_role("listitem").first).to_contain_text("on the page")


def test_redo_starts_with_the_feedback_of_failed_checks(
    visit: Callable[..., Watched], fresh: Studio, directed: ShowHarness
) -> None:
    page = visit(fresh).open("shows/demo")
    escalation = card(page, "bench is escalated")
    words = escalation.get_by_label("Words for the agent")
    expect(words).to_have_value(re.compile("src/bench.txt:1:TODO"))
    expect(escalation).to_contain_text("bench is merged as it is, even if its gates failed.")
    timeline = page.get_by_role("region", name="Timeline")
    bars = timeline.get_by_role("link", name=re.compile("^bench, attempt"))
    expect(bars).to_have_count(2)
    expect(bars.nth(1)).to_have_accessible_name(re.compile("attempt 2: agent .*, gates .*, waits for you"))
    words.fill("Measure it.")
    escalation.get_by_role("button", name="Redo").click()
    expect(bars).to_have_count(3)
    entry = page.get_by_role("region", name="Decisions").get_by_role("listitem").first
    expect(entry).to_contain_text("You sent bench back for another attempt")
    expect(entry).to_contain_text("Measure it.")
    bars.nth(0).click()
    expect(page).to_have_url(re.compile("/runs/"))


def test_blocked_play_leads_to_its_blocker(visit: Callable[..., Watched], fresh: Studio, directed: ShowHarness) -> None:
    page = visit(fresh, viewport={"width": 390, "height": 844}).open("shows/demo?play=report")
    opened = page.locator("#play-report")
    expect(opened).to_contain_text("Blocked by")
    expect(opened.get_by_role("button", name="Redo bench")).to_be_visible()
    expect(row(page, "report").locator("[data-kind='person']")).to_have_count(0)
    assert_accessible(page)
    opened.get_by_role("button", name="bench", exact=True).click()
    expect(row(page, "bench")).to_have_attribute("aria-expanded", "true")


def test_header_has_usage_against_the_budget_and_resumes_only_without_a_director(
    visit: Callable[..., Watched], fresh: Studio, directed: ShowHarness
) -> None:
    page = visit(fresh).open("shows/demo")
    about = page.get_by_role("region", name="About")
    expect(about).to_contain_text("Token budget")
    expect(about).to_contain_text("1.8k of 9k")
    expect(about.get_by_role("meter", name="Token budget")).to_be_visible()
    expect(about).to_contain_text("main → show/demo/integration")
    expect(row(page, "scaffold")).to_contain_text("+1 −0")
    os.kill(directed.director, signal.SIGKILL)
    directed.wait_until_director_exits()
    page.reload()
    expect(page.get_by_text("No director is running")).to_be_visible()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()


def test_show_list_filters_sorts_and_holds_many_shows(visit: Callable[..., Watched], fresh: Studio) -> None:
    with Database(fresh.settings.db) as db:

        def fill(conn: Connection) -> None:
            for number in range(200):
                show = Show(topic=f"show-{number:03}", show_dir=f"/tmp/{number}", goal=f"Goal {number}")
                stored = put_show(conn, show)
                status = PlayStatus.ESCALATED if number == 7 else PlayStatus.MERGED
                put_play(conn, Play(show_id=stored.id, name="only", status=status))

        db.write(fill)
    page = visit(fresh).open("shows")
    rows = page.get_by_role("list", name="Shows").get_by_role("listitem")
    expect(rows).to_have_count(200)
    page.get_by_label("Filter shows").fill("goal 19")
    expect(rows).to_have_count(12)
    expect(page).to_have_url(re.compile("q=goal"))
    page.get_by_role("button", name="Clear").click()
    page.get_by_placeholder("State").click()
    page.get_by_role("option", name=re.compile("needs you")).click()
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("only is escalated")
    expect(page.get_by_text("1 of 200")).to_be_visible()
    page.goto(page.url.split("?")[0] + "?sort=topic")
    expect(rows.first).to_contain_text("show-000")
    expect(page.get_by_role("button", name="New show")).to_be_visible()


def test_empty_show_list_offers_a_button_and_commands(visit: Callable[..., Watched], fresh: Studio) -> None:
    for width in (1440, 390):
        page = visit(fresh, viewport={"width": width, "height": 844}).open("shows")
        expect(page.get_by_text("No shows yet")).to_be_visible()
        expect(page.get_by_role("button", name="New show").first).to_be_visible()
        expect(page.get_by_text("li demo", exact=True)).to_be_visible()
        assert_accessible(page)
