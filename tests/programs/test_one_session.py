"""One session per run after `li agent` and `li mirror`, with the tokens that ccusage counts in the same transcripts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_programs import Agent, find_agent
from tests.support.agents import contents, li, sessions, start
from tests.support.conversations import send
from tests.support.process_trees import everything_below, still_alive
from tests.support.waiting import wait_until

from lionstudio.agents.dialog import Delivery
from lionstudio.errors import LionError
from lionstudio.model.branches import ForkPoint
from lionstudio.state.branches import list_branches
from lionstudio.state.database import reading

SUBAGENT = {
    "description": "a task",
    "prompt": "@run echo sub\n@say sub done @cached",
    "subagent_type": "general-purpose",
}
CLAUDE_TASK = f"go @cached\n@run echo hi\n@run @call Agent {json.dumps(SUBAGENT)}\n@say All done."
SPAWN = {"message": "do it\n@run echo sub\n@say child done @cached"}
CODEX_TASK = (
    f"go @cached\n@run echo hi\n@run @call nosuch {{}}\n@run @call multi_agent_v1.spawn_agent {json.dumps(SPAWN)}\n"
    "@run sleep 2\n@say All done."
)
TASKS = {"claude": CLAUDE_TASK, "codex": CODEX_TASK}
HOOKS = {
    "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "echo HOOK-PROMPT-CONTEXT"}]}],
    "SessionStart": [{"hooks": [{"type": "command", "command": "echo HOOK-START-CONTEXT"}]}],
}


@pytest.fixture(params=["claude", "codex"])
def agent(request: pytest.FixtureRequest) -> Agent:
    agent: Agent = request.getfixturevalue(request.param)
    return agent


def run(agent: Agent, home: Path, prompt: str, *more: str) -> str:
    """Run a command to its end; returns the session."""
    known = {row["id"] for row in rows(home)}
    done = li(home, *_words(agent, prompt, *more), timeout=90, **dict(agent.task.env))
    (session,) = {row["id"] for row in rows(home) if row["source_kind"] == "live"} - known
    assert done.returncode in (0, 124), done.stderr
    return str(session)


def _words(agent: Agent, prompt: str, *more: str) -> list[str]:
    return ["agent", agent.name, prompt, "--permissions", "all", "--pass-env", "FAKE_KEY", *more]


def mirror(agent: Agent, home: Path) -> None:
    done = li(home, "mirror", agent.name, timeout=60, **dict(agent.task.env))
    assert done.returncode == 0, done.stderr


def rows(home: Path) -> list[dict[str, Any]]:
    return sessions(home) if (home / "state.db").exists() else []


def row_of(home: Path, session: str) -> dict[str, Any]:
    return next(row for row in rows(home) if row["id"] == session)


def tokens(home: Path) -> tuple[int, ...]:
    names = ("input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens")
    return tuple(sum(row[name] for row in rows(home)) for name in names)


def cost(home: Path) -> int:
    return sum(row["cost_microusd"] or 0 for row in rows(home))


def counted(agent: Agent) -> tuple[tuple[int, ...], float]:
    """The tokens and the cost in dollars that ccusage counts in all transcripts of an agent."""
    program = find_agent({"claude": "ccusage", "codex": "ccusage-codex"}[agent.name])
    if program is None:
        pytest.skip("ccusage is not installed; `make test-agents` does that")
    done = subprocess.run(
        [program, "daily", "--json", "--offline"], env=dict(agent.task.env), capture_output=True, text=True, check=True
    )
    total = json.loads(done.stdout)["totals"]
    if agent.name == "claude":
        names = ("inputTokens", "outputTokens", "cacheCreationTokens", "cacheReadTokens")
        return tuple(total[name] for name in names), total["totalCost"]
    read = total["cachedInputTokens"]
    return (total["inputTokens"] - read, total["outputTokens"], 0, read), total["costUSD"]


def terminal(agent: Agent, home: Path, prompt: str, *, resume: str | None = None, fork: bool = False) -> None:
    """Run the program itself, as a person would."""
    if agent.name == "claude":
        words = ["-p", prompt, "--dangerously-skip-permissions"]
        words += [f"--resume={resume}"] if resume else []
        words += ["--fork-session"] if fork else []
    else:
        words = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        words += ["fork" if fork else "resume", resume, prompt] if resume else [prompt]
    program = str(Path(agent.task.env["PATH"].split(os.pathsep)[0]) / agent.name)
    env = dict(agent.task.env)
    done = subprocess.run(
        [program, *words], cwd=home, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90
    )
    assert done.returncode == 0, done.stderr


def test_runs_and_terminals_are_stored_once_with_exact_usage(agent: Agent, tmp_path: Path) -> None:
    first = run(agent, tmp_path, TASKS[agent.name])
    conversation = str(row_of(tmp_path, first)["conversation_id"])
    counts = {row["id"]: row["message_count"] for row in rows(tmp_path)}
    mirror(agent, tmp_path)
    assert {row["id"]: row["message_count"] for row in rows(tmp_path)} == counts  # the run completed itself

    resumed = run(agent, tmp_path, "and @cached\n@run echo two\n@say two", "--resume", first)
    forked = run(agent, tmp_path, "or @cached\n@run echo three\n@say three", "--fork", first)
    stopped = run(agent, tmp_path, "stop @cached\n@run echo four\n@hang", "--timeout", "6")
    live = {first, resumed, forked, stopped}
    mirror(agent, tmp_path)
    assert {row["id"] for row in rows(tmp_path)} == live

    terminal(agent, tmp_path, "mine @cached\n@run echo five\n@say five", resume=conversation)
    terminal(agent, tmp_path, "fork of mine @cached\n@say six", resume=conversation, fork=True)
    terminal(agent, tmp_path, "alone @cached\n@run echo seven\n@say seven")
    mirror(agent, tmp_path)
    mirror(agent, tmp_path)

    assert len(rows(tmp_path)) == 7
    assert {row["id"] for row in rows(tmp_path) if row["source_kind"] == "live"} == live
    assert row_of(tmp_path, stopped)["status"] == "timed_out"
    expected, dollars = counted(agent)
    assert tokens(tmp_path) == expected
    if dollars:  # its price list may not have the model; we round the cost of each response of 20 tokens
        assert cost(tmp_path) == pytest.approx(dollars * 1e6, abs=expected[1] / 20)
    (mine,) = (row for row in rows(tmp_path) if row["source_kind"] != "live" and row["continues"])
    assert mine["continues"] in live


def test_fork_at_a_message_leaves_its_parent_unchanged(agent: Agent, tmp_path: Path) -> None:
    first = run(agent, tmp_path, "please @cached\n@run echo one\n@say one")
    before = row_of(tmp_path, first)

    forked = run(agent, tmp_path, "or @cached\n@run echo two\n@say two", "--fork", f"{first}:1")
    mirror(agent, tmp_path)

    assert row_of(tmp_path, first) == before
    assert {row["id"] for row in rows(tmp_path)} == {first, forked}


@pytest.mark.parametrize("second_turn", ["of the same run", "of a resumed run", "no answer"])
def test_fork_after_a_turn_has_the_turns_up_to_there(codex: Agent, tmp_path: Path, second_turn: str) -> None:
    """The fork is Codex's own: it has the first turn and its call, and nothing of the second."""
    second = "@hang" if second_turn == "no answer" else "second @cached\n@run echo two\n@say SECOND-ANSWER"
    prompt = "first @cached\n@run sleep 2; echo one\n@say FIRST-ANSWER"
    if second_turn == "of a resumed run":
        first = run(codex, tmp_path, prompt)
        run(codex, tmp_path, second, "--resume", first)
    else:
        with start(tmp_path, *_words(codex, prompt, "--timeout", "10"), **codex.task.env) as process:
            wait_until(lambda: any("arguments" in content for content in _contents(tmp_path)))
            send(tmp_path, second, Delivery.NEXT)
            process.communicate(timeout=60)
        first = str(rows(tmp_path)[0]["id"])
    messages = contents(tmp_path, first)["main"]
    ord_ = next(n for n, content in enumerate(messages) if content.get("assistant_response") == "FIRST-ANSWER")
    before, counts = rows(tmp_path), len(codex.network.bodies())

    forked = run(codex, tmp_path, "third @cached\n@say THIRD-ANSWER", "--fork", f"{first}:{ord_}")

    (body,) = map(json.loads, codex.network.bodies(counts).splitlines())
    sent = [json.dumps(item) for item in body["input"]]
    words = ("first @cached", '"output_text", "text": "FIRST-ANSWER"', "function_call_output")
    assert [sum(word in item for item in sent) for word in words] == [1, 1, 1]
    assert not [item for item in sent if "SECOND-ANSWER" in item or "second @cached" in item or "@hang" in item]
    assert not [item for item in sent if "continues an earlier one" in item]
    row = row_of(tmp_path, forked)
    assert (row["forked_from"], row["continues"]) == (first, None)
    assert row["conversation_id"] not in (None, row_of(tmp_path, first)["conversation_id"])
    with reading(str(tmp_path / "state.db")) as conn:
        (branch,) = list_branches(conn, forked)
        (parent,) = list_branches(conn, first)
    assert branch.fork == ForkPoint(parent.id, ord_)
    assert branch.metadata["history_sent"] is False
    for _ in range(2):
        mirror(codex, tmp_path)
    assert [other for other in rows(tmp_path) if other["id"] != forked] == before
    assert tokens(tmp_path) == counted(codex)[0]
    assert [text for content in contents(tmp_path, forked)["main"] if (text := content.get("assistant_response"))] == [
        "THIRD-ANSWER"
    ]


