"""Folders with definitions: the home, `.lionagi` in the project and its parents, and Claude's own folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.files.definitions.trust import FOLDER, check_folder, trust_command
from lionstudio.system.safe_read import list_folder

SHOW_DEFINITIONS = "definitions"  # in the home: projects that workers made of the definitions of shows


class SearchPath(NamedTuple):
    """A folder that may contain definitions; `refused` is the reason when it is not read."""

    path: str
    origin: str  # project | home | marketplace | claude
    refused: str | None = None
    hint: str | None = None  # the command after which it is read
    digests: Mapping[str, str] | None = None  # of the files of a project: only these bytes are used


def definition_paths(home: str, cwd: str) -> list[SearchPath]:
    """List the folders of `agents` and `playbooks`. The home is first: a project replaces nothing in it.

    A show of workers is played with exactly the definitions that came with it, whatever the home here has.
    """
    projects = project_paths(home, cwd)
    if os.path.dirname(os.path.realpath(cwd)) == os.path.join(os.path.realpath(home), SHOW_DEFINITIONS):
        return [place for place in projects if place.path == os.path.join(os.path.abspath(cwd), FOLDER)]
    return [SearchPath(home, "home"), *projects]


def skill_paths(home: str, cwd: str, claude: str) -> list[SearchPath]:
    return [*definition_paths(home, cwd), SearchPath(claude, "claude")]


def plugin_paths(home: str, claude: str) -> list[SearchPath]:
    """List the folders that are searched for plugins."""
    return [
        SearchPath(os.path.join(home, "plugins"), "home"),
        *_marketplaces(home),
        SearchPath(os.path.join(claude, "plugins"), "claude"),
    ]


def claude_folder(environ: dict[str, str] | None = None) -> str:
    """Return the configuration folder of Claude Code."""
    path = (os.environ if environ is None else environ).get("CLAUDE_CONFIG_DIR")
    return os.path.abspath(os.path.expanduser(path or "~/.claude"))


def _marketplaces(home: str) -> list[SearchPath]:
    try:
        items = list_folder(home)
    except LionError:
        return []
    return [
        SearchPath(item.path, "marketplace") for item in items if item.folder and item.name.startswith("marketplace")
    ]


def project_paths(home: str, cwd: str) -> list[SearchPath]:
    """List every `.lionagi` at or above a folder, nearest first, except the home and the default home."""
    homes = {os.path.realpath(home), os.path.realpath(os.path.expanduser(f"~/{FOLDER}"))}
    paths, folder = [], os.path.abspath(cwd)
    while True:
        candidate = os.path.join(folder, FOLDER)
        if os.path.isdir(candidate) and os.path.realpath(candidate) not in homes:
            paths.append(_project(home, candidate))
        parent = os.path.dirname(folder)
        if parent == folder:
            return paths
        folder = parent


def _project(home: str, folder: str) -> SearchPath:
    """Refuse a folder of another user, which anyone can create above ours (in /tmp), and one that is not trusted."""
    try:
        status = os.lstat(folder)
    except OSError as error:
        return SearchPath(folder, "project", f"it cannot be read ({error.strerror})")
    if status.st_uid not in (os.geteuid(), 0):
        return SearchPath(folder, "project", f"it belongs to another user (uid {status.st_uid})")
    if stat.S_ISLNK(status.st_mode):
        return SearchPath(folder, "project", "it is a symbolic link")
    refusal, digests = check_folder(home, folder)
    return SearchPath(folder, "project", refusal, None if refusal is None else trust_command(folder), digests)
