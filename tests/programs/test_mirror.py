"""Transcripts followed while the real programs write them: one message for each printed record."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.agent_programs import Agent
from tests.support.commands import start_li
from tests.support.transcripts import branch_names

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.errors import NotFound
from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse, Message
from lionstudio.model.sessions import Session
from lionstudio.state.branches import get_branch, history
from lionstudio.state.database import Database
from lionstudio.state.sessions import get_session
from lionstudio.state.sqlite.tail import Tail

pytestmark = pytest.mark.agents

CLAUDE = ("--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions")
CODEX = ("--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
SCRIPT = "please\n@run echo hi > a.txt\n@run cat a.txt; ls /nope\n@say All done."


@dataclass
class Followed:
    """A running mirror, and its messages as this process sees them."""

    tool: TranscriptTool
    agent: Agent
    root: Path
    path: str
    seen: dict[str, float] = field(default_factory=dict)  # message id -> when it was visible here
    sizes: list[tuple[float, str, int]] = field(default_factory=list)  # how long each file was when

    def run(self, *words: str) -> list[dict[str, Any]]:
        """Run the program and return its output."""
        program = str(Path(self.agent.task.env["PATH"].split(os.pathsep)[0]) / self.tool.name)
        done = subprocess.run(
            [program, *words],
            cwd=self.agent.task.cwd,
            env=dict(self.agent.task.env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=90,
        )
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]

    def messages(self, session: str, wanted: int) -> list[Message]:
        """The history of a session as soon as it has this many prompts and answers."""
        deadline = time.monotonic() + 10
        messages: list[Message] = []
        while time.monotonic() < deadline:
            # a program that ends at once is done before the branch exists
            with Database(self.path) as db, suppress(NotFound):
                messages = db.read(lambda conn: self._history(conn, session))
            if len(messages) >= wanted:
                break
            time.sleep(0.05)
        return messages

    def _history(self, conn: Any, session: str) -> list[Message]:
        branch = self.tool.branch_id(session, "")
        entries = [entry.message for entry in history(conn, branch) if entry.message is not None]
        return [message for message in entries if message.role != "system" and not message.metadata.get("injected")]

    def delays(self) -> list[float]:
        """Seconds from a line's end being in its file to its message being visible here."""
        delays = []
        for path in {path for _, path, _ in self.sizes}:
            at = 0
            for line in Path(path).read_bytes().splitlines(keepends=True):
                at += len(line)
                written = next((when for when, name, size in self.sizes if name == path and size >= at), None)
                seen = [self.seen[id_] for id_ in self._ids(line) if id_ in self.seen]
                delays += [max(0.0, when - written) for when in seen if written is not None]
        return delays

    def _ids(self, line: bytes) -> list[str]:
        key = json.loads(line).get("uuid") or (json.loads(line).get("payload") or {}).get("id")
        return self._by_key.get(key, []) if key else []

    @property
    def _by_key(self) -> dict[str, list[str]]:
        ids: dict[str, list[str]] = {}
        with Database(self.path) as db:
            rows = db.read(lambda conn: conn.all("SELECT id, node_metadata FROM messages"))
        for id_, metadata in rows:
            known = json.loads(metadata or "{}")
            ids.setdefault(known.get("uuid") or known.get("item_id"), []).append(id_)
        return ids


@contextmanager
def followed(name: str, agent: Agent, home: Path) -> Iterator[Followed]:
    tool = TOOLS[name]
    root, kept = home / "home" / f".{name}", home / "lion"
    env = {tool.home_variable: str(root), "LIONAGI_HOME": str(kept)}
    with start_li("mirror", name, "--follow", "--json", env=env) as process:
        assert process.stdout is not None
        process.stdout.readline()
        follower = Followed(tool, agent, root, str(kept / "state.db"))
        stop = threading.Event()
        watchers = [threading.Thread(target=work, args=(follower, stop)) for work in (_see, _measure)]
        for watcher in watchers:
            watcher.start()
        try:
            yield follower
        finally:
            stop.set()
            for watcher in watchers:
                watcher.join()


