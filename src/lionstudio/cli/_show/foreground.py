"""Run the director of a show in this process; `li show run` starts it in the background."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import flush
from lionstudio.cli._toolkit.terminal import say
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.execute.budget import set_concurrency
from lionstudio.shows.process.process import DirectorProcess
from lionstudio.shows.records.show_dir import find_show_dir


def direct(args: argparse.Namespace) -> int:
    """Direct the show to its end; after a signal, `li show resume` can continue it."""
    settings = db_access.settings_of(args)
    show_dir = find_show_dir(settings, args.topic)
    signals = _Signals()
    director = DirectorProcess(show_dir, settings, os.environ, _log, again=args.again)
    signals.wake = director.wake
    if args.concurrency:
        set_concurrency(show_dir, args.concurrency)
    removed: str | None = None

    def leave(resting: bool) -> bool:
        nonlocal removed
        removed = director.find_removed()
        return signals.received is not None or removed is not None or (resting and args.no_wait)

    status = director.run(leave)
    if removed is not None:
        _log(f"director exiting: {removed} was removed")
        os._exit(1)
    if status is None:
        return _exit(args.topic, signals.received)
    director.close()
    _log(f"show {args.topic} ended: {status}")
    return 0 if status is ShowStatus.COMPLETED else 1


def _exit(topic: str, signal_number: int | None) -> int:
    """Exit without waiting for threads: every step can be repeated."""
    _log(f"director exiting; running agents continue. Continue the show: li show resume {topic}")
    flush()
    os._exit(1 if signal_number is None else 128 + signal_number)


class _Signals:
    """Remembers the first signal; the second one exits at once."""

    def __init__(self) -> None:
        self.received: int | None = None
        self.wake: Callable[[], None] = lambda: None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._handle)

    def _handle(self, number: int, _frame: object) -> None:
        if self.received is not None:
            os._exit(128 + number)
        self.received = number
        self.wake()


def _log(text: str) -> None:
    """Write to the director's log; the text may come from an agent."""
    timestamp = time.strftime("%Y-%m-%d %H:%M:%S")
    for line in text.splitlines():
        say(f"{timestamp} {inline(line)}")
    sys.stderr.flush()
