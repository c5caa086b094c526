"""The durable engine: the next process of a show resumes the work of a killed one, once."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from tests.support.children import environment
from tests.support.commands import run_li
from tests.support.show_harness import TOPIC, ShowHarness

PROGRAM = """
import os, sys
from lionstudio.shows.process.engine_dbos import DbosEngine
from lionstudio.shows.process import engine_dbos

root, show, dies_at = sys.argv[1:4]
if len(sys.argv) > 4:
    engine_dbos.SHAPE = sys.argv[4]

def note(word):
    with open(f"{root}/notes", "a") as file:
        file.write(f"{show}:{word}\\n")
    if word == dies_at:
        os._exit(9)
    return {"word": word}

def work(topic):
    return [engine.step(word, note, word)["word"] for word in ("one", "two", "three")]

engine = DbosEngine(f"{root}/engine.db", f"show/{show}", {"show": work})
print(engine.run(f"show/{show}", "show", show))
print([row.workflow_id for row in engine._rows()])
engine.close()
"""


def run(root: Path, show: str, dies_at: str = "-", *more: str) -> list[str]:
    argv = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(root), show, dies_at, *more]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=100)
    assert done.returncode == (0 if dies_at == "-" else 9), done.stderr
    return done.stdout.splitlines()


def notes(root: Path) -> list[str]:
    return (root / "notes").read_text().split()


def test_engine_does_not_repeat_finished_steps(tmp_path: Path) -> None:
    run(tmp_path, "a", "two")
    output = run(tmp_path, "a")

    # the step that was under way is done again: that is what every step of a show bears
    assert notes(tmp_path) == ["a:one", "a:two", "a:two", "a:three"]
    assert output == ["['one', 'two', 'three']", "['show/a']"]


def test_engine_starts_a_new_run_after_an_ended_one(tmp_path: Path) -> None:
    run(tmp_path, "a")
    output = run(tmp_path, "a")

    assert notes(tmp_path) == ["a:one", "a:two", "a:three"] * 2
    assert output[1] == "['show/a', 'show/a~2']"


def test_engine_resumes_only_its_own_show(tmp_path: Path) -> None:
    run(tmp_path, "a", "two")
    run(tmp_path, "ab")  # a topic that begins alike
    assert notes(tmp_path) == ["a:one", "a:two", "ab:one", "ab:two", "ab:three"]
    run(tmp_path, "a")

    assert notes(tmp_path)[5:] == ["a:two", "a:three"]


def test_engine_restarts_runs_of_another_shape(tmp_path: Path) -> None:
    run(tmp_path, "a", "two")
    output = run(tmp_path, "a", "-", "shows-other")

    assert notes(tmp_path) == ["a:one", "a:two", "a:one", "a:two", "a:three"]
    assert output[1] == "['show/a', 'show/a~2']"


def test_engine_file_is_private_and_holds_no_code(tmp_path: Path) -> None:
    run(tmp_path, "a")

    path = tmp_path / "engine.db"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as conn:
        outputs = [row[0] for row in conn.execute("SELECT output FROM operation_outputs")]
    assert outputs[0] == '{"word":"one"}'


@pytest.mark.parametrize("arguments", [("show", "--help"), ("show", "run", "--help"), ("show", "ls")])
def test_engine_is_imported_only_by_a_director(arguments: tuple[str, ...], tmp_path: Path) -> None:
    code = "import sys; from lionstudio.cli.main import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment(LIONAGI_HOME=str(tmp_path)),
        capture_output=True,
        text=True,
    )
    loaded = set(done.stderr.splitlines()[-1].split())

    assert loaded.isdisjoint({"dbos", "sqlalchemy", "sqlite3", "lionstudio.shows.process.engine_dbos"})
    assert run_li("show", "--help").code == 0


def test_engine_never_opens_the_state_database(tmp_path: Path) -> None:
    """Python's own SQLite is in the process for the engine's file; two libraries on one file lose its locks."""
    harness = ShowHarness(tmp_path)
    harness.write_plan({"a": "@write a.txt a"})
    opened = tmp_path / "opened"
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(
        "import sys\n"
        "def note(event, args):\n"
        "    if event == 'sqlite3.connect':\n"
        f"        open({str(opened)!r}, 'a').write(str(args[0]) + '\\n')\n"
        "sys.addaudithook(note)\n"
    )
    done = harness.li("show", "run", TOPIC, PYTHONPATH=str(hook))

    assert done.code == 0, (done, harness.log())
    assert {Path(line).name for line in opened.read_text().split()} == {"engine.db"}
