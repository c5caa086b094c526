"""`li state import`: every generation of run folders, good and bad; safe to repeat."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.archives import (
    BEGAN,
    AssertUnchanged,
    conversation,
    current,
    legacy_agent,
    message,
    named,
    plant_bad_runs,
    rows_of,
    snapshot,
    write_home,
    write_run,
)
from tests.support.builders import begin, read, read_history, say, sql, write
from tests.support.hostile import nested
from tests.support.invariants import check

from lionstudio.imports.report import ItemOutcome, Report
from lionstudio.imports.run_folders.importer import import_runs
from lionstudio.model.import_ids import session_of_run
from lionstudio.model.messages import ActionRequest, ActionResponse, unpack
from lionstudio.state.branches import get_branch, list_branches
from lionstudio.state.database import Database
from lionstudio.state.messages.rows import get_message
from lionstudio.state.sessions import finish_session, get_session

RUN = "20260521T101500-a1b2c3"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An old home."""
    return tmp_path / "old"


def imported(db: Database, home: Path, **options: Any) -> Report:
    report = Report()
    import_runs(db, str(home), report, **options)
    return report


def outcomes(report: Report) -> dict[str, str]:
    return {item.name: str(item.outcome) for item in report.items}


def test_import_runs_reads_every_generation(db: Database, home: Path) -> None:
    agent, flow, newest = write_home(home)

    report = imported(db, home)

    assert report.counts == {("run", ItemOutcome.IMPORTED): 3, ("snapshot", ItemOutcome.IMPORTED): 2}
    assert report.messages == 9 * 6
    old, middle, new = (read(db, get_session, session_of_run(name)) for name in (agent, flow, newest))
    times = os.stat(home / "runs" / agent)
    assert (old.status, old.invocation_kind, old.source_kind) == ("completed", "agent", "imported_fs")
    assert (old.ended_at, old.started_at) == (times.st_mtime, min(times.st_ctime, times.st_mtime))
    assert (old.model, old.provider, old.message_count) == ("sonnet", "claude_code", 9)
    assert old.metadata["run_id"] == agent
    assert old.metadata["imported"]["prompt"] == "Explain X"
    assert (middle.invocation_kind, len(read(db, list_branches, middle.id))) == ("flow", 2)
    assert middle.metadata["imported"]["rounds"] == 3
    assert (new.started_at, new.ended_at, new.cwd) == (BEGAN, BEGAN + 9, "/h/work")
    assert new.invocation_kind == "agent"
    assert not check(db.conn, []).violations


def test_import_runs_order_roles_and_usage(db: Database, home: Path) -> None:
    branch = named("b")
    write_run(home, RUN, current(RUN, branch), snapshot(branch, conversation("m")))

    imported(db, home)

    assert read_history(db, branch) == ["m.s", "m.0.a", "m.0.b", "m.0.c", "m.0.d"]
    call, result, answer = (read(db, get_message, f"m.0.{letter}") for letter in "bcd")
    assert (type(call), call.role, call.metadata["role_original"]) == (ActionRequest, "assistant", "action")
    assert (type(result), result.role, result.content["output"]) == (ActionResponse, "tool", "hi")
    assert answer.metadata["usage"] == {"input_tokens": 30, "output_tokens": 14, "cost_microusd": 12300}
    session, kept = read(db, get_session, session_of_run(RUN)), read(db, get_branch, branch)
    assert (session.input_tokens, session.output_tokens, session.cost_microusd) == (30, 14, 12300)
    assert (session.first_msg_id, session.last_msg_id, kept.system_msg_id) == ("m.s", "m.0.d", "m.s")
    assert (kept.metadata["provider"], kept.metadata["model"]) == ("claude", "sonnet")
    assert "sk-secret" not in json.dumps(kept.metadata)


