"""The server of a hub: refuse one that cannot be a hub, list the shortfalls of the others with their effect."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from shlex import quote
from typing import NamedTuple

import psycopg

from lionstudio.errors import InvalidInput, LionError, StorageFailed
from lionstudio.state.connection import Row, ServerError
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.errors import translate_error
from lionstudio.state.postgres.open import check_known, connect, open_writer, version_of
from lionstudio.state.postgres.vectors import VECTOR_COLUMN, create_vectors


class Extension(NamedTuple):
    """An optional extension: what works less well without it, and how the server gets it."""

    effect: str
    install: str


EXTENSIONS = {
    "pg_trgm": Extension(
        "filtering runs by a part of their name reads every run", "install the server's contrib package"
    ),
    "vector": Extension(
        "semantic search sends every embedding in its scope to the client, and is slow from about 10,000 messages on",
        "install pgvector on the server (the package postgresql-NN-pgvector, for version NN of the server)",
    ),
}
_PROBES = 3
_LOCK_SECONDS = 0.2


class Server(NamedTuple):
    version: str
    encoding: str
    collate: str
    ctype: str
    extensions: tuple[str, ...]


class Shortfall(NamedTuple):
    """Something that the server lacks: what then works less well, and what to do about it."""

    code: str
    missing: str
    effect: str
    advice: str


@contextmanager
def connected(path: str) -> Iterator[PostgresConnection]:
    """A connection for checks; it neither needs nor creates the schema."""
    conn = PostgresConnection(connect(path), path)
    try:
        yield conn
    except ServerError as error:
        raise error.ours from error
    except psycopg.Error as error:
        raise translate_error(error, path) from error
    finally:
        conn.close()


_TRY_INIT_LOCK = "SELECT pg_try_advisory_xact_lock(6018330531746413)"


@contextmanager
def init_lock(path: str) -> Iterator[None]:
    """One `li hub init` at a time, also behind a pooler: the lock belongs to a transaction that stays open."""
    with connected(path) as conn:
        conn.pg.execute("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0")
        # tried again and again, never prepared: a statement that waits, or that was prepared (as psycopg does with one
        # that it sees often), keeps its snapshot, and an index that is built meanwhile waits for it
        while not conn.pg.execute(_TRY_INIT_LOCK, prepare=False).fetchall()[0][0]:
            time.sleep(_LOCK_SECONDS)
        yield


_SERVER = """
SELECT current_setting('server_version'), pg_encoding_to_char(encoding), datcollate, datctype
  FROM pg_database WHERE datname = current_database()
"""


def describe_server(conn: PostgresConnection) -> Server:
    version, encoding, collate, ctype = conn.one(_SERVER) or ("unknown",) * 4
    installed = conn.all("SELECT extname FROM pg_extension ORDER BY extname")
    names = tuple(name for (name,) in installed if name in EXTENSIONS)
    return Server(version.partition(" ")[0], encoding, collate, ctype, names)


_KIND = "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on', current_database()"


def check_required(conn: PostgresConnection) -> int | None:
    """Refuse a server or a database that cannot be a hub; returns its schema version, None without tables."""
    path = conn.path
    server = describe_server(conn)
    in_recovery, read_only, database = conn.one(_KIND) or (None,) * 3
    if in_recovery or read_only:
        raise StorageFailed(
            f"{path} is read-only{' (a standby server)' if in_recovery else ''}",
            hint="use the address of the primary server" if in_recovery else "use a role that may write",
        )
    if server.encoding != "UTF8":
        raise InvalidInput(
            f"{path} has the encoding {server.encoding}; a hub needs UTF8",
            hint=f"createdb --template template0 --encoding UTF8 --locale C.UTF-8 NAME, instead of {database}",
        )
    version = version_of(conn)
    check_known(path, version)
    return version


_RIGHTS = """
SELECT current_schema(), current_user, current_database(), has_database_privilege(current_database(), 'CREATE'),
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)
"""


_OWNER = """
SELECT pg_get_userbyid(relowner), pg_has_role(relowner, 'USAGE'), current_user
  FROM pg_class WHERE oid = to_regclass('schema_meta')
