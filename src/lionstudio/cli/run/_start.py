"""Shared by `agent`, `play`, `flow` and `fanout`: turn options into a run and start it."""

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


def context_of(args: argparse.Namespace) -> RunContext:
    cwd = os.path.abspath(args.cwd or os.getcwd())
    if not os.path.isdir(cwd):
        raise InvalidInput(f"folder {cwd} does not exist", hint="pass an existing folder with --cwd")
    return RunContext(db_access.settings_of(args), cwd, os.environ, tuple(args.pass_env), args.definitions)


def link_of(args: argparse.Namespace) -> ShowLink:
    return ShowLink(args.name, args.show_topic, args.show_play_name, args.session_id)


def team_of(args: argparse.Namespace, context: RunContext, default: str | None = None) -> TeamMode | None:
    """The team the agents join; a background run reads it in its own process."""
    name = args.team_mode or default
    return TeamMode(context.settings, name) if name and not args.background else None


def agent_of(args: argparse.Namespace, context: RunContext, target: str) -> ResolvedAgent:
    """Resolve an agent and apply the options of the command line to it."""
    agent = resolve.resolve_agent(target, context.settings, args.definitions or context.cwd)
    overrides = {"model": args.model, "effort": args.effort, "permissions": args.permissions, "system": args.system}
    command = getattr(args, "rest", None)
    agent = agent._replace(**{name: value for name, value in overrides.items() if value is not None})
    return agent._replace(options={**agent.options, "command": command}) if command else agent


def launch(
    args: argparse.Namespace,
    context: RunContext,
    prepared: PreparedRun,
    prompt: str,
    timeout: float | None,
    team: TeamMode | None,
) -> int:
    """Run in this process or in the background; returns the exit code."""
    if args.background:
        from lionstudio.cli.run._background import start

        return start(args, sys.argv[1:], context.settings, prepared.session.id, prompt)
    return _execute.run_session(args, context.settings, prepared, timeout, begun=team.mark_read if team else None)
