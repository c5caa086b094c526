"""`li mirror --follow`: another process writes, a third one sees the messages."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from tests.support.children import environment
from tests.support.commands import LI, start_li
from tests.support.transcripts import CLAUDE, CODEX, ClaudeTranscript, CodexTranscript, main_branch

from lionstudio.files.follow_lock import find_follower
from lionstudio.imports.transcripts.follow import Follower, FollowTarget
from lionstudio.imports.transcripts.tool_processes import forget_processes
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


@pytest.fixture(autouse=True)
def asked_anew() -> None:
    forget_processes()


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
    events = Follower(db, [FollowTarget(CLAUDE, os.path.realpath(root))], look_every=0.2).events()
    assert next(events).is_first
    try:
        yield (event.report for event in events)
    finally:
        events.close()


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


def test_follow_ignores_files_beside_a_missing_folder(db: Database, tmp_path: Path) -> None:
    root = tmp_path / "tool"
    with reports(db, root) as updates:
        stray = (
            '{"type":"user","uuid":"x","timestamp":"2026-01-01T00:00:00Z","message":{"content":"not a transcript"}}\n'
        )
        (tmp_path / "stray.jsonl").write_text(stray)
        ClaudeTranscript(root).user("hello")
        assert next(updates).messages == 1
    assert db.read(lambda conn: conn.value("SELECT count(*) FROM sessions")) == 1


def statuses(db: Database) -> list[str]:
    return db.read(lambda conn: [row[0] for row in conn.all("SELECT status FROM sessions")])


@contextmanager
def claude_process(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that looks like Claude Code working in a folder."""
    program = folder / "claude"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", program)
    with subprocess.Popen([str(program), "60"], cwd=folder) as process:
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes():
            time.sleep(0.001)
        try:
            yield process
        finally:
            process.kill()


def test_follow_closes_session_when_its_program_has_exited(db: Database, tmp_path: Path) -> None:
    root, work = tmp_path / "tool", tmp_path / "work"
    work.mkdir()
    with claude_process(work) as process:
        changed_at = time.time() - 0.5
        os.utime(ClaudeTranscript(root, cwd=str(work)).talk(1).path, (changed_at, changed_at))
        follower = Follower(db, [FollowTarget(CLAUDE, os.path.realpath(root))], look_every=0.0)
        events = follower.events()
        next(events)
        assert statuses(db) == ["running"]
        process.kill()
        process.wait()
        while time.time() < changed_at + 1.2:
            time.sleep(0.05)
        with claude_process(work):  # another conversation in the same folder does not keep this one open
            follower._look_at_processes()
            assert statuses(db) == ["completed"]
        events.close()


def test_follow_closes_ended_sessions_when_it_stops(db: Database, tmp_path: Path) -> None:
    root, work = tmp_path / "tool", tmp_path / "work"
    work.mkdir()
    with claude_process(work) as process:
        os.utime(ClaudeTranscript(root, cwd=str(work)).talk(1).path)
        events = Follower(db, [FollowTarget(CLAUDE, os.path.realpath(root))]).events()
        next(events)
        assert statuses(db) == ["running"]
        process.kill()
        process.wait()
    events.close()
    assert statuses(db) == ["completed"]


def test_second_follower_stands_by_and_takes_over(db: Database, tmp_path: Path) -> None:
    root = os.path.realpath(tmp_path / "tool")
    talk = ClaudeTranscript(Path(root)).talk(1)
    first = Follower(db, [FollowTarget(CLAUDE, root)], look_every=0.05).events()
    assert next(first).is_first
    follower = find_follower(db.path, "claude", root)
    assert follower is not None
    assert follower.pid == os.getpid()
    second = Follower(db, [FollowTarget(CLAUDE, root)], look_every=0.05).events()
    assert next(second).report is None
    first.close()
    assert find_follower(db.path, "claude", root) is None
    talk.user("again")
    event = next(second)
    assert event.is_first
    assert event.report is not None
    assert event.report.messages == 1
    second.close()


def test_follow_reads_new_lines_during_the_first_pass(db: Database, tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path / "tool"))
    history = [ClaudeTranscript(root, str(uuid4())).talk(1) for _ in range(40)]
    live = ClaudeTranscript(root, str(uuid4())).talk(1)
    written = False

    def progress(tool: Any) -> Any:
        @contextmanager
        def bar() -> Iterator[Any]:
            def watch(done: int, total: int) -> None:
                nonlocal written
                if not written and done > total / 3:
                    written = True
                    live.user("while the history is read")

            yield watch

        return bar()

    events = Follower(db, [FollowTarget(CLAUDE, str(root))], progress=progress).events()
    assert next(events).is_first
    texts = [text for _, text in main_branch(db, live.session)]
    assert texts[-1] == "while the history is read"
    assert len(history) + 1 == db.read(lambda conn: conn.value("SELECT count(*) FROM sessions"))
    events.close()


def test_follow_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    env = environment(CLAUDE_CONFIG_DIR=str(tmp_path / "c"), CODEX_HOME=str(tmp_path / "x"), LIONAGI_HOME=str(tmp_path))
    command = [LI, "mirror", "all", "--follow", "--while-stdin-open", "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=env, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert [json.loads(process.stdout.readline())["tool"] for _ in range(2)] == ["claude", "codex"]
        process.stdin.close()
        assert process.wait(20) == 143
