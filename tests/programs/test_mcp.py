"""The real programs start `li mcp` and call each of its tools."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.agent_programs import Agent
from tests.support.builders import begin, said, write
from tests.support.commands import LI

from lionstudio.model.questions import Answer
from lionstudio.state.database import Database
from lionstudio.state.exchange.mailboxes import inbox
from lionstudio.state.exchange.questions import answer_question, list_open_questions
from lionstudio.state.messages.append import append

CALLS = {
    "search": {"query": "turtle"},
    "read": {"at": "run-1:0", "count": 1},
    "note_to": {"to": "run-2", "text": "look at run-1:0"},
    "ask_human": {"question": "Which colour?", "options": ["red", "blue"]},
}
RESULTS = ("run-1:0 ", "run-1:0 user: a slow turtle", "Queued for run-2", "blue")


@pytest.fixture
def history(home: Path) -> Iterator[Database]:
    (home / "lion").mkdir()
    with Database(str(home / "lion" / "state.db"), create=True) as db:
        session = begin(db, "run-1", name="a run")
        write(db, append, session.branch_id, said("a slow turtle"))
        begin(db, "run-2", provider="script")
        yield db


def answer_when_asked(db: Database) -> None:
    deadline = time.monotonic() + 60
    while not (questions := db.read(list_open_questions)):
        if time.monotonic() > deadline:
            return
        time.sleep(0.05)
    db.write(lambda conn: answer_question(conn, questions[0].id, Answer("2"), by="me", origin={}))


def run(agent: Agent, history: Database, *words: str) -> str:
    """Run the program; the bodies of its requests have the results that the model gets."""
    sent = len(agent.network.bodies())
    person = threading.Thread(target=answer_when_asked, args=(history,))
    person.start()
    program = str(Path(agent.task.env["PATH"].split(":")[0]) / agent.name)
    done = subprocess.run(
        [program, *words],
        cwd=agent.task.cwd,
        env=dict(agent.task.env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    person.join()
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return agent.network.bodies(sent)


def script(prefix: str) -> str:
    calls = [f"@run @call {prefix}{tool} {json.dumps(arguments)}" for tool, arguments in CALLS.items()]
    return "\n".join([*calls, "@say All done."])


def assert_called(history: Database, bodies: str) -> None:
    assert [result for result in RESULTS if result not in bodies] == []
    messages = history.read(lambda conn: inbox(conn, "run-2"))
    [note] = [entry.message.text for entry in messages]
    assert note == "Message from agent without a run, not from the user:\n\n  look at run-1:0"


def test_claude_calls_every_tool(claude: Agent, history: Database) -> None:
    server = {"command": LI, "args": ["mcp", "--db", history.path]}
    config = json.dumps({"mcpServers": {"lion": server}})
    words = ("-p", script("mcp__lion__"), "--mcp-config", config, "--dangerously-skip-permissions")
    assert_called(history, run(claude, history, *words))


def test_codex_calls_every_tool(codex: Agent, history: Database) -> None:
    server = (
        *("-c", f"mcp_servers.lion.command={json.dumps(LI)}"),
        *("-c", f"mcp_servers.lion.args={json.dumps(['mcp', '--db', history.path])}"),
    )
    options = ("--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
    assert_called(history, run(codex, history, "exec", *options, *server, script("mcp__lion.")))
