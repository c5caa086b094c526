"""Chaos for a fleet: three machines behind cutters, a hub and a git daemon that die, and what must hold at the end."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from tests.support.hub_cutter import HubCutter
from tests.support.machines import GitDaemon, WorkerMachine, clean_environment, has_namespaces, run_git
from tests.support.postgres_server import PASSWORD, PostgresServer

from lionstudio.system.li_process import li_argv

STAMPS = Path(__file__).with_name("agent_stamps.py")
NAMES = ("north", "south", "east")
ENDED = ("completed", "aborted")


class Life(NamedTuple):
    """One execution of an agent, by its stamps."""

    id: str
    play: str
    key: tuple[Any, ...]  # order, attempt and fence
    first: float
    last: float
    is_done: bool


class Fleet:
    """A hub, a git daemon and machines; `close` ends all of it."""

    def __init__(
        self,
        root: Path,
        *,
        beat: float,
        names: tuple[str, ...] = NAMES,
        at_once: int = 2,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.root, self.beat = root, beat
        self.stamps = root / "stamps"
        self.stamps.mkdir(parents=True)
        self.server = PostgresServer(durable=True)
        with self.server.admin() as pg:
            pg.execute("CREATE DATABASE hub OWNER lion TEMPLATE template0 LOCALE 'C.UTF-8'")
        more = {
            "LIONAGI_TEST_BEAT_SECONDS": f"{beat:g}",
            "LIONAGI_SANDBOX": "off",  # agents stamp into a folder that all machines see
        }
        self.url = self.server.url("hub", password=None)
        self.cutters = {name: HubCutter(self.server.port) for name in names}
        self.machines = {
            name: WorkerMachine(
                root,
                name,
                f"postgresql://lion@127.0.0.1:{self.cutters[name].port}/hub?sslmode=disable&gssencmode=disable",
                at_once=at_once,
                restart_seconds=beat / 2,
                environment={**more, **(environment or {})},
            )
            for name in names
        }
        home = root / "person"
        home.mkdir(mode=0o700)
        # variables with a password do not reach the processes around an agent; this file does
        for folder in (home, *(machine.folder for machine in self.machines.values())):
            (folder / ".pgpass").write_text(f"*:*:*:lion:{PASSWORD}\n")
            (folder / ".pgpass").chmod(0o600)
        self.env = {
            **clean_environment(),
            **more,
            "HOME": str(home),
            "LIONAGI_HOME": str(home),
            "LIONAGI_SHOWS": str(home / "shows"),
            "LIONAGI_DB": self.url,
            "LIONAGI_MACHINE_ID": "machine-person",
        }
        self.li("hub", "init", self.url)
        self.daemon = GitDaemon(root / "git", {"README.md": "# A project\n"})
        self.clone = root / "clone"
        run_git(root, "clone", "-q", self.daemon.url, str(self.clone))
        self.topics: list[str] = []

    def start(self) -> None:
        for machine in self.machines.values():
            machine.start()

    def close(self) -> None:
        for machine in self.machines.values():
            machine.kill()
        for cutter in self.cutters.values():
            cutter.close()
        self.daemon.kill()
        self.server.close()

    def crash_hub(self) -> None:
        """End the server at once; what it acknowledged is on the disk."""
        process = self.server._process
        try:
            self.server.stop(signal.SIGQUIT)
        except subprocess.TimeoutExpired:  # a busy machine
            assert process is not None
            process.kill()
            process.wait()
            self.server._process = None

    def start_hub(self) -> None:
        for _ in range(10):
            with suppress(psycopg.OperationalError):  # processes of the old server still end
                self.server.start()
                return
            time.sleep(1.0)
        self.server.start()

    # ── shows ──

    def li(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            li_argv(*words), env=self.env, cwd="/", capture_output=True, text=True, timeout=120, check=False
        )
        assert not check or done.returncode == 0, f"li {' '.join(words)}: {done.stdout}{done.stderr}"
        return done

    def submit(self, topic: str, plays: Mapping[str, tuple[str, ...]], *, seconds: float, concurrency: int = 8) -> None:
        """Write a plan whose agents stamp, and order it."""
        listed = [
            {
                "name": name,
                "prompt": f"@run {sys.executable} -S -E {STAMPS} {self.stamps / topic} {name} {seconds:g}\n@say done",
                "depends_on": list(after),
            }
            for name, after in plays.items()
        ]
        self.order(topic, listed, agent="script", concurrency=concurrency, max_attempts=100)

    def order(self, topic: str, plays: list[dict[str, Any]], **more: Any) -> None:
        """Write a plan and order it."""
        plan = {
            "goal": "chaos",
            "repo": str(self.clone),
            "remote": "origin",
            "base_branch": "main",
            "permissions": "all",
            "notify": {"desktop": False},
            **more,
            "plays": plays,
        }
        folder = Path(self.env["LIONAGI_SHOWS"]) / topic
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "_show.md").write_text(f"---\n{json.dumps(plan, indent=1)}\n---\n# Chaos\n", encoding="utf-8")
        while self.li("show", "run", topic, "--detach", check=False).returncode:
            time.sleep(1.0)  # the hub or git is away
        self.topics.append(topic)

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.server.url("hub"), connect_timeout=5, autocommit=True) as conn:
            return conn.execute(sql, values).fetchall()

    def statuses(self) -> dict[str, str]:
        return dict(self.query("SELECT topic, status FROM shows"))

    def wait_until_ended(self, seconds: float, watch: Callable[[], None] = lambda: None) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with suppress(psycopg.OperationalError):
                watch()
                states = self.statuses()
                if all(states.get(topic) in ENDED for topic in self.topics):
                    return True
            time.sleep(0.5)
        return False

    # ── what the agents saw ──

    def lives(self) -> list[Life]:
        return [life for path in sorted(self.stamps.glob("*/*")) if (life := _read_life(path)) is not None]

    def describe(self) -> str:
        """What a person looks at when a show did not end."""
        orders = self.query(
            "SELECT id, work, worker_id, fence, beat, stop FROM orders WHERE ended_at IS NULL ORDER BY id"
        )
        plays = self.query(
            "SELECT s.topic, p.name, p.status, p.attempt, p.gate_feedback FROM plays p JOIN shows s ON s.id = p.show_id"
            " WHERE p.status <> 'merged'"
        )
        answers = self.query(
            "SELECT id, play, fence, answer FROM orders WHERE ended_at IS NOT NULL AND work = 'attempt'"
            " AND answer LIKE '%%stopped%%' ORDER BY ended_at DESC LIMIT 12"
        )
        logs = [
            f"── {name}\n{machine.log.read_text(errors='replace')[-3000:]}" for name, machine in self.machines.items()
        ]
        return "\n".join(
            ["open orders:", *map(str, orders), "plays:", *map(str, plays), "stopped:", *map(str, answers), *logs]
        )


def _read_life(path: Path) -> Life | None:
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines:
        return None
    facts = json.loads(lines[0])
    times = [float(line) for line in lines[1:] if line != "done"]
    if not times:
        return None
    key = (path.parent.name, facts["play"], facts["order"] or facts["session"], facts["attempt"], facts["fence"])
    return Life(facts["life"], f"{path.parent.name}/{facts['play']}", key, times[0], times[-1], "done" in lines[-1:])


class Journal:
    """What the hub acknowledged, as it was seen: it must be there at the end."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self.answers: dict[str, tuple[int, str | None]] = {}
        self.merges: dict[tuple[str, str], str] = {}
        self.fences: dict[str, int] = {}
        self.problems: list[str] = []
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        while not self._closing.wait(0.3):
            with suppress(psycopg.Error):
                self.look()

    def look(self) -> None:
        query = self._fleet.query
        for order, fence, answer, ended in query("SELECT id, fence, answer, ended_at IS NOT NULL FROM orders"):
            if fence < self.fences.get(order, 0):
                self.problems.append(f"the fence of {order} fell from {self.fences[order]} to {fence}")
            self.fences[order] = fence
            if order in self.answers and self.answers[order] != (fence, answer):
                self.problems.append(f"the answer of {order} changed from {self.answers[order]} to {(fence, answer)}")
            if ended:
                self.answers[order] = (fence, answer)
        plays = "SELECT s.topic, p.name, p.merge_sha FROM plays p JOIN shows s ON s.id = p.show_id"
        for topic, play, sha in query(f"{plays} WHERE p.status = 'merged'"):
            known = self.merges.setdefault((topic, play), sha)
            if known != sha:
                self.problems.append(f"the merge of {topic}/{play} changed from {known} to {sha}")

    def close(self) -> None:
        self._closing.set()
        self._thread.join(20)
        self.look()


