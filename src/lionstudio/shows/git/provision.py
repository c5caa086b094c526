"""What a checkout needs besides its commit: files that git ignores, and what setup commands make.

None of it is the agent's work, so all of it is kept out of what is collected.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from lionstudio.errors import Conflict, InvalidInput, LionError
from lionstudio.model.shows.plan import Command, Plan
from lionstudio.shows.git.untrusted_git_dir import put_files
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filenames import shown
from lionstudio.system.run_command import run_command
from lionstudio.system.safe_read import is_within

SETUP_SECONDS = 1800.0  # for one command; installing dependencies takes its time


class NotReady(Conflict):
    """A merge result in which the gates cannot even begin."""


@contextmanager
def provision(source: str, path: str, plan: Plan, env: Mapping[str, str], logs: str) -> Iterator[None]:
    """A laid-out merge result with what gates need in it; torn down afterwards."""
    try:
        try:
            copied = copy_files(source, path, plan.copy)
            put_files(path, {"info/exclude": "".join(f"{line}\n" for line in as_patterns(copied)).encode()})
            set_up(path, plan.setup, env, logs)
        except LionError as error:
            raise NotReady(f"{error.message}, in the merge result", hint=error.hint) from None
        yield
    finally:
        tear_down(path, plan.teardown, env, logs)


def copy_files(source: str, target: str, wanted: Sequence[str]) -> list[str]:
    """Copy what the plan names from the user's folder; gives the copied names. What is tracked is there already."""
    copied = []
    for pattern in wanted:
        _check(pattern)
        found = sorted(glob.glob(pattern, root_dir=source, include_hidden=True, recursive=True))
        for name in (name for name in found if not _is_git(name)):
            if _copy(source, target, name.rstrip("/")):
                copied.append(name.rstrip("/"))
    return copied


def _check(pattern: str) -> None:
    parts = pattern.split("/")
    if os.path.isabs(pattern) or ".." in parts or "\0" in pattern or not pattern.strip():
        raise InvalidInput(
            f"{shown(pattern)!r} cannot be copied into a checkout",
            hint="name files of the repository, relative to its top",
        )


def _is_git(name: str) -> bool:
    return ".git" in name.lower().split("/")


def _copy(source: str, target: str, name: str) -> bool:
    origin, place = os.path.join(source, name), os.path.join(target, name)
    if os.path.lexists(place):
        return False
    # the folder above may be a link that somebody committed
    if not is_within(origin, source) or not is_within(os.path.dirname(place), target):
        raise InvalidInput(
            f"{shown(name)} leads out of the repository", hint="put the file itself there, or drop it from copy"
        )
    make_folder(os.path.dirname(place))
    if os.path.isdir(origin):
        shutil.copytree(origin, place, symlinks=True, ignore=_never)
    elif os.path.isfile(origin):
        shutil.copy2(origin, place)
    else:
        raise InvalidInput(f"{shown(name)} is neither a file nor a folder", hint="drop it from copy")
    return True


def _never(folder: str, names: list[str]) -> set[str]:
    """Pipes and devices would hold the copy for ever; links that lead out would take the agent there."""
    return {name for name in names if name == ".git" or not _may_go(os.path.join(folder, name), folder)}


def _may_go(path: str, folder: str) -> bool:
    if os.path.islink(path):
        return not os.path.isabs(os.readlink(path)) and is_within(path, folder)
    return os.path.isdir(path) or os.path.isfile(path)


def set_up(path: str, commands: Sequence[Command], env: Mapping[str, str], logs: str) -> None:
    """Run the setup commands in order; the first that fails is raised with its last words."""
    for number, command in enumerate(commands, 1):
        log = os.path.join(logs, f"setup-{number}.log")
        outcome = run_command(command, path, env, timeout=SETUP_SECONDS, log=log)
        if not outcome.ok:
            raise Conflict(
                f"the setup command `{shown(' '.join(command))}` failed: {outcome.sentence(SETUP_SECONDS)}"
                f"{_last_line(outcome.tail)}",
                hint=f"its output is in {log}",
            )


def tear_down(path: str, commands: Sequence[Command], env: Mapping[str, str], logs: str) -> list[str]:
    """Run the teardown commands, all of them; gives what went wrong."""
    wrong = []
    for number, command in enumerate(commands, 1):
        log = os.path.join(logs, f"teardown-{number}.log")
        outcome = run_command(command, path, env, timeout=SETUP_SECONDS, log=log)
        if not outcome.ok:
            wrong.append(f"the teardown command `{shown(' '.join(command))}`: {outcome.sentence(SETUP_SECONDS)}")
    return wrong


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return f" ({shown(lines[-1])[:200]})" if lines else ""


def as_patterns(names: Sequence[str]) -> Iterator[str]:
    """Names as lines of an ignore file that mean exactly them; one with a line break cannot be written there."""
    for name in names:
        if "\n" not in name:
            yield "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", name)
