"""Lists and the dashboard: every filter walks an index, and the last page costs as much as the first."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, begin, read, said, sql, write
from tests.support.sql_trace import Ran, plan, traced

from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.computed_state import staleness_check
from lionstudio.model.status.statuses import InvocationKind, PlayStatus, SessionStatus, TeamStatus
from lionstudio.model.teams import Team
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.runs import dashboard
from lionstudio.state.runs.dashboard import cards, status_counts
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.sessions import create_session, finish_session, get_session, resolve_session, set_health
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.sqlite.open import open_writer
from lionstudio.state.teams import put_team

MANY = 12_000
_FILL = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :many)
INSERT INTO sessions (id, created_at, updated_at, started_at, ended_at, last_message_at, name, agent_name,
                      playbook_name, project, invocation_kind, source_kind, status, show_topic)
SELECT printf('s%08d', i), :t0 + i, :t0 + i, :t0 + i, :t0 + i + 5, :t0 + i, 'name ' || (i % 900), 'agent ' || (i % 7),
       'book ' || (i % 5), 'project ' || (i % 3),
       CASE i % 4 WHEN 0 THEN 'agent' WHEN 1 THEN 'play' WHEN 2 THEN 'flow' ELSE 'show-play' END,
       CASE i % 2 WHEN 0 THEN 'live' ELSE 'imported_fs' END,
       CASE i % 5 WHEN 0 THEN 'failed' WHEN 1 THEN 'running' ELSE 'completed' END,
       CASE WHEN i % 4 = 3 THEN 'topic ' || (i % 11) END
  FROM n
"""


