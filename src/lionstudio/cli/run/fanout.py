"""`li fanout`: give one task to several agents and combine their answers."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.args import integer, utf8
from lionstudio.cli.run.agent import add_run_options
from lionstudio.errors import InvalidInput

DESCRIPTION = """\
Give the same task to several agents at once, each on its own branch of one session. With --synthesis, one more agent
combines their answers."""
EXAMPLES = (
    ('li fanout claude "find the bug" --workers 3', "three agents at once"),
    ('li fanout codex "propose a design" --workers 4 --synthesis claude', "four proposals, combined by Claude Code"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("target", type=utf8, metavar="AGENT", help="agent name, or provider[/model]")
    add("prompt", nargs="?", metavar="PROMPT", help="the prompt; omit it or pass - to read stdin")
    add("--workers", type=integer(1, 32), default=3, metavar="N", help="number of agents (default %(default)s)")
    add("--synthesis", type=utf8, metavar="AGENT", help="agent that combines the answers (default: none)")
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the agents; the exit code is that of the first that did not complete."""
    from lionstudio.cli.run import _start
    from lionstudio.cli.run._execute import read_prompt
    from lionstudio.model.status.statuses import InvocationKind
    from lionstudio.runs.prepare.build import prepare_steps
    from lionstudio.runs.prepare.flow import fanout_steps

    context = _start.context_of(args)
    prompt = read_prompt(args.prompt, quiet=args.quiet)
    if not prompt.strip():
        raise InvalidInput("the prompt is empty", hint='li fanout AGENT "your prompt"')
    agent = _start.agent_of(args, context, args.target)
    synthesis = _start.agent_of(args, context, args.synthesis) if args.synthesis else None
    steps = fanout_steps(agent, prompt, args.workers, synthesis)
    team, link = _start.team_of(args, context), _start.link_of(args)
    prepared = prepare_steps(context, link, InvocationKind.FANOUT, steps, team=team)
    return _start.launch(args, context, prepared, prompt, args.timeout, team)