def test_import_runs_merges_branches_by_time(db: Database, home: Path) -> None:
    one = [message(f"a{n}", {"instruction": "x"}, "instruction.Instruction", "user", BEGAN + 2 * n) for n in range(3)]
    two = [
        message(f"b{n}", {"instruction": "x"}, "instruction.Instruction", "user", BEGAN + 2 * n + 1) for n in range(3)
    ]
    one[2]["created_at"] = BEGAN - 5  # a clock that went back does not change the order of a branch
    write_run(home, RUN, current(RUN, "one"), snapshot("one", one), snapshot("two", two))

    imported(db, home)

    placed = sql(db, "SELECT collection FROM progressions p JOIN sessions s ON s.progression_id = p.id")
    assert json.loads(placed[0][0]) == ["a0", "b0", "a1", "a2", "b1", "b2"]


def test_import_runs_twice_writes_nothing(db: Database, home: Path) -> None:
    write_home(home, runs=6)
    plant_bad_runs(home)
    imported(db, home)
    once = rows_of(db.path)

    with AssertUnchanged(db):
        report = imported(db, home)

    assert rows_of(db.path) == once
    assert {outcome for _, outcome in report.counts} == {ItemOutcome.UNCHANGED, ItemOutcome.SKIPPED}


def test_import_runs_dry_run_writes_nothing(db: Database, home: Path) -> None:
    write_home(home)

    with AssertUnchanged(db):
        planned = imported(db, home, dry_run=True)

    done = imported(db, home)
    assert (planned.counts, planned.messages) == (done.counts, done.messages)


def test_import_runs_reports_each_bad_run(db: Database, home: Path) -> None:
    good = write_home(home)
    bad = plant_bad_runs(home)

    report = imported(db, home)

    skipped = {item.name: item.reason or "" for item in report.items if item.outcome is ItemOutcome.SKIPPED}
    assert skipped.keys() == bad.keys()
    assert [name for name, word in bad.items() if word not in skipped[name]] == []
    assert report.counts["run", ItemOutcome.IMPORTED] == len(good)


def test_import_runs_reports_bad_branches(db: Database, home: Path) -> None:
    folder = write_run(home, RUN, current(RUN, "good"), snapshot("good", conversation("m"))) / "branches"
    (folder / "utf8.json").write_bytes(b"\xff")
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "list.json").write_text("[]")
    (folder / "empty.json").touch()
    (folder / "folder.json").mkdir()
    (folder / "loop.json").symlink_to("loop.json")
    os.mkfifo(folder / "pipe.json")
    with (folder / "huge.json").open("wb") as file:
        file.truncate(10**10)

    report = imported(db, home)

    assert report.counts == {("run", ItemOutcome.IMPORTED): 1, ("branch", ItemOutcome.SKIPPED): 8}
    assert read_history(db, "good")[0] == "m.s"