@pytest.fixture(scope="module")
def many(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    conn = open_writer(str(shutil.copy(blank, tmp_path_factory.mktemp("many") / "state.db")))
    conn.execute(_FILL, {"many": MANY, "t0": T0})
    yield conn
    conn.close()


CHOICES: dict[str, str] = {
    "status": "completed",
    "kind": "flow",
    "project": "project 1",
    "source": "live",
    "agent": "agent 3",
    "playbook": "book 2",
    "show": "topic 4",
    "name": "name 17",
}
# one filter, and status with one more, have an index; the others walk the index of one of their filters
INDEXED = [
    {name: CHOICES[name] for name in names}
    for names in (
        (),
        ("status",),
        ("kind",),
        ("project",),
        ("status", "kind"),
        ("status", "project"),
        ("status", "agent"),
        ("status", "playbook"),
        ("status", "source"),
    )
]
NOT_INDEXED = [
    {name: CHOICES[name] for name in names} for names in (("kind", "project"), ("status", "kind", "project"))
]
SINGLE = [{name: CHOICES[name]} for name in ("source", "agent", "playbook", "show", "name")]


def page_plan(conn: Connection, filters: dict[str, Any], cursor: bool) -> list[str]:
    """The query plan of the statement that list_sessions runs."""
    at, pk = T0 + 500, 5
    with traced(conn) as ran:
        list_sessions(conn, Filters(**filters), cursor=f"{at!r}~{pk}" if cursor else None)
    return plan(conn, ran[-1].sql, filters | {"limit": 101, "cursor_at": at, "cursor_pk": pk})


@pytest.mark.parametrize("cursor", [False, True], ids=["first page", "later page"])
@pytest.mark.parametrize("filters", INDEXED + NOT_INDEXED + SINGLE, ids=lambda filters: "+".join(filters) or "none")
def test_list_sessions_walks_an_index_in_order(many: Connection, filters: dict[str, Any], cursor: bool) -> None:
    lines = page_plan(many, filters, cursor)

    [walk] = [line for line in lines if "sessions" in line]
    assert walk.split()[:4] in (["SEARCH", "sessions", "USING", "INDEX"], ["SCAN", "sessions", "USING", "INDEX"])
    assert (walk.startswith("SEARCH")) is bool(filters or cursor)
    assert not any("TEMP B-TREE" in line for line in lines)


@pytest.mark.parametrize(
    ("names", "index"),
    [
        (("kind", "playbook"), "idx_sessions_playbook"),
        (("status", "kind", "playbook"), "idx_sessions_status_playbook"),
        (("status", "kind", "project", "agent"), "idx_sessions_status_project"),
        (("status", "name"), "idx_sessions_name"),
        (("status", "show"), "idx_sessions_show"),
    ],
)
def test_list_sessions_walks_the_index_of_the_most_selective_filter(
    many: Connection, names: tuple[str, ...], index: str
) -> None:
    [walk] = [line for line in page_plan(many, {name: CHOICES[name] for name in names}, False) if "sessions" in line]

    assert f"USING INDEX {index} " in walk


def steps_of_pages(conn: Connection, filters: dict[str, Any]) -> list[int]:
    """Steps that each of the first 50 pages of four rows takes."""
    steps, cursor = [], None
    for _ in range(50):
        with traced(conn) as ran:
            page = list_sessions(conn, Filters(**filters), limit=4, cursor=cursor)
        steps.append(sum(one.steps for one in ran))
        assert len(page.rows) == 4
        cursor = page.next_cursor
    return steps


@pytest.mark.parametrize("filters", INDEXED, ids=lambda filters: "+".join(filters) or "none")
def test_list_sessions_later_page_takes_the_steps_of_the_first(many: Connection, filters: dict[str, Any]) -> None:
    steps = steps_of_pages(many, filters)

    # the first has no cursor to compare with; from then on every page is the same
    assert set(steps[1:]) == {steps[1]}
    assert 0 <= steps[1] - steps[0] <= 12 * 4


@pytest.mark.parametrize("filters", NOT_INDEXED, ids=lambda filters: "+".join(filters))
def test_list_sessions_steps_do_not_grow_with_depth(many: Connection, filters: dict[str, Any]) -> None:
    steps = steps_of_pages(many, filters)

    assert max(steps[1:]) <= 1.2 * min(steps[1:])
    assert sum(steps[25:]) <= 1.2 * sum(steps[:25])


def texts(many: Connection, text: str, **filters: Any) -> tuple[list[str], list[Ran]]:
    with traced(many) as ran:
        found = list_sessions(many, Filters(text=text, **filters))
    return [row["id"] for row in found.rows], ran


@pytest.mark.parametrize("text", ["name 17", "project", "17", "n"])
def test_list_sessions_by_text_reads_the_end_of_the_index(many: Connection, text: str) -> None:
    ids, ran = texts(many, text)

    assert len(ids) == 100
    assert ids == sorted(ids, reverse=True)
    assert ran[-1].steps < 10_000
    assert (ran[-1].full_scan_steps, ran[-1].sorts) == (0, 0)


def test_list_sessions_by_text_and_filter_takes_the_shorter_way(many: Connection) -> None:
    _, dense_and_rare = texts(many, "project", name="name 17")
    _, rare_and_dense = texts(many, "name 171", status="completed")
    _, never = texts(many, "name 171", project="project 1")

    for ran in (dense_and_rare, rare_and_dense, never):
        assert sum(one.steps for one in ran) < 80_000


def test_list_sessions_by_short_text_matches_the_start_of_a_word(db: Database) -> None:
    for number, name in enumerate(("fix the login", "suffix", "a-fine day", "Ärger mit FI", "nothing")):
        begin(db, f"s{number}", name=name)

    def found(text: str) -> set[str]:
        return {row["id"] for row in read(db, list_sessions, Filters(text=text)).rows}

    assert found("fi") == {"s0", "s2", "s3"}
    assert found("F") == {"s0", "s2", "s3"}
    assert found("är") == {"s3"}
    assert found("ffi") == {"s1"}
    assert found("zz") == set()
    with pytest.raises(InvalidInput, match="letter or digit"):
        found("--")


def test_list_sessions_by_text_follows_renames_moves_and_deletes(db: Database) -> None:
    for number in range(4):
        begin(db, f"s{number}", name=f"run {number}")
    sql(db, "UPDATE sessions SET name = 'other' WHERE id = 's1'")
    sql(db, "UPDATE sessions SET created_at = created_at - 5000 WHERE id = 's2'")
    sql(db, "DELETE FROM branches WHERE session_id = 's3'")
    sql(db, "DELETE FROM sessions WHERE id = 's3'")

    for text in ("run", "ru"):
        assert [row["id"] for row in read(db, list_sessions, Filters(text=text)).rows] == ["s0", "s2"]
    assert [row["id"] for row in read(db, list_sessions, Filters(text="oth")).rows] == ["s1"]


@pytest.mark.parametrize("filters", [{}, {"status": "completed"}, {"project": "project 1", "kind": "flow"}])
@pytest.mark.parametrize("text", ["name 1", "17", "book 2"])
def test_list_sessions_by_text_pages_have_each_match_once(many: Connection, text: str, filters: dict[str, Any]) -> None:
    seen, cursor = [], None
    while True:
        page = list_sessions(many, Filters(text=text, **filters), limit=77, cursor=cursor)
        seen += [row["id"] for row in page.rows]
        cursor = page.next_cursor
        if cursor is None:
            break

    def has(value: str) -> bool:
        return text in value if len(text) >= 3 else any(word.startswith(text) for word in value.split())

    columns = ("id", "name", "playbook_name", "status", "project", "invocation_kind")
    rows = many.dicts(f"SELECT {', '.join(columns)}, invocation_kind AS kind FROM sessions")  # noqa: S608
    expected = [
        row["id"]
        for row in rows
        if any(has(row[column]) for column in ("name", "playbook_name", "project"))
        and all(row[name] == value for name, value in filters.items())
    ]
    assert seen == sorted(expected, reverse=True)


CARDS = {
    "by status": (dashboard._BY_STATUS, {}),
    "failed": (dashboard._FAILED, {"card_since": T0}),
    "slow": (dashboard._SLOW, {"card_slow": T0}),
    "stale": (
        dashboard._STALE,
        {"card_now": T0, "other": 1, "agent": 1, "play": 1, "flow": 1, "fanout": 1, "show_play": 1},
    ),
    "review": (dashboard._REVIEW, {}),
    "teams": (dashboard._TEAMS, {}),
}


@pytest.mark.parametrize("card", CARDS)
def test_cards_are_counted_in_an_index(many: Connection, card: str) -> None:
    lines = plan(many, *CARDS[card])

    assert lines
    for line in lines:
        # counting different sessions sorts the few plays that need a person
        assert "INDEX" in line or line in ("SCAN session_counts", "USE TEMP B-TREE FOR count(DISTINCT)")
        assert "SCAN sessions" not in line or "idx_sessions_running" in line


def test_cards_of_running_sessions_skip_finished_ones(db: Database) -> None:
    steps = []
    for finished in (10, 2000):
        sql(
            db,
            _FILL.replace("printf('s%08d', i)", f"'{finished}-' || i").replace(
                "CASE i % 5 WHEN 0 THEN 'failed' WHEN 1 THEN 'running' ELSE 'completed' END", "'completed'"
            ),
            {"many": finished, "t0": T0},
        )
        with db.reader() as conn, traced(conn) as ran:
            cards(conn, T0)
        steps.append([(one.sql, one.steps) for one in ran])

    assert steps[0] == steps[1]


def test_cards_count(db: Database) -> None:
    now = T0 + 100_000.0
    ages = [60.0, 1799.0, 1801.0, 6 * 3600 + 1.0, 12 * 3600 + 1.0]
    kinds = [None, *InvocationKind]
    for number, (age, kind) in enumerate(product(ages, kinds)):
        said_at = now - age if number % 2 else None
        write(
            db,
            create_session,
            Session(id=f"run{number}", created_at=now - age, invocation_kind=kind, last_message_at=said_at),
        )
    for number, ago in enumerate((10.0, 86_000.0, 87_000.0)):
        write(db, create_session, Session(id=f"failed{number}", created_at=now - ago))
        write(db, finish_session, f"failed{number}", "failed", at=now - ago)
    write(db, put_show, Show(id="show", topic="t", show_dir="/t"))
    for number, word in enumerate(("gated", "escalated", "blocked", "gated", "merged", "gated")):
        play = Play(show_id="show", name=f"p{number}", status=PlayStatus(word), session_id=f"run{number // 2}")
        write(db, put_play, play)
    write(db, put_play, Play(show_id="show", name="px", status=PlayStatus.GATED))
    for number, word in enumerate(("active", "active", "archived")):
        write(db, put_team, Team(id=f"t{number}", name="n", status=TeamStatus(word)))

    running = [row for row in read(db, list_sessions, limit=1000).rows if row["status"] == "running"]
    assert read(db, cards, now) == {
        "running": 30,
        "failed_24h": 2,
        "slow": sum(age > 1800 for age in ages) * len(kinds),
        "stale": sum(staleness_check(row, now=now) == "stale" for row in running),
        "needs_review": 3,
        "teams_active": 2,
    }
    assert read(db, status_counts) == {"running": 30, "failed": 3}


# ── One session ──────────────────────────────────────────────────────────


def test_list_sessions_row(db: Database) -> None:
    session, branch = begin(db, name="n", project="p", invocation_kind="agent")
    write(db, append, branch, said())

    [row] = read(db, list_sessions).rows

    assert {name: row[name] for name in ("id", "name", "project", "message_count", "branch_count", "status")} == {
        "id": session,
        "name": "n",
        "project": "p",
        "message_count": 1,
        "branch_count": 1,
        "status": "running",
    }


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_list_sessions_rejects_a_bad_limit(db: Database, limit: int) -> None:
    with pytest.raises(InvalidInput):
        read(db, list_sessions, limit=limit)


@pytest.mark.parametrize("filters", [Filters(status="done"), Filters(kind="x"), Filters(source="")])
def test_list_sessions_rejects_an_unknown_code(db: Database, filters: Filters) -> None:
    with pytest.raises(InvalidInput) as refusal:
        read(db, list_sessions, filters)

    assert refusal.value.hint is not None
    assert refusal.value.hint.startswith("use one of: ")


def test_resolve_session_by_id_prefix_and_name(db: Database) -> None:
    for id_, name in (("abcd-1", "one"), ("abcd-2", "one"), ("xyzw", "abcd-1"), ("one", None)):
        write(db, create_session, Session(id=id_, name=name, created_at=T0))
    write(db, create_session, Session(id="newer", name="twice", created_at=T0 + 1))
    write(db, create_session, Session(id="older", name="twice", created_at=T0))

    assert read(db, resolve_session, "abcd-1") == "abcd-1"
    assert read(db, resolve_session, "xyzw") == "xyzw"
    assert read(db, resolve_session, "newe") == "newer"
    assert read(db, resolve_session, "twice") == "newer"
    assert read(db, resolve_session, "one") == "one"
    with pytest.raises(InvalidInput, match="several"):
        read(db, resolve_session, "abcd")
    for unknown in ("xyz", "", "missing", "%", "abcd_1"):
        with pytest.raises(NotFound):
            read(db, resolve_session, unknown)


def test_resolve_session_falls_back_to_the_agent(db: Database) -> None:
    write(db, create_session, Session(id="first", name="fix the test", agent_name="claude", created_at=T0))
    write(db, create_session, Session(id="second", name="explain", agent_name="claude", created_at=T0 + 1))
    write(db, create_session, Session(id="named", name="codex", agent_name="script", created_at=T0))
    write(db, create_session, Session(id="by-codex", name="other", agent_name="codex", created_at=T0 + 1))

    assert read(db, resolve_session, "claude") == "second"
    assert read(db, resolve_session, "codex") == "named"


def test_set_health_sets_and_clears_waiting(db: Database) -> None:
    session, _ = begin(db)
    write(db, set_health, session, "waiting", at=T0 + 1)
    assert read(db, get_session, session).health == "waiting"

    write(db, set_health, session, None)
    assert read(db, get_session, session).health is None
    with pytest.raises(InvalidInput):
        write(db, set_health, session, "ok")

    write(db, set_health, session, "waiting")
    write(db, finish_session, session, "completed")
    assert read(db, get_session, session).health is None
    with pytest.raises(NotFound):
        write(db, set_health, session, "waiting")


@pytest.mark.parametrize("status", [status for status in SessionStatus if status is not SessionStatus.RUNNING])
def test_finish_session_writes_every_column(db: Database, status: SessionStatus) -> None:
    session, _ = begin(db)
    write(db, finish_session, session, status, exit_code=3, reasons=["run.failed.exit_nonzero"], at=T0 + 60)

    row = read(db, get_session, session)
    assert (row.status, row.ended_at, row.exit_code, row.updated_at) == (status, T0 + 60, 3, T0 + 60)
    assert (row.reason_codes, row.duration_ms) == (("run.failed.exit_nonzero",), 60_000)
