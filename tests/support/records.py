"""Databases as the design records' own SQL makes them, and a comparison that names every value an upgrade lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from lionstudio.state.backends import is_server, reading

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"

Row = dict[str, Any]
Tables = dict[str, list[Row]]

META = {
    "none": "",
    "column": "CREATE TABLE schema_meta (version INTEGER NOT NULL); INSERT INTO schema_meta VALUES ({version})",
    "rows": "CREATE TABLE schema_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO schema_meta VALUES ('version', '{version}')",
}


class Variant(NamedTuple):
    """Which scripts make the file, and how it says its version."""

    scripts: tuple[str, ...]
    version: int
    meta: str = "column"

    def make(self, path: Path) -> None:
        """Write the file."""
        connection = apsw.Connection(str(path))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(META[self.meta].format(version=self.version))
        for script in self.scripts:
            connection.execute((FIXTURES / f"records_{script}.sql").read_text())
        connection.close()


VARIANTS = {
    "version 1": Variant(("v1",), 1),
    "version 1 in rows": Variant(("v1",), 1, "rows"),
    "version 1 without schema_meta": Variant(("v1",), 1, "none"),
    "before the lifecycle": Variant(("early",), 1),
    "before the lifecycle, without schema_meta": Variant(("early",), 1, "none"),
    "version 2": Variant(("v1", "shows"), 2),
    "version 2 in rows": Variant(("v1", "shows"), 2, "rows"),
    "version 2 without schema_meta": Variant(("v1", "shows"), 2, "none"),
    "with teams": Variant(("v1", "shows", "teams"), 2),
    "by other hands": Variant(("v1", "shows", "teams", "odd"), 2),
}


def dump(path: Path | str) -> Tables:
    """Every row of every table."""
    if is_server(str(path)):
        return _dump_server(str(path))
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1")]
        return {name: _rows(connection, name) for name in names if "_fts" not in name}
    finally:
        connection.close()


_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"


def _dump_server(url: str) -> Tables:
    with reading(url) as conn:
        tables = {name: conn.dicts(f'SELECT * FROM "{name}" ORDER BY 1, 2') for (name,) in conn.all(_TABLES)}  # noqa: S608
    for row in tables["messages"]:
        del row["words"]
    return tables


def _rows(connection: apsw.Connection, table: str) -> list[Row]:
    columns = [row[0] for row in connection.execute("SELECT name FROM pragma_table_xinfo(?)", (table,))]
    found = connection.execute(f'SELECT * FROM "{table}"').fetchall()  # noqa: S608  (names of our own fixtures)
    return [dict(zip(columns, row, strict=True)) for row in found]


# what is recorded about the search index changes when an upgrade fills it
_REBUILT = ("schema_meta", "search_state", "search_dirty", "search_zones")


def changed_values(old: Tables, new: Tables) -> list[str]:
    """Every row that the new file lacks, adds, or has with another value; new tables and columns are ignored."""
    changed = []
    for table, rows in old.items():
        if table in _REBUILT:
            continue
        columns = rows[0].keys() if rows else ()
        kept = [{column: row[column] for column in columns} for row in new[table]]
        if rows == kept:
            continue
        changed += [f"lost in {table}: {row}" for row in rows if row not in kept]
        changed += [f"new in {table}: {row}" for row in kept if row not in rows]
    return changed


KEPT = ("messages", "sessions", "branches", "shows", "plays", "teams", "team_messages")


def lost(old: Tables, new: Tables) -> list[str]:
    """Every value of the old file that is nowhere in the new one."""
    found = [missing for table in KEPT for row in old.get(table, []) for missing in _lost_of_row(table, row, new)]
    found += [f"progression {row['id']}" for row in old["progressions"] if not _kept_progression(row, new)]
    found += [f"message type {row['type_id']}" for row in old["message_types"] if row not in new["message_types"]]
    others = set(old) - {*KEPT, "progressions", "message_types", "schema_meta"}
    found += [f"table {name}" for name in others if old[name] not in (new.get(name), new.get(f"old_{name}"))]
    return found


def _lost_of_row(table: str, row: Row, new: Tables) -> Iterator[str]:
    there = next((found for found in new[table] if found["id"] == row["id"]), None)
    if there is None:
        if row not in new.get(f"stranded_{table}", []):
            yield f"{table} {row['id']}"
        return
    metadata = _object(there["node_metadata"])
    beside = _object(metadata.get("v1"))
    for name, value in row.items():
        kept = (there.get(name), _plain(beside.get(name)))
        if value is None or value in kept or _plain(value) in kept or name == "node_metadata":
            continue
        yield f"{table} {row['id']}.{name}: {value!r}"
    if row.get("node_metadata") is not None and not _kept_metadata(row["node_metadata"], there["node_metadata"]):
        yield f"{table} {row['id']}.node_metadata: {row['node_metadata']!r}"


def _kept_metadata(old: Any, new: Any) -> bool:
    kept, given = _object(new), _object(old)
    if old == new or kept.get("unreadable") == old:
        return True
    beside = _object(kept.pop("v1", None))
    rest = {key: value for key, value in given.items() if key != "v1"}
    return kept == rest and bool(beside.get("v1") == given["v1"] if "v1" in given else rest)


def _kept_progression(row: Row, new: Tables) -> bool:
    rest = {name for name, value in row.items() if value is not None} - {"id", "created_at", "collection"}
    if (row["id"] is None or rest) and row not in new.get("stranded_progressions", []):
        return False
    if row["id"] is None:
        return True
    head = next(found for found in new["progression_heads"] if found["id"] == row["id"])
    items = sorted((item["ord"], item["message_id"]) for item in new["progression_items"] if item["prog"] == head["pk"])
    if head["created_at"] != row["created_at"]:
        return False
    if head["unreadable"] is not None:
        return bool(head["unreadable"] == row["collection"])
    return bool([id_ for _, id_ in items] == json.loads(row["collection"] or "[]"))


def _object(value: Any) -> Row:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return dict(value) if isinstance(value, dict) else {}


def _plain(value: Any) -> Any:
    return value.hex().upper() if isinstance(value, bytes) else value
