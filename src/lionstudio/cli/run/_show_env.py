"""`li agent AGENT --show-env`: the names of the environment variables that an agent gets, never their values."""

from __future__ import annotations

import argparse

from lionstudio.cli._toolkit.json_output import print_json
from lionstudio.cli._toolkit.output import emit_lines
from lionstudio.cli._toolkit.terminal import say
from lionstudio.runs.environment import agent_environment, passes, withheld_keys
from lionstudio.runs.prepare.build import RunContext
from lionstudio.runs.prepare.resolve import ResolvedAgent


def show_env(args: argparse.Namespace, context: RunContext, agent: ResolvedAgent) -> int:
    also = (*context.pass_on, *agent.pass_env)
    env = agent_environment(context.environ, session_id="-", settings=context.settings, also=also)
    missing = [name for name in dict.fromkeys(also) if name not in context.environ]
    withheld = withheld_keys(context.environ, env)
    if args.json:
        sources = {name: _source(name, context, agent) for name in sorted(env)}
        print_json({"schema_version": 1, "variables": sources, "not_set": missing, "withheld_keys": withheld})
        return 0
    emit_lines(f"{name}\t{_source(name, context, agent)}" for name in sorted(env))
    if missing:
        say(f"Not set here: {', '.join(missing)}")
    if withheld:
        say(f"Not passed: {', '.join(withheld)}. Pass one with --pass-env NAME, or `pass_env` in the agent file.")
    return 0


def _source(name: str, context: RunContext, agent: ResolvedAgent) -> str:
    if name.startswith("LIONAGI_"):
        return "set by li"
    if name in context.pass_on:
        return "--pass-env"
    return "every agent" if passes(name) else f"pass_env of {agent.agent_name}"