class Chaos:
    """Random faults, one after another, some of them at the same time."""

    def __init__(self, fleet: Fleet, seed: int) -> None:
        self.fleet, self.random = fleet, random.Random(seed)
        self.counts: Counter[str] = Counter()
        self._healers: list[tuple[float, Callable[[], None]]] = []
        self._busy: set[str] = set()  # what is broken now
        self._faults: tuple[tuple[int, Callable[[], bool]], ...] = (
            (5, self.kill_worker),
            (4, self.kill_supervisor),
            (4, self.kill_director),
            (2, self.pull_the_plug),
            (2, self.kill_hub),
            (3, self.kill_git),
            (5, self.stop_processes),
            (5, self.partition),
        )

    def run(self, seconds: float, tick: Callable[[], None] = lambda: None) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self._heal(time.monotonic())
            weights, faults = zip(*self._faults, strict=True)
            fault = self.random.choices(faults, weights)[0]
            with suppress(psycopg.Error):
                if fault():
                    self.counts[fault.__name__] += 1
            tick()
            time.sleep(self.random.uniform(0.2, 2.0) * self.fleet.beat)
        self.heal_all()

    @property
    def broken(self) -> set[str]:
        return set(self._busy)

    def heal_all(self) -> None:
        while self._healers:
            self._heal(float("inf"))

    def _heal(self, now: float) -> None:
        due = [healer for healer in self._healers if healer[0] <= now]
        for healer in due:
            self._healers.remove(healer)
            healer[1]()

    def _later(self, what: str, seconds: float, heal: Callable[[], None]) -> None:
        def healed() -> None:
            heal()
            self._busy.discard(what)

        self._busy.add(what)
        self._healers.append((time.monotonic() + seconds, healed))

    def _machine(self) -> WorkerMachine:
        return self.random.choice([*self.fleet.machines.values()])

    def _kill(self, pids: list[int]) -> bool:
        if not pids:
            return False
        with suppress(ProcessLookupError):
            os.kill(self.random.choice(pids), signal.SIGKILL)
        return True

    # ── faults; each returns whether it happened ──

    def kill_worker(self) -> bool:
        return self._kill(self._machine().worker_pids())

    def kill_supervisor(self) -> bool:
        return self._kill(self._machine().supervisor_pids())

    def kill_director(self) -> bool:
        directing = self.fleet.query(
            "SELECT w.name FROM orders o JOIN workers w ON w.id = o.worker_id"
            " WHERE o.work = 'show' AND o.ended_at IS NULL"
        )
        names = [name for (name,) in directing if name in self.fleet.machines]
        return bool(names) and self._kill(self.fleet.machines[self.random.choice(names)].worker_pids())

    def pull_the_plug(self) -> bool:
        machine = self._machine()
        if not has_namespaces() or any(what.endswith(machine.name) for what in self._busy):
            return False
        machine.kill()
        self._later(f"plug {machine.name}", self.random.uniform(0, 6) * self.fleet.beat, machine.start)
        return True

    def kill_hub(self) -> bool:
        if "hub" in self._busy:
            return False
        self.fleet.crash_hub()
        self._later("hub", self.random.uniform(0, 3) * self.fleet.beat, self.fleet.start_hub)
        return True

    def kill_git(self) -> bool:
        if "git" in self._busy:
            return False
        self.fleet.daemon.kill()
        self._later("git", self.random.uniform(0, 4) * self.fleet.beat, self.fleet.daemon.start)
        return True

    def stop_processes(self) -> bool:
        """SIGSTOP for a worker, a supervisor, or the whole machine, as a laptop that sleeps."""
        machine = self._machine()
        if any(what.endswith(machine.name) for what in self._busy):
            return False
        groups = (machine.worker_pids(), machine.supervisor_pids()[:1], machine.pids())
        pids = self.random.choice([group for group in groups if group] or [[]])
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)

        def thaw() -> None:
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

        self._later(f"stop {machine.name}", self.random.uniform(0.5, 8) * self.fleet.beat, thaw)
        return bool(pids)

    def partition(self) -> bool:
        name, cutter = self.random.choice([*self.fleet.cutters.items()])
        if f"network {name}" in self._busy:
            return False
        cutter.set(self.random.choice(("cut", "swallow")))

        def join() -> None:
            cutter.set("cut")  # what was swallowed is lost: its connections end
            cutter.set("pass")

        self._later(f"network {name}", self.random.uniform(0.5, 8) * self.fleet.beat, join)
        return True


