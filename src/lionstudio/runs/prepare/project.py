"""The project and commit of a run, read from the files of its checkout without starting git.

Reading files executes nothing that a repository's configuration names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from lionstudio.errors import LionError
from lionstudio.settings import Settings, load_settings

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def top_folder(cwd: str) -> str | None:
    """The top folder of the git checkout that holds `cwd`."""
    folder = os.path.abspath(cwd)
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def project_name(cwd: str) -> str | None:
    """The name of the checkout's folder; None outside a checkout."""
    top = top_folder(cwd)
    return None if top is None else os.path.basename(top) or None


def project_of(repo: str, settings: Settings, environ: Mapping[str, str]) -> str | None:
    """The project of runs in a repository: by the settings there, else the name of its folder."""
    try:
        project = load_settings({"home": settings.home}, environ, repo).project
    except LionError:
        project = settings.project
    return project or project_name(repo)


def commit_of(cwd: str) -> str | None:
    """The commit that is checked out; None when there is none or it cannot be read."""
    top = top_folder(cwd)
    git = None if top is None else _git_folder(top)
    if git is None:
        return None
    head = _read_line(os.path.join(git, "HEAD"))
    if head is None or not head.startswith("ref: "):
        return head if head and _COMMIT.fullmatch(head) else None
    name = head[5:].strip()
    shared = _read_line(os.path.join(git, "commondir"))
    for folder in (git, os.path.normpath(os.path.join(git, shared)) if shared else git):
        commit = _read_line(os.path.join(folder, name)) or _read_packed_ref(os.path.join(folder, "packed-refs"), name)
        if commit and _COMMIT.fullmatch(commit):
            return commit
    return None


def _git_folder(top: str) -> str | None:
    path = os.path.join(top, ".git")
    if os.path.isdir(path):
        return path
    pointer = _read_line(path)  # a worktree or submodule: "gitdir: …"
    if pointer is None or not pointer.startswith("gitdir: "):
        return None
    return os.path.normpath(os.path.join(top, pointer[8:]))


def _read_line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline(4096).strip()
    except (OSError, ValueError):
        return None


def _read_packed_ref(path: str, name: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return next((line[:-1].split(" ")[0] for line in file if line.rstrip("\n").endswith(" " + name)), None)
    except (OSError, ValueError):
        return None
