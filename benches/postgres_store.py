"""A PostgreSQL server with a large database, kept between runs: building a million rows takes minutes."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path

import psycopg
from tests.support.postgres_server import PostgresServer

from lionstudio.state.backends import open_database
from lionstudio.state.postgres.open import schema_sql

PROJECTS, AGENTS, MACHINES = 30, 7, 20

_SESSIONS = f"""
INSERT INTO sessions (id, created_at, updated_at, started_at, ended_at, name, agent_name, project, invocation_kind,
                      source_kind, status, model, machine_id, message_count, node_metadata)
SELECT 's' || i, 1.7e9 + i, 1.7e9 + i, 1.7e9 + i, CASE WHEN i % 500 > 0 THEN 1.7e9 + i + 9 END, 'name ' || i % 900,
       'agent ' || i % {AGENTS}, 'project ' || (i * 7919::bigint / 13) % {PROJECTS},
       (ARRAY['agent', 'play', 'flow'])[1 + i % 3], 'live',
       CASE WHEN i % 500 = 0 THEN 'running' WHEN i % 11 = 0 THEN 'failed' ELSE 'completed' END, 'model ' || i % 6,
       'machine ' || (i * 104729::bigint / 17) % {MACHINES}, 40,
       CASE WHEN i % 500 > 0 AND i % 11 = 0
            THEN '{{"argv": ["li", "agent", "-a", "builder"], "ended_with": "3 tests failed in test_runs.py"}}' END
  FROM generate_series(1, %s) i
"""  # noqa: S608  (numbers)
_TEXTS = """
INSERT INTO session_texts (pk, text, created_at)
SELECT pk, lowered(concat_ws(E'\\n', name, agent_name, project)), created_at FROM sessions
"""
# what a page looks up for each of its runs
_BRANCHES = """
INSERT INTO branches (id, created_at, session_id, name) SELECT 'b' || pk, created_at, id, 'main' FROM sessions
"""
_TAGS = """
INSERT INTO session_tags (session_id, tag, created_at)
SELECT id, 'tag ' || pk % 50, created_at FROM sessions WHERE pk % 4 = 0
"""
_MACHINES = f"""
INSERT INTO machines (id, name, version, created_at, seen_at)
SELECT 'machine ' || i, 'laptop ' || i, '1', 0, 0 FROM generate_series(0, {MACHINES - 1}) i
"""  # noqa: S608  (a number)
_MESSAGES = """
INSERT INTO messages (id, created_at, content, role, lion_class)
SELECT 'm' || i, 1.7e9 + i, json_build_object('instruction', 'common word ' || i || ' and ' || i %% 977)::text,
       'user', 2
  FROM generate_series(1, %s) i
"""
_INDEXES = """
SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
   AND tablename IN ('sessions', 'session_texts', 'branches', 'session_tags', 'messages')
   AND indexname NOT IN (SELECT conname FROM pg_constraint)
"""


def large_store(rows: int) -> tuple[PostgresServer, str]:
    """A server and the name of its database with so many sessions and so many messages."""
    key = hashlib.sha256(
        (schema_sql() + _SESSIONS + _TEXTS + _BRANCHES + _TAGS + _MACHINES + _MESSAGES).encode()
    ).hexdigest()[:12]
    root = Path(tempfile.gettempdir())  # the path of a socket must be short
    folder = root / f"lion-bench-{os.getuid()}-{rows}-{key}"
    name = f"bench_{rows}"
    if (folder / "built").exists():
        return PostgresServer(folder=str(folder)), name
    for old in root.glob(f"lion-bench-{os.getuid()}-{rows}-*"):
        shutil.rmtree(old)
    started = time.monotonic()
    print(f"  building {rows:,} sessions and messages …", flush=True)
    server = PostgresServer(folder=str(folder))
    try:
        with server.admin() as admin:
            admin.execute(f"CREATE DATABASE {name} OWNER lion TEMPLATE template0")
        open_database(server.url(name)).close()
        with server.admin(name) as admin:
            _fill(admin, rows)
    except BaseException:
        server.close()
        raise
    (folder / "built").touch()
    print(f"  built in {time.monotonic() - started:.0f} s\n", flush=True)
    return server, name


def _fill(admin: psycopg.Connection[tuple[object, ...]], rows: int) -> None:
    """Rows without triggers and indexes, as a restore has them; the indexes follow."""
    admin.execute("SET session_replication_role = replica")
    admin.execute("SET maintenance_work_mem = '256MB'")
    indexes = admin.execute(_INDEXES).fetchall()
    for index, _ in indexes:
        admin.execute(f"DROP INDEX {index}")
    for statement in (
        _SESSIONS.replace("%s", str(rows)),
        _TEXTS,
        _BRANCHES,
        _TAGS,
        _MACHINES,
        _MESSAGES.replace("%%", "%").replace("%s", str(rows)),
    ):
        admin.execute(statement)
    for _, definition in indexes:
        admin.execute(str(definition))
    admin.execute("VACUUM (ANALYZE)")
