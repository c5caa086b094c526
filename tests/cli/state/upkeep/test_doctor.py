"""`li state doctor`, and the errors of all commands for a damaged, foreign, newer, older or missing file."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from tests.support.builders import begin, say, sql, write
from tests.support.children import environment
from tests.support.commands import LI, run_li, run_on_terminal
from tests.support.records import VARIANTS

from lionstudio.model.messages import create_message
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.system.li_process import li_argv
from lionstudio.system.process_identity import identify

READS: tuple[tuple[str, ...], ...] = (
    ("ls",),
    ("stats",),
    ("search", "word"),
    ("doctor",),
    ("show", "abcd"),
    ("export", "abcd"),
)
WRITES: tuple[tuple[str, ...], ...] = (
    ("checkpoint",),
    ("vacuum",),
    ("prune", "--yes"),
    ("doctor", "--transition-stale", "--yes"),
    ("doctor", "--fix-doubles", "--yes"),
)


def test_doctor_reports_nothing_for_a_healthy_database(db: Database) -> None:
    assert run_li("state", "doctor", "--db", db.path) == (0, "No problems found.\n", "")
    assert run_li("state", "doctor", "--deep", "--db", db.path, "--json").json == {
        "schema_version": 1,
        "path": db.path,
        "deep": True,
        "findings": [],
    }


def test_doctor_prints_errors_first_with_evidence_and_advice(db: Database) -> None:
    session = begin(db, "abcd", owner=identify()._asdict() | {"boot_id": "another"}, created_at=time.time())
    say(db, session.branch_id, "one")
    sql(db, "PRAGMA foreign_keys = OFF; UPDATE sessions SET progression_id = 'gone' WHERE id = 'abcd'")
    done = run_li("state", "doctor", "--db", db.path)
    found = run_li("state", "doctor", "--db", db.path, "--json")

    lines = done.out.splitlines()
    assert done.code == found.code == 1
    assert lines[0] == "1 error"
    assert "reference.dangling" in lines[1]
    assert lines[3].startswith("    → ")
    assert "1 warning" in lines
    command = f"`li --db {db.path} state doctor --transition-stale`"
    assert command in done.out
    assert any(command in finding["advice"] for finding in found.json["findings"])
    assert {finding["code"] for finding in found.json["findings"]} >= {"reference.dangling", "run.phantom"}
    fields = {"severity", "code", "subject", "evidence", "advice", "session_id", "topic"}
    assert all(set(one) == fields for one in found.json["findings"])


def test_doctor_exits_with_zero_for_warnings(db: Database) -> None:
    begin(db, "abcd", owner=identify()._asdict() | {"boot_id": "another"}, created_at=time.time())
    done = run_li("state", "doctor", "--db", db.path)

    assert done.code == 0
    assert done.out.startswith("1 warning")


@pytest.fixture
def left_behind(db: Database) -> Database:
    """A dead run (its machine was restarted), a silent one and a live one."""
    ago = time.time() - 40 * 3600
    gone = identify()._asdict() | {"boot_id": "another"}
    begin(db, "dead", owner=gone, created_at=ago, updated_at=ago)
    begin(db, "silent", created_at=ago, updated_at=ago)
    begin(db, "alive", owner=identify()._asdict())
    return db


def status(db: Database) -> dict[str, str]:
    return {row[0]: row[1] for row in sql(db, "SELECT id, status FROM sessions")}


def test_transition_stale_marks_only_proven_dead_runs(left_behind: Database) -> None:
    options = ("state", "doctor", "--transition-stale", "--db", left_behind.path)
    preview = run_li(*options, "--dry-run")
    refused = run_li(*options)
    assert (preview.code, refused.code) == (0, 2)
    assert preview.out.startswith("1 run would be marked failed:\n  dead  ")
    assert "--yes" in refused.err
    assert set(status(left_behind).values()) == {"running"}

    done = run_li(*options, "--yes", "--json")
    assert [moved["session_id"] for moved in done.json["transitions"]] == ["dead"]
    assert done.json["transitions"][0]["evidence"]
    assert status(left_behind) == {"dead": "failed", "silent": "running", "alive": "running"}
    assert run_li(*options, "--yes").out == "No runs are stale and proven dead.\n"


def test_transition_stale_asks_for_confirmation(left_behind: Database) -> None:
    options = ("state", "doctor", "--transition-stale", "--db", left_behind.path)

    assert run_on_terminal(*options, answer="n\n").code == 1
    assert status(left_behind)["dead"] == "running"
    yes = run_on_terminal(*options, answer="yes\n")
    assert yes.code == 0
    assert "Mark 1 run as failed? [y/N]" in yes.out
    assert status(left_behind)["dead"] == "failed"


@pytest.mark.parametrize("command", [*READS[1:], *WRITES])
def test_missing_database_is_not_found(tmp_path: Path, command: tuple[str, ...]) -> None:
    done = run_li("state", *command, "--home", str(tmp_path / "none"))

    assert (done.code, done.out) == (3, "")
    assert "does not exist (--home)" in done.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", [*READS, *WRITES])
def test_file_that_is_not_a_database_is_unchanged(tmp_path: Path, command: tuple[str, ...]) -> None:
    file = tmp_path / "state.db"
    file.write_bytes(b"these are my tax records, not a database\n" * 200)
    before = file.read_bytes()
    done = run_li("state", *command, "--home", str(tmp_path))

    assert (done.code, done.out) == (5, "")
    assert "is not a Lion Studio database" in done.err
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["state.db"]


@pytest.mark.parametrize("command", [*READS, *WRITES])
def test_database_of_another_product_is_unchanged(db: Database, command: tuple[str, ...]) -> None:
    sql(db, "UPDATE schema_meta SET lineage = 'somebody-else'")
    db.close()
    before = Path(db.path).read_bytes()
    done = run_li("state", *command, "--db", db.path)

    assert (done.code, done.out) == (6, "")
    assert "somebody-else" in done.err
    assert Path(db.path).read_bytes() == before


def test_newer_database_is_read_only(db: Database) -> None:
    session = begin(db, "abcd", name="job")
    say(db, session.branch_id, "word")
    sql(db, "UPDATE schema_meta SET version = 99")
    db.close()
    before = Path(db.path).read_bytes()

    assert "job" in run_li("state", "ls", "--db", db.path).out
    for command in READS:
        assert run_li("state", *command, "--db", db.path).code == 0, command
    for command in WRITES:
        done = run_li("state", *command, "--db", db.path)
        assert (done.code, done.out) == (6, "")
        assert "upgrade" in done.err
    assert run_li("state", "prune", "--dry-run", "--db", db.path).code == 0
    assert Path(db.path).read_bytes() == before


def test_reading_command_upgrades_an_older_database(tmp_path: Path) -> None:
    VARIANTS["version 1"].make(tmp_path / "state.db")
    first = run_li("state", "ls", "--home", str(tmp_path))
    assert (first.code, first.err.count("\n")) == (0, 1)
    assert "Upgrading" in first.err
    assert list(tmp_path.glob("state.db.v1-*.bak"))

    assert run_li("state", "ls", "--home", str(tmp_path)).err == ""


def test_reading_commands_upgrade_an_older_database_once(tmp_path: Path) -> None:
    VARIANTS["version 1"].make(tmp_path / "state.db")
    command = li_argv("state", "ls", "--home", str(tmp_path))
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    outputs = {reader.communicate(timeout=60)[0] for reader in readers}

    assert [reader.returncode for reader in readers] == [0, 0, 0, 0]
    assert len(outputs) == 1
    assert len(list(tmp_path.glob("state.db.v1-*.bak"))) == 1


def damaged(db: Database, first: int) -> None:
    """Overwrite pages, as a failing disk does."""
    session = begin(db, "abcd", name="job")
    for number in range(300):
        write(db, append, session.branch_id, create_message({"instruction": f"{number} " + "z" * 3000}))
    db.close()
    size = Path(db.path).stat().st_size
    with open(db.path, "r+b") as file:
        for page in range(first, size // 4096 - 5, 3):
            file.seek(page * 4096)
            file.write(b"\xa5" * 4096)


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_doctor_exits_with_5_for_a_damaged_file(db: Database, form: tuple[str, ...]) -> None:
    damaged(db, 150)
    done = run_li("state", "doctor", "--db", db.path, *form)

    assert done.code == 5
    if form:
        assert any(found["code"] == "file.damaged" for found in json.loads(done.out)["findings"])
    else:
        assert "file.damaged" in done.out
        assert "restore a backup" in done.out


def test_file_too_damaged_to_open_hints_at_a_backup(db: Database) -> None:
    damaged(db, 2)
    done = run_li("state", "doctor", "--db", db.path)

    assert (done.code, done.out) == (5, "")
    assert "is damaged" in done.err
    assert "restore a backup" in done.err
    assert "doctor" not in done.err


@pytest.mark.parametrize("first", [2, 20, 150])
def test_damaged_file_never_causes_a_traceback(db: Database, tmp_path: Path, first: int) -> None:
    damaged(db, first)
    for command in (*READS, *WRITES, ("backup", str(tmp_path / "copy.db"))):
        done = run_li("state", *command, "--db", db.path)
        assert done.code in (0, 1, 5, 7), (command, done)
        if done.code:
            assert "Traceback" not in done.err


def test_truncated_file_is_damaged(db: Database, tmp_path: Path) -> None:
    session = begin(db, "abcd")
    for _ in range(50):
        write(db, append, session.branch_id, create_message({"instruction": "z" * 3000}))
    db.close()
    short = tmp_path / "short.db"
    shutil.copy(db.path, short)
    with open(short, "r+b") as file:
        file.truncate(40_000)

    assert run_li("state", "doctor", "--db", str(short)).code == 5


def test_folder_at_the_database_path_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "state.db").mkdir()
    done = run_li("state", "ls", "--home", str(tmp_path))

    assert done.code == 1
    assert done.err.startswith("li: ")


READ_ONLY = 'mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; exec "$@"'


def test_read_only_home_can_be_read(db: Database) -> None:
    session = begin(db, "abcd", name="job")
    say(db, session.branch_id, "word")
    db.close()
    home = str(Path(db.path).parent)

    def inside(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["unshare", "-rm", "sh", "-euc", READ_ONLY, home, *command],
            capture_output=True,
            text=True,
            env=environment(LIONAGI_HOME=home),
        )

    if inside("true").returncode:
        pytest.skip("a mount in a namespace of our own is not permitted here")
    for command in READS:
        done = inside(LI, "state", *command)
        assert done.returncode == 0, (command, done.stderr)
    for command in WRITES:
        done = inside(LI, "state", *command)
        assert done.returncode == 1, (command, done.stderr)
        assert "cannot be" in done.stderr
        assert "Traceback" not in done.stderr
