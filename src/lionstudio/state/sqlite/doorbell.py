"""The doorbell: a datagram to every reader right after a commit, so that readers need not poll fast.

A lost datagram only costs time: readers also watch the log, and poll `PRAGMA data_version` (tail.py).
"""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress

from lionstudio.model.ids import new_id

_LONGEST_PATH = 100  # sun_path holds 108 bytes
_LIST_SECONDS = 0.02  # a new reader may miss bells for so long, and polls meanwhile
_TICK_NS = 20_000_000  # of the clock of file systems


def folder_for(path: str) -> str:
    """The folder with the readers' sockets."""
    return os.path.join(os.path.dirname(os.path.abspath(path)), "run", "bells")


class Bell:
    """The writer's side: rings every listener."""

    def __init__(self, path: str) -> None:
        self._folder = folder_for(path)
        self._folder_mtime = -1
        self._listed_at = 0.0
        self._names: list[str] = []
        self._socket: socket.socket | None = None

    def ring(self) -> None:
        """Wake every reader; never waits, never fails."""
        now = time.monotonic()
        if now - self._listed_at > _LIST_SECONDS:
            self._listed_at = now
            self._list_readers()
        if self._names:
            self._send()

    def _list_readers(self) -> None:
        try:
            changed = os.stat(self._folder).st_mtime_ns
            if changed != self._folder_mtime:
                # a listing right after a change may miss another one of the same tick of the clock
                is_settled = abs(time.time_ns() - changed) > _TICK_NS
                self._names = os.listdir(self._folder)
                self._folder_mtime = changed if is_settled else -1
        except OSError:
            # also when no descriptor is left for listing: then the next call must list again
            self._names, self._folder_mtime = [], -1

    def _send(self) -> None:
        if self._socket is None:
            try:
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            except OSError:
                return  # no descriptor left: the commit is done, and readers see it by polling
            self._socket.setblocking(False)
        for name in self._names:
            try:
                self._socket.sendto(b"1", _reachable(self._folder, name))
            except BlockingIOError:
                pass  # its queue is full already
            except (ConnectionRefusedError, FileNotFoundError):
                _remove(os.path.join(self._folder, name))  # its owner was killed
            except OSError:
                pass  # a reader that cannot be rung still polls

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()


class Listener:
    """A reader's side: a socket that becomes readable after a commit."""

    def __init__(self, path: str) -> None:
        self._folder = folder_for(path)
        self._name = f"{os.getpid()}-{new_id()[-12:]}"
        self.socket: socket.socket | None = None
        try:
            for folder in (os.path.dirname(self._folder), self._folder):  # each for its owner only
                with suppress(FileExistsError):
                    os.mkdir(folder, 0o700)
            bell = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            bell.setblocking(False)
            try:
                bell.bind(_reachable(self._folder, self._name))
            except OSError:
                bell.close()
                raise
            self.socket = bell
        except OSError:
            self.socket = None  # a read-only home has no bells; the reader polls

    def drain(self) -> bool:
        """Discard waiting datagrams; True when there was one."""
        rang = False
        while self.socket is not None:
            try:
                self.socket.recv(16)
            except BlockingIOError:
                break
            rang = True
        return rang

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
            self.socket = None
            _remove(os.path.join(self._folder, self._name))


def _reachable(folder: str, name: str) -> str:
    """The socket's path, through a descriptor of its folder where the path is too long."""
    path = os.path.join(folder, name)
    if len(os.fsencode(path)) <= _LONGEST_PATH:
        return path
    return f"/proc/self/fd/{_folder_descriptor(folder)}/{name}"


_descriptors: dict[str, int] = {}


def _folder_descriptor(folder: str) -> int:
    if folder not in _descriptors:
        _descriptors[folder] = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    return _descriptors[folder]


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)
