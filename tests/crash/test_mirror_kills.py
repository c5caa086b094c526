"""A mirror that is killed at any point and run again gives the same rows as one that was not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.children import environment
from tests.support.commands import LI
from tests.support.invariants import assert_whole
from tests.support.transcripts import ClaudeTranscript, mirror

from lionstudio.state.database import Database

pytestmark = pytest.mark.crash

FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
POINTS = ["mirror.placed:1", "mirror.placed:4", "mirror.committed:1", "mirror.committed:5", "append.done:3"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Conversations short and long, one forked, one with a sub-agent."""
    folder = tmp_path_factory.mktemp("tool")
    talks = [ClaudeTranscript(folder).talk(turns) for turns in (3, 30, 400, 3)]
    talks[1].fork(folder).user("a fork")
    ClaudeTranscript(folder, talks[0].session, agent="abc").user("sub")
    return folder


@pytest.fixture(scope="module")
def left_in_peace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The rows after one undisturbed run."""
    path = tmp_path_factory.mktemp("peace") / "state.db"
    with Database(str(path)) as db:
        mirror(db, root)
        return content(db)


def content(db: Database) -> list[Any]:
    """Every row without values that differ between files: keys, progression ids, read times."""
    queries = (
        "SELECT id, created_at, node_metadata, content, role, lion_class FROM messages ORDER BY id",
        "SELECT id, name, status, message_count, input_tokens, output_tokens, cost_microusd, first_msg_id, last_msg_id,"
        " last_message_at, ended_at, node_metadata FROM sessions ORDER BY id",
        "SELECT id, name, session_id, node_metadata, input_tokens, cost_microusd FROM branches ORDER BY id",
        "SELECT b.id, i.ord, i.message_id FROM branches b JOIN progression_heads h ON h.id = b.progression_id"
        " JOIN progression_items i ON i.prog = h.pk ORDER BY b.id, i.ord",
        "SELECT s.id, i.ord, i.message_id FROM sessions s JOIN progression_heads h ON h.id = s.progression_id"
        " JOIN progression_items i ON i.prog = h.pk ORDER BY s.id, i.ord",
        "SELECT path, session_id, size, read_to, seal, state, messages, skipped FROM mirror_files ORDER BY path",
    )
    return db.read(lambda conn: [conn.all(query) for query in queries])


def mirrored(root: Path, path: Path, **more: str) -> subprocess.Popen[bytes]:
    command = [LI, "mirror", "claude", "--root", str(root), "--db", str(path)]
    return subprocess.Popen(command, env=environment(**more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("point", POINTS)
def test_mirror_killed_at_point(root: Path, tmp_path: Path, left_in_peace: list[Any], point: str) -> None:
    path = tmp_path / "state.db"
    with mirrored(root, path, LIONAGI_CRASH_AT=point) as killed:
        assert killed.wait(60) == -signal.SIGKILL
    check(root, path, left_in_peace)


@pytest.mark.parametrize("seed", range(40 if FULL else 5))
def test_mirror_killed_at_random(root: Path, tmp_path: Path, left_in_peace: list[Any], seed: int) -> None:
    path, chance = tmp_path / "state.db", random.Random(seed)
    for _ in range(3):
        with mirrored(root, path) as killed:
            time.sleep(chance.uniform(0.05, 0.6))
            killed.kill()
    check(root, path, left_in_peace)


def check(root: Path, path: Path, expected: list[Any]) -> None:
    with mirrored(root, path) as again:
        assert again.wait(60) == 0
    with Database(str(path)) as db:
        assert content(db) == expected
    assert_whole(path, [])
