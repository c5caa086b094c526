"""Background runs: start the same command again in its own process session, with its output in a log file."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from shlex import quote

from lionstudio.cli._toolkit.humanize import short_id
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

_START_SECONDS = 15.0  # until the session must exist


def start(args: argparse.Namespace, argv: list[str], settings: Settings, session_id: str, prompt: str) -> int:
    """Start the run, wait until its session exists, and print the session id."""
    folder = os.path.join(settings.home, "logs")
    make_folder(folder)
    log = os.path.join(folder, f"{file_name(check_id(session_id, 'session id'))}.log")
    end = argv.index("--") if "--" in argv else len(argv)  # the rest is the command line of the agent
    options = [argument for argument in argv[:end] if argument != "--background"]
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), "wb") as output:
        child = subprocess.Popen(
            li_argv(*options, "--session-id", session_id, *argv[end:]),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    assert child.stdin is not None
    with child.stdin:
        child.stdin.write(prompt.encode())
    _wait_for_session(child, settings.db, session_id, log)
    emit(
        to_json({"schema_version": 1, "session_id": session_id, "log": log}) + "\n" if args.json else f"{session_id}\n"
    )
    say(f"Running in the background. Follow it: li logs -f {short_id(session_id)}", quiet=args.quiet or args.json)
    return 0


def _wait_for_session(child: subprocess.Popen[bytes], db: str, session_id: str, log: str) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        try:
            with reading(db) as conn:
                get_session(conn, session_id)
                return
        except NotFound:
            pass
        if child.poll() not in (None, 0):
            with open(log, encoding="utf-8", errors="backslashreplace") as file:
                raise LionError(f"the run did not start: {file.read()[-500:].strip()}", hint=f"cat {quote(log)}")
        time.sleep(0.02)
    raise LionError(f"the run did not start within {_START_SECONDS:.0f} s", hint=f"cat {quote(log)}")
