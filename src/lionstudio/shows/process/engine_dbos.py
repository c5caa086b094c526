"""The durable engine: DBOS in this process, with a SQLite file of its own. Loaded by the director of a show alone.

Every rule here answers a failure that was seen (docs/adr/0023): an executor id of our own, so that only we decide
what is taken up again; a pinned version, so that an upgrade strands nothing; JSON, so that the file holds no code;
one queue for each show, so that a director never takes up the work of another.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSConfig, SetWorkflowID, WorkflowHandle
from dbos._serialization import DBOSPortableJSONSerializer

from lionstudio.model.ids import new_id
from lionstudio.shows.process.engine import Workflow
from lionstudio.system.atomic_write import make_folder

SHAPE = "shows-5"  # raised by hand when the order of steps changes; what runs under another shape begins from its files
_POLL_SECONDS = 0.2
_QUEUE_SECONDS = 0.5  # only what a dead director left comes by the queue
_UNFINISHED = ["PENDING", "ENQUEUED", "DELAYED"]


class DbosEngine:
    """One show's workflows on DBOS. There is one in a process, and one process for a show."""

    def __init__(self, path: str, show: str, workflows: Mapping[str, Workflow]) -> None:
        self._queue = show
        self._workflows = {name: _registered(name, work) for name, work in workflows.items()}
        make_folder(os.path.dirname(path))
        config = DBOSConfig(
            name="lion-studio-shows",
            system_database_url=f"sqlite:///{path}",
            application_version=SHAPE,
            executor_id=new_id(),
            serializer=DBOSPortableJSONSerializer(),
            log_level="ERROR",
            enable_otlp=False,
            scheduler_polling_interval_sec=3600.0,
        )
        sqlalchemy.event.listen(sqlalchemy.Engine, "connect", _prepare_connection)
        old = os.umask(0o077)  # prompts and feedback are in there
        try:
            DBOS(config=config)
            DBOS.listen_queues([show])
            DBOS.launch()
        finally:
            os.umask(old)
        DBOS.register_queue(show, polling_interval_sec=_QUEUE_SECONDS, on_conflict="never_update")

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Take up the last run of a workflow where it was left, or begin the next one."""
        runs = self._rows()
        last = runs[-1] if runs else None
        if last is not None and last.status in _UNFINISHED and last.app_version == SHAPE:
            handle = self._take_up(last.workflow_id)
        else:
            if last is not None and last.status in _UNFINISHED:
                DBOS.cancel_workflow(last.workflow_id)
            handle = self._begin(f"{workflow_id}~{len(runs) + 1}" if runs else workflow_id, name, *args)
        return handle.get_result(polling_interval_sec=_POLL_SECONDS)

    def _take_up(self, workflow_id: str) -> WorkflowHandle[Any]:
        """We hold the show's lock, so whatever is unfinished belongs to nobody."""
        DBOS.resume_workflow(workflow_id, queue_name=self._queue)
        return DBOS.retrieve_workflow(workflow_id)

    def _begin(self, workflow_id: str, name: str, *args: Any) -> WorkflowHandle[Any]:
        with SetWorkflowID(workflow_id):
            return DBOS.start_workflow(self._workflows[name], *args)

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """Do it, or give back what it gave when it was done."""
        return DBOS.run_step({"name": name}, work, *args)

    def _rows(self) -> list[Any]:
        """The runs of this show, oldest first."""
        found = DBOS.list_workflows(workflow_id_prefix=self._queue, load_input=False, load_output=False)
        return [known for known in found if _is_run_of(self._queue, known.workflow_id)]  # other shows begin alike

    def close(self) -> None:
        """Let go; what runs is left to be taken up again."""
        DBOS.destroy()
        sqlalchemy.event.remove(sqlalchemy.Engine, "connect", _prepare_connection)


def _registered(name: str, work: Workflow) -> Workflow:
    # a director may be killed any number of times
    return DBOS.workflow(name=f"lionstudio.shows.{name}", max_recovery_attempts=None)(work)


def _is_run_of(workflow_id: str, candidate: str) -> bool:
    return re.fullmatch(rf"{re.escape(workflow_id)}(~\d+)?", candidate) is not None


def _prepare_connection(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA busy_timeout=30000")  # before the mode: several directors may open a new file at once
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    # Python may link a SQLite that loses commits when the log is reset while others write; so it is never reset
    # while a director runs, and folded back when the last one leaves
    connection.execute("PRAGMA wal_autocheckpoint=0")
