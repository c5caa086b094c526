"""Findings of the doctor about a server: its settings, long transactions, bloat, and what it lacks."""

from __future__ import annotations

from collections.abc import Iterator

from lionstudio.state.postgres.checks.server import describe_server, list_shortfalls
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.upkeep.findings import Finding

_LONG_SECONDS = 300
_MOST = 20
_DEAD_ROWS = 100_000
_OLDEST_AGE = 1_500_000_000  # transactions; the server stops at 2.1 billion


def examine_server(conn: PostgresConnection, *, deep: bool) -> Iterator[Finding]:
    yield _facts(conn, deep)
    for shortfall in list_shortfalls(conn):
        severity = "warning" if shortfall.code.startswith("pooler") else "info"
        yield Finding(
            severity, f"server.{shortfall.code}", "server", f"{shortfall.missing}: {shortfall.effect}", shortfall.advice
        )
    yield from _settings(conn)
    yield from _transactions(conn)
    yield from _bloat(conn)


_FACTS = "SELECT (SELECT max(version) FROM schema_meta), pg_size_pretty(pg_database_size(current_database()))"


def _facts(conn: PostgresConnection, deep: bool) -> Finding:
    server = describe_server(conn)
    version, size = conn.one(_FACTS) or (None, "")
    extensions = f", extensions {', '.join(server.extensions)}" if server.extensions else ""
    return Finding(
        "info",
        "server.facts",
        "server",
        f"PostgreSQL {server.version}, {server.encoding}, locale {server.ctype}{extensions}, schema version {version}, "
        f"{size}; checks of the file are left out, because the server keeps its files itself",
        "check its tables and indexes with pg_amcheck" if deep else "",
    )


_SETTINGS = """
SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'),
       current_setting('autovacuum'), current_setting('max_connections'),
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
       (SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database())
"""
_NEARLY_ALL = 0.9


def _settings(conn: PostgresConnection) -> Iterator[Finding]:
    fsync, full_pages, commit, autovacuum, most, used, age = conn.one(_SETTINGS) or (None,) * 7
    if "off" in (fsync, full_pages):
        name = "fsync" if fsync == "off" else "full_page_writes"
        yield Finding(
            "error",
            "server.not_durable",
            "server",
            f"{name} is off: a power cut may damage the database",
            f"set {name} = on in postgresql.conf, and reload the server",
        )
    if commit == "off":
        yield Finding(
            "warning",
            "server.commit_not_awaited",
            "server",
            "synchronous_commit is off: a crash of the server may lose the last messages that were acknowledged",
            "set synchronous_commit = on in postgresql.conf, and reload the server",
        )
    if autovacuum == "off":
        yield Finding(
            "warning",
            "server.autovacuum_off",
            "server",
            "autovacuum is off: deleted rows stay, and plans of queries become worse",
            "set autovacuum = on in postgresql.conf, and reload the server",
        )
    if used >= _NEARLY_ALL * int(most):
        yield Finding(
            "warning",
            "server.connections",
            "server",
            f"{used} of {most} connections are in use",
            "raise max_connections, or close other programs",
        )
    if age > _OLDEST_AGE:
        yield Finding(
            "error",
            "server.wraparound",
            "server",
            f"the oldest transaction is {age:,} transactions old; at 2.1 billion the server stops writing",
            "end long transactions, then run VACUUM in the database",
        )


_TRANSACTIONS = """
SELECT pid, coalesce(usename, ''), coalesce(application_name, ''), coalesce(state, 'unknown'),
       extract(epoch FROM now() - xact_start)::bigint
  FROM pg_stat_activity
 WHERE xact_start < now() - make_interval(secs => :seconds) AND backend_type = 'client backend'
   AND (datname = current_database() OR backend_xmin IS NOT NULL)
 ORDER BY xact_start LIMIT :most
"""


def _transactions(conn: PostgresConnection) -> Iterator[Finding]:
    for pid, user, program, state, seconds in conn.all(_TRANSACTIONS, {"seconds": _LONG_SECONDS, "most": _MOST}):
        yield Finding(
            "warning",
            "server.long_transaction",
            f"session {pid} of {user or 'another role'}",
            f"{program or 'a program'} has had a transaction open for {seconds // 60} min ({state}); deleted rows stay "
            "until it ends",
            f"end it: psql -c 'SELECT pg_terminate_backend({pid})'",
        )


_BLOAT = """
SELECT relname, n_live_tup, n_dead_tup FROM pg_stat_user_tables
 WHERE n_dead_tup > :dead AND n_dead_tup > n_live_tup / 2 ORDER BY n_dead_tup DESC LIMIT :most
"""


def _bloat(conn: PostgresConnection) -> Iterator[Finding]:
    for table, live, dead in conn.all(_BLOAT, {"dead": _DEAD_ROWS, "most": _MOST}):
        yield Finding(
            "warning",
            "server.bloat",
            f"table {table}",
            f"{dead:,} deleted rows beside {live:,} live ones",
            "`li state vacuum`",
        )
