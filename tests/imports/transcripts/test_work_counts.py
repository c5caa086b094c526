"""Work is counted, not timed: a second run neither writes nor opens unchanged files."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from tests.support.builders import sql
from tests.support.sql_trace import traced, wal_bytes
from tests.support.transcripts import ClaudeTranscript, mirror

from lionstudio.imports.report import Report
from lionstudio.imports.transcripts import line_reader, sync
from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.state.database import Database
from lionstudio.state.sqlite.fulltext import count_unindexed

FILES, TURNS = 60, 4


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Some conversations."""
    for number in range(FILES):
        ClaudeTranscript(tmp_path / "tool", folder=f"-p{number % 5}").talk(TURNS)
    return tmp_path / "tool"


@pytest.mark.sqlite
def test_mirror_opens_each_file_once(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mirror(db, root).messages == FILES * (2 + 3 * TURNS)
    opened: list[str] = []
    real = line_reader.open_regular

    def noted(path: str) -> int:
        opened.append(path)
        return real(path)

    monkeypatch.setattr(line_reader, "open_regular", noted)
    changes = sql(db, "SELECT max(seq) FROM changes")
    size = wal_bytes(db.path)
    with traced(db.conn) as ran:
        assert mirror(db, root).messages == 0
    assert ran == []  # reads have connections of their own
    assert (opened, sql(db, "SELECT max(seq) FROM changes"), wal_bytes(db.path)) == ([], changes, size)


@pytest.mark.sqlite
def test_mirror_compiles_few_statements(db: Database, root: Path) -> None:
    mirror(db, root)
    for _ in range(20):
        ClaudeTranscript(root, folder="-p0").talk(20)
    before = db.conn.raw.cache_stats()["misses"]

    assert mirror(db, root).messages == 20 * (2 + 3 * 20)
    assert db.conn.raw.cache_stats()["misses"] - before < 20 * 12  # of 60 that a file runs


def test_mirror_writes_a_new_session_once(db: Database, tmp_path: Path) -> None:
    talk = ClaudeTranscript(tmp_path).talk(10)
    talk.turn("assistant", {"role": "assistant", "content": "no"}, isApiErrorMessage=True, error="server_error")
    assert mirror(db, tmp_path).messages == 2 + 3 * 10 + 1

    assert sql(db, "SELECT status, ended_at = last_message_at FROM sessions") == [("failed", True)]
    assert sql(db, "SELECT kind FROM changes WHERE entity = 'session'") == [("created",)]


def test_mirror_reads_only_growth(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grown = ClaudeTranscript(root, folder="-p0").talk(TURNS)
    mirror(db, root)
    grown.user("one more")
    read: list[int] = []
    real = os.pread

    def noted(descriptor: int, length: int, offset: int) -> bytes:
        data = real(descriptor, length, offset)
        read.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", noted)
    assert mirror(db, root).messages == 1
    # the blocks of the seal, before and after, and the new line
    assert sum(read) < 2 * (4096 + 1024) + 1000


def test_mirror_statements_per_message_are_constant(db: Database, root: Path) -> None:
    talk = ClaudeTranscript(root).talk(300)
    with traced(db.conn) as ran:
        new = mirror(db, root).messages
    talk.path.unlink()
    indexing = [one for one in ran if "_fts" in one.sql]
    assert len(indexing) / new < 3
    assert (len(ran) - len(indexing)) / new < 8


@pytest.mark.sqlite
def test_mirror_leaves_no_message_unindexed(db: Database, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "_INDEX_FROM", 50)
    behind: list[int] = []
    target = os.path.realpath(root)
    sync.Mirror(db, TOOLS["claude"], target, between_groups=lambda: behind.append(db.read(count_unindexed))).run(
        Report()
    )

    assert len(behind) > 1
    assert max(behind) < 50
    assert db.read(count_unindexed) == 0


CHILD = """
import sys
from pathlib import Path
from tests.support.transcripts import mirror
from lionstudio.state.database import Database
with Database(sys.argv[2]) as db:
    messages = mirror(db, Path(sys.argv[1])).messages
    # not getrusage: its peak is inherited from the parent process
    peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM:"))
    print(messages, int(peak.split()[1]) // 1024)
"""


@pytest.mark.slow
def test_mirror_large_file_uses_little_memory(tmp_path: Path) -> None:
    """80 MB here; a gigabyte needs as much memory (docs/how-to/import-claude.md has the number)."""
    talk = ClaudeTranscript(tmp_path / "tool")
    text = "word " * 4000
    with open(talk.path, "w") as file:
        for number in range(4000):
            file.write(
                f'{{"type":"user","uuid":"{uuid.UUID(int=number)}","timestamp":"2026-01-01T00:00:00Z",'
                f'"message":{{"content":"{text}"}}}}\n'
            )
    command = [sys.executable, "-c", CHILD, str(tmp_path / "tool"), str(tmp_path / "state.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    messages, megabytes = map(int, done.stdout.split())
    assert messages == 4000
    assert megabytes < 120
