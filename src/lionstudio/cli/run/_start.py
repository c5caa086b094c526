"""What `agent`, `play`, `flow` and `fanout` share: from options to a run, here or in the background."""

from __future__ import annotations

import argparse
import os
import sys

from lionstudio.cli._toolkit import db_access
from lionstudio.cli.run import _execute
from lionstudio.errors import InvalidInput
from lionstudio.runs.prepare import resolve
from lionstudio.runs.prepare.build import PreparedRun, RunContext, ShowLink
from lionstudio.runs.prepare.resolve import ResolvedAgent
from lionstudio.teams.prompt import TeamMode


def place_of(args: argparse.Namespace) -> RunContext:
    """Where the agents work and what they may see."""
    cwd = os.path.abspath(args.cwd or os.getcwd())
    if not os.path.isdir(cwd):
        raise InvalidInput(f"there is no folder {cwd}", hint="give an existing one with --cwd")
    return RunContext(db_access.settings_of(args), cwd, os.environ, tuple(args.pass_env), args.definitions)


def link_of(args: argparse.Namespace) -> ShowLink:
    """What the run is called and belongs to."""
    return ShowLink(args.name, args.show_topic, args.show_play_name, args.session_id)


def team_of(args: argparse.Namespace, place: RunContext, usual: str | None = None) -> TeamMode | None:
    """The team the agents write to; a run in the background reads it for itself."""
    name = args.team_mode or usual
    return TeamMode(place.settings, name) if name and not args.background else None


def chosen_who(args: argparse.Namespace, place: RunContext, target: str) -> ResolvedAgent:
    """The agent of a name with what the command line says instead."""
    who = resolve.resolve_agent(target, place.settings, args.definitions or place.cwd)
    given = {"model": args.model, "effort": args.effort, "permissions": args.permissions, "system": args.system}
    command = getattr(args, "rest", None)
    changed = who._replace(**{name: value for name, value in given.items() if value is not None})
    return changed._replace(options={**who.options, "command": command}) if command else changed


def launch(
    args: argparse.Namespace,
    place: RunContext,
    prepared: PreparedRun,
    prompt: str,
    timeout: float | None,
    team: TeamMode | None,
) -> int:
    """Run it to its end, or start it in the background; the exit code."""
    if args.background:
        from lionstudio.cli.run._background import start

        return start(args, sys.argv[1:], place.settings, prepared.session.id, prompt)
    return _execute.run_session(args, place.settings, prepared, timeout, begun=team.mark_read if team else None)
