"""One attempt of a play: what is to be run, who runs it, how it ended, all in its folder.

A supervisor process of its own runs the agent, so that the director may come and go: it looks into the folder, finds
the attempt over or held, and starts a supervisor only where there is none.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lionstudio.files.atomic import make_folder, write_text

ORDER, PROMPT, LOCK, STARTED, STOP, EXIT, LOG = (
    "attempt.json", "prompt.md", "lock", "started.json", "stop.json", "exit.json", "agent.log",
)  # fmt: skip
LOOK_SECONDS = 0.1  # between two looks at a folder; the agent itself takes seconds at least
_STARTING_SECONDS = 30.0  # in which a supervisor must have taken its lock, on a machine with much to do
_LOG_TAIL = 16_000  # bytes of the agent's last words that are of interest


class Order(NamedTuple):
    """What a supervisor is to do."""

    argv: tuple[str, ...]
    cwd: str
    session_id: str
    db: str
    timeout: float | None = None  # seconds; the agent's own deadline comes first, this one ends what ignores it
    silence: float | None = None  # seconds without a sign of life after which it counts as hanging


class Exit(NamedTuple):
    """How an attempt ended, as its supervisor saw it."""

    code: int | None  # None when nobody saw the process end
    how: str  # exited | stopped | timed_out | silent | lost | not_started
    started_at: float
    ended_at: float
    left_behind: int = 0  # processes that outlived the agent and were ended
    detail: str | None = None


def folder_of(show_dir: str, play: str, attempt: int, part: int = 0) -> str:
    """The folder of an attempt; one that a usage limit interrupted goes on in the next part of it."""
    return os.path.join(show_dir, play, "attempts", f"{attempt}-{part}" if part else str(attempt))


def place_order(folder: str, order: Order, prompt: str, environ: Mapping[str, str]) -> None:
    """Write down what is to be run; an order that was given stands."""
    if os.path.exists(os.path.join(folder, ORDER)):
        return
    make_folder(folder)
    write_text(os.path.join(folder, PROMPT), prompt)
    given = {**order._asdict(), "argv": list(order.argv), "env": sorted(environ)}  # names alone: values are secrets
    write_text(os.path.join(folder, ORDER), json.dumps(given, indent=1) + "\n")


def read_order(folder: str) -> Order:
    """The order of an attempt."""
    given = read_json(os.path.join(folder, ORDER)) or {}
    return Order(tuple(given["argv"]), *(given[name] for name in Order._fields[1:]))


def find_exit(folder: str) -> Exit | None:
    """How the attempt ended, None while it has not."""
    given = read_json(os.path.join(folder, EXIT))
    return None if given is None else Exit(*(given.get(name) for name in Exit._fields))  # type: ignore[arg-type]


def is_held(folder: str) -> bool:
    """Whether a supervisor lives; looking disturbs nobody, because whoever takes the lock tries again."""
    try:
        descriptor = os.open(os.path.join(folder, LOCK), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def ask_to_stop(folder: str, why: str) -> None:
    """Have the supervisor end the agent with everything it started; the first reason counts."""
    path = os.path.join(folder, STOP)
    if not os.path.exists(path):
        write_text(path, json.dumps({"why": why, "at": time.time()}) + "\n")


def unfinished(show_dir: str) -> list[str]:
    """The folders of all that was ordered for a show and has not ended: attempts, and what reviewers were asked."""
    return sorted(folder for folder, _, names in os.walk(show_dir) if ORDER in names and EXIT not in names)


def last_words(folder: str) -> str:
    """The end of what the agent's command printed."""
    try:
        with open(os.path.join(folder, LOG), "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _LOG_TAIL))
            return file.read().decode("utf-8", "backslashreplace").strip()
    except FileNotFoundError:
        return ""


class Watch:
    """The director's side of one attempt: start it, adopt it, wait for its end."""

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._environ = dict(environ)
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._since = 0.0

    def wait(self, why_stop: Callable[[], str | None]) -> Exit:
        """Until it has ended; asked at every look whether it should be stopped."""
        while (found := self.look()) is None:
            if why := why_stop():
                ask_to_stop(self._folder, why)
            time.sleep(LOOK_SECONDS)
        return found

    def look(self) -> Exit | None:
        """Its end when it has ended; otherwise somebody runs it when this returns."""
        if (found := self._exit()) is None and not is_held(self._folder) and not self._is_coming():
            if (found := self._exit()) is not None:  # it ended between the two looks
                return found
            self._start()
        return found

    def _exit(self) -> Exit | None:
        found = find_exit(self._folder)
        if found is not None and self._supervisor is not None:
            self._supervisor.wait()
        return found

    def _is_coming(self) -> bool:
        """Whether the supervisor that we started has not got to its lock yet."""
        if self._supervisor is None or self._supervisor.poll() is not None:
            return False
        return time.monotonic() < self._since + _STARTING_SECONDS

    def _start(self) -> None:
        self._since = time.monotonic()
        log = os.open(os.path.join(self._folder, LOG), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-m", "lionstudio.shows.supervisor", self._folder],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=_passed_on(self._environ), cwd="/",
                start_new_session=True,
            )  # fmt: skip
        finally:
            os.close(log)


def _passed_on(environ: Mapping[str, str]) -> dict[str, str]:
    """Our environment; a point at which a test kills the director is not the supervisor's."""
    passed = dict(environ)
    if not passed.get("LIONAGI_CRASH_AT", "").startswith("attempt."):
        passed.pop("LIONAGI_CRASH_AT", None)
    return passed


def read_json(path: str) -> dict[str, Any] | None:
    """A small file of ours; None when it is not there, or holds something else."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None
