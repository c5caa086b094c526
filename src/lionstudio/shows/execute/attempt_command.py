"""The command, prompt and environment of an attempt."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lionstudio.errors import LionError
from lionstudio.files.definitions.agents import words
from lionstudio.files.definitions.playbooks import Playbook
from lionstudio.model.redaction.environment import secrets_in
from lionstudio.model.shows.plan import Plan, PlannedPlay
from lionstudio.runs.environment import passes, plain_environment
from lionstudio.runs.notifications.channels import notification_environment
from lionstudio.runs.prepare.confinement import choose_mode
from lionstudio.runs.prepare.playbook_steps import get_playbook
from lionstudio.runs.prepare.resolve import ResolvedAgent, resolve_agent
from lionstudio.settings import Settings, is_url
from lionstudio.system.li_process import li_argv

SILENCE_SECONDS = 3600.0  # without a message, tool call or result: longer than any build worth waiting for
_UNATTENDED = "edit"  # permissions of an agent whose definition sets none
_OURS = ("LIONAGI_", "PYTHON")
_OF_SERVER = "PG"  # PGPASSWORD, PGPASSFILE, PGSSLMODE, …
_AGAIN = "Your last attempt did not pass. The findings:"
_CONFLICT = """\
Your work conflicts with what other plays have merged meanwhile. This checkout is in the middle of that merge: resolve
the conflicts in the files below, keep what both sides want, and leave no conflict markers."""
_RESUMED = "You were interrupted by a usage limit. Go on where you stopped; what you did so far is in this folder."


def resolve_play_agent(plan: Plan, play: PlannedPlay, settings: Settings) -> ResolvedAgent | None:
    """Resolve the agent of a play from the user's repository and home; None when only its playbook names agents."""
    folder = plan.repo or os.getcwd()
    target = play.agent or _first_agent(play, settings, folder) or plan.agent
    return resolve_agent(target, settings, folder) if target is not None else None


def _first_agent(play: PlannedPlay, settings: Settings, folder: str) -> str | None:
    if play.playbook is None:
        return None
    playbook: Playbook = get_playbook(play.playbook, settings, folder)
    model = playbook.options.get("model")
    return next(iter(playbook.agents), None) or (model if isinstance(model, str) else None)


def providers_of(plan: Plan, settings: Settings) -> dict[str, str]:
    """Map plays to providers; a play whose provider is unknown counts against no limit."""
    providers = {}
    for play in plan.plays:
        try:
            agent = resolve_play_agent(plan, play, settings)
        except LionError:
            continue  # reported when the play starts
        if agent is not None:
            providers[play.name] = agent.provider
    return providers


def attempt_argv(
    plan: Plan, play: PlannedPlay, meta: Mapping[str, Any], settings: Settings, readable: Sequence[str] = ()
) -> tuple[str, ...]:
    """Build the argv of an attempt; the prompt comes on stdin. A confined agent sees its checkout and `readable`."""
    options = {
        "--show-topic": plan.topic,
        "--show-play-name": play.name,
        "--session-id": meta["session_id"],
        "--cwd": meta["worktree"],
        "--timeout": plan.timeout_of(play.name),
        "--definitions": plan.repo,
        "--effort": play.effort,
        "--retries": None if meta.get("resume") else meta.get("retries"),
    }
    common = ["--quiet", *(str(part) for option in options.items() if option[1] for part in option)]
    common += [part for name in plan.pass_env_of(play.name) for part in ("--pass-env", name)]
    common += sandbox_options(plan, play.name, settings, readable)
    if (permissions := _permissions(plan, play, settings)) is not None:
        common += ["--permissions", permissions]
    resume = meta.get("resume")
    if play.playbook is not None and (resume is None or play.agent is None):
        override = ["--agent", play.agent] if play.agent else []
        args = [part for name, value in play.args.items() for part in ("--arg", f"{name}={value}")]
        return tuple(li_argv("play", play.playbook, "-", *override, *args, *common))
    agent = resolve_play_agent(plan, play, settings)
    target = play.agent or plan.agent
    if agent is None or target is None:
        raise LionError(f"play {play.name} has no agent", hint="set `agent` in the plan, for the play or for the show")
    resumed = ["--resume", str(resume)] if resume else []
    return tuple(li_argv("agent", target, "-", *resumed, *common))


