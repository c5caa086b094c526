"""`li state rename`: give a session a name."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.state.runs.labels import rename_session
from lionstudio.state.runs.reference import resolve_sessions
from lionstudio.state.sessions import get_session

DESCRIPTION = "Give a session a name. An empty name removes it: the session is then called by its prompt again."
EXAMPLES = (
    ('li state rename 019e2f3c "login fix"', "a name for lists, links and searches"),
    ('li state rename 019e2f3c ""', "no name"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", type=utf8, metavar="SESSION", help="session id, its start, or a name")
    parser.add_argument("name", type=utf8, metavar="NAME", help="the new name; empty removes it")


def run(args: argparse.Namespace) -> int:
    with db_access.database(db_access.settings_of(args).db, quiet=args.quiet) as database:
        [session_id] = resolve_sessions(database.conn, [args.session])
        database.write(lambda conn: rename_session(conn, session_id, args.name))
        name = get_session(database.conn, session_id).name
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"id": session_id, "name": name})
    else:
        emit(f"{session_id} is now called {inline(name)}\n" if name else f"{session_id} has no name\n")
    return 0
