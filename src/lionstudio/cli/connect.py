"""`li connect`: let the agents in your own terminals report to Studio, and answer their permission prompts there."""

from __future__ import annotations

import argparse
import difflib
import os
import stat
import time
from typing import TYPE_CHECKING, Any

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import ago, count
from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import Conflict, InvalidInput, LionError
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS

if TYPE_CHECKING:
    from lionstudio.runs.talk.connections import HookConnection

DESCRIPTION = """\
Write hooks into the settings of Claude Code or Codex, so that sessions which you start yourself show their live state
in Studio and their permission prompts can be answered there. The change is shown first, and --undo removes it. While
Studio does not run, the program works as if the hooks did not exist. Without a tool, the connections are listed."""
EXAMPLES = (
    ("li connect", "list connections, and whether events arrive"),
    ("li connect claude", "connect Claude Code, in all of your projects"),
    ("li connect claude --scope project", "only in this folder, in .claude/settings.local.json"),
    ("li connect codex --undo", "remove the hooks"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("tool", nargs="?", choices=tuple(TRANSCRIPT_TOOLS), metavar="TOOL", help="claude or codex")
    add("--undo", action="store_true", help="remove the hooks")
    add("--scope", choices=("user", "project"), default="user", help="settings to change (default %(default)s)")
    add("--status", action="store_true", help="list connections, and whether events arrive")
    add("--yes", action="store_true", help="do not ask for confirmation")


def run(args: argparse.Namespace) -> int:
    if args.tool is None or args.status:
        if args.undo:
            raise InvalidInput("--undo needs a tool", hint="li connect claude --undo")
        return _list(args)
    from lionstudio.agents.hooks.hook_settings import HOOKED_TOOLS, hooks_of, settings_file, with_hooks, without_hooks
    from lionstudio.cli._person import require_person

    settings = db_access.settings_of(args)
    require_person(args, f"li connect {args.tool}")
    path = settings_file(args.tool, os.getcwd() if args.scope == "project" else None)
    before = _read(path, follow=args.scope == "user")
    try:
        if args.undo:
            after = without_hooks(before) if before.strip() else before
        else:
            after = with_hooks(before, hooks_of(args.tool, settings.home))
    except InvalidInput as error:
        raise InvalidInput(f"{inline(path)} is not changed: {error.message}", hint=error.hint) from None
    changed = after != before
    if changed and not _write(args, path, before, after):
        say("Nothing changed.")
        return 1
    if args.json:
        facts = {"tool": args.tool, "file": path, "connected": not args.undo, "changed": changed}
        print_json({**facts, "diff": _diff(path, before, after)})
        return 0
    title = TRANSCRIPT_TOOLS[args.tool][0]
    state = "not connected" if args.undo else "connected"
    say(f"{title} is {state}{'' if changed else ' already'} ({inline(path)}).", quiet=args.quiet)
    if changed and not args.undo:
        say(HOOKED_TOOLS[args.tool].advice, quiet=args.quiet)
    return 0


def _write(args: argparse.Namespace, path: str, before: str, after: str) -> bool:
    """Show the change, ask, and replace the file; False when the user declines."""
    from lionstudio.cli._toolkit.confirm import confirm
    from lionstudio.system.atomic_write import write_text

    consent = confirm(args, f"changing {inline(path)}", hint="--yes to confirm")
    if not args.json:
        for line in _diff(path, before, after).splitlines():
            say(inline(line), quiet=args.quiet)
    if os.path.islink(path):
        say(f"{inline(path)} is a link to {inline(os.path.realpath(path))}, which is changed.", quiet=args.quiet)
    if not consent("Write this change?"):
        return False
    if _read(path, follow=True) != before:
        raise Conflict(f"{inline(path)} was changed meanwhile", hint=f"li connect {args.tool}")
    write_text(path, after)
    return True


def _read(path: str, *, follow: bool) -> str:
    """The text of a settings file, empty when there is none; refused where it must not be replaced."""
    from lionstudio.runs.talk.connections import MOST_BYTES
    from lionstudio.system.safe_read import read_text

    if not follow and any(map(os.path.islink, (path, os.path.dirname(path)))):
        raise InvalidInput(f"{inline(path)} is a symbolic link, or in one", hint="replace the link by the file itself")
    if not os.path.lexists(path):
        return ""
    text = read_text(path, most=MOST_BYTES)
    if not os.stat(path).st_mode & stat.S_IWUSR:
        raise InvalidInput(f"{inline(path)} is read-only", hint=f"chmod u+w {path}")
    return text


def _diff(path: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")
    return "\n".join(lines)


def _list(args: argparse.Namespace) -> int:
    from lionstudio.agents.hooks.hook_settings import socket_path
    from lionstudio.model.status.terminals import TERMINAL_LABELS
    from lionstudio.runs.talk.connections import list_connections
    from lionstudio.state.exchange.terminals import list_live_terminals
    from lionstudio.system.filelock import lock_state

    settings = db_access.settings_of(args)
    is_listening = lock_state(f"{socket_path(settings.home)}.lock") == "held"
    try:
        with db_access.reading(settings.db) as conn:
            connections, terminals = list_connections(conn, os.getcwd()), list_live_terminals(conn)
    except LionError:  # no database yet
        connections, terminals = list_connections(None, os.getcwd()), []
    if args.json:
        facts = {"studio_listens": is_listening, "connections": [_to_dict(each) for each in connections]}
        print_json({**facts, "terminals": [terminal.to_dict() for terminal in terminals]})
        return 0
    for each in connections:
        emit(_line(each) + "\n")
    for terminal in terminals:
        since = ago(terminal.since, time.time())
        emit(f"{terminal.tool}\tterminal\t{inline(terminal.cwd or '')}\t{TERMINAL_LABELS[terminal.state]} ({since})\n")
    if not is_listening:
        say("Studio is not running, so no events arrive now. Start it: li studio", quiet=args.quiet)
    return 0


def _to_dict(each: HookConnection) -> dict[str, Any]:
    return {**each._asdict(), "arrivals": each.arrivals and each.arrivals._asdict()}


def _line(each: HookConnection) -> str:
    if each.fault is not None:
        state = f"unreadable: {inline(each.fault)}"
    elif each.version is None:
        state = "not connected"
    else:
        arrivals = each.arrivals
        last = "no event yet"
        if arrivals is not None:
            last = f"{count(arrivals.events, 'event')}, the last {ago(arrivals.last_event_at, time.time())}"
        state = f"connected (hooks version {each.version}), {last}"
    return f"{each.tool}\t{each.scope}\t{inline(each.file)}\t{state}"
