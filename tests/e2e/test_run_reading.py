"""Reading a run: tool heads, folds, reading modes, one branch alone, the end of a failed run, message menus."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect
from tests.e2e.test_run import messages, rows
from tests.support.browser import Studio, Watched, assert_accessible
from tests.support.seed import begin, li, say

from lionstudio.model.branches import Branch
from lionstudio.state.branches import create_branch, fork_branch
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session

Visit = Callable[..., Watched]
_SECONDS = 30_000
_PLAN = [
    {"content": "Read the code", "status": "completed"},
    {"content": "Fix the bug", "status": "in_progress"},
    {"content": "Run the tests", "status": "pending"},
]


class Story:
    """Messages of one branch, a second apart."""

    def __init__(self, conn: Connection, branch: str, at: float) -> None:
        self.conn, self.branch, self.at = conn, branch, at

    def say(self, content: dict[str, Any], **fields: Any) -> str:
        self.at += 1
        message = say(content, self.at, **fields)
        append(self.conn, self.branch, message)
        return message.id

    def call(self, tool: str, arguments: Any, *, output: str = "", error: str | None = None) -> None:
        call = self.say({"function": tool, "arguments": arguments})
        result = {"output": output} if error is None else {"error": error}
        self.say({**result, "action_request_id": call})


def day(conn: Connection) -> None:
    """A run with every kind of row."""
    now = time.time() - 300
    story = Story(conn, begin(conn, "day", now, name="a day of work", cwd="/srv/app", model="claude-sonnet-4-5"), now)
    story.say({"instruction": "Fix the parser"})
    story.say({"assistant_response": "", "thinking": "Where is the parser?"})
    story.say({"assistant_response": "I look first."}, used=(12_400, 80, 31_000))
    story.call("Grep", {"pattern": "COMMENT", "path": "src"}, output="src/a.py:3")
    story.call(
        "Read",
        {"file_path": "src/a.py", "offset": 10, "limit": 31},
        output="    10\tdef parse():\n    11\t    return 1",
    )
    story.call("Read", {"file_path": "src/b.py"}, output="b")
    story.call("Bash", {"command": "pytest -q", "description": "Run"}, error="1 failed: test_parse")
    story.call("Edit", {"file_path": "src/a.py", "old_string": "1", "new_string": "2"}, output="updated")
    story.call("Bash", {"command": "pytest -q"}, output="\n".join(f"line {n}" for n in range(1, 35)))
    story.say({"assistant_response": "Now the plan."}, used=(20_000, 80, 41_000))
    story.call("TodoWrite", {"todos": _PLAN}, output="Todos have been modified successfully")
    story.say({"assistant_response": "Done: the parser skips comments."}, used=(22_000, 80, 51_000))
    story.say({"instruction": "Thanks"})
    story.say({"assistant_response": "You are welcome."}, used=(23_000, 10, 2_000))
    finish_session(conn, "day", "completed", exit_code=0, at=story.at)


def fill(studio: Studio, work: Callable[[Connection], None]) -> None:
    with Database(studio.settings.db) as db:
        db.write(work)


def texts(page: Page) -> list[str]:
    """The first line of each row."""
    return [text.split("\n")[0] for text in rows(page).locator("> div:nth-child(2)").all_inner_texts()]


def test_tool_calls_are_one_line_each_and_fold(visit: Visit, fresh: Studio) -> None:
    fill(fresh, day)
    page = visit(fresh).open("runs/day")
    fold = rows(page).filter(has_text="3 tool calls")
    expect(fold).to_contain_text("2 reads, 1 search")
    expect(rows(page).filter(has_text="+1")).to_contain_text("src/a.py")
    failed = rows(page).filter(has_text="1 failed: test_parse")
    expect(failed).to_contain_text("pytest -q")
    expect(failed).to_have_attribute("data-speaker", "error")
    expect(rows(page).filter(has_text='"COMMENT"')).to_have_count(0)
    assert_accessible(page)

    fold.get_by_role("button", expanded=False).first.press("Enter")
    expect(rows(page).filter(has_text='"COMMENT" in src')).to_contain_text("Grep")
    read = rows(page).filter(has_text="src/a.py:10–40")
    expect(read.locator(".hljs-keyword").first).to_have_text("def")
    expect(rows(page).filter(has_text="Show all 34 lines")).to_contain_text("line 12")
    plan = page.get_by_role("list", name="Plan")
    expect(plan.get_by_role("listitem")).to_have_text(["Read the code", "Fix the bug", "Run the tests"])
    expect(plan.get_by_role("img", name="Done")).to_have_count(1)
    expect(rows(page).filter(has_text="modified successfully")).to_have_count(0)
    expect(rows(page).filter(has_text="I look first.")).to_contain_text("12.4k $0.03")


def test_fold_opens_for_a_link_and_a_match(visit: Visit, fresh: Studio) -> None:
    def many(conn: Connection) -> None:
        now = time.time() - 3000
        story = Story(conn, begin(conn, "many", now), now)
        for number in range(600):
            if number % 200 == 0:
                story.say({"instruction": f"Part {number}"})
            story.call("Bash", {"command": f"make step-{number}"}, output=f"result {number}")
        finish_session(conn, "many", "completed", exit_code=0, at=now + 2000)

    fill(fresh, many)
    page = visit(fresh).open("runs/many?m=702")
    marked = rows(page).and_(page.locator("[data-marked=true]"))
    expect(marked).to_contain_text("make step-350")
    expect(marked).to_be_in_viewport()
    page.keyboard.press("f")
    page.keyboard.type("step-577")
    expect(page.get_by_role("status").get_by_text("1", exact=True)).to_be_visible(timeout=_SECONDS)
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").get_by_text("1 / 1")).to_be_visible(timeout=_SECONDS)
    expect(marked).to_contain_text("make step-577")
    expect(marked).to_be_in_viewport()


def test_reading_modes_are_in_the_address(visit: Visit, fresh: Studio) -> None:
    fill(fresh, day)
    page = visit(fresh).open("runs/day")
    expect(rows(page).first).to_contain_text("Fix the parser")
    chip = page.get_by_role("group", name="Show only").get_by_role("button")
    chip.filter(has_text="Messages").click()
    expect(rows(page)).to_have_count(4)
    assert texts(page) == ["Fix the parser", "Done: the parser skips comments.", "Thanks", "You are welcome."]
    expect(page).to_have_url(re.compile(r"show=messages$"))
    chip.filter(has_text="Errors").click()
    expect(rows(page).filter(has_text="1 failed: test_parse")).to_be_visible()
    expect(rows(page).filter(has_text="I look first.")).to_be_visible()
    page.reload()
    expect(chip.filter(has_text="Errors")).to_have_attribute("aria-pressed", "true")
    expect(rows(page).filter(has_text="1 failed: test_parse")).to_be_visible()
    assert_accessible(page)
    chip.filter(has_text="Messages").click()
    expect(rows(page)).to_have_count(1)
    page.keyboard.press("u")
    expect(rows(page).and_(page.locator("[data-marked=true]"))).to_contain_text(re.compile("Fix the parser|Thanks"))
    expect(chip.filter(has_text="Errors")).to_have_attribute("aria-pressed", "false")


def test_reading_modes_show_a_part_of_30000_messages(visit: Visit, fresh: Studio) -> None:
    def long(conn: Connection) -> None:
        now = time.time() - 40_000
        story = Story(conn, begin(conn, "long", now), now)
        for number in range(10_000):
            story.call(
                "Bash", {"command": f"make {number}"}, **({"error": f"broke {number}"} if number % 999 == 5 else {})
            )
            story.say({"assistant_response": f"Step {number}"})
        finish_session(conn, "long", "completed", exit_code=0, at=now + 39_000)

    fill(fresh, long)
    watched = visit(fresh)
    asked: list[str] = []
    watched.context.on("request", lambda request: asked.append(request.url) if "/messages?" in request.url else None)
    page = watched.open("runs/long?show=errors")
    expect(rows(page).filter(has_text="broke 9995")).to_be_visible(timeout=_SECONDS)
    expect(rows(page)).to_have_count(11)
    assert len(asked) <= 12, asked


def test_branch_is_shown_alone(visit: Visit, fresh: Studio) -> None:
    def team(conn: Connection) -> None:
        now = time.time() - 100
        main = Story(conn, begin(conn, "team", now, name="the team"), now)
        main.say({"instruction": "Find the leak"})
        main.call("Task", {"description": "Look at the pool", "prompt": "Look at it"}, output="fine")
        create_branch(conn, Branch(id="team.pool", session_id="team", name="Look at the pool", created_at=now + 5))
        create_branch(conn, Branch(id="team.side", session_id="team", name="side-90583550", created_at=now + 6))
        pool, side = Story(conn, "team.pool", now + 5), Story(conn, "team.side", now + 5)
        for number in range(3):
            if number == 0:
                pool.say({"instruction": "Look at it"})
            pool.say({"assistant_response": f"pool {number}"}, used=(900 + number, 10, 500))
            side.say({"assistant_response": f"side {number}"})
        main.say({"assistant_response": "No leak."}, used=(5000, 10, 9000))
        finish_session(conn, "team", "completed", exit_code=0, at=now + 90)

    fill(fresh, team)
    page = visit(fresh).open("runs/team")
    task = rows(page).and_(page.locator("[data-speaker=task]"))
    expect(task).to_contain_text("Task from main")
    expect(rows(page).filter(has_text="Sub-agent 90583550").first).to_be_visible()
    about = page.get_by_role("complementary", name="About this run")
    expect(about.get_by_text("Cost by branch")).to_be_visible()
    about.get_by_role("region", name="Branches").get_by_role("button", name="Look at the pool").click()
    expect(rows(page)).to_have_count(4)
    expect(page).to_have_url(re.compile("branch=team.pool"))
    expect(rows(page).last).to_contain_text("pool 2")
    assert_accessible(page)
    page.get_by_role("group", name="Show only").get_by_role("button", name="Look at the pool").click()
    expect(rows(page).filter(has_text="No leak.")).to_be_visible()


def test_failed_run_ends_with_its_reason(visit: Visit, fresh: Studio) -> None:
    script = "@say I deploy\n@error Bash no route\n@fail 3 the deployment target cannot be reached"
    li(fresh.settings, "agent", "script", script, "--name", "deploy", "--background")
    page = visit(fresh).open("runs")
    page.get_by_role("list", name="Runs").get_by_role("link", name="deploy").click(timeout=_SECONDS)
    card = page.get_by_role("region", name="Why the run ended")
    expect(card).to_contain_text(re.compile(r"Failed after [\d.]+ m?s"), timeout=_SECONDS)
    expect(card).to_contain_text("exit code 3: the deployment target cannot be reached")
    expect(card.get_by_role("button", name="Run again")).to_be_visible()
    expect(card.get_by_role("button", name="Fork")).to_be_visible()
    assert_accessible(page)
    talk = page.get_by_role("region", name="Talk to the agent")
    talk.get_by_role("textbox").fill("@say I try again")
    talk.get_by_role("textbox").press("Control+Enter")
    expect(rows(page).filter(has_text="I try again").last).to_be_visible(timeout=_SECONDS)
    expect(card).to_have_count(0)


def test_message_menu_and_key_copy_its_link(visit: Visit, fresh: Studio) -> None:
    fill(fresh, day)
    page = visit(fresh, permissions=["clipboard-read", "clipboard-write"]).open("runs/day?m=2")
    row = rows(page).filter(has_text="I look first.")
    expect(row).to_have_attribute("data-marked", "true")
    page.keyboard.press("y")
    expect(page.get_by_text("Link copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"{fresh.running.url}runs/day?m=2"
    rows(page).first.get_by_role("button", name="Actions for message 0").click()
    page.get_by_role("menuitem", name="Raw").click()
    expect(page.get_by_role("dialog", name="Message 0")).to_contain_text('"instruction": "Fix the parser"')
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    rows(page).first.get_by_role("button", name="Actions for message 0").click()
    page.get_by_role("menuitem", name="Fork here").click()
    expect(page.get_by_role("region", name="Fork")).to_contain_text("Cannot be forked here")


def test_escape_deselects_and_leaves_only_when_pressed_again(visit: Visit, fresh: Studio) -> None:
    fill(fresh, day)
    page = visit(fresh).open("runs/day?m=2&show=messages,errors")
    expect(rows(page).and_(page.locator("[data-marked=true]"))).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/runs/day\?show=messages"))
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/runs/day$"))
    page.keyboard.press("Escape")
    expect(page.get_by_text("Press Esc again to leave this run")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/runs/day$"))
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"/runs$"))


def test_live_fork_shows_every_row(visit: Visit, fresh: Studio) -> None:
    now = time.time()

    def family(conn: Connection) -> None:
        parent = Story(conn, begin(conn, "parent", now - 100, name="the parent"), now - 100)
        parent.say({"instruction": "Look around"})
        parent.say({"assistant_response": "I see a house."})
        finish_session(conn, "parent", "completed", exit_code=0, at=now - 50)
        begin(conn, "child", now - 40, name="the child")
        fork_branch(conn, "parent.main", 1, session_id="child", name="other way")

    fill(fresh, family)
    page = visit(fresh).open("runs/child")
    with Database(fresh.settings.db) as db:
        branch = db.read(lambda conn: conn.value("SELECT id FROM branches WHERE name = 'other way'"))
        for number in range(9):
            text = {"assistant_response": f"answer {number}"}
            db.write(lambda conn, text=text: append(conn, branch, say(text, time.time())))  # type: ignore[misc]
            expect(rows(page).filter(has_text=f"answer {number}")).to_be_visible(timeout=_SECONDS)
            expect(rows(page).filter(has_text="Look around")).to_be_visible()
    expect(rows(page)).to_have_count(11)


def test_timeline_of_a_short_live_run_grows(visit: Visit, fresh: Studio) -> None:
    fill(fresh, day_begins)
    page = visit(fresh).open("runs/short")
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_attribute("aria-valuemax", "1")
    with Database(fresh.settings.db) as db:
        for number in range(4):
            text = {"assistant_response": f"answer {number}"}
            db.write(lambda conn, text=text: append(conn, "short.main", say(text, time.time())))  # type: ignore[misc]
        db.write(lambda conn: finish_session(conn, "short", "completed", exit_code=0))
    expect(slider).to_have_attribute("aria-valuemax", "5", timeout=_SECONDS)


def day_begins(conn: Connection) -> None:
    story = Story(conn, begin(conn, "short", time.time() - 5), time.time() - 5)
    story.say({"instruction": "Begin"})
    story.say({"assistant_response": "I begin"})


def test_follow_button_counts_new_messages(visit: Visit, fresh: Studio) -> None:
    def live(conn: Connection) -> None:
        story = Story(conn, begin(conn, "live", time.time() - 500), time.time() - 500)
        for number in range(60):
            story.say({"assistant_response": f"answer {number}"})

    fill(fresh, live)
    page = visit(fresh).open("runs/live")
    expect(rows(page).filter(has_text="answer 59")).to_be_visible()
    messages(page).hover()
    page.mouse.wheel(0, -1200)
    expect(page.get_by_role("button", name="Follow", exact=True)).to_be_visible()
    with Database(fresh.settings.db) as db:
        for _ in range(12):
            db.write(lambda conn: append(conn, "live.main", say({"assistant_response": "late"}, time.time())))
    page.get_by_role("button", name="Follow · 12 new").click()
    expect(rows(page).filter(has_text="late").last).to_be_visible()
    expect(page.get_by_role("button", name="Follow")).to_have_count(0)


def test_header_keeps_its_height_with_a_long_name(visit: Visit, fresh: Studio) -> None:
    def named(conn: Connection) -> None:
        for name, text in (("short", "fix it"), ("long", "Please look at the failing build and " * 12)):
            now = time.time() - 50
            story = Story(
                conn, begin(conn, f"name-{name}", now, name=text, cwd="/srv/a", model="claude-sonnet-4-5"), now
            )
            story.say({"instruction": "Begin"})
            story.say({"assistant_response": "Done"}, used=(9000, 80, 31_000))
            finish_session(conn, f"name-{name}", "failed", exit_code=1, at=now + 9)

    fill(fresh, named)
    watched = visit(fresh)
    heights = []
    for name in ("short", "long"):
        page = watched.open(f"runs/name-{name}")
        expect(rows(page).first).to_be_visible()
        header = page.locator("main header")
        heights.append(header.evaluate("(header) => header.getBoundingClientRect().height"))
        title = header.get_by_role("heading")
        assert title.evaluate("(title) => title.getBoundingClientRect().height") < 40
        assert title.evaluate("(title) => title.title === title.textContent")
    assert heights[0] == heights[1] < 100


def test_header_of_a_phone_leaves_room_to_read(visit: Visit, fresh: Studio) -> None:
    fill(fresh, day)
    page = visit(fresh, viewport={"width": 390, "height": 844}, has_touch=True).open("runs/day")
    expect(rows(page).first).to_be_visible()
    expect(page.get_by_role("slider", name="Timeline")).to_be_visible()
    top = messages(page).evaluate("({ parentElement: box }) => box.getBoundingClientRect().top")
    assert top <= 160, top
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    bar = page.get_by_role("toolbar", name="This run")
    bar.get_by_role("button", name="Find").click()
    expect(bar.get_by_role("textbox", name="Find in this run")).to_be_focused()
    assert_accessible(page)
