"""Real ACP agents by `li agent acp`: calls with arguments and results, permissions, and resumed conversations."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.programs.conftest import CODEX_CONFIG
from tests.support.agent_programs import Network, find_agent
from tests.support.agents import contents, environment, li, session, sessions, start
from tests.support.conversations import answer, send, stored, wait_for_question
from tests.support.process_trees import everything_below, still_alive
from tests.support.waiting import wait_until

from lionstudio.agents.dialog import Delivery
from lionstudio.model.questions import Effect
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.talk.continue_answered import continue_answered
from lionstudio.settings import load_settings
from lionstudio.state.database import Database, reading
from lionstudio.state.exchange.mailboxes import list_receipts
from lionstudio.state.exchange.questions import list_open_questions, list_questions
from lionstudio.state.sessions import get_session

OPENCODE_CONFIG = {
    "autoupdate": False,
    "share": "disabled",
    "permission": {"edit": "ask", "bash": "ask"},
    "model": "fake/small",
}


class Tools(NamedTuple):
    """The calls that an agent's own tools make of the same task, and the names of its tools."""

    program: tuple[str, ...]
    agent_name: str
    shell: str
    write: Callable[[str], str] | None = None
    edit: Callable[[str], str] | None = None


def call(tool: str, **arguments: str) -> str:
    return f"@run @call {tool} {json.dumps(arguments)}"


AGENTS: Mapping[str, Tools] = {
    "claude": Tools(
        ("claude-agent-acp",),
        "claude-agent-acp",
        "Bash",
        lambda path: call("Write", file_path=path, content="one\ntwo\n"),
        lambda path: call("Edit", file_path=path, old_string="two", new_string="three"),
    ),
    "gemini": Tools(
        ("gemini", "--acp"),
        "gemini-cli",
        "run_shell_command",
        lambda path: call("write_file", file_path=path, content="one\ntwo\n"),
        lambda path: call("replace", file_path=path, instruction="count", old_string="two", new_string="three"),
    ),
    "opencode": Tools(
        ("opencode", "acp"),
        "OpenCode",
        "bash",
        lambda path: call("write", filePath=path, content="one\ntwo\n"),
        lambda path: call("edit", filePath=path, oldString="two", newString="three"),
    ),
    "codex": Tools(("codex-acp",), "codex-acp", "exec_command"),
}


class AcpAgent(NamedTuple):
    """An installed agent that runs in the network, and its environment."""

    name: str
    tools: Tools
    home: Path
    env: dict[str, str]

    @property
    def work(self) -> Path:
        return self.home / "work"

    def run(self, prompt: str, *options: str) -> subprocess.CompletedProcess[str]:
        arguments = ["agent", "acp", prompt, "--cwd", str(self.work), "--pass-env", "FAKE_KEY", *options]
        return li(self.home, *arguments, "--", *self.tools.program, timeout=100, **self.env)

    @contextmanager
    def running(self, prompt: str, *options: str) -> Iterator[subprocess.Popen[str]]:
        """A run in progress; it is ended afterwards."""
        arguments = ["agent", "acp", prompt, "--cwd", str(self.work), "--pass-env", "FAKE_KEY", *options]
        with start(self.home, *arguments, "--", *self.tools.program, **self.env) as process:
            try:
                yield process
            finally:
                process.kill()


@pytest.fixture(params=list(AGENTS))
def agent(request: pytest.FixtureRequest, network: Network, home: Path) -> AcpAgent:
    name = request.param
    tools = AGENTS[name]
    program = find_agent(tools.program[0])
    if program is None:
        pytest.skip(f"the program {tools.program[0]} is not installed; `make test-acp` does that")
    network.wrap(program, home / "bin")
    user = home / "home"
    (user / ".codex").mkdir()
    (user / ".codex" / "config.toml").write_text(CODEX_CONFIG.format(url=network.url))
    (user / ".config" / "opencode").mkdir(parents=True)
    model = {"name": "small", "cost": {"input": 1.25, "output": 10}, "limit": {"context": 100_000, "output": 4096}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "fake",
        "options": {"baseURL": f"{network.url}/v1", "apiKey": "test-key"},
        "models": {"small": model},
    }
    config = json.dumps({**OPENCODE_CONFIG, "provider": {"fake": provider}})
    (user / ".config" / "opencode" / "opencode.json").write_text(config)
    env = {
        "PATH": os.pathsep.join([str(home / "bin"), str(Path(program).parent), os.environ.get("PATH", os.defpath)]),
        "HOME": str(user),
        "CODEX_HOME": str(user / ".codex"),
        "CLAUDE_CONFIG_DIR": str(user / ".claude"),
        "ANTHROPIC_BASE_URL": network.url,
        "ANTHROPIC_API_KEY": "test-key",
        "GEMINI_API_KEY": "test-key",
        "GOOGLE_GEMINI_BASE_URL": network.url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "0",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
        "FAKE_KEY": "test-key",
    }
    return AcpAgent(name, tools, home, env)


