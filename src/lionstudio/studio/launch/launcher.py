"""Start `li` commands as processes, with the argv that policy.py allows.

Never through a shell; the prompt goes to stdin, and the environment holds only what agents need. Every launch is also a
row, for the other Studios of the database; a database that cannot be written stops none.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from lionstudio.errors import Busy, Conflict, InvalidInput, LionError, NotFound, StorageFailed
from lionstudio.model.ids import new_id
from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.redaction.process import secrets_to_pass
from lionstudio.runs.callers.caller import ORIGIN_VARIABLE
from lionstudio.runs.environment import agent_environment
from lionstudio.settings import Settings
from lionstudio.state.connection import Connection
from lionstudio.state.studio import launches as rows
from lionstudio.state.upkeep.liveness import owner_of
from lionstudio.studio.db import StudioDb
from lionstudio.studio.launch.policy import RUNS, run_argv, task_argv
from lionstudio.system.li_process import li_argv, li_environment, start_ours
from lionstudio.system.process_identity import Owner, identify, is_of_this_machine, liveness, signal_owner

T = TypeVar("T")
MOST_RUNNING = 32
MOST_KEPT = 500
_MOST_OUTPUT = 20_000  # bytes of the end of a log
_POLL_SECONDS = 0.05
DECISION_SECONDS = 8.0  # for a command that only records a decision; one that runs a show continues by itself


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
            "host": self.owner.host,
            "progress": None,
        }


class OtherLaunch(NamedTuple):
    """The row of a launch of another Studio, or of this one before it was restarted."""

    id: str
    verb: str
    target: str | None
    row: Mapping[str, Any]
    owner: Owner | None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> OtherLaunch:
        return cls(row["id"], row["verb"], row["target"], row, owner_of(dict(row)))

    @property
    def log(self) -> str:
        return str(self.row["log"]) if self.owner is not None and is_of_this_machine(self.owner) else ""

    @property
    def is_running(self) -> bool:
        """Whether it may run: a process that nothing proves dead counts as running."""
        if self.row["ended_at"] is not None:
            return False
        if self.row["session_status"] not in (None, "running"):
            return False
        return self.owner is None or liveness(self.owner).answer != "dead"

    def to_dict(self) -> dict[str, Any]:
        exit_code = self.row["exit_code"]
        return {
            "id": self.id,
            "session_id": self.id if self.verb in RUNS else None,
            "verb": self.verb,
            "target": self.target,
            "options": load_or_keep(self.row["options"]),
            "started_at": self.row["started_at"],
            "pid": self.owner.pid if self.owner is not None else 0,
            "running": self.is_running,
            "exit_code": self.row["session_exit_code"] if exit_code is None else exit_code,
            "log": str(self.row["log"]),
            "host": self.owner.host if self.owner is not None else None,
            "progress": None,
        }


class Launcher:
    """The launches of this server; their processes continue when the server stops."""

    def __init__(self, settings: Settings, db: StudioDb) -> None:
        self._settings, self._db = settings, db
        self._launches: dict[str, Launch] = {}
        self._starting = threading.Lock()  # two requests with one key must not both start a process
        self.closing = False

    def start(
        self, verb: str, target: str | None, prompt: str, options: Mapping[str, Any], key: str | None = None
    ) -> Launch | OtherLaunch:
        """Start an agent run or a task; a repeated key returns the first launch, of whichever Studio. It may wait."""
        with self._starting:
            launches = list(self._launches.values())
            earlier = next((launch for launch in launches if key is not None and launch.key == key), None)
            if earlier is not None:
                return earlier
            id_ = new_id()
            argv = run_argv(verb, target, options, id_) if verb in RUNS else task_argv(verb, target, options)
            claimed = self._claim(id_, key, verb, target, options)
            if claimed != id_:
                return self._other(claimed)
            return self.start_command(verb, target, argv, prompt=prompt, options=options, key=key, id_=id_)

    def _claim(self, id_: str, key: str | None, verb: str, target: str | None, options: Mapping[str, Any]) -> str:
        claim = {"key": key, "verb": verb, "target": target, "options": options, "log": self._log_of(id_)}
        return self._share(lambda conn: rows.claim_launch(conn, id_, **claim)) or id_  # type: ignore[arg-type]

    def _share(self, work: Callable[[Connection], T]) -> T | None:
        """Write a row for the other Studios; None where the database cannot be written."""
        if self._db.read_only or not self._db.is_open:
            return None
        try:
            return self._db.write(work)
        except LionError:
            return None

    def _other(self, launch_id: str) -> OtherLaunch:
        row, _ = self._db.read(lambda conn: rows.find_launch_row(conn, launch_id))
        if row is None:
            raise NotFound(f"launch {launch_id!r:.100} does not exist", hint="li ps")
        return OtherLaunch.of(row)

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
        origin: Mapping[str, Any] | None = None,
        pass_env: Iterable[str] = (),
    ) -> Launch:
        """Start `li` with these arguments; `origin` is the caller that the command records with a decision.

        It gets the variables of `pass_env` besides those that every agent gets.
        """
        if self.closing or sum(launch.process.poll() is None for launch in self._launches.values()) >= MOST_RUNNING:
            raise Busy(
                f"{MOST_RUNNING} launches are running already, or Studio is stopping", hint="wait until one ends"
            )
        try:
            environ = _environment(self._settings, pass_env)
            environ |= {} if origin is None else {ORIGIN_VARIABLE: json.dumps(origin)}
            id_ = id_ or new_id()
            launch = self._spawn(id_, verb, target, dict(options or {}), argv, prompt, key, environ)
        except OSError as error:
            self._share(lambda conn: rows.drop_launch(conn, str(id_)))
            raise _start_failure(error, (options or {}).get("cwd")) from error
        self._launches[launch.id] = launch
        self._drop_ended()
        threading.Thread(target=self._share_until_end, args=(launch,), daemon=True).start()
        return launch

    def _share_until_end(self, launch: Launch) -> None:
        """Keep the row of a launch up to date; in a thread, because requests must not wait for it."""
        claim = {"key": None, "verb": launch.verb, "target": launch.target, "options": launch.options}

        def started(conn: Connection) -> None:
            if rows.find_launch_row(conn, launch.id) is None:
                rows.claim_launch(conn, launch.id, **claim, log=launch.log)  # type: ignore[arg-type]
            rows.record_started(conn, launch.id, launch.owner._asdict())

        self._share(started)
        code = launch.process.wait()
        self._share(lambda conn: rows.record_ended(conn, launch.id, code))

    def list_launches(self) -> list[Launch]:
        """Every launch of this server, newest first."""
        return list(self._launches.values())[::-1]

    def list_others(self) -> list[OtherLaunch]:
        """The launches of other Studios of the database, newest first; none where it cannot be read."""
        try:
            listed, _ = self._db.read(rows.list_launch_rows)
        except LionError:
            return []
        return [OtherLaunch.of(row) for row in listed if row["id"] not in self._launches]

    def get(self, launch_id: str) -> Launch | OtherLaunch:
        """A launch of this server, or of another one of the database."""
        return self._launches.get(launch_id) or self._other(launch_id)

    def stop(self, launch_id: str) -> Launch | OtherLaunch:
        """Send SIGTERM, only to the process that was started."""
        launch = self.get(launch_id)
        is_running = launch.is_running if isinstance(launch, OtherLaunch) else launch.process.poll() is None
        if is_running and launch.owner is not None:
            if not is_of_this_machine(launch.owner):
                raise Conflict(
                    f"launch {launch_id} runs on {launch.owner.host or 'another machine'}",
                    hint="stop it there: li kill, or Stop on the page of the Studio there",
                )
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
        environ: Mapping[str, str],
    ) -> Launch:
        log = self._log_of(session_id)
        folder = os.path.dirname(log)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # a file instead of a pipe: a full pipe would block the server until the program reads
        with (
            open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as output,
            tempfile.TemporaryFile(dir=folder) as prompt_file,
        ):
            prompt_file.write(prompt.encode("utf-8", "replace"))
            prompt_file.seek(0)
            process = start_ours(
                li_argv(*argv),
                environ,
                stdin=prompt_file,
                stdout=output,
                stderr=subprocess.STDOUT,
                private=secrets_to_pass(),
            )
        return Launch(session_id, verb, target, options, time.time(), log, process, identify(process.pid), key)

    def _log_of(self, launch_id: str) -> str:
        return os.path.join(self._settings.home, "logs", f"{launch_id}.log")

    def _drop_ended(self) -> None:
        ended = [launch.id for launch in self._launches.values() if launch.process.poll() is not None]
        for launch_id in ended[: max(0, len(self._launches) - MOST_KEPT)]:
            del self._launches[launch_id]


def _start_failure(error: OSError, cwd: Any) -> LionError:
    if cwd and not os.path.isdir(cwd):
        return InvalidInput(f"folder {cwd} does not exist", hint="choose an existing folder")
    reason = error.strerror or str(error)
    return StorageFailed(
        f"the process cannot be started: {reason}{f' ({error.filename})' if error.filename else ''}",
        hint="free some space on the disk of the home, and check its permissions",
    )


def read_output(launch: Launch | OtherLaunch) -> str:
    """The end of the output of a launch; nothing of one on another machine."""
    try:
        with open(launch.log, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_OUTPUT))
            return file.read(_MOST_OUTPUT).decode("utf-8", "replace")
    except OSError:
        return ""


def last_error(output: str) -> str:
    """The error message of a command that failed."""
    lines = [line.removeprefix("li: ") for line in output.splitlines() if line.startswith("li: ")]
    return lines[-1] if lines else "the command failed"


def _environment(settings: Settings, pass_env: Iterable[str]) -> dict[str, str]:
    env = agent_environment(os.environ, session_id="", settings=settings, also=pass_env)
    del env["LIONAGI_SESSION_ID"]  # not part of another run
    return env | li_environment(settings)
