"""Workers and the orders that they take (docs/workers.md)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lionstudio.studio.schemas.shared import Read, ResponseModel, StateView

WorkName = Literal["show", "attempt", "gates", "merge", "final_gates"]


class HeldOrderView(ResponseModel):
    """An order that a worker carries out."""

    id: str
    topic: str
    play: str | None = Field(description="null: of the whole show")
    work: WorkName
    fence: int = Field(description="raised whenever a worker takes work of the play")
    since: float | None = Field(description="when the worker took it")
    stop: str | None = Field(description="why it should stop; null: it should not")
    session_id: str | None = Field(description="the run of the play")


class WorkerView(ResponseModel):
    """A worker; all times are by the clock of the database."""

    id: str
    name: str
    machine_id: str | None
    machine_name: str | None = Field(description="the name of its machine, if that pushes to this database")
    labels: list[str]
    at_once: int = Field(description="plays that it carries out at once; directing a show and a merge do not count")
    load: int = Field(description="orders that count against `at_once`")
    version: str
    is_same_version: bool = Field(description="as this Studio; a worker of another version may take nothing")
    sandbox: str | None = Field(description="how it confines programs; null: it cannot")
    draining: bool = Field(description="a person wants it to take nothing new")
    stopping: bool = Field(description="it ends when it has completed its orders")
    started_at: float
    seen_at: float
    silent_seconds: float = Field(description="since it was seen last")
    stopped_at: float | None
    is_connected: bool = Field(description="not stopped, and seen within a lease")
    orders: list[HeldOrderView] = Field(description="the orders that it carries out now, oldest first")
    state: StateView


class OrderWaitView(ResponseModel):
    """The first thing that is missing for an order to be taken."""

    code: Literal["no_worker", "missing_label", "other_version", "draining", "full", "soon"]
    text: str
    missing: list[str] = Field(description="labels that no single connected worker has")
    needs_person: bool = Field(description="no worker takes it unless a person starts, upgrades or undrains one")


class WaitingOrder(ResponseModel):
    """An order that waits for a worker."""

    id: str
    topic: str
    play: str | None
    work: WorkName
    needs: list[str] = Field(description="labels that a worker must have")
    ordered_at: float
    wait: OrderWaitView


class Workers(Read):
    """Every worker by name, and the orders that wait for one, oldest first."""

    is_hub: bool = Field(description="whether this database can have workers")
    workers: list[WorkerView]
    waiting: list[WaitingOrder] = Field(description="at most 200")
    waiting_total: int


class ChangedWorker(Read):
    """The worker after a change."""

    worker: WorkerView


class RemovedWorker(Read):
    """The worker that was removed."""

    id: str
    name: str
