"""Folders with definitions: `.lionagi` in the project and its parents, the home, and Claude's own folder."""

from __future__ import annotations

import os
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.system.safe_read import list_folder

FOLDER = ".lionagi"


class SearchPath(NamedTuple):
    """A folder that may contain definitions; `refused` is the reason when it is not read."""

    path: str
    origin: str  # project | home | marketplace | claude
    refused: str | None = None


def definition_paths(home: str, cwd: str) -> list[SearchPath]:
    """List the folders of `agents` and `playbooks`, nearest first."""
    return [*_projects(home, cwd), SearchPath(home, "home")]


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


def _projects(home: str, cwd: str) -> list[SearchPath]:
    """List every `.lionagi` at or above a folder, except the home and the default home."""
    homes = {os.path.realpath(home), os.path.realpath(os.path.expanduser(f"~/{FOLDER}"))}
    paths, folder = [], os.path.abspath(cwd)
    while True:
        candidate = os.path.join(folder, FOLDER)
        if os.path.isdir(candidate) and os.path.realpath(candidate) not in homes:
            paths.append(SearchPath(candidate, "project", _refusal(candidate)))
        parent = os.path.dirname(folder)
        if parent == folder:
            return paths
        folder = parent


def _refusal(folder: str) -> str | None:
    """Refuse a folder of another user: anyone can create one above ours, for example in /tmp."""
    try:
        owner = os.stat(folder).st_uid
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    return None if owner in (os.geteuid(), 0) else f"it belongs to another user (uid {owner})"
