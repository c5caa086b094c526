"""Many processes on one file: none gets a busy error, nothing is lost, and the order is that of the commits."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.children import Event, WorkerPool
from tests.support.invariants import assert_whole
from tests.support.old_files import add_old_sessions, make_v1, make_v3
from tests.support.workload import begin

from lionstudio.state.database import Database
from lionstudio.state.feed.changes import changes_after, last_seq, trim
from lionstudio.state.sqlite.open import SCHEMA_VERSION, WAL_LIMIT

pytestmark = pytest.mark.slow

Works = Sequence[tuple[str, int, Mapping[str, Any]]]


def at_once(path: Path, works: Works) -> list[Event]:
    """Run all programs at the same time, each in its own process, and return their events; none may fail."""
    with WorkerPool() as pool:
        pool.wait(pool.start([(work, str(path), n, options) for work, n, options in works]))
        assert_none_failed(pool)
        return pool.events


def assert_none_failed(pool: WorkerPool) -> None:
    failures = [event for event in pool.events if "error" in event or "crash" in event]
    assert not failures, f"{len(failures)} failures, such as {failures[0]}"
    assert set(pool.codes) == {0}


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows as another tool reads them."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def test_twenty_processes_write_without_busy_errors(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    events = at_once(path, [("synchronous", 200, {})] * 10 + [("grouped", 50, {})] * 10)
    assert assert_whole(path, events).acknowledged == 20 * 200


def test_ten_processes_append_to_one_session(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    shared = {"shared": True}
    events = at_once(path, [("synchronous", 1000, shared)] * 5 + [("grouped", 250, shared)] * 5)
    seen = assert_whole(path, events)
    assert seen.messages == seen.acknowledged == 10_000

    by_ord = column(path, BY_ORD)
    assert by_ord == column(path, BY_SEQ), "the order in the session is the order of the commits"
    place = {message: ord_ for ord_, message in enumerate(by_ord)}
    for branch, messages in in_the_order_told(events).items():
        places = [place[message] for message in messages]
        assert places == sorted(places), f"branch {branch} is out of order"


def test_submit_runs_work_next_to_failing_work_once(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    events = at_once(path, [("mixed", 50, {})] * 4)
    seen = assert_whole(path, events)
    assert seen.messages == seen.acknowledged == 4 * 4 * 50
    assert seen.sessions == sum("began" in event for event in events)


BY_ORD = """
SELECT value FROM progressions p JOIN sessions s ON s.progression_id = p.id, json_each(p.collection)
 WHERE s.id = 'shared'
