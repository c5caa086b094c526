"""The durable engine: DBOS in this process, with its own SQLite file. Only the director process loads it.

Every rule here answers a failure that was seen (docs/adr/0023): an executor id of our own, so that only we decide
what is resumed; a pinned version, so that an upgrade strands nothing; JSON, so that the file holds no code; one queue
for each show, so that a director never resumes the work of another.
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

SHAPE = "shows-6"  # raise it when the order or results of steps change; runs of another shape restart from the files
_POLL_SECONDS = 0.2
_QUEUE_SECONDS = 0.5  # only unfinished work of a dead director comes through the queue
_UNFINISHED = ["PENDING", "ENQUEUED", "DELAYED"]


class DbosEngine:
    """Workflows of one show on DBOS; one instance in a process, one process for a show."""

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
        old_umask = os.umask(0o077)  # the file contains prompts and feedback
        try:
            DBOS(config=config)
            DBOS.listen_queues([show])
            DBOS.launch()
        finally:
            os.umask(old_umask)
        DBOS.register_queue(show, polling_interval_sec=_QUEUE_SECONDS, on_conflict="never_update")

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Resume the last run of a workflow if it is unfinished, or start the next one."""
        runs = self._rows()
        last = runs[-1] if runs else None
        if last is not None and last.status in _UNFINISHED and last.app_version == SHAPE:
            handle = self._resume(last.workflow_id)
        else:
            if last is not None and last.status in _UNFINISHED:
                DBOS.cancel_workflow(last.workflow_id)
            handle = self._start(f"{workflow_id}~{len(runs) + 1}" if runs else workflow_id, name, *args)
        return handle.get_result(polling_interval_sec=_POLL_SECONDS)

    def _resume(self, workflow_id: str) -> WorkflowHandle[Any]:
        """Resume a run; we hold the show's lock, so no other process owns it."""
        DBOS.resume_workflow(workflow_id, queue_name=self._queue)
        return DBOS.retrieve_workflow(workflow_id)

    def _start(self, workflow_id: str, name: str, *args: Any) -> WorkflowHandle[Any]:
        with SetWorkflowID(workflow_id):
            return DBOS.start_workflow(self._workflows[name], *args)

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """Run a step, or return its recorded result."""
        return DBOS.run_step({"name": name}, work, *args)

    def _rows(self) -> list[Any]:
        """List the runs of this show, oldest first."""
        rows = DBOS.list_workflows(workflow_id_prefix=self._queue, load_input=False, load_output=False)
        return [row for row in rows if _is_run_of(self._queue, row.workflow_id)]  # other topics share the prefix

    def close(self) -> None:
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
    # while a director runs, and checkpointed when the last one exits
    connection.execute("PRAGMA wal_autocheckpoint=0")
