"""Every table and column is named in docs/reference/schema.md."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from lionstudio.state.sqlite.open import schema_sql

DOC = (Path(__file__).parents[2] / "docs" / "reference" / "schema.md").read_text(encoding="utf-8")


def _columns() -> list[tuple[str, str]]:
    conn = apsw.Connection(":memory:")
    conn.execute(schema_sql())
    shadow = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE '%\\_fts%' ESCAPE '\\'"
    tables = [str(row[0]) for row in conn.execute(shadow) if not str(row[0]).startswith("sqlite_")]
    return [
        (table, str(column[0]))
        for table in tables
        for column in conn.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))
    ]


@pytest.mark.parametrize(("table", "column"), _columns())
def test_column_is_documented(table: str, column: str) -> None:
    assert f"**{table}**" in DOC, f"docs/reference/schema.md does not describe the table {table}"
    assert f"`{column}`" in DOC, f"docs/reference/schema.md does not name {table}.{column}"