"""
BY_SEQ = "SELECT entity_id FROM changes WHERE kind = 'appended' AND parent_id = 'shared' ORDER BY seq"


def column(path: Path, sql: str) -> list[Any]:
    return [value for (value,) in rows(path, sql)]


def in_the_order_told(events: list[Event]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = defaultdict(list)
    for event in events:
        if "message" in event:
            told[event["branch"]].append(event["message"])
    return told


def test_sixteen_processes_create_the_file_at_once(tmp_path: Path) -> None:
    with WorkerPool() as pool:
        for number in range(20):
            path = tmp_path / f"home{number}" / "state.db"
            pool.wait(pool.start([("opening", str(path), 1, {})] * 16))
            assert_none_failed(pool)
            # two that close at the same moment each leave the log to the other; the next to open the file recovers it
            assert set(os.listdir(path.parent)) <= {"state.db", "state.db-wal", "state.db-shm"}
            assert rows(path, "SELECT version, lineage FROM schema_meta") == [(SCHEMA_VERSION, "lion-studio")]
            assert rows(path, "SELECT * FROM pragma_journal_mode, pragma_auto_vacuum") == [("wal", 2)]
            assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert len(pool.codes) == 20 * 16


def test_eight_processes_upgrade_the_file_at_once(tmp_path: Path) -> None:
    with WorkerPool() as pool:
        for number in range(5):
            path = tmp_path / f"home{number}" / "state.db"
            made = make_v1(path)
            pool.wait(pool.start([("opening", str(path), 1, {})] * 4 + [("synchronous", str(path), 3, {})] * 4))
            assert_none_failed(pool)
            assert assert_whole(path, []).messages == sum(map(len, made)) + 4 * 3
            [backup] = path.parent.glob("*.bak")
            assert rows(backup, "SELECT value FROM schema_meta WHERE key = 'version'") == [("1",)]
            assert rows(backup, "SELECT count(*) FROM messages") == [(sum(map(len, made)),)]


def test_eight_processes_upgrade_a_file_of_our_own_at_once(tmp_path: Path) -> None:
    with WorkerPool() as pool:
        for number in range(3):
            path = tmp_path / f"home{number}" / "state.db"
            make_v3(path)
            pool.wait(pool.start([("opening", str(path), 1, {})] * 4 + [("synchronous", str(path), 3, {})] * 4))
            assert_none_failed(pool)
            assert rows(path, "SELECT version, lineage FROM schema_meta") == [(SCHEMA_VERSION, "lion-studio")]
            assert rows(path, "SELECT count(*) FROM messages") == [(2999 + 4 * 3,)]
            assert rows(path, "SELECT count(*) FROM sessions_fts WHERE sessions_fts MATCH 'login'") == [(2,)]
            [backup] = path.parent.glob("*.bak")
            assert rows(backup, "SELECT version FROM schema_meta") == [(3,)]
            assert rows(backup, "SELECT count(*) FROM messages") == [(2999,)]


def test_maintenance_does_not_disturb_writers(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    add_old_sessions(path, sessions=300, messages=3)
    writers: Works = [("synchronous", 300, {"shared": True}), ("grouped", 75, {"shared": True})] * 2
    keepers: Works = [("upkeep", 40, {}), ("vacuuming", 5, {}), ("pruning", 0, {}), ("backing_up", 5, {})]
    events = at_once(path, [*writers, *keepers])
    seen = assert_whole(path, events)
    assert seen.messages == seen.acknowledged == 4 * 300, "what was old is gone, what is new is there"
    done = {key for event in events for key in event}
    assert done >= {"upkeep", "vacuumed", "pruned", "backup"}


def test_checkpointer_keeps_the_log_small_under_constant_writes(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    add_old_sessions(path, sessions=3, messages=100)
    forever, messages = 10**9, 4000
    writer = ("synchronous", str(path), messages, {"size": 2000, "long_lived": True})
    largest = 0
    with WorkerPool() as pool:
        pool.start([writer, *[("looking", str(path), forever, {})] * 3])
        while len(pool.events) < messages:
            largest = max(largest, log_size(path))
            time.sleep(0.002)
        assert all("message" in event for event in pool.events), pool.events[-1]
    assert 0 < largest < WAL_LIMIT, f"{largest / 1e6:.1f} MB"
    assert_whole(path, pool.events)


def log_size(path: Path) -> int:
    try:
        return os.stat(f"{path}-wal").st_size
    except OSError:
        return 0


def test_backup_under_load_is_one_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    writers: Works = [("synchronous", 400, {"shared": True}), ("grouped", 100, {}), ("sessions", 100, {})]
    add_old_sessions(path, sessions=1, messages=1)
    events = at_once(path, [*writers, ("backing_up", 6, {"pause": 0.05})])
    announced = rows(path, "SELECT seq, entity_id FROM changes WHERE kind = 'appended' ORDER BY seq")
    begun = {event["copying"]: number for number, event in enumerate(events) if "copying" in event}
    assert len(begun) == 6
    for name, told in begun.items():
        copy = Path(name)
        [(first, last, count)] = rows(copy, "SELECT min(seq), max(seq), count(*) FROM changes")
        assert (first, count) == (1, last), "every number up to the moment of the copy"
        assert set(column(copy, "SELECT id FROM messages")) == {id_ for seq, id_ in announced if seq <= last}
        assert_whole(copy, events[:told])  # what was acknowledged before it was begun is in it


def test_trim_under_load_leaves_no_hole(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with Database(str(path)) as database:
        database.write(begin)
        seen = database.read(last_seq)
        add_old_sessions(path, sessions=2, messages=50)  # as an import does: messages that bear an old time
        database.write(begin)
        database.write(trim)
        found = database.read(lambda conn: changes_after(conn, seen))
        assert found.resync or [row.seq for row in found.rows] == list(range(seen + 1, found.last_seq + 1))
        database.write(lambda conn: trim(conn, rows=10))
        assert database.read(lambda conn: changes_after(conn, seen)).resync
        assert len(column(path, "SELECT seq FROM changes")) == 10
    assert_whole(path, [])
