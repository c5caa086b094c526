"""Open a PostgreSQL database: connect, check the server and the schema, create or upgrade it under a lock."""

from __future__ import annotations

import os
import re
from shlex import quote
from typing import Any

import psycopg

from lionstudio.errors import InvalidInput, LionError, NotFound, WrongVersion
from lionstudio.settings import passwords_of
from lionstudio.state.connection import Row, plain_errors
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.errors import refused_connection, translate_error
from lionstudio.state.sqlite.open import LINEAGE, SCHEMA_VERSION, NeedsUpgrade

OLDEST_SERVER = 140000
_CONNECT_SECONDS = 10
_TEXT_COLUMN = re.compile(r'^(  (?:\w+|"user") text)\b', re.MULTILINE)
_LOCK = "SELECT pg_advisory_xact_lock(6018330531746412)"  # not that of writes: an upgrade takes longer
# A server whose machine or network is gone is noticed within a minute; an address may say otherwise.
_KEEPALIVES: dict[str, Any] = {
    "keepalives_idle": 20,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 50_000,
}


def connect(path: str, kind: type[psycopg.Connection[Row]] = psycopg.Connection) -> psycopg.Connection[Row]:
    """A connection in autocommit mode: transactions are begun by statements of ours."""
    try:
        pg = kind.connect(
            path,
            **passwords_of(path),
            **{name: value for name, value in _KEEPALIVES.items() if name not in path},
            autocommit=True,
            connect_timeout=getattr(kind, "CONNECT_SECONDS", _CONNECT_SECONDS),
            application_name="lion-studio",
            client_encoding="UTF8",
        )
    except psycopg.OperationalError as error:
        raise refused_connection(error, path) from None
    except psycopg.Error:  # its message may quote the whole address
        raise InvalidInput(
            f"{path} is not a valid address of a database",
            hint="write it as postgresql://USER@HOST/DATABASE, with options of PostgreSQL only",
        ) from None
    version = pg.info.server_version
    if version < OLDEST_SERVER:
        pg.close()
        raise WrongVersion(
            f"the server of {path} is PostgreSQL {version // 10000}; version 14 or newer is needed",
            hint="upgrade the server, or use another one",
        )
    return pg


def open_writer(path: str, *, create: bool = True, upgrade: bool = False) -> PostgresConnection:
    """A connection that may write; the schema is created first. Only `li hub init` upgrades one: others use it."""
    from lionstudio.model.redaction.process import read_environment  # readers do without it

    read_environment()
    from lionstudio.state.postgres.append import append_by_call

    conn = PostgresConnection(connect(path), path, writer=True)
    conn.appender = append_by_call
    try:
        with plain_errors(path):
            current = version_of(conn)
        if current is None and not create:
            raise _no_schema(path)
        check_known(path, current)
        if current is not None and not upgrade:
            _check_current(path, current)
        if current != SCHEMA_VERSION:
            _bring_up_to_date(conn)
        with plain_errors(path):
            conn.be_patient()
    except BaseException:
        conn.close()
        raise
    return conn


def open_reader(path: str) -> PostgresConnection:
    conn = PostgresConnection(connect(path), path)
    try:
        with plain_errors(path):
            current = version_of(conn)
        if current is None:
            raise _no_schema(path)
        _check_current(path, current)
    except BaseException:
        conn.close()
        raise
    return conn


def _check_current(path: str, version: int) -> None:
    if version < SCHEMA_VERSION:
        raise NeedsUpgrade(
            f"{path} has schema version {version}, older than {SCHEMA_VERSION}, and serves others too",
            hint="use the version of the others, or after upgrading all Studios: li hub init",
        )


def _no_schema(path: str) -> LionError:
    return NotFound(f"database {path} has no tables yet", hint=f"li hub init {quote(path)}")


