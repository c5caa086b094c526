"""Why an order waits for a worker. Pure: the order and the workers go in, a sentence comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from lionstudio.state.workers.orders import WorkOrder
from lionstudio.state.workers.workers import Worker


class WaitCode(StrEnum):
    """The first thing that is missing."""

    NO_WORKER = "no_worker"
    MISSING_LABEL = "missing_label"
    OTHER_VERSION = "other_version"
    DRAINING = "draining"
    FULL = "full"
    SOON = "soon"  # a worker has room, and takes it with its next look


class OrderWait(NamedTuple):
    """The reason, and the labels that no single worker has."""

    code: WaitCode
    text: str
    missing: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        """The reason in a few words."""
        return f"needs {', '.join(self.missing)}" if self.missing else _SHORT[self.code]

    @property
    def needs_person(self) -> bool:
        """Whether no worker takes the order unless a person starts, relabels, upgrades or undrains one."""
        return self.code not in (WaitCode.FULL, WaitCode.SOON)


_SHORT = {
    WaitCode.NO_WORKER: "no worker",
    WaitCode.MISSING_LABEL: "missing label",
    WaitCode.OTHER_VERSION: "other version",
    WaitCode.DRAINING: "workers draining",
    WaitCode.FULL: "workers busy",
    WaitCode.SOON: "waiting",
}


def count_loads(orders: Iterable[WorkOrder]) -> Counter[str]:
    """Count the open orders of each worker that take one of its places."""
    return Counter(order.worker_id for order in orders if order.worker_id is not None and order.work.takes_place)


def explain_wait(order: WorkOrder, workers: Iterable[Worker], loads: Mapping[str, int]) -> OrderWait:
    """Explain what an order waits for, by the workers that are connected and their loads."""
    connected = [worker for worker in workers if worker.is_fresh]
    if not connected:
        return OrderWait(WaitCode.NO_WORKER, "no worker is connected")
    labeled = [worker for worker in connected if set(order.needs) <= set(worker.labels)]
    if not labeled:
        missing = _missing_labels(order.needs, connected)
        return OrderWait(WaitCode.MISSING_LABEL, f"no connected worker has {_name_labels(missing)}", missing)
    same_version = [worker for worker in labeled if worker.shape == order.shape]
    if not same_version:
        return OrderWait(WaitCode.OTHER_VERSION, "every worker that has its labels has another version")
    willing = [worker for worker in same_version if not worker.draining and not worker.stopping]
    if not willing:
        return OrderWait(WaitCode.DRAINING, "every worker that could take it is draining or stopping")
    if order.work.takes_place and all(loads.get(worker.id, 0) >= worker.at_once for worker in willing):
        return OrderWait(WaitCode.FULL, "every worker that could take it is busy")
    return OrderWait(WaitCode.SOON, "a worker takes it within seconds")


def _missing_labels(needs: Sequence[str], workers: Sequence[Worker]) -> tuple[str, ...]:
    """The labels that no worker has; all of them where each exists, but not on one worker."""
    existing = {label for worker in workers for label in worker.labels}
    return tuple(label for label in needs if label not in existing) or tuple(needs)


def _name_labels(labels: Sequence[str]) -> str:
    if len(labels) == 1:
        return f"the label {labels[0]}"
    return f"the labels {', '.join(labels[:-1])} and {labels[-1]}"
