"""`li worker`: its signals."""

from __future__ import annotations

import argparse
import signal
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.waiting import wait_until

from lionstudio.cli import worker as worker_command
from lionstudio.shows.workers.worker import WorkerProcess
from lionstudio.state.workers.workers import Worker


def test_signal_waits_for_no_lock_of_what_it_interrupts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place: Any = SimpleNamespace(settings=SimpleNamespace(db="postgresql://nowhere/lion"))
    me = Worker(id="one", name="one", labels=(), at_once=1, version="1", shape="test")
    worker = WorkerProcess(place, me, print)
    handlers: dict[int, Any] = {}
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    worker_command._stop_by_signals(argparse.Namespace(json=False, quiet=True), worker)

    lock: Any = vars(worker._wakeup)["_cond"]
    for _ in range(2):
        with lock:  # the loop of the worker holds it for some instructions in every round
            handlers[signal.SIGTERM](signal.SIGTERM, None)
        wait_until(lambda: worker.is_stopping)
        wait_until(worker._wakeup.is_set)

    wait_until(lambda: worker._leaving)
