"""Runs under fault: killed, concurrent, with a locked database, with secrets in their messages."""

from __future__ import annotations

import asyncio
import os
import pty
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest
from tests.support.agents import LI, contents, environment, json_lines, li, session, sessions, start
from tests.support.process_trees import still_alive
from tests.support.waiting import wait_until

from lionstudio.agents.events import Ended, Event, MessageEvent
from lionstudio.errors import LionError
from lionstudio.model.branches import Branch
from lionstudio.model.messages import AssistantResponse
from lionstudio.model.sessions import Session
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.runs.event_writer import LaneBranches
from lionstudio.runs.lease import RunLease
from lionstudio.runs.recorder import Recorder
from lionstudio.runs.redaction import EventRedactor
from lionstudio.runs.settle import facts_of
from lionstudio.runs.spool import Spool, drain_spool, list_spools, run_lock_path
from lionstudio.runs.stop import HAD_ENDED, StopResult, stop_run
from lionstudio.state.branches import branch_entries, create_branch
from lionstudio.state.database import Database, reading
from lionstudio.state.sessions import create_session, finish_session, get_session
from lionstudio.state.sqlite import group_commit
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import identify
from lionstudio.system.session_processes import processes_of

FULL = os.environ.get("LIONAGI_CRASH_LENGTH") == "full"
SECRET = "ghp_" + "a1B2" * 9


@pytest.mark.crash
def test_killed_run_keeps_acknowledged_messages(tmp_path: Path) -> None:
    dice = random.Random(7)
    script = "\n".join(f"@say line {number}\n@sleep 0.01" for number in range(300))
    acknowledged: list[str] = []
    kills = 50 if FULL else 6
    for _ in range(kills):
        running = start(tmp_path, "agent", "script", script, "--json")
        assert running.stdout is not None
        first = running.stdout.readline()
        time.sleep(dice.random())
        running.send_signal(signal.SIGKILL)
        out = first + running.communicate()[0]
        whole = out[: out.rfind("\n") + 1]
        acknowledged += [record["id"] for record in json_lines(whole) if record["type"] == "message"]
    assert len(acknowledged) > kills
    with reading(str(tmp_path / "state.db")) as conn:
        stored = {row[0] for row in conn.all("SELECT id FROM messages")}
        assert [one for one in acknowledged if one not in stored] == []
        assert conn.value("PRAGMA integrity_check") == "ok"
    wait_until(lambda: not any(row["status"] == "running" for row in sessions(tmp_path)))
    ends = {(row["status"], row["reason_codes"]) for row in sessions(tmp_path)}
    assert ends == {("failed", '["run.failed.process_dead"]')}


def test_silent_live_run_is_never_marked_dead(tmp_path: Path) -> None:
    running = start(tmp_path, "agent", "script", "@say here\n@hang", "--json")
    assert running.stdout is not None
    running.stdout.readline()
    long_ago = time.time() - 30 * 86400
    with Database(str(tmp_path / "state.db")) as database:
        database.write(
            lambda conn: conn.execute("UPDATE sessions SET last_message_at = :at, updated_at = :at", {"at": long_ago})
        )
    running.send_signal(signal.SIGSTOP)
    try:
        assert li(tmp_path, "state", "doctor", "--transition-stale", "--yes").returncode == 0
        assert session(tmp_path)["status"] == "running"
    finally:
        running.send_signal(signal.SIGCONT)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=20)


def test_twenty_concurrent_agents_keep_separate_sessions(tmp_path: Path) -> None:
    li(tmp_path, "agent", "script", "@say first")
    runs = [
        start(
            tmp_path,
            "agent",
            "script",
            "\n".join(f"@say {number}-{line}" for line in range(20)),
            "--name",
            f"run-{number}",
        )
        for number in range(20)
    ]
    for run in runs:
        run.communicate(timeout=90)
    assert [run.returncode for run in runs] == [0] * 20
    for row in sessions(tmp_path):
        if row["name"]:
            number = row["name"].removeprefix("run-")
            [messages] = contents(tmp_path, row["id"]).values()
            assert [item["assistant_response"] for item in messages[1:]] == [f"{number}-{line}" for line in range(20)]


