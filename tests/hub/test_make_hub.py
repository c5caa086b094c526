"""`make hub`: a server, Studio and two homes that push, from nothing to sessions that have arrived."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.support.children import ROOT, environment
from tests.support.sandboxes import processes_with

pytestmark = pytest.mark.postgres


def test_make_hub_once_ends_with_all_sessions_on_the_hub() -> None:
    argv = [sys.executable, "tools/hub.py", "--no-open", "--once"]
    done = subprocess.run(
        argv, cwd=ROOT, env=environment(PYTHONPATH="tools:."), capture_output=True, text=True, timeout=200
    )

    assert done.returncode == 0, done
    assert "All 8 sessions of 2 homes have arrived." in done.stdout
    [folder] = {word for word in done.stdout.replace("=", " ").replace("&", " ").split() if "/lion-pg-" in word}
    assert processes_with(folder) == []
