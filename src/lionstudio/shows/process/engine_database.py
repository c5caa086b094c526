"""The tables of the engine on a PostgreSQL server, beside those of the state, in a schema of their own.

DBOS needs seconds to create them, and work that is enqueued meanwhile fails: `li hub init` does it before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
import sqlalchemy
from dbos._migration import get_migration_versions
from dbos._serialization import DBOSPortableJSONSerializer
from dbos._sys_db import SystemDatabase

from lionstudio.errors import Busy, WrongVersion
from lionstudio.state.connection import Unavailable
from lionstudio.state.postgres.connection import LET_GO
from lionstudio.state.postgres.errors import translate_error
from lionstudio.state.postgres.open import connect

SCHEMA = "lion_engine"


class EngineVersion(NamedTuple):
    current: int | None  # 0 without tables; None where this role may not read it
    latest: int  # that this installation knows


# DBOS takes tables that the role may not see for tables that are not there
_IS_HIDDEN = "SELECT NOT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = %s"


def check_engine(path: str) -> EngineVersion:
    try:
        with connect(path) as pg:
            is_hidden = pg.execute(_IS_HIDDEN, (SCHEMA,)).fetchone() == (True,)
    except psycopg.Error as error:
        raise translate_error(error, path) from error
    with _engine(path) as engine:
        current, latest = get_migration_versions(engine, SCHEMA, use_listen_notify=True)
    version = EngineVersion(None if is_hidden else current, latest)
    if current > latest:
        raise WrongVersion(
            f"the tables of the engine of {path} are newer than the library dbos here (version {current}, this one "
            f"supports {version.latest})",
            hint="upgrade this installation to the version of the others; is it the same, pip install --upgrade dbos",
        )
    return version


def migrate_engine(path: str) -> None:
    with _engine(path) as engine:
        SystemDatabase.create(
            system_database_url="postgresql://",  # the engine has the connection
            engine_kwargs={},
            engine=engine,
            schema=SCHEMA,
            serializer=DBOSPortableJSONSerializer(),
            executor_id=None,
        ).run_migrations()


def make_connections(path: str, **options: Any) -> sqlalchemy.Engine:
    """Connections of ours: DBOS never sees the password."""

    def open_connection() -> object:
        try:
            pg = connect(path)
        except (Unavailable, Busy) as error:
            # as the library says it: DBOS then waits for the server, where any other error would end the workflow
            raise psycopg.OperationalError(f"connection failed: {error.message}") from error
        if pg.info.parameter_status("in_hot_standby") == "on":  # it waits for the primary in the same way
            pg.close()
            raise psycopg.OperationalError("connection failed: the server is a standby")
        pg.execute(LET_GO)
        pg.autocommit = False
        return pg

    return sqlalchemy.create_engine("postgresql+psycopg://", creator=open_connection, pool_pre_ping=True, **options)


@contextmanager
def _engine(path: str) -> Iterator[sqlalchemy.Engine]:
    engine = make_connections(path)
    try:
        yield engine
    except sqlalchemy.exc.DBAPIError as error:
        if isinstance(error.orig, psycopg.OperationalError):
            raise translate_error(error.orig, path) from error
        raise
    finally:
        engine.dispose()
