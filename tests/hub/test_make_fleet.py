"""`make fleet`: a hub, a git daemon, three workers and a show of twelve plays, each merged exactly once."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.support.children import ROOT, environment
from tests.support.sandboxes import processes_with

pytestmark = pytest.mark.postgres


@pytest.mark.timeout(600)
def test_make_fleet_once_merges_every_play_exactly_once() -> None:
    argv = [sys.executable, "tools/fleet.py", "--no-open", "--once", "--seconds", "0.5"]
    done = subprocess.run(
        argv, cwd=ROOT, env=environment(PYTHONPATH="tools:."), capture_output=True, text=True, timeout=580
    )

    assert done.returncode == 0, done
    assert "All 12 plays were merged exactly once" in done.stdout
    [log] = [word for word in done.stdout.split() if word.endswith("/north.log")]
    assert processes_with(log.removesuffix("/north.log")) == []
