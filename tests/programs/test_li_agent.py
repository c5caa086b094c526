"""`li agent` with the real programs: another process sees each message during the run."""

from __future__ import annotations

import shlex
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.agent_programs import Agent
from tests.support.agents import contents, li, session, sessions, start
from tests.support.crash_runs import FULL, TIMES, CrashRun
from tests.support.process_trees import everything_below, still_alive
from tests.support.waiting import wait_until

from lionstudio.errors import LionError

THREE_CALLS = "@run sleep 0.7; echo one\n@run ls /no/such/file\n@run sleep 0.7; echo three\n@say All done."


@pytest.fixture(params=["claude", "codex"])
def agent(request: pytest.FixtureRequest) -> Agent:
    agent: Agent = request.getfixturevalue(request.param)
    return agent


def words(agent: Agent, prompt: str, *more: str) -> list[str]:
    return ["agent", agent.name, prompt, "--permissions", "all", "--pass-env", "FAKE_KEY", *more]


def run(agent: Agent, home: Path, prompt: str, *more: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return li(home, *words(agent, prompt, *more), timeout=60, **{**agent.task.env, **env})


@contextmanager
def running(agent: Agent, home: Path, prompt: str, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A run in progress; it is ended afterwards."""
    with start(home, *words(agent, prompt, *more), **agent.task.env) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(results: list[str], home: Path, process: subprocess.Popen[str]) -> None:
    """Wait until these results are stored; fail if the run ends before."""
    while answered(home) != results:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def answered(home: Path) -> list[str]:
    """The results that are stored so far."""
    try:
        kept = contents(home).get("main", [])
    except (LionError, AssertionError):  # not even a session yet
        return []
    return [content.get("output", "error").strip() for content in kept if "action_request_id" in content]


def test_li_agent_messages_are_visible_during_run(agent: Agent, tmp_path: Path) -> None:
    with running(agent, tmp_path, THREE_CALLS) as process:
        wait_for(["one", "error"], tmp_path, process)
        assert session(tmp_path)["status"] == "running"
        assert process.wait(60) == 0

    row = session(tmp_path)
    assert (row["status"], row["exit_code"], row["provider"]) == ("completed", 0, agent.name)
    assert (row["input_tokens"], row["output_tokens"]) == (400, 80)
    assert answered(tmp_path) == ["one", "error", "three"]
    assert contents(tmp_path)["main"][-1] == {"assistant_response": "All done."}
    assert row["cost_microusd"] == {"claude": 4000, "codex": 1300}[agent.name]


def test_li_agent_resume_and_fork_continue_conversation(agent: Agent, tmp_path: Path) -> None:
    assert run(agent, tmp_path, "@run echo one\n@say All done.").returncode == 0
    first = session(tmp_path)["id"]
    for how in ("--resume", "--fork"):
        done = run(agent, tmp_path, "and now?", how, first)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == "All done."
    newest, resumed, _ = sessions(tmp_path)
    assert [row["input_tokens"] for row in (newest, resumed)] == [100, 100]


def test_li_agent_timeout_ends_hanging_run(agent: Agent, tmp_path: Path) -> None:
    before = everything_below()
    prompt = "@run (setsid sleep 300 >/dev/null 2>&1 &); echo on\n@hang"
    with running(agent, tmp_path, prompt, "--timeout", "6") as process:
        wait_for(["on"], tmp_path, process)
        tree = everything_below() - before
        assert process.wait(60) == 124

    assert session(tmp_path)["status"] == "timed_out"
    assert len(tree) >= 3
    assert still_alive(tree) == set()


def test_li_agent_interrupt_keeps_messages(agent: Agent, tmp_path: Path) -> None:
    with running(agent, tmp_path, "@run echo before\n@hang") as process:
        wait_for(["before"], tmp_path, process)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130

    row = session(tmp_path)
    assert (row["status"], row["exit_code"]) == ("aborted", 130)
    assert answered(tmp_path) == ["before"]


def test_li_agent_large_output_is_complete(agent: Agent, tmp_path: Path) -> None:
    assert run(agent, tmp_path, "@flood 5000000").returncode == 0

    (answer,) = [
        content["assistant_response"] for content in contents(tmp_path)["main"] if "assistant_response" in content
    ]
    assert len(answer) >= 5_000_000


def test_li_agent_reports_usage_limit(agent: Agent, tmp_path: Path) -> None:
    done = run(agent, tmp_path, f"@status 429\n@say never for {agent.name} and li", CLAUDE_CODE_MAX_RETRIES="0")

    assert done.returncode == 1
    assert session(tmp_path)["reason_codes"] == ["run.failed.usage_limit"]


def test_li_agent_reports_denied_actions_and_how_to_allow_them(agent: Agent, tmp_path: Path) -> None:
    target = tmp_path.with_suffix(".elsewhere")
    prompt = f"@run sleep 4; echo slow\n@run echo one > {target}\n@say All done."
    # with `ask` Claude Code asks instead
    done = run(agent, tmp_path, prompt, "--permissions", {"claude": "edit", "codex": "ask"}[agent.name])

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "All done.")
    row = session(tmp_path)
    assert (row["status"], row["delivery"], row["reason_codes"]) == ("completed", "partial", ["run.permission_denied"])
    assert row["metadata"]["denied"]["count"] == 1
    tool = {"claude": "Bash", "codex": "exec_command"}[agent.name]
    assert f"1 action was denied ({tool})" in done.stderr
    command = next(line for line in done.stderr.splitlines() if line.startswith("  li agent"))
    assert not any("raw" in content for content in contents(tmp_path)["main"])

    again = li(tmp_path, *shlex.split(command)[1:], "--pass-env", "FAKE_KEY", timeout=60, **agent.task.env)
    assert again.returncode == 0, again.stderr


def test_li_agent_prints_the_error_of_the_program_once(claude: Agent, tmp_path: Path) -> None:
    done = run(claude, tmp_path, "hello", ANTHROPIC_API_KEY="")

    assert done.returncode == 1
    assert (done.stdout + done.stderr).count("Not logged in") == 1
    assert "failed: run `claude` and log in" in done.stderr


def test_li_agent_killed_leaves_no_agent(agent: Agent, tmp_path: Path) -> None:
    ends = []
    for _ in range(TIMES if FULL else 1):
        run = CrashRun.new(tmp_path)
        prompt = f"@run sleep {run.token}; echo one\n@say All done."
        with running(agent, tmp_path, prompt, "--session-id", run.session_id) as process:
            wait_until(lambda run=run: run.processes())  # type: ignore[misc]
            below = everything_below(process.pid)
            process.kill()
            row = run.assert_ends()
        assert row is not None
        assert (row["status"], row["reason_codes"]) == ("failed", ["run.failed.process_dead"])
        wait_until(lambda below=below: still_alive(below) == set())  # type: ignore[misc]
        ends.append(row["status"])
    assert ends
