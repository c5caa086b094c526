"""The usage ledger: after any sequence of writes it adds up to the sessions and to their messages."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import apsw
import pytest
from tests.support.builders import T0, begin, read, said, write
from tests.support.sql_trace import traced
from tests.support.transcripts import ClaudeTranscript, CodexTranscript, codex, mirror

from lionstudio.model.branches import Branch
from lionstudio.model.reports.calendar import zone_of
from lionstudio.model.usage import Usage, UsageSum
from lionstudio.state.branches import create_branch, list_branches
from lionstudio.state.database import Database
from lionstudio.state.imports.transcript_files import append_if_absent, set_usage
from lionstudio.state.messages.append import append
from lionstudio.state.messages.append_many import PendingRow, append_many
from lionstudio.state.messages.rows import to_row
from lionstudio.state.sessions import finish_session
from lionstudio.state.upkeep.remove import remove_sessions
from lionstudio.state.usage.ledger import SpentPart, rebuild_ledger, settle_ledger
from lionstudio.state.usage.sums import UsageScope, sum_usage, top_runs

UTC = zone_of("UTC")
FIXTURES = Path(__file__).parents[2] / "fixtures"


def used(at: float, *, id_: str | None = None, model: str | None = None, **usage: Any) -> Any:
    metadata = {"usage": usage} | ({"model": model} if model else {})
    return said("x", metadata=metadata, created_at=at, **({"id": id_} if id_ else {}))


def ledger(db: Database) -> list[tuple[Any, ...]]:
    rows = db.conn.all(
        "SELECT s.id, quarter, l.model, l.input_tokens, l.output_tokens, l.cost_microusd, unpriced_tokens"
        " FROM usage_ledger l JOIN sessions s ON s.pk = l.session_pk ORDER BY 1, 2, 3"
    )
    return [tuple(row) for row in rows]


def total(db: Database) -> UsageSum:
    return next((line.usage for line in read(db, sum_usage, UsageScope(), by=None, stack=None, zone=UTC)), UsageSum())


def test_append_adds_to_the_quarter_and_model_of_the_message(db: Database) -> None:
    run = begin(db, "s", model="of-the-session")
    quarter = int(T0 // 900)

    write(db, append, run.branch_id, used(T0, input_tokens=3, cost_microusd=5))
    write(db, append, run.branch_id, used(T0 + 1, input_tokens=4))
    write(db, append, run.branch_id, used(T0 + 1, model="other", output_tokens=2, cost_microusd=0))
    write(db, append, run.branch_id, used(T0 + 900, model="other", output_tokens=7, cost_microusd=1))

    assert ledger(db) == [
        ("s", quarter, "", 7, 0, 5, 4),
        ("s", quarter, "other", 0, 2, 0, 0),
        ("s", quarter + 1, "other", 0, 7, 1, 0),
    ]
    by_model = {line.name: line.usage for line in read(db, sum_usage, UsageScope(), by=None, stack="model", zone=UTC)}
    assert by_model["of-the-session"] == UsageSum(7, 0, 0, 0, 5, 4)
    assert by_model["other"].known_cost == 1


def test_append_without_usage_runs_no_more_statements(db: Database) -> None:
    run = begin(db, "s")
    write(db, append, run.branch_id, said("first"))
    with traced(db.conn) as plain:
        write(db, append, run.branch_id, said("x"))
    with traced(db.conn) as counted:
        write(db, append, run.branch_id, used(T0, input_tokens=1))

    assert not [ran for ran in plain if "usage_ledger" in ran.sql]
    assert len([ran for ran in counted if "usage_ledger" in ran.sql]) == 1


def test_shared_message_is_counted_by_its_first_session(db: Database) -> None:
    first, second = begin(db, "one"), begin(db, "two")
    message = used(T0, id_="m", input_tokens=9)
    write(db, append, first.branch_id, message)

    write(db, append_if_absent, second.branch_id, message)

    assert total(db).tokens == 9
    _assert_equal(db)


def test_settle_spreads_what_is_missing_over_the_newest_parts(db: Database) -> None:
    run = begin(db, "s")
    parts = [SpentPart(T0 + hour * 3600, "gpt-5", Usage(10, 1, 0, 0, 100)) for hour in range(3)]
    write(db, set_usage, run.branch_id, Usage(10, 1, 0, 0, 100), parts[:1])
    write(db, set_usage, run.branch_id, Usage(30, 3, 0, 0, 300), parts)

    inputs = [row[3] for row in ledger(db) if row[2] == "gpt-5"]
    assert inputs == [10, 10, 10]
    write(db, set_usage, run.branch_id, Usage(37, 3, 0, 0, 300))
    assert [row[3] for row in ledger(db) if row[2] == ""] == [7]  # what has no time counts at the last message


def test_settle_replaces_the_rows_of_a_session_that_was_corrected_downwards(db: Database) -> None:
    run = begin(db, "s")
    write(db, append, run.branch_id, used(T0, input_tokens=50))
    write(db, set_usage, run.branch_id, Usage(20, 0, 0, 0, None))

    assert total(db) == UsageSum(input_tokens=20, unpriced_tokens=20)


def test_ledger_equals_sessions_after_any_sequence(db: Database) -> None:
    """Appends one by one and many at once, shared messages, totals, rebuilds and removals, in any order."""
    dice = random.Random(15)
    ended: set[str] = set()
    branches: dict[str, str] = {}
    for step in range(250):
        running = [branch for branch, session in branches.items() if session not in ended]
        act = dice.choice(("begin", "append", "append", "many", "share", "branch", "total", "rebuild", "end", "remove"))
        if act == "begin" or not running:
            run = begin(db, f"s{step}")
            branches[run.branch_id] = f"s{step}"
        elif act == "append":
            write(db, append, dice.choice(running), _random_use(dice))
        elif act == "many":
            messages = [_random_use(dice) for _ in range(dice.randint(1, 5))]
            write(db, _append_all, dice.choice(running), messages)
        elif act == "share":
            stored = db.conn.value("SELECT id FROM messages ORDER BY random() LIMIT 1")
            if stored:
                write(db, append_if_absent, dice.choice(running), used(T0, id_=stored))
        elif act == "branch":
            session = branches[dice.choice(running)]
            write(db, create_branch, Branch(id=f"b{step}", session_id=session, created_at=T0))
            branches[f"b{step}"] = session
        elif act == "total":
            session = branches[dice.choice(running)]
            cost = dice.choice((None, dice.randint(0, 900)))
            for branch in read(db, list_branches, session)[:1]:
                write(db, set_usage, branch.id, Usage(dice.randint(0, 500), dice.randint(0, 500), 0, 0, cost))
        elif act == "rebuild":
            write(db, rebuild_ledger, branches[dice.choice(running)])
        elif act == "end":
            session = branches[dice.choice(running)]
            write(db, finish_session, session, "completed", at=T0)
            ended.add(session)
        elif ended:
            session = ended.pop()
            write(db, remove_sessions, [session])
            branches = {branch: owner for branch, owner in branches.items() if owner != session}
        _assert_equal(db)
    assert total(db).tokens > 0


def _random_use(dice: random.Random) -> Any:
    usage: dict[str, Any] = {"input_tokens": dice.randint(0, 99), "output_tokens": dice.randint(0, 99)}
    if dice.random() < 0.6:
        usage["cost_microusd"] = dice.randint(0, 99)
    return used(T0 + dice.randint(0, 90_000), model=dice.choice((None, "a", "b")), **usage)


def _append_all(conn: Any, branch: str, messages: list[Any]) -> None:
    append_many(conn, branch, [PendingRow(message, to_row(conn, message)) for message in messages])


_DIFFERENT = """
SELECT s.id FROM sessions s LEFT JOIN usage_ledger l ON l.session_pk = s.pk GROUP BY s.pk
HAVING (s.input_tokens, s.output_tokens, coalesce(s.cost_microusd, 0))
       <> (coalesce(sum(l.input_tokens), 0), coalesce(sum(l.output_tokens), 0), coalesce(sum(l.cost_microusd), 0))
