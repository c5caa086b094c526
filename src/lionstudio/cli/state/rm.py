"""`li state rm`: delete single sessions with everything that belongs only to them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.confirm import confirm
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count, size
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.model.run_name import run_name
from lionstudio.state.runs.reference import resolve_sessions
from lionstudio.state.sessions import get_session

if TYPE_CHECKING:
    from lionstudio.state.connection import Connection

DESCRIPTION = """\
Delete sessions: their messages, branches, tags, status history, search entries, stream artifacts, logs and spooled
events. A running session is refused. Messages that another session shares by a fork stay. A transcript that was
imported is not imported again, unless --forget-transcripts is set. `li state vacuum` then rebuilds the file, so that
nothing of the deleted rows is left in it."""
EXAMPLES = (
    ("li state rm 019e2f3c", "show the session, ask, delete"),
    ("li state rm 019e2f3c 019e2f40 --yes", "several, without asking"),
    ("li state rm 019e2f3c --forget-transcripts", "let `li mirror` import its transcript again"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("sessions", nargs="+", type=utf8, metavar="SESSION", help="session id, its start, or a name")
    add("--forget-transcripts", action="store_true", help="also forget that their transcripts were imported")
    add("--dry-run", action="store_true", help="list the sessions and delete nothing")
    add("--yes", action="store_true", help="delete without asking for confirmation")


def run(args: argparse.Namespace) -> int:
    from lionstudio.runs.remove import forget_transcripts, remove_runs

    settings = db_access.settings_of(args)
    if args.dry_run:
        with db_access.reading(settings.db) as conn:
            ids = resolve_sessions(conn, args.sessions)
            lines = _lines(conn, ids)
        _print(args, ids, "\n".join(["To delete:", *lines]), None)
        return 0
    consent = confirm(args, "rm deletes sessions permanently")
    with db_access.database(settings.db, quiet=args.quiet) as database:
        ids = resolve_sessions(database.conn, args.sessions)
        if not args.yes:
            say("\n".join(_lines(database.conn, ids)))
        if not consent(f"Delete {count(len(ids), 'session')} permanently?"):
            say("Nothing deleted.")
            return 1
        removed = remove_runs(database, settings.home, ids)
        if args.forget_transcripts:
            forget_transcripts(database, ids)
    messages = f"{count(removed.messages, 'message')} ({size(removed.bytes_freed)})"
    text = f"Deleted {count(removed.sessions, 'session')} with {messages}."
    if removed.kept_messages:
        text += f" Kept: {count(removed.kept_messages, 'message')} shared with other sessions."
    _print(args, ids, text, removed._asdict())
    return 0


def _lines(conn: Connection, ids: list[str]) -> list[str]:
    sessions = [get_session(conn, id_) for id_ in ids]
    return [
        f"  {session.id}  {inline(run_name(session.to_dict()))}  {count(session.message_count, 'message')}"
        for session in sessions
    ]


def _print(args: argparse.Namespace, ids: list[str], text: str, deleted: dict[str, int] | None) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"dry_run": deleted is None, "ids": ids, "deleted": deleted})
    else:
        emit(f"{text}\n")
