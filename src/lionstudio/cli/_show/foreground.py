"""The director of a show as this very process: what `li show run` starts in the background."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.output import flush
from lionstudio.cli._toolkit.terminal import say
from lionstudio.model.status.statuses import ShowStatus
from lionstudio.shows.execute.budget import set_concurrency
from lionstudio.shows.process.process import DirectorProcess
from lionstudio.shows.records.show_dir import find_show_dir


def direct(args: argparse.Namespace) -> int:
    """Direct the show to its end; a signal leaves it to be taken up again."""
    settings = db_access.settings_of(args)
    show_dir = find_show_dir(settings, args.topic)
    signals = _Signals()
    directing = DirectorProcess(show_dir, settings, os.environ, _log, again=args.again)
    if args.concurrency:
        set_concurrency(show_dir, args.concurrency)
    status = directing.run(lambda resting: signals.got is not None or (resting and args.no_wait))
    if status is None:
        return _leave(args.topic, signals.got)
    directing.close()
    _log(f"the show {args.topic} is {status}")
    return 0 if status is ShowStatus.COMPLETED else 1


def _leave(topic: str, got: int | None) -> int:
    """Threads may be in the middle of anything, and all of it can be done again: no waiting for them."""
    _log(f"the director leaves; agents that run go on. `li show resume {topic}` takes it up again")
    flush()
    os._exit(1 if got is None else 128 + got)


class _Signals:
    """Notes the first signal; the second ends the process at once."""

    def __init__(self) -> None:
        self.got: int | None = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._hear)

    def _hear(self, number: int, _frame: object) -> None:
        if self.got is not None:
            os._exit(128 + number)
        self.got = number


def _log(text: str) -> None:
    """A line of the director's log; what it tells may come from an agent."""
    moment = time.strftime("%Y-%m-%d %H:%M:%S")
    for line in text.splitlines():
        say(f"{moment} {inline(line)}")
    sys.stderr.flush()
