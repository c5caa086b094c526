"""`li team send`: write to a member, to some, or to all; agents call this from a shell."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.team._context import message_wire, team_context, warn
from lionstudio.errors import InvalidInput
from lionstudio.teams.service import MOST_TEXT, running_session

DESCRIPTION = """\
Write a message to a member of a team, to some, or to all. The message is on the disk when this returns. In a
run that Lion Studio started, the message is linked to that run."""
EXAMPLES = (
    ('li team send review "Start with the parser" --from critic --to analyst', "to one member"),
    ('li team send review "I am done" --from analyst', "to all"),
    ("git diff | li team send review - --from analyst --to critic", "the text from standard input"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the team, by name or id")
    parser.add_argument("text", metavar="TEXT", help="what to write, - to read standard input")
    parser.add_argument("--from", dest="sender", metavar="X", default="_cli", help="who writes (%(default)s)")
    parser.add_argument("--to", metavar="Y", action="append", help="a member, several as a,b, or all (all)")


def run(args: argparse.Namespace) -> int:
    """Write the message."""
    text = _standard_input() if args.text == "-" else args.text
    to = [name.strip() for given in args.to or ["all"] for name in given.split(",") if name.strip()]
    with team_context(args) as here:
        session_id = running_session(here.db)
        sent = here.teams.send(args.name, text, sender=args.sender, to=to, session_id=session_id)
        warn(sent, args)
    (message,) = sent.messages
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"message": message_wire(message), "team_id": sent.team.id, "in_table": sent.unstored is None})
    else:
        to_whom = "everyone" if message.recipient == "all" else inline(message.recipient)
        emit(f"Sent to {to_whom} in {inline(sent.team.name)} ({message.id})\n")
    return 0


def _standard_input() -> str:
    content = sys.stdin.buffer.read(4 * MOST_TEXT + 1)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InvalidInput("standard input is not UTF-8", hint="convert it first, or send a path to it") from None
