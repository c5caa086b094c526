"""Running programs of a tool, and idle conversations."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lionstudio.imports.transcripts.tool_processes import IDLE_SECONDS, forget_processes, may_be_running

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture(autouse=True)
def asked_anew() -> None:
    forget_processes()


def test_may_be_running_false_for_idle_file(tmp_path: Path) -> None:
    assert not may_be_running("no-such-program", None, 0.0, IDLE_SECONDS + 1)


def test_may_be_running_false_without_program(tmp_path: Path) -> None:
    assert not may_be_running("no-such-program", str(tmp_path), 10.0, 20.0)


def until_named(pid: int) -> None:
    """A program that was started this instant has no command line for some microseconds."""
    deadline = time.monotonic() + 10
    while not Path(f"/proc/{pid}/cmdline").read_bytes() and time.monotonic() < deadline:
        time.sleep(0.001)


def test_may_be_running_true_for_program_in_folder(tmp_path: Path) -> None:
    program = tmp_path / "someagent"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", program)
    with subprocess.Popen([str(program), "30"], cwd=tmp_path) as process:
        try:
            until_named(process.pid)
            now = time.time()
            assert may_be_running("someagent", str(tmp_path), now, now)
            assert may_be_running("someagent", None, now, now)
            assert not may_be_running("someagent", str(tmp_path.parent), now, now)
            # it cannot have written what was there before it started
            assert not may_be_running("someagent", str(tmp_path), now - 60, now)
        finally:
            process.kill()


def test_may_be_running_true_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: str) -> list[str]:
        raise FileNotFoundError(path)

    monkeypatch.setattr(os, "listdir", closed)
    assert may_be_running("x", "/p", 10.0, 20.0)
