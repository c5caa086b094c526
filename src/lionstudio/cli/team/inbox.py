"""`li team inbox`: print the unread messages of a member."""

from __future__ import annotations

import argparse
import sys

from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import emit_lines, flush
from lionstudio.cli._toolkit.terminal import say, styles_for
from lionstudio.cli.team._context import message_wire, team_context, warn
from lionstudio.cli.team._render import message_lines
from lionstudio.model.teams import TeamMessage
from lionstudio.teams.service import inbox

EXAMPLES = (
    ("li team inbox review --as analyst", "unread messages of the analyst"),
    ("li team inbox review --as analyst --mark-read", "print them and mark them read"),
    ("li team inbox review --as analyst --all --json", "all messages to the analyst"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="team name or id")
    parser.add_argument(
        "--as", "--member", dest="member", metavar="MEMBER", required=True, help="member whose inbox to print"
    )
    parser.add_argument("--all", action="store_true", help="include messages already read")
    parser.add_argument("--mark-read", action="store_true", help="mark the printed messages as read")


def run(args: argparse.Namespace) -> int:
    with team_context(args, writes=args.mark_read) as context:
        team = context.teams.get(args.name)
        messages = inbox(team, args.member, unread=not args.all)
        unread = [message.id for message in messages if args.member not in message.read_by]
        _print(team.team.id, messages, args)
        # mark only printed messages: those that arrive meanwhile stay unread
        flush()
        if args.mark_read and unread:
            warn(context.teams.mark_read(team.team.id, args.member, unread), args)
    if not messages:
        say(f"No new messages for {inline(args.member)}.", quiet=args.quiet)
    return 0


def _print(team_id: str, messages: list[TeamMessage], args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        wires = [message_wire(message) for message in messages]
        print_json({"team_id": team_id, "member": args.member, "messages": wires, "marked": args.mark_read})
    else:
        emit_lines(message_lines(messages, styles_for(sys.stdout, refused=args.no_color), full=True))
