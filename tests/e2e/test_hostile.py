"""Hostile text in every field, on every page: no dialog, no foreign request, no script and no policy violation. Any of
them fails the test (tests/support/browser.py)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect
from tests.support.browser import Studio, Watched
from tests.support.seed import HOSTILE, begin, li, say

from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session
from lionstudio.state.shows import put_play, put_show

PAGES = (
    "",
    "runs",
    "runs/bad",
    "runs/bad#errors",
    "shows",
    "shows/bad",
    "teams",
    "agents",
    "agents/bad",
    "playbooks",
    "playbooks/bad",
    "plugins",
    "admin",
    "search?q=alert",
    "runs?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "search?q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
    "runs?__proto__=1&constructor=2&status=__proto__",
)


def fill(conn: Connection, shows: str) -> None:
    """A run, a show and a play whose every text is hostile."""
    now = time.time()
    line = HOSTILE.splitlines()[0]
    fields = {"agent_name": line, "project": line, "model": line, "cwd": f"/{line}", "git_commit": line[:40]}
    branch = begin(conn, "bad", now - 60, name=line, **fields)
    append(conn, branch, say({"system_message": HOSTILE}, now - 55))
    append(conn, branch, say({"instruction": HOSTILE}, now - 50, sender=line))
    call = say({"function": line, "arguments": {"__proto__": HOSTILE, line: HOSTILE}}, now - 40)
    append(conn, branch, call)
    append(conn, branch, say({"error": HOSTILE, "action_request_id": call.id}, now - 30))
    append(conn, branch, say({"assistant_response": HOSTILE}, now - 20))
    finish_session(conn, "bad", "failed", exit_code=1, at=now)
    show = Show(id="bad", topic="bad", show_dir=f"{shows}/bad", goal=HOSTILE, base_branch=line, created_at=now)
    put_show(conn, show)
    put_play(
        conn,
        Play(
            id="bad.play",
            show_id="bad",
            name="play",
            playbook=line,
            effort=line,
            status=PlayStatus.GATE_FAILED,
            session_id="bad",
            branch=line,
            gate_passed=False,
            gate_feedback=HOSTILE,
            created_at=now,
        ),
    )


def hostile_home(settings: Settings) -> None:
    """Hostile text in files as well: a plan, an agent, a playbook, team messages."""
    with Database(settings.db) as db:
        db.write(lambda conn: fill(conn, settings.shows))
    show, home = Path(settings.shows, "bad"), Path(settings.home)
    (show / "play").mkdir(parents=True)
    (show / "_show.md").write_text(f"# {HOSTILE}")
    (show / "play" / "_intent.md").write_text(HOSTILE)
    (show / "play" / "_verdict.json").write_text(json.dumps({"gate_passed": False, "feedback": HOSTILE}))
    (home / "agents").mkdir(exist_ok=True)
    (home / "playbooks").mkdir(exist_ok=True)
    (home / "agents" / "bad.md").write_text(f"---\ndescription: {json.dumps(HOSTILE)}\n---\n{HOSTILE}\n")
    (home / "playbooks" / "bad.yaml").write_text(f"description: {json.dumps(HOSTILE)}\nprompt: {json.dumps(HOSTILE)}\n")
    li(settings, "team", "create", "bad", "--members", "a,b")
    li(settings, "team", "send", "bad", HOSTILE, "--from", "a")


def test_hostile_text_stays_text_on_every_page(visit: Callable[..., Watched], fresh: Studio) -> None:
    hostile_home(fresh.settings)
    watched = visit(fresh)
    for path in PAGES:
        page = watched.open(path)
        page.wait_for_function("() => !/Loading .*…/.test(document.querySelector('main').innerText)")
        _open_everything(page)
        assert (
            page.evaluate("() => document.querySelectorAll('main :is(iframe, script, object, embed, base)').length")
            == 0
        )
        assert page.evaluate(
            "() => [...document.querySelectorAll('a')].every((a) => !/^(javascript|data):/i.test(a.href))"
        )
        page.close()
    assert watched.violations == []


def test_hostile_text_is_shown_verbatim(visit: Callable[..., Watched], fresh: Studio) -> None:
    hostile_home(fresh.settings)
    page = visit(fresh).open("runs/bad")

    expect(page.get_by_role("main")).to_contain_text("<script>alert('script')</script>")


def _open_everything(page: Page) -> None:
    """Expand collapsed parts, whose text is not rendered before."""
    for button in page.locator("main [aria-expanded=false]").all()[:12]:
        if button.is_visible():
            button.click()
    page.keyboard.press("Escape")