def sandbox_options(plan: Plan, play: str | None, settings: Settings, readable: Sequence[str]) -> list[str]:
    """Return the options of `li agent` for what the plan says about confinement."""
    mode = plan.sandbox_of(play)
    options = ["--sandbox", choose_mode(settings.sandbox, None, mode)] if mode else []
    return options + [part for folder in readable for part in ("--readable", folder)]


def _permissions(plan: Plan, play: PlannedPlay, settings: Settings) -> str | None:
    """Return the permissions by the plan; None where the definitions of its agents set their own."""
    if (planned := plan.permissions_of(play.name)) is not None:
        return planned
    folder, names = plan.repo or os.getcwd(), [name for name in (play.agent,) if name]
    if play.playbook is not None:
        playbook: Playbook = get_playbook(play.playbook, settings, folder)
        if any(playbook.options.get(key) for key in ("yolo", "bypass", "steps")):
            return None
        names = names or list(playbook.agents)
    names = names or ([plan.agent] if plan.agent else [])
    agents = [resolve_agent(name, settings, folder) for name in names]
    return None if any(agent.permissions for agent in agents) else _UNATTENDED


def attempt_prompt(play: PlannedPlay, meta: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> str:
    """Build the prompt of an attempt: the task, and the failure of the attempt before."""
    task = (play.prompt or "").rstrip() + "\n"
    if meta.get("resume"):
        return f"{task}\n{_RESUMED}\n"
    conflict = conflict_of(meta)
    if conflict is not None:
        return f"{task}\n{_CONFLICT}\n\n{_quoted(chr(10).join(conflict['files']))}\n"
    if int(meta.get("attempt", 1)) > 1:
        return f"{task}\n{_AGAIN}\n\n{_quoted(_failure(meta, verdict))}\n"
    return task


def conflict_of(meta: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the conflict that this attempt must resolve."""
    conflict = meta.get("conflict")
    previous = int(meta.get("attempt", 1)) - 1
    return conflict if isinstance(conflict, dict) and conflict.get("attempt") == previous else None


def _failure(meta: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> str:
    """Return the full verdict on the attempt before, or the reason of a person or the director."""
    if verdict is not None and verdict.get("attempt") == int(meta["attempt"]) - 1 and not verdict.get("gate_passed"):
        feedback = str(verdict.get("feedback") or "")
        reason = str(meta.get("redo") or "")
        return feedback if reason in feedback or not reason else f"{reason}\n{feedback}"
    return str(meta.get("redo") or "another attempt was requested")


def _quoted(text: str) -> str:
    """Quote text of others, so that no line of it reads as part of the task."""
    return "\n".join(f"> {line}" for line in text.splitlines())


def attempt_environment(environ: Mapping[str, str], also: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment of the supervisor and the recorder of an agent: what the agent may get, and ours.

    They connect to the hub, so they get the variables of its library too. The agent does not, unless `also` names
    them: the recorder passes on what an agent may get, and keeps its own memory private.
    """
    prefixes = (*_OURS, _OF_SERVER) if is_url(environ.get("LIONAGI_DB", "")) else _OURS
    ours = {name: value for name, value in environ.items() if passes(name) or name.startswith(prefixes)}
    return ours | {name: environ[name] for name in also if name in environ}


def variables_of(plan: Plan, play: PlannedPlay, settings: Settings) -> list[str]:
    """List the variables that the agents of a play get by the plan, its playbook and their definitions."""
    folder, names = plan.repo or os.getcwd(), [*plan.pass_env, *play.pass_env]
    targets: list[Any] = [play.agent, plan.agent]
    with suppress(LionError):  # reported when the play starts
        if play.playbook is not None:
            playbook: Playbook = get_playbook(play.playbook, settings, folder)
            steps = playbook.options.get("steps")
            fields = [step for step in steps.values() if isinstance(step, dict)] if isinstance(steps, dict) else []
            targets += [*playbook.agents, playbook.options.get("model"), playbook.options.get("with_synthesis")]
            targets += [step.get(key) for step in fields for key in ("agent", "model")]
            names += words(playbook.options.get("pass_env", []))
    for target in dict.fromkeys(target for target in targets if isinstance(target, str)):
        with suppress(LionError):
            names += resolve_agent(target, settings, folder).pass_env
    return names


def gate_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the plan's commands: they run code of an agent, so without secrets."""
    return _without_secrets(plain_environment(environ))


def notify_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of notifications: like gates, plus the variables of the desktop."""
    return notification_environment(environ)


def _without_secrets(environ: dict[str, str]) -> dict[str, str]:
    secrets = secrets_in(environ)
    return {name: value for name, value in environ.items() if value not in secrets}
