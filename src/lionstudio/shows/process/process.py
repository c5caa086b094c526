"""A process that directs one show: it takes the show's lock, takes up what is unfinished, and stays to the end.

Leaving before the end is always safe: agents run on under their supervisors, and the next director adopts them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping

from lionstudio.model.status.statuses import ShowStatus
from lionstudio.settings import Settings
from lionstudio.shows.execute.executor import Executor
from lionstudio.shows.process.engine import Engine
from lionstudio.shows.process.lock import acquire_director_lock, announce
from lionstudio.shows.process.workflow import ShowWorkflow
from lionstudio.shows.records.play_records import reopen_show

ENGINE = "engine.db"
MakeEngine = Callable[[str, ShowWorkflow], Engine]
_LOOK_SECONDS = 0.2


class DirectorProcess:
    """One show in the hands of this process."""

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
        self._make = engine or (lambda name, production: _durable(settings, name, production))
        try:
            self.stage = Executor(show_dir, settings, environ, warn)
            if again and self.stage.status is not ShowStatus.ACTIVE:
                self.stage.status = reopen_show(self.stage.show_dir, self.stage.database).status
        except BaseException:
            self._lock.release()
            raise
        announce(self._lock)
        self._outcome: list[str | BaseException] = []
        self._production: ShowWorkflow | None = None
        self._thread: threading.Thread | None = None

    def run(self, leave: Callable[[bool], bool] = lambda resting: False) -> ShowStatus | None:
        """Direct it to its end; None when `leave` said so: it is asked often and told whether the show rests."""
        if self.stage.status is not ShowStatus.ACTIVE:
            return self.stage.status
        self._production = production = ShowWorkflow(self.stage)
        engine = self._make(f"show/{self.stage.topic}", production)
        production.engine = engine
        self._thread = thread = threading.Thread(target=self._direct, args=(engine,), daemon=True, name="director")
        thread.start()
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            if thread.is_alive() and leave(production.watching.resting.is_set()):
                return None
        engine.close()
        (outcome,) = self._outcome
        if isinstance(outcome, BaseException):
            raise outcome
        return ShowStatus(outcome)

    def _direct(self, engine: Engine) -> None:
        try:
            self._outcome.append(engine.run(f"show/{self.stage.topic}", "show", self.stage.topic))
        except BaseException as error:
            self._outcome.append(error)

    def close(self) -> None:
        """Let go of the show. Works under way are not waited for: whoever takes it up next does or adopts them."""
        if self._thread is not None and self._thread.is_alive() and self._production is not None:
            self._production.watching.leave()
            self._thread.join()
        self.stage.close()
        self._lock.release()


def _durable(settings: Settings, name: str, production: ShowWorkflow) -> Engine:
    from lionstudio.shows.process.engine_dbos import DbosEngine  # half a second, and only here

    return DbosEngine(os.path.join(settings.home, ENGINE), name, production.workflows)
