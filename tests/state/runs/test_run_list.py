"""Lists and the dashboard: every filter walks an index, and the last page costs as much as the first."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.support.builders import T0, begin, read, said, sql, write
from tests.support.sql_trace import Ran, plan, traced

from lionstudio.errors import InvalidInput
from lionstudio.model.run_name import run_name
from lionstudio.model.sessions import Session
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.status.computed_state import session_state, staleness_check
from lionstudio.model.status.statuses import InvocationKind, PlayStatus, SessionStatus, TeamStatus
from lionstudio.model.teams import Team
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.messages.append import append
from lionstudio.state.runs import dashboard
from lionstudio.state.runs.dashboard import cards, status_counts
from lionstudio.state.runs.facets import Totals, facets, totals
from lionstudio.state.runs.page_queries import recent_rows
from lionstudio.state.runs.run_list import Filters, list_sessions
from lionstudio.state.runs.run_order import ListOrder, Order, Sort
from lionstudio.state.sessions import create_session, finish_session, get_session
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.sqlite.open import open_writer
from lionstudio.state.teams import put_team

MANY = 12_000
_FILL = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :many)
INSERT INTO sessions (id, created_at, updated_at, started_at, ended_at, last_message_at, name, agent_name,
                      playbook_name, project, invocation_kind, source_kind, status, show_topic, model, cost_microusd,
                      input_tokens, cache_read_tokens, message_count)
SELECT printf('s%08d', i), :t0 + i, :t0 + i, :t0 + i, :t0 + i + 5, :t0 + i, 'name ' || (i % 900), 'agent ' || (i % 7),
       'book ' || (i % 5), 'project ' || (i % 3),
       CASE i % 4 WHEN 0 THEN 'agent' WHEN 1 THEN 'play' WHEN 2 THEN 'flow' ELSE 'show-play' END,
       CASE i % 2 WHEN 0 THEN 'live' ELSE 'imported_fs' END,
       CASE i % 5 WHEN 0 THEN 'failed' WHEN 1 THEN 'running' ELSE 'completed' END,
       CASE WHEN i % 4 = 3 THEN 'topic ' || (i % 11) END, 'model ' || (i % 6),
       CASE WHEN i % 10 THEN i * 7919 % 1000 END, i * 31 % 500, i * 17 % 90, i % 40
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
SINGLE = [{name: CHOICES[name]} for name in ("agent", "playbook", "show", "name")]
# several walks, which SQLite merges
MERGED: list[dict[str, Any]] = [
    {"source": "live"},
    {"model": "model 3"},
    {"status": ("failed", "running")},
    {"project": ("project 0", "project 2")},
    {"project": ("project 0", "project 2"), "status": ("failed", "running")},
    {"model": ("model 1", "model 2"), "status": "failed"},
]


def page_plan(conn: Connection, filters: dict[str, Any], cursor: bool) -> list[str]:
    """The query plan of the statement that list_sessions runs."""
    at, pk = T0 + 500, 5
    with traced(conn) as ran:
        list_sessions(conn, Filters(**filters), cursor=f"{at!r}~{pk}" if cursor else None)
    [listing] = [one.sql for one in ran if "FROM sessions" in one.sql]
    return plan(conn, listing, filters | {"limit": 101, "cursor_at": at, "cursor_pk": pk})


@pytest.mark.sqlite
@pytest.mark.parametrize("cursor", [False, True], ids=["first page", "later page"])
@pytest.mark.parametrize("filters", INDEXED + NOT_INDEXED + SINGLE, ids=lambda filters: "+".join(filters) or "none")
def test_list_sessions_walks_an_index_in_order(many: Connection, filters: dict[str, Any], cursor: bool) -> None:
    lines = page_plan(many, filters, cursor)

    [walk] = [line for line in lines if "sessions" in line]
    assert walk.split()[:4] in (["SEARCH", "sessions", "USING", "INDEX"], ["SCAN", "sessions", "USING", "INDEX"])
    assert (walk.startswith("SEARCH")) is bool(filters or cursor)
    assert not any("TEMP B-TREE" in line for line in lines)


@pytest.mark.sqlite
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


@pytest.mark.sqlite
@pytest.mark.parametrize("cursor", [False, True], ids=["first page", "later page"])
@pytest.mark.parametrize("filters", MERGED, ids=str)
def test_list_sessions_merges_walks_of_several_values(many: Connection, filters: dict[str, Any], cursor: bool) -> None:
    at = f"{T0 + 5000!r}~5001" if cursor else None
    with traced(many) as ran:
        page = list_sessions(many, Filters(**filters), cursor=at)

    assert len(page.rows) == 100
    assert (ran[-1].full_scan_steps, ran[-1].steps < 30_000) == (0, True), ran[-1]
    assert [row["id"] for row in page.rows] == matching(many, filters, T0 + 5000 if cursor else None)[:100]


def test_list_sessions_with_too_many_values_walks_all_sessions(many: Connection) -> None:
    filters = {"agent": tuple(f"agent {n}" for n in range(40)), "status": ("failed", "running")}

    page = list_sessions(many, Filters(**filters))  # type: ignore[arg-type]
    assert [row["id"] for row in page.rows] == matching(many, filters)[:100]
    with pytest.raises(InvalidInput, match="at most 50"):
        list_sessions(many, Filters(agent=tuple(f"agent {n}" for n in range(51))))


_COLUMN_OF = {"kind": "invocation_kind", "source": "source_kind", "agent": "agent_name", "playbook": "playbook_name"}


def matching(conn: Connection, filters: dict[str, Any], before: float | None = None) -> list[str]:
    """The ids that filters leave, newest first."""
    rows = conn.dicts("SELECT * FROM sessions ORDER BY created_at DESC")
    return [
        row["id"]
        for row in rows
        if (before is None or row["created_at"] < before)
        and all(
            row[_COLUMN_OF.get(name, name)] in ((values,) if isinstance(values, str) else values)
            for name, values in filters.items()
        )
    ]


KEYS: dict[Sort, Any] = {
    Sort.CREATED: lambda row: row["created_at"],
    Sort.UPDATED: lambda row: row["updated_at"],
    Sort.DURATION: lambda row: row["ended_at"] - row["started_at"],
    Sort.COST: lambda row: row["cost_microusd"],
    Sort.TOKENS: lambda row: row["input_tokens"] + row["cache_read_tokens"],
    Sort.MESSAGES: lambda row: row["message_count"],
    Sort.NAME: run_name,
    Sort.STATUS: lambda row: [*SessionStatus].index(row["status"]),
}


@pytest.mark.parametrize("filters", [{}, {"status": ("failed", "running"), "project": "project 1"}], ids=str)
@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("sort", Sort)
def test_list_sessions_sorted_pages_have_each_session_once(
    many: Connection, sort: Sort, order: Order, filters: dict[str, Any]
) -> None:
    seen, cursor = [], None
    while True:
        page = list_sessions(many, Filters(**filters), limit=977, cursor=cursor, order=ListOrder(sort, order))
        seen += page.rows
        cursor = page.next_cursor
        if cursor is None:
            break

    assert sorted(row["id"] for row in seen) == sorted(matching(many, filters))
    keys = [KEYS[sort](row) for row in seen]
    known = [key for key in keys if key is not None]
    assert known == sorted(known, reverse=order is Order.DESC)
    assert keys == known + [None] * (len(keys) - len(known)), "unknown values are last"


def test_list_sessions_refuses_the_cursor_of_another_order(many: Connection) -> None:
    by_cost = ListOrder(Sort.COST)
    cursor = list_sessions(many, limit=5, order=by_cost).next_cursor

    for order in (ListOrder(Sort.TOKENS), ListOrder(Sort.COST, Order.ASC), ListOrder()):
        with pytest.raises(InvalidInput, match="is not a cursor"):
            list_sessions(many, cursor=cursor, order=order)


def test_list_sessions_by_duration_counts_running_sessions_until_the_first_page(db: Database) -> None:
    now = time.time()
    for number, ago in enumerate((50.0, 5000.0, 500.0)):
        begin(db, f"s{number}", created_at=now - ago)
    begin(db, "done", created_at=now - 9000)
    write(db, finish_session, "done", "completed", at=now - 9000 + 700)
    order = ListOrder(Sort.DURATION)

    first = read(db, list_sessions, limit=2, order=order)
    rest = read(db, list_sessions, order=order, cursor=first.next_cursor)
    assert [row["id"] for row in first.rows + rest.rows] == ["s1", "done", "s2", "s0"]


def test_list_sessions_text_finds_an_id_by_its_start(db: Database) -> None:
    for number in range(3):
        begin(db, f"0199a0b{number}-77aa-7000-8000-00000000000{number}", name=f"run {number}")
    begin(db, "other", name="0199a0 in its name")

    def found(text: str, **fields: Any) -> list[str]:
        return [row["name"] for row in read(db, list_sessions, Filters(text=text, **fields)).rows]

    assert found("0199a0b1-77aa-7000-8000-000000000001") == ["run 1"]
    assert found("0199a0b1-77aa") == ["run 1"]
    assert sorted(found("0199a0")) == ["0199a0 in its name", "run 0", "run 1", "run 2"]
    assert found("0199a0", name="run 2") == ["run 2"]
    assert found("0199a") == ["0199a0 in its name"], "five characters are a text"


def test_totals_count_and_sum_what_filters_leave(many: Connection) -> None:
    filters = {"status": ("failed", "running"), "project": "project 1"}
    ids = set(matching(many, filters))
    rows = [row for row in many.dicts("SELECT * FROM sessions") if row["id"] in ids]

    assert totals(many, Filters(**filters)) == Totals(  # type: ignore[arg-type]
        runs=len(rows),
        more=False,
        tokens=sum(row["input_tokens"] + row["cache_read_tokens"] for row in rows),
        cost_microusd=sum(row["cost_microusd"] or 0 for row in rows),
        all_runs=MANY,
    )
    assert totals(many)[:2] == (10_000, True)
    assert totals(many, Filters(project="none")) == Totals(0, False, 0, None, MANY)


def test_facets_count_each_value_under_the_other_filters(many: Connection) -> None:
    many.execute("INSERT INTO session_tags SELECT id, 'starred', 0 FROM sessions WHERE pk <= 30 ON CONFLICT DO NOTHING")
    filters = {"status": ("failed", "running"), "project": ("project 1", "project 2")}

    counts = facets(many, Filters(**filters))  # type: ignore[arg-type]
    for facet in ("status", "project"):
        others = {name: value for name, value in filters.items() if name != facet}
        for count in counts[facet]:
            expected = len(matching(many, {**others, facet: count.value}))
            assert (count.runs, count.more) == (min(expected, 1000), expected > 1000), (facet, count)
    assert {count.value for count in counts["model"]} == {f"model {n}" for n in (1, 2, 4, 5)}
    assert [(count.value, count.runs) for count in counts["tag"]] == [
        ("starred", sum(int(id_[1:]) < 30 for id_ in matching(many, filters)))
    ]


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


@pytest.mark.sqlite
@pytest.mark.parametrize("text", ["name 17", "project", "17", "n"])
def test_list_sessions_by_text_reads_the_end_of_the_index(many: Connection, text: str) -> None:
    ids, ran = texts(many, text)

    assert len(ids) == 100
    assert ids == sorted(ids, reverse=True)
    assert ran[-1].steps < 10_000
    assert (ran[-1].full_scan_steps, ran[-1].sorts) == (0, 0)


@pytest.mark.sqlite
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


@pytest.mark.sqlite
def test_list_sessions_by_the_start_of_the_id_of_a_vendor(db: Database) -> None:
    begin(db, "ours", conversation_id="6f1c2d3e-aaaa")
    begin(db, "other", conversation_id="6f1c2d3f-aaaa")

    def found(text: str) -> list[str]:
        return [row["id"] for row in read(db, list_sessions, Filters(text=text)).rows]

    assert found("6f1c2d3e") == found("6f1c2d3e-aaaa") == ["ours"]
    assert found("6f1c2d3") == found("6f1c2d3g") == []
    with db.reader() as conn, traced(conn) as ran:
        list_sessions(conn, Filters(text="6f1c2d3e"))
    assert sum(one.full_scan_steps for one in ran if "conversation_id >=" in one.sql) == 0


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


@pytest.mark.sqlite
@pytest.mark.parametrize("card", CARDS)
def test_cards_are_counted_in_an_index(many: Connection, card: str) -> None:
    lines = plan(many, *CARDS[card])

    assert lines
    for line in lines:
        # counting different sessions sorts the few plays that need a person
        few = ("SCAN session_counts", "USE TEMP B-TREE FOR count(DISTINCT)", "CORRELATED SCALAR SUBQUERY 1")
        assert "INDEX" in line or line in few
        assert "SCAN sessions" not in line or "idx_sessions_running" in line


@pytest.mark.sqlite
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


@pytest.mark.parametrize(
    "metadata",
    [
        '{"mirror": {"failed": "overloaded"}}',
        '{"ended_with": 5}',
        r'{"ended_with": "caf\u00e9", "a": "\u0000"}',
        '{"ended_with": "cut off',
        "{",
        "[]",
        "null",
        None,
    ],
)
@pytest.mark.parametrize("status", SessionStatus)
def test_list_sessions_has_the_summary_of_the_session(
    db: Database, status: SessionStatus, metadata: str | None
) -> None:
    begin(db)
    sql(db, "UPDATE sessions SET status = :status, node_metadata = :metadata", {"status": status, "metadata": metadata})
    rows = [*read(db, list_sessions).rows, *read(db, recent_rows, 5), read(db, get_session, "s").to_dict()]

    states = [session_state({**row, "reason_codes": ()}, now=T0) for row in rows]

    assert len({state.summary for state in states}) == 1, states
    if status is SessionStatus.FAILED and metadata and "overloaded" in metadata:
        assert states[0].summary == "overloaded"


def test_list_sessions_keeps_one_line_of_the_last_words(db: Database) -> None:
    begin(db)
    write(db, finish_session, "s", SessionStatus.FAILED, detail="no such model\n" + "x" * 1900)

    [row] = read(db, list_sessions).rows

    assert row["metadata"] == {"ended_with": "no such model"}


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


@pytest.mark.parametrize("status", [status for status in SessionStatus if status is not SessionStatus.RUNNING])
def test_finish_session_writes_every_column(db: Database, status: SessionStatus) -> None:
    session, _ = begin(db)
    write(db, finish_session, session, status, exit_code=3, reasons=["run.failed.exit_nonzero"], at=T0 + 60)

    row = read(db, get_session, session)
    assert (row.status, row.ended_at, row.exit_code, row.updated_at) == (status, T0 + 60, 3, T0 + 60)
    assert (row.reason_codes, row.duration_ms) == (("run.failed.exit_nonzero",), 60_000)
