"""A merge of doubles, or a completion of a run, that is killed at any point and repeated leaves one whole run."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from tests.support.builders import sql
from tests.support.children import environment
from tests.support.commands import LI
from tests.support.invariants import assert_whole
from tests.support.live_runs import claude_run
from tests.support.transcripts import ClaudeTranscript, mirror

from lionstudio.state.database import Database

pytestmark = pytest.mark.crash

TURNS = 5


def prepare(path: Path, root: Path, *, mirrored: bool) -> None:
    """A run that stored half of its records, and with `mirrored` its copy."""
    talk = ClaudeTranscript(root).talk(TURNS)
    with Database(str(path)) as db:
        if mirrored:
            mirror(db, root)
        claude_run(db, talk, talk.records[1 : 2 + TURNS], f"please do {TURNS} things")


def li(path: Path, *words: str, **more: str) -> int:
    command = [LI, *words, "--db", str(path)]
    return subprocess.run(command, env=environment(**more), capture_output=True, timeout=60).returncode


@pytest.mark.parametrize("point", ["complete.inserted", "complete.placed", "doubles.detached", "doubles.replaced"])
def test_merge_of_doubles_killed_at_point(tmp_path: Path, point: str) -> None:
    path, root = tmp_path / "state.db", tmp_path / "tool"
    prepare(path, root, mirrored=True)

    words = ("state", "doctor", "--fix-doubles", "--yes")
    assert li(path, *words, LIONAGI_CRASH_AT=point) == -signal.SIGKILL
    with Database(str(path)) as db:
        assert sql(db, "SELECT count(*) FROM sessions") == [(2,)]
    assert li(path, *words) == 0

    assert_one_run(path)


@pytest.mark.parametrize("point", ["complete.inserted", "complete.placed", "mirror.placed", "mirror.committed"])
def test_completion_killed_at_point(tmp_path: Path, point: str) -> None:
    path, root = tmp_path / "state.db", tmp_path / "tool"
    prepare(path, root, mirrored=False)

    words = ("mirror", "claude", "--root", str(root))
    assert li(path, *words, LIONAGI_CRASH_AT=point) == -signal.SIGKILL
    assert li(path, *words) == 0

    assert_one_run(path)


def assert_one_run(path: Path) -> None:
    with Database(str(path)) as db:
        assert sql(db, "SELECT id, source_kind, message_count FROM sessions") == [("live", "live", 2 + 3 * TURNS)]
    assert_whole(path, [])
