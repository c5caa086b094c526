"""`li state import-db`: databases of other lineages and of ours, damaged ones too; safe to repeat."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.archives import (
    BEGAN,
    AssertUnchanged,
    ExternalDbBuilder,
    conversation,
    current,
    message,
    rows_of,
    snapshot,
    write_external_db,
    write_run,
)
from tests.support.builders import T0, begin, read, read_history, say, sql, write
from tests.support.hostile import nested
from tests.support.invariants import check
from tests.support.old_files import make_v1

from lionstudio.errors import CorruptStore, InvalidInput, NotFound, WrongVersion
from lionstudio.imports.external_db.importer import import_database
from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.imports.run_folders.importer import import_runs
from lionstudio.model.messages import ActionRequest, Message
from lionstudio.model.shows.show import Show
from lionstudio.model.teams import Team, TeamMessage
from lionstudio.state.branches import fork_branch, get_branch
from lionstudio.state.database import Database
from lionstudio.state.definitions import list_versions, save_version
from lionstudio.state.messages.append import append
from lionstudio.state.messages.rows import get_message
from lionstudio.state.sessions import finish_session, get_session
from lionstudio.state.shows import get_play, get_show, put_show
from lionstudio.state.teams import get_team, put_team, put_team_message, team_messages


@pytest.fixture
def other_path(tmp_path: Path) -> Path:
    """The path of the other database."""
    (tmp_path / "other").mkdir()
    return tmp_path / "other" / "state.db"


def imported(db: Database, path: Path, **options: Any) -> Report:
    report = Report()
    import_database(db, db.path, str(path), report, **options)
    return report


def test_import_database_imports_all_tables(db: Database, other_path: Path) -> None:
    write_external_db(other_path)

    report = imported(db, other_path)

    assert report.counts == {
        ("session", ItemOutcome.IMPORTED): 4,
        ("show", ItemOutcome.IMPORTED): 1,
        ("team", ItemOutcome.IMPORTED): 1,
        ("definition", ItemOutcome.IMPORTED): 1,
    }
    assert (report.messages, report.left_out) == (36, ["invocations"])
    session = read(db, get_session, "session 0")
    assert (session.status, session.source_kind, session.model) == ("completed", "imported_db", "sonnet")
    assert session.metadata == {"run_id": "run 0", "imported": {"source_kind": "live"}}
    assert (session.input_tokens, session.cost_microusd, session.message_count) == (60, 24600, 9)
    assert session.progression_id == "session 0.s"
    call = read(db, get_message, "0.0.b")
    assert (type(call), call.role, call.metadata["role_original"]) == (ActionRequest, "assistant", "action")
    assert read(db, get_branch, "session 0.main").metadata["model"] == "sonnet"
    play = read(db, get_play, read(db, get_show, "t").id, "api")
    assert (play.status, play.session_id, play.gate_passed) == ("merged", "session 0", True)
    letters = read(db, team_messages, "71608b8026e1")
    assert [letter.content for letter in letters] == ["hello 0", "hello 1", "hello 2"]
    assert (letters[0].session_id, letters[0].read_by) == ("session 1", ("b",))
    assert letters[0].metadata["imported"] == {"kind": "done"}
    assert [version.content for version in read(db, list_versions, "agent", "coder")] == ["# hi"]
    assert not check(db.conn, []).violations


def test_import_database_twice_writes_nothing(db: Database, other_path: Path) -> None:
    write_external_db(other_path)
    imported(db, other_path)
    once = rows_of(db.path)

    with AssertUnchanged(db):
        report = imported(db, other_path)

    assert rows_of(db.path) == once
    assert {outcome for _, outcome in report.counts} == {ItemOutcome.UNCHANGED}


def test_import_database_does_not_write_source(db: Database, other_path: Path) -> None:
    write_external_db(other_path)
    before = other_path.read_bytes()

    imported(db, other_path)

    assert other_path.read_bytes() == before


def test_import_database_dry_run_writes_nothing(db: Database, other_path: Path) -> None:
    write_external_db(other_path)

    with AssertUnchanged(db):
        planned = imported(db, other_path, dry_run=True)

    done = imported(db, other_path)
    assert (planned.counts, planned.messages) == (done.counts, done.messages)


def test_import_database_adds_new_messages(db: Database, other_path: Path) -> None:
    other = ExternalDbBuilder(other_path)
    messages = conversation("m", rounds=2)
    other.session("s", messages[:5], status="running", ended_at=None)
    imported(db, other_path)
    ids = json.dumps([item["id"] for item in messages])
    other.messages(messages[5:])
    other.conn.execute("UPDATE progressions SET collection = ?", (ids,))
    other.conn.execute("UPDATE sessions SET status = 'timed_out', ended_at = ?, updated_at = ?", (BEGAN + 99,) * 2)

    report = imported(db, other_path)

    session = read(db, get_session, "s")
    assert ([str(item.outcome) for item in report.items], report.messages) == (["updated"], 4)
    assert (session.status, session.ended_at, session.message_count) == ("timed_out", BEGAN + 99, 9)
    assert (session.input_tokens, session.last_msg_id) == (60, "m.1.d")
    assert read_history(db, "s.main") == json.loads(ids)
    assert not check(db.conn, []).violations


def test_import_database_maps_unknown_values_and_keeps_originals(db: Database, other_path: Path) -> None:
    other = ExternalDbBuilder(other_path)
    for word in ("completed_empty", "canceled", "error", "strange", None):
        other.session(f"s {word}", conversation(f"{word}"), status=word, invocation_kind="engine", source_kind="api")

    imported(db, other_path)

    rows = {
        id_: (status, json.loads(text)["imported"])
        for id_, status, text in sql(db, "SELECT id, status, node_metadata FROM sessions")
    }
    kept = {"invocation_kind": "engine", "source_kind": "api"}
    assert rows == {
        "s completed_empty": ("completed", kept | {"status": "completed_empty"}),
        "s canceled": ("cancelled", kept | {"status": "canceled"}),
        "s error": ("failed", kept | {"status": "error"}),
        "s strange": ("completed", kept | {"status": "strange"}),
        "s None": ("completed", kept),
    }


DAMAGED = {
    "no json": "{'a': 1",
    "null": "null",
    "an object": '{"a": 1}',
    "numbers": "[1, 2]",
    "empty": "",
    "nothing": None,
    "deep": "[" * 2000 + "]" * 2000,
    "bytes": b"\xff\xfe",
}


@pytest.mark.parametrize("collection", DAMAGED.values(), ids=DAMAGED.keys())
def test_import_database_keeps_damaged_order(db: Database, other_path: Path, collection: object) -> None:
    other = ExternalDbBuilder(other_path)
    other.session("s", conversation("m"))
    other.conn.execute("UPDATE progressions SET collection = ? WHERE id = 's.b'", (collection,))

    report = imported(db, other_path)

    assert report.counts == {("session", ItemOutcome.IMPORTED): 1}
    assert read(db, get_session, "s").message_count == 5  # its own order is sound
    kept = sql(db, "SELECT unreadable FROM progression_heads WHERE id = 's.b'")
    assert kept == [
        (
            collection
            if collection in ("{'a': 1", '{"a": 1}', DAMAGED["deep"])
            else "\\xff\\xfe"
            if isinstance(collection, bytes)
            else None,
        )
    ]
    with AssertUnchanged(db):
        imported(db, other_path)


CONTENTS: dict[str, tuple[Any, Any]] = {
    "verbatim": ('{"a": 1.10, "b": [1e2]}', '{"a": 1.10, "b": [1e2]}'),
    "null": ("null", None),
    "a marker": ('{"_reclaimed": true}', '{"_reclaimed": true}'),
    "not json": ("{'a': 1}", '{"unreadable":"{\'a\': 1}"}'),
    "nan": ('{"a": NaN}', '{"a":"NaN"}'),
    "a number": ("123456789012345678901234567890", '"1.2345678901234568e+29"'),
    "an integer": (5, '"5"'),
    "text": ('"hi"', '"hi"'),
    "bytes": (b"\xff{", '{"unreadable":"\\\\xff{"}'),
    "many brackets": (json.dumps({"a": "[" * 500}), json.dumps({"a": "[" * 500})),
    "deep": (json.dumps(nested(400)), json.dumps(json.dumps(nested(400)))),
}


@pytest.mark.parametrize(("given", "expected"), CONTENTS.values(), ids=CONTENTS.keys())
def test_import_database_keeps_content(db: Database, other_path: Path, given: Any, expected: Any) -> None:
    other = ExternalDbBuilder(other_path)
    other.session("s", [message("m", {}, "instruction.Instruction", "user")])
    other.conn.execute("UPDATE messages SET content = ?", (given,))

    report = imported(db, other_path)

    assert report.total(ItemOutcome.SKIPPED) == 0
    assert sql(db, "SELECT content FROM messages") == [(expected,)]
    assert read(db, get_message, "m") is not None


def test_import_database_keeps_or_skips_odd_rows(db: Database, other_path: Path) -> None:
    other = ExternalDbBuilder(other_path)
    other.session("good", conversation("g"))
    messages = [message("odd.m", {"x": 1}, "instruction.Instruction", "user")]
    other.session("odd", messages, created_at="2026-05-21T10:15:00Z", node_metadata="not json", updated_at="soon")
    other.conn.execute(
        "UPDATE messages SET node_metadata = ?, embedding = ?, created_at = 'late', lion_class = 77 WHERE id = 'odd.m'",
        ('["list"]', b"123"),
    )
    other.session("note", [message("note.m", {"x": 1}, "instruction.Instruction", "user")])
    other.conn.execute("UPDATE messages SET lion_class = 9, node_metadata = NULL WHERE id = 'note.m'")
    other.session("line\nbreak", conversation("x"))
    other.session("bytes", conversation("y"))
    other.conn.execute("UPDATE messages SET content = CAST(x'22ff22' AS TEXT) WHERE id = 'y.0.a'")
    other.session("name", conversation("z"))
    other.conn.execute("UPDATE sessions SET name = CAST(x'ff' AS TEXT) WHERE id = 'name'")
    other.conn.execute("INSERT INTO sessions (id) VALUES (NULL), (5), (x'00')")

    report = imported(db, other_path)

    skipped = {item.name: item.reason or "" for item in report.items if item.outcome is ItemOutcome.SKIPPED}
    assert skipped.keys() == {"line\nbreak", "b'\\x00'"}
    assert read(db, get_session, "name").name == "\\xff"
    assert read(db, get_session, "odd").created_at == 1779358500.0
    kept = read(db, get_message, "odd.m")
    assert kept.metadata["unreadable"] == ["list"]
    assert kept.metadata["embedding_original"] == "313233"
    assert kept.metadata["imported"] == {"lion_class": 77}
    assert read(db, get_message, "note.m").tag == "other.tool.Note"
    assert read_history(db, "bytes.main") == ["y.s", "y.0.a", "y.0.b", "y.0.c", "y.0.d"]
    assert read(db, get_message, "y.0.a").content == {"unreadable": '"\\xff"'}
    with AssertUnchanged(db):
        imported(db, other_path)


def test_import_database_stores_shared_message_once(db: Database, other_path: Path) -> None:
    other = ExternalDbBuilder(other_path)
    messages = conversation("m")
    other.session("one", messages)
    ids = json.dumps([item["id"] for item in messages])
    other.add("progressions", id="two.p", created_at=BEGAN, collection=ids)
    other.add("sessions", id="two", created_at=BEGAN, updated_at=BEGAN, progression_id="two.p", status="completed")
    fork = json.dumps({"parent_branch_id": "one.main", "forked_at_ord": 2})
    other.add("branches", id="two.main", created_at=BEGAN, session_id="two", progression_id="two.p", node_metadata=fork)

    imported(db, other_path)

    assert sql(db, "SELECT count(*) FROM messages") == [(5,)]
    assert read(db, get_session, "two").message_count == 5
    assert read(db, get_branch, "two.main").fork == ("one.main", 2)


def test_import_database_derives_session_order_from_branches(db: Database, other_path: Path) -> None:
    other = ExternalDbBuilder(other_path)
    other.session("s", conversation("m"))
    late = [message("late", {"instruction": "x"}, "instruction.Instruction", "user", BEGAN + 2.5)]
    other.messages(late)
    other.add("progressions", id="more", created_at=BEGAN, collection='["late"]')
    other.add("branches", id="side", created_at=BEGAN, session_id="s", progression_id="more")
    other.conn.execute("UPDATE sessions SET progression_id = NULL")

    imported(db, other_path)

    order = sql(db, "SELECT collection FROM progressions p JOIN sessions s ON s.progression_id = p.id")
    assert json.loads(order[0][0]) == ["m.s", "m.0.a", "m.0.b", "late", "m.0.c", "m.0.d"]
    with AssertUnchanged(db):
        imported(db, other_path)


def test_import_database_matches_session_of_run_folder(db: Database, other_path: Path, tmp_path: Path) -> None:
    messages = conversation("m", rounds=2)
    write_run(tmp_path / "old", "run 1", current("run 1", "s.main"), snapshot("s.main", messages[:5]))
    import_runs(db, str(tmp_path / "old"), Report())
    other = ExternalDbBuilder(other_path)
    other.session("s", messages, run_id="run 1")
    other.add("teams", id="t", name="t", members="[]", created_at=BEGAN, updated_at=BEGAN)
    other.add("team_messages", id="tm", team_id="t", created_at=BEGAN, sender="a", content="x", session_id="s")

    report = imported(db, other_path)

    ((id_, messages),) = sql(db, "SELECT id, message_count FROM sessions")
    assert (report.counts["session", ItemOutcome.UPDATED], messages, id_ != "s") == (1, 9, True)
    assert read(db, team_messages, "t")[0].session_id == id_
    with AssertUnchanged(db):
        imported(db, other_path)
        import_runs(db, str(tmp_path / "old"), Report())


def test_import_database_skips_running_session(db: Database, other_path: Path) -> None:
    begin(db, "s", source_kind="live")
    ExternalDbBuilder(other_path).session("s", conversation("m"))

    report = imported(db, other_path)

    assert [(item.outcome, "is running; import" in (item.reason or "")) for item in report.items] == [("skipped", True)]


def fill(db: Database) -> None:
    """A home of ours with something in every table."""
    begun = begin(db, "s", source_kind="live", owner={"pid": 1}, project="p")
    say(db, begun.branch_id, "one", "two", metadata={"usage": {"input_tokens": 3, "cost_microusd": 7}})
    fork = write(db, fork_branch, begun.branch_id, 0)
    say(db, fork.id, "three")
    odd = message("odd", {"x": [1.5, "\ud800"]}, "instruction.Instruction", "user")
    write(db, append, begun.branch_id, Message(id="odd", content=odd["content"], metadata={"lion_class": "a.b.System"}))
    write(db, finish_session, "s", "failed", exit_code=3, reasons=["run.failed.exit_nonzero"])
    write(db, put_show, Show(topic="t", show_dir="/w", created_at=T0, metadata={"budget": 3}))
    write(db, put_team, Team(id="team", name="t", members=("a",), created_at=T0))
    write(
        db,
        put_team_message,
        TeamMessage(id="tm", team_id="team", sender="a", content="hi", session_id="s", created_at=T0),
    )
    write(db, save_version, "agent", "coder", "# one")
    write(db, save_version, "agent", "coder", "# two")


def test_import_database_merges_two_homes(db: Database, other_path: Path, blank: Path, tmp_path: Path) -> None:
    shutil.copy(blank, other_path)
    with Database(str(other_path)) as other:
        fill(other)
    begin(db, "mine")

    report = imported(db, other_path)

    assert report.total(ItemOutcome.SKIPPED) == 0
    here, there = rows_of(db.path), rows_of(other_path)
    for table in ("messages", "progression_items", "branches", "teams", "team_messages", "definitions"):
        assert _without_keys(here[table]) >= _without_keys(there[table]) if table != "progression_items" else True
    (ours,) = [row for row in here["sessions"] if row["id"] == "s"]
    (theirs,) = there["sessions"]
    changed = {name for name in ours if ours[name] != theirs[name]} - {"pk"}
    assert changed == {"source_kind", "node_metadata", "owner"}
    assert json.loads(ours["node_metadata"]) == {"imported": {"source_kind": "live"}}
    assert read(db, get_message, "odd").metadata["lion_class"] == "a.b.System"
    assert not check(db.conn, []).violations
    with AssertUnchanged(db):
        imported(db, other_path)


def _without_keys(rows: list[dict[str, Any]]) -> set[str]:
    return {repr({name: value for name, value in row.items() if name != "pk"}) for row in rows}


def test_import_database_newer_row_wins_but_end_is_final(db: Database, other_path: Path, blank: Path) -> None:
    shutil.copy(blank, other_path)
    with Database(str(other_path)) as other:
        begin(other, "s", name="there", updated_at=T0 + 5)
        write(other, put_show, Show(id="x", topic="t", goal="there", show_dir="/w", created_at=T0, updated_at=T0 + 5))
        write(other, put_team, Team(id="team", name="there", created_at=T0, updated_at=T0 - 5))
        write(other, save_version, "agent", "coder", "# there")
    begin(db, "s", name="here", status="completed", updated_at=T0)
    write(db, put_show, Show(id="y", topic="t", goal="here", show_dir="/w", created_at=T0, updated_at=T0))
    write(db, put_team, Team(id="team", name="here", created_at=T0))
    write(db, save_version, "agent", "coder", "# here")

    report = imported(db, other_path)

    session, show = read(db, get_session, "s"), read(db, get_show, "t")
    assert (session.name, session.status) == ("there", "completed")
    assert (show.id, show.goal, read(db, get_team, "team").name) == (
        "y",
        "here",
        "here",
    )  # a show of ours is not changed
    assert [item.kind for item in report.items if item.outcome is ItemOutcome.SKIPPED] == ["definition"]
    with AssertUnchanged(db):
        imported(db, other_path)


def test_import_database_reads_version_1(db: Database, other_path: Path) -> None:
    made = make_v1(other_path, sessions=2, messages=10)

    imported(db, other_path)

    assert [read_history(db, f"branch {n}") for n in range(2)] == made


@pytest.mark.sqlite
def test_import_database_rejects_other_files(db: Database, other_path: Path) -> None:
    (other_path.parent / "text").write_text("hello, this is certainly no database" * 40)
    other = apsw.Connection(str(other_path))
    other.execute("CREATE TABLE t (x)")
    for name, error in (("nowhere", NotFound), ("", InvalidInput), ("text", CorruptStore), ("state.db", WrongVersion)):
        with pytest.raises(error):
            imported(db, other_path.parent / name)
    with pytest.raises(InvalidInput, match="into itself"):
        imported(db, Path(db.path))


def test_import_database_reads_damaged_file(db: Database, other_path: Path) -> None:
    write_external_db(other_path, sessions=40, rounds=20)
    where = "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype <> 'internal'"
    pages = [page for (page,) in apsw.Connection(str(other_path)).execute(where)]
    with other_path.open("r+b") as file:
        for page in pages[::7]:
            file.seek((page - 1) * 4096)
            file.write(b"\xaa" * 4096)

    report = imported(db, other_path)

    assert report.total(ItemOutcome.SKIPPED) > 0
    assert report.total(ItemOutcome.IMPORTED) > 0
    assert not [line for line in check(db.conn, []).violations if "integrity" in line]


def test_import_database_reads_read_only_folder(db: Database, other_path: Path) -> None:
    write_external_db(other_path)
    os.chmod(other_path.parent, 0o500)
    os.chmod(other_path, 0o400)
    try:
        assert imported(db, other_path).counts["session", ItemOutcome.IMPORTED] == 4
    finally:
        os.chmod(other_path.parent, 0o700)


def test_import_database_redacts_secrets(db: Database, other_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    other = ExternalDbBuilder(other_path)
    plain = message("plain", {"instruction": "x"}, "instruction.Instruction", "user")
    messages = [message("m", {"instruction": f"use {secret}"}, "instruction.Instruction", "user", note=secret), plain]
    other.session("s", messages, node_metadata=json.dumps({"prompt": secret}), cc_session_id=secret)
    other.add("teams", id="t", name="t", members="[]", created_at=BEGAN, updated_at=BEGAN)
    other.add("team_messages", id="tm", team_id="t", created_at=BEGAN, sender="a", content=f"it is {secret}")

    imported(db, other_path)

    assert secret not in repr(rows_of(db.path))
    assert sql(db, "SELECT content FROM messages WHERE id = 'plain'") == [('{"instruction": "x"}',)]
    with AssertUnchanged(db):
        imported(db, other_path)


def test_import_database_shared_progression(db: Database, other_path: Path) -> None:
    other = ExternalDbBuilder(other_path)
    messages = conversation("m", rounds=2)
    other.session("s", messages[:5])
    other.conn.execute("UPDATE branches SET progression_id = 's.s' WHERE id = 's.main'")
    imported(db, other_path)
    other.messages(messages[5:])
    other.conn.execute(
        "UPDATE progressions SET collection = ? WHERE id = 's.s'", (json.dumps([item["id"] for item in messages]),)
    )

    imported(db, other_path)

    assert read_history(db, "s.main") == [item["id"] for item in messages]
    assert read(db, get_session, "s").message_count == 9
    assert not check(db.conn, []).violations
    with AssertUnchanged(db):
        imported(db, other_path)
