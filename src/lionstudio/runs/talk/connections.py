"""Connections to the programs in the user's terminals: the settings that have our hooks, and whether events arrive."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lionstudio.agents.hooks.hook_settings import HOOKED_TOOLS, find_version, settings_file
from lionstudio.errors import LionError
from lionstudio.model.status.terminals import HOOKS_VERSION
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.terminals import HookArrivals, list_arrivals
from lionstudio.state.upkeep.findings import Finding
from lionstudio.system.safe_read import read_text

MOST_BYTES = 2_000_000  # of a settings file


class HookConnection(NamedTuple):
    """One settings file of a tool, the version of the hooks in it (None without them) and the events so far."""

    tool: str
    scope: str  # user | project
    file: str
    version: int | None
    fault: str | None  # why the file cannot be read
    arrivals: HookArrivals | None


def list_connections(conn: Connection | None, project: str | None = None) -> list[HookConnection]:
    """The settings of every tool: of the user, and of a project folder that has our hooks."""
    arrivals: Mapping[str, HookArrivals] = {} if conn is None else list_arrivals(conn)
    connections = [
        _connection(tool, scope, settings_file(tool, folder), arrivals.get(tool))
        for tool in HOOKED_TOOLS
        for scope, folder in (("user", None), ("project", project))
        if scope == "user" or folder is not None
    ]
    return [each for each in connections if each.scope == "user" or each.version is not None]


def _connection(tool: str, scope: str, file: str, arrivals: HookArrivals | None) -> HookConnection:
    version = fault = None
    try:
        version = find_version(read_text(file, most=MOST_BYTES), tool) if os.path.lexists(file) else None
    except LionError as error:
        fault = error.message
    return HookConnection(tool, scope, file, version, fault, arrivals)


def hook_findings(conn: Connection) -> Iterator[Finding]:
    """Connected tools: whether their hooks are current, and whether events arrive."""
    for each in list_connections(conn):
        if each.version is None:
            continue
        title, again = TRANSCRIPT_TOOLS[each.tool][0], f"`li connect {each.tool}`"
        if each.version != HOOKS_VERSION:
            evidence = f"its hooks have version {each.version}, this version of li writes {HOOKS_VERSION}"
            yield Finding("warning", "hooks.outdated", each.file, evidence, f"write them again: {again}")
        if each.arrivals is None:
            advice = f"start {each.tool} while `li studio` runs; {HOOKED_TOOLS[each.tool].advice}"
            yield Finding("info", "hooks.silent", f"{title} hooks", "connected, but no event has arrived yet", advice)
        elif each.arrivals.unknown_events:
            evidence = f"{each.arrivals.unknown_events} events of a kind that this version does not know"
            yield Finding(
                "info", "hooks.unknown", f"{title} hooks", evidence, "they are ignored; a newer li may use them"
            )
