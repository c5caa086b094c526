"""A fleet on one machine: a git daemon, and machines with a worker each, in pid and mount namespaces of their own.

A machine sees its own folder at a path that is the same on all machines, and no folder of another one. Where namespaces
are not allowed, a machine is a plain process; `has_namespaces()` tells.
"""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tests.support.postgres_server import free_port
from tests.support.process_trees import everything_below, still_alive

from lionstudio.system.li_process import li_argv

_INIT = Path(__file__).with_name("machine_init.py")
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Fleet",
    "GIT_AUTHOR_EMAIL": "fleet@localhost",
    "GIT_COMMITTER_NAME": "Fleet",
    "GIT_COMMITTER_EMAIL": "fleet@localhost",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def clean_environment() -> dict[str, str]:
    """The environment without settings of ours, of the database or of git."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("LIONAGI_", "PG", "GIT_"))}


@functools.cache
def namespace_words() -> tuple[str, ...]:
    """The command that starts a program in namespaces of its own; empty where that is not allowed."""
    if shutil.which("unshare") is None:
        return ()
    words = ["unshare", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc"]
    for more in ([], ["--user", "--map-root-user"]):
        tried = [*words, *more, "mount", "--make-rprivate", "/"]
        if subprocess.run(tried, capture_output=True, check=False).returncode == 0:
            return (*words, *more)
    return ()


def has_namespaces() -> bool:
    return bool(namespace_words())


class GitDaemon:
    """A bare repository behind `git daemon`, which accepts pushes."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self._folder, self.port = folder, free_port()
        self.repo = folder / "project.git"
        self.url = f"git://127.0.0.1:{self.port}/project.git"
        self._process: subprocess.Popen[bytes] | None = None
        if not self.repo.exists():
            _make_bare(self.repo, files)
        self.start()

    def start(self) -> None:
        words = ["--export-all", "--enable=receive-pack", "--reuseaddr", "--listen=127.0.0.1"]
        self._process = subprocess.Popen(
            ["git", "daemon", *words, f"--port={self.port}", f"--base-path={self._folder}", str(self._folder)],
            env=clean_environment() | _IDENTITY, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 20
        while subprocess.run(["git", "ls-remote", self.url], capture_output=True, check=False).returncode:
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise RuntimeError("the git daemon did not start")
            time.sleep(0.1)

    def kill(self) -> None:
        """End it and all transfers at once."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def git(self, *words: str) -> str:
        return run_git(self.repo, *words)

    def merges(self, topic: str) -> Counter[str]:
        """How often each play is merged into the integration branch."""
        form = "--format=%(trailers:key=Show-Play,valueonly,separator=%x2C)"
        branch = f"refs/heads/show/{topic}/integration"
        if not self.git("for-each-ref", branch):
            return Counter()
        listed = self.git("log", "--first-parent", form, branch).split("\n")
        return Counter(name.partition("/")[2] for name in listed if name.startswith(f"{topic}/"))


def run_git(where: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(where), *words],
        env=clean_environment() | _IDENTITY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"git {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout.strip()


def _make_bare(repo: Path, files: Mapping[str, str]) -> None:
    work = repo.with_name("first-commit")
    work.mkdir(parents=True)
    run_git(work, "init", "-q", "-b", "main")
    for name, text in files.items():
        target = work / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    run_git(work, "add", "-A")
    run_git(work, "commit", "-q", "-m", "The first commit")
    run_git(work, "clone", "-q", "--bare", str(work), str(repo))
    run_git(repo, "config", "uploadpack.allowAnySHA1InWant", "true")
    shutil.rmtree(work)


class WorkerMachine:
    """One machine with a worker; `folder` is its own, as others see it."""

    def __init__(
        self,
        root: Path,
        name: str,
        db: str,
        *,
        labels: Sequence[str] = (),
        at_once: int = 2,
        restart_seconds: float = 1.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self._root = name, root
        self.folder = root / "machines" / name
        place = root / "machine" if has_namespaces() else self.folder
        for folder in (self.folder, root / "machine"):
            folder.mkdir(parents=True, exist_ok=True)
        self.log = root / f"{name}.log"
        self.home = place / "home"  # as the machine sees it
        self.env = {
            **clean_environment(),
            **_IDENTITY,
            "HOME": str(place),
            "LIONAGI_HOME": str(self.home),
            "LIONAGI_SHOWS": str(place / "shows"),
            "LIONAGI_DB": db,
            "LIONAGI_MACHINE_ID": f"machine-{name}",
            **(environment or {}),
        }
        words = ["worker", "--name", name, "--at-once", str(at_once)]
        self._worker = li_argv(*words, *(["--labels", ",".join(labels)] if labels else []))
        self._place, self._restart = place, restart_seconds
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Switch the machine on."""
        init = [sys.executable, "-P", str(_INIT), str(self._place), str(self.folder), str(self._root / "machines")]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*namespace_words(), *init, str(self._restart), *self._worker],
                env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", start_new_session=True,
            )  # fmt: skip

    def pids(self, text: str = "") -> list[int]:
        """The processes of this machine whose command line has a text, as seen from outside."""
        if self._process is None:
            return []
        chosen = []
        for pid in everything_below(self._process.pid):
            with suppress(OSError):
                if text in Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                    chosen.append(pid)
        return sorted(chosen)

    def worker_pids(self) -> list[int]:
        """The process of the worker itself: not the init, which has its words too."""
        return [pid for pid in self.pids(f" worker --name {self.name}") if str(_INIT) not in _command(pid)]

    def supervisor_pids(self) -> list[int]:
        return self.pids("lionstudio.shows.attempt.supervisor")

    def kill(self) -> None:
        """Pull the plug: everything of the machine ends at once."""
        if self._process is None:
            return
        below = everything_below(self._process.pid)
        for pid in sorted(below, reverse=not has_namespaces()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        self._process = None

    def ask_to_stop(self) -> None:
        """Let the worker stop as after Ctrl-C, and switch the machine off after it."""
        if self._process is None:
            return
        first = min(everything_below(self._process.pid), default=None) if has_namespaces() else self._process.pid
        if first is not None:
            with suppress(ProcessLookupError):
                os.kill(first, signal.SIGTERM)

    def stop(self, seconds: float = 10.0) -> None:
        """Ask it to stop, then pull the plug."""
        if self._process is None:
            return
        below = everything_below(self._process.pid)
        self.ask_to_stop()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        if self._process.poll() is None:
            self.kill()
        self._process = None
        deadline = time.monotonic() + 5
        while still_alive(below) and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in still_alive(below):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def stop_machines(machines: Sequence[WorkerMachine], seconds: float = 3.0) -> None:
    """Stop all of them at once."""
    threads = [threading.Thread(target=machine.stop, args=(seconds,)) for machine in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""
