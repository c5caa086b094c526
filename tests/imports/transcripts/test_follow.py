"""`li mirror --follow`: another process writes, a third one sees the messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.commands import start_li
from tests.support.transcripts import CLAUDE, CODEX, ClaudeTranscript, CodexTranscript, main_branch

from lionstudio.imports.transcripts.follow import follow
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.state.database import Database
from lionstudio.state.sqlite.tail import Tail
from lionstudio.system import watch_tree
from lionstudio.system.watch_tree import InotifyWatcher, PollingWatcher

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel's notices are Linux's")

WRITER = """
import json, os, sys, time
path, lines = sys.argv[1], int(sys.argv[2])
os.makedirs(os.path.dirname(path), exist_ok=True)
for number in range(lines):
    record = {"type": "user", "uuid": f"w{number}", "timestamp": f"2026-01-01T00:00:{number:02}Z", "cwd": "/p",
              "message": {"role": "user", "content": f"line {number}"}}
    with open(path, "a") as file:
        text = json.dumps(record) + "\\n"
        file.write(text[:25]); file.flush(); file.write(text[25:]); file.flush()
    print(time.time(), flush=True)
    time.sleep(0.05)
"""


@contextmanager
def following(tool: str, root: Path, home: Path) -> Iterator[subprocess.Popen[str]]:
    """`li mirror … --follow` after its first pass."""
    variable = "CLAUDE_CONFIG_DIR" if tool == "claude" else "CODEX_HOME"
    env = {variable: str(root), "LIONAGI_HOME": str(home)}
    with start_li("mirror", tool, "--follow", "--json", env=env) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["tool"] == tool
        yield process


def messages_from(tail: Tail, wanted: int) -> list[float]:
    """The time at which each new message was seen."""
    seen: list[float] = []
    deadline = time.monotonic() + 30
    while len(seen) < wanted and time.monotonic() < deadline:
        now = [change for change in tail.wait(1).rows if change.entity == "message"]
        seen += [time.time()] * len(now)
    return seen


def test_follow_sees_each_line_while_the_tool_writes(tmp_path: Path) -> None:
    root, home = tmp_path / "claude", tmp_path / "home"
    root.mkdir()
    path = root / "projects" / "-new" / "11111111-2222-3333-4444-555555555555.jsonl"
    with following("claude", root, home) as process, Tail(str(home / "state.db")) as tail:
        command = [sys.executable, "-c", WRITER, str(path), "12"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            seen = messages_from(tail, 12)
            assert writer.stdout is not None
            written = [float(line) for line in writer.stdout]
        assert len(seen) == 12
        assert len(written) == 12
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0


def test_follow_waits_for_folder(tmp_path: Path) -> None:
    root, home = tmp_path / "a" / "codex", tmp_path / "home"
    with following("codex", root, home), Tail(str(home / "state.db")) as tail:
        talk = CodexTranscript(root).begin()
        talk.user("hello")
        assert len(messages_from(tail, 1)) == 1
        talk.assistant("hi")
        assert len(messages_from(tail, 1)) == 1
    with Database(str(home / "state.db")) as db:
        assert [text for _, text in main_branch(db, talk.thread, CODEX)] == ["hello", "hi"]


def test_follow_ends_on_sigterm(tmp_path: Path) -> None:
    root = tmp_path / "claude"
    root.mkdir()
    with following("claude", root, tmp_path / "home") as process:
        process.terminate()
        assert process.wait(10) == 143


@contextmanager
def reports(db: Database, root: Path) -> Iterator[Any]:
    """Follow in this process and yield the reports."""
    updates = follow(Mirror(db, CLAUDE, os.path.realpath(root)), CLAUDE, os.path.realpath(root), patience=0.2)
    next(updates)
    try:
        yield updates
    finally:
        updates.close()


def test_follow_rescans_after_lost_notice(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "tool"
    (root / "projects").mkdir(parents=True)
    with reports(db, root) as updates:
        heed = InotifyWatcher._handle

        def overflow(self: InotifyWatcher, number: int, mask: int, name: str, changed: set[str]) -> None:
            heed(self, -1, 0x4000, "", changed)

        monkeypatch.setattr(InotifyWatcher, "_handle", overflow)
        talk = ClaudeTranscript(root).talk(1)
        assert next(updates).messages == 5
        monkeypatch.undo()
        talk.user("again")
        assert next(updates).messages == 1


def test_follow_deleted_file_and_moved_folder(db: Database, tmp_path: Path) -> None:
    root = tmp_path / "tool"
    talk = ClaudeTranscript(root, folder="-one").talk(1)
    with reports(db, root) as updates:
        os.rename(root / "projects" / "-one", root / "projects" / "-two")
        moved = root / "projects" / "-two" / talk.path.name
        with open(moved, "a") as file:
            file.write(
                '{"type":"user","uuid":"late","timestamp":"2026-01-01T00:00:00Z","message":{"content":"late"}}\n'
            )
        total = 0
        while not total:
            total += next(updates).messages
        assert total == 1
    assert len(main_branch(db, talk.session)) == 6


def test_follow_reads_subagents_in_new_folders(db: Database, tmp_path: Path) -> None:
    root = tmp_path / "tool"
    talk = ClaudeTranscript(root)
    talk.user("please")
    with reports(db, root) as updates:
        sub = ClaudeTranscript(root, talk.session, agent="abc")
        sub.user("look")
        assert next(updates).messages == 1
        sub.path.with_suffix(".meta.json").write_text('{"agentType": "Explore"}')
        next(updates)
    names = db.read(lambda conn: [row[0] for row in conn.all("SELECT name FROM branches ORDER BY name")])
    assert names == ["Explore", "main"]


def test_follow_polls_without_notices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "other")
    watcher = watch_tree.watch([str(tmp_path)])
    assert isinstance(watcher, PollingWatcher)
    assert watcher.wait(0.01) is None