def test_logs_wait_and_kill_from_another_process(tmp_path: Path) -> None:
    begun = li(tmp_path, "agent", "script", "@say one\n@sleep 1\n@say two\n@run sleep 60", "--background")
    session_id = begun.stdout.strip()
    following = start(tmp_path, "logs", "-f", session_id, "--json")
    waiting = start(tmp_path, "wait", session_id)
    shown = li(tmp_path, "ps", "--json")
    assert session_id in shown.stdout
    time.sleep(1.5)
    assert li(tmp_path, "kill", session_id).returncode == 0
    out, _ = following.communicate(timeout=20)
    waiting.communicate(timeout=20)
    assert [line["content"].get("assistant_response") for line in json_lines(out)][1:3] == ["one", "two"]
    assert (following.returncode, waiting.returncode) == (143, 143)
    assert li(tmp_path, "kill", session_id).returncode == 0  # it had ended
    assert session(tmp_path)["status"] == "cancelled"


def test_secrets_are_stored_nowhere(tmp_path: Path) -> None:
    (tmp_path / "script").write_text(f"@say the token is {SECRET}\n@tool fetch {SECRET}\n@run printenv OPENAI_API_KEY")
    done = li(
        tmp_path,
        "agent",
        "script",
        "-",
        "--stream-persist",
        stdin=(tmp_path / "script").read_text(),
        OPENAI_API_KEY="not-a-known-shape-at-all",
    )
    assert done.returncode == 0
    (tmp_path / "script").unlink()
    assert SECRET not in done.stdout
    for file in tmp_path.rglob("*"):
        if file.is_file() and not file.name.startswith("state.db"):
            data = file.read_bytes()
            assert SECRET.encode() not in data, file
            assert b"not-a-known-shape-at-all" not in data, file
    everything = repr(contents(tmp_path))
    assert SECRET not in everything
    assert "not-a-known-shape-at-all" not in everything
    assert "[REDACTED:github-token:" in everything
    assert "[REDACTED:environment:" in everything


def test_redactor_stream_joins_a_split_secret() -> None:
    redactor = EventRedactor()
    shown = redactor.stream("main", "key " + SECRET[:20]) + redactor.stream("main", SECRET[20:] + " end ")
    assert SECRET not in shown
    assert "[REDACTED:github-token:" in shown
    assert shown.endswith(" end ")


def test_lease_redacts_texts_of_a_session_and_keeps_its_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "not-a-known-shape-at-all")
    called = Session(
        id="run",
        name=f"use {SECRET}",
        cwd=f"/tmp/{SECRET}",
        show_topic="not-a-known-shape-at-all",
        note="not-a-known-shape-at-all",
        metadata={"why": {"said": SECRET}},
    )
    with Database(str(tmp_path / "state.db")) as database:
        lease = RunLease(database.path, called)
        database.write(lease.begin)
        lease.release()
        [row] = database.conn.dicts("SELECT * FROM sessions")

    assert (row.pop("cwd"), row.pop("show_topic")) == (f"/tmp/{SECRET}", "not-a-known-shape-at-all")
    assert SECRET not in str(row)
    assert "not-a-known-shape-at-all" not in str(row)
    assert row["name"].startswith("use [REDACTED:github-token:")


@pytest.mark.parametrize("what", ["moved", "replaced"])
def test_recorder_spools_when_the_home_disappears(tmp_path: Path, what: str) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir(mode=0o700)
    path = str(home / "state.db")
    warnings: list[str] = []
    with Database(path) as database:
        row = Session(id="run")
        database.write(lambda conn: create_session(conn, row))
        database.write(lambda conn: create_branch(conn, Branch(id="main", session_id="run")))

        async def events() -> AsyncIterator[Event]:
            for number in range(9):
                if number == 3:
                    home.rename(away)
                    if what == "replaced":
                        Database(path).close()
                if number == 6:
                    assert list_spools(path), "nothing reaches the file, so it must lie in the spool"
                yield MessageEvent(AssistantResponse(id=f"m{number}", content={"assistant_response": str(number)}))
                await asyncio.sleep(0.05)
            yield Ended(SessionStatus.COMPLETED, 0)

        recorder = Recorder(database, LaneBranches("run", "main"), warn=warnings.append)
        asyncio.run(recorder.record(events()))

        [spool] = list_spools(path)
        spooled = "".join(file.read_text() for file in Path(spool).parent.glob("run.jsonl*"))
        assert all(f'"m{number}"' in spooled for number in range(3, 9))
        assert any("deleted, moved or replaced" in warning and spool in warning for warning in warnings)
        home.rename(tmp_path / "new")
        away.rename(home)
        assert drain_spool(database, str(tmp_path / "new" / "run" / "spool" / Path(spool).name)) == 6

        with database.reader() as conn:
            assert [entry.message_id for entry in branch_entries(conn, "main")] == [f"m{n}" for n in range(9)]


