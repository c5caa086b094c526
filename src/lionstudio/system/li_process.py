"""Start our own commands: the one place, so that nothing from a checkout or the current folder runs in them.

Python imports nothing from the working directory (`-P`), the working directory is `/` (what a command works on is an
option of it), and variables that make Python load other code are not passed on.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from shlex import quote
from typing import IO, TYPE_CHECKING, Any

from lionstudio.errors import LionError, StorageFailed
from lionstudio.settings import Settings, is_url, with_password

if TYPE_CHECKING:
    import asyncio
    import subprocess

NEUTRAL_FOLDER = "/"
_PRIVATE_VARIABLE = "LIONAGI_PRIVATE_FD"
Stream = int | IO[Any] | None

# not the installed script: the package may be run from a source tree that is not on PATH
MAIN = "import sys; from lionstudio.cli.main import main; sys.exit(main())"
_LITTLE_SPACE = 1_000_000  # bytes


def li_argv(*args: str) -> list[str]:
    """The argv of a `li` command. Nothing is imported from its working directory, which may be a checkout."""
    return [sys.executable, "-P", "-c", MAIN, *args]


def module_argv(module: str, *args: str) -> list[str]:
    """The argv of one of our modules, as li_argv."""
    return [sys.executable, "-P", "-m", module, *args]


def isolated_argv(code: str, *args: str) -> list[str]:
    """The argv of a small program without our package: no site packages, no environment, a quick start."""
    return [sys.executable, "-I", "-S", "-c", code, *args]


def isolated_command(file: str, *args: str) -> str:
    """A shell command that runs a file of ours like isolated_argv, and does nothing when it was uninstalled."""
    words = " ".join(map(quote, (sys.executable, "-I", "-S", file, *args)))
    return f"test -r {quote(file)} && exec {words}; exit 0"


def start_ours(
    argv: list[str],
    environ: Mapping[str, str],
    *,
    stdin: Stream,
    stdout: Stream,
    stderr: Stream,
    pass_fds: tuple[int, ...] = (),
    private: bytes = b"",
    before_exec: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command of ours in a session of its own; `argv` is from one of the functions above.

    It gets `private` by `read_private`: in memory, not in its arguments, its environment or a file. `before_exec` is
    called in its process, and only by a caller without threads.
    """
    import subprocess  # most commands start no process

    with _passed(environ, private) as (env, memory):
        return subprocess.Popen(
            argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=NEUTRAL_FOLDER,
            env=env,
            pass_fds=(*pass_fds, *memory),
            start_new_session=True,
            preexec_fn=before_exec,
        )


@contextmanager
def _passed(environ: Mapping[str, str], private: bytes) -> Iterator[tuple[dict[str, str], tuple[int, ...]]]:
    """The environment of a command of ours, and the descriptor with `private` that goes with it."""
    env = own_environment(environ)
    if not private:
        yield env, ()
        return
    with os.fdopen(os.memfd_create("private"), "wb", 0) as memory:
        memory.write(private)
        memory.seek(0)
        yield {**env, _PRIVATE_VARIABLE: str(memory.fileno())}, (memory.fileno(),)


def read_private() -> bytes:
    """Read what the process that started us passed as `private`, once; b"" for nothing."""
    number = os.environ.pop(_PRIVATE_VARIABLE, "")
    if not number.isdigit():
        return b""
    try:
        with os.fdopen(int(number), "rb") as memory:
            return memory.read()
    except OSError:  # not from us
        return b""


async def start_ours_async(
    argv: list[str], environ: Mapping[str, str], *, stdin: int, stdout: int, stderr: int, private: bytes = b""
) -> asyncio.subprocess.Process:
    """Start a command of ours, as start_ours, and read its streams asynchronously."""
    import asyncio

    with _passed(environ, private) as (env, memory):
        return await asyncio.create_subprocess_exec(
            *argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=NEUTRAL_FOLDER,
            env=env,
            pass_fds=memory,
            start_new_session=True,
        )


_PYTHON_PATH = "PYTHONPATH"


def own_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without what makes Python load other code; absolute folders of PYTHONPATH stay.

    What was passed to us privately is not inherited: its descriptor is ours.
    """
    env = {name: value for name, value in environ.items() if not name.startswith(("PYTHON", _PRIVATE_VARIABLE))}
    path = [entry for entry in environ.get(_PYTHON_PATH, "").split(os.pathsep) if os.path.isabs(entry)]
    return env | ({_PYTHON_PATH: os.pathsep.join(path)} if path else {})


def start_failure(name: str, code: int, output: str, log: str) -> LionError:
    """The error for a `li` of ours that ended before it was ready, from its output; a full disk swallows that."""
    _, marker, report = output.rpartition("li: ")
    message, _, hint = report.partition("\n  try: ") if marker else (output, "", "")
    folder = os.path.dirname(log)
    disk = os.statvfs(folder)
    if not message.strip() and disk.f_bavail * disk.f_frsize < _LITTLE_SPACE:
        hint = "free some space and run the command again"
        return StorageFailed(f"{name} did not start: the disk with {folder} is full", hint=hint)
    reason = message.strip() or f"it ended with exit code {code} and without output"
    return LionError(f"{name} did not start: {reason}", hint=hint.strip() or f"cat {quote(log)}")


def li_environment(settings: Settings) -> dict[str, str]:
    """Return the variables that point a new `li` to our home, database and shows."""
    # the library of a server reads its own variables, such as PGPASSWORD and PGSSLROOTCERT
    server = {name: os.environ[name] for name in os.environ if name.startswith("PG")} if is_url(settings.db) else {}
    ours = {"LIONAGI_HOME": settings.home, "LIONAGI_DB": with_password(settings.db), "LIONAGI_SHOWS": settings.shows}
    machine = {name: os.environ[name] for name in os.environ if name == "LIONAGI_MACHINE_ID"}
    return server | machine | ours
