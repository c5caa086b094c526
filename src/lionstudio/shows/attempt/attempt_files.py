"""The files of one attempt: its spec, its lock, its end, all in one folder.

A supervisor process runs the agent, so that the director may exit and start again: it looks into the folder, sees
whether the attempt has ended or is locked, and starts a supervisor only where there is none. The agent may write into
the folder as well: anything that is not a regular file counts as broken, and nothing waits for it.
"""

from __future__ import annotations

import glob
import json
import os
import stat
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.redaction.process import redactor, secrets_to_pass
from lionstudio.settings import real_database
from lionstudio.system.atomic_write import make_folder, write_text
from lionstudio.system.filelock import lock_state
from lionstudio.system.json_read import find_object, read_object
from lionstudio.system.li_process import module_argv, start_ours
from lionstudio.system.session_processes import end_processes_of

SPEC, PROMPT, LOCK, STARTED, STOP, EXIT, LOG, LEASE = (
    "attempt.json",
    "prompt.md",
    "lock",
    "started.json",
    "stop.json",
    "exit.json",
    "agent.log",
    "lease.json",
)
POLL_SECONDS = 0.1  # where folders cannot be watched; the agent itself takes seconds at least
_STARTING_SECONDS = 30.0  # for a supervisor to take its lock, on a busy machine
_LOG_TAIL = 16_000  # bytes at the end of the log that are read
_MOST_SUPERVISORS = 3  # of one attempt that may die before it counts as lost
_MOST_BYTES = 5_000_000  # of one of these files; a spec holds at most a prompt
_ENDS = frozenset(
    {"exited", "stopped", "timed_out", "silent", "lost", "not_started", "given_away", "released", "killed"}
)
_LEFTOVER_GRACE = 3.0
# a pipe or link in place of a file is refused at once, never waited for or followed
SAFE_FLAGS = os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY


class Lease(NamedTuple):
    """The right to run an attempt, which its supervisor renews: an order of a hub under a fence."""

    db: str  # an address without a password
    order_id: str
    fence: int
    worker_lock: str  # held by the worker that has the order, as long as it lives


class LeaseState(NamedTuple):
    """The report of a supervisor about its lease while it runs: how long its agent was frozen."""

    frozen: float = 0.0  # seconds, until the last thaw
    frozen_since: float | None = None  # None while the agent is awake
    freezes: int = 0
    why: str | None = None  # of the last freeze
    strict: bool = False  # frozen by a cgroup, which no new process escapes


class AttemptSpec(NamedTuple):
    """The command that a supervisor runs, and its limits."""

    argv: tuple[str, ...]
    cwd: str
    session_id: str
    db: str
    # seconds; the agent's own deadline comes first, this one ends an agent that ignores it
    timeout: float | None = None
    silence: float | None = None  # seconds without output or messages after which the agent counts as hanging
    lease: Lease | None = None  # None: no other machine could run it


class Exit(NamedTuple):
    """The end of an attempt, as its supervisor saw it."""

    code: int | None  # None when no supervisor saw the process end
    # exited | stopped | timed_out | silent | lost | not_started; with a lease also
    # given_away (the order was lost, and nothing may be written for it) | released (its worker was gone) |
    # killed (with its supervisor)
    how: str
    started_at: float
    ended_at: float
    left_behind: int = 0  # processes that outlived the agent and were ended
    detail: str | None = None
    frozen: float = 0.0  # seconds in which the agent was frozen because its lease could not be renewed


def attempt_folder(show_dir: str, play: str, attempt: int, part: int = 0) -> str:
    """Return the folder of an attempt; after a usage limit it continues in the folder of its next part."""
    return os.path.join(show_dir, play, "attempts", f"{attempt}-{part}" if part else str(attempt))


def write_spec(folder: str, spec: AttemptSpec, prompt: str, environ: Mapping[str, str]) -> None:
    """Write the spec and the prompt, once; an existing spec is kept."""
    if os.path.exists(os.path.join(folder, SPEC)):
        return
    make_folder(folder)
    write_text(os.path.join(folder, PROMPT), prompt)
    record = {**spec._asdict(), "argv": list(spec.argv), "env": sorted(environ)}  # only names: values are secrets
    if spec.lease is None:
        del record["lease"]
    else:
        record["lease"] = spec.lease._asdict()
    write_text(os.path.join(folder, SPEC), json.dumps(record, indent=1) + "\n")