def find_missing_merges(fleet: Fleet, plays: Mapping[str, int]) -> list[str]:
    """Shows that are not complete, or whose plays are not merged exactly once; `plays` counts those of each show."""
    problems, statuses = [], fleet.statuses()
    for topic, count in plays.items():
        merges = fleet.daemon.merges(topic)
        if statuses.get(topic) != "completed":
            problems.append(f"{topic} is {statuses.get(topic)}")
        if len(merges) != count:
            problems.append(f"{topic}: {len(merges)} of {count} plays are merged")
    return problems


def find_safety_problems(fleet: Fleet, journal: Journal) -> list[str]:
    """Everything that must never happen, and did, whether the shows have ended or not."""
    problems, lives = list(journal.problems), fleet.lives()
    for topic in fleet.topics:
        again = {play: times for play, times in fleet.daemon.merges(topic).items() if times != 1}
        problems += [f"{topic}: merged more than once: {again}"] if again else []
    problems += [f"attempt ran twice under one fence: {key}" for key, times in _keys(lives).items() if times > 1]
    problems += _overlaps(lives)
    problems += _lost(fleet, journal)
    done = {life.id for life in lives if life.is_done}
    problems += [
        f"{topic}: {path} holds the work of an agent that did not complete it"
        for topic in fleet.topics
        for path, life in _work(fleet, topic).items()
        if life not in done
    ]
    return problems + _check_repository(fleet)


