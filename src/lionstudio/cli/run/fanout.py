"""`li fanout`: the same task for several agents at once, and one answer made of theirs."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.args import integer, words
from lionstudio.cli.run.agent import add_run_options
from lionstudio.errors import InvalidInput

DESCRIPTION = """\
Give the same task to several agents at once, each on a branch of one session; --synthesis names an agent that makes one
answer of theirs."""
EXAMPLES = (
    ('li fanout claude "find the bug" --workers 3', "three at once"),
    ('li fanout codex "propose a design" --workers 4 --synthesis claude', "and one who decides"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li fanout`."""
    add = parser.add_argument
    add("target", type=words, metavar="AGENT", help="an agent's name, or provider[/model]")
    add("prompt", nargs="?", metavar="PROMPT", help="what all are asked; - or nothing reads standard input")
    add("--workers", type=integer(1, 32), default=3, metavar="N", help="how many (3)")
    add("--synthesis", type=words, metavar="AGENT", help="who makes one answer of all")
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run them; the exit code of the first that did not complete."""
    from lionstudio.cli.run import _start
    from lionstudio.cli.run._execute import read_prompt
    from lionstudio.model.status.statuses import InvocationKind
    from lionstudio.runs.prepare.build import prepare_steps
    from lionstudio.runs.prepare.flow import fanout_steps

    place = _start.place_of(args)
    prompt = read_prompt(args.prompt, quiet=args.quiet)
    if not prompt.strip():
        raise InvalidInput("there is no prompt", hint='li fanout AGENT "what to do"')
    who = _start.chosen_who(args, place, args.target)
    synthesis = _start.chosen_who(args, place, args.synthesis) if args.synthesis else None
    steps = fanout_steps(who, prompt, args.workers, synthesis)
    team, link = _start.team_of(args, place), _start.link_of(args)
    prepared = prepare_steps(place, link, InvocationKind.FANOUT, steps, team=team)
    return _start.launch(args, place, prepared, prompt, args.timeout, team)
