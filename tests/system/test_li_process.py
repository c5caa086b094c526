"""Our own processes import nothing from their working directory, which may be a checkout or a cloned repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.children import environment
from tests.support.commands import li
from tests.support.show_harness import TOPIC, ShowHarness
from tests.support.studio import AUTH, application
from tests.support.waiting import wait_until

from lionstudio.system.li_process import li_argv, module_argv, own_environment, start_failure, start_ours

PLANTED = ("argparse.py", "json.py", "types.py", "lionstudio/__init__.py", "sitecustomize.py")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A repository whose modules leave a trace when they are imported."""
    folder = tmp_path / "repository"
    trace = f"open({str(tmp_path / 'trace')!r}, 'a').write(__name__ + '\\n')\n"
    for name in PLANTED:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(trace)
    return folder


@pytest.mark.parametrize("argv", [li_argv("--version"), module_argv("lionstudio.cli.main")])
def test_own_process_imports_nothing_from_its_folder(hostile: Path, argv: list[str]) -> None:
    subprocess.run(argv, cwd=hostile, env=environment(), capture_output=True, timeout=60, check=True)

    assert not (hostile.parent / "trace").exists()


def test_background_run_imports_nothing_from_its_folder(hostile: Path, tmp_path: Path) -> None:
    env = {"LIONAGI_HOME": str(tmp_path / "home")}

    script = f"@run sh -c 'readlink /proc/$PPID/cwd > {tmp_path}/guard; pwd > {tmp_path}/agent'"
    started = li("agent", "script", script, "--background", "--json", cwd=hostile, env=env)
    ended = li("wait", started.json["session_id"], cwd=hostile, env=env)

    assert (started.code, ended.code) == (0, 0), started.err + ended.err
    assert not (tmp_path / "trace").exists()
    assert (tmp_path / "agent").read_text().strip() == str(hostile)  # what the run works on
    row = li("state", "show", started.json["session_id"], "--json", env=env).json
    assert row["session"]["project"] is None


@pytest.mark.parametrize("path", ["", ":", ".", "lib:{hostile}"])
def test_own_process_drops_relative_folders_of_pythonpath(hostile: Path, tmp_path: Path, path: str) -> None:
    absolute = path.format(hostile="/srv/lib")
    env = own_environment({"PYTHONPATH": absolute, "PYTHONSTARTUP": "x.py", "PYTHONHOME": ".", "HOME": "/h"})
    assert env == {"HOME": "/h"} | ({"PYTHONPATH": "/srv/lib"} if "{" in path else {})

    started = start_ours(
        li_argv("--version"),
        environment(PYTHONPATH=path.format(hostile="lib")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert started.wait(60) == 0
    assert not (tmp_path / "trace").exists()


def test_director_and_its_agents_import_nothing_from_the_current_folder(hostile: Path, tmp_path: Path) -> None:
    harness = ShowHarness(tmp_path / "show")
    for name in PLANTED:  # the repository of the show is hostile too
        (harness.repo / name).parent.mkdir(exist_ok=True)
        (harness.repo / name).write_text((hostile / name).read_text())
    harness.git("add", "-A")
    harness.git("commit", "-qm", "planted")
    harness.write_plan({"a": "@write a.txt a"})
    done = li("show", "run", TOPIC, "--json", cwd=hostile, env=harness.env)

    assert done.code == 0, (done.err, harness.log())
    assert harness.rows() == ("completed", {"a": "merged"})
    assert not (tmp_path / "trace").exists()


def test_studio_launch_imports_nothing_from_its_folder(hostile: Path, tmp_path: Path) -> None:
    with application(tmp_path) as studio:
        body = {"verb": "agent", "target": "script", "prompt": "@run pwd", "options": {"cwd": str(hostile)}}
        launch = studio.client.post("/api/launches", json=body, headers=AUTH).json()["launch"]
        path = f"/api/launches/{launch['id']}"
        wait_until(lambda: not studio.get(path)["launch"]["running"])
        ended = studio.get(path)["launch"]
        run = studio.get(f"/api/runs/{launch['id']}")

    assert ended["exit_code"] == 0, ended
    assert str(hostile) in json.dumps(run)
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize(
    ("output", "free", "message", "hint"),
    [
        ("", 0, "the run did not start: the disk with {folder} is full", "free some space and run the command again"),
        ("", 10**9, "the run did not start: it ended with exit code 3 and without output", "cat {folder}/run.log"),
        ("li: no agent x\n  try: li agents ls\n", 0, "the run did not start: no agent x", "li agents ls"),
        ("Traceback: boom\n", 0, "the run did not start: Traceback: boom", "cat {folder}/run.log"),
    ],
)
def test_start_failure_gives_a_reason(
    output: str, free: int, message: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log of a run is on the disk that may be full, and then its own error is lost."""
    monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_bavail=free, f_frsize=1))
    error = start_failure("the run", 3, output, str(tmp_path / "run.log"))
    assert (error.message, error.hint) == (message.format(folder=tmp_path), hint.format(folder=tmp_path))
