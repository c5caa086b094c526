"""The durable engine of a worker: DBOS with its tables on the hub, for all orders that this process carries out.

DBOS keeps workflows and their steps. Who may run one is decided by the lease of its order; a workflow that another
worker began is resumed on the queue of this one. Rows that are not JSON are refused, as in `engine_dbos.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSConfig, SetWorkflowID
from dbos._schemas.system_database import SystemSchema

from lionstudio.errors import CorruptStore
from lionstudio.model.ids import new_id
from lionstudio.shows.process.engine import SHAPE, Workflow
from lionstudio.shows.process.engine_database import SCHEMA, make_connections
from lionstudio.shows.process.engine_dbos import FORMAT, RedactingSerializer
from lionstudio.state.connection import Unavailable

_QUEUE_SECONDS = 1.0  # only what is resumed waits there
_UNFINISHED = ("PENDING", "ENQUEUED", "DELAYED")
_THREADS = 1000  # every director and every order waits in one


class HubEngine:
    """Workflows of one worker on the hub; one instance in a process."""

    def __init__(self, path: str, worker_id: str, workflows: Mapping[str, Workflow]) -> None:
        self._queue = f"worker/{worker_id}"
        self._engine = make_connections(path)
        self._workflows = {
            # a worker may be killed any number of times
            name: DBOS.workflow(name=f"lionstudio.workers.{name}", max_recovery_attempts=None)(_plain(work))
            for name, work in workflows.items()
        }
        config = DBOSConfig(
            name="lion-studio-workers",
            system_database_engine=self._engine,
            dbos_system_schema=SCHEMA,
            application_version=SHAPE,
            executor_id=new_id(),
            serializer=RedactingSerializer(),
            log_level="CRITICAL",
            enable_otlp=False,
            scheduler_polling_interval_sec=3600.0,
            max_executor_threads=_THREADS,
            run_migrations=False,  # `li hub init` does it
        )
        DBOS(config=config)
        DBOS.listen_queues([self._queue])
        try:
            DBOS.launch()
            logging.getLogger("dbos").setLevel(logging.CRITICAL)  # it reports every lost connection
            DBOS.register_queue(self._queue, polling_interval_sec=_QUEUE_SECONDS, on_conflict="always_update")
        except sqlalchemy.exc.DBAPIError as error:
            # the next engine of this process must not find half of this one
            DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=0)
            self._engine.dispose()
            raise Unavailable(f"no connection to the engine of {path} ({error.orig})") from error

    def start(self, workflow_id: str, name: str, *args: Any) -> None:
        """Start a workflow, or resume the one of this id, here."""
        status = DBOS.get_workflow_status(workflow_id)
        if status is None:
            with SetWorkflowID(workflow_id):
                DBOS.start_workflow(self._workflows[name], *args)
        elif status.status in _UNFINISHED:
            self._refuse_other_formats(workflow_id)
            DBOS.resume_workflow(workflow_id, queue_name=self._queue)

    def has_ended(self, workflow_id: str) -> bool:
        status = DBOS.get_workflow_status(workflow_id)
        return status is not None and status.status not in _UNFINISHED

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        """Run a step of the workflow of this thread, or return its recorded result."""
        return DBOS.run_step({"name": name}, work, *args)

    def close(self) -> None:
        DBOS.destroy(workflow_completion_timeout_sec=0)
        self._engine.dispose()

    def _refuse_other_formats(self, workflow_id: str) -> None:
        """Refuse rows that are not JSON: DBOS would load them as pickles, which are programs."""
        tables = SystemSchema.metadata_obj.tables.values()
        options = {"schema_translate_map": {table.schema: SCHEMA for table in tables}}
        with self._engine.connect().execution_options(**options) as conn:
            for table in tables:
                column, run = table.c.get("serialization"), table.c.get("workflow_uuid")
                if column is None or run is None:
                    continue
                query = sqlalchemy.select(column).where(column != FORMAT).where(run == workflow_id).limit(1)
                if conn.execute(query).first() is not None:
                    raise CorruptStore(
                        f"the engine of the hub holds a row of {workflow_id} that is not JSON; it is not loaded",
                        hint="resume the show: it restarts from its rows",
                    )


def _plain(work: Workflow) -> Workflow:
    """A plain function: for a method, the engine would look up the object again on recovery."""

    def run(*args: Any) -> Any:
        return work(*args)

    return run
