"""The process that runs one attempt: `python -m lionstudio.shows.attempt.supervisor FOLDER RENEWED_AT`.

It holds the attempt's lock while it lives, starts the agent's command once, ends it with all its processes, and writes
exit.json as its last step. It outlives the director and imports little; its death never makes an agent run twice.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lionstudio.crash import point
from lionstudio.errors import Busy, LionError, NotFound
from lionstudio.model.redaction.process import secrets_to_pass
from lionstudio.shows.attempt.attempt_files import (
    LEASE,
    LOCK,
    LOG,
    PROMPT,
    SAFE_FLAGS,
    STARTED,
    Exit,
    find_exit,
    give_up,
    read_spec,
    stop_reason,
    write_exit,
)
from lionstudio.system.atomic_write import write_text
from lionstudio.system.filelock import RunLock
from lionstudio.system.json_read import find_object
from lionstudio.system.li_process import start_ours
from lionstudio.system.session_processes import FROZEN_FILE, VARIABLE, end_processes_of, processes_of
from lionstudio.system.watch_tree import ENTRIES, watch_paths
from lionstudio.system.watchdog_process import make_memory_private

if TYPE_CHECKING:
    from lionstudio.model.sessions import Session
    from lionstudio.shows.attempt.lease import LeaseKeeper

_TICK_SECONDS = 0.2  # where the folder cannot be watched
_LOOK_SECONDS = 2.0
_SETTLE_SECONDS = 0.01  # an agent may write into the folder as fast as it can
_GRACE_SECONDS = 15.0  # for `li` and its agent to end by themselves and record it
_LEFTOVER_GRACE = 3.0
_SLACK_SECONDS = 20.0  # after the agent's own deadline, which gives a better reason
_ORPHAN_TICKS = 10  # polling an orphaned agent is expensive: each poll reads every process


def main(folder: str, renewed_at: float) -> int:
    """Run the attempt of a folder, unless another supervisor does or did; its lease was renewed at a boot time."""
    try:
        lock = RunLock.take(os.path.join(folder, LOCK))
    except Busy:
        return 0
    with lock:
        if find_exit(folder) is None:
            _run(folder, renewed_at)
    return 0


def _run(folder: str, renewed_at: float) -> None:
    make_memory_private()
    try:
        supervisor = Supervisor(folder, renewed_at)
    except LionError as error:  # no later supervisor could do better
        give_up(folder, f"cannot read the spec: {error.message}")
    else:
        supervisor.run()


class Supervisor:
    """One attempt, from its start to exit.json."""

    def __init__(self, folder: str, renewed_at: float = float("-inf")) -> None:
        self._folder, self._real_path, self._renewed_at = folder, os.path.realpath(folder), renewed_at
        self._spec = read_spec(folder)
        self._private = secrets_to_pass()  # for the command that records the agent
        self._stopping: tuple[str, str | None] | None = None  # how and why
        self._started_at = time.time()
        self._clock = time.monotonic()
        self._waited = 0.0  # seconds
        self._lease: LeaseKeeper | None = None
        self._signalled, self._wakeup = os.pipe()
        for end in (self._signalled, self._wakeup):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._wakeup)  # a signal ends the wait for the agent
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def run(self) -> None:
        """Start the agent, or continue with the one that an earlier supervisor started."""
        spec = self._spec
        if spec.lease is None:
            self._run()
            return
        from lionstudio.shows.attempt.lease import LeaseKeeper  # a database, for shows of a team only

        self._lease = LeaseKeeper(spec.lease, spec.session_id, self._folder, self._wake, self._renewed_at)
        try:
            if self._lease.begin(lambda: self._find_stop_reason() is not None or self._stopping is not None):
                self._run()
            else:
                stopping = self._find_lease_end() or self._stopping or self._find_stop_reason()
                self._finish(None, *(stopping or ("stopped", None)))
        finally:
            self._lease.close()

    def _run(self) -> None:
        intended = os.path.lexists(self._path(STARTED))
        started_at = (find_object(self._path(STARTED)) or {}).get("started_at")
        if isinstance(started_at, int | float):
            self._started_at = float(started_at)
        if not intended or not self._may_have_run():
            self._write(STARTED, {"session_id": self._spec.session_id, "started_at": self._started_at})
            point("attempt.intended")
            self._finish(*self._run_command())
        else:
            self._await_orphans()
            lost = "lost" if self._lease is None else "killed"  # the guard ended the agent, or we did
            self._finish(None, "stopped" if self._stopping else lost, "the supervisor was killed")

    def _may_have_run(self) -> bool:
        """Return whether an agent is alive or a session shows that one ran; in doubt it ran."""
        if processes_of(self._spec.session_id) or (self._lease is not None and self._lease.had_orphans):
            return True
        try:
            return self._find_session() is not None
        except LionError:
            return True

    def _find_session(self) -> Session | None:
        """Find the row that `li` inserts before its agent starts; the import is slow, so it is local."""
        from lionstudio.state.backends import reading
        from lionstudio.state.sessions import find_session

        try:
            with reading(self._spec.db) as conn:
                return find_session(conn, self._spec.session_id)
        except NotFound:
            return None  # no database yet

    def _run_command(self) -> tuple[int | None, str, str | None]:
        """Run the command to its end; again when a hub that was away kept its agent from beginning."""
        while True:
            code, how, reason = self._run_once()
            if self._lease is None or (code, how) != (Busy.exit_code, "exited") or self._has_begun():
                return code, *(self._find_lease_end() or self._stopping or (how, reason))

    def _has_begun(self) -> bool:
        """Return whether an agent began or must not begin; waits for the hub."""
        while (ending := self._find_lease_end() or self._stopping or self._find_stop_reason()) is None:
            with suppress(LionError):
                return self._find_session() is not None
            time.sleep(_TICK_SECONDS)
        self._stopping = ending
        return True

    def _run_once(self) -> tuple[int | None, str, str | None]:
        """Run the command once; return its exit code, how it ended, and the reason."""
        if not os.path.isdir(self._spec.cwd):
            return None, "not_started", f"cannot start {self._spec.argv[0]}: folder {self._spec.cwd} does not exist"
        try:
            child = self._start()
        except OSError as error:
            return None, "not_started", f"cannot start {self._spec.argv[0]}: {error.strerror}"
        point("attempt.started")
        # readable after a request to stop, and when the folder is removed
        watch = watch_paths({self._folder: ENTRIES})
        seconds, wakeups = _TICK_SECONDS, [self._signalled]
        if watch is not None:
            seconds, wakeups = _LOOK_SECONDS, [self._signalled, watch.fileno()]
        while not _ended(child, seconds, wakeups):
            self._stopping = self._find_lease_end() or self._stopping or self._find_stop_reason()
            if self._stopping is not None:
                self._end(child)
        how, reason = self._find_lease_end() or self._stopping or ("exited", None)
        return child.returncode if child.returncode >= 0 else 128 - child.returncode, how, reason

    def _start(self) -> subprocess.Popen[bytes]:
        spec = self._spec
        # marks all descendants, so that they are found however they detach
        env = {**os.environ, VARIABLE: spec.session_id}
        before_exec = None
        if self._lease is not None:
            env[FROZEN_FILE] = self._path(LEASE)
            before_exec = self._lease.before_exec()
        with (
            open(os.open(self._path(PROMPT), os.O_RDONLY | SAFE_FLAGS), "rb") as prompt,
            open(os.open(self._path(LOG), os.O_WRONLY | os.O_CREAT | os.O_APPEND | SAFE_FLAGS, 0o600), "ab") as log,
        ):
            child = start_ours(
                list(spec.argv),
                env,
                stdin=prompt,
                stdout=log,
                stderr=log,
                private=self._private,
                before_exec=before_exec,
            )
        if self._lease is not None:
            # not before: a guard that froze the child between fork and exec would hold us too
            self._lease.start(child.pid)
        return child

    def _find_lease_end(self) -> tuple[str, str | None] | None:
        if self._lease is None:
            return None
        if self._lease.lost is not None:
            return "given_away", self._lease.lost
        return None if self._lease.released is None else ("released", self._lease.released)

    def _find_stop_reason(self) -> tuple[str, str | None] | None:
        if (reason := stop_reason(self._folder)) is not None:
            return "stopped", reason
        if not os.path.isdir(self._real_path):
            return "stopped", "the folder of the attempt was removed"
        if self._lease is not None and self._lease.is_frozen:
            return None  # no limit ends an agent that cannot work
        elapsed = time.monotonic() - self._clock - self._frozen_seconds()
        limit, silence = self._spec.timeout, self._spec.silence
        if limit is not None and elapsed > limit + _SLACK_SECONDS + self._waited:
            # the time in which it waits for a person does not count; read only when the limit seems to be reached
            self._waited = self._read_waited()
        if limit is not None and elapsed > limit + _SLACK_SECONDS + self._waited:
            return "timed_out", f"time limit of {limit:g} s reached"
        if silence is not None and elapsed > silence and self._is_silent_for(silence):
            return "silent", f"no output for {silence:g} s"
        return None

    def _is_silent_for(self, seconds: float) -> bool:
        """Return whether neither the output nor the session changed for that long."""
        now = time.time()
        if self._lease is not None and now - self._lease.thawed_at < seconds:
            return False
        with suppress(OSError):
            if now - os.stat(self._path(LOG)).st_mtime < seconds:
                return False
        with suppress(LionError):
            session = self._find_session()
            if session is not None and session.health == "waiting":
                return False
            last = max(session.updated_at or 0, session.last_message_at or 0) if session else 0
            return now - last >= seconds
        return False  # a database that cannot be read proves nothing

    def _read_waited(self) -> float:
        from lionstudio.state.backends import reading
        from lionstudio.state.exchange.questions import waited_seconds

        try:
            with reading(self._spec.db) as conn:
                return waited_seconds(conn, self._spec.session_id, time.time())
        except LionError:
            return self._waited

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        """End `li`, which ends its agent and records that; after the grace period, end all processes."""
        if self._lease is not None:
            self._end_with_lease(self._lease, child)
            return
        child.terminate()
        if not _ended(child, _GRACE_SECONDS):
            end_processes_of(self._spec.session_id, grace=0)
            with suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL)  # where processes cannot be found by the mark
            child.wait()

    def _end_with_lease(self, lease: LeaseKeeper, child: subprocess.Popen[bytes]) -> None:
        """The same, but only as long as the agent may be awake."""
        from lionstudio.shows.attempt.lease import END_SECONDS

        deadline = time.monotonic() + (_GRACE_SECONDS if lease.released is None else END_SECONDS)
        child.terminate()
        while lease.may_run and time.monotonic() < deadline:
            if _ended(child, _TICK_SECONDS):
                return
        lease.kill()
        child.wait()

    def _await_orphans(self) -> None:
        """Wait for an agent whose supervisor died, under the same limits."""
        ticks = 0
        while processes_of(self._spec.session_id):
            ticks += 1
            self._stopping = self._stopping or self._find_stop_reason()
            if self._stopping is not None:
                end_processes_of(self._spec.session_id, grace=_GRACE_SECONDS)
            time.sleep(_TICK_SECONDS * min(ticks, _ORPHAN_TICKS))

    def _finish(self, code: int | None, how: str, detail: str | None) -> None:
        if self._lease is not None and not self._lease.may_run:
            self._lease.kill()
        left = end_processes_of(self._spec.session_id, grace=_LEFTOVER_GRACE)
        if self._lease is not None:
            self._lease.kill()  # also what carries no mark: it is below us
        if self._lease is not None and how == "released" and not self._lease.release():
            detail = f"{detail}; the hub could not be told"
        point("attempt.ended")
        if os.path.realpath(self._folder) != self._real_path or not os.path.isdir(self._folder):
            return  # the folder is now a link or gone; the director sees it too, and records the end
        write_exit(self._folder, Exit(code, how, self._started_at, time.time(), left, detail, self._frozen_seconds()))

    def _frozen_seconds(self) -> float:
        return 0.0 if self._lease is None else self._lease.frozen_seconds()

    def _wake(self) -> None:
        with suppress(BlockingIOError):
            os.write(self._wakeup, b"\0")

    def _on_signal(self, number: int, _frame: object) -> None:
        self._stopping = self._stopping or ("stopped", f"the supervisor received {signal.Signals(number).name}")

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _write(self, name: str, value: dict[str, Any]) -> None:
        write_text(self._path(name), json.dumps(value) + "\n")


def _ended(child: subprocess.Popen[bytes], seconds: float, wakeups: Sequence[int] = ()) -> bool:
    """Wait for a child, or for a wake-up; return at once where pidfd reports the end of the child."""
    if child.poll() is not None:
        return True
    if hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(child.pid)  # ours until we reap it, so the pid is not reused
        try:
            ready, _, _ = select.select([descriptor, *wakeups], [], [], seconds)
            if descriptor not in ready and ready:
                time.sleep(_SETTLE_SECONDS)
                for wakeup in ready:
                    os.read(wakeup, 65536)
        finally:
            os.close(descriptor)
        return child.poll() is not None
    with suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    return child.returncode is not None


if __name__ == "__main__":
    code = main(sys.argv[1], float(sys.argv[2]))
    gc.freeze()  # the worker waits for us: nothing is searched for garbage at the end
    sys.exit(code)
