"""Where definitions lie: `.lionagi` in the project and above, then the home; plugins also where Claude keeps them."""

from __future__ import annotations

import os
from typing import NamedTuple

from lionstudio.errors import LionError
from lionstudio.system.safe_read import list_folder

FOLDER = ".lionagi"


class SearchPath(NamedTuple):
    """A folder that may hold definitions; `refused` says why it is not read."""

    path: str
    origin: str  # project | home | marketplace | claude
    refused: str | None = None


def definition_paths(home: str, cwd: str) -> list[SearchPath]:
    """The folders whose `agents` and `playbooks` count, nearest first."""
    return [*_projects(home, cwd), SearchPath(home, "home")]


def skill_paths(home: str, cwd: str, claude: str) -> list[SearchPath]:
    """The folders whose `skills` count."""
    return [*definition_paths(home, cwd), SearchPath(claude, "claude")]


def plugin_paths(home: str, claude: str) -> list[SearchPath]:
    """The folders that are looked through for plugins; what belongs to other programs is only read."""
    return [
        SearchPath(os.path.join(home, "plugins"), "home"),
        *_marketplaces(home),
        SearchPath(os.path.join(claude, "plugins"), "claude"),
    ]


def claude_folder(environ: dict[str, str] | None = None) -> str:
    """Where Claude Code keeps its things."""
    given = (os.environ if environ is None else environ).get("CLAUDE_CONFIG_DIR")
    return os.path.abspath(os.path.expanduser(given or "~/.claude"))


def _marketplaces(home: str) -> list[SearchPath]:
    try:
        items = list_folder(home)
    except LionError:
        return []
    return [
        SearchPath(item.path, "marketplace") for item in items if item.folder and item.name.startswith("marketplace")
    ]


def _projects(home: str, cwd: str) -> list[SearchPath]:
    """Every `.lionagi` at or above a folder; the home and the usual home are not projects."""
    homes = {os.path.realpath(home), os.path.realpath(os.path.expanduser(f"~/{FOLDER}"))}
    found, folder = [], os.path.abspath(cwd)
    while True:
        candidate = os.path.join(folder, FOLDER)
        if os.path.isdir(candidate) and os.path.realpath(candidate) not in homes:
            found.append(SearchPath(candidate, "project", _stranger(candidate)))
        parent = os.path.dirname(folder)
        if parent == folder:
            return found
        folder = parent


def _stranger(folder: str) -> str | None:
    """A folder that anybody could put above ours, such as one in /tmp, must not give us agents."""
    try:
        owner = os.stat(folder).st_uid
    except OSError as error:
        return f"it cannot be looked at ({error.strerror})"
    return None if owner in (os.geteuid(), 0) else f"it belongs to another user (uid {owner})"