def read_spec(folder: str) -> AttemptSpec:
    """Read the spec of an attempt; refused when it is missing or we cannot have written it."""
    record = read_object(os.path.join(folder, SPEC), most=_MOST_BYTES, root=folder)
    texts = [record.get(name) for name in ("cwd", "session_id", "db")]
    argv, limits = record.get("argv"), [record.get(name) for name in ("timeout", "silence")]
    has_texts = isinstance(argv, list) and argv and all(isinstance(text, str) for text in (*argv, *texts))
    if not has_texts or not all(limit is None or _is_number(limit) for limit in limits):
        raise InvalidInput(f"invalid {SPEC} of an attempt", hint=f"look into {folder}")
    values = {name: record[name] for name in AttemptSpec._fields[1:-1]}
    return AttemptSpec(tuple(record["argv"]), **values, lease=_lease_of(record.get("lease"), folder))


def _lease_of(record: Any, folder: str) -> Lease | None:
    if record is None:
        return None
    values = [record.get(name) for name in Lease._fields] if isinstance(record, dict) else [None]
    if [type(value) for value in values] != [str, str, int, str]:
        raise InvalidInput(f"invalid lease in {SPEC} of an attempt", hint=f"look into {folder}")
    return Lease(*values)


def write_lease_state(folder: str, state: LeaseState) -> None:
    write_text(os.path.join(folder, LEASE), json.dumps(state._asdict()) + "\n")


def read_lease_state(folder: str) -> LeaseState | None:
    """Return what the supervisor reported of its lease; None without a lease, and before its first freeze."""
    record = find_object(os.path.join(folder, LEASE)) or {}
    times = (record.get("frozen"), record.get("frozen_since"), record.get("freezes"))
    if not record or not all(time is None or _is_number(time) for time in times):
        return None
    why = record.get("why")
    return LeaseState(
        float(times[0] or 0.0),
        times[1],
        int(times[2] or 0),
        None if why is None else str(why),
        record.get("strict") is True,
    )


def frozen_sentence(state: LeaseState, now: float) -> str | None:
    """Say for how long the agent is or was frozen; None when it never was."""
    if state.frozen_since is not None:
        return f"frozen for {max(0.0, now - state.frozen_since):.0f} s: {state.why}"
    return f"was frozen for {state.frozen:.0f} s: {state.why}" if state.freezes else None


def recorded_databases(show_dir: str) -> set[str]:
    """Return the databases that the attempts of a show record to: one, unless the show was moved."""
    databases = set()
    for path in glob.iglob(os.path.join(glob.escape(show_dir), "*", "attempts", "*", SPEC)):
        with suppress(LionError, OSError):
            databases.add(real_database(read_spec(os.path.dirname(path)).db))
    return databases


def find_exit(folder: str) -> Exit | None:
    """Return the end of an attempt, None while it runs."""
    record = find_object(os.path.join(folder, EXIT)) or {}
    times = (record.get("started_at"), record.get("ended_at"))
    if str(record.get("how")) not in _ENDS or not all(map(_is_number, times)):
        return None
    frozen = record.get("frozen")
    values: list[Any] = [record.get(name) for name in Exit._fields[:-1]]
    return Exit(*values, float(frozen) if _is_number(frozen) else 0.0)  # type: ignore[arg-type,call-arg]


def give_up(folder: str, reason: str) -> Exit:
    """End an attempt that no supervisor can run or watch, with the processes of its agent."""
    began = os.path.lexists(os.path.join(folder, STARTED))
    session_id = session_of(folder)
    left = 0 if session_id is None else end_processes_of(session_id, grace=_LEFTOVER_GRACE)
    ended = Exit(None, "lost" if began else "not_started", time.time(), time.time(), left, reason)
    with suppress(LionError, OSError):  # the caller gets it even where it cannot be written
        write_exit(folder, ended)
    return ended


def write_exit(folder: str, ended: Exit) -> None:
    """Write `exit.json`, the last step of an attempt; a link in its place is not followed."""
    path = os.path.join(folder, EXIT)
    if os.path.islink(path):
        os.unlink(path)
    record = ended._asdict()
    if not ended.frozen:
        del record["frozen"]
    write_text(path, json.dumps(record if ended.detail is None else redactor().value(record)) + "\n")


def session_of(folder: str) -> str | None:
    """Find the session of an attempt, also of one whose spec is gone."""
    for name in (SPEC, STARTED):
        session_id = (find_object(os.path.join(folder, name)) or {}).get("session_id")
        if isinstance(session_id, str) and session_id:
            return session_id
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_held(folder: str) -> bool:
    """Return whether a supervisor holds the lock; testing is safe, because a supervisor retries."""
    return lock_state(os.path.join(folder, LOCK)) == "held"


