"""Harness for shows on many machines: a hub, a git remote, a machine of a user, and workers, each in its own home."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support.children import environment
from tests.support.commands import LI, CommandResult, li

from lionstudio.files.shows.plan_reader import read_plan
from lionstudio.state.backends import reading
from lionstudio.state.shows import find_show, list_plays
from lionstudio.state.workers.orders import WorkOrder, list_orders

TOPIC = "demo"


class Fleet:
    """One hub and its machines; `url` is an empty database of a server."""

    def __init__(self, root: Path, url: str, beat: float = 1.0) -> None:
        self.root, self.url, self.beat = root, url, beat
        self.repo, self.remote = root / "repo", root / "remote.git"
        self.ran_log = root / "ran"
        self.workers: dict[str, subprocess.Popen[bytes]] = {}
        assert self.li("hub", "init", url).code == 0
        self._make_repo()

    def _make_repo(self) -> None:
        self.repo.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "ann@example.org")
        self.git("config", "user.name", "Ann")
        (self.repo / "README").write_text("one\ntwo\nthree\n")
        self.git("add", "README")
        self.git("commit", "-qm", "one")
        subprocess.run(["git", "clone", "-q", "--bare", str(self.repo), str(self.remote)], check=True)
        self.git("remote", "add", "origin", str(self.remote))

    def git(self, *words: str, where: Path | None = None) -> str:
        folder = str(where or self.repo)
        return subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True).stdout.strip()

    # ── machines ──

    def env(self, machine: str) -> dict[str, str]:
        home = self.root / machine
        return {
            "LIONAGI_HOME": str(home),
            "LIONAGI_SHOWS": str(home / "shows"),
            "LIONAGI_DB": self.url,
            "LIONAGI_SANDBOX": "off",
            "LIONAGI_TEST_BEAT_SECONDS": str(self.beat),
        }

    def li(self, *words: str, machine: str = "user", **more: str) -> CommandResult:
        return li(*words, env={**self.env(machine), **more})

    def start_worker(self, name: str, *words: str, **more: str) -> subprocess.Popen[bytes]:
        with open(self.root / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                [LI, "worker", "--name", name, *words],
                env=environment(**{**self.env(name), **more}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.workers[name] = process
        return process

    def kill_worker(self, name: str) -> None:
        """Kill the process of a worker, and nothing else of its machine."""
        self.workers[name].kill()
        self.workers.pop(name).wait()

    def kill_machine(self, name: str) -> None:
        """Kill every process of a worker's machine at once, as when its power fails."""
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in self.processes_of(name):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        if name in self.workers:
            self.workers.pop(name).wait()

    def processes_of(self, name: str) -> list[int]:
        """List the processes of a machine: those with its home in their environment, and all that these started."""
        mark, parents, found = str(self.root / name).encode(), {}, set()
        for entry in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError, IndexError, ValueError):
                process = Path("/proc") / entry
                parents[int(entry)] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                if mark in (process / "environ").read_bytes() + (process / "cmdline").read_bytes():
                    found.add(int(entry))
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return sorted(found - {os.getpid()})

    def close(self) -> None:
        for name in list(self.workers):
            self.kill_machine(name)
        for folder in self.root.iterdir():
            if folder.is_dir():
                self.kill_machine(folder.name)

    def log(self, name: str) -> str:
        path = self.root / f"{name}.log"
        return path.read_text() if path.exists() else ""

    # ── the show ──

    def write_plan(self, plays: Mapping[str, str | Mapping[str, Any]], **head: Any) -> None:
        """Write a plan on the machine of the user; each play is a script, or a dict of keys."""
        fields: dict[str, Any] = {"repo": str(self.repo), "agent": "script", "remote": "origin", **head}
        listed = [
            {"name": name, **({"prompt": play} if isinstance(play, str) else play)} for name, play in plays.items()
        ]
        for play in listed:
            mark = f"@run sh -c 'echo {play['name']} >> {self.ran_log}'"
            play["prompt"] = f"{mark}\n{play.get('prompt', '')}"
        folder = self.root / "user" / "shows" / TOPIC
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**{key: value for key, value in fields.items() if value is not None}, "plays": listed})
        (folder / "_show.md").write_text(f"---\n{text}\n---\n")
        read_plan(str(folder / "_show.md"))

    def run_show(self, *words: str) -> CommandResult:
        return self.li("show", "run", TOPIC, "--detach", *words)

    def wait_until(self, what: Callable[[], object], seconds: float = 90) -> None:
        deadline = time.monotonic() + seconds
        while not what():
            logs = {name: self.log(name) for name in self.workers}
            assert time.monotonic() < deadline, (self.show_status(), self.statuses(), self.orders(), logs)
            time.sleep(0.05)

    def wait_for_end(self, seconds: float = 120) -> None:
        self.wait_until(lambda: self.show_status() in ("completed", "aborted") and not self.orders(), seconds)

    def show_status(self) -> str | None:
        with reading(self.url) as conn:
            show = find_show(conn, TOPIC)
            return None if show is None else str(show.status)

    def statuses(self) -> dict[str, str]:
        with reading(self.url) as conn:
            show = find_show(conn, TOPIC)
            return {} if show is None else {play.name: str(play.status) for play in list_plays(conn, show.id)}

    def orders(self) -> list[WorkOrder]:
        with reading(self.url) as conn:
            return list_orders(conn, TOPIC)

    def order_of(self, work: str, play: str | None = None) -> WorkOrder | None:
        """The taken order of a kind."""
        orders = [order for order in self.orders() if order.work == work and order.worker_id is not None]
        return next((order for order in orders if play in (None, order.play)), None)

    def all_orders(self) -> list[tuple[str, str | None, int]]:
        """Every order with its work and its last fence."""
        with reading(self.url) as conn:
            rows = conn.all("SELECT work, play, fence FROM orders WHERE topic = 'demo' ORDER BY ordered_at")
            return [(str(work), play, int(fence)) for work, play, fence in rows]

    def fences(self, work: str) -> dict[str | None, int]:
        return {play: fence for kind, play, fence in self.all_orders() if kind == work}

    def worker_name(self, order: WorkOrder) -> str:
        with reading(self.url) as conn:
            return str(conn.value("SELECT name FROM workers WHERE id = :id", {"id": order.worker_id}))

    def runs(self) -> Counter[str]:
        """How often the agent of each play began."""
        return Counter(self.ran_log.read_text().split()) if self.ran_log.exists() else Counter()

    def merged(self) -> Counter[str]:
        """How often each play was merged, by the trailers of the integration branch of the remote."""
        trailers = self.git(
            "log",
            "--first-parent",
            "--format=%(trailers:key=Show-Play,valueonly)",
            f"show/{TOPIC}/integration",
            where=self.remote,
        )
        return Counter(line.split("/")[1] for line in trailers.splitlines() if line)

    def assert_completed(self, *plays: str) -> None:
        assert self.show_status() == "completed"
        assert self.merged() == Counter(plays)
        done = subprocess.run(["git", "-C", str(self.remote), "fsck", "--strict"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
