"""`li state show`: print one session with its state, branches and messages."""

from __future__ import annotations

import argparse
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from lionstudio.cli._session.branch_tree import get_named
from lionstudio.cli._session.row import session_json
from lionstudio.cli._session.transcript import Shown, transcript
from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import SESSION_HELP, integer, utf8
from lionstudio.cli._toolkit.output import emit, emit_lines
from lionstudio.cli._toolkit.terminal import Paint, styles_for
from lionstudio.errors import InvalidInput, NotFound
from lionstudio.model.branches import Branch
from lionstudio.model.messages import Message
from lionstudio.model.status.transitions import StatusTransition
from lionstudio.state.branches import branch_length, branch_usage, history, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.exchange.mailboxes import Receipt, list_session_receipts
from lionstudio.state.exchange.questions import list_questions
from lionstudio.state.messages.windows import (
    WindowMessage,
    branches_of,
    messages_after,
    messages_before,
    readable_after,
)
from lionstudio.state.runs.conversations import list_successors
from lionstudio.state.runs.labels import list_tags
from lionstudio.state.runs.reference import resolve_session
from lionstudio.state.sessions import get_session
from lionstudio.state.transitions import list_transitions

DESCRIPTION = """\
Show one session: its state with the reasons, its status history, the messages sent to its agent and the questions it
asked, with receipts, its branches and its messages. SESSION is an id, the start of one (at least four characters; eight
of a vendor's id), a name, or `last` for the newest session; SESSION:ORD is one message, as printed by
`li state search`."""
EXAMPLES = (
    ("li state show 019e2f3c", "a session from the start"),
    ("li state show last --last 5", "the last messages of the newest session"),
    ("li state show 019e2f3c:41 --full", "one message in full"),
    ("li state show 019e2f3c --branch reviewer", "one branch, including inherited messages"),
    ("li state show 019e2f3c --json | jq '.messages[].role'", "all messages, for a program"),
)
_PAGE = 100
_CHUNK = 64  # messages in memory at once; between two chunks a checkpoint can run
_ALL = 2**62


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    number = integer()
    add("session", type=utf8, metavar="SESSION[:ORD]", help=f"{SESSION_HELP}; with :ORD one message")
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
        row |= {"branch_count": len(branches), "tags": list_tags(conn, session_id)}
        wire = session_json(row, time.time()) | {"metadata": row["metadata"]}
        wire["successors"] = list_successors(conn, session_id)
        transitions = list_transitions(conn, "session", session_id)
        receipts = list_session_receipts(conn, session_id)
        questions = list_questions(conn, session_id=session_id)
        only = get_named(branches, args.branch) if args.branch else None
        if args.json:
            described = [_described(conn, branch) for branch in branches]
            wire["inbox"] = [_receipt_json(receipt) for receipt in receipts]
            wire["questions"] = [question.to_dict() for question in questions]
            _print_json(wire, described, transitions, _messages(conn, wire, only, args))
            return 0
        paint = styles_for(sys.stdout, refused=args.no_color)
        if ord_ is None:
            from lionstudio.cli._session.header import header

            lengths = {branch.id: branch_length(conn, branch.id) for branch in branches}
            emit_lines(header(wire, branches, lengths, transitions, paint, time.time()))
            if receipts or questions:
                from lionstudio.cli._session.exchange import exchange_lines  # slow to load

                emit_lines(exchange_lines(receipts, questions, paint, running=wire["status"] == "running"))
        _print_messages(conn, wire, branches, only, args, paint)
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


def _receipt_json(receipt: Receipt) -> dict[str, Any]:
    message = receipt.message
    fields = {"id": message.id, "sender": message.sender, "text": message.text, "created_at": message.created_at}
    return {**fields, "delivery": message.metadata.get("delivery"), "taken_ord": receipt.taken_ord}


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


def _print_json(
    wire: dict[str, Any],
    branches: list[dict[str, Any]],
    transitions: Sequence[StatusTransition],
    messages: Iterator[Shown],
) -> None:
    """Print piece by piece, so that a large session is never in memory as one text."""
    from lionstudio.cli._toolkit.humanize import iso
    from lionstudio.cli._toolkit.json_output import SCHEMA_VERSION, to_json

    history = [{**change.to_dict(), "at_iso": iso(change.at)} for change in transitions]
    head = to_json({"schema_version": SCHEMA_VERSION, "session": wire, "transitions": history, "branches": branches})
    emit(head[:-1] + ',"messages":[')
    separator = "\n"
    for item in messages:
        position = {"ord": item.number, "branch_id": item.branch or None}
        if isinstance(item.message, Message):
            fields = item.message.to_dict("json")
            record = {**position, **fields, "created_at_iso": iso(fields["created_at"])}
        else:
            record = {**position, "id": item.message_id, "missing": True}
        emit(separator + to_json(record))
        separator = ",\n"
    emit("]}\n")


def _print_messages(
    conn: Connection,
    wire: dict[str, Any],
    branches: list[Branch],
    only: Branch | None,
    args: argparse.Namespace,
    paint: Paint,
) -> None:
    names = {branch.id: branch.name or branch.id for branch in branches} if len(branches) > 1 else {}
    if only is None and not args.last:
        after = -1 if args.after is None else args.after
        messages = _readable(conn, wire["id"], after, args.limit or _PAGE, on_branches=bool(names))
    else:
        messages = _messages(conn, wire, only, args)
    last: Shown | None = None

    def shown() -> Iterator[Shown]:
        nonlocal last
        for last in messages:
            yield last._replace(branch=names.get(last.branch, "")) if last.branch else last

    emit_lines(transcript(shown(), paint, full=args.full))
    if last is not None and only is None:
        _say_remaining(wire["message_count"], last.number, args)


def _readable(conn: Connection, session_id: str, after: int, limit: int, *, on_branches: bool) -> Iterator[Shown]:
    """Like `_chunks`, without what is not printed."""
    while limit > 0 and (part := readable_after(conn, session_id, after, min(limit, _CHUNK))):
        branch_ids = branches_of(conn, session_id, [message_id for _, message_id, _ in part]) if on_branches else {}
        for number, message_id, message in part:
            yield Shown(number, message_id, message, branch_ids.get(message_id, ""))
        limit -= len(part)
        after = part[-1][0]


def _say_remaining(count: int, last: int, args: argparse.Namespace) -> None:
    from lionstudio.cli._toolkit.terminal import say

    if count > last + 1 and sys.stdout.isatty():
        say(f"{count - last - 1:,} more messages: --after {last} or --last 20", quiet=args.quiet)
