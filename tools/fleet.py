"""`make fleet`: shows on many machines, to play with, in a temporary folder of one machine.

A PostgreSQL server as the hub, a git daemon, three workers in pid and mount namespaces of their own, Studio, and a show
of twelve scripted plays. Ctrl-C stops everything. `--once` ends when the show has ended, prints how, and exits with 0
only when every play was merged exactly once on the remote.
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
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tests.support.machines import GitDaemon, WorkerMachine, clean_environment, has_namespaces, run_git, stop_machines
from tests.support.postgres_server import PostgresServer

from lionstudio.state.backends import open_reader
from lionstudio.system.li_process import li_argv

TOPIC = "lighthouse"
# name, labels, plays at once
WORKERS = (("north", ("gpu",), 2), ("south", ("docker",), 2), ("harbour", (), 2))
# chapter: what must be merged before it, and the labels that it needs
PLAYS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "outline": ((), ()),
    "keeper": (("outline",), ()),
    "storm": (("outline",), ()),
    "island": (("outline",), ()),
    "lamp": (("outline",), ("gpu",)),
    "boats": (("outline",), ("docker",)),
    "night": (("keeper", "storm"), ()),
    "tide": (("storm", "island"), ()),
    "rescue": (("boats", "night"), ()),
    "morning": (("night", "tide"), ()),
    "contents": (("rescue", "morning", "lamp"), ()),
    "afterword": (("contents",), ()),
}
_CHECK = """\
for chapter in chapters/*.md; do
    head -n 1 "$chapter" | grep -q '^# ' || { echo "$chapter has no title"; exit 1; }
done
"""
_FILES = {"README.md": "# A little book\n", "check.sh": _CHECK, "chapters/preface.md": "# Preface\n\nA light.\n"}
_SHOW_SECONDS = 900.0
_LOOK_SECONDS = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--once", action="store_true", help="end when the show has ended; 0 if every play was merged once"
    )
    parser.add_argument("--port", default="0", help="port of Studio (default: any)")
    parser.add_argument("--keep", metavar="FOLDER", help="use this empty folder, and keep it")
    parser.add_argument("--seconds", type=float, default=4.0, help="length of each play (default 4)")
    args = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts background jobs without it
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))
    try:
        if args.keep:
            return _run(Path(args.keep).resolve(), args)
        with tempfile.TemporaryDirectory(prefix="lion-fleet-", ignore_cleanup_errors=True) as folder:
            return _run(Path(folder), args)
    except KeyboardInterrupt:
        print("Stopped.", flush=True)
        return 0


def _run(folder: Path, args: argparse.Namespace) -> int:
    with contextlib.ExitStack() as stack:
        _say("Starting PostgreSQL…")
        server = PostgresServer()
        stack.callback(server.close)
        with server.admin() as pg:
            pg.execute("CREATE DATABASE hub OWNER lion TEMPLATE template0 LOCALE 'C.UTF-8'")
        url = server.local_url("hub")
        env = _studio_home(folder, url)
        _li("hub", "init", url, env=env)
        daemon = GitDaemon(folder / "git", _FILES)
        stack.callback(daemon.kill)
        _say(f"The repository is at {daemon.url}")
        stack.enter_context(_studio(env, args))
        _start_workers(stack, folder, url)
        _plan_show(folder, daemon, args.seconds, env)
        _li("show", "run", TOPIC, "--detach", env=env)
        how = _watch(url, daemon, once=args.once)
        if args.once:
            return how
        _say("Press Ctrl-C to stop everything.")
        while True:
            time.sleep(3600)


def _say(text: str) -> None:
    print(text, flush=True)


def _studio_home(folder: Path, url: str) -> dict[str, str]:
    home = folder / "studio"
    home.mkdir(mode=0o700, parents=True)
    return {
        **clean_environment(),
        "LIONAGI_HOME": str(home),
        "LIONAGI_SHOWS": str(home / "shows"),
        "LIONAGI_DB": url,
        "LIONAGI_MACHINE_ID": "machine-studio",
    }


def _li(*words: str, env: Mapping[str, str]) -> None:
    done = subprocess.run(li_argv(*words), env=dict(env), cwd="/", check=False)
    if done.returncode:
        raise SystemExit(f"li {' '.join(words)} ended with {done.returncode}")


@contextlib.contextmanager
def _studio(env: Mapping[str, str], args: argparse.Namespace) -> Iterator[None]:
    opens = ["--no-open"] if args.no_open or args.once else ["--open"]
    process = subprocess.Popen(
        li_argv("studio", "--json", "--port", args.port, *opens), env=dict(env), cwd="/", text=True,
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        address = json.loads(process.stdout.readline() or "{}")
        if not address:
            raise SystemExit("Studio did not start")
        _say(f"Studio is at {address['url']}\nSign in with {address['login']} (valid once, for one minute)")
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _start_workers(stack: contextlib.ExitStack, folder: Path, url: str) -> None:
    if not has_namespaces():
        _say("This system allows no namespaces: the workers are plain processes with homes of their own.")
    machines = list[WorkerMachine]()
    stack.callback(stop_machines, machines)
    for name, labels, at_once in WORKERS:
        machine = WorkerMachine(folder, name, url, labels=labels, at_once=at_once)
        machine.start()
        machines.append(machine)
        shown = f" with the label {', '.join(labels)}" if labels else ""
        where = "in namespaces of its own" if has_namespaces() else "as a process"
        _say(f"Worker {name} runs {where}{shown}; its log is {machine.log}")


def _plan_show(folder: Path, daemon: GitDaemon, seconds: float, env: Mapping[str, str]) -> None:
    clone = folder / "clone"
    run_git(folder, "clone", "-q", daemon.url, str(clone))
    plays = [
        {
            "name": name,
            "prompt": _script(name, seconds),
            "depends_on": list(after),
            **({"needs": list(needs)} if needs else {}),
        }
        for name, (after, needs) in PLAYS.items()
    ]
    plan = {
        "goal": "A little book, written by twelve agents on three machines",
        "repo": str(clone),
        "remote": "origin",
        "base_branch": "main",
        "agent": "script",
        "concurrency": 6,
        "gates": [{"command": "sh check.sh"}],
        "notify": {"desktop": False},
        "plays": plays,
    }
    show_dir = Path(env["LIONAGI_SHOWS"]) / TOPIC
    show_dir.mkdir(parents=True)
    (show_dir / "_show.md").write_text(f"---\n{json.dumps(plan, indent=1)}\n---\n# A little book\n", encoding="utf-8")


def _script(name: str, seconds: float) -> str:
    lines = (
        f"@say I write the chapter {name}.",
        "@usage 900 220 3800",
        f"@sleep {seconds:g}",
        f"@write chapters/{name}.md # The {name}\\n\\nWritten by an agent.",
        f"@say The chapter {name} is complete.",
    )
    return "\n".join(lines)


class Played(NamedTuple):
    """How one play went."""

    status: str
    attempts: int
    workers: tuple[str, ...]
    sha: str | None


_PLAYS = """
SELECT p.name, p.status, p.attempt, p.merge_sha FROM plays p JOIN shows s ON s.id = p.show_id
 WHERE s.topic = :topic ORDER BY p.sort_order, p.name
"""
_WORKERS = """
SELECT o.play, w.name FROM orders o JOIN workers w ON w.id = o.worker_id
 WHERE o.topic = :topic AND o.work = 'attempt' ORDER BY o.ordered_at
"""


def _read(url: str) -> tuple[str, dict[str, Played]]:
    """The status of the show, and its plays."""
    conn = open_reader(url)
    try:
        status = conn.value("SELECT status FROM shows WHERE topic = :topic", {"topic": TOPIC}) or "starting"
        workers: dict[str, list[str]] = {}
        for play, worker in conn.all(_WORKERS, {"topic": TOPIC}):
            workers.setdefault(play, []).append(worker)
        rows = conn.all(_PLAYS, {"topic": TOPIC})
    finally:
        conn.close()
    return str(status), {
        name: Played(str(state), int(attempt or 0), tuple(dict.fromkeys(workers.get(name, ()))), sha)
        for name, state, attempt, sha in rows
    }


def _watch(url: str, daemon: GitDaemon, *, once: bool) -> int:
    """Print what changes until the show has ended."""
    _say(f"The show {TOPIC} has {len(PLAYS)} plays.")
    before: dict[str, Played] = {}
    deadline = time.monotonic() + _SHOW_SECONDS
    while True:
        status, plays = _read(url)
        for name, play in plays.items():
            if play.status != (before[name].status if name in before else "pending"):
                _say(f"  {name:<10} {play.status:<17} {', '.join(play.workers)}")
        before = plays
        if status in ("completed", "aborted"):
            break
        if once and time.monotonic() > deadline:
            _say(f"The show did not end within {_SHOW_SECONDS / 60:.0f} minutes.")
            break
        time.sleep(_LOOK_SECONDS)
    return _report(status, before, daemon.merges(TOPIC))


def _report(status: str, plays: Mapping[str, Played], merges: Counter[str]) -> int:
    _say(f"The show is {status}.\n\n  {'play':<10} {'worker':<16} attempts  merges  commit")
    for name, play in plays.items():
        names, sha = ", ".join(play.workers) or "–", (play.sha or "–")[:12]
        _say(f"  {name:<10} {names:<16} {play.attempts:>8}  {merges[name]:>6}  {sha}")
    wrong = [name for name in PLAYS if merges[name] != 1]
    if status == "completed" and not wrong and set(merges) == set(PLAYS):
        used = {worker for play in plays.values() for worker in play.workers}
        _say(f"\nAll {len(PLAYS)} plays were merged exactly once, by {len(used)} workers.")
        return 0
    _say(f"\nNot merged exactly once: {', '.join(wrong) or '–'}")
    return 1


if __name__ == "__main__":
    os.environ.pop("LIONAGI_DB", None)
    sys.exit(main())
