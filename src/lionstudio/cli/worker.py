"""`li worker`: play the shows of a hub on this machine."""

from __future__ import annotations

import argparse
import os
import re
import signal
import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING

from lionstudio.cli._toolkit import db_access
from lionstudio.cli._toolkit.args import integer, utf8
from lionstudio.cli._toolkit.escape import inline
from lionstudio.cli._toolkit.humanize import count
from lionstudio.cli._toolkit.output import emit, flush
from lionstudio.cli._toolkit.terminal import say
from lionstudio.cli.workers._hub import require_hub
from lionstudio.errors import InvalidInput, LionError

if TYPE_CHECKING:
    from lionstudio.shows.workers.worker import WorkerProcess

DESCRIPTION = """\
Play the shows of a hub on this machine: take plays that wait, run their agents, gates and merges, and direct shows. The
hub is the server in LIONAGI_DB. The repository is fetched from its remote with your own git credentials, and agents use
the keys of this machine. One worker for each home. Ctrl-C or SIGTERM lets it finish its plays and gives shows to other
workers; a second one leaves the plays at once. docs/workers.md explains the rest."""
EXAMPLES = (
    ("li worker", "take one play at a time"),
    ("li worker --at-once 4 --labels gpu,docker", "four at a time, also those that need a GPU or Docker"),
    ("li worker --name build-1", "another name than that of the machine"),
    ("li worker --once", "end when nothing is left to do"),
)
_NAME = re.compile(r"\w[\w. -]{0,62}")


def register(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--labels", type=utf8, metavar="A,B", help="labels of this worker, for plays with `needs`, such as gpu,docker")
    add("--at-once", type=integer(1, 1000), default=1, metavar="N", help="maximum plays at once (default 1)")
    add("--name", type=utf8, metavar="NAME", help="name of the worker (default: the name of the machine)")
    add("--once", action="store_true", help="end when nothing is left to do")


def run(args: argparse.Namespace) -> int:
    from lionstudio.files.shows.plan_fields import LABEL

    settings = db_access.settings_of(args)
    labels = tuple(sorted({label.strip() for label in (args.labels or "").split(",") if label.strip()}))
    for label in labels:
        if not LABEL.fullmatch(label):
            raise InvalidInput(
                f"{label!r:.80} is not a label", hint="letters, digits, dots, dashes and underscores: gpu,docker"
            )
    if args.name is not None and not _NAME.fullmatch(args.name):
        raise InvalidInput(
            f"{args.name!r:.80} is not a name for a worker",
            hint="up to 63 letters, digits, dots, dashes and spaces: build-1",
        )
    require_hub(settings, "a worker")
    return _work(args, labels)


def _work(args: argparse.Namespace, labels: tuple[str, ...]) -> int:
    from lionstudio.machine import machine_id
    from lionstudio.shows.process.engine import SHAPE
    from lionstudio.shows.workers.team_show import Workplace
    from lionstudio.shows.workers.worker import WorkerProcess
    from lionstudio.shows.workers.worker_identity import load_identity, lock_path, take_lock
    from lionstudio.state.workers.workers import Worker
    from lionstudio.system.sandbox.bwrap import find_bwrap
    from lionstudio.version import VERSION

    settings = db_access.settings_of(args)
    with take_lock(settings.home):
        identity = load_identity(settings.home, args.name)
        me = Worker(
            id=identity.id,
            name=identity.name,
            labels=labels,
            at_once=args.at_once,
            version=VERSION,
            shape=SHAPE,
            machine_id=machine_id(),
            sandbox=None if settings.sandbox == "off" or find_bwrap().problem else "bwrap",
        )
        place = Workplace(settings, dict(os.environ), lambda text: _line(args, text), lock_path(settings.home))
        worker = WorkerProcess(place, me, lambda text: _line(args, text))
        _stop_by_signals(args, worker)
        code = worker.run(once=args.once)
        _line(args, f"Worker {me.name} stopped.")
        os._exit(code)  # threads of the engine may wait for the hub


def _stop_by_signals(args: argparse.Namespace, worker: WorkerProcess) -> None:
    from lionstudio.state.workers.workers import BEAT_SECONDS

    signals: SimpleQueue[int] = SimpleQueue()  # a handler may interrupt the holder of a lock, so it takes none

    def stop() -> None:
        while number := signals.get():
            again = worker.is_stopping
            if again and number == signal.SIGHUP:
                continue  # a terminal that closes sends several: one from the kernel, one from its shell
            worker.stop()
            seconds, plays = f"{2 * BEAT_SECONDS:g} s", count(worker.plays, "play")
            text = f"Stopping: nothing new is taken, and {plays} can finish here. Stop again to leave at once."
            if again:
                text = (
                    f"Leaving: agents end in {seconds} unless this worker starts again; other workers take their plays."
                )
            threading.Thread(target=_line, args=(args, text), daemon=True).start()  # a terminal may be paused

    threading.Thread(target=stop, daemon=True, name="signals").start()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # as nohup has it
            signal.signal(number, lambda number, _frame: signals.put(number))


def _line(args: argparse.Namespace, text: str) -> None:
    """Print a line of the log; with --json as an object. A log that is gone or full ends no work."""
    with suppress(OSError, LionError):
        if args.json:
            from lionstudio.cli._toolkit.json_output import to_json

            emit(to_json({"schema_version": 1, "at": time.time(), "text": text}) + "\n")
            flush()
            return
        for line in text.splitlines():
            say(f"{time.strftime('%H:%M:%S')}  {inline(line)}", quiet=args.quiet)
