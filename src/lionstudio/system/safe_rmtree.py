"""Folders removed whatever is in them and whatever its permissions, by descriptors that follow no link.

Agents work beside the folders that are removed here. A path would be looked up anew for every file, and a link that
somebody puts in its way meanwhile would lead us to files that are not ours.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager

from lionstudio.errors import Conflict
from lionstudio.system.filenames import shown

# getattr: macOS has no O_PATH, and the module must be importable there
_PATH = getattr(os, "O_PATH", 0)
_ITSELF = _PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ENTRIES = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def safe_rmtree(path: str, *, above: int = 1) -> None:
    """Remove a folder or what else lies there; refused when one of so many folders above it is a link."""
    parts = os.path.abspath(path).rsplit("/", above + 1)
    try:
        with _descended(parts[0] or "/", parts[1:-1]) as folder:
            _remove(parts[-1], folder)
    except FileNotFoundError:
        return  # a folder above it is not there


def refuse_link(path: str) -> None:
    """Raise when something else lies where a folder of ours should be."""
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
        raise _in_the_way(path)


def _in_the_way(path: str) -> Conflict:
    return Conflict(f"{shown(path)} should be a folder of the show and is a link or a file", hint="remove it")


@contextmanager
def _descended(start: str, names: list[str]) -> Iterator[int]:
    """The folder that is reached from one by names; the first may be reached by links, the rest may not."""
    folder = os.open(start, _PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for number, name in enumerate(names, 1):
            try:
                inner = _opened_up(name, folder)
            except NotADirectoryError:
                raise _in_the_way("/".join([start, *names[:number]])) from None
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _opened_up(name: str, parent: int) -> int:
    """A folder open for reading, with all rights for its owner: tools that agents use make some without."""
    itself = os.open(name, _ITSELF, dir_fd=parent)
    try:
        mode = stat.S_IMODE(os.fstat(itself).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            # the descriptor has no rights to change it, its name in /proc has, and leads nowhere else
            os.chmod(f"/proc/self/fd/{itself}", mode | stat.S_IRWXU)
        return os.open(".", _ENTRIES, dir_fd=itself)
    finally:
        os.close(itself)


def _remove(name: str, parent: int) -> None:
    if _gone(name, parent):
        return
    folder = _opened_up(name, parent)
    try:
        _empty(folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=parent)


def _gone(name: str, parent: int) -> bool:
    """Remove a file or a link; False for a folder."""
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return True
    except IsADirectoryError:
        return False
    return True


def _empty(top: int) -> None:
    """Every inner folder is moved up before it is emptied, so that no depth is too deep."""
    while names := os.listdir(top):
        for name in names:
            if not _gone(name, top):
                _flatten(name, top)


def _flatten(name: str, top: int) -> None:
    folder = _opened_up(name, top)
    try:
        for inner in os.listdir(folder):
            if not _gone(inner, folder):
                os.close(_opened_up(inner, folder))  # one without rights cannot be moved
                os.rename(inner, f".gone-{os.urandom(8).hex()}", src_dir_fd=folder, dst_dir_fd=top)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)
