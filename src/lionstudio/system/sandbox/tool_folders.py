"""Folders outside /usr with programs that confined programs may need: interpreters, compilers, version managers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

# in the home: they hold programs, and few secrets
_STORES = (
    ".asdf",
    ".bun",
    ".cargo/bin",
    ".cargo/registry",
    ".deno",
    ".fnm",
    ".local/bin",
    ".local/lib",
    ".local/share/claude",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/share/uv",
    ".nodenv",
    ".npm-global",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".volta",
    "go/bin",
    "go/pkg",
)
_VARIABLES = ("CONDA_PREFIX", "JAVA_HOME", "NVM_DIR", "RUSTUP_HOME", "VIRTUAL_ENV")
_PROGRAM_FOLDERS = ("bin", "sbin", "shims", "condabin", ".bin")
# In the parent of a folder of programs: it is the folder of one tool, and of no project or person.
_MARKS = ("pyvenv.cfg", "conda-meta", "lib/modules", "pkg/tool", "Cellar")
_PROJECT_MARKS = (".git", ".hg", ".svn", ".jj", ".env", ".envrc")
# what programs need beside their folder, in any other parent
_BESIDE = ("lib", "lib32", "lib64", "libexec", "share", "include", "boot", "versions", "shims", *_MARKS[:2])
# Registries and servers take these for the user, whichever tool keeps them.
_CREDENTIALS = frozenset({".npmrc", "npmrc", "pip.conf", ".pypirc", ".netrc", ".env", ".git-credentials"}) | {
    f"{name}{end}" for name in ("credentials", "auth") for end in ("", ".toml", ".json")
}
_CODE_FOLDERS = frozenset({"node_modules", "site-packages", "include", "objects", "__pycache__"})
_DEEPEST, _MOST_FOLDERS = 5, 3000
_CACHE_SECONDS = 30.0


def list_tool_folders(argv0: str, env: Mapping[str, str], home: str, writable: Sequence[str] = ()) -> list[str]:
    """List what exists: of PATH, of the variables that name a tool, of known tools in the home, of the program.

    In writable folders, which are visible anyway, only folders of tools are listed, not what may be a project's.
    """
    named = tuple(env[name] for name in _VARIABLES if env.get(name))
    places = (argv0, env.get("PATH", os.defpath), env.get("GOPATH", ""), named, home)
    candidates, around = _find_folders(*places, _cache_period())
    theirs = [os.path.realpath(folder) for folder in writable]
    around = tuple(
        path
        for path in around
        if os.path.basename(path) not in _BESIDE or not any(_contains(item, os.path.realpath(path)) for item in theirs)
    )
    existing = dict.fromkeys(
        os.path.abspath(path) for path in (*candidates, *around) if os.path.isabs(path) and os.path.exists(path)
    )
    return [path for path in existing if not _contains(os.path.realpath(path), home)]


@lru_cache(maxsize=16)  # the gates of a show ask for the same again and again
def _find_folders(
    argv0: str, program_path: str, go_path: str, named: Sequence[str], home: str, _period: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders that hold tools only, and those that programs are found in, which may be a project's."""
    candidates = [os.path.join(home, name) for name in _STORES]
    for root in filter(None, go_path.split(os.pathsep)):
        candidates += (os.path.join(root, "bin"), os.path.join(root, "pkg"))  # its src holds the user's projects
    around: list[str] = []
    for folder in named:
        if _is_project(folder) and not os.path.isfile(os.path.join(folder, "nvm.sh")):  # nvm is a clone
            around += _around(os.path.join(folder, "bin"), home)
        else:
            candidates.append(folder)
    for entry in program_path.split(os.pathsep):
        around += _around(entry, home)
    for path in _links(argv0) if os.path.isabs(argv0) else ():
        around += _around(os.path.dirname(path), home)
    for folder in [*candidates, *around]:
        settings = folder if folder.endswith(f"{os.sep}pyvenv.cfg") else os.path.join(folder, "pyvenv.cfg")
        if os.path.isfile(settings):
            python = os.path.join(os.path.dirname(settings), "bin", "python")
            around += _around(os.path.dirname(os.path.realpath(python)), home)
    return tuple(candidates), tuple(around)


def _cache_period() -> int:
    return int(time.monotonic() / _CACHE_SECONDS)


def list_credentials(folder: str) -> tuple[str, ...]:
    """List the files with credentials in a folder of tools, down to a depth and number."""
    return _find_credentials(os.path.realpath(folder), _cache_period())


@lru_cache(maxsize=256)
def _find_credentials(folder: str, _period: int) -> tuple[str, ...]:
    found: list[str] = []
    level, left = [folder], _MOST_FOLDERS
    for _ in range(_DEEPEST + 1):
        inner: list[str] = []
        for path in level[:left]:
            try:
                with os.scandir(path) as entries:
                    for entry in entries:
                        if entry.is_dir(follow_symlinks=False):
                            inner += () if _holds_only_code(entry.name) else (entry.path,)
                        elif entry.name in _CREDENTIALS or (entry.name == "config" and path.endswith("/.git")):
                            found += (entry.path,) if entry.is_file(follow_symlinks=False) else ()
            except OSError:
                continue  # it has just been removed, or is not readable
        left -= len(level[:left])
        level = inner
    return tuple(found)


def _holds_only_code(name: str) -> bool:
    return name in _CODE_FOLDERS or name.startswith("python3.")


def _is_project(folder: str) -> bool:
    return any(os.path.lexists(os.path.join(folder, mark)) for mark in _PROJECT_MARKS)


def _around(folder: str, home: str) -> Iterator[str]:
    """Yield a folder of programs, and what it needs: its parent where that is the folder of a tool, or parts of it."""
    if not os.path.isabs(folder) or not os.path.isdir(folder):
        return
    yield folder
    head, separator, _ = folder.partition("/node_modules/")
    if separator:
        yield f"{head}/node_modules"
        return
    parent, name = os.path.split(os.path.realpath(folder))
    private = (home, os.path.join(home, ".local"), os.path.join(home, ".cargo"))  # they hold other things, too
    if name not in _PROGRAM_FOLDERS or parent in private:
        return
    is_tool = os.path.basename(parent) == "node_modules" or any(
        os.path.exists(os.path.join(parent, mark)) for mark in _MARKS
    )
    if is_tool and not _is_project(parent):
        yield parent
    else:
        # in /usr only what may lead out of it: all of it is visible anyway
        beside = (os.path.join(parent, item) for item in (_MARKS[:2] if _contains("/usr", parent) else _BESIDE))
        yield from (path for path in beside if not _is_project(path))


def _links(path: str) -> Iterator[str]:
    """Yield a program and the links that lead to its file."""
    for _ in range(10):
        yield path
        if not os.path.islink(path):
            return
        path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))


def _contains(folder: str, path: str) -> bool:
    return folder == os.sep or path == folder or path.startswith(folder + os.sep)
