"""Studio, the recorder and the agent die while a question waits: after the restart the answer runs the call once."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from tests.programs.test_codex_conversation import escalated
from tests.support.agent_programs import Agent
from tests.support.agents import sessions, start
from tests.support.conversations import stored, wait_for_question
from tests.support.process_trees import everything_below, still_alive
from tests.support.studio import server, until_answering
from tests.support.waiting import wait_until

SECONDS = 60
CALL = escalated("echo once >> made.txt")
# Codex counts the call that died as aborted; the model that is told to make it once more is the second line. Claude
# stores its transcript some time after it has asked: without one it reads the recorded words, `[user] go on` first.
PROMPTS = {"claude": "go on\n@run echo once >> made.txt", "codex": f"{CALL}\n{CALL}"}


@pytest.mark.parametrize("name", list(PROMPTS))
def test_everything_killed_while_agent_waits_runs_call_once(
    name: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = request.getfixturevalue(name)
    assert isinstance(agent, Agent)
    home, made = tmp_path / "home", Path(agent.task.cwd) / "made.txt"
    for key, value in agent.task.env.items():  # Studio starts the run that continues
        monkeypatch.setenv(key, value)
    words = ["agent", name, f"{PROMPTS[name]}\n@say done", "--permissions", "ask", "--cwd", agent.task.cwd]
    before = everything_below()
    with server(tmp_path) as studio, start(home, *words, "--pass-env", "FAKE_KEY", **agent.task.env) as process:
        until_answering(studio)
        question = wait_for_question(home, process)
        tree = everything_below() - before
        assert {studio.process.pid, process.pid} < tree
        for pid in tree:
            with suppress(ProcessLookupError):  # it ended with another one
                os.kill(pid, signal.SIGKILL)
        process.communicate()
    wait_until(lambda: not still_alive(tree), SECONDS)
    assert not made.exists()

    with server(tmp_path) as studio:
        until_answering(studio)
        status, listed = studio.ask("GET", "/api/questions")
        assert [row["id"] for row in listed["questions"]] == [question.id], (status, listed)
        status, body = studio.ask("POST", f"/api/questions/{question.id}/answer", {"option": "allow"})
        assert status == 200, body
        assert studio.ask("POST", f"/api/questions/{question.id}/answer", {"option": "allow"})[0] == 409
        wait_until(lambda: len(sessions(home)) == 2, SECONDS)
        wait_until(lambda: sessions(home)[0]["status"] != "running", SECONDS)

    newest, oldest = sessions(home)
    assert (newest["status"], newest["continues"], oldest["status"]) == ("completed", oldest["id"], "failed")
    assert made.read_text() == "once\n"
    taken = stored(home, question)
    assert (taken.status, taken.taken_session) == ("taken", newest["id"])
