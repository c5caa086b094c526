"""The vectors of messages as pgvector has them: a table that triggers keep, where the database has the extension."""

from __future__ import annotations

import os

import psycopg

from lionstudio.state.connection import Connection, plain_errors
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.errors import translate_error

_BATCH = 200  # embeddings that are added while other writes wait: about 0.1 s
VECTOR_COLUMN = """
SELECT has_column_privilege(attrelid, attnum, 'SELECT') AND to_regtype('vector') IS NOT NULL FROM pg_attribute
 WHERE attrelid = to_regclass('message_vectors') AND attname = 'vector'
"""
_MAY_CREATE = """
SELECT to_regtype('vector') IS NOT NULL AND has_schema_privilege(current_schema(), 'CREATE')
       AND pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('messages')
"""
# as it is now, without `$user`, and temporary tables last: for the trigger that acts as the owner
_PATH = """
SELECT set_config('search_path', string_agg(quote_ident(name), ', ') || ', pg_temp', true)
  FROM unnest(current_schemas(false)) name
"""
_FILL = """
WITH batch AS (
  SELECT pk, embedding FROM messages WHERE embedding IS NOT NULL AND pk > :after ORDER BY pk LIMIT :limit
), added AS (
  INSERT INTO message_vectors SELECT b.pk, v FROM batch b, vector_of(b.embedding) v WHERE v IS NOT NULL
  ON CONFLICT DO NOTHING
)
SELECT max(pk) FROM batch
"""


def has_vectors(conn: Connection) -> bool:
    """Whether the table has all vectors, and this role may read them."""
    return bool(conn.value(VECTOR_COLUMN))


def create_vectors(conn: PostgresConnection) -> None:
    """Create and fill the table, where the extension is and this role owns the tables; anew after an interruption."""
    with plain_errors(conn.path):
        if has_vectors(conn) or not conn.value(_MAY_CREATE):
            return
        _create_table(conn)
        last: int | None = 0
        while last is not None:
            with conn.transaction():  # with the write lock: no embedding changes between reading and adding it
                last = conn.value(_FILL, {"after": last, "limit": _BATCH})
        conn.run("ALTER TABLE message_vectors RENAME unfilled TO vector")


def _create_table(conn: PostgresConnection) -> None:
    path = os.path.join(os.path.dirname(__file__), "schema", "vectors.sql")
    try:
        with open(path, encoding="utf-8") as file, conn.pg.transaction():
            conn.pg.execute(_PATH)
            conn.pg.execute(file.read())
    except psycopg.Error as error:
        raise translate_error(error, conn.path) from error