def _see(follower: Followed, stop: threading.Event) -> None:
    with Tail(follower.path) as tail:
        while not stop.is_set():
            for change in tail.wait(0.1).rows:
                if change.entity == "message":
                    follower.seen.setdefault(change.entity_id, time.monotonic())


def _measure(follower: Followed, stop: threading.Event) -> None:
    known: dict[str, int] = {}
    while not stop.wait(0.002):
        for tree in follower.tool.folders:
            for path in (follower.root / tree).rglob("*.jsonl"):
                size = path.stat().st_size
                if size != known.get(str(path)):
                    known[str(path)] = size
                    follower.sizes.append((time.monotonic(), str(path), size))


def assert_prompt(follower: Followed) -> None:
    """Every line becomes visible to this process; benches/bench_mirror.py measures how soon."""
    late = sorted(follower.delays())
    assert late
    median, slowest = late[len(late) // 2] * 1000, late[-1] * 1000
    print(f"visible after {median:.1f} ms (median), {slowest:.1f} ms (slowest of {len(late)})")


def until(follower: Followed, session: str, holds: Callable[[Session], bool]) -> Session:
    """The session as soon as the condition holds, at the latest after ten seconds."""
    deadline = time.monotonic() + 10
    while True:
        with Database(follower.path) as db:
            row = db.read(lambda conn: get_session(conn, follower.tool.session_id(session)))
        if holds(row) or time.monotonic() > deadline:
            return row
        time.sleep(0.05)


# ── Claude Code ──────────────────────────────────────────────────────────


def claude_blocks(printed: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    entries = []
    for record in printed:
        if record["type"] in ("assistant", "user"):
            for block in record["message"]["content"]:
                entries.append((record["uuid"], block["type"], _told(block)))
    return entries


def _told(block: dict[str, Any]) -> Any:
    kinds = {"text": block.get("text"), "tool_use": [block.get("id"), block.get("input")]}
    return kinds.get(block["type"]) or [block["tool_use_id"], block["content"], bool(block.get("is_error"))]


def kept_blocks(messages: list[Message]) -> list[tuple[Any, ...]]:
    entries: list[tuple[Any, ...]] = []
    for message in messages:
        uuid, call, content = message.metadata["uuid"], message.metadata.get("call_id"), message.content
        if isinstance(message, AssistantResponse):
            entries.append((uuid, "text", content["assistant_response"]))
        elif isinstance(message, ActionRequest):
            entries.append((uuid, "tool_use", [call, content["arguments"]]))
        elif isinstance(message, ActionResponse):
            output = content.get("output", content.get("error"))
            entries.append((uuid, "tool_result", [call, output, "error" in content]))
    return entries


def test_mirror_claude_one_to_one(claude: Agent, home: Path) -> None:
    with followed("claude", claude, home) as follower:
        printed = follower.run("-p", SCRIPT, *CLAUDE)
        session = printed[0]["session_id"]
        messages = follower.messages(session, 8)
        assert messages[0].content == {"instruction": SCRIPT}
        assert kept_blocks(messages) == claude_blocks(printed)
        assert_prompt(follower)
        again = follower.run("-p", "more\n@run echo again\n@say Bye.", "--resume", session, *CLAUDE)
        resumed = follower.messages(session, 13)
        assert kept_blocks(resumed) == claude_blocks(printed) + claude_blocks(again)
        forked = follower.run("-p", "fork\n@say Forked.", "--resume", session, "--fork-session", *CLAUDE)
        child = forked[0]["session_id"]
        assert kept_blocks(follower.messages(child, 15)) == kept_blocks(resumed) + claude_blocks(forked)
        with Database(follower.path) as db:
            branch = db.read(lambda conn: get_branch(conn, follower.tool.branch_id(child, "")))
            row = db.read(lambda conn: get_session(conn, follower.tool.session_id(session)))
        assert branch.fork == (follower.tool.branch_id(session, ""), len(resumed) - 1)
        cost = sum(record["total_cost_usd"] for record in printed + again if record["type"] == "result")
        assert (row.input_tokens, row.output_tokens, row.cost_microusd) == (500, 100, round(cost * 1e6))


def test_mirror_claude_subagent_is_branch(claude: Agent, home: Path) -> None:
    asked = {"description": "a task", "prompt": "@run echo sub\n@say found it", "subagent_type": "general-purpose"}
    with followed("claude", claude, home) as follower:
        printed = follower.run("-p", f"go\n@run @call Agent {json.dumps(asked)}\n@say All done.", *CLAUDE)
        session = printed[0]["session_id"]
        follower.messages(session, 5)
        deadline = time.monotonic() + 10
        names: list[str | None] = []
        while "a task" not in names and time.monotonic() < deadline:
            time.sleep(0.1)
            with Database(follower.path) as db:
                names = branch_names(db, session)
        assert names == ["main", "a task"]


def test_mirror_claude_api_error_fails_session(claude: Agent, home: Path) -> None:
    with followed("claude", claude, home) as follower:
        printed = follower.run("-p", "bad\n@status 400", *CLAUDE)
        session = printed[0]["session_id"]
        assert kept_blocks(follower.messages(session, 2)) == claude_blocks(printed)
        with Database(follower.path) as db:
            row = db.read(lambda conn: get_session(conn, follower.tool.session_id(session)))
        assert row.status in ("failed", "running")  # running as long as the program may hold it


# ── Codex ────────────────────────────────────────────────────────────────


def codex_items(printed: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    entries: list[tuple[Any, ...]] = []
    for record in printed:
        item = record.get("item", {})
        if record["type"] == "item.completed" and item["type"] == "command_execution":
            entries.append(("command", item["exit_code"], item["aggregated_output"]))
        elif record["type"] == "item.completed" and item["type"] == "agent_message":
            entries.append(("text", item["text"]))
    return entries


def kept_items(messages: list[Message]) -> list[tuple[Any, ...]]:
    entries: list[tuple[Any, ...]] = []
    for message in messages:
        content = message.content
        if isinstance(message, ActionResponse):
            output = str(content.get("output", content.get("error")))
            entries.append(("command", message.metadata["exit_code"], output.partition("Output:\n")[2]))
        elif isinstance(message, AssistantResponse) and content["assistant_response"]:
            entries.append(("text", content["assistant_response"]))
    return entries


def test_mirror_codex_one_to_one(codex: Agent, home: Path) -> None:
    with followed("codex", codex, home) as follower:
        printed = follower.run("exec", *CODEX, SCRIPT)
        thread = printed[0]["thread_id"]
        messages = follower.messages(thread, 6)
        assert kept_items(messages) == codex_items(printed)
        calls = [message for message in messages if isinstance(message, ActionRequest)]
        assert [call.content["arguments"]["cmd"] for call in calls] == ["echo hi > a.txt", "cat a.txt; ls /nope"]
        assert_prompt(follower)
        again = follower.run("exec", "resume", thread, *CODEX, "more\n@run echo again\n@say Bye.")
        resumed = follower.messages(thread, 10)
        assert kept_items(resumed) == codex_items(printed) + codex_items(again)
        used = [record["usage"] for record in again if record["type"] == "turn.completed"][-1]
        row = until(follower, thread, lambda session: bool(session.input_tokens == used["input_tokens"]))
        assert (row.input_tokens, row.output_tokens) == (used["input_tokens"], used["output_tokens"])
        assert (row.source_kind, row.model) == ("imported_codex", "gpt-5")


def test_mirror_codex_error_fails_session(codex: Agent, home: Path) -> None:
    with followed("codex", codex, home) as follower:
        printed = follower.run("exec", *CODEX, "bad\n@status 400\n@status 400\n@status 400")
        thread = printed[0]["thread_id"]
        follower.messages(thread, 1)
        row = until(follower, thread, lambda session: "failed" in session.metadata["mirror"])
        assert "asked for by the script" in row.metadata["mirror"]["failed"]
