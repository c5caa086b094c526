"""The doctor: its findings with evidence; only stale sessions with a dead process are marked failed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.builders import T0, begin, damage, read, say, sql, write
from tests.support.records import dump

from lionstudio.model.sessions import Session
from lionstudio.model.status.computed_state import session_state
from lionstudio.state.backends import is_server
from lionstudio.state.branches import fork_branch
from lionstudio.state.database import Database
from lionstudio.state.sessions import create_session, get_session
from lionstudio.state.transitions import list_transitions
from lionstudio.state.upkeep.doctor import examine, list_stale_and_dead, transition_stale
from lionstudio.state.upkeep.findings import Finding
from lionstudio.state.upkeep.liveness import owner_of, proof_of
from lionstudio.system.filelock import RunLock
from lionstudio.system.process_identity import Owner, identify

HOUR = 3600.0
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="proof of death reads /proc")


@pytest.fixture
def dead(tmp_path: Path) -> Owner:
    """The identity of a killed process."""
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    owner = identify(child.pid, lock_path=str(tmp_path / "dead.lock"))
    (tmp_path / "dead.lock").touch()
    child.kill()
    child.wait()
    assert child.stdin is not None
    child.stdin.close()
    return owner


@pytest.fixture
def alive(tmp_path: Path) -> Iterator[Owner]:
    """This process, holding its lock."""
    with RunLock.take(tmp_path / "alive.lock") as lock:
        yield identify(lock_path=lock.path)


def run(db: Database, id_: str, owner: Owner | None, silent: float, **fields: object) -> None:
    """A running session whose last message is this many hours before T0."""
    session = Session(
        id=id_, created_at=T0 - 100 * HOUR, last_message_at=T0 - silent * HOUR, owner=owner and owner._asdict()
    )
    write(db, create_session, replace(session, **fields))  # type: ignore[arg-type]


def found(db: Database, **more: bool) -> dict[str, Finding]:
    findings = read(db, lambda conn: list(examine(conn, now=T0, **more)))
    return {finding.subject: finding for finding in findings if not finding.code.startswith("server.")}


def test_examine_finds_nothing_in_a_new_database(db: Database) -> None:
    assert found(db) == found(db, deep=True) == {}


@pytest.mark.sqlite
def test_examine_warns_about_readable_files(db: Database) -> None:
    folder = os.path.dirname(db.path)
    os.chmod(folder, 0o740)
    os.chmod(db.path, 0o640)

    found = [finding for finding in read(db, lambda conn: list(examine(conn))) if finding.code.startswith("file.")]

    assert [(each.severity, each.code, each.subject, each.evidence) for each in found[:2]] == [
        ("warning", "file.readable_by_others", folder, "its mode is 0740"),
        ("warning", "file.readable_by_others", db.path, "its mode is 0640"),
    ]
    assert found[0].advice == f"chmod 700 {folder}"


def test_examine_classifies_runs_with_evidence(db: Database, dead: Owner, alive: Owner) -> None:
    elsewhere = dead._replace(machine_id="0" * 32, host="other", lock_path=None)
    for silent in (1, 7):
        run(db, f"dead {silent}", dead, silent)
        run(db, f"alive {silent}", alive, silent)
        run(db, f"elsewhere {silent}", elsewhere, silent)
        run(db, f"unowned {silent}", None, silent)

    findings = found(db)

    assert {subject: (one.severity, one.code) for subject, one in findings.items()} == {
        "session dead 1": ("warning", "run.phantom"),
        "session dead 7": ("warning", "run.phantom"),
        "session alive 7": ("info", "run.stale"),
        "session elsewhere 1": ("info", "run.unknown"),
        "session elsewhere 7": ("info", "run.stale"),
        "session unowned 1": ("info", "run.unknown"),
        "session unowned 7": ("info", "run.stale"),
    }
    assert findings["session dead 7"].evidence == f"Process {dead.pid} is gone · last message 7 h ago"
    assert findings["session alive 7"].evidence == f"Process {alive.pid} is alive · silent for 7 h"
    assert "another machine (other)" in findings["session elsewhere 7"].evidence
    assert findings["session unowned 1"].evidence == "no process was recorded for it · last message 1 h ago"
    assert "--transition-stale" in findings["session dead 7"].advice
    assert findings["session dead 1"].advice == "mark it failed: `li kill dead 1`"
    assert "not marked failed without proof" in findings["session elsewhere 7"].advice


def test_transition_stale_marks_only_stale_and_dead_sessions(db: Database, dead: Owner, alive: Owner) -> None:
    rebooted = dead._replace(boot_id="0" * 8)
    reused = alive._replace(start_ticks=1, lock_path=None)
    for silent in (1, 7, 13):
        run(db, f"dead {silent}", dead, silent)
        run(db, f"dead flow {silent}", dead, silent, invocation_kind="flow")
        run(db, f"rebooted {silent}", rebooted, silent)
        run(db, f"reused {silent}", reused, silent)
        run(db, f"alive {silent}", alive, silent)
        run(db, f"elsewhere {silent}", dead._replace(machine_id="0" * 32), silent)
        run(db, f"other namespace {silent}", dead._replace(pid_ns=1, lock_path=None), silent)
        run(db, f"unowned {silent}", None, silent)
    run(db, "dead and done", dead, 50, status="completed")
    wanted = ["dead 13", "dead 7", "dead flow 13", "rebooted 13", "rebooted 7", "reused 13", "reused 7"]
    before = {row["id"]: row for row in db.conn.dicts("SELECT * FROM sessions")}

    planned = read(db, list_stale_and_dead, now=T0)
    moved = write(db, transition_stale, now=T0)

    assert planned == moved
    assert sorted(one.session_id for one in moved) == wanted
    assert all(one.evidence for one in moved)
    changes = [read(db, list_transitions, "session", id_)[-1] for id_ in wanted]
    assert {change[2:5] for change in changes} == {("failed", "run.failed.process_dead", "doctor")}
    after = {row["id"]: row for row in db.conn.dicts("SELECT * FROM sessions")}
    assert {id_ for id_ in after if after[id_] != before[id_]} == set(wanted)
    for id_ in wanted:
        session = read(db, get_session, id_)
        assert (session.status, session.ended_at, session.reason_codes) == ("failed", T0, ("run.failed.process_dead",))
        reasons = session_state(session.to_dict(), now=T0).reasons
        assert [reason.code for reason in reasons] == ["run.failed.process_dead"]
    assert write(db, transition_stale, now=T0) == []


def test_transition_stale_only_the_given_session(db: Database, dead: Owner) -> None:
    for name in ("one", "other"):
        run(db, name, dead, 13)
    run(db, "fresh", dead, 1)

    moved = write(db, transition_stale, only={"one", "fresh", "missing"}, now=T0)

    assert [each.session_id for each in moved] == ["one"]
    assert read(db, get_session, "other").status == "running"
    assert read(db, get_session, "fresh").status == "running"


def test_proof_of_needs_a_readable_owner(alive: Owner) -> None:
    assert owner_of({"owner": json.dumps(alive._asdict())}) == alive
    assert proof_of({"owner": json.dumps(alive._asdict())}).answer == "alive"
    for damaged in (None, "", "{", "[]", "{}", '{"pid":"7"}', '{"pid":null}', "17", '"x"'):
        assert owner_of({"owner": damaged}) is None
        assert proof_of({"owner": damaged}).answer == "unknown"
    for odd in ('{"pid":-1}', '{"pid":99999999999999999999}', '{"pid":1,"lock_path":7}', '{"pid":true}'):
        assert proof_of({"owner": odd}).answer == "unknown"


# ── The file ─────────────────────────────────────────────────────────────


DAMAGE = {
    "a message is gone": ("DELETE FROM messages WHERE id = 'b'", {"progression.dangling"}),
    "an order without a progression": (
        "UPDATE progression_items SET prog = 99 WHERE prog = 2",
        {"progression.stranded"},
    ),
    "a parent is gone": ("DELETE FROM branches WHERE id = 's.main'", {"branch.parent_gone"}),
    "a collection could not be read": (
        "UPDATE progression_heads SET unreadable = '[cut' WHERE pk = 1",
        {"progression.unreadable"},
    ),
    "another tool changed the order": (
        "UPDATE progressions SET collection = '[\"a\"]' WHERE id = (SELECT progression_id FROM sessions)",
        {"session.count"},
    ),
    "metadata is not JSON": ("UPDATE sessions SET node_metadata = '{cut'", {"row.bad_json"}),
    "a branch's metadata is not JSON": ("UPDATE branches SET node_metadata = '{cut'", {"row.bad_json"}),
    "reasons are no JSON": ("UPDATE sessions SET reason_codes = 'cut'", {"row.bad_json"}),
    "a reference points nowhere": ("UPDATE branches SET system_msg_id = 'missing'", {"reference.dangling"}),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_examine_reports_damage_and_changes_nothing(db: Database, what: str, alive: Owner) -> None:
    begun = begin(db, owner=alive._asdict(), last_message_at=T0)
    say(db, begun.branch_id, "a", "b")
    write(db, fork_branch, begun.branch_id, 0)
    statement, codes = DAMAGE[what]
    if is_server(db.path):
        codes = codes - {"reference.dangling"}  # the server enforces references for every tool
    assert {finding.code for finding in found(db).values()} == set()

    damage(db, statement)

    before = dump(db.path)
    findings = list(found(db).values())
    assert codes <= {finding.code for finding in findings}
    assert all(finding.evidence and finding.advice for finding in findings)
    assert dump(db.path) == before


def test_examine_limits_findings_of_a_kind(db: Database) -> None:
    sql(
        db,
        """WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 129)
           INSERT INTO progressions SELECT 'p' || i, 1.0, '["missing"]' FROM n""",
    )

    assert len(found(db)) == 50
