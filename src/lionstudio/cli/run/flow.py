"""`li flow`: a few agents one after the other or beside each other, answers passed on."""

from __future__ import annotations

import argparse
import re

from lionstudio.cli._toolkit.args import words
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run.agent import add_run_options
from lionstudio.errors import InvalidInput

DESCRIPTION = """\
Run a small graph of agents in one session, each on a branch of its own. A step is NAME=AGENT:PROMPT; {NAME} in a
prompt is the answer of that step, which is waited for. {input} is what was given on the command line."""
EXAMPLES = (
    (
        'li flow "add a --dry-run option" --step "plan=claude:Plan this: {input}" --step "code=codex:Do this: {plan}"',
        "a plan, then the work",
    ),
    (
        'li flow parser --step "a=claude:Review {input}" --step "b=codex:Test {input}" --step "c=claude:Merge {a} {b}"',
        "two beside each other, then one who reads both",
    ),
)
_STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)=([^:]+):(.+)", re.DOTALL)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li flow`."""
    add = parser.add_argument
    add("prompt", nargs="?", metavar="INPUT", help="what {input} stands for; - reads standard input")
    add("--step", action="append", default=[], type=words, metavar="NAME=AGENT:PROMPT", help="a step; repeatable")
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the steps; the exit code of the first that did not complete."""
    if not args.step:
        raise InvalidInput("a flow needs at least one --step", hint='--step "plan=claude:Plan this: {input}"')
    from lionstudio.cli.run import _start
    from lionstudio.cli.run._execute import read_prompt
    from lionstudio.model.status.statuses import InvocationKind
    from lionstudio.runs.prepare.build import prepare_steps
    from lionstudio.runs.prepare.flow import Step, unknown_slots

    place = _start.place_of(args)
    given = read_prompt(args.prompt, quiet=args.quiet) if args.prompt is not None else ""
    steps = []
    for text in args.step:
        found = _STEP.fullmatch(text)
        if found is None:
            raise InvalidInput(f"{text!r:.80} is not a step", hint="write it as NAME=AGENT:PROMPT")
        name, target, prompt = found.groups()
        who = _start.chosen_who(args, place, target.strip())
        steps.append(Step(name, who, prompt.strip(), input=given))
    for slot in unknown_slots(steps) if len(steps) > 1 else []:
        say(f"{{{slot}}} names no step and stays as it is", quiet=args.quiet)
    team = _start.team_of(args, place)
    prepared = prepare_steps(place, _start.link_of(args), InvocationKind.FLOW, steps, team=team)
    return _start.launch(args, place, prepared, given, args.timeout, team)
