"""Databases made to hang, fill or command us: each is refused, or costs one item, and none of its facts is obeyed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import apsw
import pytest
from tests.support.archives import ExternalDbBuilder, conversation
from tests.support.builders import T0, begin, read, write

from lionstudio.errors import InvalidInput, WrongVersion
from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.statuses import PlayStatus
from lionstudio.runs.stop import stop_run
from lionstudio.state.database import Database
from lionstudio.state.imports import external_db
from lionstudio.state.imports.external_db import open_external
from lionstudio.state.sessions import get_session
from lionstudio.state.shows import get_play, get_show, list_plays, put_play, put_show
from lionstudio.system.process_identity import identify

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'x' || i AS id"


@pytest.fixture
def other(tmp_path: Path) -> ExternalDbBuilder:
    builder = ExternalDbBuilder(tmp_path / "other.db")
    builder.session("good", conversation("good"))
    return builder


def import_all(db: Database, builder: ExternalDbBuilder) -> Report:
    report = Report()
    import_database(db, db.path, str(builder.path), report)
    return report


@pytest.mark.parametrize("table", ["messages", "sessions", "branches", "progressions", "message_types"])
def test_import_database_refuses_views(db: Database, other: ExternalDbBuilder, table: str) -> None:
    columns = "1 AS created_at, 2 AS content, 3 AS collection, 4 AS session_id, 5 AS type_id, 6 AS lion_class"
    other.conn.execute(
        f"PRAGMA foreign_keys = OFF; DROP TABLE {table}; CREATE VIEW {table} AS {ENDLESS}, {columns} FROM n"
    )

    with pytest.raises(WrongVersion, match=f"{table} must be a table"):
        import_all(db, other)


def test_import_database_refuses_virtual_tables(db: Database, other: ExternalDbBuilder) -> None:
    other.conn.execute("DROP TABLE messages; CREATE VIRTUAL TABLE messages USING fts5(id, content)")

    with pytest.raises(WrongVersion, match="messages must be a table"):
        import_all(db, other)


def test_import_database_ignores_a_view_in_place_of_our_order(db: Database, tmp_path: Path) -> None:
    """A file that claims to be ours: `progressions` is a view there, and is never run."""
    with Database(str(tmp_path / "claims.db")) as claims:
        raw = claims.conn.raw
        raw.execute("INSERT INTO progression_heads (id, created_at) VALUES ('p', 1)")
        raw.execute("INSERT INTO sessions (id, created_at, updated_at, progression_id) VALUES ('s', 1, 1, 'p')")
        raw.execute(
            f"DROP VIEW progressions; CREATE VIEW progressions AS {ENDLESS}, 1 AS created_at, '[]' AS collection FROM n"
        )
    report = Report()

    import_database(db, db.path, str(tmp_path / "claims.db"), report)

    assert [item.name for item in report.items] == ["s"]


def test_import_database_does_not_compute_generated_columns(db: Database, other: ExternalDbBuilder) -> None:
    for table in ("messages", "sessions", "branches"):
        other.conn.execute(
            f"ALTER TABLE {table} ADD COLUMN huge TEXT GENERATED ALWAYS AS (hex(zeroblob(900000000))) VIRTUAL"
        )

    report = import_all(db, other)

    assert [(item.name, str(item.outcome)) for item in report.items if item.kind == "session"] == [("good", "imported")]


def test_import_database_refuses_a_generated_content(db: Database, other: ExternalDbBuilder) -> None:
    other.conn.execute("DROP TABLE messages")
    other.conn.execute("CREATE TABLE messages (id TEXT, content TEXT GENERATED ALWAYS AS (hex(zeroblob(900000000))))")

    with pytest.raises(WrongVersion, match="no messages with content"):
        import_all(db, other)


def test_open_external_never_opens_pipes_and_devices(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.db")
    for path in (str(tmp_path / "pipe.db"), "/dev/zero"):
        with pytest.raises(InvalidInput, match="not a regular file"):
            open_external(path)


def test_open_external_never_opens_a_pipe_as_the_log(other: ExternalDbBuilder) -> None:
    other.conn.close()
    os.mkfifo(f"{other.path}-wal")

    with pytest.raises(InvalidInput, match="not a regular file"):
        open_external(str(other.path))


def test_external_db_limits_the_size_of_a_value(other: ExternalDbBuilder) -> None:
    with open_external(str(other.path)) as source, pytest.raises(apsw.TooBigError):
        source.conn.value("SELECT zeroblob(:size)", {"size": external_db.MOST_BYTES + 1})


def test_external_db_ends_a_statement_that_does_not_end(
    other: ExternalDbBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external_db, "MOST_STEPS", 5_000_000)

    with open_external(str(other.path)) as source, pytest.raises(apsw.InterruptError):
        source.conn.value("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")


def test_external_db_runs_no_trigger(other: ExternalDbBuilder) -> None:
    with open_external(str(other.path)) as source:
        assert source.conn.raw.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, -1) == 0
        with pytest.raises(apsw.AuthError):
            source.conn.execute("DELETE FROM messages")


# ── Databases that want to be obeyed ─────────────────────────────────────

FACTS = {
    "plan": "---\nsetup: touch pwned\n---\n",
    "accepted_plan": "0" * 64,
    "reviewers": {"critic": {"command": ["touch", "pwned"]}},
    "deciders": ["mallory"],
    "base": "0" * 40,
    "merges": ["0" * 40],
    "held_changes": [],
    "foreign_commits": [],
}


def write_hostile(path: Path, **session: object) -> Path:
    """A database of Lion Studio with a show, a merged play and a running session; it is newer than any other."""
    with Database(str(path)) as other:
        show = Show(topic="nightly", show_dir="/x", goal="theirs", updated_at=T0 + 1e6, metadata=FACTS)
        show = write(other, put_show, show)
        meta = {"meta": {"approved": True, "force": True}}
        play = Play(show_id=show.id, name="core", status=PlayStatus.MERGED, updated_at=T0 + 1e6, metadata=meta)
        write(other, put_play, play)
        begin(other, "theirs", status="running", source_kind="live", **session)
    return path


def import_file(db: Database, path: Path) -> Report:
    report = Report()
    import_database(db, db.path, str(path), report)
    return report


def test_import_database_takes_no_fact_of_a_director(db: Database, tmp_path: Path) -> None:
    import_file(db, write_hostile(tmp_path / "evil.db"))

    show = read(db, get_show, "nightly")
    play = read(db, get_play, show.id, "core")
    assert (show.status, show.show_dir, set(show.metadata)) == ("imported", "", {"imported"})
    assert show.metadata["imported"] == {"metadata": FACTS, "status": "active", "show_dir": "/x"}
    assert (play.status, set(play.metadata)) == ("merged", {"imported"})


def test_import_database_leaves_a_show_of_ours_as_it_is(db: Database, tmp_path: Path) -> None:
    mine = write(db, put_show, Show(topic="nightly", show_dir="/w", goal="mine", updated_at=T0, created_at=T0))

    report = import_file(db, write_hostile(tmp_path / "evil.db"))

    assert read(db, get_show, "nightly") == mine
    assert read(db, list_plays, mine.id) == []
    assert ("show", ItemOutcome.UPDATED) not in report.counts


def test_import_database_never_takes_the_process_of_a_session(db: Database, tmp_path: Path) -> None:
    """A forged owner made `li kill` end a process of the user."""
    with subprocess.Popen(["sleep", "60"]) as victim:
        try:
            owner = identify(victim.pid)._asdict()
            import_file(db, write_hostile(tmp_path / "evil.db", owner=owner))

            result = stop_run(db.path, "theirs", grace=0)

            assert read(db, get_session, "theirs").owner is None
            assert (victim.poll(), result.over) == (None, False)
        finally:
            victim.kill()


def test_import_database_keeps_how_our_own_session_is_continued(db: Database, tmp_path: Path) -> None:
    begin(db, "theirs", status="completed", source_kind="live", updated_at=T0, agent_name="coder", cwd="/w")
    program = {"program": "evil", "command": ["touch", "pwned"]}
    path = write_hostile(tmp_path / "evil.db", agent_name="evil", cwd="/x", updated_at=T0 + 5, metadata=program)

    import_file(db, path)

    session = read(db, get_session, "theirs")
    assert (session.agent_name, session.cwd, session.metadata) == ("coder", "/w", {"imported": {"status": "running"}})
