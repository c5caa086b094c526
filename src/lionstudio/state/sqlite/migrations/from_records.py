"""Migrate a database with the design records' own schema (v1, or v2 with shows).

Columns that came late are added first, so that one literal script can copy every table. Values that the copy would
change or drop (unknown columns, values outside a vocabulary, dangling references) are kept in the row's metadata under
`v1`; rows that fit into no table stay in tables named stranded_*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import resources

from lionstudio.crash import point
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.open import schema_sql

# Every table of the records with the columns the script reads; the first is its key.
TABLES: Mapping[str, tuple[str, ...]] = {
    "message_types": ("type_id", "lion_class"),
    "messages": (
        "id",
        "created_at",
        "node_metadata",
        "content",
        "embedding",
        "sender",
        "recipient",
        "channel",
        "role",
        "lion_class",
    ),
    "progressions": ("id", "created_at", "collection"),
    "sessions": (
        "id",
        "created_at",
        "node_metadata",
        "name",
        "user",
        "progression_id",
        "first_msg_id",
        "last_msg_id",
        "updated_at",
        "playbook_name",
        "agent_name",
        "invocation_kind",
        "show_topic",
        "show_play_name",
        "artifacts_path",
        "source_kind",
        "status",
        "started_at",
        "ended_at",
        "last_message_at",
    ),
    "branches": ("id", "created_at", "node_metadata", "user", "name", "session_id", "progression_id", "system_msg_id"),
    "shows": (
        "id",
        "topic",
        "goal",
        "repo",
        "base_branch",
        "integration_branch",
        "status",
        "status_source",
        "show_dir",
        "created_at",
        "updated_at",
    ),
    "plays": (
        "id",
        "show_id",
        "name",
        "playbook",
        "effort",
        "status",
        "attempt",
        "session_id",
        "started_at",
        "ended_at",
        "exit_code",
        "worktree",
        "branch",
        "merge_sha",
        "merged_at",
        "gate_passed",
        "gate_feedback",
        "depends_on",
        "sort_order",
        "created_at",
        "updated_at",
    ),
    "teams": ("id", "name", "created_at", "updated_at", "member_count", "members", "node_metadata", "status"),
    "team_messages": (
        "id",
        "team_id",
        "created_at",
        "sender",
        "recipient",
        "content",
        "summary",
        "read_by",
        "session_id",
    ),
}
# Values that may be replaced; the original is then kept under `v1`.
_GUARDED: Mapping[str, tuple[str, ...]] = {
    "messages": ("lion_class", "created_at"),
    "sessions": (
        "progression_id",
        "first_msg_id",
        "last_msg_id",
        "invocation_kind",
        "source_kind",
        "status",
        "created_at",
        "updated_at",
        "started_at",
        "ended_at",
        "last_message_at",
    ),
    "branches": ("progression_id", "system_msg_id", "created_at"),
    "shows": ("status", "created_at", "updated_at"),
    "plays": (
        "status",
        "session_id",
        "started_at",
        "ended_at",
        "merged_at",
        "created_at",
        "updated_at",
        "attempt",
        "exit_code",
        "gate_passed",
        "sort_order",
    ),
    "teams": ("created_at", "updated_at", "member_count"),
    "team_messages": ("session_id", "created_at"),
}
_NOT_NULL = ("created_at", "updated_at", "attempt", "sort_order", "member_count")
_INTEGERS = ("attempt", "exit_code", "gate_passed", "sort_order", "member_count")
_NEW_NAMES = ("schema_meta", "definitions", "changes", "mailboxes", "read_positions")


def migrate(conn: Connection) -> None:
    """Rename, create, copy, drop; the caller holds the transaction."""
    for table, columns in TABLES.items():
        _rename_old(conn, table, columns)
    for table in _NEW_NAMES:
        if _columns(conn, table):
            conn.execute(f'ALTER TABLE "{table}" RENAME TO "old_{table}"')
    _drop_old_names(conn)
    conn.execute(schema_sql())
    # rows of old files have no status history: it is not known when and why they changed
    paused = conn.all("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name GLOB '*_transition_insert'")
    for name, _ in paused:
        conn.execute(f"DROP TRIGGER {_quoted(name)}")
    conn.execute(resources.files(__package__).joinpath("from_records.sql").read_text(encoding="utf-8"))
    for _, sql in paused:
        conn.execute(sql)
    point("migrate.copied")
    for table, columns in _GUARDED.items():
        _make_numbers(conn, table, columns)
        _keep_lost_values(conn, table, columns)
    for table in TABLES:
        _keep_stranded(conn, table)
        conn.execute(f'DROP TABLE "old_{table}"')
    conn.execute("DROP TABLE IF EXISTS old_schema_meta")


def _drop_old_names(conn: Connection) -> None:
    """Drop the indexes and triggers of the renamed tables: the new schema needs their names."""
    for table in (*TABLES, *_NEW_NAMES):
        rows = conn.all(
            "SELECT type, name FROM sqlite_schema"
            " WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND tbl_name = 'old_' || :table",
            {"table": table},
        )
        for kind, name in rows:
            conn.execute(f"DROP {kind} {_quoted(name)}")


def _rename_old(conn: Connection, table: str, columns: tuple[str, ...]) -> None:
    have = _columns(conn, table)
    if not have:
        conn.execute(f'CREATE TABLE "old_{table}" ({", ".join(columns)})')
        return
    conn.execute(f'ALTER TABLE "{table}" RENAME TO "old_{table}"')
    for column in columns:
        if column not in have:
            conn.execute(f'ALTER TABLE "old_{table}" ADD COLUMN "{column}"')


def _make_numbers(conn: Connection, table: str, columns: tuple[str, ...]) -> None:
    """Convert text in number columns: a date becomes seconds, anything else NULL or 0."""
    for name in columns:
        if not name.endswith("_at") and name not in _INTEGERS:
            continue
        read = f"(julianday({name}) - 2440587.5) * 86400.0" if name.endswith("_at") else "NULL"
        conn.execute(
            f"""UPDATE "{table}" SET {name} = coalesce({read}, {"0" if name in _NOT_NULL else "NULL"})
                 WHERE typeof({name}) IN ('text', 'blob')"""
        )


# The metadata as an object that can hold `v1`, whatever it was before.
_OBJECT = """
CASE WHEN n.node_metadata IS NULL THEN '{}'
     WHEN NOT json_valid(n.node_metadata) THEN json_object('unreadable', CAST(n.node_metadata AS TEXT))
     WHEN json_type(n.node_metadata) <> 'object' THEN json_object('unreadable', CAST(n.node_metadata AS TEXT))
     WHEN coalesce(json_type(n.node_metadata, '$.v1'), 'object') <> 'object'
     THEN json_set(n.node_metadata, '$.v1', json_object('v1', json_extract(n.node_metadata, '$.v1')))
     ELSE n.node_metadata END