"""


def _assert_equal(db: Database) -> None:
    assert db.conn.all(_DIFFERENT) == []
    assert db.conn.value("SELECT count(*) FROM usage_ledger WHERE session_pk NOT IN (SELECT pk FROM sessions)") == 0


def test_mirrored_transcripts_count_at_the_time_of_their_records(db: Database, tmp_path: Path) -> None:
    conversation = ClaudeTranscript(tmp_path / "claude").talk(3)
    helper = ClaudeTranscript(tmp_path / "claude", conversation.session, agent="a1")
    helper.assistant("from a sub-agent", message={"model": "claude-haiku-4-5-20251001"})
    mirror(db, tmp_path / "claude")
    rollout = CodexTranscript(tmp_path / "codex").begin()
    rollout.user("go")
    rollout.assistant("one")
    rollout.tokens(1000, 100, 10, 1000)
    rollout._number += 7200
    rollout.user("more")
    rollout.assistant("two")
    rollout.tokens(3000, 300, 30, 2000)
    codex(db, tmp_path / "codex")

    _assert_equal(db)
    models = {line.name for line in read(db, sum_usage, UsageScope(), by=None, stack="model", zone=UTC)}
    assert models == {"claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001", "gpt-5-codex"}
    scope = UsageScope(model="gpt-5-codex")
    hours = read(db, sum_usage, scope, by="hour", stack=None, zone=UTC)
    assert [line.usage.tokens for line in hours] == [1010, 2020]
    (row, usage), *_ = read(db, top_runs, scope, 5)
    assert usage.tokens == 3030
    assert row["agent_name"] == "codex"


@pytest.mark.sqlite
def test_migration_builds_the_ledger_of_older_databases(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    connection = apsw.Connection(str(path))
    connection.execute((FIXTURES / "version_7.sql").read_text())
    if not list(connection.execute("SELECT 1 FROM schema_meta")):
        connection.execute("INSERT INTO schema_meta (version, lineage) VALUES (7, 'lion-studio')")
    _fill_version_7(connection)
    connection.close()

    with Database(str(path)) as db:
        _assert_equal(db)
        rows = ledger(db)

    quarter = int(T0 // 900)
    assert rows == [
        ("by messages", quarter, "m1", 10, 2, 50, 0),
        ("by messages", quarter + 4, "", 5, 0, 0, 5),
        ("by sums", quarter + 8, "", 100, 40, 900, 0),
        ("other", quarter, "m1", 7, 0, 0, 7),
    ]


def _fill_version_7(connection: apsw.Connection) -> None:
    """A session whose messages report usage, one whose tool reported sums, and one that shares a message."""
    sessions = {"by messages": (15, 2, 50), "by sums": (100, 40, 900), "other": (7, 0, None)}
    for number, (name, sums) in enumerate(sessions.items(), 1):
        connection.execute("INSERT INTO progression_heads (id, created_at) VALUES (?, ?)", (f"p{number}", T0))
        connection.execute(
            "INSERT INTO sessions (id, created_at, last_message_at, progression_id, input_tokens, output_tokens,"
            " cost_microusd) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (name, T0, T0 + number * 3600, f"p{number}", *sums),
        )
    usages = {
        "a": (T0, '{"model": "m1", "usage": {"input_tokens": 10, "output_tokens": 2, "cost_microusd": 50}}'),
        "b": (T0 + 3600, '{"usage": {"input_tokens": 5}}'),
        "c": (T0, '{"model": "m1", "usage": {"input_tokens": 7}}'),
        "d": (T0, '{"usage": "not counted"}'),
    }
    for id_, (at, metadata) in usages.items():
        connection.execute("INSERT INTO messages (id, created_at, node_metadata) VALUES (?, ?, ?)", (id_, at, metadata))
    for progression, ids in (("p1", "abd"), ("p3", "ac")):
        for ord_, id_ in enumerate(ids):
            connection.execute(
                "INSERT INTO progression_items (prog, ord, message_id)"
                " SELECT pk, ?, ? FROM progression_heads WHERE id = ?",
                (ord_, id_, progression),
            )


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"])
def test_days_of_every_zone_add_up_across_clock_changes(db: Database, zone: str) -> None:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    run, expected = begin(db, "s"), dict[str, int]()
    march = datetime(2026, 3, 1, tzinfo=ZoneInfo("UTC")).timestamp()
    for number in range(0, 60 * 24, 5):
        at = march + number * 3600 + 1800
        write(db, append, run.branch_id, used(at, input_tokens=number + 1))
        day = datetime.fromtimestamp(at, ZoneInfo(zone)).date().isoformat()
        expected[day] = expected.get(day, 0) + number + 1

    from lionstudio.model.reports.calendar import day_name

    lines = read(db, sum_usage, UsageScope(), by="day", stack=None, zone=zone_of(zone))
    assert {day_name(line.bucket): line.usage.tokens for line in lines} == expected


def test_settle_of_a_missing_session_does_nothing(db: Database) -> None:
    write(db, settle_ledger, "nobody")

    assert ledger(db) == []
