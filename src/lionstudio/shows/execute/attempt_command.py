"""What the agent of a play is asked, and the command that asks it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from lionstudio.errors import LionError
from lionstudio.files.definitions.playbooks import Playbook
from lionstudio.model.shows.plan import Plan, PlannedPlay
from lionstudio.runs.environment import plain_environment, secrets_in
from lionstudio.runs.prepare.playbook_steps import get_playbook
from lionstudio.runs.prepare.resolve import ResolvedAgent, resolve_agent
from lionstudio.settings import Settings
from lionstudio.system.li_process import li_argv

SILENCE = 3600.0  # seconds without a word, a tool call or a result: longer than any build that is worth waiting for
_UNATTENDED = "edit"  # what an agent may do in its checkout when its definition does not say
_SCREEN = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS")
_AGAIN = "Your last attempt did not pass. What was found:"
_CONFLICT = """\
Your work conflicts with what other plays have merged meanwhile. This checkout is in the middle of that merge: resolve
the conflicts in the files below, keep what both sides want, and leave no conflict markers."""
_GO_ON = "You were interrupted by a usage limit. Go on where you stopped; what you did so far is in this folder."


def who_plays(plan: Plan, play: PlannedPlay, settings: Settings) -> ResolvedAgent | None:
    """The agent of a play, as the user's repository and home define it; None when only its playbook knows."""
    where = plan.repo or os.getcwd()
    target = play.agent or _first_agent(play, settings, where) or plan.agent
    return resolve_agent(target, settings, where) if target is not None else None


def _first_agent(play: PlannedPlay, settings: Settings, where: str) -> str | None:
    if play.playbook is None:
        return None
    playbook: Playbook = get_playbook(play.playbook, settings, where)
    model = playbook.options.get("model")
    return next(iter(playbook.agents), None) or (model if isinstance(model, str) else None)


def providers_of(plan: Plan, settings: Settings) -> dict[str, str]:
    """Which provider runs each play; one that cannot be told counts against no limit."""
    found = {}
    for play in plan.plays:
        try:
            who = who_plays(plan, play, settings)
        except LionError:
            continue  # told when the play is started
        if who is not None:
            found[play.name] = who.provider
    return found


def attempt_argv(plan: Plan, play: PlannedPlay, meta: Mapping[str, Any], settings: Settings) -> tuple[str, ...]:
    """The words that run an attempt; its prompt comes by standard input."""
    common = [
        "--quiet",
        "--show-topic",
        plan.topic,
        "--show-play-name",
        play.name,
        "--session-id",
        str(meta["session_id"]),
        "--cwd",
        str(meta["worktree"]),
        "--timeout",
        str(plan.timeout_of(play.name)),
        *(["--definitions", plan.repo] if plan.repo else []),
        *(["--effort", play.effort] if play.effort else []),
    ]
    resumed = meta.get("resume")
    if play.playbook is not None and (resumed is None or play.agent is None):
        agent = ["--agent", play.agent] if play.agent else []
        args = [word for name, value in play.args.items() for word in ("--arg", f"{name}={value}")]
        return tuple(li_argv("play", play.playbook, "-", *agent, *args, *common))
    who = who_plays(plan, play, settings)
    target = play.agent or plan.agent
    if who is None or target is None:
        raise LionError(f"nobody plays {play.name}", hint="name an `agent` in the plan, for the play or for the show")
    free = [] if who.permissions else ["--permissions", _UNATTENDED]
    resume = ["--resume", str(resumed)] if resumed else []
    return tuple(li_argv("agent", target, "-", *free, *resume, *common))


def attempt_prompt(play: PlannedPlay, meta: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> str:
    """What the agent is asked in this attempt: the task, and what went wrong before."""
    task = (play.prompt or "").rstrip() + "\n"
    if meta.get("resume"):
        return f"{task}\n{_GO_ON}\n"
    conflict = conflict_of(meta)
    if conflict is not None:
        return f"{task}\n{_CONFLICT}\n\n{_quoted(chr(10).join(conflict['files']))}\n"
    if int(meta.get("attempt", 1)) > 1:
        return f"{task}\n{_AGAIN}\n\n{_quoted(_found(meta, verdict))}\n"
    return task


def conflict_of(meta: Mapping[str, Any]) -> dict[str, Any] | None:
    """The conflict that this attempt is to resolve."""
    found = meta.get("conflict")
    return found if isinstance(found, dict) and found.get("attempt") == int(meta.get("attempt", 1)) - 1 else None


def _found(meta: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> str:
    """The verdict about the attempt before, in full; or the reason that a person or the director gave."""
    if verdict is not None and verdict.get("attempt") == int(meta["attempt"]) - 1 and not verdict.get("gate_passed"):
        said = str(verdict.get("feedback") or "")
        reason = str(meta.get("redo") or "")
        return said if reason in said or not reason else f"{reason}\n{said}"
    return str(meta.get("redo") or "it was to be done again")


def _quoted(text: str) -> str:
    """What others said never begins a line, so that it is not taken for a word of the task."""
    return "\n".join(f"> {line}" for line in text.splitlines())


def gate_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What commands of the plan get: they run what an agent wrote, so nothing that is secret."""
    return _without_secrets(plain_environment(environ))


def notify_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What tells a person gets: the same, and the way to their screen."""
    return _without_secrets(plain_environment(environ, also=_SCREEN))


def _without_secrets(passed: dict[str, str]) -> dict[str, str]:
    secret = secrets_in(passed)
    return {name: value for name, value in passed.items() if value not in secret}
