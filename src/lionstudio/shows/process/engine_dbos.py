"""The durable engine: DBOS in this process, with its own SQLite file. Only the director process loads it.

Every rule here answers a failure that was seen (docs/adr/0023): an executor id of our own, so that only we decide
what is resumed; a pinned version, so that an upgrade strands nothing; JSON alone, so that the file holds no code; one
queue for each show, so that a director never resumes the work of another.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSConfig, SetWorkflowID, WorkflowHandle
from dbos._schemas.system_database import SystemSchema
from dbos._serialization import DBOSPortableJSONSerializer, DefaultSerializer

from lionstudio.errors import CorruptStore
from lionstudio.model.ids import new_id
from lionstudio.model.redaction.process import redactor
from lionstudio.shows.director.commands import Command
from lionstudio.shows.process.engine import SHAPE, Workflow, order_in_thread
from lionstudio.state.sqlite.open import synchronous_mode
from lionstudio.system.atomic_write import make_folder, private_umask

_POLL_SECONDS = 0.02  # for the result of a run that has ended
_NET_SECONDS = 30.0
_QUEUE_SECONDS = 0.5  # only unfinished work of a dead director comes through the queue
_UNFINISHED = ["PENDING", "ENQUEUED", "DELAYED"]


class RedactingSerializer(DBOSPortableJSONSerializer):
    """JSON without secrets: results of steps hold the output of gates."""

    def serialize(self, data: Any) -> str:
        return redactor().stored(super().serialize(data))


class DbosEngine:
    """Workflows of one show on DBOS; one instance in a process, one process for a show."""

    def __init__(self, path: str, show: str, workflows: Mapping[str, Workflow]) -> None:
        self._queue, self._path = show, path
        self._ended = threading.Event()
        self._interruption: list[BaseException] = []
        self._workflows = {name: self._registered(name, work) for name, work in workflows.items()}
        make_folder(os.path.dirname(path))
        config = DBOSConfig(
            name="lion-studio-shows",
            system_database_url=f"sqlite:///{path}",
            application_version=SHAPE,
            executor_id=new_id(),
            serializer=RedactingSerializer(),
            log_level="ERROR",
            enable_otlp=False,
            scheduler_polling_interval_sec=3600.0,
        )
        sqlalchemy.event.listen(sqlalchemy.Engine, "connect", _prepare_connection)
        try:
            with private_umask():  # the file contains prompts and feedback
                self._dbos = DBOS(config=config)
                DBOS.listen_queues([show])
                DBOS.launch()
            DBOS.register_queue(show, polling_interval_sec=_QUEUE_SECONDS, on_conflict="never_update")
        except BaseException:
            self.close()  # later engines of this process may be on a server
            raise

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        """Resume the last run of a workflow if it is unfinished, or start the next one."""
        _refuse_other_formats(self._path, self._queue)
        runs = self._rows()
        last = runs[-1] if runs else None
        if last is not None and last.status in _UNFINISHED and last.app_version == SHAPE:
            handle = self._resume(last.workflow_id)
        else:
            if last is not None and last.status in _UNFINISHED:
                DBOS.cancel_workflow(last.workflow_id)
            handle = self._start(f"{workflow_id}~{len(runs) + 1}" if runs else workflow_id, name, *args)
        while not self._ended.wait(_NET_SECONDS):
            if handle.get_status().status not in _UNFINISHED:
                break  # another process cancelled it
        if self._interruption:
            raise self._interruption[0]
        return handle.get_result(polling_interval_sec=_POLL_SECONDS)

    def _registered(self, name: str, work: Workflow) -> Workflow:
        def run(*args: Any) -> Any:
            self._stop_polling()
            try:
                return work(*args)
            except Exception:
                raise
            except BaseException as error:
                self._interruption.append(error)
                raise
            finally:
                self._ended.set()

        # a director may be killed any number of times
        return DBOS.workflow(name=f"lionstudio.shows.{name}", max_recovery_attempts=None)(run)

    def _stop_polling(self) -> None:
        """Stop the threads that look for queued, delayed and overdue work: the only run of this process has begun."""
        events = list(getattr(self._dbos, "background_thread_stop_events", ()))
        # not part of its interface: a version without it only polls on
        events += [event for event in [getattr(self._dbos, "_workflow_timeout_stop_event", None)] if event is not None]
        for event in events:
            event.set()

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

    def order(
        self, job: str, command: Command, carry_out: Callable[[Command], Any], answer: Callable[[str, Any], None]
    ) -> None:
        """Carry a command out in a thread."""
        order_in_thread(job, command, carry_out, answer)

    def _rows(self) -> list[Any]:
        """List the runs of this show, oldest first."""
        rows = DBOS.list_workflows(workflow_id_prefix=self._queue, load_input=False, load_output=False)
        return [row for row in rows if _is_run_of(self._queue, row.workflow_id)]  # other topics share the prefix

    def close(self) -> None:
        DBOS.destroy()
        sqlalchemy.event.remove(sqlalchemy.Engine, "connect", _prepare_connection)


FORMAT = DBOSPortableJSONSerializer().name()


def _refuse_other_formats(path: str, show: str) -> None:
    """Refuse rows of a show that are not JSON: DBOS would load them as pickles, which are programs."""
    tables = SystemSchema.metadata_obj.tables.values()
    # SQLite has no schemas
    options = {"schema_translate_map": {table.schema: None for table in tables}}
    engine = sqlalchemy.create_engine(f"sqlite:///{path}", execution_options=options)
    try:
        with engine.connect() as conn:
            for table in tables:
                if (column := table.c.get("serialization")) is None:
                    continue
                query = sqlalchemy.select(column).where(column != FORMAT).limit(1)
                if (run := table.c.get("workflow_uuid")) is not None:  # a range of the index, not every row
                    query = query.where((run == show) | run.between(f"{show}~", f"{show}~~"))
                if conn.execute(query).first() is not None:
                    raise _not_json(path)
    finally:
        engine.dispose()


def _not_json(path: str) -> CorruptStore:
    return CorruptStore(
        f"{path} holds a row that is not JSON, which this version never writes",
        hint=f"move it away, shows restart from their files: mv {path} {path}.refused",
    )


def _refuse_pickle(_serializer: DefaultSerializer, _data: str) -> Any:
    raise CorruptStore("the engine's file holds a row that is not JSON; it is not loaded")


# rows that appear while a director runs are not loaded either
DefaultSerializer.deserialize = _refuse_pickle  # type: ignore[method-assign, assignment]


def _is_run_of(workflow_id: str, candidate: str) -> bool:
    return re.fullmatch(rf"{re.escape(workflow_id)}(~\d+)?", candidate) is not None


def _prepare_connection(connection: Any, _record: object) -> None:
    if type(connection).__module__ != "sqlite3":
        return  # of another engine of this process, on a server
    connection.execute("PRAGMA busy_timeout=30000")  # before the mode: several directors may open a new file at once
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={synchronous_mode()}")
    # Python may link a SQLite that loses commits when the log is reset while others write; so it is never reset
    # while a director runs, and checkpointed when the last one exits
    connection.execute("PRAGMA wal_autocheckpoint=0")
