"""Pages of runs on a server read a page, not the rows of a filter: the server counts what its plans read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from tests.support.builders import T0
from tests.support.postgres_server import PostgresServer

from lionstudio.state.backends import open_reader
from lionstudio.state.connection import Connection
from lionstudio.state.runs.run_list import PAGE, Filters, list_sessions

pytestmark = pytest.mark.postgres
MANY = 60_000
# without triggers, as a restore: rows alone
_FILL = f"""
ALTER TABLE sessions DISABLE TRIGGER USER;
INSERT INTO sessions (id, created_at, updated_at, started_at, name, agent_name, invocation_kind, source_kind, status)
SELECT 's' || i, {T0} + i, {T0} + i, {T0} + i, 'name ' || i % 900, 'agent ' || i % 7,
       (ARRAY['agent', 'play', 'flow'])[1 + i % 3], 'live', CASE WHEN i % 50 = 0 THEN 'running' ELSE 'completed' END
  FROM generate_series(1, {MANY}) i;
INSERT INTO session_texts (pk, text, created_at)
SELECT pk, lowered(concat_ws(E'\\n', name, agent_name)), created_at FROM sessions;
ALTER TABLE sessions ENABLE TRIGGER USER;
"""  # noqa: S608  (numbers)


@pytest.fixture(scope="module")
def many(postgres_server: PostgresServer, blank_postgres: str) -> Iterator[Connection]:
    name = postgres_server.create(blank_postgres)
    url = postgres_server.local_url(name)
    with psycopg.connect(url, autocommit=True) as pg:
        pg.execute(_FILL)
        pg.execute("VACUUM (ANALYZE) sessions, session_texts")
    conn = open_reader(url)
    yield conn
    conn.close()
    postgres_server.drop(name)


def plans(conn: Connection, filters: Filters) -> list[dict[str, Any]]:
    """The nodes of the plans of a page, as they were executed."""
    sent: list[tuple[str, Any]] = []
    execute = conn.execute

    def noting(sql: str, params: Any = None) -> Any:
        sent.append((sql, params))
        return execute(sql, params)

    conn.execute = noting
    assert len(list_sessions(conn, filters).rows) == PAGE
    conn.execute = execute
    found: list[dict[str, Any]] = []
    for sql, params in sent:
        [(text,)] = conn.all(f"EXPLAIN (ANALYZE, FORMAT json) {sql}", params)
        waiting = [json.loads(text)[0]["Plan"]]
        while waiting:
            found.append(waiting.pop())
            waiting += found[-1].get("Plans", [])
    return found


def rows_read(nodes: list[dict[str, Any]], table: str) -> int:
    scans = (node for node in nodes if node.get("Relation Name") == table)
    return sum(node["Actual Loops"] * (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) for node in scans)


def test_list_by_status_and_kind_reads_a_page(many: Connection) -> None:
    nodes = plans(many, Filters(status="running", kind="flow"))

    assert rows_read(nodes, "sessions") == PAGE + 1


def test_list_by_a_common_text_reads_the_newest_texts(many: Connection) -> None:
    nodes = plans(many, Filters(text="name 17"))

    assert rows_read(nodes, "sessions") == PAGE + 1  # of the page alone
    assert rows_read(nodes, "session_texts") < MANY / 5
    assert max(node["Actual Loops"] for node in nodes if node.get("Relation Name") == "session_texts") == 1


def test_list_by_a_text_and_a_time_reads_the_texts_of_that_time(many: Connection) -> None:
    nodes = plans(many, Filters(text="agent 3", until=T0 + 1000))

    assert rows_read(nodes, "session_texts") <= 1000


def test_page_of_a_text_has_the_order_and_the_rows_of_the_list(many: Connection) -> None:
    first = list_sessions(many, Filters(text="name 17"), limit=70)
    second = list_sessions(many, Filters(text="name 17"), limit=70, cursor=first.next_cursor)
    expected = [f"s{number}" for number in range(MANY, 0, -1) if (number % 900) in {17, *range(170, 180)}]

    assert [row["id"] for row in (*first.rows, *second.rows)] == expected[:140]


def test_text_of_a_session_moves_with_its_time(many: Connection) -> None:
    many.execute("UPDATE sessions SET created_at = 9e9 WHERE id = 's17'")

    assert list_sessions(many, Filters(text="name 17"), limit=1).rows[0]["id"] == "s17"
