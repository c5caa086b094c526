"""One attempt under its supervisor: run once, adopted, stopped, bounded, and never twice whoever is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.children import environment
from tests.support.process_trees import still_alive

from lionstudio.model.ids import new_id
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.shows.attempt import attempt_files, supervisor
from lionstudio.shows.attempt.attempt_files import AttemptSpec, AttemptWatch, Exit
from lionstudio.shows.director.events import AttemptOutcome
from lionstudio.shows.execute import outcomes
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session
from lionstudio.system.process_identity import RunLock, identify
from lionstudio.system.session_processes import end_processes_of, processes_of


class Stand:
    """A folder for an attempt, and a shell script as its agent; the script notes that it ran."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = attempt_files.attempt_folder(str(root), "play", 1)
        self.session_id = new_id()
        self.ran = root / "ran"
        self.env = environment(LIONAGI_HOME=str(root))

    def order(self, script: str, **given: Any) -> None:
        argv = ("sh", "-c", f"echo $$ >> {self.ran}; {script}")
        order = AttemptSpec(argv, str(self.root), self.session_id, str(self.root / "state.db"), **given)
        attempt_files.write_spec(self.folder, order, "the prompt\n", self.env)

    def watch(self, **more: str) -> AttemptWatch:
        return AttemptWatch(self.folder, {**self.env, **more})

    def wait(self, why: str | None = None) -> Exit:
        return self.watch().wait(lambda: why)

    def pids(self) -> list[int]:
        return [int(line) for line in self.ran.read_text().split()] if self.ran.exists() else []

    def until_it_ran(self) -> int:
        deadline = time.monotonic() + 30
        while not self.pids():
            assert time.monotonic() < deadline, attempt_files.log_tail(self.folder)
            time.sleep(0.01)
        return self.pids()[0]

    def begin(self) -> AttemptWatch:
        """A watch whose supervisor has started the agent."""
        watch = self.watch()
        assert watch.poll() is None
        self.until_it_ran()
        return watch


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    yield stand
    end_processes_of(stand.session_id, grace=0)


def test_the_exit_code_and_the_output_are_kept(stand: Stand) -> None:
    stand.order("cat; echo said; exit 3")
    found = stand.wait()

    assert (found.code, found.how, found.left_behind) == (3, "exited", 0)
    assert found.started_at <= found.ended_at
    assert attempt_files.log_tail(stand.folder) == "the prompt\nsaid"
    assert stand.wait() == found
    assert len(stand.pids()) == 1
    assert not attempt_files.is_held(stand.folder)


def test_the_order_names_variables_and_never_their_values(stand: Stand) -> None:
    stand.env["OPENAI_API_KEY"] = "sk-very-secret"
    stand.order("true")

    text = (Path(stand.folder) / "attempt.json").read_text()
    assert "OPENAI_API_KEY" in json.loads(text)["env"]
    assert "sk-very-secret" not in text


def test_an_order_that_was_given_stands(stand: Stand) -> None:
    stand.order("exit 4")
    stand.order("exit 5")

    assert stand.wait().code == 4


def test_another_director_adopts_the_agent(stand: Stand) -> None:
    go = stand.root / "go"
    stand.order(f"while [ ! -e {go} ]; do sleep 0.05; done; exit 7")
    first = stand.begin()  # a director that never looks again
    other = stand.watch()
    for _ in range(3):
        assert other.poll() is None
    assert attempt_files.is_held(stand.folder)
    go.touch()

    assert other.wait(lambda: None).code == 7
    assert first._supervisor is not None
    first._supervisor.wait()
    assert len(stand.pids()) == 1


def test_many_supervisors_at_once_run_one_agent(stand: Stand) -> None:
    stand.order("sleep 0.5")
    argv = [sys.executable, "-m", "lionstudio.shows.attempt.supervisor", stand.folder]
    crowd = [subprocess.Popen(argv, env=stand.env) for _ in range(5)]
    assert [process.wait(60) for process in crowd] == [0] * 5

    assert stand.wait().how == "exited"
    assert len(stand.pids()) == 1


def test_a_stop_ends_the_whole_tree(stand: Stand) -> None:
    stand.order("setsid sleep 300 & sleep 300")
    watch = stand.begin()
    tree = processes_of(stand.session_id)
    found = watch.wait(lambda: "the show was aborted")

    assert (found.how, found.detail) == ("stopped", "the show was aborted")
    assert found.code == 143
    assert still_alive(tree) == set()


def test_a_signal_to_the_supervisor_is_a_stop(stand: Stand) -> None:
    stand.order("sleep 300")
    watch = stand.begin()
    assert watch._supervisor is not None
    watch._supervisor.send_signal(signal.SIGTERM)

    assert watch.wait(lambda: None)[:2] == (143, "stopped")


