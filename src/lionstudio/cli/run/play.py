"""`li play`: run a playbook: its prompt with your arguments, its agents, in its mode."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.args import words
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run.agent import add_run_options
from lionstudio.errors import InvalidInput

DESCRIPTION = """\
Run a playbook (`li playbooks ls`): its prompt with your input and arguments, by its agents, in its mode (agent, flow or
fanout)."""
EXAMPLES = (
    ('li play audit "the parser"', "a playbook with its input"),
    ('li play audit "the parser" --arg mode=security', "and an argument"),
    ("li play audit --agent claude/opus --timeout 1800", "by another agent, for half an hour at most"),
)


def register(parser: argparse.ArgumentParser) -> None:
    """Add the options of `li play`."""
    add = parser.add_argument
    add("playbook", type=words, metavar="PLAYBOOK", help="a playbook's name")
    add("prompt", nargs="?", metavar="INPUT", help="what {input} stands for; - reads standard input")
    add("--arg", action="append", default=[], type=words, metavar="NAME=VALUE", help="an argument; repeatable")
    add("--agent", type=words, metavar="AGENT", help="run it by this agent instead of the playbook's")
    add_run_options(parser)


def run(args: argparse.Namespace) -> int:
    """Run the playbook; the exit code of the first agent that did not complete."""
    from lionstudio.cli.run import _start
    from lionstudio.cli.run._execute import read_prompt
    from lionstudio.model.status.statuses import InvocationKind
    from lionstudio.runs.prepare.build import prepare_steps
    from lionstudio.runs.prepare.playbook_steps import get_playbook, plan_playbook

    place = _start.place_of(args)
    playbook = get_playbook(args.playbook, place.settings, args.definitions or place.cwd)
    text = read_prompt(args.prompt, quiet=args.quiet) if args.prompt is not None else ""
    planned = plan_playbook(
        playbook, text, _pairs(args.arg), lambda target: _start.chosen_who(args, place, target), agent=args.agent
    )
    for slot in planned.unknown:
        say(f"{{{slot}}} names nothing and stays as it is", quiet=args.quiet)
    team, link = _start.team_of(args, place, planned.team), _start.link_of(args)
    prepared = prepare_steps(place, link, InvocationKind.PLAY, planned.steps, team=team, playbook_name=planned.name)
    return _start.launch(args, place, prepared, text, args.timeout or planned.timeout, team)


def _pairs(given: list[str]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidInput(f"{text!r:.60} is not an argument", hint="write it as --arg NAME=VALUE")
        pairs[name.strip()] = value
    return pairs
