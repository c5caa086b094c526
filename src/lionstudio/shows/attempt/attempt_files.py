"""One attempt of a play: what is to be run, who runs it, how it ended, all in its folder.

A supervisor process of its own runs the agent, so that the director may come and go: it looks into the folder, finds
the attempt over or held, and starts a supervisor only where there is none. The agent may write into the folder as well:
what is no plain file of ours there counts as broken, and nothing waits for it.
"""

from __future__ import annotations

import fcntl
import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, LionError
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.json_read import read_object
from lionstudio.system.session_processes import end_processes_of

SPEC, PROMPT, LOCK, STARTED, STOP, EXIT, LOG = (
    "attempt.json",
    "prompt.md",
    "lock",
    "started.json",
    "stop.json",
    "exit.json",
    "agent.log",
)
POLL_SECONDS = 0.1  # between two looks at a folder; the agent itself takes seconds at least
_STARTING_SECONDS = 30.0  # in which a supervisor must have taken its lock, on a machine with much to do
_LOG_TAIL = 16_000  # bytes of the agent's last words that are of interest
_MOST_SUPERVISORS = 3  # of one attempt that may die without a word before it counts as lost
_MOST_BYTES = 5_000_000  # of a file of ours; an order holds a prompt at most
_HOWS = frozenset({"exited", "stopped", "timed_out", "silent", "lost", "not_started"})
_LEFTOVER_GRACE = 3.0
# a pipe or a link in the place of a file is refused at once instead of waited for or followed
SAFE_FLAGS = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


class AttemptSpec(NamedTuple):
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


def attempt_folder(show_dir: str, play: str, attempt: int, part: int = 0) -> str:
    """The folder of an attempt; one that a usage limit interrupted goes on in the next part of it."""
    return os.path.join(show_dir, play, "attempts", f"{attempt}-{part}" if part else str(attempt))


def write_spec(folder: str, order: AttemptSpec, prompt: str, environ: Mapping[str, str]) -> None:
    """Write down what is to be run; an order that was given stands."""
    if os.path.exists(os.path.join(folder, SPEC)):
        return
    make_folder(folder)
    write_text(os.path.join(folder, PROMPT), prompt)
    given = {**order._asdict(), "argv": list(order.argv), "env": sorted(environ)}  # names alone: values are secrets
    write_text(os.path.join(folder, SPEC), json.dumps(given, indent=1) + "\n")


def read_spec(folder: str) -> AttemptSpec:
    """The order of an attempt; refused with the reason when it is not there, or is not one that we gave."""
    given = read_object(os.path.join(folder, SPEC), most=_MOST_BYTES, root=folder)
    texts = [given.get(name) for name in ("cwd", "session_id", "db")]
    argv, limits = given.get("argv"), [given.get(name) for name in ("timeout", "silence")]
    whole = isinstance(argv, list) and argv and all(isinstance(each, str) for each in (*argv, *texts))
    if not whole or not all(each is None or _is_number(each) for each in limits):
        raise InvalidInput(f"{SPEC} of the attempt is broken", hint=f"look into {folder}")
    return AttemptSpec(tuple(given["argv"]), *(given[name] for name in AttemptSpec._fields[1:]))


def find_exit(folder: str) -> Exit | None:
    """How the attempt ended, None while it has not."""
    given = find_json(os.path.join(folder, EXIT)) or {}
    times = (given.get("started_at"), given.get("ended_at"))
    if str(given.get("how")) not in _HOWS or not all(map(_is_number, times)):
        return None
    return Exit(*(given.get(name) for name in Exit._fields))  # type: ignore[arg-type]


def give_up(folder: str, why: str) -> Exit:
    """The end of an attempt that nobody can run or watch any more; what is left of its agent is ended."""
    began = os.path.lexists(os.path.join(folder, STARTED))
    session_id = session_of(folder)
    left = 0 if session_id is None else end_processes_of(session_id, grace=_LEFTOVER_GRACE)
    found = Exit(None, "lost" if began else "not_started", time.time(), time.time(), left, why)
    with suppress(LionError, OSError):  # where it cannot be written it is told all the same
        write_exit(folder, found)
    return found


def write_exit(folder: str, found: Exit) -> None:
    """The last act of an attempt; a link in its place is not followed."""
    path = os.path.join(folder, EXIT)
    if os.path.islink(path):
        os.unlink(path)
    write_text(path, json.dumps(found._asdict()) + "\n")