"""


def check_rights(conn: PostgresConnection) -> None:
    """Refuse a role that may not create or upgrade the tables."""
    owner, is_owner, role = conn.one(_OWNER) or (None, True, None)
    if not is_owner:
        raise StorageFailed(
            f"{conn.path} needs an upgrade, and the role {role} does not own its tables",
            hint=f"connect as {owner}, who owns them, and run: li hub init",
        )
    schema, role, database, may_create, may_create_tables = conn.one(_RIGHTS) or (None,) * 5
    if not may_create:
        raise _no_right(conn.path, role, database, f'GRANT CREATE ON DATABASE "{database}" TO "{role}"')
    if not may_create_tables:
        raise _no_right(conn.path, role, database, f'GRANT CREATE ON SCHEMA {schema or "public"} TO "{role}"')


def _no_right(path: str, role: str, database: str, grant: str) -> LionError:
    return StorageFailed(
        f"the role {role} may not create tables in {path}",
        hint=f"make it the owner of the database, or as its owner: psql -d {quote(database)} -c {quote(grant)}",
    )


_AVAILABLE = """
SELECT name, installed_version IS NOT NULL FROM pg_available_extensions WHERE name IN ('pg_trgm', 'vector')
"""


def add_extensions(conn: PostgresConnection) -> None:
    """Add the optional extensions that the server has; one that needs a superuser is listed as missing instead."""
    for name, installed in conn.all(_AVAILABLE):
        if not installed:
            with suppress(psycopg.errors.InsufficientPrivilege):
                conn.pg.execute(f"CREATE EXTENSION IF NOT EXISTS {name}")
    if conn.value("SELECT to_regproc('index_session_texts') IS NOT NULL"):  # the tables are older than the extension
        conn.pg.execute("SELECT index_session_texts()")


_LACKS_VECTORS = f"SELECT to_regclass('messages') IS NOT NULL AND NOT EXISTS ({VECTOR_COLUMN})"


# What searches do, rather than the name of a locale: letters in one case are those of ICU where the server has it.
_LOCALE = """
SELECT to_tsvector('simple', '“word”') @@ to_tsquery('simple', 'word'),
       lower('Ä') = 'ä' OR EXISTS (SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu'), 'a' > 'B'
"""


# the default of servers before version 15: a function that fits better than the server's own is run in its place
_OPEN_SCHEMA = """
SELECT n.nspname, d.datname, pg_get_userbyid(d.datdba)
  FROM pg_namespace n, aclexplode(n.nspacl) a, pg_database d
 WHERE n.nspname = current_schema() AND a.grantee = 0 AND a.privilege_type = 'CREATE'
   AND d.datname = current_database()
"""


def list_shortfalls(conn: PostgresConnection) -> Iterator[Shortfall]:
    """List shortfalls of a server that can be a hub."""
    available: dict[str, int] = dict(conn.all(_AVAILABLE))
    for name, (effect, install) in EXTENSIONS.items():
        if name not in available:
            yield Shortfall(f"extension.{name}", f"the extension {name} is not on the server", effect, install)
        elif not available[name]:
            database = quote(conn.value("SELECT current_database()"))
            create = f"psql -d {database} -c 'CREATE EXTENSION {name}'"
            advice = f"`li hub init` adds it; where it may not, as a superuser: {create}, and then `li hub init`"
            yield Shortfall(f"extension.{name}", f"the extension {name} is not in the database", effect, advice)
        elif name == "vector" and conn.value(_LACKS_VECTORS):
            missing = "the extension vector is in the database, but the embeddings are not ready for it"
            advice = "run `li hub init` as the owner of the tables, with the schema of the extension in its search_path"
            yield Shortfall("extension.vector", missing, effect, advice)
    splits_words, folds_case, in_byte_order = conn.one(_LOCALE) or (True, True, True)
    new_database = "create the database with --template template0 --locale C.UTF-8, and restore a dump into it"
    effects = [
        *([] if splits_words else ["a search for word does not find “word” in typographic quotes"]),
        *([] if folds_case else ["a search for über does not find Über"]),
    ]
    if effects:
        missing = "the locale of the database knows no letters outside ASCII"
        yield Shortfall("locale.ctype", missing, ", and ".join(effects), new_database)
    if not in_byte_order:
        yield Shortfall(
            "locale.collate",
            "the locale of the database does not sort by bytes",
            "nothing of ours, whose columns have their own order; an upgrade of the server's system may ask to reindex",
            new_database,
        )
    if (is_open := conn.one(_OPEN_SCHEMA)) is not None:
        schema, database, owner = is_open
        close = f'REVOKE CREATE ON SCHEMA "{schema}" FROM PUBLIC; GRANT CREATE ON SCHEMA "{schema}" TO "{owner}"'
        yield Shortfall(
            "schema.open",
            f"every role may create functions in the schema {schema}",
            f"one that may only push, such as `laptops`, can have {owner} run its own, and so do what {owner} may",
            f"as a superuser: psql -d {quote(database)} -c {quote(close)}",
        )
    if is_pooled(conn.path):
        yield Shortfall(
            "pooler.transaction",
            "a pooler in transaction mode is between us and the server",
            "nothing wakes the pages, which look 20 times a second instead",
            "use the server's own port, or pool_mode = session",
        )


def is_pooled(path: str) -> bool:
    """Whether two connections share one session of the server, as behind pgbouncer in transaction mode."""
    for _ in range(_PROBES):
        with connected(path) as first, connected(path) as second:
            session = _session_of(first.pg)
            second.pg.execute("BEGIN")
            if _session_of(second.pg) == session:
                return True
    return False


def _session_of(pg: psycopg.Connection[Row]) -> int:
    row = pg.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return int(row[0])


def bring_state_up_to_date(path: str) -> None:
    open_writer(path, upgrade=True).close()


def add_vectors(path: str) -> None:
    """Let pgvector compute distances, where the database has it; takes a minute or two for 100,000 embeddings."""
    conn = open_writer(path, create=False)
    try:
        create_vectors(conn)
    finally:
        conn.close()
