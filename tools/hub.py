"""`make hub`: a hub to play with, in a temporary folder: a PostgreSQL server, Studio on it, and two homes that push.

Ctrl-C stops everything. `--once` lets each home run a few agents, and exits with 0 only when everything has arrived.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.postgres_server import PostgresServer

from lionstudio.system.li_process import li_argv

HOMES = {"ann": "website", "bob": "backend"}  # and the project that each works on
TASKS = (
    "@say Reading the issue|@sleep 1|@say Found three places",
    "@say Running the tests|@sleep 1|@say All green",
    "@say Writing the summary",
)
_ARRIVAL_SECONDS = 60.0
_PAUSE_SECONDS = 5.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    parser.add_argument("--once", action="store_true", help="end when everything that the homes recorded has arrived")
    parser.add_argument("--port", default="0", help="port of Studio (default: any)")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))
    try:
        with tempfile.TemporaryDirectory(prefix="lion-hub-") as folder:
            return _run(Path(folder), args)
    except KeyboardInterrupt:
        print("Stopped.", flush=True)
        return 0


def _run(folder: Path, args: argparse.Namespace) -> int:
    print("Starting PostgreSQL…", flush=True)
    server = PostgresServer()
    try:
        with server.admin() as pg:
            pg.execute("CREATE DATABASE hub OWNER lion TEMPLATE template0 LOCALE 'C.UTF-8'")
        url = server.local_url("hub")
        _li("hub", "init", url, env=_home(folder / "studio"), show=True)
        with contextlib.ExitStack() as stack:
            stack.enter_context(_studio(folder / "studio", url, args))
            for name in HOMES:
                stack.enter_context(_push(folder / name, name, url))
            return _play(folder, url, once=args.once)
    finally:
        server.close()


def _home(folder: Path, **more: str) -> dict[str, str]:
    folder.mkdir(mode=0o700, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LIONAGI_", "PG"))}
    return {**kept, "LIONAGI_HOME": str(folder), "LIONAGI_SHOWS": str(folder / "shows"), **more}


def _li(*words: str, env: dict[str, str], show: bool = False) -> str:
    done = subprocess.run(li_argv(*words), env=env, cwd="/", text=True, stdout=None if show else subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"li {' '.join(words)} ended with {done.returncode}")
    return done.stdout or ""


@contextlib.contextmanager
def _process(*words: str, env: dict[str, str], output: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """A command that runs for the block, in a session of its own: Ctrl-C is ours."""
    process = subprocess.Popen(
        li_argv(*words), env=env, cwd="/", text=True, stdout=output, stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _studio(folder: Path, url: str, args: argparse.Namespace) -> Iterator[None]:
    opens = ["--no-open"] if args.no_open or args.once else ["--open"]
    words = ("studio", "--json", "--port", args.port, *opens)
    with _process(*words, env=_home(folder, LIONAGI_DB=url), output=subprocess.PIPE) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline() or "{}")
        if not address:
            raise SystemExit("Studio did not start")
        print(
            f"Studio is at {address['url']}\nSign in with {address['login']} (valid once, for one minute)", flush=True
        )
        yield
        process.stdout.close()


def _push(folder: Path, name: str, url: str) -> contextlib.AbstractContextManager[Any]:
    """The process that sends the sessions of a home to the hub as they grow."""
    env = _home(folder, LIONAGI_HUB=url, LIONAGI_MACHINE_ID=name)
    # the first run makes the database
    _li("agent", "script", "@say Good morning", "--quiet", env=env | {"LIONAGI_PROJECT": HOMES[name]})
    return _process("hub", "push", "--follow", "--quiet", env=env)


def _play(folder: Path, url: str, *, once: bool) -> int:
    """Run agents in both homes in turn; with `once` until all tasks are done and have arrived."""
    print("Two homes run agents and push them. Press Ctrl-C to stop.", flush=True)
    rounds = 0
    while not once or rounds < len(TASKS):
        for name, project in HOMES.items():
            script = TASKS[rounds % len(TASKS)].replace("|", "\n")
            env = _home(folder / name, LIONAGI_PROJECT=project, LIONAGI_MACHINE_ID=name)
            _li("agent", "script", script, "--quiet", env=env)
        rounds += 1
        if not once:
            time.sleep(_PAUSE_SECONDS)
    expected = {row for name in HOMES for row in _sessions(_home(folder / name))}
    deadline = time.monotonic() + _ARRIVAL_SECONDS
    while (arrived := _sessions(_home(folder / "studio", LIONAGI_DB=url))) < expected:
        if time.monotonic() > deadline:
            print(f"{len(expected - arrived)} of {len(expected)} sessions have not arrived.", file=sys.stderr)
            return 1
        time.sleep(0.5)
    print(f"All {len(expected)} sessions of {len(HOMES)} homes have arrived.", flush=True)
    return 0


def _sessions(env: dict[str, str]) -> set[tuple[str, str, int]]:
    """Id, status and number of messages of every session."""
    listed = json.loads(_li("state", "ls", "--json", "--quiet", "--limit", "1000", env=env))["sessions"]
    return {(row["id"], row["status"], row["message_count"]) for row in listed}


if __name__ == "__main__":
    sys.exit(main())