def session_of(folder: str) -> str | None:
    """The session of an attempt, also of one whose order is gone."""
    for name in (SPEC, STARTED):
        found = (find_json(os.path.join(folder, name)) or {}).get("session_id")
        if isinstance(found, str) and found:
            return found
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_held(folder: str) -> bool:
    """Whether a supervisor lives; looking disturbs nobody, because whoever takes the lock tries again."""
    try:
        descriptor = os.open(os.path.join(folder, LOCK), os.O_RDONLY | SAFE_FLAGS)
    except OSError:  # not there, or nothing that a supervisor could hold
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def request_stop(folder: str, why: str) -> None:
    """Have the supervisor end the agent with everything it started; the first reason counts."""
    path = os.path.join(folder, STOP)
    if not os.path.lexists(path):
        write_text(path, json.dumps({"why": why, "at": time.time()}) + "\n")


def stop_reason(folder: str) -> str | None:
    """The reason that was given; whatever lies there in its place asks for the same."""
    path = os.path.join(folder, STOP)
    asked = find_json(path)
    if asked is not None:
        return str(asked.get("why"))
    return f"{STOP} is there and cannot be read" if os.path.lexists(path) else None


def unfinished_attempts(show_dir: str) -> list[str]:
    """The folders of all that was ordered for a show and has not ended: attempts, and what reviewers were asked."""
    ordered = (folder for folder, _, names in os.walk(show_dir) if SPEC in names or STARTED in names)
    return sorted(folder for folder in ordered if find_exit(folder) is None)


def log_tail(folder: str) -> str:
    """The end of what the agent's command printed."""
    try:
        with open(os.open(os.path.join(folder, LOG), os.O_RDONLY | SAFE_FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _LOG_TAIL))
            return file.read().decode("utf-8", "backslashreplace").strip()
    except OSError:
        return ""


class AttemptWatch:
    """The director's side of one attempt: start it, adopt it, wait for its end."""

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self._folder = folder
        self._place, self._session_id = os.path.realpath(folder), session_of(folder)
        self._environ = dict(environ)
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._since = 0.0
        self._started = 0

    def wait(self, why_stop: Callable[[], str | None]) -> Exit:
        """Until it has ended; asked at every look whether it should be stopped."""
        while (found := self.look()) is None:
            if why := why_stop():
                request_stop(self._folder, why)
            time.sleep(POLL_SECONDS)
        return found

    def look(self) -> Exit | None:
        """Its end when it has ended; otherwise somebody runs it when this returns."""
        if os.path.realpath(self._folder) != self._place:
            return self._led_away()
        if (found := self._exit()) is None and not is_held(self._folder) and not self._is_coming():
            if (found := self._exit()) is not None:  # it ended between the two looks
                return found
            if self._started >= _MOST_SUPERVISORS:
                return give_up(self._folder, f"{self._started} supervisors of it died without a word")
            self._start()
        return found

    def _led_away(self) -> Exit:
        """Somebody put a link into the way: nothing is read there, and nothing written."""
        left = 0 if self._session_id is None else end_processes_of(self._session_id, grace=_LEFTOVER_GRACE)
        if self._supervisor is not None:
            with suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(_STARTING_SECONDS)
            self._supervisor.kill()
            self._supervisor.wait()
        return Exit(None, "lost", time.time(), time.time(), left, "its folder was replaced by a link")

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
        self._started += 1
        log = _open_log(self._folder)
        try:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-m", "lionstudio.shows.attempt.supervisor", self._folder],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=_passed_on(self._environ),
                cwd="/",
                start_new_session=True,
            )
        finally:
            os.close(log)


def _open_log(folder: str) -> int:
    try:
        return os.open(os.path.join(folder, LOG), os.O_WRONLY | os.O_CREAT | os.O_APPEND | SAFE_FLAGS, 0o600)
    except OSError:  # somebody put something else there; the supervisor says what is wrong in exit.json
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


def _passed_on(environ: Mapping[str, str]) -> dict[str, str]:
    """Our environment; a point at which a test kills the director is not the supervisor's."""
    passed = dict(environ)
    if not passed.get("LIONAGI_CRASH_AT", "").startswith("attempt."):
        passed.pop("LIONAGI_CRASH_AT", None)
    return passed


def find_json(path: str) -> dict[str, Any] | None:
    """A small file of ours; None when it is not there, or holds something else, or is no file."""
    try:
        return read_object(path, most=_MOST_BYTES, root=os.path.dirname(path))
    except LionError:
        return None
