"""Shared by `agent`, `play`, `flow` and `fanout`: turn options into a run and start it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.run import _execute
from lionstudio.errors import InvalidInput
from lionstudio.runs.prepare import resolve
from lionstudio.runs.prepare.build import PreparedRun, RunContext, ShowLink
from lionstudio.runs.prepare.confinement import ConfinementRequest
from lionstudio.runs.prepare.project import project_of
from lionstudio.runs.prepare.resolve import ResolvedAgent
from lionstudio.settings import Settings
from lionstudio.system.json_read import read_object

if TYPE_CHECKING:
    from lionstudio.teams.prompt import TeamMode

_MOST_PINNED = 5_000_000  # bytes


def context_of(args: argparse.Namespace) -> RunContext:
    cwd = os.path.abspath(args.cwd or os.getcwd())
    if not os.path.isdir(cwd):
        raise InvalidInput(f"folder {cwd} does not exist", hint="pass an existing folder with --cwd")
    for name in args.pass_env:
        if name not in os.environ:
            say(f"Warning: --pass-env {inline(name)}: this variable is not set", quiet=args.quiet)
    settings = db_access.settings_of(args)
    if args.cwd is not None and args.definitions is None:
        settings = settings._replace(project=project_of(cwd, settings, os.environ))
    if args.show_topic is None:
        say_untrusted(settings, cwd, quiet=args.quiet)
    confine = ConfinementRequest(args.sandbox, args.show_topic is not None, tuple(args.readable))
    return RunContext(settings, cwd, os.environ, tuple(args.pass_env), args.definitions, confine)


def say_untrusted(settings: Settings, cwd: str, *, quiet: bool) -> None:
    """Say which definitions of the project are not used."""
    from lionstudio.files.definitions.search_paths import project_paths

    for place in project_paths(settings.home, cwd):
        if place.hint is not None:
            say(f"Not using {inline(place.path)}: {inline(place.refused or '')}. Allow it: {place.hint}", quiet=quiet)


def link_of(args: argparse.Namespace) -> ShowLink:
    return ShowLink(args.name, args.show_topic, args.show_play_name, args.session_id, args.retries)


def team_of(args: argparse.Namespace, context: RunContext, default: str | None = None) -> TeamMode | None:
    """The team the agents join; a background run reads it in its own process."""
    name, member = args.team_mode or default, getattr(args, "member", None)
    if member is not None and not name:
        raise InvalidInput("--as needs a team", hint="name it with --team-mode TEAM")
    if not name or args.background:
        return None
    from lionstudio.teams.prompt import TeamMode  # most agents are in no team

    return TeamMode(context.settings, name, member=member)


def agent_of(args: argparse.Namespace, context: RunContext, target: str) -> ResolvedAgent:
    """Resolve an agent and apply the options of the command line to it."""
    if getattr(args, "review_by", None) is not None:
        return _reviewer(args.review_by)
    agent = resolve.resolve_agent(target, context.settings, args.definitions or context.cwd)
    overrides = {"model": args.model, "effort": args.effort, "permissions": args.permissions, "system": args.system}
    command = getattr(args, "rest", None)
    agent = agent._replace(**{name: value for name, value in overrides.items() if value is not None})
    return agent._replace(options={**agent.options, "command": command}) if command else agent


def _reviewer(path: str) -> ResolvedAgent:
    """The agent that a show pinned as a reviewer: it reads, and what it reads does not steer it."""
    record = read_object(path, most=_MOST_PINNED)
    pinned = resolve.PinnedAgent.load(record, str(record.get("folder")))
    return pinned.resolve()._replace(permissions="ask", untrusted_material=True)


def launch(
    args: argparse.Namespace,
    context: RunContext,
    prepared: PreparedRun,
    prompt: str,
    timeout: float | None,
    team: TeamMode | None,
) -> int:
    """Run in this process or in the background; returns the exit code."""
    if team is not None and team.outsiders:
        who, members = ", ".join(map(inline, team.outsiders)), ", ".join(map(inline, team.members))
        say(f"Not a member of the team: {who}. Choose one of its members with --as: {members}", quiet=args.quiet)
    if (editors := prepared.concurrent_editors) and args.show_topic is None:
        say(
            f"Warning: {len(editors)} agents may edit files in {inline(context.cwd)} at once and overwrite "
            "each other. In a show, each has its own checkout: li show plan TOPIC",
            quiet=args.quiet,
        )
    if args.background:
        from lionstudio.cli.run._background import start

        variables = {name for part in prepared.parts for name in part.task.env}
        return start(args, sys.argv[1:], context, prepared.session.id, prompt, variables)
    return _execute.run_session(args, context.settings, prepared, timeout, team=team)