def test_recorder_waits_for_a_locked_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "BUSY_TIMEOUT_MS", 50)
    path = str(tmp_path / "state.db")
    warnings: list[str] = []
    with Database(path) as database:
        database.conn.raw.set_busy_timeout(50)
        session_row, branch = Session(name="x"), Branch(session_id=None)
        database.write(lambda conn: create_session(conn, session_row))
        branch = Branch(session_id=session_row.id, name="main")
        database.write(lambda conn: create_branch(conn, branch))
        holder = apsw.Connection(path)
        holder.execute("BEGIN IMMEDIATE")

        async def events() -> AsyncIterator[Event]:
            for number in range(50):
                yield MessageEvent(AssistantResponse(content={"assistant_response": str(number)}))
                await asyncio.sleep(0.005)
            spooled = list_spools(path)
            assert spooled, "nothing can be committed, so it must lie in the spool"
            holder.execute("ROLLBACK")
            yield Ended(SessionStatus.COMPLETED, 0)

        recorder = Recorder(database, LaneBranches(session_row.id, branch.id), warn=warnings.append)
        ended = asyncio.run(recorder.record(events()))
        holder.close()
        assert ended.status == "completed"
        with database.reader() as conn:
            stored = [
                entry.message.content["assistant_response"]
                for entry in branch_entries(conn, branch.id)
                if entry.message
            ]
    assert stored == [str(number) for number in range(50)]
    assert list_spools(path) == []
    assert any("locked by another process" in line for line in warnings)


def test_spool_is_drained_once(tmp_path: Path) -> None:
    path = str(tmp_path / "state.db")
    with Database(path) as database:
        row = Session(name="x")
        branch = Branch(session_id=row.id, name="main")
        database.write(lambda conn: create_session(conn, row))
        database.write(lambda conn: create_branch(conn, branch))
        spool = Spool(path, row.id)
        message = AssistantResponse(content={"assistant_response": "kept"})
        record = {"session_id": row.id, "branch_id": branch.id, "message": message.to_dict("json")}
        end = {"session_id": row.id, "ended": {"status": "completed", "exit_code": 0, "reasons": []}}
        spool.put([record, record, end])
        with open(spool.path, "a", encoding="utf-8") as file:
            file.write('{"session_id": "cut by a cra')
        assert drain_spool(database, spool.path) == 3
        assert not os.path.exists(spool.path)
        with database.reader() as conn:
            assert get_session(conn, row.id).status == "completed"
            assert get_session(conn, row.id).message_count == 1


def test_recorder_stores_invalid_content_as_text(tmp_path: Path) -> None:
    path = str(tmp_path / "state.db")
    deep: object = "bottom"
    for _ in range(500):
        deep = [deep]

    async def events() -> AsyncIterator[Event]:
        yield MessageEvent(AssistantResponse(content={"assistant_response": deep}))
        yield Ended(SessionStatus.COMPLETED, 0)

    with Database(path) as database:
        row = Session(name="x")
        lease = RunLease(path, row)
        branch = Branch(session_id=row.id, name="main")
        database.write(lease.begin)
        database.write(lambda conn: create_branch(conn, branch))
        asyncio.run(Recorder(database, LaneBranches(row.id, branch.id)).record(events()))
        lease.release()
        with database.reader() as conn:
            [entry] = list(branch_entries(conn, branch.id))
    assert entry.message is not None
    assert "bottom" in entry.message.content["raw"]


@pytest.mark.crash
@pytest.mark.parametrize("passes", [1, 3])
def test_recorder_killed_after_commit(tmp_path: Path, passes: int) -> None:
    script = "\n".join(f"@say line {number}\n@sleep 0.01" for number in range(20))
    running = start(tmp_path, "agent", "script", script, "--json", LIONAGI_CRASH_AT=f"recorder.kept:{passes}")
    out, _ = running.communicate(timeout=30)
    assert running.returncode == -signal.SIGKILL
    acknowledged = [record["id"] for record in json_lines(out) if record["type"] == "message"]
    with reading(str(tmp_path / "state.db")) as conn:
        stored = {row[0] for row in conn.all("SELECT id FROM messages")}
    assert set(acknowledged) <= stored
    assert len(stored) > len(acknowledged), "what was kept but not yet shown is there too"