def request_stop(folder: str, reason: str) -> None:
    """Make the supervisor end the agent and its processes; the first reason counts."""
    path = os.path.join(folder, STOP)
    if not os.path.lexists(path):
        write_text(path, json.dumps({"why": redactor().text(reason), "at": time.time()}) + "\n")


def stop_reason(folder: str) -> str | None:
    """Return the reason of a requested stop; an unreadable file requests one as well."""
    path = os.path.join(folder, STOP)
    request = find_object(path)
    if request is not None:
        return str(request.get("why"))
    return f"{STOP} exists but cannot be read" if os.path.lexists(path) else None


def unfinished_attempts(show_dir: str) -> list[str]:
    """List the folders of attempts and reviews of a show that have not ended."""
    folders = (folder for folder, _, names in os.walk(show_dir) if SPEC in names or STARTED in names)
    return sorted(folder for folder in folders if find_exit(folder) is None)


def log_tail(folder: str) -> str:
    """Return the end of the output of the agent's command."""
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
    """The director's side of one attempt: start or adopt it, and wait for its end.

    `get_renewed_at` tells when the worker itself renewed the lease last, by CLOCK_BOOTTIME. It is never written down: a
    file may be read after a restart of the machine, when that clock has begun again.
    """

    def __init__(
        self, folder: str, environ: Mapping[str, str], get_renewed_at: Callable[[], float] = lambda: float("-inf")
    ) -> None:
        self._folder, self._get_renewed_at = folder, get_renewed_at
        self._real_path, self._session_id = os.path.realpath(folder), session_of(folder)
        self._environ = dict(environ)
        self._supervisor: subprocess.Popen[bytes] | None = None
        self._since = 0.0
        self._started = 0

    def wait(
        self, get_stop_reason: Callable[[], str | None], pause: Callable[[], None] = lambda: time.sleep(POLL_SECONDS)
    ) -> Exit:
        """Wait until the attempt has ended, looking after each `pause`; a reason to stop stops the attempt."""
        while (ended := self.poll()) is None:
            if reason := get_stop_reason():
                request_stop(self._folder, reason)
            pause()
        return ended

    def poll(self) -> Exit | None:
        """Return the end of the attempt; while it has none, a supervisor runs when this returns."""
        if os.path.realpath(self._folder) != self._real_path:
            return self._replaced_by_link()
        if (ended := self._find_exit()) is None and not is_held(self._folder) and not self._is_starting():
            if (ended := self._find_exit()) is not None:  # it ended between the two tests
                return ended
            if self._started >= _MOST_SUPERVISORS:
                return give_up(self._folder, f"{self._started} supervisors died")
            self._start()
        return ended

    def _replaced_by_link(self) -> Exit:
        """End an attempt whose folder is now a link: nothing is read or written there."""
        left = 0 if self._session_id is None else end_processes_of(self._session_id, grace=_LEFTOVER_GRACE)
        if self._supervisor is not None:
            with suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(_STARTING_SECONDS)
            self._supervisor.kill()
            self._supervisor.wait()
        return Exit(None, "lost", time.time(), time.time(), left, "the folder of the attempt was replaced by a link")

    def _find_exit(self) -> Exit | None:
        ended = find_exit(self._folder)
        if ended is not None and self._supervisor is not None:
            self._supervisor.wait()
        return ended

    def _is_starting(self) -> bool:
        """Return whether the supervisor that we started may still take its lock."""
        if self._supervisor is None or self._supervisor.poll() is not None:
            return False
        return time.monotonic() < self._since + _STARTING_SECONDS

    def _start(self) -> None:
        self._since = time.monotonic()
        self._started += 1
        log = _open_log(self._folder)
        try:
            self._supervisor = start_ours(
                module_argv("lionstudio.shows.attempt.supervisor", self._folder, repr(self._get_renewed_at())),
                _supervisor_environ(self._environ),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                private=secrets_to_pass(),
            )
        finally:
            os.close(log)


def _open_log(folder: str) -> int:
    try:
        return os.open(os.path.join(folder, LOG), os.O_WRONLY | os.O_CREAT | os.O_APPEND | SAFE_FLAGS, 0o600)
    except OSError:  # not a regular file; the supervisor reports it in exit.json
        return os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)


def _supervisor_environ(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the crash point of a test that is meant for the director."""
    inherited = dict(environ)
    if not inherited.get("LIONAGI_CRASH_AT", "").startswith("attempt."):
        inherited.pop("LIONAGI_CRASH_AT", None)
    return inherited
