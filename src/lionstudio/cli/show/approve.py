"""`li show approve`: let a play pass, accept a show as it is, or grant it more to spend."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from lionstudio.cli._show.decide import add_arguments, record_decision
from lionstudio.errors import InvalidInput
from lionstudio.files.shows.plan_fields import duration, seconds
from lionstudio.model.shows.decisions import DecisionKind

DESCRIPTION = """\
Let a play pass: it is merged, whatever its gates said. Without a play the show is accepted as it is: its final
gates look at what is merged and it ends. With --tokens, --cost or --time it goes on and may spend so much more than
its plan says."""
EXAMPLES = (
    ("li show approve parser lexer", "its work is merged"),
    ("li show approve parser lexer --resume", "and a director goes on with the show in the background"),
    ("li show approve parser", "what is merged is enough: run the final gates and end the show"),
    ("li show approve parser --tokens 500000 --cost 5", "half a million tokens and five dollars more"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li show approve`."""
    add_arguments(parser, play_may_be_missing=True)
    parser.add_argument("--tokens", type=_amount(1), metavar="N", help="grant the show so many tokens more")
    parser.add_argument("--cost", type=_amount(1_000_000), metavar="DOLLARS", help="grant it so much money more")
    parser.add_argument("--time", type=_span, metavar="SPAN", help="grant it so much time more (90s, 30m, 2h)")


def run(args: argparse.Namespace) -> int:
    """Leave the word."""
    given = {"tokens": args.tokens, "cost_microusd": args.cost, "seconds": args.time}
    budget = {name: value for name, value in given.items() if value is not None}
    if budget and args.play is not None:
        raise InvalidInput("a budget is about the whole show", hint=f"li show approve {args.topic} --tokens …")
    return record_decision(args, DecisionKind.APPROVE, budget=budget or None)


def _amount(unit: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        try:
            number = float(text)
        except ValueError:
            number = 0.0
        if not 0 < number * unit < 10**15:
            raise argparse.ArgumentTypeError(f"{text!r:.60} is no amount; give a number above zero")
        return round(number * unit)

    return convert


def _span(text: str) -> int:
    given = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
    if duration(given) is not None:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is no span of time; give 90s, 30m or 2h")
    return seconds(given)
