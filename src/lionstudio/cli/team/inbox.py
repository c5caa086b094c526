"""`li team inbox`: what others wrote to a member and the member has not read."""

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
    ("li team inbox review --member analyst", "what is new for the analyst"),
    ("li team inbox review --member analyst --mark-read", "the same, and note that it was read"),
    ("li team inbox review --member analyst --all --json", "everything that was ever written to the analyst"),
)


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the team, by name or id")
    parser.add_argument("--member", metavar="M", required=True, help="whose inbox")
    parser.add_argument("--all", action="store_true", help="also what was read already")
    parser.add_argument("--mark-read", action="store_true", help="note that the member has read what is printed")


def run(args: argparse.Namespace) -> int:
    """Print the inbox."""
    with team_context(args, writes=args.mark_read) as here:
        found = here.teams.get(args.name)
        messages = inbox(found, args.member, unread=not args.all)
        new = [message.id for message in messages if args.member not in message.read_by]
        _print(found.team.id, messages, args)
        # only what was printed is marked: what arrives meanwhile, or was never seen, stays new
        flush()
        if args.mark_read and new:
            warn(here.teams.mark_read(found.team.id, args.member, new), args)
    if not messages:
        say(f"Nothing new for {inline(args.member)}.", quiet=args.quiet)
    return 0


def _print(team_id: str, messages: list[TeamMessage], args: argparse.Namespace) -> None:
    if args.json:
        from lionstudio.cli._toolkit.json_output import print_json

        wires = [message_wire(message) for message in messages]
        print_json({"team_id": team_id, "member": args.member, "messages": wires, "marked": args.mark_read})
    else:
        emit_lines(message_lines(messages, styles_for(sys.stdout, refused=args.no_color), whole=True))
