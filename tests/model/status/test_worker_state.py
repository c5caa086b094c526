"""States of workers, computed from the facts of their rows."""

from __future__ import annotations

import pytest

from lionstudio.model.status.worker_state import WORKERS, WorkerStatus, worker_state


def test_worker_state_has_a_row_for_every_status() -> None:
    assert set(WORKERS) == set(WorkerStatus)


@pytest.mark.parametrize(
    ("is_stopped", "is_fresh", "stopping", "draining", "busy", "label"),
    [
        (True, True, True, True, 3, "stopped"),
        (False, False, True, True, 3, "silent"),
        (False, True, True, True, 0, "stopping"),
        (False, True, False, True, 3, "draining"),
        (False, True, False, True, 0, "drained"),
        (False, True, False, False, 1, "busy"),
        (False, True, False, False, 0, "ready"),
    ],
)
def test_worker_state_decides_in_order(
    *, is_stopped: bool, is_fresh: bool, stopping: bool, draining: bool, busy: int, label: str
) -> None:
    state = worker_state(
        is_stopped=is_stopped, is_fresh=is_fresh, stopping=stopping, draining=draining, busy=busy, now=5.5
    )

    assert (state.label, state.evaluated_at) == (label, 5)
    assert bool(state.reasons) == (label not in ("busy", "ready"))
