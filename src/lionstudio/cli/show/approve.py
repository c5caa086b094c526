"""`li show approve`: approve a play, accept a show, or raise its budget."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from lionstudio.cli._show.decide import add_arguments, find_decidable, record_decision
from lionstudio.cli._show.held_back import confirm_held_back
from lionstudio.cli._show.override import confirm_override
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import InvalidInput
from lionstudio.files.shows.plan_fields import duration, to_seconds
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Approve a play: it is merged, even if its gates failed. The gates that this overrides are listed, and you confirm it
(--yes without a terminal). Conflict markers and unencrypted secrets are merged only with --force. At the end, the final
gates, or without them the gates of the show, run on the merged work. Without PLAY, accept what the show holds back (an
edit that weakens its plan, commits that it did not make), which is listed for you to confirm; if it holds back nothing,
accept the show as it is: these gates run and the show ends. With --tokens, --cost or --time, raise the budget by that
amount; the show continues."""
EXAMPLES = (
    ("li show approve parser lexer", "merge a play"),
    ("li show approve parser lexer --resume", "and continue the show in the background"),
    ("li show approve parser lexer --yes", "override failed gates without being asked"),
    ("li show approve parser", "accept the merged work: run the final gates and end the show"),
    ("li show approve parser --tokens 500000 --cost 5", "raise the budget by 500,000 tokens and 5 dollars"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser, play_optional=True)
    parser.add_argument(
        "--yes", action="store_true", help="confirm what is overridden or accepted, without being asked"
    )
    parser.add_argument("--force", action="store_true", help="merge conflict markers and unencrypted secrets too")
    parser.add_argument("--tokens", type=_amount(1), metavar="N", help="raise the token budget by N")
    parser.add_argument("--cost", type=_amount(1_000_000), metavar="DOLLARS", help="raise the cost budget by DOLLARS")
    parser.add_argument("--time", type=_span, metavar="SPAN", help="raise the time budget (90s, 30m, 2h)")


def run(args: argparse.Namespace) -> int:
    amounts = {"tokens": args.tokens, "cost_microusd": args.cost, "seconds": args.time}
    budget = {name: value for name, value in amounts.items() if value is not None}
    if budget and args.play is not None:
        raise InvalidInput(
            "a budget applies to the whole show, not to a play", hint=f"li show approve {args.topic} --tokens N"
        )
    if args.play is not None and not confirm_override(args):
        say("Nothing changed.")
        return 1
    held = find_decidable(args) if args.play is None and not budget else None
    if held is not None and not confirm_held_back(args, held):
        say("Nothing changed.")
        return 1
    return record_decision(args, DecisionKind.APPROVE, budget=budget or None, force=args.force, held=held)


def _amount(unit: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 0 < number * unit < 10**15:
            raise argparse.ArgumentTypeError(f"{text!r:.60} is not an amount; use a number above zero")
        return round(number * unit)

    return convert


def _span(text: str) -> int:
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
    if duration(value) is not None:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a duration; use 90s, 30m or 2h")
    return to_seconds(value)
