"""`li state tag`: print, add and remove the tags of a session."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.errors import InvalidInput
from lionstudio.state.runs.labels import add_tags, list_tags, remove_tags
from lionstudio.state.runs.reference import resolve_sessions

DESCRIPTION = """\
Add tags to a session, or remove them with --remove; without a tag, print them. A tag is one word.
`li state ls --tag TAG` lists the sessions with a tag."""
EXAMPLES = (
    ("li state tag 019e2f3c customer keep", "add two tags"),
    ("li state tag 019e2f3c keep --remove", "remove one"),
    ("li state tag 019e2f3c", "print the tags"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", type=utf8, metavar="SESSION", help="session id, its start, or a name")
    parser.add_argument("tags", nargs="*", type=utf8, metavar="TAG", help="tags to add")
    parser.add_argument("--remove", action="store_true", help="remove the tags")


def run(args: argparse.Namespace) -> int:
    path = db_access.settings_of(args).db
    if args.tags:
        session_id, tags = _change(path, args)
    elif args.remove:
        raise InvalidInput("--remove needs a tag", hint="li state tag SESSION TAG --remove")
    else:
        with db_access.reading(path) as conn:
            [session_id] = resolve_sessions(conn, [args.session])
            tags = list_tags(conn, session_id)
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"id": session_id, "tags": tags})
    else:
        emit("".join(f"{inline(tag)}\n" for tag in tags))
    return 0


def _change(path: str, args: argparse.Namespace) -> tuple[str, list[str]]:
    change = remove_tags if args.remove else add_tags
    with db_access.database(path, quiet=args.quiet) as database:
        [session_id] = resolve_sessions(database.conn, [args.session])
        database.write(lambda conn: change(conn, session_id, args.tags))
        return session_id, list_tags(database.conn, session_id)
