"""Remove a folder with everything in it, whatever the permissions, by descriptors that follow no link.

Agents work beside the folders that are removed here. A path would be resolved again for every file, and a link that
an agent creates meanwhile would lead us to files that are not ours.
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
    """Remove a folder, file or link; refuse when one of the `above` folders above it is a link."""
    parts = os.path.abspath(path).rsplit("/", above + 1)
    try:
        with _descend(parts[0] or "/", parts[1:-1]) as folder:
            _remove(parts[-1], folder)
    except FileNotFoundError:
        return  # a folder above it does not exist


def refuse_link(path: str) -> None:
    """Raise Conflict when a link or a file is where a folder of ours should be."""
    if os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path)):
        raise _not_a_folder(path)


def _not_a_folder(path: str) -> Conflict:
    return Conflict(
        f"{shown(path)} must be a folder of the show, but it is a link or a file", hint=f"remove it: rm {shown(path)}"
    )


@contextmanager
def _descend(start: str, names: list[str]) -> Iterator[int]:
    """Open the folder below `start`; the path to `start` may contain links, the names below it may not."""
    folder = os.open(start, _PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for number, name in enumerate(names, 1):
            try:
                inner = _open_folder(name, folder)
            except NotADirectoryError:
                raise _not_a_folder("/".join([start, *names[:number]])) from None
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _open_folder(name: str, parent: int) -> int:
    """Open a folder for reading and give its owner all rights: some tools of agents create folders without."""
    itself = os.open(name, _ITSELF, dir_fd=parent)
    try:
        mode = stat.S_IMODE(os.fstat(itself).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            # this descriptor cannot be used for chmod, its name in /proc can, and leads nowhere else
            os.chmod(f"/proc/self/fd/{itself}", mode | stat.S_IRWXU)
        return os.open(".", _ENTRIES, dir_fd=itself)
    finally:
        os.close(itself)


def _remove(name: str, parent: int) -> None:
    if _unlink(name, parent):
        return
    folder = _open_folder(name, parent)
    try:
        _empty(folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=parent)


def _unlink(name: str, parent: int) -> bool:
    """Remove a file or a link; return False for a folder."""
    try:
        os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return True
    except IsADirectoryError:
        return False
    return True


def _empty(top: int) -> None:
    """Empty a folder; every inner folder is moved up first, so that no nesting is too deep."""
    while names := os.listdir(top):
        for name in names:
            if not _unlink(name, top):
                _flatten(name, top)


def _flatten(name: str, top: int) -> None:
    folder = _open_folder(name, top)
    try:
        for inner in os.listdir(folder):
            if not _unlink(inner, folder):
                os.close(_open_folder(inner, folder))  # a folder without rights cannot be moved
                os.rename(inner, f".gone-{os.urandom(8).hex()}", src_dir_fd=folder, dst_dir_fd=top)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=top)
