"""A run without this terminal: the same command again, in a session of its own, writing to a log."""

from __future__ import annotations

import argparse
import os
import subprocess
import time

from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import LionError, NotFound
from lionstudio.model.ids import check_id, file_name
from lionstudio.settings import Settings
from lionstudio.state.database import reading
from lionstudio.state.sessions import get_session
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.li_process import li_argv

_PATIENCE = 15.0  # seconds for the run to appear


def start(args: argparse.Namespace, given: list[str], settings: Settings, session_id: str, prompt: str) -> int:
    """Start it, wait until its session exists, print its id."""
    folder = os.path.join(settings.home, "logs")
    make_folder(folder)
    log = os.path.join(folder, f"{file_name(check_id(session_id, 'session id'))}.log")
    end = given.index("--") if "--" in given else len(given)  # what follows belongs to the agent's own command
    options = [word for word in given[:end] if word != "--background"] + given[end:]
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), "wb") as output:
        child = subprocess.Popen(
            li_argv(*_with_session(options, session_id)),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    assert child.stdin is not None
    with child.stdin:
        child.stdin.write(prompt.encode())
    _wait_for_it(child, settings.db, session_id, log)
    emit(
        to_json({"schema_version": 1, "session_id": session_id, "log": log}) + "\n" if args.json else f"{session_id}\n"
    )
    say(f"it runs in the background; li logs -f {session_id[:13]}", quiet=args.quiet or args.json)
    return 0


def _with_session(options: list[str], session_id: str) -> list[str]:
    """The same words with the session's id; what follows `--` belongs to the agent's own command."""
    end = options.index("--") if "--" in options else len(options)
    return [*options[:end], "--session-id", session_id, *options[end:]]


def _wait_for_it(child: subprocess.Popen[bytes], db: str, session_id: str, log: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            with reading(db) as conn:
                get_session(conn, session_id)
                return
        except NotFound:
            pass
        if child.poll() not in (None, 0):
            with open(log, encoding="utf-8", errors="backslashreplace") as file:
                raise LionError(f"it did not start: {file.read()[-500:].strip()}", hint=f"its log is {log}")
        time.sleep(0.02)
    raise LionError("it did not start in time", hint=f"its log is {log}")
