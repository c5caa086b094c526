"""Launches: `li …` as processes of their own, with the words that orders.py allows and nothing else.

Never through a shell; the prompt goes in by standard input, and the environment holds only what agents need.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lionstudio.errors import Busy, NotFound
from lionstudio.model.ids import new_id
from lionstudio.runs.environment import agent_environment
from lionstudio.settings import Settings
from lionstudio.studio.launch.policy import RUNS, run_argv, task_argv
from lionstudio.system.process_identity import Owner, identify, signal_owner

_MAIN = "import sys; from lionstudio.cli.main import main; sys.exit(main())"
MOST_RUNNING = 32
MOST_KEPT = 500
_MOST_OUTPUT = 20_000  # bytes of the end of a log
_LOOK_SECONDS = 0.05


@dataclass(slots=True)
class Launch:
    """One process that was started here; the id of a run of agents is that of its session."""

    id: str
    verb: str
    target: str | None
    options: dict[str, Any]
    started_at: float
    log: str
    process: subprocess.Popen[bytes]
    owner: Owner
    key: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """As the API shows it; the prompt is in the session's messages."""
        code = self.process.poll()
        return {
            "id": self.id,
            "session_id": self.id if self.verb in RUNS else None,
            "verb": self.verb,
            "target": self.target,
            "options": self.options,
            "started_at": self.started_at,
            "pid": self.process.pid,
            "running": code is None,
            "exit_code": code,
            "log": self.log,
        }


class Launcher:
    """Everything this server started; what runs goes on when the server stops."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._all: dict[str, Launch] = {}
        self.closing = False

    def start(
        self, verb: str, target: str | None, prompt: str, options: Mapping[str, Any], key: str | None = None
    ) -> Launch:
        """Start a run of agents or a task; the same key again gives the same launch."""
        known = next((each for each in self._all.values() if key is not None and each.key == key), None)
        if known is not None:
            return known
        id_ = new_id()
        words = run_argv(verb, target, options, id_) if verb in RUNS else task_argv(verb, target, options)
        return self.start_command(verb, target, words, prompt=prompt, options=options, key=key, id_=id_)

    def start_command(
        self,
        verb: str,
        target: str | None,
        words: list[str],
        *,
        prompt: str = "",
        options: Mapping[str, Any] | None = None,
        key: str | None = None,
        id_: str | None = None,
    ) -> Launch:
        """Start `li` with these words."""
        if self.closing or sum(each.process.poll() is None for each in self._all.values()) >= MOST_RUNNING:
            raise Busy(f"{MOST_RUNNING} launches run already, or Studio is stopping", hint="wait for one to end")
        launch = self._spawn(id_ or new_id(), verb, target, dict(options or {}), words, prompt, key)
        self._all[launch.id] = launch
        self._forget_old()
        return launch

    def list_launches(self) -> list[Launch]:
        """Newest first."""
        return list(self._all.values())[::-1]

    def get(self, launch_id: str) -> Launch:
        """One by its id; NotFound otherwise."""
        found = self._all.get(launch_id)
        if found is None:
            raise NotFound(f"there is no launch {launch_id!r:.100}", hint="`li ps` lists everything that runs")
        return found

    def stop(self, launch_id: str) -> Launch:
        """Ask it to end; only ever the process that was started."""
        launch = self.get(launch_id)
        if launch.process.poll() is None:
            with suppress(NotFound):  # it ended just now
                signal_owner(launch.owner, signal.SIGTERM)
        return launch

    def wait(self, launch: Launch, seconds: float) -> None:
        """Wait until it has ended, but not longer than that; called from a thread."""
        deadline = time.monotonic() + seconds
        while launch.process.poll() is None and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)

    def _spawn(
        self,
        session_id: str,
        verb: str,
        target: str | None,
        options: dict[str, Any],
        argv: list[str],
        prompt: str,
        key: str | None,
    ) -> Launch:
        folder = os.path.join(self._settings.home, "logs")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        log = os.path.join(folder, f"{session_id}.log")
        cwd = options.get("cwd")
        # a file and no pipe: a pipe that is full would hold the server up until the program reads
        with (
            open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as output,
            tempfile.TemporaryFile(dir=folder) as given,
        ):
            given.write(prompt.encode("utf-8", "replace"))
            given.seek(0)
            process = subprocess.Popen(
                [sys.executable, "-c", _MAIN, *argv],
                stdin=given,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=_environment(self._settings),
                cwd=cwd or os.path.expanduser("~"),
            )
        return Launch(session_id, verb, target, options, time.time(), log, process, identify(process.pid), key)

    def _forget_old(self) -> None:
        ended = [each.id for each in self._all.values() if each.process.poll() is not None]
        for old in ended[: max(0, len(self._all) - MOST_KEPT)]:
            del self._all[old]


def read_output(launch: Launch) -> str:
    """The end of what it printed."""
    try:
        with open(launch.log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_OUTPUT))
            return file.read(_MOST_OUTPUT).decode("utf-8", "replace")
    except OSError:
        return ""


def _environment(settings: Settings) -> dict[str, str]:
    env = agent_environment(os.environ, session_id="", settings=settings)
    del env["LIONAGI_SESSION_ID"]  # a run of its own, not a part of one
    return {**env, "LIONAGI_SHOWS": settings.shows}
