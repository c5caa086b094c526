"""`li play`: run a playbook: its prompt with your arguments, its agents, in its mode."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from lionstudio.cli.agent import add_run_options
from lionstudio.cli.parsing import words
from lionstudio.cli.terminal import say
from lionstudio.errors import InvalidInput

if TYPE_CHECKING:
    from lionstudio.files.playbooks import Playbook
    from lionstudio.live.flows import Step
    from lionstudio.settings import Settings

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
    from lionstudio.cli import sessions_of_steps as shared
    from lionstudio.cli.running import read_prompt
    from lionstudio.files.definitions import get_definition, load_value
    from lionstudio.files.playbooks import Playbook, bind, render, unknown_slots
    from lionstudio.model.statuses import InvocationKind

    settings, cwd = shared.open_settings(args), shared.working_folder(args)
    playbook = load_value(get_definition("playbook", args.playbook, settings.home, cwd))
    assert isinstance(playbook, Playbook)
    text = read_prompt(args.prompt) if args.prompt is not None else ""
    prompt = render(playbook, text, bind(playbook, _pairs(args.arg)))
    for slot in unknown_slots(playbook.prompt, playbook.args) if playbook.mode != "flow" else []:
        say(f"{{{slot}}} in the playbook names no argument and stays as it is", quiet=args.quiet)
    steps = _steps(args, playbook, prompt, settings, cwd)
    return shared.run_steps(
        args, settings, cwd, InvocationKind.PLAY, steps, name=playbook.name, prompt=text,
        timeout=playbook.options.get("timeout"), playbook_name=playbook.name,
    )  # fmt: skip


def _pairs(given: list[str]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InvalidInput(f"{text!r:.60} is not an argument", hint="write it as --arg NAME=VALUE")
        pairs[name.strip()] = value
    return pairs


def _steps(args: argparse.Namespace, playbook: Playbook, prompt: str, settings: Settings, cwd: str) -> list[Step]:
    from lionstudio.cli import sessions_of_steps as shared
    from lionstudio.live.flows import Step, fanout_steps

    usual = args.agent or next(iter(playbook.agents), None) or playbook.options.get("model")

    def who(target: Any) -> Any:
        if not isinstance(target, str):
            raise InvalidInput(f"the playbook {playbook.name} does not say who runs it", hint="add --agent AGENT")
        found = shared.chosen_who(args, target, settings, cwd)
        effort = playbook.options.get("effort")
        return found._replace(effort=found.effort or effort, permissions=found.permissions or _permissions(playbook))

    if playbook.mode == "fanout":
        synthesis = playbook.options.get("with_synthesis")
        judge = who(synthesis if isinstance(synthesis, str) else usual) if synthesis else None
        return fanout_steps(who(usual), prompt, int(playbook.options.get("workers") or 3), judge)
    listed = playbook.options.get("steps")
    if playbook.mode == "flow" and isinstance(listed, dict) and listed:
        return [_step(name, given, prompt, who, usual) for name, given in listed.items()]
    return [Step("main", who(usual), prompt)]


def _step(name: str, given: Any, prompt: str, who: Any, usual: Any) -> Step:
    from lionstudio.live.flows import Step

    if not isinstance(given, dict) or not isinstance(given.get("prompt"), str):
        raise InvalidInput(f"the step {name} has no prompt", hint="write `prompt: …` below its name")
    needs = given.get("needs") or given.get("depends_on") or []
    if not isinstance(needs, list):
        raise InvalidInput(f"`needs` of the step {name} must be a list of steps")
    agent = who(given.get("agent") or given.get("model") or usual)
    return Step(str(name), agent, given["prompt"], tuple(map(str, needs)), given=prompt)


def _permissions(playbook: Playbook) -> str | None:
    return "all" if playbook.options.get("yolo") or playbook.options.get("bypass") else None
