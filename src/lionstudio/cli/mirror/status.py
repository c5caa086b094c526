"""`li mirror status`: show imported and pending transcripts of each tool, and those about to expire."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping
from typing import Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, count, iso, size
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.cli._toolkit.terminal import is_terminal
from lionstudio.imports.transcripts.coverage import Coverage, coverage
from lionstudio.imports.transcripts.retention import Retention, retention
from lionstudio.imports.transcripts.tools import TOOLS
from lionstudio.state.backends import exists

DESCRIPTION = """\
Show for each tool the imported, pending and skipped transcripts, and how long Claude Code keeps them."""
EXAMPLES = (
    ("li mirror status", "all tools"),
    ("li mirror status --json | jq '.tools[] | {tool, behind_files}'", "for a script"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    coverages = _coverages(db_access.settings_of(args).db)
    rules = {name: rule for name, tool in TOOLS.items() if (rule := retention(tool)) is not None}
    wire = [{**tool.to_dict(), "last_read_at_iso": iso(tool.last_read_at)} for tool in coverages]
    for record in wire:
        if rule := rules.get(record["tool"]):
            record["retention"] = rule.to_dict()
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"tools": wire})
    elif is_terminal():
        now = time.time()
        for tool in coverages:
            emit_lines(_lines(tool, rules.get(tool.tool), now))
    else:
        emit_lines(line for record in wire for line in _fields(str(record["tool"]), record))
    return 0


def _fields(prefix: str, record: Mapping[str, Any]) -> Iterator[str]:
    """One field per line, for a pipe."""
    for name, value in record.items():
        if name == "retention":
            yield from _fields(f"{prefix}.{name}", value)
        elif name in ("refused", "skipped"):
            yield f"{prefix}.{name}\t{len(value)}"
        elif name != "tool":
            yield f"{prefix}.{name}\t{_text(value)}"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else inline(str(value))


def _coverages(path: str) -> list[Coverage]:
    if not exists(path):
        return [coverage(None, tool, tool.root()) for tool in TOOLS.values()]
    with db_access.reading(path) as conn:
        return [coverage(conn, tool, tool.root()) for tool in TOOLS.values()]


def _lines(tool: Coverage, rule: Retention | None, now: float) -> Iterator[str]:
    yield f"{TOOLS[tool.tool].title}  {inline(tool.root)}"
    if not tool.exists and not tool.messages:
        yield "  no data folder"
        return
    last = f", last read {ago(tool.last_read_at, now)}" if tool.last_read_at is not None else ""
    yield f"  found     {count(tool.found_files, 'transcript')}, {size(tool.found_bytes)}"
    sums = f"{count(tool.sessions, 'session')}, {count(tool.messages, 'message')}"
    yield f"  imported  {count(tool.mirrored_files, 'transcript')}, {sums}{last}"
    if tool.behind_files:
        pending = f"{count(tool.behind_files, 'transcript')}, {size(tool.behind_bytes)}"
        yield located(f"  pending   {pending}; import with `li mirror {tool.tool}`")
    else:
        yield "  pending   none"
    if tool.kept_files:
        yield f"  kept      {count(tool.kept_files, 'transcript')} deleted by the tool"
    skipped = sum(sum(reasons.values()) for reasons in tool.skipped.values())
    if skipped or tool.refused:
        yield f"  skipped   {count(skipped, 'line')}, {count(len(tool.refused), 'file')}; --json lists them"
    if rule is not None:
        yield f"  deletes   after {count(rule.days, 'day')} ({inline(rule.origin)}): {_soon(rule)}"
        yield f"            {inline(rule.advice)}"


def _soon(rule: Retention) -> str:
    return f"{count(rule.expiring, 'transcript')} within a week" if rule.expiring else "none within a week"
