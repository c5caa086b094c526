"""Decide whether an agent or a command runs confined, and what it sees.

The command line decides, then the plan, then the files of the agent, then the setting; but files never lift a setting
`require`. By default the agents and commands of shows are confined, and a plain `li agent` is not.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lionstudio.agents.vendor_folders import WITH_OWN_SANDBOX, folders_of
from lionstudio.errors import InvalidInput, LionError
from lionstudio.settings import Settings, is_url
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.safe_read import read_text
from lionstudio.system.sandbox.bwrap import CONFINED, not_confined, why_not_confined
from lionstudio.system.sandbox.sandbox import Sandbox, check_writable

_MOST_MODULES = 200  # submodules whose files are protected one by one; of more, all files are read-only


class ConfinementRequest(NamedTuple):
    """The wishes of the caller of a run about its confinement."""

    mode: str | None = None  # of the command line
    in_show: bool = False  # the working folder is a checkout of ours
    readable: tuple[str, ...] = ()  # more folders that the agent may read


PLAIN = ConfinementRequest()


class Confinement(NamedTuple):
    """The sandbox of a program, None for a program that is not confined, and one sentence that says so."""

    sandbox: Sandbox | None
    evidence: str


def choose_mode(setting: str, command_line: str | None, files: str | None) -> str:
    if command_line is None and setting == "require":
        return setting
    return command_line or files or setting


def confine_agent(
    provider: str,
    options: Mapping[str, object],
    reads_only: bool,
    wish: str | None,
    request: ConfinementRequest,
    *,
    cwd: str,
    env: Mapping[str, str],
    settings: Settings,
    has_team: bool = False,
) -> Confinement:
    """Confine an agent to its folder and its vendor's files; `wish` is the mode that its definition asks for."""
    mode = choose_mode(settings.sandbox, request.mode, wish)
    if mode == "auto" and not (request.in_show or request.mode or wish):
        return Confinement(None, not_confined("only the agents of shows are, unless --sandbox asks for it"))
    if has_team and mode == "require":
        raise InvalidInput(
            "sandbox: require, but the agent is in a team and needs `li team` to answer", hint="leave the team out"
        )
    if (
        why := why_not_confined(mode) or ("the agent is in a team and uses `li team`" if has_team else None)
    ) is not None:
        return Confinement(None, not_confined(why))
    command = options.get("command")
    vendor = folders_of(provider, command if isinstance(command, (list, tuple)) else (), env, cwd)
    project = Sandbox(writable=(cwd,)) if request.in_show else _project_folders(cwd, env)
    if provider in WITH_OWN_SANDBOX and reads_only:
        project = Sandbox(readable=project.writable)
    sandbox = Sandbox(
        writable=(*project.writable, *vendor.writable),
        readable=(*project.readable, *request.readable, *vendor.readable, *vendor.sealed),
        copied=vendor.copied,
        hidden=private_paths(settings),
        network=True,
    )
    check_writable(sandbox, env.get("HOME") or os.path.expanduser("~"))
    for path in (*vendor.writable, *vendor.sealed, *(item for item in project.readable if item.endswith("/hooks"))):
        if not os.path.exists(path):
            make_folder(path)
    return Confinement(sandbox, CONFINED)


def confine_command(
    mode: str | None, settings: Settings, cwd: str, *, readable: Sequence[str] = (), network: bool = False
) -> Confinement:
    """Confine a gate or a setup command to a checkout; `mode` is the plan's."""
    if (why := why_not_confined(choose_mode(settings.sandbox, None, mode))) is not None:
        return Confinement(None, not_confined(why))
    sandbox = Sandbox(writable=(cwd,), readable=tuple(readable), hidden=private_paths(settings), network=network)
    return Confinement(sandbox, CONFINED)


def private_paths(settings: Settings) -> tuple[str, ...]:
    """List our own files, which no confined program sees: the home with its token, the shows, the databases."""
    databases = [db for db in (settings.db, settings.hub) if db is not None]
    files = [db + suffix for db in databases if not is_url(db) for suffix in ("", "-wal", "-shm")]
    return settings.home, settings.shows, *files, *_server_secrets([db for db in databases if is_url(db)])


def _server_secrets(urls: Sequence[str]) -> Iterator[str]:
    """Yield the files with passwords and keys of servers, where they are not in the home of the user."""
    if not urls:
        return
    from urllib.parse import parse_qsl, urlsplit

    yield from filter(None, map(os.environ.get, ("PGPASSFILE", "PGSSLKEY", "PGSERVICEFILE")))
    for url in urls:
        yield from (value for name, value in parse_qsl(urlsplit(url).query) if name in ("passfile", "sslkey"))


def _project_folders(cwd: str, env: Mapping[str, str]) -> Sandbox:
    """Return the repository around a folder of the user; hooks and configuration, which can run programs, read-only."""
    home = os.path.realpath(env.get("HOME") or os.path.expanduser("~"))
    top = os.path.realpath(cwd)
    while not os.path.lexists(os.path.join(top, ".git")):
        parent = os.path.dirname(top)
        if parent in (top, home) or home.startswith(parent + os.sep):
            return Sandbox(writable=(cwd,))
        top = parent
    if top == home or home.startswith(top + os.sep):
        return Sandbox(writable=(cwd,))
    git_dirs = _git_dirs(top)
    readable = [path for folder in git_dirs for path in _steering_files(folder)]
    return Sandbox(writable=(top, *git_dirs), readable=tuple(readable))


def _steering_files(git_dir: str) -> Iterator[str]:
    """Yield what names programs that git runs, in a git folder, its submodules and work trees; hooks may be missing."""
    trees = [entry.path for entry in _folders_in(os.path.join(git_dir, "worktrees"))]
    files = [os.path.join(tree, name) for tree in trees for name in ("config.worktree", "commondir")]
    modules, inner = [git_dir], [os.path.join(git_dir, "modules")]
    while inner:
        for entry in _folders_in(inner.pop()):
            if os.path.lexists(os.path.join(entry.path, "HEAD")):
                modules.append(entry.path)
                inner.append(os.path.join(entry.path, "modules"))
            else:
                inner.append(entry.path)  # the name of a submodule may have slashes
        if len(modules) + len(inner) > _MOST_MODULES:
            yield os.path.join(git_dir, "modules")
            modules, inner = [git_dir], []
    files += [os.path.join(module, name) for module in modules for name in ("config", "config.worktree")]
    yield from filter(os.path.exists, files)
    yield from (os.path.join(module, "hooks") for module in modules)


def _folders_in(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _git_dirs(top: str) -> tuple[str, ...]:
    """Return the git folders of a repository or a linked work tree; a link that does not lead back is not followed."""
    link = os.path.join(top, ".git")
    if os.path.isdir(link) and not os.path.islink(link):
        return (link,)
    try:
        git_dir = os.path.join(top, read_text(link).strip().removeprefix("gitdir: "))
        back = read_text(os.path.join(git_dir, "gitdir")).strip()
        common = os.path.realpath(os.path.join(git_dir, read_text(os.path.join(git_dir, "commondir")).strip()))
    except LionError:  # an agent may have written anything there
        return ()
    git_dir = os.path.realpath(git_dir)
    is_ours = os.path.realpath(back) == link and os.path.dirname(git_dir) == os.path.join(common, "worktrees")
    return (common,) if is_ours and os.path.isfile(os.path.join(common, "HEAD")) else ()
