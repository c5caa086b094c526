"""The director process: it takes the show's lock, resumes unfinished work, and stays to the end.

Exiting earlier is always safe: agents keep running under their supervisors, and the next director adopts them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping

from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.execute.open_show import OpenShow
from lionstudio.shows.process.engine import Engine
from lionstudio.shows.process.lock import acquire_director_lock, announce
from lionstudio.shows.process.workflow import ShowWorkflow
from lionstudio.shows.records.play_records import reopen_show

ENGINE = "engine.db"
MakeEngine = Callable[[str, ShowWorkflow], Engine]
_POLL_SECONDS = 0.2


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
            self._show = show = OpenShow(show_dir, settings, environ, warn)
            if again and show.status is not ShowStatus.ACTIVE:
                show.status = reopen_show(show.show_dir, show.database).status
        except BaseException:
            self._lock.release()
            raise
        announce(self._lock)
        self._outcome: list[str | BaseException] = []
        self._workflow: ShowWorkflow | None = None
        self._thread: threading.Thread | None = None

    def run(self, leave: Callable[[bool], bool] = lambda resting: False) -> ShowStatus | None:
        """Direct the show to its end; None when `leave`, polled with whether the show rests, returns True."""
        if self._show.status is not ShowStatus.ACTIVE:
            return self._show.status
        self._workflow = workflow = ShowWorkflow(Executor(self._show))
        engine = self._make_engine(f"show/{self._show.topic}", workflow)
        workflow.engine = engine
        self._thread = thread = threading.Thread(target=self._direct, args=(engine,), daemon=True, name="director")
        thread.start()
        while thread.is_alive():
            thread.join(_POLL_SECONDS)
            if thread.is_alive() and leave(workflow.inbox.resting.is_set()):
                return None
        engine.close()
        (outcome,) = self._outcome
        if isinstance(outcome, BaseException):
            raise outcome
        return ShowStatus(outcome)

    def _direct(self, engine: Engine) -> None:
        try:
            self._outcome.append(engine.run(f"show/{self._show.topic}", "show", self._show.topic))
        except BaseException as error:
            self._outcome.append(error)

    def close(self) -> None:
        """Release the show without waiting for commands in progress: the next director repeats or adopts them."""
        if self._thread is not None and self._thread.is_alive() and self._workflow is not None:
            self._workflow.inbox.detach()
            self._thread.join()
        self._show.close()
        self._lock.release()


def _make_durable_engine(settings: Settings, name: str, workflow: ShowWorkflow) -> Engine:
    from lionstudio.shows.process.engine_dbos import DbosEngine  # takes half a second to load

    return DbosEngine(os.path.join(settings.home, ENGINE), name, workflow.workflows)
