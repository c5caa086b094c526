"""The fields of a plan: the rule for each value, and the conversion of durations and commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from lionstudio.files.definitions.agents import EFFORTS
from lionstudio.files.formats import field_rules
from lionstudio.files.formats.field_rules import Rule, any_of
from lionstudio.model.shows.plan import PERMISSIONS, Command
from lionstudio.system.filenames import fault_of_name

_DAY = 86_400
_LONGEST = 30 * _DAY
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": _DAY}
_DURATION = re.compile(r"([0-9]{1,7})([smhd])")
# Stricter than git's rules for branches: no name can be misread by git or a shell.
_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}\Z")
_RESERVED = frozenset({"integration", "head"})
_REF = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._/+#=-]{0,200}\Z")
LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPERATORS = frozenset("();<>|&")


def fault_of_slug(name: object) -> str | None:
    """Return what is wrong with a topic or play name, None when it is valid."""
    if not isinstance(name, str):
        return "must be text; quote it"
    if fault_of_name(name) is not None or not _SLUG.match(name):
        return (
            "must be 1 to 63 lowercase letters, digits, dots, dashes and underscores, and start with a letter or digit"
        )
    if ".." in name or name.endswith((".lock", ".")):
        return "must not contain two dots in a row, or end in a dot or in .lock: git refuses such a branch"
    return f"is reserved: {name!r} has a meaning for git or the show" if name in _RESERVED else None


def play_name(value: Any) -> str | None:
    if isinstance(value, str) and value.endswith(".git"):
        return "must not end in .git: the director keeps its own git folder beside the checkouts"
    return fault_of_slug(value)


def branch(value: Any) -> str | None:
    good = isinstance(value, str) and _REF.match(value) and ".." not in value and "//" not in value
    good = good and not any(part.startswith(".") or part.endswith((".lock", ".")) for part in value.split("/"))
    return None if good and value[-1] != "/" else "must be a branch name"


def absolute_path(value: Any) -> str | None:
    good = isinstance(value, str) and value.isprintable() and (value.startswith("/") or value.split("/")[0] == "~")
    return None if good else "must be an absolute path; ~ is your home"


def repo_path(value: Any) -> str | None:
    parts = value.split("/") if isinstance(value, str) else [".."]
    good = value and not value.startswith(("/", "~")) and ".." not in parts and ".git" not in parts
    return None if good and value.isprintable() else "must be a path inside the repository"


def repo_paths(value: Any) -> str | None:
    good = isinstance(value, list) and all(repo_path(item) is None for item in value)
    return None if good else "must be a list of paths inside the repository"


def duration(value: Any) -> str | None:
    return (
        None
        if 1 <= to_seconds(value) <= _LONGEST
        else "must be a number of seconds, or a duration such as 90s, 30m or 2h"
    )


def to_seconds(value: Any) -> int:
    """Convert a duration to seconds; 0 when it is not valid."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) * _UNITS[match[2]] if match else 0


def dollars(value: Any) -> str | None:
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1_000_000
    return None if good else "must be an amount in US dollars, such as 2.50"


def url(value: Any) -> str | None:
    good = isinstance(value, str) and re.match(r"https?://[^\s/]+", value) and value.isprintable()
    return None if good else "must be a URL that starts with https:// or http://"