_SPOOL_SCRIPT = """
import sys
from lionstudio.runs.spool import Spool, drain_spool
from lionstudio.state.database import Database
path, session, branch = sys.argv[1:]
spool = Spool(path, session)
records = [
    {"session_id": session, "branch_id": branch,
     "message": {"id": f"m{number}", "created_at": 1.0, "content": {"assistant_response": "x"}, "metadata": {}}}
    for number in range(5)
]
spool.put(records)
print("acknowledged", flush=True)
with Database(path) as database:
    drain_spool(database, spool.path)
"""


@pytest.mark.crash
@pytest.mark.parametrize("point", ["spool.written", "spool.taken_in"])
def test_spool_survives_a_kill(tmp_path: Path, point: str) -> None:
    path = str(tmp_path / "state.db")
    row = Session(name="x")
    branch = Branch(session_id=row.id, name="main")
    with Database(path) as database:
        database.write(lambda conn: create_session(conn, row))
        database.write(lambda conn: create_branch(conn, branch))
    done = subprocess.run(
        [sys.executable, "-c", _SPOOL_SCRIPT, path, row.id, branch.id],
        env=environment(tmp_path, LIONAGI_CRASH_AT=point),
        check=False,
        timeout=30,
    )
    assert done.returncode == -signal.SIGKILL
    assert li(tmp_path, "agent", "script", "@say next").returncode == 0
    assert list_spools(path) == []
    assert len(contents(tmp_path, row.id)["main"]) == 5


def test_closed_terminal_aborts_the_run(tmp_path: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(LI, [LI, "agent", "script", "@say x\n@run sleep 60"], environment(tmp_path))
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not (_exists(tmp_path) and sessions(tmp_path)[0]["message_count"] == 3):
        time.sleep(0.05)
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    row = session(tmp_path)
    assert (os.waitstatus_to_exitcode(status), row["status"], row["exit_code"]) == (129, "aborted", 129)


def _exists(home: Path) -> bool:
    try:
        return bool(sessions(home))
    except LionError:
        return False  # not there, or not filled yet


@pytest.mark.parametrize("how", ["kill -9", "li kill --grace 0"])
def test_stop_run_ends_orphaned_processes(tmp_path: Path, how: str) -> None:
    begun = li(tmp_path, "agent", "script", "@say one\n@run sleep 60", "--background")
    session_id = begun.stdout.strip()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not processes_of(session_id):
        time.sleep(0.05)
    assert processes_of(session_id)
    if how.startswith("kill"):
        recorder = session(tmp_path)["owner"]["pid"]
        os.kill(recorder, signal.SIGKILL)
        wait_until(lambda: not still_alive({recorder}))
    done = li(tmp_path, "kill", session_id, "--grace", "0")
    assert (done.returncode, processes_of(session_id)) == (0, set())
    row = session(tmp_path)
    if how.startswith("kill"):
        assert (row["status"], row["reason_codes"]) == ("failed", ["run.failed.process_dead"])
        assert "its process was already gone" in done.stderr or "had ended" in done.stderr
    else:
        assert (row["status"], row["reason_codes"]) == ("cancelled", ["run.cancelled.orchestrator"])
        assert "killed" in done.stderr


def test_stop_run_says_that_a_dead_run_was_gone_while_another_process_settles_it(tmp_path: Path) -> None:
    """The one that settles it holds its lock, as the run did."""
    db = str(tmp_path / "state.db")
    with subprocess.Popen(["sleep", "60"]) as recorder, Database(db) as database:
        lock = RunLock.take(run_lock_path(db, "s1"))
        owner = identify(recorder.pid, lock.path)._asdict()
        database.write(lambda conn: create_session(conn, Session(id="s1", status=SessionStatus.RUNNING, owner=owner)))
        recorder.kill()
        wait_until(lambda: not still_alive({recorder.pid}))

        def settle() -> None:
            dead = facts_of(Ended(SessionStatus.FAILED, 137, "run.failed.process_dead"))
            database.write(lambda conn: finish_session(conn, "s1", **dead))
            lock.release()

        timer = threading.Timer(0.5, settle)
        timer.start()
        result = stop_run(db, "s1", grace=0)
        timer.join()

    assert result == StopResult(True, "its process was already gone; marked failed")


def test_concurrent_stops_end_a_run_once(tmp_path: Path) -> None:
    session_id = li(tmp_path, "agent", "script", "@say one\n@run sleep 60", "--background").stdout.strip()
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda grace: stop_run(str(tmp_path / "state.db"), session_id, grace=grace), (0, 0)))
    assert all(one.over for one in results)
    assert session(tmp_path)["status"] == "cancelled"
    assert stop_run(str(tmp_path / "state.db"), session_id) == HAD_ENDED
    assert processes_of(session_id) == set()
