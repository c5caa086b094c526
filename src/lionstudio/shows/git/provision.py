"""Provide a checkout with more than its commit: files that git ignores, and the results of setup commands.

None of it is the agent's work, so all of it is excluded from collection.
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
from lionstudio.runs.redaction import StreamRedactor
from lionstudio.shows.git.untrusted_git_dir import write_git_files
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.filenames import shown
from lionstudio.system.run_command import run_command
from lionstudio.system.safe_read import is_within
from lionstudio.system.sandbox.sandbox import Sandbox

SETUP_SECONDS = 1800.0  # for one command; installing dependencies may take long


class NotReady(Conflict):
    """The setup of a merge result failed, so its gates cannot run."""


@contextmanager
def provision(
    source: str | None, path: str, plan: Plan, env: Mapping[str, str], logs: str, sandbox: Sandbox | None = None
) -> Iterator[None]:
    """Copy files and run setup in a checked-out merge result; run teardown afterwards."""
    try:
        try:
            copied = copy_files(source, path, plan.copy)
            write_git_files(path, {"info/exclude": "".join(f"{line}\n" for line in ignore_patterns(copied)).encode()})
            set_up(path, plan.setup, env, logs, sandbox)
        except LionError as error:
            raise NotReady(f"{error.message} (in the merge result)", hint=error.hint) from None
        yield
    finally:
        tear_down(path, plan.teardown, env, logs, sandbox)


def copy_files(source: str | None, target: str, patterns: Sequence[str]) -> list[str]:
    """Copy the plan's files from the user's folder and return their names; tracked files already exist."""
    copied: list[str] = []
    if source is None and patterns:
        raise InvalidInput(
            "`copy` takes files from the user's folder, and the show has only its remote",
            hint="create the files with a `setup` command",
        )
    if source is None:
        return copied
    for pattern in patterns:
        _check(pattern)
        names = sorted(glob.glob(pattern, root_dir=source, include_hidden=True, recursive=True))
        for name in (name for name in names if ".git" not in name.lower().split("/")):
            if _copy(source, target, name.rstrip("/")):
                copied.append(name.rstrip("/"))
    return copied


def _check(pattern: str) -> None:
    parts = pattern.split("/")
    if os.path.isabs(pattern) or ".." in parts or "\0" in pattern or not pattern.strip():
        raise InvalidInput(
            f"{shown(pattern)!r} cannot be copied into a checkout",
            hint="use paths relative to the top of the repository",
        )


def _copy(source: str, target: str, name: str) -> bool:
    origin, copy = os.path.join(source, name), os.path.join(target, name)
    if os.path.lexists(copy):
        return False
    # its parent folder may be a committed link
    if not is_within(origin, source) or not is_within(os.path.dirname(copy), target):
        raise InvalidInput(
            f"{shown(name)} leads out of the repository", hint="replace the link by the file, or remove it from `copy`"
        )
    make_folder(os.path.dirname(copy))
    if os.path.isdir(origin):
        shutil.copytree(origin, copy, symlinks=True, ignore=_not_copied)
    elif os.path.isfile(origin):
        shutil.copy2(origin, copy)
    else:
        raise InvalidInput(f"{shown(name)} is neither a file nor a folder", hint="remove it from `copy`")
    return True


def _not_copied(folder: str, names: list[str]) -> set[str]:
    """Skip pipes and devices, which would block the copy, and links that lead out of the folder."""
    return {name for name in names if name == ".git" or not _is_safe(os.path.join(folder, name), folder)}


def _is_safe(path: str, folder: str) -> bool:
    if os.path.islink(path):
        return not os.path.isabs(os.readlink(path)) and is_within(path, folder)
    return os.path.isdir(path) or os.path.isfile(path)


def set_up(
    path: str, commands: Sequence[Command], env: Mapping[str, str], logs: str, sandbox: Sandbox | None = None
) -> None:
    """Run the setup commands in order; raise for the first that fails, with its last line of output."""
    for number, command in enumerate(commands, 1):
        log = os.path.join(logs, f"setup-{number}.log")
        result = run_command(
            command, path, env, timeout=SETUP_SECONDS, log=log, redact=StreamRedactor(), sandbox=sandbox
        )
        if not result.ok:
            raise Conflict(
                f"the setup command `{shown(' '.join(command))}` failed: {result.sentence(SETUP_SECONDS)}"
                f"{_last_line(result.tail)}",
                hint=f"see its output: {log}{network_hint(sandbox)}",
            )


def network_hint(sandbox: Sandbox | None) -> str:
    """Say how to give a failed command the network that its sandbox withholds."""
    withheld = sandbox is not None and not sandbox.network
    return "; it ran without network: `network: true` in the plan allows it" if withheld else ""


def tear_down(
    path: str, commands: Sequence[Command], env: Mapping[str, str], logs: str, sandbox: Sandbox | None = None
) -> list[str]:
    """Run all teardown commands; return the failures."""
    failures = []
    for number, command in enumerate(commands, 1):
        log = os.path.join(logs, f"teardown-{number}.log")
        result = run_command(
            command, path, env, timeout=SETUP_SECONDS, log=log, redact=StreamRedactor(), sandbox=sandbox
        )
        if not result.ok:
            failures.append(f"the teardown command `{shown(' '.join(command))}`: {result.sentence(SETUP_SECONDS)}")
    return failures


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return f" ({shown(lines[-1])[:200]})" if lines else ""


def ignore_patterns(names: Sequence[str]) -> Iterator[str]:
    """Turn names into ignore patterns that match exactly them; a name with a line break has none."""
    for name in names:
        if "\n" not in name:
            # git strips a carriage return at the end of a line, but not one in brackets
            yield "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", name).replace("\r", "[\r]")
