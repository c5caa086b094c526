"""Which database a path names: a SQLite file, or a PostgreSQL server by its URL. The only module that asks.

PostgreSQL's library is an extra (`lion-studio[postgres]`), and is loaded only for a URL.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lionstudio.errors import InvalidInput
from lionstudio.settings import is_url, without_password
from lionstudio.state.connection import LIBRARY_ERRORS, Connection, translate

if TYPE_CHECKING:
    from lionstudio.state.database import Database
    from lionstudio.state.sqlite.tail import Tail


def is_server(path: str) -> bool:
    return is_url(path)


def exists(path: str) -> bool:
    """Whether there may be a database: a server is asked when it is opened."""
    return is_url(path) or os.path.exists(path)


def identity_of(path: str) -> tuple[int, int] | None:
    """Device and inode of the file at a path, None when there is none; never opens the file. A server stays itself."""
    if is_url(path):
        return 0, 0
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def open_database(path: str, *, create: bool = True, long_lived: bool = False) -> Database:
    if is_url(path):
        require_library()
        from lionstudio.state.postgres.database import PostgresDatabase

        return PostgresDatabase(without_password(path), create=create, long_lived=long_lived)
    from lionstudio.state.database import Database

    return Database(path, create=create, long_lived=long_lived)


def open_reader(path: str) -> Connection:
    if is_url(path):
        require_library()
        from lionstudio.state.postgres.open import open_reader as open_postgres

        return open_postgres(without_password(path))
    from lionstudio.state.sqlite.open import open_reader as open_sqlite

    return open_sqlite(path)


def open_writer(path: str, *, create: bool = True) -> Connection:
    if is_url(path):
        require_library()
        from lionstudio.state.postgres.open import open_writer as open_postgres

        return open_postgres(without_password(path), create=create)
    from lionstudio.state.sqlite.open import open_writer as open_sqlite

    return open_sqlite(path, create=create)


def open_tail(path: str, after: int | None = None, *, watched: bool = True) -> Tail:
    if is_url(path):
        require_library()
        from lionstudio.state.postgres.tail import PostgresTail

        return PostgresTail(without_password(path), after, watched=watched)
    from lionstudio.state.sqlite.tail import Tail

    return Tail(path, after, watched=watched)


@contextmanager
def reading(path: str) -> Iterator[Connection]:
    """One read-only connection, for commands that read once."""
    conn = open_reader(path)
    try:
        yield conn
    except LIBRARY_ERRORS as error:
        raise translate(error, path) from error
    finally:
        conn.close()


def text_filter(conn: Connection) -> Any:
    """The module that filters run lists by text."""
    if is_url(conn.path):
        from lionstudio.state.postgres import text_filter

        return text_filter
    from lionstudio.state.sqlite import text_filter as sqlite_text_filter

    return sqlite_text_filter


def count_unindexed(conn: Connection) -> int:
    """The approximate number of messages that are not indexed for search yet."""
    if is_url(conn.path):
        return int(fulltext(conn).count_unindexed(conn))
    from lionstudio.state.sqlite.maintenance import count_unindexed as count

    return count(conn)


def fulltext(conn: Connection) -> Any:
    """The module that finds messages by their words."""
    if is_url(conn.path):
        from lionstudio.state.postgres import fulltext

        return fulltext
    from lionstudio.state.sqlite import fulltext as sqlite_fulltext

    return sqlite_fulltext


def maintenance(path: str) -> Any:
    """The module with statistics and upkeep of a database."""
    if is_url(path):
        from lionstudio.state.postgres import maintenance

        return maintenance
    from lionstudio.state.sqlite import maintenance as sqlite_maintenance

    return sqlite_maintenance


def window_sql(conn: Connection) -> str | None:
    """The statement of a page of messages, where the database builds JSON in its own way."""
    if is_url(conn.path):
        from lionstudio.state.postgres.window import WINDOW

        return WINDOW
    return None


def require_library() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise InvalidInput(
            "a database on a server needs the extra `postgres`", hint="pip install 'lion-studio[postgres]'"
        ) from None
