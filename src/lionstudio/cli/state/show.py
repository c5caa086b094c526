"""`li state show`: print one session with its state, branches and messages."""

from __future__ import annotations

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lionstudio.cli._session.branch_tree import get_named
from lionstudio.cli._session.row import session_json
from lionstudio.cli._session.transcript import Shown, transcript
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, utf8
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import Paint, styles_for
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.branches import Branch
from lionstudio.state.branches import branch_length, branch_usage, history, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.messages.windows import WindowMessage, branches_of, messages_after, messages_before
from lionstudio.state.sessions import get_session, resolve_session

DESCRIPTION = """\
Show one session: its state with the reasons, its branches and its messages. SESSION is an id, the start of one (at
least four characters) or a name; SESSION:ORD is one message, as printed by `li state search`."""
EXAMPLES = (
    ("li state show 019e2f3c", "a session from the start"),
    ("li state show my-agent --last 5", "the last messages of the newest session with this name"),
    ("li state show 019e2f3c:41 --full", "one message in full"),
    ("li state show 019e2f3c --branch reviewer", "one branch, including inherited messages"),
    ("li state show 019e2f3c --json | jq '.messages[].role'", "all messages, for a program"),
)
_PAGE = 100
_CHUNK = 500  # messages in memory at once; between two chunks a checkpoint can run
_ALL = 2**62


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    number = integer()
    add("session", type=utf8, metavar="SESSION[:ORD]", help="session id, its start, or a name; with :ORD one message")
    add("--branch", type=utf8, metavar="B", help="only the messages of this branch (name or id)")
    add("--after", type=number, metavar="ORD", help="only messages after this number")
    add("--last", type=integer(1), metavar="N", help="only the last N messages")
    add("--limit", type=integer(1), metavar="N", help=f"maximum number of messages (default {_PAGE}; --json: all)")
    add("--full", action="store_true", help="print long messages in full")


def run(args: argparse.Namespace) -> int:
    if args.last and (args.after is not None or args.limit):
        raise InvalidInput("--last cannot be combined with --after or --limit", hint="li state show --help")
    with db_access.reading(db_access.settings_of(args).db) as conn:
        session_id, ord_ = _target(conn, args.session)
        if ord_ is not None:
            args.after, args.limit = ord_ - 1, args.limit or 1
        branches = list_branches(conn, session_id)
        row = get_session(conn, session_id).to_dict("json")
        wire = session_json({**row, "branch_count": len(branches)}, time.time())
        only = get_named(branches, args.branch) if args.branch else None
        if args.json:
            _print_json(wire, [_described(conn, branch) for branch in branches], _messages(conn, wire, only, args))
            return 0
        paint = styles_for(sys.stdout, refused=args.no_color)
        _print_text(conn, wire, branches, only, args, paint, single_message=ord_ is not None)
    return 0


def _target(conn: Connection, argument: str) -> tuple[str, int | None]:
    try:
        return resolve_session(conn, argument), None
    except NotFound:
        session, colon, ord_ = argument.rpartition(":")
        if not (colon and ord_.isascii() and ord_.isdigit() and len(ord_) < 16):
            raise
    session_id = resolve_session(conn, session)
    if not messages_after(conn, session_id, int(ord_) - 1, 1):
        raise NotFound(f"session {session_id} has no message {ord_}", hint=f"li state show {session_id} --last 1")
    return session_id, int(ord_)


def _described(conn: Connection, branch: Branch) -> dict[str, Any]:
    usage = branch_usage(conn, branch.id)._asdict()
    return {**branch.to_dict("json"), "message_count": branch_length(conn, branch.id), "usage": usage}


def _messages(conn: Connection, wire: dict[str, Any], only: Branch | None, args: argparse.Namespace) -> Iterator[Shown]:
    """The requested messages in order, numbered within the session or within one branch."""
    limit = args.limit or (_ALL if args.json else _PAGE)
    if only is not None:
        items = (
            Shown(number, entry.message_id, entry.message, entry.branch_id)
            for number, entry in enumerate(history(conn, only.id))
        )
        after = -1 if args.after is None else args.after
        selected = (item for item in items if item.number > after)
        if args.last:
            return iter(deque(selected, maxlen=args.last))
        return islice(selected, limit)
    session_id: str = wire["id"]
    if args.last:
        return _on_branches(conn, session_id, messages_before(conn, session_id, _ALL, args.last))
    return _chunks(conn, session_id, -1 if args.after is None else args.after, limit)


def _chunks(conn: Connection, session_id: str, after: int, limit: int) -> Iterator[Shown]:
    while limit > 0:
        part = messages_after(conn, session_id, after, min(limit, _CHUNK))
        if not part:
            return
        yield from _on_branches(conn, session_id, part)
        limit -= len(part)
        after = part[-1].ord


def _on_branches(conn: Connection, session_id: str, part: list[WindowMessage]) -> Iterator[Shown]:
    branch_ids = branches_of(conn, session_id, [item.message_id for item in part])
    return (Shown(item.ord, item.message_id, item.message, branch_ids.get(item.message_id, "")) for item in part)


def _print_json(wire: dict[str, Any], branches: list[dict[str, Any]], messages: Iterator[Shown]) -> None:
    """Print piece by piece, so that a large session is never in memory as one text."""
    from lionstudio.cli._toolkit.humanize import iso
    from lionstudio.cli._toolkit.json_output import SCHEMA_VERSION, to_json

    head = to_json({"schema_version": SCHEMA_VERSION, "session": wire, "branches": branches})
    emit(head[:-1] + ',"messages":[')
    separator = "\n"
    for item in messages:
        position = {"ord": item.number, "branch_id": item.branch or None}
        if item.message is None:
            record = {**position, "id": item.message_id, "missing": True}
        else:
            fields = item.message.to_dict("json")
            record = {**position, **fields, "created_at_iso": iso(fields["created_at"])}
        emit(separator + to_json(record))
        separator = ",\n"
    emit("]}\n")


def _print_text(
    conn: Connection,
    wire: dict[str, Any],
    branches: list[Branch],
    only: Branch | None,
    args: argparse.Namespace,
    paint: Paint,
    *,
    single_message: bool,
) -> None:
    from lionstudio.cli._session.header import header

    if not single_message:
        lengths = {branch.id: branch_length(conn, branch.id) for branch in branches}
        emit_lines(header(wire, branches, lengths, paint, time.time()))
    names = {branch.id: branch.name or branch.id for branch in branches} if len(branches) > 1 else {}
    shown = [item._replace(branch=names.get(item.branch, "")) for item in _messages(conn, wire, only, args)]
    emit_lines(transcript(shown, paint, full=args.full))
    _say_remaining(wire, shown, only, args)


def _say_remaining(wire: dict[str, Any], shown: list[Shown], only: Branch | None, args: argparse.Namespace) -> None:
    from lionstudio.cli._toolkit.terminal import say

    if only is not None or not shown:
        return
    more = wire["message_count"] - shown[-1].number - 1
    if more > 0 and sys.stdout.isatty():
        say(f"{more:,} more messages: --after {shown[-1].number} or --last 20", quiet=args.quiet)