"""


def _keep_lost_values(conn: Connection, table: str, guarded: tuple[str, ...]) -> None:
    """Copy values without a column, and values that were changed, into the metadata of their row."""
    unknown = [name for name in _columns(conn, f"old_{table}") if name not in TABLES[table]]
    for name in (*unknown, *guarded):
        column = _quoted(name)
        same = "0" if name in unknown else f"n.{column} IS o.{column}"
        conn.execute(
            f"""UPDATE "{table}" AS n SET node_metadata = json_set({_OBJECT}, '$.v1.' || json_quote(:name),
                  CASE typeof(o.{column}) WHEN 'blob' THEN hex(o.{column}) ELSE o.{column} END)
                FROM "old_{table}" AS o
               WHERE o.id = n.id AND o.{column} IS NOT NULL AND NOT ({same})""",
            {"name": name},
        )


def _keep_stranded(conn: Connection, table: str) -> None:
    """Rows that the new tables cannot hold (no id, a missing owner) stay in a table stranded_*, unchanged."""
    key = TABLES[table][0]
    home = "progression_heads" if table == "progressions" else table
    # these two have no metadata column for the values of unknown columns
    unknown = _columns(conn, f"old_{table}") if table in ("progressions", "message_types") else []
    more = "".join(f" OR {_quoted(name)} IS NOT NULL" for name in unknown if name not in TABLES[table])
    lost = f'FROM "old_{table}" WHERE {key} IS NULL OR {key} NOT IN (SELECT {key} FROM "{home}"){more}'
    if conn.value(f"SELECT count(*) {lost}"):
        conn.execute(f'CREATE TABLE "stranded_{table}" AS SELECT * {lost}')


def _columns(conn: Connection, table: str) -> list[str]:
    return [row[0] for row in conn.all("SELECT name FROM pragma_table_info(:table)", {"table": table})]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def known_columns() -> Iterable[tuple[str, str]]:
    """Every (table, column) of the records, for the test that compares them with the schema."""
    return ((table, column) for table, columns in TABLES.items() for column in columns)