def test_fork_in_the_middle_of_a_turn_sends_the_earlier_messages(codex: Agent, tmp_path: Path) -> None:
    first = run(codex, tmp_path, "first\n@run echo one\n@say FIRST-ANSWER")
    ord_ = next(n for n, content in enumerate(contents(tmp_path, first)["main"]) if "action_request_id" in content)
    before = len(codex.network.bodies())

    run(codex, tmp_path, "second\n@say SECOND-ANSWER", "--fork", f"{first}:{ord_}")

    body = codex.network.bodies(before)
    assert "continues an earlier one" in body
    assert "echo one" in body
    assert "] FIRST-ANSWER" not in body


def test_fork_of_a_lost_conversation_sends_the_earlier_messages(codex: Agent, tmp_path: Path) -> None:
    first = run(codex, tmp_path, "first\n@say FIRST-ANSWER")
    for rollout in Path(codex.task.env["HOME"]).rglob("rollout-*.jsonl"):
        rollout.unlink()
    before = len(codex.network.bodies())

    forked = run(codex, tmp_path, "second\n@say SECOND-ANSWER", "--fork", first)

    assert "[assistant] FIRST-ANSWER" in codex.network.bodies(before)
    messages = contents(tmp_path, forked)["main"]
    assert [content for content in messages if "could not continue" in content.get("instruction", "")]
    assert messages[-1].get("assistant_response")
    assert row_of(tmp_path, forked)["output_tokens"] == 20


