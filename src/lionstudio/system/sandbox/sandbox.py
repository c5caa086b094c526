"""The view of a confined program, and the bwrap command that starts it.

Everything is invisible unless it is named: the system and tools read-only, an empty home, an empty /tmp, the folders
of the sandbox. Of two folders, one in the other, the inner one decides about its own content.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.system.sandbox.bwrap import find_bwrap
from lionstudio.system.sandbox.tool_folders import list_credentials, list_tool_folders

_SYSTEM = ("/usr", "/etc", "/opt", "/nix", "/gnu", "/snap", "/sys/devices/system", "/sys/fs/cgroup")
_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")  # links into /usr, or folders
_TEMPORARY = "/tmp"
_MOST_IN_ETC = 50_000
_RESOLVER = "/etc/resolv.conf"
# they lead to sockets of the user's session, which are not visible
_REMOVED = frozenset({"SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"})
_MOVED = frozenset({"TMPDIR", "TMP", "TEMP"})
# Gives the program private copies of some files. Its arguments: pairs of original and copy, --, the command.
_COPY = 'while [ "$1" != -- ]; do cp "$1" "$2" && chmod u+w "$2"; shift 2; done; shift; exec "$@"'
_ORIGINALS = "/run/lion"


class Sandbox(NamedTuple):
    """Folders and files of this machine that a confined program sees, besides the system and tools."""

    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    copied: tuple[str, ...] = ()  # files that it may change for itself only
    hidden: tuple[str, ...] = ()  # also where they lie in a visible folder; folders are empty and read-only
    network: bool = False  # this machine's; without it, a loopback of its own


class ConfinedProgram(NamedTuple):
    argv: list[str]
    env: dict[str, str]


def confine(argv: Sequence[str], cwd: str, env: Mapping[str, str], sandbox: Sandbox) -> ConfinedProgram:
    """Return the command that runs a program confined. Values of variables are not in its argv, which all can read."""
    bwrap = find_bwrap()
    if bwrap.problem is not None:
        raise InvalidInput(f"the program cannot be confined: {bwrap.problem}", hint=bwrap.hint)
    _check_exists(argv[0], cwd, env)
    home = env.get("HOME") or os.path.expanduser("~")
    check_writable(sandbox, home)
    command = [bwrap.path, *bwrap.options, *(() if sandbox.network else ("--unshare-net",))]
    command += _system(network=sandbox.network)
    command += _mounts(sandbox, list_tool_folders(argv[0], env, os.path.realpath(home), sandbox.writable), home)
    command += ["--chdir", os.path.abspath(cwd), *_start(argv, sandbox.copied)]
    inside = {name: value for name, value in env.items() if name not in _REMOVED}
    return ConfinedProgram(command, {**inside, **dict.fromkeys(_MOVED & inside.keys(), _TEMPORARY)})


def _check_exists(program: str, cwd: str, env: Mapping[str, str]) -> None:
    """Raise what starting it would raise: bwrap itself starts in any case, and says less."""
    path = os.path.join(cwd, program) if os.sep in program else program
    if shutil.which(path, path=env.get("PATH", os.defpath)) is None:
        number = errno.EACCES if os.path.exists(path) and os.sep in path else errno.ENOENT
        raise OSError(number, os.strerror(number))


def check_writable(sandbox: Sandbox, home: str) -> None:
    """Refuse a sandbox whose writable folder contains the home: nothing would be confined."""
    for folder in sandbox.writable:
        if _is_in(os.path.realpath(home), os.path.realpath(folder)):
            raise InvalidInput(
                f"an agent in {folder} cannot be confined: the folder contains your home",
                hint="work in the folder of a project, or pass --sandbox off",
            )


def _start(argv: Sequence[str], copied: Sequence[str]) -> list[str]:
    pairs = [part for number, path in enumerate(copied) for part in (f"{_ORIGINALS}/{number}", path)]
    return ["/bin/sh", "-c", _COPY, "sh", *pairs, "--", *argv] if pairs else list(argv)


def _system(*, network: bool) -> Iterator[str]:
    for path in _LINKED:
        if os.path.islink(path):
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for path in _SYSTEM:
        if os.path.isdir(path):
            yield from ("--ro-bind", path, path)
    for path in _private_in_etc():
        yield from ("--tmpfs", path) if os.path.isdir(path) else ("--ro-bind", os.devnull, path)
    yield from ("--proc", "/proc", "--dev", "/dev", "--tmpfs", _TEMPORARY, "--dir", "/var/tmp", "--dir", "/run")
    for path in _settings_in_proc():
        yield from ("--ro-bind", path, path)
    resolver = os.path.realpath(_RESOLVER)
    if network and not _is_in(resolver, "/etc") and os.path.isfile(resolver):
        yield from ("--ro-bind", resolver, resolver)  # systemd keeps it in /run


@lru_cache(maxsize=1)
def _private_in_etc() -> tuple[str, ...]:
    """List what only root may read, for a program that root runs: password hashes, keys of the host."""
    if os.geteuid() != 0:
        return ()
    private: list[str] = []
    folders, left = ["/etc"], _MOST_IN_ETC
    while folders and left > 0:
        with suppress(OSError), os.scandir(folders.pop()) as entries:  # it may just have been removed
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                left -= 1
                if stat.S_ISDIR(mode) and mode & stat.S_IXOTH:
                    folders.append(entry.path)
                elif stat.S_ISDIR(mode) or not (stat.S_ISLNK(mode) or mode & stat.S_IROTH):
                    private.append(entry.path)
    return (*private, *folders)  # of what is too much to look at, nothing is visible


@lru_cache(maxsize=1)
def _settings_in_proc() -> tuple[str, ...]:
    """List what root may write in /proc, also without any capability: settings of the kernel, which can start programs.

    bwrap covers some of them, but not /proc/sys, whose folder is not writable while its files are.
    """
    if os.geteuid() != 0:
        return ()
    entries = [entry for entry in os.scandir("/proc") if not entry.name.isdigit() and not entry.is_symlink()]
    return tuple(entry.path for entry in entries if entry.is_dir() or entry.stat().st_mode & stat.S_IWUSR)


def _mounts(sandbox: Sandbox, tools: Sequence[str], home: str) -> Iterator[str]:
    mounts: dict[str, tuple[str, str]] = {}  # by the path inside: how, and the path outside
    readable = [path for path in (*tools, *sandbox.readable) if os.path.exists(path)]
    visible = {os.path.realpath(path) for path in (*_SYSTEM, *_LINKED, *readable, *sandbox.writable)}

    def mount(how: str, path: str) -> None:
        real, place = os.path.realpath(path), os.path.abspath(path)
        mounts[real] = (how, real)
        # a path with links is there, too; in a visible folder the links are, and lead there by themselves
        if place != real and not any(_is_in(place, folder) for folder in (*visible, *_SYSTEM, *_LINKED)):
            mounts[place] = (how, real)

    for path in readable:
        real = os.path.realpath(path)
        if not any(_is_in(real, folder) for folder in _SYSTEM):
            mount("--ro-bind", path)
    walked: list[str] = ["/usr"]
    for folder in sorted(map(os.path.realpath, tools)):
        if any(_is_in(folder, path) for path in walked):
            continue
        walked.append(folder)
        # a working folder in a folder of tools keeps its files
        kept = [path for path in map(os.path.realpath, sandbox.writable) if _is_in(path, folder)]
        for path in list_credentials(folder):
            if not any(_is_in(path, item) for item in kept):
                mounts[path] = ("--ro-bind", os.devnull)
    homes = {os.path.realpath(home), os.path.abspath(home)} - {os.sep}
    mounts |= {place: ("--tmpfs", place) for place in homes}
    sealed = []
    for path in map(os.path.realpath, sandbox.hidden):
        if os.path.isfile(path) and any(_is_in(path, folder) for folder in visible):
            mounts[path] = ("--ro-bind", os.devnull)
        elif os.path.isdir(path) and path not in (*homes, _TEMPORARY):
            mounts[path] = ("--tmpfs", path)
            sealed.append(path)
    for path in sandbox.writable:
        mount("--bind", path)
    # a folder that is also there under a path with links has the same holes there
    for place, (_, source) in [item for item in mounts.items() if item[0] != item[1][1] != os.devnull]:
        for inner in [path for path in mounts if path != source and _is_in(path, source)]:
            twin = place + inner.removeprefix(source)
            how, origin = mounts[inner]
            mounts[twin] = (how, twin if how == "--tmpfs" else origin)
            sealed += [twin] if inner in sealed else []
    for place, (how, source) in sorted(mounts.items(), key=lambda item: item[0].count(os.sep)):
        yield from (how, place) if how == "--tmpfs" else (how, source, place)
    for number, path in enumerate(sandbox.copied):
        yield from ("--ro-bind", path, f"{_ORIGINALS}/{number}", "--dir", os.path.dirname(path))
    for place in sealed:
        if mounts[place][0] == "--tmpfs":
            yield from ("--remount-ro", place)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
