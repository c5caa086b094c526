"""`li team send`: send a message to one, several or all members; agents call it from a shell."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli.team._context import message_wire, team_context, warn
from lionstudio.errors import InvalidInput
from lionstudio.teams.service import MAX_TEXT_LENGTH, current_session_id

DESCRIPTION = """\
Send a message to one, several or all members of a team. The message is on disk when the command returns. Inside a run
started by Lion Studio, the message is linked to that run."""
EXAMPLES = (
    ('li team send review "Start with the parser" --from critic --to analyst', "to one member"),
    ('li team send review "I am done" --from analyst', "to all"),
    ("git diff | li team send review - --from analyst --to critic", "read the text from stdin"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="team name or id")
    parser.add_argument("text", metavar="TEXT", help="message text; - reads stdin")
    parser.add_argument("--from", dest="sender", metavar="X", default="_cli", help="sender (default %(default)s)")
    parser.add_argument(
        "--to",
        metavar="Y",
        action="append",
        help="recipient: a member, several as a,b, or all; repeatable (default all)",
    )


def run(args: argparse.Namespace) -> int:
    text = _read_stdin() if args.text == "-" else args.text
    to = [name.strip() for value in args.to or ["all"] for name in value.split(",") if name.strip()]
    with team_context(args) as context:
        session_id = current_session_id(context.db)
        sent = context.teams.send(args.name, text, sender=args.sender, to=to, session_id=session_id)
        warn(sent, args)
    (message,) = sent.messages
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        print_json({"message": message_wire(message), "team_id": sent.team.id, "in_table": sent.unstored is None})
    else:
        recipient = "everyone" if message.recipient == "all" else inline(message.recipient)
        emit(f"Sent to {recipient} in {inline(sent.team.name)} ({message.id})\n")
    return 0


def _read_stdin() -> str:
    content = sys.stdin.buffer.read(4 * MAX_TEXT_LENGTH + 1)
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise InvalidInput("stdin is not UTF-8", hint="convert the text to UTF-8, or send a file path") from None
