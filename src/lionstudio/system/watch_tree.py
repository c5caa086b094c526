"""Watch folder trees, or single files and folders, for changes: inotify on Linux.

Without inotify, or when events were lost, the answer is None: check every file. A watch only wakes up; the reader also
looks now and then.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

_MODIFY, _ATTRIB, _CLOSE_WRITE, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x8, 0x40, 0x80, 0x100, 0x200
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
# events of a path that is watched by itself
WRITTEN = _MODIFY
REPLACED = _ATTRIB | _DELETE_SELF | _MOVE_SELF  # removed too: an open file only loses its name
ENTRIES = (
    _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF | _ONLYDIR | _DONT_FOLLOW
)
_HEADER = struct.Struct("iIII")
_BUFFER = 262144
_NONBLOCK, _CLOEXEC = os.O_NONBLOCK, os.O_CLOEXEC
_SETTLE_MS = 2  # a program writes a line in several pieces; wait a moment for the rest
_PAUSE_SECONDS = 0.01  # an agent may write into a folder as fast as it can
_EVERY = 1.0  # seconds between two polls without inotify
_DEEPEST = 12


class Watcher(Protocol):
    def wait(self, seconds: float) -> set[str] | None:
        """Return the changed paths; None when every file must be checked; an empty set after the timeout."""

    def add(self, trees: Iterable[str]) -> None:
        """Watch more trees; OSError when the system allows no more."""

    def close(self) -> None: ...


class PathWatch:
    """inotify on a few paths, without opening them; its descriptor is readable after an event."""

    def __init__(self, paths: Mapping[str, int]) -> None:
        """Watch each path for its events (WRITTEN, REPLACED, ENTRIES); OSError where that is not possible."""
        self._libc = _libc()
        self._descriptor = _open(self._libc)
        self._paths: dict[int, str] = {}
        try:
            for path, events in paths.items():
                self.add(path, events)
        except OSError:
            self.close()
            raise

    def fileno(self) -> int:
        return self._descriptor

    def add(self, path: str, events: int) -> None:
        """Watch one path more; again for a path that was replaced."""
        self._paths[_add_watch(self._libc, self._descriptor, path, events)] = path

    def remove(self, path: str) -> None:
        for number in [number for number, watched in self._paths.items() if watched == path]:
            del self._paths[number]
            self._libc.inotify_rm_watch(self._descriptor, number)  # fails when the path is gone, and its watch with it

    def drain(self) -> set[str]:
        """The paths that had events since the last call; all of them when events were lost."""
        changed: set[str] = set()
        for number, mask, _name in _read_events(self._descriptor):
            changed |= set(self._paths.values()) if mask & _OVERFLOW else {self._paths.get(number, "")}
        return changed - {""}

    def close(self) -> None:
        os.close(self._descriptor)


def watch_paths(paths: Mapping[str, int]) -> PathWatch | None:
    """Watch the paths; None where this system, or its limits, do not allow it."""
    if sys.platform == "linux":
        try:
            return PathWatch(paths)
        except OSError:
            pass  # the limit of inotify instances is reached, or a path is gone
    return None


class FolderWatch:
    """Wakes threads when entries of their folders change: one inotify instance and one thread for all of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watch: PathWatch | None = None
        self._events: dict[str, set[threading.Event]] = {}
        self._stop = -1

    def notify(self, folder: str, event: threading.Event) -> bool:
        """Set the event at every change of an entry, until `forget`; False where the folder cannot be watched."""
        with self._lock:
            try:
                self._start().add(folder, ENTRIES)
            except OSError:
                return False
            self._events.setdefault(folder, set()).add(event)
        return True

    def forget(self, folder: str, event: threading.Event) -> None:
        """Stop setting the event; the folder stays watched while another event needs it."""
        with self._lock:
            events = self._events.get(folder, set())
            events.discard(event)
            if not events and self._events.pop(folder, None) is not None and self._watch is not None:
                self._watch.remove(folder)

    def _start(self) -> PathWatch:
        if self._watch is None:
            if sys.platform != "linux":
                raise OSError(errno.ENOSYS, "no inotify")
            self._watch = PathWatch({})
            stopped, self._stop = os.pipe()
            threading.Thread(target=self._run, args=(self._watch, stopped), daemon=True, name="folders").start()
        return self._watch

    def _run(self, watch: PathWatch, stopped: int) -> None:
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        poll.register(stopped, select.POLLIN)
        while stopped not in {descriptor for descriptor, _ in poll.poll()}:
            with self._lock:
                for folder in watch.drain():
                    for event in self._events.get(folder, ()):
                        event.set()
            time.sleep(_PAUSE_SECONDS)
        watch.close()
        os.close(stopped)

    def close(self) -> None:
        with self._lock:
            if self._watch is not None:
                os.close(self._stop)  # the thread closes the rest
                self._watch = None


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

    def add(self, trees: Iterable[str]) -> None:
        pass

    def close(self) -> None:
        pass


class InotifyWatcher:
    """inotify: one watch per folder; new folders are watched as they appear, and their files are reported."""

    def __init__(self, trees: Iterable[str]) -> None:
        self._trees: tuple[str, ...] = ()
        self._libc = _libc()
        self._descriptor = _open(self._libc)
        self._folders: dict[int, str] = {}
        self._poll = select.poll()
        self._poll.register(self._descriptor, select.POLLIN)
        self._lost = False
        try:
            self.add(trees)
        except OSError:
            self.close()
            raise

    def add(self, trees: Iterable[str]) -> None:
        for tree in trees:
            self._trees += (tree,)
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
        try:
            self._folders[_add_watch(self._libc, self._descriptor, folder, _MASK)] = folder
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP):
                return False
            raise
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
        for number, mask, name in _read_events(self._descriptor):
            self._handle(number, mask, name, changed)

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


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _open(libc: ctypes.CDLL) -> int:
    descriptor: int = libc.inotify_init1(_NONBLOCK | _CLOEXEC)
    if descriptor < 0:
        raise _failure("inotify_init1")
    return descriptor


def _add_watch(libc: ctypes.CDLL, descriptor: int, path: str, mask: int) -> int:
    number: int = libc.inotify_add_watch(descriptor, os.fsencode(path), mask)
    if number < 0:
        raise _failure("inotify_add_watch")
    return number


def _read_events(descriptor: int) -> Iterator[tuple[int, int, str]]:
    """Yield the number of the watch, the mask and the name of every waiting event."""
    while True:
        try:
            data = os.read(descriptor, _BUFFER)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            number, mask, _, size = _HEADER.unpack_from(data, at)
            name = data[at + _HEADER.size : at + _HEADER.size + size].rstrip(b"\0")
            at += _HEADER.size + size
            yield number, mask, os.fsdecode(name)


def _failure(call: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{call}: {os.strerror(code)}")
