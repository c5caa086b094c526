"""The director process: it takes the show's lock, resumes unfinished work, and stays to the end.

Exiting earlier is always safe: agents keep running under their supervisors, and the next director adopts them.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.execute.open_show import OpenShow
from lionstudio.shows.process.engine import DirectorEngine
from lionstudio.shows.process.lock import acquire_director_lock, announce
from lionstudio.shows.process.rest_mark import clear_resting
from lionstudio.shows.process.workflow import ShowWorkflow
from lionstudio.shows.records.play_records import reopen_show
from lionstudio.state.backends import exists
from lionstudio.system.watchdog_process import make_memory_private

ENGINE = "engine.db"
MakeEngine = Callable[[str, ShowWorkflow], DirectorEngine]
_LOOK_SECONDS = 2.0
_MISSING_SECONDS = 1.0  # a file that is being replaced is missing for a moment


class DirectorProcess:
    """One show, directed by this process."""

    def __init__(
        self,
        show_dir: str,
        settings: Settings,
        environ: Mapping[str, str],
        warn: Callable[[str], None],
        *,
        again: bool = False,
        engine: MakeEngine | None = None,
    ) -> None:
        self._lock = acquire_director_lock(show_dir)
        self._make_engine = engine or (lambda name, workflow: _make_durable_engine(settings, name, workflow))
        try:
            clear_resting(show_dir)  # of the director before
            self._show = show = OpenShow(show_dir, settings, environ, warn, accept_current=again)
            if again and show.status is not ShowStatus.ACTIVE:
                show.status = reopen_show(show.show_dir, show.database).status
        except BaseException:
            self._lock.release()
            raise
        announce(self._lock)
        self._db = settings.db
        self._missing_since: float | None = None
        self._woken, self._wake = os.pipe()
        for end in (self._woken, self._wake):
            os.set_blocking(end, False)
        self._outcome: list[str | BaseException] = []
        self._workflow: ShowWorkflow | None = None
        self._thread: threading.Thread | None = None

    def run(self, leave: Callable[[bool], bool] = lambda resting: False) -> ShowStatus | None:
        """Direct the show to its end; None when `leave`, asked now and then whether to exit, returns True."""
        if self._show.status is not ShowStatus.ACTIVE:
            return self._show.status
        make_memory_private()  # agents and gates run as the same user
        self._workflow = workflow = ShowWorkflow(Executor(self._show), self.wake)
        engine = self._make_engine(f"show/{self._show.topic}", workflow)
        workflow.engine = engine
        self._thread = thread = threading.Thread(target=self._direct, args=(engine,), daemon=True, name="director")
        thread.start()
        while thread.is_alive():
            if select.select([self._woken], [], [], _LOOK_SECONDS)[0]:
                os.read(self._woken, 4096)
            if not self._outcome and leave(workflow.inbox.resting.is_set()):
                return None
            if self._outcome:
                thread.join()
        engine.close()
        (outcome,) = self._outcome
        if isinstance(outcome, BaseException):
            raise outcome
        return ShowStatus(outcome)

    def find_removed(self) -> str | None:
        """Return what was removed so that the show cannot go on: its folder or its database; None usually."""
        has_folder, now = self._lock.is_in_place, time.monotonic()
        if has_folder and exists(self._db):
            self._missing_since = None
            return None
        self._missing_since = self._missing_since or now
        if now - self._missing_since < _MISSING_SECONDS:
            return None
        return f"the database {self._db}" if has_folder else f"the folder {self._show.show_dir}"

    def wake(self) -> None:
        """Make `run` ask whether to leave; also from a signal handler."""
        with suppress(OSError):  # it is woken already, or has ended
            os.write(self._wake, b"1")

    def _direct(self, engine: DirectorEngine) -> None:
        try:
            self._outcome.append(engine.run(f"show/{self._show.topic}", "show", self._show.topic))
        except BaseException as error:
            self._outcome.append(error)
        self.wake()

    def close(self) -> None:
        """Release the show without waiting for commands in progress: the next director repeats or adopts them."""
        if self._thread is not None and self._thread.is_alive() and self._workflow is not None:
            self._workflow.inbox.detach()
            self._thread.join()
        self._show.close()
        self._lock.release()
        for end in (self._woken, self._wake):
            os.close(end)
        self._wake = -1  # a late signal writes to no other file


def _make_durable_engine(settings: Settings, name: str, workflow: ShowWorkflow) -> DirectorEngine:
    from lionstudio.shows.process.engine_dbos import DbosEngine  # takes half a second to load

    return DbosEngine(os.path.join(settings.home, ENGINE), name, workflow.workflows)
