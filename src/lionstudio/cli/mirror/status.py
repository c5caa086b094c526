"""`li mirror status`: what is mirrored of each tool, how far it is behind, and what the tool will delete."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, count, iso, size
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.terminal import is_terminal
from lionstudio.imports.transcripts.coverage import Coverage, coverage
from lionstudio.imports.transcripts.retention import Retention, retention
from lionstudio.imports.transcripts.tools import CLAUDE, TOOLS

DESCRIPTION = """\
Say for each tool what is mirrored, how far the mirror is behind, what was skipped, and how long Claude Code
keeps its transcripts."""
EXAMPLES = (
    ("li mirror status", "all tools"),
    ("li mirror status --json | jq '.tools[] | {tool, behind_files}'", "for a script"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    """Print where the mirrors stand."""
    found = _look(db_access.settings_of(args).db)
    keeps = retention()
    wire = [{**one.to_dict(), "last_read_at_iso": iso(one.last_read_at)} for one in found]
    wire[0]["retention"] = keeps.to_dict()
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"tools": wire})
    elif is_terminal():
        now = time.time()
        for one in found:
            emit_lines(_lines(one, keeps if one.tool == CLAUDE.name else None, now))
    else:
        emit_lines(line for one in wire for line in _fields(str(one["tool"]), one))
    return 0


def _fields(above: str, facts: Mapping[str, Any]) -> Iterator[str]:
    """One fact a line, for a pipe."""
    for name, value in facts.items():
        if name == "retention":
            yield from _fields(f"{above}.{name}", value)
        elif name in ("refused", "skipped"):
            yield f"{above}.{name}\t{len(value)}"
        elif name != "tool":
            yield f"{above}.{name}\t{_text(value)}"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else inline(str(value))


def _look(path: str) -> list[Coverage]:
    if not os.path.exists(path):
        return [coverage(None, tool, tool.root()) for tool in TOOLS.values()]
    with db_access.reading(path) as conn:
        return [coverage(conn, tool, tool.root()) for tool in TOOLS.values()]


def _lines(found: Coverage, keeps: Retention | None, now: float) -> Iterator[str]:
    yield f"{TOOLS[found.tool].title}  {inline(found.root)}"
    if not found.exists and not found.messages:
        yield "  not there"
        return
    last = f", last read {ago(found.last_read_at, now)}" if found.last_read_at is not None else ""
    yield f"  found     {count(found.found_files, 'transcript')}, {size(found.found_bytes)}"
    sums = f"{count(found.sessions, 'session')}, {count(found.messages, 'message')}"
    yield f"  mirrored  {count(found.mirrored_files, 'transcript')}, {sums}{last}"
    if found.behind_files:
        behind = f"{count(found.behind_files, 'transcript')}, {size(found.behind_bytes)}"
        yield f"  behind    {behind}; `li mirror {found.tool}` reads them"
    else:
        yield "  behind    nothing"
    if found.kept_files:
        yield f"  kept      {count(found.kept_files, 'transcript')} that it has deleted"
    skipped = sum(sum(reasons.values()) for reasons in found.skipped.values())
    if skipped or found.refused:
        yield f"  skipped   {count(skipped, 'line')}, {count(len(found.refused), 'file')}; --json lists them"
    if keeps is not None:
        yield f"  deletes   after {count(keeps.days, 'day')} ({inline(keeps.origin)}): {_soon(keeps)}"
        yield f"            {inline(keeps.advice)}"


def _soon(keeps: Retention) -> str:
    return f"{count(keeps.expiring, 'transcript')} within a week" if keeps.expiring else "none within a week"
