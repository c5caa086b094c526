"""Questions and messages: shown at once, answered by keyboard, told to the one who was second, with receipts."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.support.agents import LI
from tests.support.asked import busy_day, permission
from tests.support.browser import Studio, Watched, assert_accessible, serve
from tests.support.seed import begin, li, say
from tests.support.waiting import wait_until

from lionstudio.agents.hooks import client
from lionstudio.model.questions import AnswerOption, Effect, Question, QuestionKind
from lionstudio.runs.stop import stop_run
from lionstudio.state.database import Database
from lionstudio.state.exchange.questions import add_question, close_question, get_question
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session
from lionstudio.system.li_process import isolated_command

Visit = Callable[..., Watched]
_STARTS = 30_000  # milliseconds for a run in the background to ask, on a busy machine
# the time at which the first card is in the document
_FIRST_CARD = """() => new Promise((resolve) => {
  const look = () => document.querySelector('[data-question]') && resolve(Date.now() / 1000);
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  look();
})"""


_started: list[tuple[Studio, str]] = []


@pytest.fixture(autouse=True)
def end_runs() -> Iterator[None]:
    """Runs outlive Studio, and one that waits for a person would outlive the tests."""
    yield
    while _started:
        studio, run = _started.pop()
        stop_run(studio.settings.db, run, grace=1)


def start(studio: Studio, script: str, name: str = "worker") -> str:
    """Start a scripted run in the background; its id."""
    li(studio.settings, "agent", "script", script, "--name", name, "--background")
    for _ in range(100):
        sessions = json.loads(li(studio.settings, "state", "ls", "--json"))["sessions"]
        if found := [session["id"] for session in sessions if session["name"] == name]:
            _started.append((studio, str(found[0])))
            return str(found[0])
        time.sleep(0.1)
    raise AssertionError(f"{name} did not start")


def ask(studio: Studio, *questions: Question) -> None:
    with Database(studio.settings.db) as db:
        for question in questions:
            db.write(partial(add_question, question=question))


def running(studio: Studio, id_: str = "run-asking", **fields: Any) -> str:
    with Database(studio.settings.db) as db:
        branch = db.write(lambda conn: begin(conn, id_, time.time() - 60, **{"agent_name": "implementer", **fields}))
        db.write(lambda conn: append(conn, branch, say({"instruction": "Ship it"}, time.time() - 50)))
    return id_


def cards(page: Page) -> Locator:
    return page.locator("[data-question]")


def outcome(page: Page) -> Locator:
    return page.locator("[data-settled]")


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until the target has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if target.evaluate("(element) => element === document.activeElement"):
            return
    raise AssertionError("Tab does not lead to it")


def test_home_is_answered_with_tab_and_enter(visit: Visit, fresh: Studio, tmp_path: Path) -> None:
    start(fresh, f"@allow touch {tmp_path}/pushed\n@hang")
    page = visit(fresh).open()
    expect(cards(page)).to_have_count(1, timeout=_STARTS)
    tab_to(page, cards(page).get_by_role("button", name="Allow"))
    page.keyboard.press("Enter")
    expect(outcome(page)).to_contain_text(re.compile(r"taken after #\d+"))
    assert (tmp_path / "pushed").exists()
    tab_to(page, outcome(page).get_by_role("link").first)
    page.keyboard.press("Enter")
    field = page.get_by_role("textbox", name="Message to the agent")
    field.wait_for()
    tab_to(page, field)
    page.keyboard.type("go on")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("list", name="Sent to the agent")).to_contain_text("go on")


def test_question_is_answered_by_keyboard_and_taken(visit: Visit, fresh: Studio, tmp_path: Path) -> None:
    run = start(fresh, "@say hello\n@hang")
    page = visit(fresh).open(f"runs/{run}")
    composer = page.get_by_role("textbox", name="Message to the agent")
    composer.wait_for()
    page.keyboard.press("r")
    expect(composer).to_be_focused()
    page.keyboard.type(f"@allow touch {tmp_path}/pushed")
    page.keyboard.press("Control+Enter")
    card = cards(page)
    expect(card).to_contain_text("Allow this command?", timeout=_STARTS)
    expect(card).to_contain_text(f"$ touch {tmp_path}/pushed")
    assert_accessible(page)
    expect(page).to_have_title(re.compile(r"^\(1\) "))

    page.keyboard.press("Escape")  # leave the composer
    page.keyboard.press("q")
    expect(card).to_be_focused()
    page.keyboard.press("a")

    expect(outcome(page)).to_contain_text("Allowed by")
    expect(outcome(page)).to_contain_text(re.compile(r"taken after #\d+"))
    expect(outcome(page)).to_be_focused()
    expect(page).to_have_title(re.compile(r"^(?!\()"))
    expect(page.get_by_role("list", name="Messages")).to_contain_text("touch")
    assert (tmp_path / "pushed").exists()
    assert_accessible(page)


def test_question_appears_on_home_at_once(visit: Visit, fresh: Studio, capsys: pytest.CaptureFixture[str]) -> None:
    run = running(fresh)
    page = visit(fresh).open()
    page.get_by_role("region", name="Needs you").wait_for()
    page.evaluate(f"() => {{ window.shownAt = ({_FIRST_CARD})() }}")
    question = permission(run, created_at=time.time())
    ask(fresh, question)
    shown_at = page.evaluate("() => window.shownAt")
    with capsys.disabled():
        print(f"\nasked → on the page: {1000 * (shown_at - question.created_at):.0f} ms")

    expect(cards(page)).to_contain_text("$ git push")
    expect(cards(page).get_by_role("link", name="Ship it")).to_be_visible()
    with Database(fresh.settings.db) as db:
        for _ in range(100):
            if db.read(lambda conn: get_question(conn, question.id)).status == "shown":
                return
            time.sleep(0.05)
    raise AssertionError("the question was not marked as shown")


def test_denial_carries_words_to_the_agent(visit: Visit, fresh: Studio) -> None:
    run = start(fresh, "@allow rm -rf build\n@say done")
    page = visit(fresh).open(f"runs/{run}")
    expect(cards(page)).to_have_count(1, timeout=_STARTS)
    page.keyboard.press("q")
    page.keyboard.press("d")
    expect(cards(page).get_by_role("textbox")).to_be_focused()
    page.keyboard.type("Use make clean")
    page.keyboard.press("Control+Enter")

    expect(outcome(page)).to_contain_text(": Use make clean")
    transcript = page.get_by_role("list", name="Messages")
    expect(transcript).to_contain_text("done")
    expect(transcript.locator("[data-speaker=error]")).to_contain_text("Use make clean")
    expect(page.get_by_role("textbox", name="Message to the agent")).to_have_count(0)


def test_changed_arguments_are_run(visit: Visit, fresh: Studio) -> None:
    run = start(fresh, "@allow echo wrong\n@say done")
    page = visit(fresh).open(f"runs/{run}")
    expect(cards(page)).to_have_count(1, timeout=_STARTS)
    cards(page).get_by_role("button", name="Edit arguments").click()
    cards(page).get_by_role("textbox", name="command").fill("echo right")
    assert_accessible(page)
    cards(page).get_by_role("button", name="Allow with changes").click()
    expect(page.get_by_role("list", name="Messages")).to_contain_text("right")
    expect(page.get_by_role("list", name="Messages")).to_contain_text("done")

    page.reload()  # the ended run still says what it asked, and what it was told
    asked = page.get_by_role("region", name="Questions")
    expect(asked.get_by_role("listitem")).to_have_count(1)
    expect(asked).to_contain_text(re.compile(r"echo wrong.*Allowed by .*arguments changed"))
    assert_accessible(page)
    asked.get_by_role("button", name=re.compile(r"^after #\d+$")).click()
    expect(page).to_have_url(re.compile(r"\?m=\d+"))


def test_key_leads_from_any_page_to_the_first_question(visit: Visit, fresh: Studio) -> None:
    ask(fresh, permission(running(fresh), created_at=time.time()))
    page = visit(fresh).open("runs")
    home = page.get_by_role("navigation", name="Main").get_by_role("link", name=re.compile("^Home"))
    expect(home.get_by_title("1 open question")).to_have_text("1")
    expect(home).not_to_have_attribute("data-active", "true")
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Shortcuts")
    expect(sheet.get_by_text("Go to the next question")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()

    page.keyboard.press("q")

    expect(cards(page)).to_be_focused()
    expect(page).to_have_url(re.compile(r"/$"))
    expect(home).to_have_attribute("data-active", "true")
    page.go_back()
    page.get_by_role("list", name="Runs").wait_for()


def test_phone_shows_no_hints_about_keys(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    ask(fresh, permission(run, created_at=time.time()))
    page = visit(fresh, viewport={"width": 390, "height": 844}).open(f"runs/{run}")
    words = cards(page).get_by_role("textbox")
    expect(words).to_have_attribute("placeholder", "Reason, which the agent reads")
    expect(page.get_by_role("navigation", name="Top bar").get_by_role("link", name="1 open question")).to_be_visible()
    page.get_by_role("button", name="Menu").click()
    menu = page.get_by_role("navigation", name="Main")
    expect(menu.get_by_role("switch")).to_have_attribute("title", "Notifications of this browser")
    expect(menu.locator("kbd").filter(visible=True)).to_have_count(0)


def test_options_are_numbered_and_words_are_a_reply(visit: Visit, fresh: Studio) -> None:
    run = start(fresh, "@ask Which colour? | Red | Blue\n@wait Anything else?")
    page = visit(fresh).open(f"runs/{run}")
    expect(cards(page)).to_contain_text("Which colour?", timeout=_STARTS)
    page.keyboard.press("q")
    page.keyboard.press("2")
    expect(page.get_by_role("list", name="Messages")).to_contain_text("You answered: Blue")
    expect(cards(page)).to_contain_text("Anything else?")
    cards(page).get_by_role("textbox", name="Your reply").fill("No, thank you")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("list", name="Messages")).to_contain_text("You answered: No, thank you")


def test_two_questions_are_both_shown(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    for path in ("", f"runs/{run}"):
        page = visit(fresh).open(path)
        if path == "":
            ask(fresh, permission(run, "git push"), permission(run, "git tag v2"))
        expect(cards(page)).to_have_count(2)
        expect(cards(page).nth(1)).to_contain_text("git tag v2")
        page.keyboard.press("q")
        expect(cards(page).first).to_be_focused()
        page.keyboard.press("q")
        expect(cards(page).nth(1)).to_be_focused()
        assert_accessible(page)


def test_second_answer_is_told_who_was_first(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    ask(fresh, permission(run))
    first, second = visit(fresh).open(f"runs/{run}"), visit(fresh).open()
    expect(cards(second)).to_have_count(1)
    # the second browser does not hear of the answer before it sends its own
    second.route("**/api/questions?*", lambda route: route.abort())
    second.route("**/api/questions", lambda route: route.abort())
    cards(first).get_by_role("button", name="Allow").click()
    expect(outcome(first)).to_contain_text("Allowed by")
    cards(second).get_by_role("button", name="Deny").click()
    second.unroute("**/api/questions?*")
    second.unroute("**/api/questions")
    expect(outcome(second)).to_contain_text("was first: Allow")


def test_withdrawn_question_says_why(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    question = permission(run)
    ask(fresh, question)
    page = visit(fresh).open(f"runs/{run}")
    expect(cards(page)).to_have_count(1)
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: close_question(conn, question.id, "withdrawn", "answered in its own terminal"))  # type: ignore[arg-type]
    expect(outcome(page)).to_contain_text("Withdrawn: answered in its own terminal")
    expect(cards(page)).to_have_count(0)


def test_edit_is_a_diff_and_long_evidence_loads_on_demand(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    edit = {"file_path": "price.py", "old_string": "tax = 19", "new_string": "tax = 7\nround = 2"}
    write = {"file_path": "data.txt", "content": "line\n" * 8000}
    ask(
        fresh,
        permission(run, title="Edit: price.py", evidence={"tool": "Edit", "arguments": edit}),
        permission(run, title="Write: data.txt", evidence={"tool": "Write", "arguments": write}),
    )
    page = visit(fresh).open(f"runs/{run}")
    first, second = cards(page).first, cards(page).nth(1)
    expect(first.locator("[data-kind=remove]")).to_have_text("-tax = 19")
    expect(first.locator("[data-kind=add]")).to_have_count(2)
    expect(first).to_contain_text("+2−1")
    expect(second).not_to_contain_text("+line")
    second.get_by_role("button", name="Show all").click()
    expect(second.locator("[data-kind=add]")).to_have_count(12)
    second.get_by_role("button", name=re.compile("more lines")).click()
    expect(second.locator("[data-kind=add]")).to_have_count(4000)


def test_hostile_question_is_text(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    text = "<img src=x onerror=alert(1)> [x](javascript:alert(1)) \u202egnp.exe"
    options = (AnswerOption("a", text, Effect.REPLY),)
    ask(fresh, permission(run, text, title=text, evidence={"text": f"{text} 2", "x": text}, options=options))
    page = visit(fresh).open()
    expect(cards(page)).to_contain_text("[U+202E]gnp.exe")
    assert cards(page).locator("img, a[href^=javascript]").count() == 0


def test_composer_delivers_now_next_and_instead(visit: Visit, fresh: Studio) -> None:
    run = start(fresh, "@say begun\n@sleep 600\n@say never")
    page = visit(fresh).open(f"runs/{run}")
    field = page.get_by_role("textbox", name="Message to the agent")
    sent = page.get_by_role("list", name="Sent to the agent")
    transcript = page.get_by_role("list", name="Messages")
    expect(transcript).to_contain_text("begun", timeout=_STARTS)
    field.fill("draft of a thought")
    page.reload()
    expect(field).to_have_value("draft of a thought")

    page.get_by_role("radiogroup", name="Delivery").get_by_text("Next").click()
    field.fill("for later")
    page.get_by_role("button", name="Queue").click()
    expect(sent).to_contain_text("queued for the next turn")
    expect(field).to_have_value("")
    assert_accessible(page)

    page.get_by_role("radiogroup", name="Delivery").get_by_text("Now").click()
    field.fill("look at this")
    field.press("Control+Enter")
    expect(sent.get_by_role("listitem").filter(has_text="look at this")).to_contain_text(re.compile(r"taken at #\d+"))
    expect(transcript).to_contain_text("You said: look at this")

    page.get_by_role("radiogroup", name="Delivery").get_by_text("Instead").click()
    field.fill("stop that")
    page.get_by_role("button", name="Interrupt").click()
    expect(transcript).to_contain_text("You said: stop that")
    expect(transcript).to_contain_text("You said: for later")
    expect(transcript.locator("[data-speaker=assistant]").filter(has_text="never")).to_have_count(0)
    expect(field).to_have_count(0)


def test_composer_keeps_the_text_of_a_failed_send(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    ask(fresh, permission(run))
    page = visit(fresh).open(f"runs/{run}")
    field = page.get_by_role("textbox", name="Message to the agent")
    field.fill("important")
    page.route("**/inbox", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    field.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not sent")
    expect(field).to_have_value("important")
    page.unroute("**/inbox")
    with Database(fresh.settings.db) as db:
        db.write(lambda conn: finish_session(conn, run, "failed", exit_code=1))
    expect(field).to_have_count(0)
    expect(page.get_by_role("textbox", name="Continue this run")).to_have_value("important")
    assert_accessible(page)


def test_show_page_answers_the_questions_of_its_plays(visit: Visit, studio: Studio) -> None:
    gate: dict[str, Any] = {
        "kind": QuestionKind.GATE,
        "title": "Is the public API the same?",
        "evidence": {"diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new"},
        "options": (AnswerOption("approve", "Approve", Effect.ALLOW), AnswerOption("reject", "Reject", Effect.DENY)),
    }
    ask(studio, permission(None, show_topic=studio.seeded.topic, play_name="checkout-page", reason="api", **gate))
    page = visit(studio).open(f"shows/{studio.seeded.topic}")
    header = page.get_by_role("region", name="Questions")
    expect(header.locator("[data-question]")).to_contain_text("Is the public API the same?")
    assert_accessible(page)
    page.keyboard.press("q")
    expect(header.locator("[data-question]")).to_be_focused()
    tab_to(page, header.get_by_role("button", name="Approve"))
    page.get_by_role("region", name="Plays").locator("button[data-play='checkout-page']").click()
    opened = page.locator("#play-checkout-page")
    expect(opened.locator("[data-question]")).to_contain_text("Is the public API the same?")
    expect(header).to_be_hidden()
    page.mouse.move(0, 0)  # a tooltip is outside of every landmark
    expect(page.get_by_role("tooltip")).to_have_count(0)
    assert_accessible(page)


def test_notification_names_the_session_without_content(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    browser = visit(fresh)
    browser.context.grant_permissions(["notifications"])
    browser.context.add_init_script(
        "window.told = []; document.hasFocus = () => false;"
        "window.Notification = class { static permission = 'granted';"
        " static requestPermission = async () => 'granted';"
        " constructor(title, options) { window.told.push(title + ' | ' + options.body) } close() {} }"
    )
    page = browser.open("runs")
    switch = page.get_by_role("switch", name="Notifications")
    expect(switch).not_to_be_checked()
    switch.click()
    expect(switch).to_be_checked()
    ask(fresh, permission(run, "cat /etc/secret"))
    expect(page).to_have_title(re.compile(r"^\(1\) Runs"))
    page.wait_for_function("() => window.told.length > 0")
    assert page.evaluate("() => window.told") == ["Ship it | Permission: waiting for you"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_home_of_a_busy_day_shows_questions_first(visit: Visit, fresh: Studio, scheme: str, width: int) -> None:
    busy_day(fresh.settings)
    page = visit(fresh, color_scheme=scheme, viewport={"width": width, "height": 900}).open()
    needs_you = page.get_by_role("region", name="Needs you")
    expect(cards(page)).to_have_count(5)
    text = needs_you.inner_text()
    order = ["git push origin main", "npm publish", "kubectl apply", "parser failed twice", "docs failed twice"]
    order += ["left alone", "97 failed", "No such host"]
    positions = [text.index(word) for word in order]
    assert positions == sorted(positions)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert_accessible(page)
    cluster = needs_you.get_by_role("button", name="97 failed")
    cluster.click()
    expect(needs_you.get_by_role("link", name="nightly 0", exact=True)).to_be_visible()

    card = cards(page).filter(has_text="npm publish")
    card.get_by_role("button", name="Snooze").click()
    page.get_by_role("menuitem", name="For an hour").click()
    expect(cards(page)).to_have_count(4)
    needs_you.get_by_role("button", name="1 snoozed").click()
    needs_you.get_by_role("button", name="List again").click()
    expect(cards(page)).to_have_count(5)


def test_agent_that_answers_is_refused_and_listed(visit: Visit, fresh: Studio, tmp_path: Path) -> None:
    """By the command line, over HTTP with the token, and as a hook of a terminal."""
    server = fresh.running
    (tmp_path / "claude").write_text(
        f"{isolated_command(client.__file__, 'claude', '1', str(server.home / 'run' / 'hooks.sock'))}\n"
    )
    forged = {"hook_event_name": "PermissionRequest", "session_id": "x", "cwd": "/", "tool_name": "Bash"}
    (tmp_path / "event").write_text(json.dumps({**forged, "tool_input": {"command": "touch pushed"}}))
    (tmp_path / "attack.sh").write_text(f"""
