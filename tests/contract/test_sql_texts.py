"""Every SQL text of the product is prepared on both databases, and both schemas have the same tables and columns."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import apsw.ext
import psycopg
import pytest
from tests.support.postgres_server import PostgresServer

import lionstudio.state
from lionstudio.state.backends import open_writer
from lionstudio.state.connection import Connection
from lionstudio.state.postgres.connection import PostgresConnection
from lionstudio.state.postgres.statement import translate_sql
from lionstudio.state.runs import run_list
from lionstudio.state.upkeep import prune, remove

# `sqlite` and `postgres` hold what only one of them has; the importers of other files read SQLite for ever.
_OWN = ("lionstudio.state.sqlite", "lionstudio.state.postgres", "lionstudio.state.imports.external_")
_WHOLE = re.compile(r"\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s")
# Texts that are completed at run time begin a statement, and end like this.
_BEGINNING = re.compile(r"(?:\b(?:WHERE|AND|FROM|SELECT|IN|BY|ON)|[,(=]|\{\w*\})\s*$", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\{\w*\}(?!')")
_COLUMN_LISTS = {run_list._COLUMNS}
_SQLITE_ONLY = {"search_state", "search_dirty", "search_zones"}
_POSTGRES_ONLY = {"session_texts"}


def modules() -> Iterator[Any]:
    for info in pkgutil.walk_packages(lionstudio.state.__path__, "lionstudio.state."):
        if not info.name.startswith(_OWN):
            yield importlib.import_module(info.name)


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from texts_in(item)


def is_whole(text: str) -> bool:
    """Whether a text is one statement; others are completed at run time, or several at once."""
    return (
        _WHOLE.match(text) is not None
        and _BEGINNING.search(text) is None
        and _PLACEHOLDER.search(text) is None
        and ";" not in text
        and text not in _COLUMN_LISTS
    )


def sql_texts() -> list[Any]:
    """Constants of modules, and literals inside functions."""
    texts: dict[str, str] = {}
    for module in modules():
        name = module.__name__.removeprefix("lionstudio.state.")
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        inline = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
        ]
        constants = [text for key, value in vars(module).items() if key[:2] != "__" for text in texts_in(value)]
        texts |= {text: name for text in (*constants, *inline) if is_whole(text) and text not in texts}
    return [pytest.param(text, id=f"{name}: {' '.join(text.split())[:60]}") for text, name in texts.items()]


def temporary_tables(conn: Connection) -> None:
    """The tables that statements of prune and remove use."""
    conn.execute(prune._TABLES)
    conn.execute(prune._CANDIDATES, {"before": 0.0, "keep_n": 0})
    conn.execute(remove._TABLES)


@pytest.fixture(scope="module")
def postgres(postgres_server: PostgresServer, blank_postgres: str) -> Iterator[psycopg.Connection[Any]]:
    name = postgres_server.create(blank_postgres)
    conn = open_writer(postgres_server.local_url(name))
    assert isinstance(conn, PostgresConnection)
    temporary_tables(conn)
    yield conn.pg
    conn.close()
    postgres_server.drop(name)


@pytest.fixture(scope="module")
def sqlite(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    conn = open_writer(str(shutil.copy(blank, tmp_path_factory.mktemp("texts") / "state.db")))
    temporary_tables(conn)
    yield conn.raw
    conn.close()


@pytest.mark.parametrize("text", sql_texts())
def test_sql_text_is_valid_in_sqlite(sqlite: apsw.Connection, text: str) -> None:
    apsw.ext.query_info(sqlite, text)


@pytest.mark.postgres
@pytest.mark.parametrize("text", sql_texts())
def test_sql_text_is_valid_in_postgres(postgres: psycopg.Connection[Any], text: str) -> None:
    result = postgres.pgconn.prepare(b"", translate_sql(text).text.encode())

    assert result.status == psycopg.pq.ExecStatus.COMMAND_OK, result.error_message.decode()


def test_sql_texts_are_found() -> None:
    assert len(sql_texts()) > 380


_SQLITE_COLUMNS = """
SELECT m.name, x.name FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) x
 WHERE m.type IN ('table', 'view') AND m.name NOT LIKE '%_fts%' AND m.name NOT LIKE 'sqlite_%'
   AND m.name NOT LIKE 'prune_%' AND m.name NOT LIKE 'remove_%'
"""
_POSTGRES_COLUMNS = (
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
)


@pytest.mark.postgres
def test_schemas_have_the_same_tables_and_columns(sqlite: apsw.Connection, postgres: psycopg.Connection[Any]) -> None:
    ours = {row for row in sqlite.execute(_SQLITE_COLUMNS) if row[0] not in _SQLITE_ONLY}
    theirs = {tuple(row) for row in postgres.execute(_POSTGRES_COLUMNS) if row[0] not in _POSTGRES_ONLY}

    assert ours - theirs == set()
    assert theirs - ours == {("messages", "words")}  # the search index is a column there
