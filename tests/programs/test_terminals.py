"""Interactive programs in a terminal of the user, connected by hooks: Studio answers their permission prompts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_programs import Agent
from tests.support.commands import li
from tests.support.studio import Running, server, until_answering
from tests.support.terminals import PseudoTerminal

SECONDS = 40.0
DONE = "● All done."  # the answer, not the prompt on the screen
MAKE_FILE = "@run echo made > out.txt\n@say All done."


def connect(agent: Agent, home: Path, *options: str) -> None:
    done = li(
        "connect", agent.name, "--yes", "--home", str(home / "studio" / "home"), *options, env=agent.task.env, cwd=home
    )
    assert done.code == 0, done.err


@pytest.fixture
def studio(home: Path) -> Iterator[Running]:
    (home / "studio").mkdir()
    with server(home / "studio", "--no-follow") as running:
        until_answering(running)
        yield running


@contextmanager
def claude_in_terminal(claude: Agent, home: Path, prompt: str) -> Iterator[PseudoTerminal]:
    """Claude Code as a person starts it, past its first-run dialogs."""
    work, folder = claude.task.cwd, Path(claude.task.env["CLAUDE_CONFIG_DIR"])
    folder.mkdir(exist_ok=True)
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    facts = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["test-key"], "rejected": []},
        "projects": {work: project},
        "lastOnboardingVersion": "9.9.9",
    }
    (folder / ".claude.json").write_text(json.dumps(facts))
    env = {**claude.task.env, "TERM": "xterm-256color"}
    terminal = PseudoTerminal([str(home / "bin" / "claude"), "--permission-mode", "default", prompt], env, Path(work))
    try:
        yield terminal
    finally:
        terminal.close()


def until(read: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + SECONDS
    while not (value := read()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
    return value


def open_question(studio: Running) -> dict[str, Any]:
    def read() -> Any:
        questions = studio.ask("GET", "/api/questions")[1]["questions"]
        return questions[0] if questions else None

    question: dict[str, Any] = until(read)
    return question


def question_with(studio: Running, question_id: str, *statuses: str) -> dict[str, Any]:
    def read() -> Any:
        question = studio.ask("GET", f"/api/questions/{question_id}")[1]["question"]
        return question if question["status"] in statuses else None

    question: dict[str, Any] = until(read)
    return question


def answer(studio: Running, question: dict[str, Any], **body: Any) -> None:
    status, text = studio.ask("POST", f"/api/questions/{question['id']}/answer", body)
    assert status == 200, text


def test_claude_prompt_is_answered_by_studio(claude: Agent, home: Path, studio: Running) -> None:
    connect(claude, home)
    with claude_in_terminal(claude, home, MAKE_FILE) as terminal:
        question = open_question(studio)
        assert (question["kind"], question["reason"]) == ("permission", "Bash")
        assert question["evidence"]["arguments"]["command"] == "echo made > out.txt"
        terminal.wait_for("Do you want to proceed?")
        answer(studio, question, option="allow")
        terminal.wait_for(DONE)
        assert (home / "work" / "out.txt").read_text() == "made\n"
        assert question_with(studio, question["id"], "taken")["answered_from"]["surface"] == "page"


def test_claude_denied_with_reason_reads_it(claude: Agent, home: Path, studio: Running) -> None:
    connect(claude, home)
    sent = len(claude.network.bodies())
    with claude_in_terminal(claude, home, MAKE_FILE) as terminal:
        answer(studio, open_question(studio), option="deny", text="use a temporary folder instead")
        terminal.wait_for(DONE)
    assert "use a temporary folder instead" in claude.network.bodies(sent)
    assert not (home / "work" / "out.txt").exists()


def test_claude_changed_arguments_run(claude: Agent, home: Path, studio: Running) -> None:
    connect(claude, home)
    with claude_in_terminal(claude, home, MAKE_FILE) as terminal:
        answer(studio, open_question(studio), option="allow", arguments={"command": "echo other > out.txt"})
        terminal.wait_for(DONE)
    assert (home / "work" / "out.txt").read_text() == "other\n"


def test_claude_always_writes_rule_of_vendor(claude: Agent, home: Path, studio: Running) -> None:
    connect(claude, home)
    with claude_in_terminal(claude, home, "@run python3 -c 'print(1)'\n@say All done.") as terminal:
        question = open_question(studio)
        assert question["evidence"]["suggestions"]
        answer(studio, question, option="always-1")
        terminal.wait_for(DONE)
    assert "python3" in (home / "work" / ".claude" / "settings.local.json").read_text()


@pytest.mark.parametrize(("keys", "runs"), [("1", True), ("3", False), ("\x1b", False)])
def test_claude_prompt_answered_in_terminal_is_withdrawn(
    claude: Agent, home: Path, studio: Running, keys: str, runs: bool
) -> None:
    connect(claude, home)
    with claude_in_terminal(claude, home, MAKE_FILE) as terminal:
        question = open_question(studio)
        terminal.wait_for("Do you want to proceed?")
        time.sleep(0.5)  # the dialog ignores keys for a moment
        terminal.type(keys)
        closed = question_with(studio, question["id"], "withdrawn")
        status, problem = studio.ask("POST", f"/api/questions/{question['id']}/answer", {"option": "deny"})
        assert (status, closed["answered_at"]) == (409, None), problem
        if runs:
            terminal.wait_for(DONE)
            assert closed["closed_reason"] == "answered in the terminal"
    assert (home / "work" / "out.txt").exists() is runs


def test_claude_without_studio_asks_in_terminal(claude: Agent, home: Path) -> None:
    (home / "studio" / "home").mkdir(parents=True)
    connect(claude, home)
    with claude_in_terminal(claude, home, MAKE_FILE) as terminal:
        terminal.wait_for("Do you want to proceed?")
        time.sleep(0.5)
        terminal.type("1")
        terminal.wait_for(DONE)
        text = terminal.text.lower()
    assert (home / "work" / "out.txt").exists()
    assert not [word for word in ("hookerror", "hookfailed", "hookcancelled", "timedout") if word in text]


def test_claude_prompt_outlives_killed_studio(claude: Agent, home: Path) -> None:
    (home / "studio").mkdir()
    connect_home = home / "studio"
    with server(connect_home, "--no-follow") as studio:
        until_answering(studio)
        connect(claude, home)
        with claude_in_terminal(claude, home, MAKE_FILE) as terminal:
            question = open_question(studio)
            terminal.wait_for("Do you want to proceed?")
            studio.process.kill()
            studio.process.wait()
            with server(connect_home, "--no-follow") as again:
                until_answering(again)
                question_with(again, question["id"], "withdrawn")
                terminal.type("1")
                terminal.wait_for(DONE)
    assert (home / "work" / "out.txt").exists()


def test_claude_terminal_is_the_session_of_its_transcript(
    claude: Agent, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question arrives before or after the import of the transcript: both are one session."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", claude.task.env["CLAUDE_CONFIG_DIR"])
    monkeypatch.setenv("CODEX_HOME", str(home / "no-codex"))
    (home / "studio").mkdir()
    with server(home / "studio", "--follow") as studio:
        until_answering(studio)
        connect(claude, home)
        with claude_in_terminal(claude, home, MAKE_FILE) as terminal:
            question = open_question(studio)
            session = f"/api/sessions/{question['session_id']}"
            waiting = studio.ask("GET", session)[1]
            assert (waiting["terminal"]["state"], waiting["session"]["state"]["health"]) == ("waiting", "waiting")
            answer(studio, question, option="allow")
            terminal.wait_for(DONE)
            detail = until(lambda: (found := studio.ask("GET", session)[1])["session"]["message_count"] >= 4 and found)
            assert until(lambda: studio.ask("GET", session)[1]["terminal"]["state"] == "idle")
            assert studio.ask("GET", "/api/terminals")[1]["terminals"][0]["session_id"] == question["session_id"]
        assert detail["session"]["source_kind"] == "imported_claude"
        assert len(studio.ask("GET", "/api/runs")[1]["runs"]) == 1
        assert studio.ask("GET", session)[1]["terminal"]["state"] == "ended"


def test_run_of_li_is_not_reported_by_hooks(claude: Agent, home: Path, studio: Running) -> None:
    connect(claude, home)
    options = (
        "--home",
        str(home / "studio" / "home"),
        "--permissions",
        "all",
        "--sandbox",
        "off",
        "--cwd",
        claude.task.cwd,
    )
    done = li("agent", "claude", *options, MAKE_FILE, env=claude.task.env, cwd=claude.task.cwd)
    assert done.code == 0, done.err
    assert (home / "work" / "out.txt").exists()
    listed = li("connect", "--json", "--home", str(home / "studio" / "home"), env=claude.task.env, cwd=home).json
    assert [each["arrivals"] for each in listed["connections"] if each["tool"] == "claude"] == [None]


# ── Codex ────────────────────────────────────────────────────────────────

ESCALATED = {"cmd": "echo made > out.txt", "sandbox_permissions": "require_escalated", "justification": "to make it"}
CODEX_PROMPT = f"@run @call exec_command {json.dumps(ESCALATED)}\n@say All done."


@contextmanager
def codex_in_terminal(codex: Agent, home: Path) -> Iterator[PseudoTerminal]:
    """Codex as a person starts it who has trusted the folder and our hooks."""
    config = Path(codex.task.env["CODEX_HOME"]) / "config.toml"
    config.write_text(f'{config.read_text()}\n[projects."{codex.task.cwd}"]\ntrust_level = "trusted"\n')
    options = ("--dangerously-bypass-hook-trust", "-a", "on-request", "-s", "read-only", "--no-alt-screen")
    env = {**codex.task.env, "TERM": "xterm-256color"}
    terminal = PseudoTerminal([str(home / "bin" / "codex"), *options, CODEX_PROMPT], env, Path(codex.task.cwd))
    try:
        yield terminal
    finally:
        terminal.close()


@contextmanager
def open_page(studio: Running) -> Iterator[None]:
    """A page of Studio: it holds the stream of changes."""
    with closing(studio.connect()) as connection:
        connection.request("GET", "/api/events", headers={"Authorization": f"Bearer {studio.token}"})
        connection.getresponse().read(1)
        yield


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_codex_prompt_is_answered_by_studio(codex: Agent, home: Path, studio: Running, option: str) -> None:
    connect(codex, home)
    sent = len(codex.network.bodies())
    with open_page(studio), codex_in_terminal(codex, home) as terminal:
        question = open_question(studio)
        assert question["evidence"]["arguments"]["command"] == "echo made > out.txt"
        answer(studio, question, option=option, text="not in this folder")
        terminal.wait_for("• All done.")
        question_with(studio, question["id"], "taken")
    assert (home / "work" / "out.txt").exists() is (option == "allow")
    assert ("not in this folder" in codex.network.bodies(sent)) is (option == "deny")


def test_codex_without_page_asks_in_terminal_at_once(codex: Agent, home: Path, studio: Running) -> None:
    connect(codex, home)
    with codex_in_terminal(codex, home) as terminal:
        terminal.wait_for("Would you like to run the following command?")
        time.sleep(0.5)
        terminal.type("y")
        terminal.wait_for("• All done.")
    assert (home / "work" / "out.txt").exists()
    assert studio.ask("GET", "/api/questions?status=all")[1]["questions"] == []


def test_codex_without_studio_asks_in_terminal(codex: Agent, home: Path) -> None:
    (home / "studio" / "home").mkdir(parents=True)
    connect(codex, home)
    with codex_in_terminal(codex, home) as terminal:
        terminal.wait_for("Would you like to run the following command?")
        time.sleep(0.5)
        terminal.type("y")
        terminal.wait_for("• All done.")
        text = terminal.text.lower()
    assert (home / "work" / "out.txt").exists()
    assert not [word for word in ("hookfailed", "hookerror", "hookexited", "timedout") if word in text]


def test_codex_unanswered_prompt_passes_to_terminal(codex: Agent, home: Path, studio: Running) -> None:
    connect(codex, home)
    with open_page(studio), codex_in_terminal(codex, home) as terminal:
        question = open_question(studio)
        terminal.wait_for("Would you like to run the following command?")
        question_with(studio, question["id"], "expired")
        terminal.type("y")
        terminal.wait_for("• All done.")
    assert (home / "work" / "out.txt").exists()