def command(value: Any) -> str | None:
    """Allow an argv list, or a command line without shell syntax."""
    if isinstance(value, list):
        good = value and all(isinstance(arg, str) and "\0" not in arg for arg in value) and value[0]
        return None if good else "must be a command: a string, or a list of strings"
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        return "must be a command: a string, or a list of strings"
    try:
        lexer = shlex.shlex(value, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        needs_shell = any(set(token) <= _OPERATORS for token in lexer if token)
    except ValueError as error:
        return f"must be a command with closed quotes ({error})".lower()
    if needs_shell or "$(" in value or "`" in value or "\n" in value.strip():
        return 'runs without a shell, so `&&`, pipes and `$(…)` do not work (use `[sh, -c, "…"]`)'
    return None


def argv_of(value: Any) -> Command:
    """Return the argv of a valid command."""
    return tuple(value) if isinstance(value, list) else tuple(shlex.split(value))


def commands(value: Any) -> str | None:
    items = value if isinstance(value, list) else [value]
    return next((fault for item in items if (fault := command(item)) is not None), None)


def remote(value: Any) -> str | None:
    good = isinstance(value, str) and value.isprintable() and value.strip() == value and not value.startswith("-")
    return None if good and value else "must be `origin`, or the address or path of a git repository"


def labels(value: Any) -> str | None:
    items = value if isinstance(value, list) else [value]
    good = all(isinstance(item, str) and LABEL.fullmatch(item) for item in items)
    return None if good else "must be a list of labels of workers, such as [gpu, docker]"


def name_list(value: Any) -> str | None:
    items = value if isinstance(value, list) else [value]
    return None if all(isinstance(item, str) and item for item in items) else "must be a list of names"


def variables(value: Any) -> str | None:
    good = isinstance(value, list) and all(isinstance(item, str) and _VARIABLE.fullmatch(item) for item in value)
    return None if good else "must be a list of names of environment variables, without values"


def provider_limits(value: Any) -> str | None:
    good = isinstance(value, dict) and all(
        isinstance(limit, int) and not isinstance(limit, bool) and 1 <= limit <= 1000 for limit in value.values()
    )
    return None if good else "must be `provider: number`, each number at least 1"


def arguments(value: Any) -> str | None:
    good = isinstance(value, dict) and all(isinstance(item, (str, int, float)) for item in value.values())
    return None if good else "must be `argument: value`"


PLAN_RULES: Mapping[str, Rule] = {
    "goal": field_rules.text,
    "repo": absolute_path,
    "base_branch": branch,
    "integration_branch": branch,
    "agent": field_rules.text,
    "plays": any_of(field_rules.sequence, field_rules.mapping),
    "gates": field_rules.any_value,
    "final_gates": field_rules.any_value,
    "max_attempts": field_rules.integer(1, 100),
    "timeout": duration,
    "concurrency": field_rules.integer(1, 1000),
    "provider_limits": provider_limits,
    "budget": field_rules.mapping,
    "setup": commands,
    "teardown": commands,
    "copy": repo_paths,
    "notify": field_rules.mapping,
    "permissions": field_rules.one_of(*PERMISSIONS),
    "pass_env": variables,
    "sandbox": field_rules.sandbox,
    "network": field_rules.boolean,
    "deciders": field_rules.text_list,
    "remote": remote,
    "needs": labels,
}
PLAY_RULES: Mapping[str, Rule] = {
    "name": play_name,
    "playbook": field_rules.text,
    "prompt": field_rules.text,
    "intent": field_rules.text,
    "agent": field_rules.text,
    "args": arguments,
    "effort": field_rules.one_of(*EFFORTS),
    "depends_on": name_list,
    "gates": field_rules.any_value,
    "max_attempts": field_rules.integer(1, 100),
    "timeout": duration,
    "permissions": field_rules.one_of(*PERMISSIONS),
    "pass_env": variables,
    "sandbox": field_rules.sandbox,
    "network": field_rules.boolean,
    "needs": labels,
}
GATE_RULES: Mapping[str, Rule] = {
    "command": command,
    "review": field_rules.text,
    "person": any_of(field_rules.boolean, field_rules.text),
    "prompt": field_rules.text,
    "timeout": duration,
}
BUDGET_RULES: Mapping[str, Rule] = {"tokens": field_rules.integer(1, 10**15), "cost": dollars, "time": duration}
NOTIFY_RULES: Mapping[str, Rule] = {"desktop": field_rules.boolean, "webhook": url, "command": command}
