"""Background runs: start the same command again in its own process session, with its output in a log file."""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from collections.abc import Collection
from shlex import quote

from lionstudio.cli._toolkit.humanize import short_id
from lionstudio.cli._toolkit.json_output import to_json
from lionstudio.cli._toolkit.output import emit
from lionstudio.cli._toolkit.terminal import say
from lionstudio.errors import LionError, NotFound
from lionstudio.model.ids import check_id, file_name
from lionstudio.model.redaction.process import secrets_to_pass
from lionstudio.runs.prepare.build import RunContext
from lionstudio.state.backends import reading
from lionstudio.state.sessions import get_session
from lionstudio.system.atomic_write import make_folder
from lionstudio.system.li_process import li_argv, li_environment, start_failure, start_ours

_LOG_TAIL = 2000  # characters
_START_SECONDS = 15.0  # until the session must exist
_OURS = ("LIONAGI_", "PYTHON")


def start(
    args: argparse.Namespace,
    argv: list[str],
    context: RunContext,
    session_id: str,
    prompt: str,
    variables: Collection[str],
) -> int:
    """Start the run with these variables, wait until its session exists, and print the session id."""
    settings = context.settings
    folder = os.path.join(settings.home, "logs")
    make_folder(folder)
    log = os.path.join(folder, f"{file_name(check_id(session_id, 'session id'))}.log")
    end = argv.index("--") if "--" in argv else len(argv)  # the rest is the command line of the agent
    options = [argument for argument in argv[:end] if argument != "--background"]
    # the process starts in a neutral folder: relative paths would mean something else there
    options += ["--session-id", session_id, "--cwd", context.cwd]
    options += [
        part for name in ("home", "db") if getattr(args, name, None) for part in (f"--{name}", getattr(settings, name))
    ]
    passed = {name: context.environ[name] for name in context.environ if name in variables or name.startswith(_OURS)}
    passed |= li_environment(settings) | ({"LIONAGI_PROJECT": settings.project} if settings.project else {})
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600), "wb") as output:
        child = start_ours(
            li_argv(*options, *argv[end:]),
            passed,
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            private=secrets_to_pass(),
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
                raise start_failure("the run", child.returncode, file.read()[-_LOG_TAIL:], log)
        time.sleep(0.02)
    raise LionError(f"the run did not start within {_START_SECONDS:.0f} s", hint=f"cat {quote(log)}")
