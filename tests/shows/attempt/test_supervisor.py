"""One attempt under its supervisor: run once, adopted, stopped, limited; never run twice, whichever process dies."""

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
from lionstudio.runs.settle import settle_run
from lionstudio.shows.attempt import attempt_files, supervisor
from lionstudio.shows.attempt.attempt_files import AttemptSpec, AttemptWatch, Exit
from lionstudio.shows.director.events import AttemptOutcome
from lionstudio.shows.execute import outcomes
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import identify
from lionstudio.system.session_processes import end_processes_of, processes_of


class AttemptHarness:
    """An attempt folder with a shell script as its agent; the script records that it ran."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = attempt_files.attempt_folder(str(root), "play", 1)
        self.session_id = new_id()
        self.ran = root / "ran"
        self.env = environment(LIONAGI_HOME=str(root))

    def prepare(self, script: str, **options: Any) -> None:
        argv = ("sh", "-c", f"echo $$ >> {self.ran}; {script}")
        prepare = AttemptSpec(argv, str(self.root), self.session_id, str(self.root / "state.db"), **options)
        attempt_files.write_spec(self.folder, prepare, "the prompt\n", self.env)

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
        """Return a watch whose supervisor has started the agent."""
        watch = self.watch()
        assert watch.poll() is None
        self.until_it_ran()
        return watch


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[AttemptHarness]:
    harness = AttemptHarness(tmp_path)
    yield harness
    end_processes_of(harness.session_id, grace=0)


def test_supervisor_records_exit_code_and_output(harness: AttemptHarness) -> None:
    harness.prepare("cat; echo said; exit 3")
    exit_record = harness.wait()

    assert (exit_record.code, exit_record.how, exit_record.left_behind) == (3, "exited", 0)
    assert exit_record.started_at <= exit_record.ended_at
    assert attempt_files.log_tail(harness.folder) == "the prompt\nsaid"
    assert harness.wait() == exit_record
    assert len(harness.pids()) == 1
    assert not attempt_files.is_held(harness.folder)


def test_write_spec_stores_names_of_variables_without_values(harness: AttemptHarness) -> None:
    harness.env["OPENAI_API_KEY"] = "sk-very-secret"
    harness.prepare("true")

    text = (Path(harness.folder) / "attempt.json").read_text()
    assert "OPENAI_API_KEY" in json.loads(text)["env"]
    assert "sk-very-secret" not in text


def test_write_spec_keeps_an_existing_spec(harness: AttemptHarness) -> None:
    harness.prepare("exit 4")
    harness.prepare("exit 5")

    assert harness.wait().code == 4


def test_watch_adopts_the_agent_of_another_director(harness: AttemptHarness) -> None:
    go = harness.root / "go"
    harness.prepare(f"while [ ! -e {go} ]; do sleep 0.05; done; exit 7")
    first = harness.begin()  # a director that never looks again
    other = harness.watch()
    for _ in range(3):
        assert other.poll() is None
    assert attempt_files.is_held(harness.folder)
    go.touch()

    assert other.wait(lambda: None).code == 7
    assert first._supervisor is not None
    first._supervisor.wait()
    assert len(harness.pids()) == 1


def test_concurrent_supervisors_run_one_agent(harness: AttemptHarness) -> None:
    harness.prepare("sleep 0.5")
    argv = [sys.executable, "-m", "lionstudio.shows.attempt.supervisor", harness.folder, "-inf"]
    crowd = [subprocess.Popen(argv, env=harness.env) for _ in range(5)]
    assert [process.wait(60) for process in crowd] == [0] * 5

    assert harness.wait().how == "exited"
    assert len(harness.pids()) == 1


def test_stop_ends_the_process_tree(harness: AttemptHarness) -> None:
    harness.prepare("setsid sleep 300 & sleep 300")
    watch = harness.begin()
    tree = processes_of(harness.session_id)
    exit_record = watch.wait(lambda: "the show was aborted")

    assert (exit_record.how, exit_record.detail) == ("stopped", "the show was aborted")
    assert exit_record.code == 143
    assert still_alive(tree) == set()


def test_signal_to_the_supervisor_stops_the_agent(harness: AttemptHarness) -> None:
    harness.prepare("sleep 300")
    watch = harness.begin()
    assert watch._supervisor is not None
    watch._supervisor.send_signal(signal.SIGTERM)

    assert watch.wait(lambda: None)[:2] == (143, "stopped")


def test_stop_kills_an_agent_that_ignores_it(harness: AttemptHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_GRACE_SECONDS", 0.3)
    harness.prepare("trap '' TERM; while true; do sleep 0.1; done")
    attempt_files.request_stop(harness.folder, "enough")
    supervisor.Supervisor(harness.folder).run()

    exit_record = attempt_files.find_exit(harness.folder)
    assert exit_record is not None
    assert exit_record[:2] == (137, "stopped")


def test_timeout_ends_an_agent_that_ignores_its_deadline(
    harness: AttemptHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_SLACK_SECONDS", 0.1)
    harness.prepare("sleep 300", timeout=0.2)
    supervisor.Supervisor(harness.folder).run()

    exit_record = attempt_files.find_exit(harness.folder)
    assert exit_record is not None
    assert (exit_record.how, exit_record.detail) == ("timed_out", "time limit of 0.2 s reached")


def test_silence_ends_the_agent(harness: AttemptHarness) -> None:
    harness.prepare("sleep 300", silence=1)

    assert harness.wait().how == "silent"


def test_output_prevents_the_silence_timeout(harness: AttemptHarness) -> None:
    harness.prepare("for n in 1 2 3 4 5 6; do sleep 0.4; echo $n; done", silence=1.5)

    assert harness.wait()[:2] == (0, "exited")


def test_session_update_prevents_the_silence_timeout(harness: AttemptHarness) -> None:
    harness.prepare("sleep 2.5", silence=1)
    with Database(str(harness.root / "state.db")) as db:
        db.write(lambda conn: create_session(conn, Session(id=harness.session_id, created_at=time.time() + 60)))

        assert harness.wait()[:2] == (0, "exited")


def test_children_that_outlive_the_agent_are_ended(harness: AttemptHarness) -> None:
    left = harness.root / "left"
    harness.prepare(f"(setsid sh -c 'echo $$ > {left}; exec sleep 300' &); while [ ! -s {left} ]; do sleep 0.02; done")
    exit_record = harness.wait()

    assert (exit_record.code, exit_record.how) == (0, "exited")
    assert exit_record.left_behind >= 1
    assert still_alive({int(left.read_text())}) == set()


def test_missing_program_is_not_started(harness: AttemptHarness) -> None:
    prepare = AttemptSpec(("/no/such/program",), str(harness.root), harness.session_id, "state.db")
    attempt_files.write_spec(harness.folder, prepare, "", harness.env)
    exit_record = harness.wait()

    assert (exit_record.code, exit_record.how) == (None, "not_started")
    assert "cannot start /no/such/program" in str(exit_record.detail)


def test_missing_cwd_is_not_started(harness: AttemptHarness) -> None:
    prepare = AttemptSpec(("true",), str(harness.root / "gone"), harness.session_id, "state.db")
    attempt_files.write_spec(harness.folder, prepare, "", harness.env)

    assert harness.wait().how == "not_started"


@pytest.mark.crash
@pytest.mark.parametrize("point", ["attempt.intended", "attempt.started", "attempt.ended"])
def test_killed_supervisor_never_runs_the_agent_twice(harness: AttemptHarness, point: str) -> None:
    harness.prepare("sleep 1")
    first = harness.watch(LIONAGI_CRASH_AT=point)
    assert first.poll() is None
    assert first._supervisor is not None
    assert first._supervisor.wait(30) == -signal.SIGKILL
    if point != "attempt.intended":
        harness.until_it_ran()
        # what `li agent` does before its agent starts
        with Database(str(harness.root / "state.db")) as db:
            db.write(lambda conn: create_session(conn, Session(id=harness.session_id)))
    exit_record = harness.wait()

    assert len(harness.pids()) == 1
    assert still_alive(set(harness.pids())) == set()
    assert (exit_record.code, exit_record.how) == ((0, "exited") if point == "attempt.intended" else (None, "lost"))


@pytest.mark.crash
def test_orphaned_agent_can_be_stopped(harness: AttemptHarness) -> None:
    harness.prepare("sleep 300")
    watch = harness.begin()
    assert watch._supervisor is not None
    watch._supervisor.kill()
    watch._supervisor.wait()
    assert still_alive(set(harness.pids())) == set(harness.pids())
    exit_record = watch.wait(lambda: "aborted")

    assert exit_record.how == "stopped"
    assert still_alive(set(harness.pids())) == set()
    assert len(harness.pids()) == 1


def test_attempt_without_spec_and_supervisor_is_lost_once(harness: AttemptHarness) -> None:
    harness.prepare(f"rm {harness.folder}/attempt.json; kill -9 $PPID; sleep 300")
    exit_record = harness.wait()

    assert (exit_record.how, exit_record.left_behind > 0) == ("lost", True)
    assert "cannot read the spec" in str(exit_record.detail)
    assert attempt_files.find_exit(harness.folder) == exit_record
    assert still_alive(set(harness.pids())) == set()


@pytest.mark.parametrize("spec", ["{}", '{"argv": [], "cwd": "/"}', '{"argv": "sh"}', "[]", "no json", None])
def test_invalid_spec_is_not_started(harness: AttemptHarness, spec: str | None) -> None:
    harness.prepare("true")
    path = Path(harness.folder, attempt_files.SPEC)
    path.unlink()
    if spec is not None:
        path.write_text(spec)
    exit_record = harness.wait()

    assert (exit_record.code, exit_record.how, harness.pids()) == (None, "not_started", [])
    assert "cannot read the spec" in str(exit_record.detail)


def test_watch_gives_up_after_several_dead_supervisors(
    harness: AttemptHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.prepare("true")
    real, started = subprocess.Popen, []

    def dying(argv: list[str], **options: Any) -> subprocess.Popen[bytes]:
        started.append(argv)
        return real(["false"], **options)

    monkeypatch.setattr(subprocess, "Popen", dying)
    exit_record = harness.wait()

    assert (exit_record.how, len(started)) == ("not_started", 3)
    assert attempt_files.find_exit(harness.folder) == exit_record


@pytest.mark.parametrize(
    "name", [attempt_files.EXIT, attempt_files.STARTED, attempt_files.LOCK, attempt_files.LOG, attempt_files.STOP]
)
def test_pipe_in_place_of_a_file_does_not_block(harness: AttemptHarness, name: str) -> None:
    harness.prepare("sleep 1")
    os.mkfifo(os.path.join(harness.folder, name))
    exit_record = harness.wait()

    assert exit_record.how in ("exited", "stopped", "lost", "not_started")
    assert attempt_files.find_exit(harness.folder) == exit_record
    assert attempt_files.log_tail(harness.folder) == "" or name != attempt_files.LOG


def test_pipe_in_place_of_the_stop_file_stops(harness: AttemptHarness) -> None:
    harness.prepare("sleep 300")
    watch = harness.begin()
    os.mkfifo(os.path.join(harness.folder, attempt_files.STOP))
    exit_record = watch.wait(lambda: "aborted")

    assert (exit_record.how, exit_record.detail) == ("stopped", "stop.json exists but cannot be read")


def test_write_exit_does_not_follow_a_link(harness: AttemptHarness) -> None:
    outside = harness.root / "outside"
    outside.write_text("mine")
    harness.prepare(f"ln -s {outside} {harness.folder}/exit.json; exit 4")
    exit_record = harness.wait()

    assert (exit_record.code, outside.read_text()) == (4, "mine")


@pytest.mark.parametrize("content", ['{"how": "won"}', '{"how": "exited", "ended_at": "x"}', '{"how": []}', "{}"])
def test_find_exit_ignores_a_foreign_file(harness: AttemptHarness, content: str) -> None:
    harness.prepare("true")
    Path(harness.folder, attempt_files.EXIT).write_text(content)

    assert attempt_files.find_exit(harness.folder) is None
    assert attempt_files.unfinished_attempts(str(harness.root)) == [harness.folder]
    assert harness.wait().code == 0


def test_crash_point_of_the_director_is_not_passed_on(harness: AttemptHarness) -> None:
    harness.prepare('test -z "$LIONAGI_CRASH_AT"')

    assert harness.watch(LIONAGI_CRASH_AT="write.committed").wait(lambda: None).code == 0


def test_supervisor_imports_nothing_heavy(harness: AttemptHarness) -> None:
    code = "import sys; import lionstudio.shows.attempt.supervisor; print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.split())

    assert loaded.isdisjoint({"asyncio", "apsw", "dbos", "sqlalchemy", "fastapi", "yaml", "dataclasses"})
    assert os.path.exists(harness.root)


def _running(harness: AttemptHarness, owner: dict[str, Any] | None) -> Database:
    database = Database(str(harness.root / "state.db"))
    session = Session(id=harness.session_id, status=SessionStatus.RUNNING, owner=owner)
    database.write(lambda conn: create_session(conn, session))
    return database


def test_settle_run_needs_proof_of_death(harness: AttemptHarness) -> None:
    ended = Exit(0, "exited", 1.0, 2.0)
    with _running(harness, None) as database:
        session = settle_run(database, harness.session_id)
        assert session is not None
        assert session.status is SessionStatus.RUNNING
        event = outcomes.attempt_ended("play", harness.folder, ended, session)
        assert event.outcome is AttemptOutcome.STOPPED  # a person decides: another attempt might be a second agent
        assert "cannot tell whether the agent has ended" in str(event.reason)


def test_settle_run_fails_a_dead_session(harness: AttemptHarness) -> None:
    with RunLock.take(str(harness.root / "run.lock")) as lock, subprocess.Popen(["true"]) as gone:
        owner = identify(lock_path=lock.path)._replace(pid=gone.pid)._asdict()
    with _running(harness, owner) as database:
        session = settle_run(database, harness.session_id)
        assert session is not None
        assert (session.status, session.exit_code) == (SessionStatus.FAILED, 137)
        event = outcomes.attempt_ended("play", harness.folder, Exit(None, "lost", 1.0, 2.0), session)
        assert (event.outcome, event.reason) == (
            AttemptOutcome.FAILED,
            "the agent process died without reporting an end",
        )


def test_ended_returns_after_a_wakeup(harness: AttemptHarness) -> None:
    readable, writable = os.pipe()
    with subprocess.Popen(["sleep", "600"]) as child:
        os.write(writable, b"1")
        assert not supervisor._ended(child, 3600, [readable])
        child.kill()
        assert supervisor._ended(child, 3600, [readable])
    os.close(readable)
    os.close(writable)
