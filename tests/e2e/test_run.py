"""A run: follow mode, errors, message links, long outputs, forks, and a server restart."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.support.browser import Studio, Watched, assert_accessible, serve
from tests.support.seed import begin, li, say
from tests.support.studio import settings_in

from lionstudio.state.branches import fork_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session

Open = Callable[..., Page]
Visit = Callable[..., Watched]
_SECONDS = 30_000


def messages(page: Page) -> Locator:
    """The list of messages."""
    return page.get_by_role("list", name="Messages")


def rows(page: Page) -> Locator:
    """The rendered messages."""
    return messages(page).get_by_role("article")


def below(page: Page) -> float:
    """The number of pixels below the visible part of the list."""
    return float(
        messages(page).evaluate("({ parentElement: box }) => box.scrollHeight - box.clientHeight - box.scrollTop")
    )


def pairs(conn: Connection, branch: str, count: int, at: float) -> None:
    """Append `count` messages: a question, an answer, a call and its result, repeated."""
    for step in range(count // 4):
        moment = at + 4 * step
        append(conn, branch, say({"instruction": f"Question {step}"}, moment))
        append(conn, branch, say({"assistant_response": f"**Answer** {step}\n\n" + "word " * (step % 70)}, moment + 1))
        call = say({"function": "Bash", "arguments": {"command": f"make step-{step}"}}, moment + 2)
        append(conn, branch, call)
        result = (
            {"error": f"step {step} broke"} if step % 50 == 7 else {"output": f"step {step} is fine\n" * (step % 9)}
        )
        append(conn, branch, say({**result, "action_request_id": call.id}, moment + 3))


def tell(db: Database, run: str, text: str) -> None:
    """Append one message in its own transaction."""
    db.write(lambda conn: append(conn, f"{run}.main", say({"instruction": text}, time.time())))


def filled(studio: Studio, count: int, *, ended: bool = True) -> str:
    """Create a run with `count` messages and return its id."""
    now = time.time()

    def fill(conn: Connection) -> None:
        pairs(conn, begin(conn, "marathon", now - count, agent_name="runner"), count, now - count)
        if ended:
            finish_session(conn, "marathon", "completed", exit_code=0, at=now)

    with Database(studio.settings.db) as db:
        db.write(fill)
    return "marathon"


def test_run_is_followed_to_its_end_by_keyboard(visit: Visit, fresh: Studio) -> None:
    page = visit(fresh).open("runs")
    page.get_by_text("No runs yet").wait_for()
    talk = "\n".join(f"@tool Read page {n}\n@say Sentence number {n}\n@sleep 0.1" for n in range(25))
    script = f"@sleep 1\n{talk}\n@error Bash it broke\n@sleep 2\n@say That was all\n@sleep 1\n@fail 3 gave up"
    li(fresh.settings, "agent", "script", script, "--name", "walker", "--background")

    page.get_by_role("list", name="Runs").get_by_text("walker").wait_for(timeout=_SECONDS)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="State: running")).to_be_visible(timeout=_SECONDS)
    error = rows(page).filter(has_text="it broke")
    expect(error).to_be_visible(timeout=_SECONDS)
    expect(error).to_have_attribute("data-speaker", "error")
    assert below(page) < 60, "follow mode holds the end"

    expect(rows(page).filter(has_text="That was all")).to_be_visible(timeout=_SECONDS)
    expect(page.get_by_role("button", name="State: failed")).to_be_visible(timeout=_SECONDS)
    expect(page.get_by_role("link", name="Tool errors 1")).to_be_visible()
    page.keyboard.press("n")
    expect(page).to_have_url(re.compile(r"m=76"))
    expect(error).to_have_attribute("data-marked", "true")


def test_follow_mode_stops_on_scroll_and_restarts_on_click(visit: Visit, fresh: Studio) -> None:
    run = filled(fresh, 400, ended=False)
    page = visit(fresh).open(f"runs/{run}")
    expect(rows(page).filter(has_text="Question 99")).to_be_visible()
    expect(page.get_by_role("button", name="Follow")).to_be_hidden()

    messages(page).hover()
    page.mouse.wheel(0, -900)
    expect(page.get_by_role("button", name="Follow")).to_be_visible()
    page.wait_for_timeout(300)
    before = messages(page).evaluate("({ parentElement: box }) => box.scrollTop")
    with Database(fresh.settings.db) as db:
        for number in range(5):
            tell(db, run, f"late {number}")
    expect(page.get_by_text("405", exact=True).first).to_be_visible()
    assert messages(page).evaluate("({ parentElement: box }) => box.scrollTop") == before

    page.get_by_role("button", name="Follow").click()
    expect(rows(page).filter(has_text="late 4")).to_be_visible()
    with Database(fresh.settings.db) as db:
        tell(db, run, "the latest")
    expect(rows(page).filter(has_text="the latest")).to_be_visible()
    assert below(page) < 60


def test_transcript_loads_30000_messages_in_chunks(visit: Visit, fresh: Studio) -> None:
    run = filled(fresh, 30_000)
    watched = visit(fresh)
    asked: list[str] = []
    watched.context.on("request", lambda request: asked.append(request.url) if "/messages?" in request.url else None)
    page = watched.open(f"runs/{run}")
    expect(rows(page).filter(has_text="Question 0")).to_be_visible()
    page.wait_for_timeout(500)
    assert len(asked) <= 2, asked
    assert rows(page).count() < 40

    page.goto(f"{fresh.running.url}runs/{run}?m=20000")
    expect(rows(page).filter(has_text="Question 5000")).to_be_visible(timeout=_SECONDS)
    expect(rows(page).filter(has_text="Question 5000")).to_have_attribute("data-marked", "true")
    page.wait_for_timeout(500)
    assert len(asked) <= 10, asked
    assert rows(page).count() < 40
    expect(page.get_by_role("link", name=re.compile(r"Tool errors [1-9]"))).to_be_visible(timeout=_SECONDS)
    page.keyboard.press("n")
    expect(rows(page).filter(has_text="step 5007 broke")).to_be_visible(timeout=_SECONDS)
    page.keyboard.press("G")
    expect(rows(page).filter(has_text="Question 7499")).to_be_visible(timeout=_SECONDS)


def test_transcript_does_not_move_while_rows_are_measured(visit: Visit, fresh: Studio) -> None:
    run = filled(fresh, 2000)
    page = visit(fresh).open(f"runs/{run}?m=1000")
    target = rows(page).filter(has_text="Question 250")
    expect(target).to_have_attribute("data-marked", "true")
    page.wait_for_timeout(700)
    before = target.evaluate("(row) => row.getBoundingClientRect().top")
    page.wait_for_timeout(700)
    assert target.evaluate("(row) => row.getBoundingClientRect().top") == before
    messages(page).hover()
    for _ in range(6):
        page.mouse.wheel(0, -150)
        page.wait_for_timeout(60)
    page.wait_for_timeout(400)
    after = target.evaluate("(row) => row.getBoundingClientRect().top")
    assert abs(after - before - 900) < 30, "a scroll of 900 pixels moves what one reads by 900 pixels"


def test_keys_go_to_errors_and_user_messages(open_page: Open, studio: Studio) -> None:
    page = open_page(f"runs/{studio.seeded.long}")
    expect(page.get_by_role("link", name="Tool errors 4")).to_be_visible()
    visited = []
    for _ in range(3):
        page.keyboard.press("n")
        expect(rows(page).and_(page.locator("[data-marked=true]"))).to_contain_text("FAILED")
        visited.append(page.url.split("m=")[1])
    page.keyboard.press("p")
    expect(page).to_have_url(re.compile(f"m={visited[1]}$"))
    page.keyboard.press("u")
    expect(rows(page).and_(page.locator("[data-marked=true]"))).to_have_attribute("data-speaker", "user")
    assert len(set(visited)) == 3


def test_message_link_accepts_number_and_id(open_page: Open, studio: Studio) -> None:
    page = open_page(f"runs/{studio.seeded.long}?m=75")
    expect(rows(page).and_(page.locator("[data-marked=true]"))).to_contain_text("step_23.py")
    status, body = studio.running.ask("GET", f"/api/sessions/{studio.seeded.long}/messages?after=74&limit=1")
    assert status == 200
    page = open_page(f"runs/{studio.seeded.long}?m={body['messages'][0]['id']}")
    expect(rows(page).and_(page.locator("[data-marked=true]"))).to_contain_text("step_23.py")


def test_find_bar_highlights_matches_and_updates_the_address(open_page: Open, studio: Studio) -> None:
    page = open_page(f"runs/{studio.seeded.long}")
    rows(page).first.wait_for()
    page.keyboard.press("f")
    page.keyboard.type("step 33")
    expect(page.get_by_role("status").get_by_text("1", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").get_by_text("1 / 1")).to_be_visible()
    expect(rows(page).and_(page.locator("[data-marked=true]"))).to_contain_text("Step 33")
    expect(page).to_have_url(re.compile(r"find=step\+33|find=step%2033"))
    assert page.evaluate("CSS.highlights.get('found')?.size") == 1


def test_long_output_is_truncated_and_loaded_in_parts(visit: Visit, fresh: Studio) -> None:
    now = time.time()
    text = "".join(f"line {n:07}\n" for n in range(700_000))

    def fill(conn: Connection) -> None:
        branch = begin(conn, "loud", now)
        call = say({"function": "Bash", "arguments": {"command": "cat everything"}}, now)
        append(conn, branch, call)
        append(conn, branch, say({"output": text, "action_request_id": call.id}, now + 1))
        finish_session(conn, "loud", "completed", exit_code=0, at=now + 2)

    with Database(fresh.settings.db) as db:
        db.write(fill)
    page = visit(fresh).open("runs/loud")
    more = page.get_by_role("button", name="Show all · 9.1 MB")
    expect(more).to_be_visible()
    more.click()
    parts = page.get_by_role("list", name="Parts of the text")
    expect(parts).to_contain_text("line 0000000")
    parts.evaluate("({ parentElement: box }) => { box.scrollTop = box.scrollHeight }")
    expect(parts).to_contain_text("line 0699999", timeout=_SECONDS)
    assert len(parts.inner_text()) < 400_000, "what was scrolled by is let go"


def test_failure_streak_is_collapsed_until_opened(visit: Visit, fresh: Studio) -> None:
    tries = "\n".join(f"@error Bash try {n} broke" for n in range(6))
    li(fresh.settings, "agent", "script", f"@say I try\n{tries}\n@say I give up")
    page = visit(fresh).open("runs")
    page.get_by_role("list", name="Runs").get_by_role("link").first.click()
    folded = rows(page).filter(has_text="×6 failed")
    expect(folded).to_contain_text("try 5 broke")
    errors = rows(page).and_(page.locator("[data-speaker=error]"))
    expect(errors).to_have_count(1)
    folded.get_by_role("button", expanded=False).first.click()
    expect(errors).to_have_count(6)
    expect(errors.nth(2)).to_contain_text("try 2 broke")


def test_fork_shows_inherited_messages_and_links_both_ways(visit: Visit, fresh: Studio) -> None:
    now = time.time()

    def fill(conn: Connection) -> None:
        parent = begin(conn, "parent", now - 100, name="the parent")
        pairs(conn, parent, 40, now - 100)
        finish_session(conn, "parent", "completed", exit_code=0, at=now - 50)
        child = begin(conn, "child", now - 40, name="the child")
        forked = fork_branch(conn, parent, 9, session_id="child", name="other way")
        append(conn, forked.id, say({"instruction": "Now differently"}, now - 30))
        finish_session(conn, "child", "completed", exit_code=0, at=now - 20)
        assert child

    with Database(fresh.settings.db) as db:
        db.write(fill)
    page = visit(fresh).open("runs/child")
    expect(page.get_by_text("Inherited: 10 messages from")).to_be_visible()
    expect(rows(page).filter(has_text="Question 0")).to_have_attribute("data-inherited", "true")
    expect(rows(page).filter(has_text="Now differently")).to_have_attribute("data-inherited", "false")
    page.get_by_role("main").get_by_role("link", name="the parent").first.click()
    expect(page.get_by_text("Forked here:")).to_be_visible()
    page.get_by_role("link", name="the child").first.click()
    expect(page).to_have_url(re.compile("/runs/child"))


def test_transcript_is_complete_after_a_server_restart(browser: Browser, tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    with serve(tmp_path) as running:
        run = filled(Studio(running, settings, None), 40, ended=False)
        watched = Watched(browser, running)
        watched.sign_in()
        page = watched.open(f"runs/{run}")
        expect(rows(page).filter(has_text="Question 9")).to_be_visible()
        expect(page.get_by_text(re.compile("^Live"))).to_be_visible()
        port = running.port
    expect(page.get_by_text("Reconnecting…")).to_be_visible(timeout=_SECONDS)
    with Database(settings.db) as db:
        for number in range(150):
            tell(db, run, f"meanwhile {number}")
    with serve(tmp_path, port=port):
        expect(page.get_by_text(re.compile("^Live"))).to_be_visible(timeout=_SECONDS)
        expect(rows(page).filter(has_text="meanwhile 149")).to_be_visible(timeout=_SECONDS)
        seen = everything(page, 190)
        assert [text for text in seen if "meanwhile" in text] == [f"meanwhile {number}" for number in range(150)]
    watched.close()


def everything(page: Page, count: int) -> list[str]:
    """The texts of all messages in order, read by scrolling."""
    texts: dict[int, str] = {}
    page.keyboard.press("g")
    page.keyboard.press("g")
    page.wait_for_timeout(400)
    deadline = time.monotonic() + 60
    while max(texts, default=0) < count - 1 and time.monotonic() < deadline:
        visible: dict[str, str] = messages(page).evaluate(
            """(list) => Object.fromEntries([...list.querySelectorAll('li')].map((li) =>
                 [li.dataset.index, li.querySelector('article > div:nth-child(2)')?.innerText.trim() ?? '']))"""
        )
        texts.update({int(index): text for index, text in visible.items() if text})
        messages(page).evaluate("({ parentElement: box }) => { box.scrollTop += box.clientHeight - 100 }")
        page.wait_for_timeout(80)
    return [texts[index] for index in sorted(texts)]


def test_transcript_renders_hostile_text_as_text(open_page: Open, studio: Studio) -> None:
    page = open_page(f"runs/{studio.seeded.hostile}")
    for number in range(3):
        row = rows(page).nth(number)
        expect(row).to_contain_text("<script>alert('script')</script>")
        expect(row).to_contain_text("[U+202E]gnp.exe")
        expect(row).to_contain_text("__proto__" if number == 2 else "proto")
    assert page.locator("main article :is(script, iframe, object, embed, form, base, link, style, img)").count() == 0
    assert page.locator("main a[href^='javascript' i], main a[href^='data' i]").count() == 0
    page.wait_for_timeout(300)


def test_stop_asks_first_and_reports_the_outcome(visit: Visit, fresh: Studio) -> None:
    li(fresh.settings, "agent", "script", "@say I hang\n@hang", "--background")
    page = visit(fresh).open("runs")
    page.get_by_role("list", name="Runs").get_by_role("link").first.click(timeout=_SECONDS)
    page.get_by_role("button", name="Stop").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Stop this run?")
    expect(dialog).to_contain_text("li kill")
    dialog.get_by_role("button", name="Stop run").press("Enter")
    expect(page.get_by_text("Run stopped")).to_be_visible(timeout=_SECONDS)
    expect(page.get_by_role("button", name=re.compile("State: (aborted|cancelled)"))).to_be_visible(timeout=_SECONDS)


def test_run_of_a_show_links_to_its_play(open_page: Open) -> None:
    page = open_page("runs/show-checkout-schema")
    page.get_by_role("link", name="checkout-flow / schema").click()
    expect(page).to_have_url(re.compile("/shows/checkout-flow"))


def test_missing_run_shows_an_error(open_page: Open) -> None:
    page = open_page("runs/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("nowhere")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_run_is_accessible(open_page: Open, studio: Studio, scheme: str) -> None:
    page = open_page(f"runs/{studio.seeded.long}?m=25", color_scheme=scheme)
    expect(page.get_by_role("link", name="Tool errors 4")).to_be_visible()
    expect(rows(page).first).to_be_visible()
    page.wait_for_timeout(300)
    assert_accessible(page)


def test_sections_open_in_a_drawer_on_a_narrow_screen(open_page: Open, studio: Studio) -> None:
    page = open_page(f"runs/{studio.seeded.long}", viewport={"width": 390, "height": 844})
    page.get_by_role("link", name="Tool errors 4").click()
    sheet: Any = page.get_by_role("dialog", name="About this run")
    expect(sheet.get_by_role("button", name=re.compile("step_7"))).to_be_visible()
    page.wait_for_timeout(300)
    assert_accessible(page)
    sheet.get_by_role("button", name=re.compile("step_7")).click()
    expect(sheet).to_be_hidden()
    expect(rows(page).and_(page.locator("[data-marked=true]"))).to_contain_text("FAILED")
