"""`li hub status`: show the hub, its machines, and what is not pushed yet."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import point_in_time
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, count
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.printed_commands import located
from lionstudio.cli._toolkit.terminal import is_terminal
from lionstudio.hub.connect import HubConnection, status_address
from lionstudio.hub.status import HubStatus, hub_status

DESCRIPTION = """\
Show the hub without its password, whether it can be reached, its machines with their last contact, and what this
machine has not pushed yet. The hub is that of the setting `hub`; without one, the server in LIONAGI_DB. The exit code
is 1 when the hub cannot be reached."""
EXAMPLES = (
    ("li hub status", "the hub and its machines"),
    ("li hub status --json | jq '.machines[] | {name, sessions}'", "for a script"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """This command has no options of its own."""


def run(args: argparse.Namespace) -> int:
    settings = db_access.settings_of(args)
    with HubConnection(status_address(settings)) as hub:
        status = hub_status(hub, settings.db, point_in_time)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json(status.to_dict())
    elif is_terminal():
        emit_lines(_lines(status))
    else:
        emit_lines(_fields(status))
    return int(status.schema is None)


def _lines(status: HubStatus) -> Iterator[str]:
    yield f"Hub  {inline(status.hub)}"
    if status.schema is None:
        yield f"  {inline(status.reason or '')}"
        return
    yield f"  schema    version {status.schema}"
    yield f"  contents  {count(status.sessions, 'session')}, {count(status.messages, 'message')}"
    names = [one.machine.name for one in status.machines]
    now = time.time()
    for machine, sessions, messages in status.machines:
        name = machine.label if names.count(machine.name) > 1 else machine.name
        here = " (this machine)" if machine.id == status.this_machine else ""
        seen = ago(now - machine.silent_seconds, now)
        sums = f"{count(sessions, 'session')}, {count(messages, 'message')}"
        yield f"  machine   {inline(name)}{here}: {sums}, seen {seen}, version {inline(machine.version)}"
    if not status.pushes:
        yield "  pending   none; this machine works on the hub itself"
    elif status.never_pushed:
        yield located("  pending   this machine has pushed nothing yet; start with `li hub push`")
    elif status.pending_sessions:
        yield located(f"  pending   {count(status.pending_sessions, 'session')}; push them with `li hub push`")
    else:
        yield "  pending   none"


def _fields(status: HubStatus) -> Iterator[str]:
    """One field per line, for a pipe."""
    for name, value in status.to_dict().items():
        if name != "machines":
            text = "" if value is None else str(value).lower() if isinstance(value, bool) else inline(str(value))
            yield f"{name}\t{text}"
    for one in status.machines:
        fields = (one.machine.id, one.machine.name, one.machine.seen_at, one.sessions, one.messages)
        yield "machine\t" + "\t".join(inline(str(field)) for field in fields)