def _check_repository(fleet: Fleet) -> list[str]:
    words = ["git", "-C", str(fleet.daemon.repo), "fsck", "--strict"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    bad = [line for line in (done.stdout + done.stderr).splitlines() if not line.startswith(("dangling", "notice"))]
    return [f"git fsck: {bad}"] if done.returncode or bad else []


def _keys(lives: list[Life]) -> Counter[tuple[Any, ...]]:
    return Counter(life.key for life in lives)


def _overlaps(lives: list[Life]) -> list[str]:
    by_play: dict[str, list[Life]] = {}
    for life in sorted(lives, key=lambda life: life.first):
        by_play.setdefault(life.play, []).append(life)
    return [
        f"{play}: {before.key} stamped until {before.last:.2f}, {after.key} since {after.first:.2f}"
        for play, ordered in by_play.items()
        for index, after in enumerate(ordered)
        for before in ordered[:index]
        if before.last >= after.first
    ]


def _lost(fleet: Fleet, journal: Journal) -> list[str]:
    """Facts that the hub acknowledged and does not have, or whose commit is not on the remote."""
    answers = {
        row[0]: (row[1], row[2])
        for row in fleet.query("SELECT id, fence, answer FROM orders WHERE ended_at IS NOT NULL")
    }
    lost = [
        f"the answer of {order} is lost" for order, answer in journal.answers.items() if answers.get(order) != answer
    ]
    for (topic, play), sha in journal.merges.items():
        branch = f"refs/heads/show/{topic}/integration"
        inside = subprocess.run(
            ["git", "-C", str(fleet.daemon.repo), "merge-base", "--is-ancestor", sha, branch], check=False
        )
        if inside.returncode:
            lost.append(f"the merge {sha[:12]} of {topic}/{play} is not on the remote")
    return lost


def _work(fleet: Fleet, topic: str) -> dict[str, str]:
    branch = f"refs/heads/show/{topic}/integration"
    if not fleet.daemon.git("for-each-ref", branch):
        return {}
    names = fleet.daemon.git("ls-tree", "-r", "--name-only", branch, "work").splitlines()
    return {name: fleet.daemon.git("show", f"{branch}:{name}") for name in names}