def test_run_has_the_words_of_its_subagents(agent: Agent, tmp_path: Path) -> None:
    run(agent, tmp_path, TASKS[agent.name])

    branches = contents(tmp_path)
    (lane,) = (texts for name, texts in branches.items() if name not in ("main", agent.name))
    answers = [content.get("assistant_response") for content in lane]
    assert [answer for answer in answers if answer][-1] in ("sub done @cached", "child done @cached")
    calls = [content["function"] for texts in branches.values() for content in texts if "arguments" in content]
    expected = (
        ["Agent", "Bash", "Bash"]
        if agent.name == "claude"
        else ["exec_command", "nosuch", "shell", "shell", "spawn_agent"]
    )
    assert sorted(calls) == expected


def test_run_keeps_the_context_of_hooks(claude: Agent, tmp_path: Path) -> None:
    settings = Path(claude.task.env["CLAUDE_CONFIG_DIR"]) / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"hooks": HOOKS}))

    run(claude, tmp_path, "go\n@say done")

    (texts,) = contents(tmp_path).values()
    told = [content.get("instruction", "").strip() for content in texts]
    assert told.count("HOOK-PROMPT-CONTEXT") == told.count("HOOK-START-CONTEXT") == 1


def test_mirror_that_follows_a_run_makes_no_second_session(agent: Agent, tmp_path: Path) -> None:
    with start(tmp_path, "mirror", agent.name, "--follow", "--json", **agent.task.env) as follower:
        try:
            assert follower.stdout is not None
            follower.stdout.readline()
            run(agent, tmp_path, "go\n@run sleep 1; echo one\n@run sleep 1; echo two\n@say done")
            mirror(agent, tmp_path)
        finally:
            follower.kill()

    assert len(rows(tmp_path)) == 1
    assert tokens(tmp_path) == (300, 60, 0, 0)


def test_transcript_completes_a_run_after_kill(agent: Agent, tmp_path: Path) -> None:
    before = everything_below()
    with start(tmp_path, *_words(agent, "go\n@run echo one\n@run sleep 300"), **agent.task.env) as process:
        try:
            while "one" not in [str(output).strip() for output in _outputs(tmp_path)]:
                assert process.poll() is None, process.communicate()
                time.sleep(0.05)
        finally:
            tree = everything_below() - before
            process.kill()
            for pid in still_alive(tree):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    mirror(agent, tmp_path)
    mirror(agent, tmp_path)

    (row,) = rows(tmp_path)
    assert row["source_kind"] == "live"
    functions = [
        content["function"] for texts in contents(tmp_path).values() for content in texts if "arguments" in content
    ]
    assert 1 <= len(functions) <= 2


def _outputs(home: Path) -> list[Any]:
    return [content.get("output") for content in _contents(home)]


def _contents(home: Path) -> list[Any]:
    try:
        return [content for texts in contents(home).values() for content in texts]
    except (LionError, AssertionError):  # not even a session yet
        return []
