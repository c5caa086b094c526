"""`li state stats`: how big the database is, what is in it, and how it is set up."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import size
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import is_terminal, styles_for
from lionstudio.state.sqlite.maintenance import stats

EXAMPLES = (
    ("li state stats", "sizes, rows and settings of the file"),
    ("li state stats --sizes", "and which tables and indexes take how much (reads the whole file)"),
    ("li state stats --json | jq .rows.messages", "one number for a script"),
)
_NAMES = {
    "synchronous": {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"},
    "auto_vacuum": {0: "NONE", 1: "FULL", 2: "INCREMENTAL"},
    "foreign_keys": {0: "OFF", 1: "ON"},
}


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes", action="store_true", help="also how many bytes the largest tables take (reads the whole file)"
    )


def run(args: argparse.Namespace) -> int:
    """Print the statistics."""
    with db_access.reading(db_access.settings_of(args).db) as conn:
        found = stats(conn, sizes=args.sizes)
    # the word schema_version stands for the shape of our JSON
    found["database_schema"] = found.pop("schema_version")
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json(found)
    elif is_terminal():
        paint = styles_for(sys.stdout, refused=args.no_color)
        for title, facts in _sections(found):
            emit(paint(title, "bold") + "\n")
            wide = max(map(len, facts), default=0)
            emit_lines(f"  {name:<{wide}}  {value}" for name, value in facts.items())
    else:
        emit_lines(f"{name}\t{inline(str(value))}" for name, value in _flat(found))
    return 0


def _sections(found: dict[str, Any]) -> Iterator[tuple[str, Mapping[str, str]]]:
    yield (
        "Database",
        {
            "path": inline(found["path"]),
            "size": size(found["size_bytes"]),
            "log": size(found["wal_bytes"]),
            "free": _free(found),
            "schema": f"version {found['database_schema']}",
            "not indexed": f"{found['unindexed_messages']:,} messages",
        },
    )
    yield "Sessions", _counts(found["sessions_by_status"]) or {"none": ""}
    yield "Rows", _counts(found["rows"])
    if "bytes" in found:
        yield "Largest", {inline(name): size(taken) for name, taken in found["bytes"].items()}
    yield "Settings of the file", {name: _meaning(name, value) for name, value in found["pragmas"].items()}


def _meaning(name: str, value: Any) -> str:
    """What SQLite calls by a number, by its name."""
    if name == "busy_timeout":
        return f"{value / 1000:g} s"
    return _NAMES.get(name, {}).get(value, inline(str(value)))


def _free(found: dict[str, Any]) -> str:
    free: int = found["free_bytes"]
    advice = "; `li state vacuum` gives it back" if free > 10_000_000 and free * 4 > found["size_bytes"] else ""
    return f"{size(free)} inside the file{advice}"


def _counts(found: Mapping[str, int]) -> dict[str, str]:
    return {inline(name): f"{number:,}" for name, number in found.items()}


def _flat(found: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in found.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield before + name, value