def test_who_ignores_a_stop_is_killed(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_GRACE_SECONDS", 0.3)
    stand.order("trap '' TERM; while true; do sleep 0.1; done")
    attempt_files.request_stop(stand.folder, "enough")
    supervisor.Supervisor(stand.folder).run()

    found = attempt_files.find_exit(stand.folder)
    assert found is not None
    assert found[:2] == (137, "stopped")


def test_a_deadline_that_the_agent_ignores(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_SLACK_SECONDS", 0.1)
    stand.order("sleep 300", timeout=0.2)
    supervisor.Supervisor(stand.folder).run()

    found = attempt_files.find_exit(stand.folder)
    assert found is not None
    assert (found.how, found.detail) == ("timed_out", "time limit of 0.2 s reached")


def test_silence_counts_as_hanging(stand: Stand) -> None:
    stand.order("sleep 300", silence=1)

    assert stand.wait().how == "silent"


def test_whoever_says_something_does_not_hang(stand: Stand) -> None:
    stand.order("for n in 1 2 3 4 5 6; do sleep 0.4; echo $n; done", silence=1.5)

    assert stand.wait()[:2] == (0, "exited")


def test_a_session_that_moves_is_a_sign_of_life(stand: Stand) -> None:
    stand.order("sleep 2.5", silence=1)
    with Database(str(stand.root / "state.db")) as db:
        db.write(lambda conn: create_session(conn, Session(id=stand.session_id, created_at=time.time() + 60)))

        assert stand.wait()[:2] == (0, "exited")


def test_children_that_outlive_the_agent_are_ended(stand: Stand) -> None:
    left = stand.root / "left"
    stand.order(f"(setsid sh -c 'echo $$ > {left}; exec sleep 300' &); while [ ! -s {left} ]; do sleep 0.02; done")
    found = stand.wait()

    assert (found.code, found.how) == (0, "exited")
    assert found.left_behind >= 1
    assert still_alive({int(left.read_text())}) == set()


def test_a_program_that_is_not_there(stand: Stand) -> None:
    order = AttemptSpec(("/no/such/program",), str(stand.root), stand.session_id, "state.db")
    attempt_files.write_spec(stand.folder, order, "", stand.env)
    found = stand.wait()

    assert (found.code, found.how) == (None, "not_started")
    assert "cannot start /no/such/program" in str(found.detail)


def test_a_folder_that_is_not_there(stand: Stand) -> None:
    order = AttemptSpec(("true",), str(stand.root / "gone"), stand.session_id, "state.db")
    attempt_files.write_spec(stand.folder, order, "", stand.env)

    assert stand.wait().how == "not_started"


@pytest.mark.crash
@pytest.mark.parametrize("point", ["attempt.intended", "attempt.started", "attempt.ended"])
def test_a_killed_supervisor_never_makes_the_agent_run_twice(stand: Stand, point: str) -> None:
    stand.order("sleep 1")
    first = stand.watch(LIONAGI_CRASH_AT=point)
    assert first.poll() is None
    assert first._supervisor is not None
    assert first._supervisor.wait(30) == -signal.SIGKILL
    if point != "attempt.intended":
        stand.until_it_ran()
        # what `li agent` does before its agent starts
        with Database(str(stand.root / "state.db")) as db:
            db.write(lambda conn: create_session(conn, Session(id=stand.session_id)))
    found = stand.wait()

    assert len(stand.pids()) == 1
    assert still_alive(set(stand.pids())) == set()
    assert (found.code, found.how) == ((0, "exited") if point == "attempt.intended" else (None, "lost"))


@pytest.mark.crash
def test_an_agent_without_a_supervisor_can_be_stopped(stand: Stand) -> None:
    stand.order("sleep 300")
    watch = stand.begin()
    assert watch._supervisor is not None
    watch._supervisor.kill()
    watch._supervisor.wait()
    assert still_alive(set(stand.pids())) == set(stand.pids())
    found = watch.wait(lambda: "aborted")

    assert found.how == "stopped"
    assert still_alive(set(stand.pids())) == set()
    assert len(stand.pids()) == 1


def test_an_agent_that_removes_its_order_and_kills_its_supervisor_is_lost_once(stand: Stand) -> None:
    stand.order(f"rm {stand.folder}/attempt.json; kill -9 $PPID; sleep 300")
    found = stand.wait()

    assert (found.how, found.left_behind > 0) == ("lost", True)
    assert "cannot read the spec" in str(found.detail)
    assert attempt_files.find_exit(stand.folder) == found
    assert still_alive(set(stand.pids())) == set()


@pytest.mark.parametrize("order", ["{}", '{"argv": [], "cwd": "/"}', '{"argv": "sh"}', "[]", "no json", None])
def test_a_broken_order_is_not_started(stand: Stand, order: str | None) -> None:
    stand.order("true")
    path = Path(stand.folder, attempt_files.SPEC)
    path.unlink()
    if order is not None:
        path.write_text(order)
    found = stand.wait()

    assert (found.code, found.how, stand.pids()) == (None, "not_started", [])
    assert "cannot read the spec" in str(found.detail)


def test_supervisors_that_die_without_a_word_are_counted(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    stand.order("true")
    real, started = subprocess.Popen, []

    def dying(argv: list[str], **given: Any) -> subprocess.Popen[bytes]:
        started.append(argv)
        return real(["false"], **given)

    monkeypatch.setattr(subprocess, "Popen", dying)
    found = stand.wait()

    assert (found.how, len(started)) == ("not_started", 3)
    assert attempt_files.find_exit(stand.folder) == found


@pytest.mark.parametrize(
    "name", [attempt_files.EXIT, attempt_files.STARTED, attempt_files.LOCK, attempt_files.LOG, attempt_files.STOP]
)
def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(stand: Stand, name: str) -> None:
    stand.order("sleep 1")
    os.mkfifo(os.path.join(stand.folder, name))
    found = stand.wait()

    assert found.how in ("exited", "stopped", "lost", "not_started")
    assert attempt_files.find_exit(stand.folder) == found
    assert attempt_files.log_tail(stand.folder) == "" or name != attempt_files.LOG


def test_a_pipe_that_asks_to_stop_stops(stand: Stand) -> None:
    stand.order("sleep 300")
    watch = stand.begin()
    os.mkfifo(os.path.join(stand.folder, attempt_files.STOP))
    found = watch.wait(lambda: "aborted")

    assert (found.how, found.detail) == ("stopped", "stop.json exists but cannot be read")


def test_an_exit_is_not_written_through_a_link(stand: Stand) -> None:
    outside = stand.root / "outside"
    outside.write_text("mine")
    stand.order(f"ln -s {outside} {stand.folder}/exit.json; exit 4")
    found = stand.wait()

    assert (found.code, outside.read_text()) == (4, "mine")


@pytest.mark.parametrize("said", ['{"how": "won"}', '{"how": "exited", "ended_at": "x"}', '{"how": []}', "{}"])
def test_an_exit_that_no_supervisor_wrote_is_none(stand: Stand, said: str) -> None:
    stand.order("true")
    Path(stand.folder, attempt_files.EXIT).write_text(said)

    assert attempt_files.find_exit(stand.folder) is None
    assert attempt_files.unfinished_attempts(str(stand.root)) == [stand.folder]
    assert stand.wait().code == 0


def test_a_point_of_the_director_is_not_the_supervisors(stand: Stand) -> None:
    stand.order('test -z "$LIONAGI_CRASH_AT"')

    assert stand.watch(LIONAGI_CRASH_AT="write.committed").wait(lambda: None).code == 0


def test_a_supervisor_loads_nothing_heavy(stand: Stand) -> None:
    code = "import sys; import lionstudio.shows.attempt.supervisor; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split())

    assert loaded.isdisjoint({"asyncio", "apsw", "dbos", "sqlalchemy", "fastapi", "yaml", "dataclasses"})
    assert os.path.exists(stand.root)


def _running(stand: Stand, owner: dict[str, Any] | None) -> Database:
    database = Database(str(stand.root / "state.db"))
    session = Session(id=stand.session_id, status=SessionStatus.RUNNING, owner=owner)
    database.write(lambda conn: create_session(conn, session))
    return database


def test_a_session_is_said_to_be_dead_only_with_proof(stand: Stand) -> None:
    ended = Exit(0, "exited", 1.0, 2.0)
    with _running(stand, None) as database:
        session = outcomes.settle_session(database, stand.session_id)
        assert session is not None
        assert session.status is SessionStatus.RUNNING
        told = outcomes.attempt_ended("play", stand.folder, ended, session)
        assert told.outcome is AttemptOutcome.STOPPED  # a person decides: another attempt might be a second agent
        assert "cannot tell whether the agent has ended" in str(told.reason)


def test_a_session_whose_process_is_proven_dead_has_failed(stand: Stand) -> None:
    with RunLock.take(str(stand.root / "run.lock")) as lock, subprocess.Popen(["true"]) as gone:
        owner = identify(lock_path=lock.path)._replace(pid=gone.pid)._asdict()
    with _running(stand, owner) as database:
        session = outcomes.settle_session(database, stand.session_id)
        assert session is not None
        assert (session.status, session.exit_code) == (SessionStatus.FAILED, 1)
        told = outcomes.attempt_ended("play", stand.folder, Exit(None, "lost", 1.0, 2.0), session)
        assert (told.outcome, told.reason) == (AttemptOutcome.FAILED, "the agent process died without reporting an end")