unset LIONAGI_SESSION_ID
until id=$({LI} ask ls --home {server.home} | cut -f 1) && [ -n "$id" ]; do sleep 0.1; done
{LI} ask answer $id allow --home {server.home}
curl -s -X POST {server.url}api/questions/$id/answer -H "Authorization: Bearer $(cat {server.home}/studio.token)" \\
  -H 'Content-Type: application/json' -d '{{"option": "allow"}}'
sh {tmp_path}/claude < {tmp_path}/event
touch {tmp_path}/tried
""")
    start(fresh, f"@allow touch {tmp_path}/pushed")
    start(fresh, f"@run sh -c 'sh {tmp_path}/attack.sh > {tmp_path}/out 2>&1'\n@hang", "attacker")
    page = visit(fresh).open()
    needs_you = page.get_by_role("region", name="Needs you")
    expect(needs_you).to_contain_text("report a hook event", timeout=_STARTS)
    needs_you.get_by_role("button", name="3 refused decisions").click()
    expect(needs_you).to_contain_text("answer to question")
    wait_until((tmp_path / "tried").exists)
    expect(cards(page)).to_have_count(1)  # it still waits
    text = needs_you.inner_text()
    assert text.index("Allow this command?") < text.index("report a hook event")
    assert (tmp_path / "out").read_text().count("the caller belongs to an agent") == 2
    assert not (tmp_path / "pushed").exists()
    assert_accessible(page)


def test_thousand_questions_do_not_freeze_the_page(visit: Visit, fresh: Studio) -> None:
    run = running(fresh)
    ask(fresh, *(permission(run, f"make {number}", created_at=1e9 + number) for number in range(1000)))
    for path in ("", f"runs/{run}"):
        page = visit(fresh).open(path)
        expect(cards(page).first).to_contain_text("$ make")
        shown = cards(page).count()
        assert shown <= 20
        expect(page).to_have_title(re.compile(r"^\(1000\) |^\(999\) "))
        before = cards(page).first.inner_text()
        page.keyboard.press("q")
        page.keyboard.press("a")
        expect(outcome(page).first).to_contain_text("Allowed by")
        expect(cards(page).first).not_to_have_text(before)
        expect(cards(page)).to_have_count(shown)  # the next one takes its place
        page.get_by_role("button", name=re.compile(r"more")).first.click()
        expect(cards(page).nth(shown)).to_be_visible()


@pytest.mark.parametrize("stored", [True, False])
def test_studio_killed_while_it_is_answered(visit: Visit, fresh: Studio, tmp_path: Path, *, stored: bool) -> None:
    """The page hears no result: a stored answer is shown after the restart, another one can be given again."""
    run = start(fresh, f"@allow sh -c 'echo once >> {tmp_path}/made'\n@say done")
    page = visit(fresh).open(f"runs/{run}")
    expect(cards(page)).to_have_count(1, timeout=_STARTS)

    def kill(route: Route) -> None:
        if stored:
            route.fetch()
        fresh.running.process.kill()
        fresh.running.process.wait()
        route.abort()

    page.route("**/answer", kill, times=1)
    cards(page).get_by_role("button", name="Allow").click()
    if not stored:
        expect(page.get_by_role("alert")).to_be_visible()
        assert not (tmp_path / "made").exists()
    with serve(tmp_path, port=fresh.running.port):
        if not stored:
            cards(page).get_by_role("button", name="Allow").click()
        expect(outcome(page)).to_contain_text(re.compile(r"Allowed by .*taken after #\d+", re.DOTALL), timeout=_STARTS)
        expect(page.get_by_role("list", name="Messages")).to_contain_text("done")
    assert (tmp_path / "made").read_text() == "once\n"


def test_question_of_an_agent_that_exits_is_withdrawn_on_the_page(visit: Visit, fresh: Studio) -> None:
    run = start(fresh, "@ask Shall I? | Yes\n@say done")
    page = visit(fresh).open(f"runs/{run}")
    expect(cards(page)).to_have_count(1, timeout=_STARTS)
    li(fresh.settings, "kill", "--grace", "0", run)
    expect(outcome(page)).to_contain_text("Withdrawn")
    expect(cards(page)).to_have_count(0)
