"""What may be started from a page, word by word: verbs, their targets and their options, and nothing else.

A value is always one word with its option, so that it can never be taken for another.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.system.filenames import check_name

_SHARED = frozenset({"name", "model", "effort", "permissions", "system", "timeout", "cwd", "team_mode"})
# What runs agents: what may be given to each, beside its prompt and its target.
RUNS: Mapping[str, frozenset[str]] = {
    "agent": _SHARED | {"resume", "fork"},
    "play": _SHARED | {"arg", "agent"},
    "flow": _SHARED | {"step"},
    "fanout": _SHARED | {"workers", "synthesis"},
}


class LaunchTask(NamedTuple):
    """A command that runs no agent by itself: its words, and its options."""

    argv: tuple[str, ...]
    options: frozenset[str] = frozenset()


# What brings things in or takes them away; `verb target` of a launch is the key.
TASKS: Mapping[str, LaunchTask] = {
    "mirror claude": LaunchTask(("mirror", "claude")),
    "mirror codex": LaunchTask(("mirror", "codex")),
    "import runs": LaunchTask(("state", "import")),
    "import shows": LaunchTask(("state", "import-shows")),
    "import teams": LaunchTask(("state", "import-teams")),
    "prune sessions": LaunchTask(
        ("state", "prune", "--yes"), frozenset({"keep_days", "keep_n", "orphan_progressions"})
    ),
}
VERBS = (*RUNS, *dict.fromkeys(name.split()[0] for name in TASKS))
SHOW_ACTIONS = ("run", "approve", "reject", "redo", "escalate", "abort", "resume")
_ABOUT_PLAYS = frozenset({"approve", "reject", "redo", "escalate"})
_ABOUT_SHOWS = frozenset({"run", "resume", "abort", "approve", "reject"})
_DETACHED = frozenset({"run", "resume"})
_REPEATED = frozenset({"arg", "step"})
_SWITCHES = frozenset({"orphan_progressions"})
_WITH_TARGET = frozenset({"agent", "play", "fanout"})


def run_argv(verb: str, target: str | None, options: Mapping[str, Any], session_id: str) -> list[str]:
    """The words of a run of agents, or a refusal; its prompt comes by standard input."""
    words = [verb]
    if verb in _WITH_TARGET:
        words.append(_target(target))
    elif target is not None:
        raise InvalidInput(f"{verb} takes no target", hint="give its steps as options")
    return [*words, "-", *_options(verb, RUNS[verb], options), "--session-id", session_id]


def task_argv(verb: str, target: str | None, options: Mapping[str, Any]) -> list[str]:
    """The words of a task, or a refusal."""
    task = TASKS.get(f"{verb} {target}")
    if task is None:
        targets = ", ".join(name.split()[1] for name in TASKS if name.split()[0] == verb)
        known = f"{verb} takes one of: {targets}" if targets else f"use one of: {', '.join(VERBS)}"
        raise InvalidInput(f"{verb!r:.40} cannot be launched with {target!r:.40}", hint=known)
    return [*task.argv, *_options(verb, task.options, options)]


def show_argv(
    action: str, topic: str, play: str | None, feedback: str | None, granted: Mapping[str, Any] | None = None
) -> list[str]:
    """The words of a person's word about a show or one of its plays; `granted` is what it may spend beyond its plan."""
    if action not in SHOW_ACTIONS:
        raise InvalidInput(f"{action!r:.40} is nothing that can be done", hint=f"use one of: {', '.join(SHOW_ACTIONS)}")
    if action not in (_ABOUT_SHOWS if play is None else _ABOUT_PLAYS):
        raise InvalidInput(f"{action} is about {'a play' if play is None else 'the whole show'}", hint="look at `play`")
    if granted and (action != "approve" or play is not None):
        raise InvalidInput("a budget is granted by approving the whole show", hint="leave `play` out, or the amounts")
    words = ["show", action, check_name(topic, "topic"), *([] if play is None else [check_name(play, "play")])]
    if action in _DETACHED:
        return [*words, "--detach"]
    # a word is of use when somebody takes it up: a director is started where there is none
    words += ["--resume"] if action in _ABOUT_PLAYS else []
    words += [f"--{name}={value}" for name, value in (granted or {}).items()]
    return words if feedback is None else [*words, f"--feedback={_word('feedback', feedback)}"]


def _target(target: str | None) -> str:
    # provider/model is two names; each is checked like any other that comes from outside
    parts = (target or "").split("/", 1)
    return "/".join(check_name(part, "target") for part in parts)


def _options(verb: str, allowed: frozenset[str], given: Mapping[str, Any]) -> list[str]:
    words: list[str] = []
    for name, value in given.items():
        if name not in allowed:
            raise InvalidInput(f"{verb} has no option {name!r:.40}", hint=f"it has: {', '.join(sorted(allowed))}")
        words += _option(name, value)
    return words


def _option(name: str, value: Any) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if name in _SWITCHES:
        return [flag] if value else []
    if name in _REPEATED:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise InvalidInput(f"{name} is a list of texts")
        return [f"{flag}={_word(name, each)}" for each in value]
    if name == "cwd" and not (isinstance(value, str) and os.path.isabs(value) and os.path.isdir(value)):
        raise InvalidInput("cwd is not an existing folder", hint="give an absolute path")
    return [f"{flag}={_word(name, value)}"]


def _word(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or "\0" in str(value):
        raise InvalidInput(f"{name} must be a text or a whole number, not {value!r:.60}")
    return str(value)
