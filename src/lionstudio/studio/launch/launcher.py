"""Start `li` commands as processes, with the argv that policy.py allows.

Never through a shell; the prompt goes to stdin, and the environment holds only what agents need.
"""

from __future__ import annotations

import os
import signal
import subprocess
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
from lionstudio.system.li_process import li_argv
from lionstudio.system.process_identity import Owner, identify, signal_owner

MOST_RUNNING = 32
MOST_KEPT = 500
_MOST_OUTPUT = 20_000  # bytes of the end of a log
_POLL_SECONDS = 0.05


@dataclass(slots=True)
class Launch:
    """A process that this server started; the id of an agent run is the id of its session."""

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
        """The launch as JSON; the prompt is in the messages of the session."""
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
    """The launches of this server; their processes continue when the server stops."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._launches: dict[str, Launch] = {}
        self.closing = False

    def start(
        self, verb: str, target: str | None, prompt: str, options: Mapping[str, Any], key: str | None = None
    ) -> Launch:
        """Start an agent run or a task; a repeated key returns the first launch."""
        earlier = next((launch for launch in self._launches.values() if key is not None and launch.key == key), None)
        if earlier is not None:
            return earlier
        id_ = new_id()
        argv = run_argv(verb, target, options, id_) if verb in RUNS else task_argv(verb, target, options)
        return self.start_command(verb, target, argv, prompt=prompt, options=options, key=key, id_=id_)

    def start_command(
        self,
        verb: str,
        target: str | None,
        argv: list[str],
        *,
        prompt: str = "",
        options: Mapping[str, Any] | None = None,
        key: str | None = None,
        id_: str | None = None,
    ) -> Launch:
        """Start `li` with these arguments."""
        if self.closing or sum(launch.process.poll() is None for launch in self._launches.values()) >= MOST_RUNNING:
            raise Busy(
                f"{MOST_RUNNING} launches are running already, or Studio is stopping", hint="wait until one ends"
            )
        launch = self._spawn(id_ or new_id(), verb, target, dict(options or {}), argv, prompt, key)
        self._launches[launch.id] = launch
        self._drop_ended()
        return launch

    def list_launches(self) -> list[Launch]:
        """Every launch, newest first."""
        return list(self._launches.values())[::-1]

    def get(self, launch_id: str) -> Launch:
        launch = self._launches.get(launch_id)
        if launch is None:
            raise NotFound(f"launch {launch_id!r:.100} does not exist", hint="`li ps` lists active runs")
        return launch

    def stop(self, launch_id: str) -> Launch:
        """Send SIGTERM, only to the process that was started."""
        launch = self.get(launch_id)
        if launch.process.poll() is None:
            with suppress(NotFound):  # it has just ended
                signal_owner(launch.owner, signal.SIGTERM)
        return launch

    def wait(self, launch: Launch, seconds: float) -> None:
        """Wait until the launch has ended or the timeout; call it from a thread."""
        deadline = time.monotonic() + seconds
        while launch.process.poll() is None and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

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
        # a file instead of a pipe: a full pipe would block the server until the program reads
        with (
            open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as output,
            tempfile.TemporaryFile(dir=folder) as prompt_file,
        ):
            prompt_file.write(prompt.encode("utf-8", "replace"))
            prompt_file.seek(0)
            process = subprocess.Popen(
                li_argv(*argv),
                stdin=prompt_file,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=_environment(self._settings),
                cwd=cwd or os.path.expanduser("~"),
            )
        return Launch(session_id, verb, target, options, time.time(), log, process, identify(process.pid), key)

    def _drop_ended(self) -> None:
        ended = [launch.id for launch in self._launches.values() if launch.process.poll() is not None]
        for launch_id in ended[: max(0, len(self._launches) - MOST_KEPT)]:
            del self._launches[launch_id]


def read_output(launch: Launch) -> str:
    """The end of the output of a launch."""
    try:
        with open(launch.log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_OUTPUT))
            return file.read(_MOST_OUTPUT).decode("utf-8", "replace")
    except OSError:
        return ""


def _environment(settings: Settings) -> dict[str, str]:
    env = agent_environment(os.environ, session_id="", settings=settings)
    del env["LIONAGI_SESSION_ID"]  # not part of another run
    return {**env, "LIONAGI_SHOWS": settings.shows}
