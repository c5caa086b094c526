"""Launches: `li agent|play|flow|fanout` as processes of their own, from a list of verbs and options and nothing else.

Never through a shell; the prompt goes in by standard input, and the environment holds only what agents need.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lionstudio.errors import Busy, InvalidInput, NotFound
from lionstudio.files.names import check_name
from lionstudio.live.environment import agent_environment
from lionstudio.model.ids import new_id
from lionstudio.settings import Settings
from lionstudio.state.owners import Owner, describe, signal_owner

_MAIN = "import sys; from lionstudio.cli.main import main; sys.exit(main())"
_SHARED = frozenset({"name", "model", "effort", "permissions", "system", "timeout", "cwd", "team_mode"})
# What may be given to each verb, beside its prompt and its target.
OPTIONS: Mapping[str, frozenset[str]] = {
    "agent": _SHARED | {"resume", "fork"},
    "play": _SHARED | {"arg", "agent"},
    "flow": _SHARED | {"step"},
    "fanout": _SHARED | {"workers", "synthesis"},
}
_REPEATED = frozenset({"arg", "step"})
_WITH_TARGET = frozenset({"agent", "play", "fanout"})
MOST_RUNNING = 32
MOST_KEPT = 500


@dataclass(slots=True)
class Launch:
    """One process that was started here; its id is that of its session."""

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
            "id": self.id, "session_id": self.id, "verb": self.verb, "target": self.target, "options": self.options,
            "started_at": self.started_at, "pid": self.process.pid, "running": code is None, "exit_code": code,
            "log": self.log,
        }  # fmt: skip


class Launches:
    """Everything this server started; what runs goes on when the server stops."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._all: dict[str, Launch] = {}
        self.closing = False

    def start(
        self, verb: str, target: str | None, prompt: str, options: Mapping[str, Any], key: str | None = None
    ) -> Launch:
        """Start one; the same key again gives the same launch."""
        known = next((each for each in self._all.values() if key is not None and each.key == key), None)
        if known is not None:
            return known
        if self.closing or sum(each.process.poll() is None for each in self._all.values()) >= MOST_RUNNING:
            raise Busy(f"{MOST_RUNNING} launches run already, or Studio is stopping", hint="wait for one to end")
        session_id = new_id()
        argv = command(verb, target, options, session_id)
        launch = self._spawn(session_id, verb, target, dict(options), argv, prompt, key)
        self._all[session_id] = launch
        self._forget_old()
        return launch

    def list_all(self) -> list[Launch]:
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

    def _spawn(
        self, session_id: str, verb: str, target: str | None, options: dict[str, Any], argv: list[str], prompt: str,
        key: str | None,
    ) -> Launch:  # fmt: skip
        folder = os.path.join(self._settings.home, "logs")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        log = os.path.join(folder, f"{session_id}.log")
        cwd = options.get("cwd")
        with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-c", _MAIN, *argv],
                stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                env=_environment(self._settings), cwd=cwd or os.path.expanduser("~"),
            )  # fmt: skip
        assert process.stdin is not None
        with suppress(BrokenPipeError), process.stdin:  # one that refused before it read says why in its log
            process.stdin.write(prompt.encode("utf-8", "replace"))
        return Launch(
            session_id, verb, target, options, time.time(), log, process, describe(process.pid), key
        )  # fmt: skip

    def _forget_old(self) -> None:
        ended = [each.id for each in self._all.values() if each.process.poll() is not None]
        for old in ended[: max(0, len(self._all) - MOST_KEPT)]:
            del self._all[old]


def command(verb: str, target: str | None, options: Mapping[str, Any], session_id: str) -> list[str]:
    """The words of a launch, or a refusal; a value can never be taken for an option."""
    allowed = OPTIONS.get(verb)
    if allowed is None:
        raise InvalidInput(f"{verb!r:.40} cannot be launched", hint=f"use one of: {', '.join(OPTIONS)}")
    words = [verb]
    if verb in _WITH_TARGET:
        words.append(_target(target))
    elif target is not None:
        raise InvalidInput(f"{verb} takes no target", hint="give its steps as options")
    words.append("-")
    for name, value in options.items():
        if name not in allowed:
            raise InvalidInput(f"{verb} has no option {name!r:.40}", hint=f"it has: {', '.join(sorted(allowed))}")
        words += _option(name, value)
    return [*words, "--session-id", session_id]


def _target(target: str | None) -> str:
    # provider/model is two names; each is checked like any other that comes from outside
    parts = (target or "").split("/", 1)
    return "/".join(check_name(part, "target") for part in parts)


def _option(name: str, value: Any) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if name in _REPEATED:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise InvalidInput(f"{name} is a list of texts")
        return [f"{flag}={_word(name, each)}" for each in value]
    if name == "cwd" and not (isinstance(value, str) and os.path.isabs(value) and os.path.isdir(value)):
        raise InvalidInput("cwd is not an existing folder", hint="give an absolute path")
    return [f"{flag}={_word(name, value)}"]


def _word(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)) or "\0" in str(value):
        raise InvalidInput(f"{name} must be a text or a whole number, not {value!r:.60}")
    return str(value)


def _environment(settings: Settings) -> dict[str, str]:
    env = agent_environment(os.environ, session_id="", settings=settings)
    del env["LIONAGI_SESSION_ID"]  # a run of its own, not a part of one
    return {**env, "LIONAGI_SHOWS": settings.shows}
