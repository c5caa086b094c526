"""Maintenance commands: stats, checkpoint, vacuum, backup, prune, path."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import apsw
import pytest
from tests.support.builders import begin, say, sql, write
from tests.support.commands import li, run_li, run_on_terminal

from lionstudio.model.messages import create_message
from lionstudio.state.branches import fork_branch
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.sessions import finish_session
from lionstudio.state.sqlite.open import SCHEMA_VERSION

DAY = 86400


def test_stats_formats_for_terminal_json_and_pipe(db: Database) -> None:
    session = begin(db)
    say(db, session.branch_id, "one", "two")

    found = run_li("state", "stats", "--db", db.path, "--json").json
    lines = dict(line.split("\t") for line in run_li("state", "stats", "--db", db.path).out.splitlines())
    output = run_on_terminal("state", "stats", "--db", db.path, "--sizes").out

    assert (found["schema_version"], found["database_schema"]) == (1, SCHEMA_VERSION)
    assert (found["rows"]["messages"], found["sessions_by_status"]) == (2, {"running": 1})
    assert {"journal_mode", "wal_autocheckpoint", "busy_timeout", "synchronous", "foreign_keys"} <= set(
        found["pragmas"]
    )
    assert (lines["rows.messages"], lines["pragmas.journal_mode"]) == ("2", "wal")
    assert "bytes" not in found
    assert "Largest" in output
    assert run_li("state", "stats", "--db", db.path, "--json", "--sizes").json["bytes"]


def test_path_is_printed_even_if_missing(tmp_path: Path) -> None:
    assert run_li("state", "path", "--home", str(tmp_path / "no")) == (0, f"{tmp_path}/no/state.db\n", "")
    assert run_li("state", "path", "--home", str(tmp_path), "--json").json["exists"] is False
    assert not (tmp_path / "no").exists()
    assert run_li("--db", "~/x.db", "state", "path").out == f"{os.path.expanduser('~')}/x.db\n"


@pytest.mark.parametrize("mode", ["TRUNCATE", "PASSIVE", "RESTART", "FULL", "truncate"])
def test_checkpoint_truncates_the_log(db: Database, mode: str) -> None:
    begin(db)
    done = run_li("state", "checkpoint", "--mode", mode, "--db", db.path, "--json")

    assert done.code == 0, done.err
    assert (done.json["mode"], done.json["busy"]) == (mode.upper(), False)
    if mode.upper() == "TRUNCATE":
        assert done.json["wal_bytes_after"] == 0
        assert os.path.getsize(f"{db.path}-wal") == 0
        assert run_li("state", "checkpoint", "--db", db.path).out == "The write-ahead log was already empty.\n"


def test_checkpoint_names_the_blocking_reader(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lionstudio.cli.state.upkeep.checkpoint._BUSY_SECONDS", 0.2)
    begin(db)
    reader = apsw.Connection(db.path)
    reader.execute("BEGIN; SELECT count(*) FROM sessions")
    begin(db, "another")
    try:
        own = run_li("state", "checkpoint", "--db", db.path)
        other = li("state", "checkpoint", "--db", db.path, "--json")
        passive = run_li("state", "checkpoint", "--mode", "PASSIVE", "--db", db.path)
    finally:
        reader.close()

    assert (own.code, other.code, passive.code) == (7, 7, 0)
    error = json.loads(other.err.splitlines()[-1])["error"]
    assert (error["code"], error["retryable"]) == ("busy", True)
    assert f"pid {os.getpid()}" in error["message"]
    assert "reads" in error["message"]
    assert "PASSIVE" in error["hint"]


def fill(db: Database, size: int = 2_000_000) -> None:
    session = begin(db, "big")
    write(db, append, session.branch_id, create_message({"instruction": "x" * size}))
    sql(db, "DELETE FROM sessions; DELETE FROM progression_heads; DELETE FROM messages")


def test_vacuum_prints_sizes(db: Database) -> None:
    fill(db)
    done = run_li("state", "vacuum", "--db", db.path)

    assert done.code == 0
    assert "freed" in done.out
    assert "Rebuilding" in done.err
    found = run_li("state", "vacuum", "--db", db.path, "--json")
    assert found.json["size_bytes_before"] == found.json["size_bytes_after"]
    assert "no space to free" in run_li("state", "vacuum", "--db", db.path, "--quiet").out
    assert run_li("state", "vacuum", "--db", db.path, "--quiet").err == ""


def test_backup_is_complete_and_never_overwrites(db: Database, tmp_path: Path) -> None:
    begin(db, "abcd", name="job")
    target = tmp_path / "copy.db"

    done = run_li("state", "backup", str(target), "--db", db.path, "--json")
    again = run_li("state", "backup", str(target), "--db", db.path)

    assert (done.code, done.json) == (
        0,
        {"schema_version": 1, "path": str(target), "size_bytes": target.stat().st_size},
    )
    assert "job" in run_li("state", "ls", "--db", str(target)).out
    assert target.stat().st_mode & 0o777 == 0o600
    assert (again.code, again.out) == (1, "")
    assert run_li("state", "backup", str(tmp_path / "no" / "copy.db"), "--db", db.path).code == 2
    assert run_li("state", "backup", str(tmp_path / "x.db"), "--db", str(tmp_path / "missing.db")).code == 3
    assert run_li("state", "backup", "--db", db.path).code == 2
    assert list(tmp_path.glob("*.partial")) == []


# ── prune ────────────────────────────────────────────────────────────────


STAY = "stay in the file and in searches; --delete-messages removes them."


@pytest.fixture
def old(db: Database) -> Database:
    """Ten finished sessions, the first five of them 40 days old; one old one runs, one was forked from."""
    now = time.time()
    for number in range(10):
        at = now - 40 * DAY if number < 5 else now
        session = begin(db, f"session-{number}", created_at=at, updated_at=at, name=f"job {number}")
        write(
            db, append, session.branch_id, create_message({"instruction": "y" * 50_000}, id=f"m{number}", created_at=at)
        )
        if number != 0:
            write(db, finish_session, session.session_id, "completed", at=at)
    write(db, fork_branch, "session-1.main", 0, session_id="session-9")
    return db


def left(db: Database) -> list[str]:
    return sorted(line.split("\t")[0][-1] for line in run_li("state", "ls", "--db", db.path).out.splitlines())


def test_prune_dry_run_prints_the_plan_and_reasons(old: Database) -> None:
    done = run_li("state", "prune", "--keep-days", "30", "--keep-n", "2", "--dry-run", "--db", old.path)

    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "To delete: 3 sessions (not updated for 30 days, beyond the 2 newest).",
        f"3 messages (150 kB) of deleted sessions would {STAY}",
        "Kept despite their age: 1 session (running).",
        "Kept despite their age: 1 session (referenced by a fork).",
    ]
    assert left(old) == list("0123456789")


def test_prune_dry_run_with_orphans_prints_freed_bytes(old: Database) -> None:
    options = ("--keep-days", "30", "--keep-n", "2", "--orphan-progressions", "--dry-run", "--db", old.path)
    plan = run_li("state", "prune", *options, "--json").json

    assert plan["dry_run"] is True
    assert plan["deleted"] is None
    assert (plan["plan"]["sessions"], plan["plan"]["orphan_messages"]) == (3, 3)
    assert plan["plan"]["bytes_freed"] >= 150_000
    assert "Also: 6 progressions, 3 messages, 150 kB." in run_li("state", "prune", *options).out


def test_prune_in_a_pipe_requires_yes(old: Database) -> None:
    done = run_li("state", "prune", "--keep-n", "0", "--db", old.path)

    assert (done.code, done.out) == (2, "")
    assert "--yes" in done.err
    assert left(old) == list("0123456789")


def test_prune_yes_deletes(old: Database) -> None:
    done = run_li("state", "prune", "--keep-n", "0", "--yes", "--db", old.path)

    left_over = f"3 messages (150 kB) of deleted sessions {STAY}"
    assert done == (0, f"Deleted 3 sessions.\n{left_over}\n", "")
    assert left(old) == list("0156789")
    again = run_li("state", "prune", "--keep-n", "0", "--yes", "--db", old.path)
    assert again.out.splitlines()[:2] == ["Nothing deleted.", left_over]
    rest = run_li("state", "prune", "--keep-n", "0", "--yes", "--delete-messages", "--db", old.path).out
    assert rest.startswith("Deleted 0 sessions, 6 progressions, 3 messages")


def test_prune_with_a_clock_far_ahead_refuses(old: Database) -> None:
    sql(old, "UPDATE sessions SET updated_at = updated_at - 400 * 86400")
    prune = ("state", "prune", "--keep-n", "0", "--db", old.path)

    done = run_li(*prune, "--yes")

    assert (done.code, left(old)) == (2, list("0123456789"))
    assert "400 days ago by this clock" in done.err
    assert "--clock-is-right" in done.err
    assert "Warning: the newest session" in run_li(*prune, "--dry-run").out
    assert run_li(*prune, "--yes", "--clock-is-right").out.startswith("Deleted 9 sessions")


def test_prune_with_orphans_shrinks_the_file(old: Database) -> None:
    old.close()
    before = os.path.getsize(old.path)
    done = run_li("state", "prune", "--keep-n", "0", "--orphan-progressions", "--yes", "--db", old.path, "--json").json

    assert (done["deleted"]["sessions"], done["deleted"]["messages"]) == (3, 3)
    assert done["deleted"]["bytes_given_back"] >= 140_000
    assert os.path.getsize(old.path) <= before - 140_000


def test_prune_takes_defaults_from_the_settings(old: Database) -> None:
    env = {"LIONAGI_KEEP_N": "7", "LIONAGI_KEEP_DAYS": "39"}
    done = li("state", "prune", "--dry-run", "--db", old.path, env=env)

    assert "not updated for 39 days, beyond the 7 newest" in done.out
    assert "beyond the 100 newest" in li("state", "prune", "--dry-run", "--db", old.path).out
    assert "beyond the 3 newest" in li("state", "prune", "--dry-run", "--keep-n", "3", "--db", old.path, env=env).out


def test_prune_asks_for_confirmation(old: Database) -> None:
    prune = ("state", "prune", "--keep-n", "0", "--db", old.path)
    no = run_on_terminal(*prune, answer="n\n")
    nothing = run_on_terminal(*prune, answer="\x04")
    assert (no.code, nothing.code) == (1, 1)
    assert "Nothing deleted." in no.out
    assert left(old) == list("0123456789")

    yes = run_on_terminal(*prune, answer="y\n")
    assert yes.code == 0
    assert "To delete: 3 sessions" in yes.out
    assert "Delete 3 sessions permanently? [y/N]" in yes.out
    assert "Deleted 3 sessions." in yes.out
    assert left(old) == list("0156789")


def test_prune_interrupted_at_the_question_deletes_nothing(old: Database) -> None:
    asked = run_on_terminal("state", "prune", "--keep-n", "0", "--db", old.path, answer="\x03")

    assert asked.code == 130
    assert left(old) == list("0123456789")


@pytest.mark.parametrize("option", ["--keep-days", "--keep-n"])
@pytest.mark.parametrize("value", ["-1", "x", "1.5", "", "9" * 12])
def test_prune_rejects_invalid_numbers(old: Database, option: str, value: str) -> None:
    assert run_li("state", "prune", "--dry-run", "--db", old.path, f"{option}={value}").code == 2
    assert left(old) == list("0123456789")


def test_prune_shows_progress(db: Database) -> None:
    with db.conn.transaction():
        db.conn.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
            "INSERT INTO sessions (id, created_at, updated_at, status) SELECT 'id' || i, i, i, 'completed' FROM n"
        )
    output = run_on_terminal("state", "prune", "--keep-n", "0", "--yes", "--clock-is-right", "--db", db.path).out

    assert "Deleting" in output
    assert "/5,000" in output
    assert output.endswith("Deleted 5,000 sessions.\n")
