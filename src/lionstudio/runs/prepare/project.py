"""Where a run happens: its project's top folder and the commit it started from, read without starting git.

Reading the files is enough, and nothing that a repository's configuration names is executed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from lionstudio.errors import LionError
from lionstudio.settings import Settings, load_settings

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def top_folder(cwd: str) -> str | None:
    """The nearest folder at or above that is a git checkout."""
    folder = os.path.abspath(cwd)
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def project_name(cwd: str) -> str | None:
    """The name of the checkout's folder, None outside of one."""
    top = top_folder(cwd)
    return None if top is None else os.path.basename(top) or None


def project_of(repo: str, settings: Settings, environ: Mapping[str, str]) -> str | None:
    """What a run would belong to that is started in a repository: by the settings there, else by its name."""
    try:
        given = load_settings({"home": settings.home}, environ, repo).project
    except LionError:
        given = settings.project
    return given or project_name(repo)


def commit_of(cwd: str) -> str | None:
    """The commit that is checked out, None where there is none or it cannot be told."""
    top = top_folder(cwd)
    git = None if top is None else _git_folder(top)
    if git is None:
        return None
    head = _line(os.path.join(git, "HEAD"))
    if head is None or not head.startswith("ref: "):
        return head if head and _COMMIT.fullmatch(head) else None
    name = head[5:].strip()
    shared = _line(os.path.join(git, "commondir"))
    for folder in (git, os.path.normpath(os.path.join(git, shared)) if shared else git):
        commit = _line(os.path.join(folder, name)) or _packed(os.path.join(folder, "packed-refs"), name)
        if commit and _COMMIT.fullmatch(commit):
            return commit
    return None


def _git_folder(top: str) -> str | None:
    path = os.path.join(top, ".git")
    if os.path.isdir(path):
        return path
    pointer = _line(path)  # a worktree or submodule: "gitdir: …"
    if pointer is None or not pointer.startswith("gitdir: "):
        return None
    return os.path.normpath(os.path.join(top, pointer[8:]))


def _line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline(4096).strip()
    except (OSError, ValueError):
        return None


def _packed(path: str, name: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return next((line[:-1].split(" ")[0] for line in file if line.rstrip("\n").endswith(" " + name)), None)
    except (OSError, ValueError):
        return None
