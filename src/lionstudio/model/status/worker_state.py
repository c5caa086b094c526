"""The computed state of a worker. Pure: facts of its row go in, a State comes out."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from lionstudio.model.status.computed_state import State
from lionstudio.model.status.reasons import reason
from lionstudio.model.status.vocabulary import HealthCode, Icon, Severity, StatusGroup, Tone


class WorkerStatus(StrEnum):
    """The status of a worker, in the order in which it is decided."""

    STOPPED = "stopped"  # it ended by itself
    SILENT = "silent"  # not seen for a lease: gone, frozen, or cut off
    STOPPING = "stopping"  # takes nothing new, and ends when it has completed what it has
    DRAINING = "draining"  # takes nothing new, and ends what it has
    DRAINED = "drained"  # takes nothing new, and has nothing: it can be stopped
    BUSY = "busy"
    READY = "ready"


class _Row(NamedTuple):
    label: str
    tone: Tone
    group: StatusGroup
    icon: Icon
    severity: Severity = "neutral"
    health: HealthCode = "ok"
    reason: str | None = None


W = WorkerStatus
WORKERS: Mapping[WorkerStatus, _Row] = {
    W.STOPPED: _Row("stopped", "neutral", "archived", "ban", reason="worker.stopped"),
    W.SILENT: _Row("silent", "warning", "failed", "disconnected", "warning", "unknown", "worker.silent"),
    W.STOPPING: _Row("stopping", "warning", "pending", "hourglass", "info", "ok", "worker.stopping"),
    W.DRAINING: _Row("draining", "warning", "pending", "hourglass", "info", "ok", "worker.draining"),
    W.DRAINED: _Row("drained", "warning", "pending", "clock-pause", "info", "ok", "worker.drained"),
    W.BUSY: _Row("busy", "info", "running", "spinner", health="running"),
    W.READY: _Row("ready", "success", "active", "check"),
}


def worker_status(*, is_stopped: bool, is_fresh: bool, stopping: bool, draining: bool, busy: int) -> WorkerStatus:
    """The status of a worker; `busy` counts the orders that it has."""
    if is_stopped:
        return W.STOPPED
    if not is_fresh:
        return W.SILENT
    if stopping:
        return W.STOPPING
    if draining:
        return W.DRAINING if busy else W.DRAINED
    return W.BUSY if busy else W.READY


def worker_state(
    *,
    is_stopped: bool,
    is_fresh: bool,
    stopping: bool,
    draining: bool,
    busy: int,
    evidence: str | None = None,
    now: float,
) -> State:
    """The state of a worker, with the evidence for a status that needs a reason."""
    status = worker_status(is_stopped=is_stopped, is_fresh=is_fresh, stopping=stopping, draining=draining, busy=busy)
    row = WORKERS[status]
    return State(
        lifecycle=str(status),
        health=row.health,
        delivery="not_expected",
        severity=row.severity,
        tone=row.tone,
        label=row.label,
        reasons=() if row.reason is None else (reason(row.reason, evidence),),
        group=row.group,
        icon=row.icon,
        evaluated_at=int(now),
    )
