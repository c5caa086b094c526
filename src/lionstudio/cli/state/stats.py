"""`li state stats`: print the size, contents and settings of the database."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.cli._toolkit.terminal import is_terminal, styles_for
from lionstudio.state.backends import maintenance

EXAMPLES = (
    ("li state stats", "size, row counts and settings"),
    ("li state stats --sizes", "also the size of tables and indexes (reads the whole file)"),
    ("li state stats --json | jq .rows.messages", "one number, for a script"),
)
_NAMES = {
    "synchronous": {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"},
    "auto_vacuum": {0: "NONE", 1: "FULL", 2: "INCREMENTAL"},
    "foreign_keys": {0: "OFF", 1: "ON"},
}


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes", action="store_true", help="also print the sizes of the largest tables (reads the whole file)"
    )


def run(args: argparse.Namespace) -> int:
    with db_access.reading(db_access.settings_of(args).db) as conn:
        data = maintenance(conn.path).stats(conn, sizes=args.sizes)
    # in our JSON, schema_version is the version of the JSON itself
    data["database_schema"] = data.pop("schema_version")
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json(data)
    elif is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        for title, facts in _sections(data):
            emit(paint(title, "bold") + "\n")
            wide = max(map(len, facts), default=0)
            emit_lines(f"  {name:<{wide}}  {value}" for name, value in facts.items())
    else:
        emit_lines(f"{name}\t{inline(str(value))}" for name, value in _flat(data))
    return 0


def _sections(data: dict[str, Any]) -> Iterator[tuple[str, Mapping[str, str]]]:
    yield (
        "Database",
        {
            "path": inline(data["path"]),
            "size": size(data["size_bytes"]),
            "write-ahead log": size(data["wal_bytes"]),
            "free": _free(data),
            "schema": f"version {data['database_schema']}",
            "not indexed": f"{data['unindexed_messages']:,} messages",
        },
    )
    yield "Sessions", _counts(data["sessions_by_status"]) or {"none": ""}
    yield "Rows", _counts(data["rows"])
    if "bytes" in data:
        yield "Largest", {inline(name): size(taken) for name, taken in data["bytes"].items()}
    yield "SQLite settings", {name: _meaning(name, value) for name, value in data["pragmas"].items()}


def _meaning(name: str, value: Any) -> str:
    """The name of a numeric SQLite setting."""
    if name == "busy_timeout":
        return f"{value / 1000:g} s"
    return _NAMES.get(name, {}).get(value, inline(str(value)))


def _free(data: dict[str, Any]) -> str:
    free: int = data["free_bytes"]
    advice = (
        located("; reclaim it with `li state vacuum`") if free > 10_000_000 and free * 4 > data["size_bytes"] else ""
    )
    return f"{size(free)}{advice}"


def _counts(numbers: Mapping[str, int]) -> dict[str, str]:
    return {inline(name): f"{number:,}" for name, number in numbers.items()}


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
