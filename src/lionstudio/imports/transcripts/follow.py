"""Following tools while they write: one full pass, then every change that the watcher reports.

One process follows a tool's home for a database; others stand by and take over when it ends.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, suppress
from typing import NamedTuple

from lionstudio.agents.transcript import TranscriptTool
from lionstudio.errors import Busy
from lionstudio.files.follow_lock import take_follow_lock
from lionstudio.imports.report import Report, Watch
from lionstudio.imports.transcripts.sync import Mirror
from lionstudio.state.database import Database
from lionstudio.system.filelock import RunLock
from lionstudio.system.watch_tree import PollingWatcher, Watcher, watch

LOOK_EVERY = 5.0  # seconds between two looks at the processes of open sessions, and at the locks of other followers
_NOTHING_OPEN = 60.0  # seconds to wait for changes when there is nothing to look at


class FollowTarget(NamedTuple):
    """A tool and its home."""

    tool: TranscriptTool
    root: str


class FollowEvent(NamedTuple):
    """News of a target: a report, or None when another process follows it and this one stands by."""

    target: FollowTarget
    report: Report | None
    is_first: bool = False


class _Followed(NamedTuple):
    target: FollowTarget
    lock: RunLock
    mirror: Mirror
    folders: tuple[str, ...]


class Follower:
    """Imports the transcripts of several tools as they are written, in one thread."""

    def __init__(
        self,
        db: Database,
        targets: Iterable[FollowTarget],
        *,
        progress: Callable[[TranscriptTool], AbstractContextManager[Watch]] | None = None,
        look_every: float = LOOK_EVERY,
    ) -> None:
        self._db = db
        self._standby = dict.fromkeys(targets, False)  # whether that has been reported
        self._progress = progress
        self._look_every = look_every
        self._followed: list[_Followed] = []
        self._watcher: Watcher = watch(())
        self._must_rescan = False
        self._open = 0
        self._looked_at = time.monotonic()

    def events(self) -> Generator[FollowEvent, None, None]:
        """Yield news until the generator is closed; sessions that have ended by then are closed too."""
        try:
            while True:
                for target in list(self._standby):
                    yield from self._begin(target)
                waits = self._open or self._standby
                changed = self._watcher.wait(self._look_every if waits else max(_NOTHING_OPEN, self._look_every))
                yield from self._read(changed)
                self._look_at_processes()
        finally:
            self._close()

    def _begin(self, target: FollowTarget) -> Generator[FollowEvent, None, None]:
        """Take the lock of a target and import everything new, or report once that another process has it."""
        tool, root = target
        try:
            lock = take_follow_lock(self._db.path, tool.name, root)
        except Busy:
            if not self._standby[target]:
                self._standby[target] = True
                yield FollowEvent(target, None)
            return
        del self._standby[target]
        folders = tuple(os.path.join(root, folder) for folder in tool.folders)
        # the watch starts before the first pass, so that no change falls between them
        self._watch(folders)
        self._followed.append(_Followed(target, lock, Mirror(self._db, tool, root), folders))
        report, news = Report(), list[FollowEvent]()

        def catch_up() -> None:
            news.extend(self._read(self._watcher.wait(0), in_first_pass=True))
            self._look_at_processes()

        if self._progress is None:
            Mirror(self._db, tool, root, between_groups=catch_up).run(report)
        else:
            with self._progress(tool) as progress:
                Mirror(self._db, tool, root, watch=progress, between_groups=catch_up).run(report)
        yield FollowEvent(target, report, is_first=True)
        yield from news
        if self._must_rescan:
            yield from self._read(None)
        self._look_at_processes(now=True)

    def _watch(self, folders: tuple[str, ...]) -> None:
        try:
            self._watcher.add(folders)
        except OSError:  # the limit of watched folders is reached
            self._watcher.close()
            self._watcher = PollingWatcher()

    def _read(self, changed: set[str] | None, *, in_first_pass: bool = False) -> Generator[FollowEvent, None, None]:
        if changed is None and in_first_pass:
            self._must_rescan = True
            return
        for target, _, mirror, folders in self._followed:
            report = Report()
            if changed is None:
                mirror.run(report)
            elif paths := [
                path for path in changed if path.startswith(tuple(f"{folder}{os.sep}" for folder in folders))
            ]:
                mirror.read_paths(paths, report)
            if report.counts:
                self._open += 1  # a session may be running now; the next look counts again
                yield FollowEvent(target, report)
        if changed is None:
            self._must_rescan = False

    def _look_at_processes(self, *, now: bool = False) -> None:
        """Close the sessions whose program has exited, every few seconds."""
        if now or time.monotonic() - self._looked_at >= self._look_every:
            self._open = sum(item.mirror.close_idle_sessions() for item in self._followed)
            self._looked_at = time.monotonic()

    def _close(self) -> None:
        try:
            self._look_at_processes(now=True)
        finally:
            self._watcher.close()
            for item in self._followed:
                with suppress(OSError):
                    item.lock.release()
