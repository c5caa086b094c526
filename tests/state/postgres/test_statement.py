"""Our one text of SQL becomes PostgreSQL's: placeholders, and nothing that only SQLite needs."""

from __future__ import annotations

import re

import pytest

from lionstudio.state.postgres.open import schema_sql
from lionstudio.state.postgres.statement import ROWS_AT_ONCE, translate_sql
from lionstudio.state.row_values import text_in

TEXTS = {
    "SELECT :a, :b, :a": ("SELECT $1, $2, $1", ("a", "b")),
    "VALUES (?, ?2, ?)": ("VALUES ($1, $2, $3)", ()),
    "SELECT ':a', \"b:c\", x::text -- :d": ("SELECT ':a', \"b:c\", x::text ", ()),
    "SELECT 'it''s ?' || ?": ("SELECT 'it''s ?' || $1", ()),
    "FROM a INDEXED BY i WHERE +b = :b AND +(c) IN (1) OR d + e": (
        "FROM a WHERE b = $1 AND (c) IN (1) OR d + e",
        ("b",),
    ),
    "FROM a CROSS JOIN b ON x": ("FROM a JOIN b ON x", ()),
    "SELECT user, b.user, user_agent, 'user'": ('SELECT "user", b."user", user_agent, \'user\'', ()),
    "SELECT CAST(max(a, 1) * 2 AS INTEGER)": ("SELECT to_integer(max(a, 1) * 2)", ()),
    "SELECT CAST(CAST(a AS INTEGER) AS BLOB)": ("SELECT convert_to(to_integer(a), 'UTF8')", ()),
    "SELECT CAST(a AS TEXT)": ("SELECT CAST(a AS TEXT)", ()),
    "SELECT json_group_array(a)": ("SELECT coalesce(json_agg(a), '[]')", ()),
    "a LIKE :x ESCAPE '\\'": ("a ILIKE $1 ESCAPE '\\'", ("x",)),
    "SELECT json(:a), to_json(b)": ("SELECT json_document($1), to_json(b)", ("a",)),
    f"SELECT {text_in('s.a', '$.b')}": ("SELECT json_text(s.a, '$.b')", ()),
    "DELETE FROM temp.a": ("DELETE FROM pg_temp.a", ()),
}


@pytest.mark.parametrize("sql", TEXTS)
def test_translate_sql(sql: str) -> None:
    statement = translate_sql(sql)

    assert (statement.text, statement.names) == TEXTS[sql]


def test_bind_takes_names_and_positions() -> None:
    assert translate_sql("SELECT :b, :a").bind({"a": 1, "b": 2, "c": 3}) == [2, 1]
    assert translate_sql("SELECT ?, ?").bind((1, 2)) == (1, 2)
    assert translate_sql("SELECT 1").bind({}) is None


def test_several_statements_are_not_prepared() -> None:
    assert translate_sql("SELECT ';';").single
    assert not translate_sql("DELETE FROM a; DELETE FROM b").single


def test_insert_takes_several_rows_at_once() -> None:
    rows = translate_sql("INSERT INTO items (a, b) VALUES (?, ?) ON CONFLICT (a) DO NOTHING").for_rows

    assert rows is not None
    assert rows.startswith("INSERT INTO items (a, b) VALUES ($1, $2), ($3, $4), ")
    assert rows.endswith(f"(${2 * ROWS_AT_ONCE - 1}, ${2 * ROWS_AT_ONCE}) ON CONFLICT (a) DO NOTHING")


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO changes (at, kind) VALUES (?, ?)",  # numbered by its default, row by row
        "INSERT INTO items (a) VALUES (?) ON CONFLICT (a) DO UPDATE SET a = excluded.a",
        "INSERT INTO items (a, b) VALUES (?, 'word')",
        "UPDATE items SET a = ?",
    ],
)
def test_other_statements_take_one_row(text: str) -> None:
    assert translate_sql(text).for_rows is None


def test_no_function_has_the_name_of_newer_syntax() -> None:
    """PostgreSQL 16 and 17 made calls of these names syntax: such a function can no longer be created."""
    syntax = {
        f"json{name}"
        for name in (
            "",
            "_array",
            "_arrayagg",
            "_exists",
            "_object",
            "_objectagg",
            "_query",
            "_scalar",
            "_serialize",
            "_table",
            "_value",
        )
    }

    created = set(re.findall(r"CREATE (?:OR REPLACE )?FUNCTION (\w+)", schema_sql()))

    assert "json_document" in created
    assert not created & syntax
