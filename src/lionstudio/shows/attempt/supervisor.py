"""The process that runs one attempt: `python -m lionstudio.shows.attempt.supervisor FOLDER`.

It holds the attempt's lock for life, starts the agent's command once, ends it with everything it started, and writes
exit.json as its last act. It outlives the director and loads next to nothing; its death never makes an agent run twice.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lionstudio.crash import point
from lionstudio.errors import Busy, LionError, NotFound
from lionstudio.shows.attempt.attempt_files import (
    LOCK,
    LOG,
    PROMPT,
    SAFE_FLAGS,
    STARTED,
    Exit,
    find_exit,
    find_json,
    give_up,
    read_spec,
    stop_reason,
    write_exit,
)
from lionstudio.system.atomic_write import write_text
from lionstudio.system.process_identity import RunLock
from lionstudio.system.session_processes import VARIABLE, end_processes_of, processes_of

if TYPE_CHECKING:
    from lionstudio.model.sessions import Session

_TICK_SECONDS = 0.2
_GRACE_SECONDS = 15.0  # what `li` and its agent may need to end by themselves and to write it down
_LEFTOVER_GRACE = 3.0
_SLACK_SECONDS = 20.0  # after the agent's own deadline, which tells the reason better
_ORPHAN_TICKS = 10  # looks at an agent without a supervisor are dear: each reads every process


def main(folder: str) -> int:
    """Run the attempt of a folder, unless somebody else does or did."""
    try:
        lock = RunLock.take(os.path.join(folder, LOCK))
    except Busy:
        return 0
    with lock:
        if find_exit(folder) is None:
            _run(folder)
    return 0


def _run(folder: str) -> None:
    try:
        supervisor = Supervisor(folder)
    except LionError as error:  # nobody after us could do better
        give_up(folder, f"its order cannot be read: {error.message}")
    else:
        supervisor.run()


class Supervisor:
    """One attempt, from its start to exit.json."""

    def __init__(self, folder: str) -> None:
        self._folder, self._place = folder, os.path.realpath(folder)
        self._order = read_spec(folder)
        self._stopping: tuple[str, str | None] | None = None  # how and why
        self._began = time.time()
        self._clock = time.monotonic()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def run(self) -> None:
        """Start it, or go on with what a supervisor before us had started."""
        before = os.path.lexists(self._path(STARTED))
        began = (find_json(self._path(STARTED)) or {}).get("started_at")
        if isinstance(began, int | float):
            self._began = float(began)
        if not before or not self._may_have_run():
            self._write(STARTED, {"session_id": self._order.session_id, "started_at": self._began})
            point("attempt.intended")
            self._finish(*self._play())
        else:
            self._await_orphans()
            self._finish(None, "stopped" if self._stopping else "lost", "its supervisor was killed")

    def _may_have_run(self) -> bool:
        """After an intent: whether an agent lives, or a session shows that one did; in doubt it ran."""
        if processes_of(self._order.session_id):
            return True
        try:
            return self._session() is not None
        except LionError:
            return True

    def _session(self) -> Session | None:
        """The row that `li` makes before its agent starts; loaded only where it is asked for."""
        from lionstudio.state.database import reading
        from lionstudio.state.sessions import find_session

        try:
            with reading(self._order.db) as conn:
                return find_session(conn, self._order.session_id)
        except NotFound:
            return None  # not even a database

    def _play(self) -> tuple[int | None, str, str | None]:
        """Run the command to its end: its code, how it ended, and why."""
        try:
            child = self._start()
        except OSError as error:
            return None, "not_started", f"{self._order.argv[0]} cannot be started: {error.strerror}"
        point("attempt.started")
        while not _ended(child, _TICK_SECONDS):
            if self._stopping is None:
                self._stopping = self._reason_to_stop()
            if self._stopping is not None:
                self._end(child)
        how, why = self._stopping or ("exited", None)
        return child.returncode if child.returncode >= 0 else 128 - child.returncode, how, why

    def _start(self) -> subprocess.Popen[bytes]:
        order = self._order
        # the mark by which everything below it is found, whatever it does to get away
        env = {**os.environ, VARIABLE: order.session_id}
        with (
            open(os.open(self._path(PROMPT), os.O_RDONLY | SAFE_FLAGS), "rb") as prompt,
            open(os.open(self._path(LOG), os.O_WRONLY | os.O_CREAT | os.O_APPEND | SAFE_FLAGS, 0o600), "ab") as log,
        ):
            return subprocess.Popen(
                order.argv, cwd=order.cwd, env=env, stdin=prompt, stdout=log, stderr=log, start_new_session=True
            )

    def _reason_to_stop(self) -> tuple[str, str | None] | None:
        if (asked := stop_reason(self._folder)) is not None:
            return "stopped", asked
        passed = time.monotonic() - self._clock
        limit, silence = self._order.timeout, self._order.silence
        if limit is not None and passed > limit + _SLACK_SECONDS:
            return "timed_out", f"the limit of {limit:g} s was reached"
        if silence is not None and passed > silence and self._silent_for(silence):
            return "silent", f"no sign of life for {silence:g} s"
        return None

    def _silent_for(self, seconds: float) -> bool:
        """Whether neither its output nor its session has changed for that long."""
        now = time.time()
        with suppress(OSError):
            if now - os.stat(self._path(LOG)).st_mtime < seconds:
                return False
        with suppress(LionError):
            session = self._session()
            last = max(session.updated_at or 0, session.last_message_at or 0) if session else 0
            return now - last >= seconds
        return False  # a database that cannot be asked proves nothing

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        """`li` first, which ends its agent and says so in the session; after the grace everything."""
        child.terminate()
        if not _ended(child, _GRACE_SECONDS):
            end_processes_of(self._order.session_id, grace=0)
            with suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL)  # where no process can be found by its mark
            child.wait()

    def _await_orphans(self) -> None:
        """An agent whose supervisor died is let come to its end, under the same limits."""
        ticks = 0
        while processes_of(self._order.session_id):
            ticks += 1
            self._stopping = self._stopping or self._reason_to_stop()
            if self._stopping is not None:
                end_processes_of(self._order.session_id, grace=_GRACE_SECONDS)
            time.sleep(_TICK_SECONDS * min(ticks, _ORPHAN_TICKS))

    def _finish(self, code: int | None, how: str, detail: str | None) -> None:
        left = end_processes_of(self._order.session_id, grace=_LEFTOVER_GRACE)
        point("attempt.ended")
        if os.path.realpath(self._folder) != self._place:
            return  # a link was put into the way; the director sees it too, and says how it ended
        write_exit(self._folder, Exit(code, how, self._began, time.time(), left, detail))

    def _on_signal(self, number: int, _frame: object) -> None:
        self._stopping = self._stopping or ("stopped", f"the supervisor got {signal.Signals(number).name}")

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)

    def _write(self, name: str, value: dict[str, Any]) -> None:
        write_text(self._path(name), json.dumps(value) + "\n")


def _ended(child: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether it ends within that time; noticed at once where the kernel tells."""
    if child.poll() is not None:
        return True
    if hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(child.pid)  # ours until we reap it, so the number is right
        try:
            select.select([descriptor], [], [], seconds)
        finally:
            os.close(descriptor)
        return child.poll() is not None
    with suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    return child.returncode is not None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
