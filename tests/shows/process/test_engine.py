"""The durable engine: the next process of a show resumes the work of a killed one, once."""

from __future__ import annotations

import base64
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import apsw
import pytest
import sqlalchemy
from dbos._utils import retriable_postgres_exception
from tests.support.children import environment
from tests.support.commands import run_li
from tests.support.show_harness import TOPIC, ShowHarness

from lionstudio.errors import Busy, LionError
from lionstudio.shows.process import engine_database, engine_dbos
from lionstudio.state.connection import Unavailable

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


THREADS = """
import sys, threading, time
from lionstudio.shows.process.engine_dbos import DbosEngine

def polls():
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if "queue" in name or "timeout" in name or "scheduler" in name]

def work(topic):
    deadline = time.monotonic() + 60
    while polls() and time.monotonic() < deadline:
        time.sleep(0.01)
    return polls()

engine = DbosEngine(f"{sys.argv[1]}/engine.db", "show/a", {"show": work})
began = polls()
print(bool(began), engine.run("show/a", "show", "a"))
engine.close()
"""


def run(root: Path, show: str, dies_at: str = "-", *more: str) -> list[str]:
    argv = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(root), show, dies_at, *more]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=100)
    assert done.returncode == (0 if dies_at == "-" else 9), done.stderr
    return done.stdout.splitlines()


def notes(root: Path) -> list[str]:
    return (root / "notes").read_text().split()


@pytest.mark.parametrize(("durability", "synchronous"), [("process", "1"), ("power", "2")])
def test_engine_commits_with_the_durability_of_the_database(tmp_path: Path, durability: str, synchronous: str) -> None:
    set_up = f"from lionstudio.state.sqlite.open import set_durability; set_durability({durability!r})\n"
    look = "import sqlalchemy\nwith sqlalchemy.create_engine(f'sqlite:///{root}/engine.db').connect() as conn:\n"
    look += "    print(conn.execute(sqlalchemy.text('PRAGMA synchronous')).scalar())\n"
    program = set_up + PROGRAM.replace("engine.close()", look + "engine.close()")
    argv = [sys.executable, "-W", "ignore", "-c", program, str(tmp_path), "a", "-"]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=100)

    assert done.stdout.splitlines()[-1:] == [synchronous], done.stderr


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


class Payload:
    """An object whose unpickling runs a command."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.mark}",)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE operation_outputs SET output = :data, serialization = 'py_pickle'",
        "UPDATE workflow_status SET inputs = :data, serialization = 'py_pickle'",
        "UPDATE workflow_status SET output = :data, status = 'SUCCESS', serialization = 'py_pickle'",
    ],
)
@pytest.mark.parametrize("earlier", [0, 1])
def test_engine_never_loads_a_pickle(tmp_path: Path, statement: str, earlier: int) -> None:
    for _ in range(earlier):
        run(tmp_path, "a")
    run(tmp_path, "a", "two")
    data = base64.b64encode(pickle.dumps(Payload(tmp_path / "ran"))).decode()
    with apsw.Connection(str(tmp_path / "engine.db")) as conn:
        conn.execute(statement, {"data": data})
    argv = [sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path), "a", "-"]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=100)

    assert not (tmp_path / "ran").exists()
    assert done.returncode != 0
    assert "holds a row that is not JSON" in done.stderr
    assert notes(tmp_path)[3 * earlier :] == ["a:one", "a:two"]


def test_engine_ignores_rows_of_other_shows(tmp_path: Path) -> None:
    """Neither are they loaded, nor is the whole file scanned at each start."""
    run(tmp_path, "ab")
    with apsw.Connection(str(tmp_path / "engine.db")) as conn:
        conn.execute("UPDATE operation_outputs SET serialization = 'py_pickle'")
    assert run(tmp_path, "a") == ["['one', 'two', 'three']", "['show/a']"]


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


def test_engine_stops_polling_when_its_run_begins(tmp_path: Path) -> None:
    """A director waits for hours: threads that look for queued or overdue work would look all the time."""
    argv = [sys.executable, "-W", "ignore", "-c", THREADS, str(tmp_path)]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, timeout=100)

    assert done.stdout.split("\n")[0] == "True []", done.stderr


def test_engine_that_cannot_start_leaves_nothing_for_other_engines(tmp_path: Path) -> None:
    """What it registers is for every connection of the process, and one to a server would fail."""
    (tmp_path / "engine.db").mkdir()
    with pytest.raises(sqlalchemy.exc.OperationalError):
        engine_dbos.DbosEngine(str(tmp_path / "engine.db"), "show/a", {})
    assert not sqlalchemy.event.contains(sqlalchemy.Engine, "connect", engine_dbos._prepare_connection)


@pytest.mark.parametrize("away", [Unavailable("no connection"), Busy("the server is starting")])
def test_connection_of_the_engine_waits_for_a_hub_that_is_away(
    monkeypatch: pytest.MonkeyPatch, away: LionError
) -> None:
    """The library waits for a server after its own error; any other one would end the workflow, and with it a play."""

    def refuse(_path: str) -> NoReturn:
        raise away

    monkeypatch.setattr(engine_database, "connect", refuse)
    with pytest.raises(sqlalchemy.exc.OperationalError, match=away.message):
        engine_database.make_connections("postgresql://db.example.org/lion").connect()


def test_engine_waits_for_a_hub_that_is_a_standby(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any other error would end the workflow of a director."""
    pg = SimpleNamespace(info=SimpleNamespace(parameter_status=lambda name: "on"), close=lambda: None)
    monkeypatch.setattr(engine_database, "connect", lambda path: pg)
    engine = engine_database.make_connections("postgresql://nowhere/lion")

    with pytest.raises(sqlalchemy.exc.OperationalError, match="standby") as refused:
        engine.connect()

    assert retriable_postgres_exception(refused.value)
