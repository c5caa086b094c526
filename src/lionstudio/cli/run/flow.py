"""`li flow`: run a small graph of agents that pass answers on."""

from __future__ import annotations

import argparse
import re

from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run.agent import add_run_options
from lionstudio.errors import InvalidInput

DESCRIPTION = """\
Run a small graph of agents in one session, each on its own branch. A step is NAME=AGENT:PROMPT. {NAME} in a prompt
stands for the answer of that step, which runs first. {input} stands for INPUT."""
EXAMPLES = (
    (
        'li flow "add a --dry-run option" --step "plan=claude:Plan this: {input}" --step "code=codex:Do this: {plan}"',
        "plan, then code",
    ),
    (
        'li flow parser --step "a=claude:Review {input}" --step "b=codex:Test {input}" --step "c=claude:Merge {a} {b}"',
        "two steps in parallel, then one that reads both",
    ),
)
_STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)=([^:]+):(.+)", re.DOTALL)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("prompt", nargs="?", metavar="INPUT", help="value of {input}; - reads stdin (default: empty)")
    add("--step", action="append", default=[], type=utf8, metavar="NAME=AGENT:PROMPT", help="one step; repeatable")
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the steps; the exit code is that of the first that did not complete."""
    if not args.step:
        raise InvalidInput(
            "a flow needs at least one --step", hint='li flow INPUT --step "plan=claude:Plan this: {input}"'
        )
    from lionstudio.cli.run import _start
    from lionstudio.cli.run._execute import read_prompt
    from lionstudio.model.status.statuses import InvocationKind
    from lionstudio.runs.prepare.build import prepare_steps
    from lionstudio.runs.prepare.flow import Step, unknown_slots

    context = _start.context_of(args)
    text = read_prompt(args.prompt, quiet=args.quiet) if args.prompt is not None else ""
    steps = []
    for argument in args.step:
        match = _STEP.fullmatch(argument)
        if match is None:
            raise InvalidInput(f"{argument!r:.80} is not a step", hint="write it as NAME=AGENT:PROMPT")
        name, target, prompt = match.groups()
        agent = _start.agent_of(args, context, target.strip())
        steps.append(Step(name, agent, prompt.strip(), input=text))
    for slot in unknown_slots(steps) if len(steps) > 1 else []:
        say(f"Warning: {{{slot}}} is not a step; the prompt keeps it as text", quiet=args.quiet)
    team = _start.team_of(args, context)
    prepared = prepare_steps(context, _start.link_of(args), InvocationKind.FLOW, steps, team=team)
    return _start.launch(args, context, prepared, text, args.timeout, team)