def calls(messages: list[Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Each call with its result; the two follow each other."""
    requests = [content for content in messages if "arguments" in content and "action_request_id" not in content]
    responses = [content for content in messages if "action_request_id" in content]
    assert len(requests) == len(responses)
    return list(zip(requests, responses, strict=True))


def notices(messages: list[Any]) -> list[str]:
    texts = [content.get("instruction", "") for content in messages]
    return [text for text in texts if text.startswith("Permission ")]


def test_acp_call_has_arguments_and_result(agent: AcpAgent) -> None:
    path = str(agent.work / "b.txt")
    edits = [write(path) for write in (agent.tools.write, agent.tools.edit) if write]
    done = agent.run(
        "\n".join(["@run echo one > a.txt; cat a.txt", *edits, "@run ls /no/such/folder", "@say All done."]),
        *("--permissions", "all"),
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "All done."
    row = session(agent.home)
    assert row["agent_name"] == agent.tools.agent_name
    assert row["model"] not in (None, "acp")
    messages = contents(agent.home)["main"]
    pairs = calls(messages)
    assert len(pairs) == 2 + len(edits)
    assert "echo one > a.txt" in json.dumps(pairs[0][0]["arguments"])
    if agent.name != "gemini":  # it does not send the output of a command
        assert "one" in pairs[0][1]["output"]
        assert "No such file" in json.dumps(pairs[-1][1])
    assert (agent.work / "a.txt").read_text() == "one\n"
    diffs = [diff for pair in pairs[1:-1] for diff in pair[1].get("diffs") or pair[0]["arguments"]["diffs"]]
    assert [diff["path"] for diff in diffs] == [path] * len(edits)
    if edits:
        assert (agent.work / "b.txt").read_text() == "one\nthree\n"
        assert "three" in diffs[-1]["new"]
    assert not [content for content in messages if "raw" in content]
    assert row["input_tokens"] >= 100


@pytest.mark.parametrize("agent", ["claude", "gemini", "opencode"], indirect=True)
def test_acp_permission_is_recorded(agent: AcpAgent) -> None:
    prompt = "@run echo one > denied.txt\n@say Denied."
    assert agent.run(prompt).returncode == 0

    row = session(agent.home)
    assert row["reason_codes"] == ["run.permission_denied"]
    messages = contents(agent.home)["main"]
    ((request, response),) = calls(messages)
    assert "echo one > denied.txt" in json.dumps(request["arguments"])
    assert response["error"]
    assert notices(messages)[0].startswith(f"Permission denied (no permissions set) for {agent.tools.shell}: echo one")
    assert not (agent.work / "denied.txt").exists()

    assert agent.tools.write is not None
    path = str(agent.work / "allowed.txt")
    assert agent.run(agent.tools.write(path) + "\n@say Written.", "--permissions", "edit").returncode == 0
    assert (agent.work / "allowed.txt").read_text() == "one\ntwo\n"
    newest = sessions(agent.home)[0]
    assert newest["reason_codes"] in ([], "[]", None)


@pytest.mark.parametrize("agent", ["claude", "gemini", "opencode"], indirect=True)
@pytest.mark.parametrize("effect", [Effect.ALLOW, Effect.DENY])
def test_acp_asks_and_takes_the_answer(agent: AcpAgent, effect: Effect) -> None:
    with agent.running("@run echo one > asked.txt\n@say Finished.", "--permissions", "ask") as process:
        question = wait_for_question(agent.home, process)
        assert session(agent.home)["health"] == "waiting"
        assert not (agent.work / "asked.txt").exists()
        answer(agent.home, question, effect, "read the manual" if effect is Effect.DENY else None)
        out, err = process.communicate(timeout=60)

    assert process.returncode == 0, err
    assert "Finished." in out
    assert (agent.work / "asked.txt").exists() is (effect is Effect.ALLOW)
    assert "echo one > asked.txt" in json.dumps([question.title, question.evidence["arguments"]])
    after = stored(agent.home, question)
    assert (after.status, after.answered_by) == ("taken", "ada")
    messages = contents(agent.home)["main"]
    request = next(n for n, content in enumerate(messages) if "arguments" in content)
    result = next(n for n, content in enumerate(messages) if "action_request_id" in content)
    assert after.taken_ord is not None
    assert request <= after.taken_ord < result
    words = [content["instruction"] for content in messages if content.get("instruction") == "read the manual"]
    assert len(words) == (effect is Effect.DENY)


@pytest.mark.parametrize("agent", ["claude", "gemini", "opencode"], indirect=True)
def test_acp_message_replaces_the_turn_and_another_follows(agent: AcpAgent) -> None:
    with agent.running("@run echo one > asked.txt\n@say Finished.", "--permissions", "ask") as process:
        question = wait_for_question(agent.home, process)
        following = send(agent.home, "@say Third.", Delivery.NEXT)
        instead = send(agent.home, "@say Second.", Delivery.INSTEAD)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 0, err
    assert stored(agent.home, question).status == "withdrawn"
    assert not (agent.work / "asked.txt").exists()
    texts = [content.get("assistant_response") for content in contents(agent.home)["main"]]
    # claude sends the result of the cancelled call with the message, and the model takes it for a played directive
    second = "Done." if agent.name == "claude" else "Second."
    assert [text for text in texts if text][-2:] == [second, "Third."]
    with reading(str(agent.home / "state.db")) as conn:
        run = session(agent.home)["id"]
        ords = {receipt.message.id: receipt.taken_ord for receipt in list_receipts(conn, run, run)}
    taken, taken_later = ords[instead], ords[following]
    assert taken is not None
    assert taken_later is not None
    assert taken < taken_later


def test_acp_resume_stores_only_new_messages(agent: AcpAgent) -> None:
    assert agent.run("@run echo one > a.txt\n@say First.", "--permissions", "all").returncode == 0
    first = session(agent.home)
    _leave_the_minute(agent)
    done = agent.run("@say Second.", "--permissions", "all", "--resume", first["id"])

    assert done.returncode == 0, done.stderr
    assert "First." not in done.stdout
    newest, oldest = sessions(agent.home)
    assert oldest["id"] == first["id"]
    messages = contents(agent.home, newest["id"])["main"]
    texts = [content["assistant_response"] for content in messages if content.get("assistant_response")]
    assert texts[-1] == "Second."
    assert "First." not in texts
    assert not calls(messages)


@pytest.mark.parametrize("agent", ["claude", "gemini", "opencode"], indirect=True)
def test_acp_killed_while_it_waits_uses_the_answer_once(agent: AcpAgent) -> None:
    before = everything_below()
    call = "@run echo once >> made.txt\n"
    with agent.running(f"{call * 3}@say Finished.", "--permissions", "ask") as process:
        question = wait_for_question(agent.home, process)
        for pid in (tree := everything_below() - before):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not still_alive(tree))
    _leave_the_minute(agent)
    answer(agent.home, question, Effect.ALLOW)
    assert not (agent.work / "made.txt").exists()

    settings = load_settings({"home": str(agent.home)}, environ={})
    with Database(str(agent.home / "state.db")) as database:
        env = environment(agent.home, **agent.env)
        (new,) = continue_answered(database, settings, env, session_id=question.session_id)

        def is_over() -> bool:
            for asked in database.read(list_open_questions):
                answer(agent.home, stored(agent.home, asked), Effect.DENY)
            return database.read(lambda conn: get_session(conn, new)).status is not SessionStatus.RUNNING

        wait_until(is_over, 60)
        session, asked = database.read(lambda conn: (get_session(conn, new), list_questions(conn)))
    assert (agent.work / "made.txt").read_text() == "once\n"
    assert session.continues == question.session_id
    assert stored(agent.home, question).taken_session == new
    assert len(asked) > 1  # the same call is asked about again


def _leave_the_minute(agent: AcpAgent) -> None:
    """Gemini CLI overwrites a conversation that is continued in the minute it began in."""
    for chat in agent.home.glob("home/.gemini/tmp/*/chats/*"):
        chat.rename(chat.with_name("session-2026-01-01T00-00" + chat.name[-14:]))


@pytest.mark.parametrize("agent", ["claude", "codex"], indirect=True)
def test_acp_run_is_completed_by_its_transcript_once(agent: AcpAgent) -> None:
    assert agent.run("@run echo one > a.txt; cat a.txt\n@say First.", "--permissions", "all").returncode == 0
    first = session(agent.home)
    assert agent.run("@say Second.", "--permissions", "all", "--resume", first["id"]).returncode == 0
    before = sessions(agent.home)

    for _ in range(2):
        assert li(agent.home, "mirror", agent.name, timeout=60, **agent.env).returncode == 0

    after = sessions(agent.home)
    assert [row["id"] for row in after] == [row["id"] for row in before]
    assert [row["input_tokens"] for row in after] == [row["input_tokens"] for row in before] == [100, 200]
    messages = contents(agent.home, first["id"])["main"]
    assert len(calls(messages)) == 1
    assert not [content for content in messages if {"raw", "record", "attachment"} & content.keys()]


def test_acp_api_error_is_shown(agent: AcpAgent) -> None:
    # agents repeat requests, and some have a second one for the title of the conversation
    done = agent.run("\n".join([*["@status 400"] * 12, f"@say never, {agent.name}"]))

    assert (done.returncode, session(agent.home)["reason_codes"]) == (1, ["run.failed.provider_error"])
    assert "asked for by the script" in done.stdout + done.stderr  # the error of claude is also its answer