# One statement for all questions: another process may create the schema between two. And three settings: compiling a
# statement takes longer than any of ours runs; readers plan each statement for its values, because a list by a rare
# value needs another plan than by a common one; and the server's default price of a random page is that of a disk that
# turns, for which the planner reads all runs with one status instead of a page of those with a status and a kind.
_VERSION = """
SELECT to_regclass('schema_meta') IS NOT NULL,
       (SELECT count(*) FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace
           AND c.relkind IN ('r', 'p', 'v', 'm')
           AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')),
       pg_backend_pid(), (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()),
       set_config('jit', 'off', false), set_config('plan_cache_mode', :plans, false),
       set_config('random_page_cost', least(current_setting('random_page_cost')::real, 2)::text, false)
"""


def version_of(conn: PostgresConnection) -> int | None:
    """The schema version, None for a database without tables."""
    plans = "auto" if conn.is_writer else "force_custom_plan"
    answers = conn.one(_VERSION, {"plans": plans}) or (0, 0, 0, None)
    has_version, tables, session, conn.session_since = answers[:4]
    if session != conn.pg.info.backend_pid:
        # a pooler is between, which may give each transaction another session, without our prepared statements
        conn.pooled, conn.pg.prepare_threshold = True, None
    if not has_version:
        if tables:
            raise _foreign(conn.path)
        return None
    try:
        row = conn.pg.execute("SELECT version, lineage FROM schema_meta ORDER BY version DESC LIMIT 1").fetchone()
    except psycopg.ProgrammingError:
        raise _foreign(conn.path) from None
    except psycopg.Error as error:
        raise translate_error(error, conn.path) from error
    if row is None or row[1] != LINEAGE:
        raise _foreign(conn.path)
    return int(row[0])


def _foreign(path: str) -> LionError:
    return WrongVersion(
        f"{path} is the database of another program; it was not changed",
        hint="create a database for Lion Studio alone, and use its address",
    )


def check_known(path: str, version: int | None) -> None:
    if version is not None and version > SCHEMA_VERSION:
        raise WrongVersion(
            f"{path} was written by a newer Lion Studio (schema version {version}, this one supports "
            f"{SCHEMA_VERSION}); reading works, writing does not",
            hint="upgrade this installation: `git pull && make studio` in its checkout, or install the newer wheel",
        )


def _bring_up_to_date(conn: PostgresConnection) -> None:
    """Create or upgrade the schema in one transaction; a process that comes second finds it done."""
    try:
        with plain_errors(conn.path), conn.pg.transaction():
            conn.pg.execute(_LOCK)
            current = version_of(conn)
            check_known(conn.path, current)
            if current is None:
                conn.pg.execute(schema_sql(conn.value("SELECT quote_ident(current_schema())")))
            elif current < SCHEMA_VERSION:
                from lionstudio.state.postgres import migrate

                migrate.upgrade(conn, current)
    except psycopg.Error as error:
        raise translate_error(error, conn.path) from error


# Functions that generated columns and indexes call. A restore of a dump computes those with an empty search path, so
# the functions name each other with their schema.
_STORED = re.compile(
    r"(?<!FUNCTION )(?<![\w.])"
    r"((?:lowered|unaccented|to_integer|words_of|json_(?:of|hidden|shown|plain|path|part|type|valid|extract))\()"
)


def schema_sql(schema: str = "public") -> str:
    """The schema of a new database, with its version."""
    folder = os.path.join(os.path.dirname(__file__), "schema")
    texts = []
    for name in ("functions.sql", "schema.sql", "triggers.sql", "append.sql"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            texts.append(file.read())
    texts[0] = _STORED.sub(lambda call: f"{schema}.{call[1]}", texts[0])
    texts[1] = _TEXT_COLUMN.sub(r'\1 COLLATE "C"', texts[1])
    version = f"INSERT INTO schema_meta (version, lineage) VALUES ({SCHEMA_VERSION}, '{LINEAGE}');\n"  # noqa: S608  (both are ours)
    return "\n".join([*texts, version])
