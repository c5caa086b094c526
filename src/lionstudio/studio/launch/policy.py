"""The commands that a page may start: an allow-list of verbs, targets and options.

A value is always one argument with its option (`--name=value`), so that it cannot be parsed as another option.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.status.statuses import PLAYS, SHOWS
from lionstudio.model.transcript_tools import TRANSCRIPT_TOOLS
from lionstudio.studio.schemas.shows import Action
from lionstudio.system.filenames import check_name

_SHARED = frozenset(
    {"name", "model", "effort", "permissions", "system", "timeout", "cwd", "team_mode", "sandbox", "retries"}
)
# Commands that run agents, and the options of each beside its prompt and target.
RUNS: Mapping[str, frozenset[str]] = {
    "agent": _SHARED | {"resume", "fork"},
    "play": _SHARED | {"arg", "agent"},
    "flow": _SHARED | {"step"},
    "fanout": _SHARED | {"workers", "synthesis"},
}


class LaunchTask(NamedTuple):
    """A command that does not run an agent: its argv, and its options."""

    argv: tuple[str, ...]
    options: frozenset[str] = frozenset()


# Imports and deletions, by `verb target` of the launch.
TASKS: Mapping[str, LaunchTask] = {
    **{f"mirror {tool}": LaunchTask(("mirror", tool)) for tool in TRANSCRIPT_TOOLS},
    "import runs": LaunchTask(("state", "import")),
    "import shows": LaunchTask(("state", "import-shows")),
    "import teams": LaunchTask(("state", "import-teams")),
    "demo show": LaunchTask(("demo", "--here")),
    "fix doubles": LaunchTask(("state", "doctor", "--fix-doubles", "--yes")),
    "prune sessions": LaunchTask(
        ("state", "prune", "--yes", "--json"), frozenset({"keep_days", "keep_n", "orphan_progressions"})
    ),
}
PLAN = "plan"  # writes the plan of a show, whose topic is the target
_PLAN_OPTIONS = frozenset({"cwd", "goal", "agent", "base"})
VERBS = (*RUNS, PLAN, *dict.fromkeys(name.split()[0] for name in TASKS))
SHOW_ACTIONS = tuple(str(action) for action in Action)
_ABOUT_PLAYS = frozenset(decision for row in PLAYS.values() for decision in row.decisions)
# approve and reject answer a question of the director about the show
_ABOUT_SHOWS = frozenset(decision for row in SHOWS.values() for decision in row.decisions) | {
    "run",
    "approve",
    "reject",
}
_DETACHED = frozenset({"run", "resume"})
_REPEATED = frozenset({"arg", "step"})
_SWITCHES = frozenset({"orphan_progressions"})
_WITH_TARGET = frozenset({"agent", "play", "fanout"})


def run_argv(verb: str, target: str | None, options: Mapping[str, Any], session_id: str) -> list[str]:
    """The argv of an agent run, or InvalidInput; the prompt goes to stdin."""
    argv = [verb]
    if verb in _WITH_TARGET:
        argv.append(_target(target))
    elif target is not None:
        raise InvalidInput(f"{verb} does not take a target", hint="pass its steps as options")
    return [*argv, "-", *_options(verb, RUNS[verb], options), "--session-id", session_id]


def task_argv(verb: str, target: str | None, options: Mapping[str, Any]) -> list[str]:
    """The argv of a task, or InvalidInput."""
    if verb == PLAN:
        words = _options(verb, _PLAN_OPTIONS, options)
        repo = [f"--repo={word.removeprefix('--cwd=')}" if word.startswith("--cwd=") else word for word in words]
        return ["show", "plan", check_name(target or "", "topic"), *repo]
    task = TASKS.get(f"{verb} {target}")
    if task is None:
        targets = ", ".join(name.split()[1] for name in TASKS if name.split()[0] == verb)
        hint = f"targets of {verb}: {targets}" if targets else f"use one of: {', '.join(VERBS)}"
        raise InvalidInput(f"unknown launch: {verb!r:.40} with target {target!r:.40}", hint=hint)
    return [*task.argv, *_options(verb, task.options, options)]


def show_argv(
    action: str,
    topic: str,
    play: str | None,
    feedback: str | None,
    granted: Mapping[str, Any] | None = None,
    shown: Mapping[str, Any] | None = None,
    question: str | None = None,
) -> list[str]:
    """The argv of a decision about a show or one of its plays: `granted` raises the budget, `shown` is its subject."""
    if action not in SHOW_ACTIONS:
        raise InvalidInput(f"unknown action {action!r:.40}", hint=f"use one of: {', '.join(SHOW_ACTIONS)}")
    if action not in (_ABOUT_SHOWS if play is None else _ABOUT_PLAYS):
        raise InvalidInput(
            f"{action} applies to {'a play' if play is None else 'the whole show'}",
            hint="set `play`" if play is None else "omit `play`",
        )
    if granted and (action != "approve" or play is not None):
        raise InvalidInput("only approving the whole show raises its budget", hint="omit `play`, or omit the amounts")
    subject = _subject_options(action, play, shown or {}, asks=not granted)
    argv = ["show", action, check_name(topic, "topic"), *([] if play is None else [check_name(play, "play")])]
    if action in _DETACHED:
        return [*argv, "--detach"]
    # a decision needs a director: start one where none is running
    argv += ["--resume"] if action in _ABOUT_PLAYS else []
    argv += ["--yes"] if action == "approve" else []  # the page has asked, about this subject
    argv += subject
    argv += [] if question is None else [f"--question={question}"]
    argv += [f"--{name}={value}" for name, value in (granted or {}).items()]
    return argv if feedback is None else [*argv, f"--feedback={_value('feedback', feedback)}"]


def _subject_options(action: str, play: str | None, shown: Mapping[str, Any], *, asks: bool) -> list[str]:
    """The options that name what the person saw; what a show holds back must be named to be decided."""
    about_held = play is None and action in ("approve", "reject") and asks
    allowed = {"attempt", "head"} if play is not None else {"plan", "commits"} if about_held else set()
    if unknown := sorted(set(shown) - allowed):
        raise InvalidInput(f"{action} does not take {unknown[0]} here", hint=f"omit `{unknown[0]}`")
    if about_held:
        return [f"--plan={shown.get('plan') or ''}", f"--commits={','.join(shown.get('commits') or ())}"]
    return [f"--{name}={value}" for name, value in shown.items()]


def _target(target: str | None) -> str:
    # provider/model is two names; each is checked like every name from outside
    parts = (target or "").split("/", 1)
    return "/".join(check_name(part, "target") for part in parts)


def _options(verb: str, allowed: frozenset[str], options: Mapping[str, Any]) -> list[str]:
    argv: list[str] = []
    for name, value in options.items():
        if name not in allowed:
            raise InvalidInput(f"{verb} has no option {name!r:.40}", hint=f"options: {', '.join(sorted(allowed))}")
        argv += _option(name, value)
    return argv


def _option(name: str, value: Any) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if name in _SWITCHES:
        return [flag] if value else []
    if name in _REPEATED:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise InvalidInput(f"{name} must be a list of strings")
        return [f"{flag}={_value(name, item)}" for item in value]
    if name == "cwd" and not (isinstance(value, str) and os.path.isabs(value) and os.path.isdir(value)):
        raise InvalidInput("cwd is not an existing folder", hint="use an absolute path")
    return [f"{flag}={_value(name, value)}"]


def _value(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or "\0" in str(value):
        raise InvalidInput(f"{name} must be a string or an integer, not {value!r:.60}")
    return str(value)
