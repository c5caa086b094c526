"""Watch folder trees for changed files: inotify on Linux, polling every second elsewhere.

When events were lost, or inotify is unavailable, the answer is None: check every file.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
import time
from collections.abc import Iterable
from typing import Protocol

_MODIFY, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x8, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _OVERFLOW, _IGNORED, _ISDIR = 0x400, 0x800, 0x4000, 0x8000, 0x40000000
_ONLYDIR, _DONT_FOLLOW = 0x01000000, 0x02000000
_MASK = (
    _MODIFY
    | _CLOSE_WRITE
    | _MOVED_FROM
    | _MOVED_TO
    | _CREATE
    | _DELETE
    | _DELETE_SELF
    | _MOVE_SELF
    | _ONLYDIR
    | _DONT_FOLLOW
)
_HEADER = struct.Struct("iIII")
_BUFFER = 262144
_NONBLOCK, _CLOEXEC = os.O_NONBLOCK, os.O_CLOEXEC
_SETTLE_MS = 2  # a program writes a line in several pieces; wait a moment for the rest
_EVERY = 1.0  # seconds between two polls without inotify
_DEEPEST = 12


class Watcher(Protocol):
    def wait(self, seconds: float) -> set[str] | None:
        """Return the changed paths; None when every file must be checked; an empty set after the timeout."""

    def close(self) -> None: ...


def watch(trees: Iterable[str]) -> Watcher:
    """Return the best watcher of this system."""
    if sys.platform == "linux":
        try:
            return InotifyWatcher(trees)
        except OSError:
            pass  # the limit of inotify instances is reached, or the kernel has none
    return PollingWatcher()


class PollingWatcher:
    """Reports that everything may have changed, every second."""

    def wait(self, seconds: float) -> set[str] | None:
        time.sleep(min(seconds, _EVERY))
        return None

    def close(self) -> None:
        pass


class InotifyWatcher:
    """inotify: one watch per folder; new folders are watched as they appear, and their files are reported."""

    def __init__(self, trees: Iterable[str]) -> None:
        self._trees = tuple(trees)
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.inotify_init1(_NONBLOCK | _CLOEXEC)
        if self._descriptor < 0:
            raise _failure("inotify_init1")
        self._folders: dict[int, str] = {}
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._lost = False
        for tree in self._trees:
            self._watch_tree(tree)

    def wait(self, seconds: float) -> set[str] | None:
        if not self._lost and self._poll.poll(max(0, int(seconds * 1000))):
            time.sleep(_SETTLE_MS / 1000)
        changed: set[str] = set()
        self._drain(changed)
        if self._lost:
            self._lost = False
            for tree in self._trees:
                self._watch_tree(tree)
            return None
        return changed

    def close(self) -> None:
        os.close(self._descriptor)

    def _watch_tree(self, tree: str) -> None:
        """Watch a tree; while it does not exist, its nearest existing parent."""
        self._add_tree(tree, set())
        folder = tree
        while not os.path.isdir(folder) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        if folder != tree:
            self._add(folder)

    def _add(self, folder: str) -> bool:
        """Watch one folder; return False when it is gone."""
        number = self._libc.inotify_add_watch(self._descriptor, os.fsencode(folder), _MASK)
        if number < 0:
            code = ctypes.get_errno()
            if code in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP):
                return False
            raise _failure("inotify_add_watch")
        self._folders[number] = folder
        return True

    def _add_tree(self, folder: str, files: set[str], depth: int = 0) -> None:
        # watched first, listed afterwards: no file is missed in between
        if depth > _DEEPEST or not self._add(folder):
            return
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        self._add_tree(entry.path, files, depth + 1)
                    else:
                        files.add(entry.path)
        except OSError:
            return

    def _drain(self, changed: set[str]) -> None:
        while True:
            try:
                data = os.read(self._descriptor, _BUFFER)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                number, mask, _, size = _HEADER.unpack_from(data, at)
                name = data[at + _HEADER.size : at + _HEADER.size + size].rstrip(b"\0")
                at += _HEADER.size + size
                self._handle(number, mask, os.fsdecode(name), changed)

    def _handle(self, number: int, mask: int, name: str, changed: set[str]) -> None:
        folder = self._folders.get(number)
        if mask & (_OVERFLOW | _MOVE_SELF):
            self._lost = True  # a moved folder has another path now: start over
        elif mask & _IGNORED:
            self._folders.pop(number, None)
        elif folder is None or not name:
            return
        elif mask & _ISDIR:
            path = os.path.join(folder, name)
            if mask & (_CREATE | _MOVED_TO):
                self._on_new_folder(path, changed)
        else:
            changed.add(os.path.join(folder, name))

    def _on_new_folder(self, path: str, changed: set[str]) -> None:
        """Watch a new folder inside a tree; a new folder above a tree may mean that the tree exists now."""
        for tree in self._trees:
            if path == tree or path.startswith(tree + os.sep):
                self._add_tree(path, changed)
            elif tree.startswith(path + os.sep):
                self._watch_tree(tree)
                self._lost = self._lost or os.path.isdir(tree)


def _failure(call: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{call}: {os.strerror(code)}")
