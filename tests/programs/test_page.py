"""Real agents ask, the page shows it, a browser answers, and the page has the receipt."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.programs.test_codex_conversation import escalated
from tests.support.agent_programs import Agent
from tests.support.agents import contents, session, start
from tests.support.browser import Watched, chromium, serve
from tests.support.conversations import wait_for_question

from lionstudio.model.questions import QuestionStatus
from lionstudio.state.database import reading
from lionstudio.state.exchange.questions import get_question

pytestmark = pytest.mark.e2e

PROMPTS = {"claude": "@run echo once >> made.txt", "codex": escalated("echo once >> made.txt")}
# the time at which the first card with buttons is in the document
SHOWN_AT = """() => { window.shownAt = new Promise((resolve) => {
  const look = () => document.querySelector('[data-question] button') && resolve(Date.now() / 1000);
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
  look();
}) }"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(params=list(PROMPTS))
def agent(request: pytest.FixtureRequest) -> Agent:
    agent = request.getfixturevalue(request.param)
    assert isinstance(agent, Agent)
    return agent


def test_agent_asks_and_a_browser_answers(
    agent: Agent, browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    words = [agent.name, f"{PROMPTS[agent.name]}\n@say done", "--permissions", "ask", "--cwd", agent.task.cwd]
    with serve(tmp_path) as running:
        visitor = Watched(browser, running)
        visitor.sign_in()
        page = visitor.open()
        page.evaluate(SHOWN_AT)
        with start(home, "agent", *words, "--pass-env", "FAKE_KEY", **agent.task.env) as process:
            try:
                question = wait_for_question(home, process)
                shown_at = page.evaluate("() => window.shownAt")
                with capsys.disabled():
                    print(f"\n{agent.name} asked → on the page: {1000 * (shown_at - question.created_at):.0f} ms")
                card = page.locator("[data-question]")
                expect(card).to_contain_text("echo once >> made.txt")
                assert not (Path(agent.task.cwd) / "made.txt").exists()
                card.get_by_role("link").first.click()
                page.get_by_role("list", name="Messages").wait_for()
                answered_at = time.time()
                page.locator("[data-question]").get_by_role("button", name=re.compile(r"^Allow( A)?$", re.I)).click()
                outcome = page.locator("[data-settled]")
                expect(outcome).to_contain_text("Allowed by")
                expect(outcome).to_contain_text(re.compile(r"taken after #\d+"))
                out, err = process.communicate(timeout=60)
            finally:
                process.kill()
        assert (process.returncode, out.splitlines()[-1]) == (0, "done"), err
        expect(page.get_by_role("list", name="Messages")).to_contain_text("done")
        with reading(str(home / "state.db")) as conn:
            taken = get_question(conn, question.id)
        # the transcript of Codex puts messages before the call when the run ends: its receipt moves with it
        expect(outcome).to_contain_text(re.compile(rf"taken after #{taken.taken_ord}\b"))
        visitor.close()

    assert (Path(agent.task.cwd) / "made.txt").read_text() == "once\n"
    assert (taken.status, taken.taken_session) == (QuestionStatus.TAKEN, session(home)["id"])
    assert taken.taken_ord is not None
    assert taken.answered_at is not None
    assert taken.answered_at >= answered_at
    assert "echo once >> made.txt" in str(contents(home)["main"][taken.taken_ord]["arguments"])
