"""`li play`: run a playbook with your input and arguments."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.args import utf8
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run.agent import add_run_options
from lionstudio.errors import InvalidInput

DESCRIPTION = """\
Run a playbook (`li playbooks ls`): fill its prompt with your input and arguments and run its agents in its mode (agent,
flow or fanout). The `artifacts` of the playbook are checked at the end; a missing required one fails the run."""
EXAMPLES = (
    ('li play audit "the parser"', "a playbook with input"),
    ('li play audit "the parser" --arg mode=security', "with an argument"),
    ("li play audit --agent claude/opus --timeout 1800", "with another agent, stopped after half an hour"),
)


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("playbook", type=utf8, metavar="PLAYBOOK", help="playbook name")
    add("prompt", nargs="?", metavar="INPUT", help="value of {input}; - reads stdin (default: empty)")
    add(
        "--arg",
        action="append",
        default=[],
        type=utf8,
        metavar="NAME=VALUE",
        help="argument of the playbook; repeatable",
    )
    add("--agent", type=utf8, metavar="AGENT", help="agent to run (default: from the playbook)")
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the playbook; the exit code is that of the first agent that did not complete."""
    from lionstudio.cli.run import _start
    from lionstudio.cli.run._execute import read_prompt
    from lionstudio.model.status.statuses import InvocationKind
    from lionstudio.runs.prepare.build import prepare_steps
    from lionstudio.runs.prepare.playbook_steps import get_playbook, plan_playbook
    from lionstudio.runs.prepare.repeat import playbook_request

    context = _start.context_of(args)
    playbook = get_playbook(args.playbook, context.settings, args.definitions or context.cwd)
    text = read_prompt(args.prompt, quiet=args.quiet) if args.prompt is not None else ""
    planned = plan_playbook(
        playbook, text, _pairs(args.arg), lambda target: _start.agent_of(args, context, target), agent=args.agent
    )
    for slot in planned.unknown:
        say(f"Warning: {{{slot}}} is neither an argument nor a step; the prompt keeps it as text", quiet=args.quiet)
    team, link = _start.team_of(args, context, planned.team), _start.link_of(args)
    prepared = prepare_steps(
        context,
        link,
        InvocationKind.PLAY,
        planned.steps,
        team=team,
        playbook_name=planned.name,
        artifacts=planned.artifacts,
        request=playbook_request(args.playbook, vars(args), text, args.arg),
    )
    return _start.launch(args, context, prepared, text, args.timeout or planned.timeout, team)


def _pairs(arguments: list[str]) -> dict[str, str]:
    pairs = {}
    for text in arguments:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidInput(f"invalid argument {text!r:.60}", hint="--arg NAME=VALUE")
        pairs[name.strip()] = value
    return pairs