ODD = {
    "not a number": '{"content": {"instruction": NaN}, "id": "m"}',
    "beyond 64 bits": '{"content": {"instruction": 18446744073709551616}, "id": "m", "created_at": 1e400}',
    "5,000 digits": '{"content": {"instruction": ' + "9" * 5000 + '}, "id": "m"}',
    "200 levels": json.dumps({"id": "m", "content": {"instruction": nested(500)}, "metadata": {"x": nested(300)}}),
    "a bare number": '{"content": 5, "id": "m", "embedding": [1, "two"], "metadata": 7}',
    "lone surrogates": '{"content": {"instruction": "\\ud800"}, "id": "m", "sender": "\\udfff\\u0000"}',
    "no id": '{"content": {"instruction": "x"}}',
    "a line in the id": '{"content": {"instruction": "x"}, "id": "a\\nb"}',
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_import_runs_keeps_odd_messages(db: Database, home: Path, text: str) -> None:
    folder = write_run(home, RUN, current(RUN, "b"))
    (folder / "branches" / "b.json").write_text('{"id": "b", "messages": {"collections": [' + text + "]}}")

    report = imported(db, home)

    assert (report.messages, report.total(ItemOutcome.SKIPPED)) == (1, 0)
    (id_,) = read_history(db, "b")
    assert read(db, get_message, id_).content is not None
    with AssertUnchanged(db):
        imported(db, home)


def test_import_runs_keeps_embeddings_and_unknown_keys(db: Database, home: Path) -> None:
    odd = {
        "id": "m",
        "created_at": BEGAN,
        "metadata": {"lion_class": "other.tool.Note"},
        "content": "text",
        "embedding": [1, 0.5],
        "role": "action",
        "weight": {"a": 1},
    }
    write_run(home, RUN, current(RUN, "b"), snapshot("b", [odd], logs=[{"big": "x"}], future={"k": "v"}))

    imported(db, home)

    kept = read(db, get_message, "m")
    assert (kept.tag, kept.role, kept.content, kept.embedding) == ("other.tool.Note", "tool", "text", (1.0, 0.5))
    assert kept.metadata["imported"] == {"weight": {"a": 1}}
    assert unpack(sql(db, "SELECT embedding FROM messages")[0][0]) == (1.0, 0.5)
    assert read(db, get_branch, "b").metadata["imported"]["future"] == {"k": "v"}


def test_import_runs_orders_unlisted_messages_last(db: Database, home: Path) -> None:
    messages = conversation("m")
    branch = snapshot("b", messages)
    branch["messages"]["progression"]["order"] = ["m.0.a", "gone", {"id": "m.s"}]
    write_run(home, RUN, current(RUN, "b"), branch)

    imported(db, home)

    assert read_history(db, "b") == ["m.0.a", "gone", "m.s", "m.0.b", "m.0.c", "m.0.d"]
    session = read(db, get_session, session_of_run(RUN))
    assert (session.message_count, session.first_msg_id, session.last_msg_id) == (6, "m.0.a", "m.0.d")


def test_import_runs_skips_recorded_run(db: Database, home: Path) -> None:
    begun = begin(db, "live", source_kind="live")
    say(db, begun.branch_id, "one", "two")
    write(db, finish_session, "live", "completed")
    messages = [message(name, {"instruction": name}, "instruction.Instruction", "user") for name in ("one", "two")]
    write_run(home, RUN, current(RUN, begun.branch_id), snapshot(begun.branch_id, messages))

    with AssertUnchanged(db):
        report = imported(db, home)

    assert report.counts == {("run", ItemOutcome.UNCHANGED): 1}


def test_import_runs_completes_live_recording(db: Database, home: Path) -> None:
    begun = begin(db, "live", source_kind="live")
    say(db, begun.branch_id, "one")
    write(db, finish_session, "live", "completed")
    messages = [message(name, {"instruction": name}, "instruction.Instruction", "user") for name in ("one", "two")]
    write_run(home, RUN, current(RUN, begun.branch_id), snapshot(begun.branch_id, messages))

    report = imported(db, home)

    assert (outcomes(report), read_history(db, begun.branch_id)) == ({RUN: "updated"}, ["one", "two"])
    assert sql(db, "SELECT count(*) FROM sessions") == [(1,)]
    assert sql(db, "SELECT kind, entity, entity_id, ord FROM changes ORDER BY seq DESC LIMIT 1") == [
        ("appended", "session", "live", 1)
    ]


def test_import_runs_skips_running_session(db: Database, home: Path) -> None:
    begun = begin(db, "live", source_kind="live")
    write_run(home, RUN, current(RUN, begun.branch_id), snapshot(begun.branch_id, conversation("m")))

    report = imported(db, home)

    assert [(item.outcome, "is running; import" in (item.reason or "")) for item in report.items] == [("skipped", True)]


def test_import_runs_finds_session_by_run_id_without_scan(db: Database, home: Path) -> None:
    noted = {"run_id": RUN}
    begin(db, "noted", source_kind="live", metadata=noted, created_at=1779358501.0, status="completed")
    write_run(home, RUN, current(RUN, "b"), snapshot("b", conversation("m")))

    report = imported(db, home)

    assert [(item.outcome, item.session_id) for item in report.items] == [("updated", "noted")]
    assert sql(db, "SELECT count(*) FROM sessions") == [(1,)]


def test_import_runs_completes_continued_run(db: Database, home: Path) -> None:
    messages = conversation("m", rounds=2)
    folder = write_run(home, RUN, current(RUN, "b", "running", ended_at=None), snapshot("b", messages[:5]))
    imported(db, home)
    assert read(db, get_session, session_of_run(RUN)).status == "running"
    (folder / "run.json").write_text(json.dumps(current(RUN, "b", "failed", error="quota")))
    (folder / "branches" / "b.json").write_text(json.dumps(snapshot("b", messages)))

    report = imported(db, home)

    session = read(db, get_session, session_of_run(RUN))
    assert (outcomes(report), report.messages) == ({RUN: "updated"}, 4)
    assert (session.status, session.ended_at, session.message_count) == ("failed", BEGAN + 9, 9)
    assert (session.metadata["imported"]["error"], session.input_tokens) == ("quota", 60)
    assert read_history(db, "b") == [item["id"] for item in messages]
    assert not check(db.conn, []).violations


def test_import_runs_clone_becomes_fork(db: Database, home: Path) -> None:
    shared = conversation("m")
    more = [message("after", {"instruction": "go on"}, "instruction.Instruction", "user", BEGAN + 99)]
    child = snapshot("child", shared[:3] + more, metadata={"clone_from": {"id": "parent"}})
    stranger = snapshot("stranger", more, metadata={"clone_from": "missing"})
    manifest = current(RUN, "parent")
    write_run(home, RUN, manifest, snapshot("parent", shared), child, stranger)

    imported(db, home)

    fork = read(db, get_branch, "child").fork
    assert fork == ("parent", 2)
    assert read_history(db, "child") == ["m.s", "m.0.a", "m.0.b", "after"]
    assert (read(db, get_branch, "stranger").fork, read_history(db, "stranger")) == (None, ["after"])
    with AssertUnchanged(db):
        imported(db, home)


def test_import_runs_without_branches_or_manifest(db: Database, home: Path) -> None:
    write_run(home, RUN, legacy_agent(RUN, "gone"))
    write_run(home, "interrupted", None, snapshot("b", conversation("m")))

    report = imported(db, home)

    remarks = {item.name: item.reason or "" for item in report.items}
    assert "no snapshot" in remarks[RUN]
    assert "aborted" in remarks["interrupted"]
    assert read(db, get_session, session_of_run(RUN)).message_count == 0
    assert read(db, get_session, session_of_run("interrupted")).status == "aborted"


def test_import_runs_accepts_runs_folder_as_root(db: Database, tmp_path: Path) -> None:
    write_home(tmp_path / "old")
    (tmp_path / "old" / "runs").rename(tmp_path / "moved")
    (tmp_path / "moved" / "notes").mkdir()

    report = imported(db, tmp_path / "moved")

    assert report.counts == {("run", ItemOutcome.IMPORTED): 3}


def test_import_runs_ignores_own_run_folders(db: Database, home: Path) -> None:
    begin(db, "ours")
    (home / "runs" / "ours" / "stream").mkdir(parents=True)

    assert imported(db, home).counts == {("run", ItemOutcome.UNCHANGED): 1}


SECRET = "ghp_" + "a1B2" * 9


def test_import_runs_redacts_secrets(db: Database, home: Path) -> None:
    messages = [message("m", {"instruction": f"use {SECRET}"}, "instruction.Instruction", "user", note=SECRET)]
    messages += [message("n", {"instruction": f'password="hunter22" gh\u200bp_{SECRET[4:]}'}, "x.Y", "user")]
    write_run(home, RUN, current(RUN, "b", prompt=f"with {SECRET}"), snapshot("b", messages, name="b", hint=SECRET))

    imported(db, home)

    everything = repr(rows_of(db.path))
    assert SECRET[4:] not in everything
    assert "hunter22" not in everything
    assert "[REDACTED:github-token:" in everything
    with AssertUnchanged(db):
        imported(db, home)
