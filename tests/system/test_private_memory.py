"""Programs that we start cannot read the environment of our processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.support.children import environment
from tests.support.commands import LI, li
from tests.support.hostile_folders import NOBODY
from tests.support.show_harness import TOPIC, ShowHarness
from tests.support.waiting import wait_until

import lionstudio

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")

SECRET = "only-our-environment-has-this-1"
# walks up the tree from the program: guard, watchdog, owner
ATTACK = """
pid=$PPID
for level in 1 2 3; do
  echo "level $level"
  tr '\\0' '\\n' < /proc/$pid/environ | grep PROD_DB_PASSWORD
  pid=$(awk '/^PPid/ {print $2}' /proc/$pid/status)
done
"""
OWNER = """
import os, sys
from lionstudio.system.run_command import run_command
result = run_command(["sh", "-c", sys.argv[1]], "/", {"PATH": os.environ["PATH"]}, timeout=60)
print(result.how, result.code, result.tail)
"""


def attack(python: str, path: str, user: int | None = None) -> str:
    env = {"PATH": os.environ["PATH"], "PROD_DB_PASSWORD": SECRET, "HOME": "/", "PYTHONPATH": path}
    command = [python, "-c", OWNER, ATTACK]
    process = subprocess.run(
        command, env=env, cwd="/", capture_output=True, text=True, timeout=120, user=user, group=user
    )
    assert "level 3" in process.stdout, process.stdout + process.stderr
    return str(process.stdout)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_programs_cannot_read_the_environment_of_their_ancestors_as_nobody() -> None:
    """With a Python that everybody can run, on a copy of the package that everybody can read."""
    pythons = [f"/usr/bin/python3.{minor}" for minor in range(11, 16)]
    python = next(filter(os.path.exists, pythons), None)
    if python is None:
        pytest.skip("no Python that another user can run")
    package, ignore = os.path.dirname(lionstudio.__file__), shutil.ignore_patterns("web", "static", "__pycache__")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o755)  # noqa: S103
        shutil.copytree(package, f"{folder}/lionstudio", ignore=ignore)
        assert SECRET not in attack(python, folder, NOBODY)


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
def test_programs_cannot_read_the_environment_of_their_ancestors() -> None:
    assert SECRET not in attack(sys.executable, "")


def _reads(command: list[str], after: float) -> bool:
    time.sleep(after)
    return subprocess.run(command, capture_output=True).stdout != b""


# root without its rights is a user like others: it reads the memory of its own processes, unless that is private
UNPRIVILEGED = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.getuid() == 0 else []


@pytest.mark.skipif(bool(UNPRIVILEGED) and not shutil.which("setpriv"), reason="root needs setpriv")
@pytest.mark.parametrize("command", [["show", "run", TOPIC], ["mirror", "claude", "--follow"]], ids=" ".join)
def test_environment_of_a_command_that_runs_for_long_is_private(command: list[str], tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path)
    harness.write_plan({"slow": {"agent": "script", "prompt": "@run sleep 60"}})
    env = environment(**harness.env, PROD_DB_PASSWORD=SECRET)
    with subprocess.Popen([*UNPRIVILEGED, LI, *command], env=env, stdout=subprocess.DEVNULL) as process:
        read = [*UNPRIVILEGED, "cat", f"/proc/{process.pid}/environ"]
        try:
            # twice in a row: while a program is being started, its environment is nobody's for a moment
            wait_until(lambda: not any(_reads(read, after) for after in (0, 0.3)))
            assert process.poll() is None
        finally:
            if command[0] == "show":
                li("show", "abort", TOPIC, env=harness.env)
            process.terminate()
