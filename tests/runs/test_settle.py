"""Runs whose process was killed: their spool comes first, and every command says the same about them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.agents import environment, json_lines, li
from tests.support.process_trees import still_alive

from lionstudio.model.sessions import Session
from lionstudio.runs import settle as settle_module
from lionstudio.runs.settle import mark_stale_runs, settle_dead_runs, settle_run
from lionstudio.runs.spool import Spool, list_refused, list_spools, watch_lock_path
from lionstudio.settings import load_settings
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session, get_session
from lionstudio.studio.dead_runs import settle
from lionstudio.studio.services import open_services
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import identify

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
COMPLETED = {"status": "completed", "exit_code": 0, "reasons": [], "detail": None, "resets_at": None}
STALE = 30 * 86400.0  # seconds ago


def dead_session(database: Database, ago: float = 1.0) -> str:
    """A session that is marked running and whose process is gone."""
    with subprocess.Popen(["sleep", "60"]) as process:
        owner = identify(process.pid)._asdict()
        process.kill()
    lock = Path(database.path).with_name("free.lock")
    lock.touch()
    at = time.time() - ago
    row = Session(name="x", owner={**owner, "lock_path": str(lock)}, created_at=at, started_at=at, updated_at=at)
    database.write(lambda conn: create_session(conn, row))
    return row.id


def status_of(database: Database, session_id: str) -> tuple[str, list[str]]:
    session = database.read(lambda conn: get_session(conn, session_id))
    return str(session.status), list(session.reason_codes)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with Database(str(tmp_path / "state.db")) as database:
        yield database


@contextmanager
def agent_of(session_id: str, home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that a killed run left."""
    with subprocess.Popen(["sleep", "60"], env=environment(home, LIONAGI_SESSION_ID=session_id)) as process:
        try:
            yield process
        finally:
            process.kill()


def spool_end(database: Database, session_id: str, **end: Any) -> None:
    Spool(database.path, session_id).put([{"session_id": session_id, "ended": {**COMPLETED, **end}}])


def test_settle_run_records_the_end_that_waits_in_the_spool(database: Database) -> None:
    ended, killed = dead_session(database), dead_session(database)
    spool_end(database, ended)

    settle_run(database, ended)
    settle_run(database, killed)

    assert status_of(database, ended) == ("completed", [])
    assert status_of(database, killed) == ("failed", ["run.failed.process_dead"])
    assert list_spools(database.path) == []


def test_transition_stale_takes_the_spool_in_first(database: Database, tmp_path: Path) -> None:
    ended, killed = dead_session(database, STALE), dead_session(database, STALE)
    spool_end(database, ended)

    assert li(tmp_path, "state", "doctor", "--transition-stale", "--yes").returncode == 0

    assert status_of(database, ended) == ("completed", [])
    assert status_of(database, killed) == ("failed", ["run.failed.process_dead"])


@pytest.mark.parametrize("command", [("ps", "--json"), ("state", "doctor", "--json")])
def test_reading_commands_take_the_spool_in_first(database: Database, tmp_path: Path, command: tuple[str, ...]) -> None:
    ended = dead_session(database)
    spool_end(database, ended)

    assert ended not in li(tmp_path, *command).stdout

    assert status_of(database, ended) == ("completed", [])


def test_stale_run_with_a_spool_that_cannot_be_drained_is_not_marked(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = dead_session(database, STALE)
    spool_end(database, ended)
    monkeypatch.setattr("lionstudio.runs.settle.drain_leftovers", lambda database: iter(()))

    assert mark_stale_runs(database) == []
    assert status_of(database, ended) == ("running", [])


def test_end_in_the_spool_of_an_ended_run_is_kept(database: Database) -> None:
    session_id = dead_session(database)
    settle_run(database, session_id)
    spool_end(database, session_id)
    list(settle_dead_runs(database))

    assert status_of(database, session_id) == ("failed", ["run.failed.process_dead"])
    (refused,) = list_refused(database.path)
    assert "completed" in Path(refused).with_suffix(".refused").read_text()


def test_same_end_twice_is_one_end(database: Database) -> None:
    session_id = dead_session(database)
    spool_end(database, session_id)
    spool_end(database, session_id)
    list(settle_dead_runs(database))

    assert status_of(database, session_id) == ("completed", [])
    assert list_refused(database.path) == []


def test_settle_dead_runs_leaves_stale_runs_to_a_person(database: Database) -> None:
    fresh, stale = dead_session(database), dead_session(database, STALE)

    assert list(settle_dead_runs(database)) == [f"run {fresh} was failed: its process had been killed"]
    assert status_of(database, stale) == ("running", [])


def test_settle_run_gives_the_watchdog_its_time_after_a_hub_was_away(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watchdog writes the end as soon as it can; only then is it known how the run ended."""
    session_id = dead_session(database)
    watchdog = RunLock.take(watch_lock_path(database.path, session_id))
    minutes = 0

    def sleep(_seconds: float) -> None:
        nonlocal minutes  # as each look waits for the hub
        minutes += 1
        if minutes == 3:
            watchdog.release()

    monkeypatch.setattr(settle_module, "time", SimpleNamespace(sleep=sleep, monotonic=lambda: 60.0 * minutes))
    session = settle_run(database, session_id, wait=1.0)

    assert session is not None
    assert str(session.status) == "failed"


def test_studio_settles_dead_runs_and_their_agents(database: Database, tmp_path: Path) -> None:
    session_id = dead_session(database)
    services = open_services(load_settings({}, {"LIONAGI_HOME": str(tmp_path)}, "/"), "token")
    try:
        with agent_of(session_id, tmp_path) as agent:
            settle(services)
            assert still_alive({agent.pid}) == set()
    finally:
        services.db.close()

    assert status_of(database, session_id) == ("failed", ["run.failed.process_dead"])


def test_commands_agree_about_an_agent_without_its_recorder(database: Database, tmp_path: Path) -> None:
    session_id = dead_session(database)
    with agent_of(session_id, tmp_path) as agent:
        row = json_lines(li(tmp_path, "ps", "--json").stdout.replace("\n", ""))[0]["sessions"][0]
        findings = json_lines(li(tmp_path, "state", "doctor", "--json").stdout.replace("\n", ""))[0]["findings"]
        (finding,) = [finding for finding in findings if finding["code"] == "run.phantom"]
        text = f"its agent still runs (pid {agent.pid})"

        assert row["state"]["health"] == "process_dead"
        assert text in row["state"]["reasons"][0]["evidence"]
        assert row["liveness"]["processes"] == [agent.pid]
        assert "lock" not in row["state"]["reasons"][0]["evidence"]
        assert "the run's lock is free" in row["liveness"]["evidence"]
        assert text in finding["evidence"]
        assert f"li kill {session_id}" in finding["advice"]

        killed = li(tmp_path, "kill", session_id)
        assert (killed.returncode, still_alive({agent.pid})) == (0, set())
        assert "its process was already gone; its agent stopped; marked failed" in killed.stderr
    assert os.path.exists(database.path)
    assert status_of(database, session_id) == ("failed", ["run.failed.process_dead"])


def test_run_is_left_to_its_watchdog_while_that_lives(database: Database) -> None:
    session_id = dead_session(database)
    with RunLock.take(watch_lock_path(database.path, session_id)):
        assert list(settle_dead_runs(database)) == []
        assert status_of(database, session_id) == ("running", [])
        settle_run(database, session_id, {**COMPLETED, "status": "aborted", "exit_code": 130})  # as the watchdog does

    assert status_of(database, session_id) == ("aborted", [])
