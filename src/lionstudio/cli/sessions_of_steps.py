"""What `play`, `flow` and `fanout` share: steps in one session, from the command line to the exit code."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from lionstudio.cli import running, stores
from lionstudio.cli.agent import session_name
from lionstudio.cli.team_mode import TeamMode
from lionstudio.cli.terminal import say
from lionstudio.errors import InvalidInput
from lionstudio.live import flows, planning
from lionstudio.live.flows import Step
from lionstudio.live.running import Part
from lionstudio.model.statuses import InvocationKind
from lionstudio.settings import Settings


def working_folder(args: argparse.Namespace) -> str:
    """The folder the agents work in."""
    cwd = os.path.abspath(args.cwd or os.getcwd())
    if not os.path.isdir(cwd):
        raise InvalidInput(f"there is no folder {cwd}", hint="give an existing one with --cwd")
    return cwd


def run_steps(
    args: argparse.Namespace,
    settings: Settings,
    cwd: str,
    kind: InvocationKind,
    steps: list[Step],
    *,
    name: str,
    prompt: str,
    timeout: float | None = None,
    **given: Any,
) -> int:
    """Run the steps in one session; the exit code."""
    steps = flows.check_steps(steps)
    for slot in flows.unknown_slots(steps) if len(steps) > 1 else []:
        say(f"{{{slot}}} names no step and stays as it is", quiet=args.quiet)
    who = steps[0].who if len({step.who.provider for step in steps}) == 1 else steps[0].who._replace(model=None)
    session = planning.new_session(
        settings, cwd, InvocationKind.SHOW_PLAY if args.show_topic else kind, who, session_id=args.session_id,
        name=session_name(args, name), show_topic=args.show_topic, show_play_name=args.show_play_name, **given,
    )  # fmt: skip

    team = TeamMode(settings, args.team_mode) if args.team_mode and not args.background else None

    def make_part(step: Step, text: str) -> Part:
        if team is not None:
            text = team.prompt(step.who.agent_name or step.name, text)
        return planning.new_part(
            step.who, text, session_id=session.id, settings=settings, cwd=cwd, environ=os.environ,
            name="main" if len(steps) == 1 else step.name, pass_on=tuple(args.pass_env),
        )  # fmt: skip

    parts = [make_part(step, step.prompt) for step in steps]  # refused now, not when their turn comes
    if args.background:
        from lionstudio.cli.background import start

        return start(args, sys.argv[1:], settings, session.id, prompt)
    limit = args.timeout or timeout
    return running.run_session(
        args, settings, session, parts, lambda live: flows.play_flow(live, steps, make_part), limit,
        several=len(steps) > 1, begun=team.mark_read if team else None,
    )  # fmt: skip


def chosen_who(args: argparse.Namespace, target: str, settings: Settings, cwd: str) -> planning.Who:
    """The agent of a name with what the command line says instead."""
    from lionstudio.cli.agent import chosen

    return chosen(args, planning.find_who(target, settings, cwd))


def open_settings(args: argparse.Namespace) -> Settings:
    """The settings of this command."""
    return stores.settings_of(args)
