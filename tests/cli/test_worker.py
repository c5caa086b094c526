"""`li worker`: its signals and its log."""

from __future__ import annotations

import argparse
import errno
import signal
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.waiting import wait_until

from lionstudio.cli import worker as worker_command
from lionstudio.shows.workers.worker import WorkerProcess
from lionstudio.state.workers.workers import Worker


@pytest.fixture
def worker() -> WorkerProcess:
    place: Any = SimpleNamespace(settings=SimpleNamespace(db="postgresql://nowhere/lion"))
    me = Worker(id="one", name="one", labels=(), at_once=1, version="1", shape="test")
    return WorkerProcess(place, me, print)


@pytest.fixture
def handlers(worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> dict[int, Any]:
    """The handlers of signals, by number."""
    handlers: dict[int, Any] = {}
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    worker_command._stop_by_signals(argparse.Namespace(json=False, quiet=True), worker)
    return handlers


def test_signal_waits_for_no_lock_of_what_it_interrupts(worker: WorkerProcess, handlers: dict[int, Any]) -> None:
    lock: Any = vars(worker._wakeup)["_cond"]
    for _ in range(2):
        with lock:  # the loop of the worker holds it for some instructions in every round
            handlers[signal.SIGTERM](signal.SIGTERM, None)
        wait_until(lambda: worker.is_stopping)
        wait_until(worker._wakeup.is_set)

    wait_until(lambda: worker._leaving)


def test_hang_ups_of_one_terminal_that_closes_are_one_stop(worker: WorkerProcess, handlers: dict[int, Any]) -> None:
    for _ in range(3):
        handlers[signal.SIGHUP](signal.SIGHUP, None)
    wait_until(lambda: worker.is_stopping)
    assert not worker._leaving

    handlers[signal.SIGTERM](signal.SIGTERM, None)
    wait_until(lambda: worker._leaving)


def test_hang_up_that_nohup_ignores_stays_ignored(worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    handlers: dict[int, Any] = {}
    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.SIG_IGN)

    worker_command._stop_by_signals(argparse.Namespace(json=False, quiet=True), worker)

    assert set(handlers) == {signal.SIGINT, signal.SIGTERM}


@pytest.mark.parametrize("json", [False, True])
@pytest.mark.parametrize("number", [errno.EPIPE, errno.ENOSPC])
def test_line_of_a_worker_raises_nothing_where_its_log_is_gone(
    monkeypatch: pytest.MonkeyPatch, json: bool, number: int
) -> None:
    calls: list[str] = []

    def fail(text: str = "") -> None:
        calls.append(text)
        raise OSError(number, "gone")

    stream = SimpleNamespace(write=fail, flush=fail, fileno=lambda: -1)
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", stream)

    worker_command._line(argparse.Namespace(json=json, quiet=False), "calc/add: attempt")

    assert calls
