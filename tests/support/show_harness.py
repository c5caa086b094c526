"""A stage for tests of whole shows: a real repository, a home, a plan with scripted agents, what must hold after."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.support.children import environment
from tests.support.commands import LI, Said, li

from lionstudio.files.shows.plan_reader import read_plan
from lionstudio.settings import Settings, load_settings
from lionstudio.show_sync.drift import show_drift
from lionstudio.shows.process.engine import Engine, Workflow
from lionstudio.shows.process.lock import find_director, has_director
from lionstudio.shows.process.process import DirectorProcess
from lionstudio.shows.process.workflow import ShowWorkflow
from lionstudio.state.database import Database, reading
from lionstudio.state.shows import get_show, list_plays

TOPIC = "demo"


class PlainEngine:
    """An engine that records nothing: for tests of everything else."""

    def __init__(self, workflows: Mapping[str, Workflow]) -> None:
        self._workflows = workflows

    def run(self, workflow_id: str, name: str, *args: Any) -> Any:
        return self._workflows[name](*args)

    def step(self, name: str, work: Callable[..., Any], *args: Any) -> Any:
        return work(*args)

    def close(self) -> None:
        pass


def plain(_name: str, workflow: ShowWorkflow) -> Engine:
    return PlainEngine(workflow.workflows)


class ShowHarness:
    """One show in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.repo, self.home, self.shows = root / "repo", root / "home", root / "shows"
        self.ran_log = root / "ran"
        self.show_dir = self.shows / TOPIC
        self.env = {"LIONAGI_HOME": str(self.home), "LIONAGI_SHOWS": str(self.shows)}
        self.warnings: list[str] = []
        self._make_repo()
        self.before = self.of_the_user()

    def _make_repo(self) -> None:
        self.repo.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.email", "ann@example.org")
        self.git("config", "user.name", "Ann")
        (self.repo / "README").write_text("one\ntwo\nthree\n")
        (self.repo / "untouched").write_text("mine\n")
        self.git("add", "README")
        self.git("commit", "-qm", "one")

    def git(self, *words: str) -> str:
        """What git says in the user's repository."""
        done = subprocess.run(["git", "-C", str(self.repo), *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    # ── the plan ──

    def ran(self, play: str) -> str:
        """A line of a script that notes a run of a play's agent."""
        return f"@run sh -c 'echo {play} >> {self.ran_log}'"

    def plan(self, plays: Mapping[str, str | Mapping[str, Any]], **head: Any) -> None:
        """Write the plan: for each play its script, or its keys."""
        given: dict[str, Any] = {"repo": str(self.repo), "agent": "script", **head}
        listed = [
            {"name": name, **({"prompt": play} if isinstance(play, str) else play)} for name, play in plays.items()
        ]
        for play in listed:
            play["prompt"] = f"{self.ran(str(play['name']))}\n{play.get('prompt', '')}"
        self.show_dir.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**given, "plays": listed}, indent=1)
        (self.show_dir / "_show.md").write_text(f"---\n{text}\n---\n# Plan\n")
        read_plan(str(self.show_dir / "_show.md"))

    # ── running it ──

    @property
    def settings(self) -> Settings:
        return load_settings({}, self.env, "/")

    def direct(self, *, again: bool = False, durable: bool = False, leave: Callable[[bool], bool] | None = None) -> str:
        """Direct it in this process; it leaves when nothing goes on without a person."""
        environ = environment(**self.env)
        directing = DirectorProcess(
            str(self.show_dir),
            self.settings,
            environ,
            self.warnings.append,
            again=again,
            engine=None if durable else plain,
        )
        try:
            return str(directing.run(leave or (lambda resting: resting)))
        finally:
            directing.close()

    def li(self, *words: str, **more: str) -> Said:
        """A command, as a process of its own."""
        return li(*words, env={**self.env, **more})

    def start(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        """A director as a process that may be killed."""
        return subprocess.Popen(
            [LI, "show", "run", TOPIC, "--foreground", *words],
            env=environment(**{**self.env, **more}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def until(self, what: Callable[[], object], seconds: float = 60) -> None:
        """Wait for something to be true."""
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, (self.statuses(), self.warnings, self.log())
            time.sleep(0.02)

    def log(self) -> str:
        path = self.show_dir / "_director.log"
        return path.read_text() if path.exists() else ""

    def until_left(self) -> None:
        self.until(lambda: not has_director(str(self.show_dir)))

    @property
    def director(self) -> int:
        found = find_director(str(self.show_dir))
        assert found is not None
        return found.pid

    # ── what is there ──

    def meta(self, play: str) -> dict[str, Any]:
        path = self.show_dir / play / "_meta.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def statuses(self) -> dict[str, str]:
        """Where the files say that every play stands."""
        found = sorted(path.parent.name for path in self.show_dir.glob("*/_meta.json"))
        return {name: self.meta(name)["status"] for name in found}

    def runs(self) -> Counter[str]:
        """How often the agent of each play was run."""
        return Counter(self.ran_log.read_text().split()) if self.ran_log.exists() else Counter()

    def merged(self) -> Counter[str]:
        """How often each play was merged, by the trailers of the integration branch."""
        told = self.git(
            "log", "--first-parent", "--format=%(trailers:key=Show-Play,valueonly)", f"show/{TOPIC}/integration"
        )
        return Counter(line.split("/")[1] for line in told.splitlines() if line)

    def files(self) -> dict[str, str]:
        """What the integration branch holds."""
        names = self.git("ls-tree", "-r", "--name-only", f"show/{TOPIC}/integration").splitlines()
        return {name: self.git("show", f"show/{TOPIC}/integration:{name}") for name in names}

    def rows(self) -> tuple[str, dict[str, str]]:
        """What the rows say: the show, and its plays."""
        with reading(str(self.home / "state.db")) as conn:
            show = get_show(conn, TOPIC)
            return str(show.status), {play.name: str(play.status) for play in list_plays(conn, show.id)}

    def database(self) -> Database:
        return Database(str(self.home / "state.db"))

    def of_the_user(self) -> dict[str, str]:
        """Every byte that is the user's: the work tree, the index, the config, the hooks, HEAD and own branches."""
        found = {}
        for path in sorted(self.repo.rglob("*")):
            name = str(path.relative_to(self.repo))
            if path.is_file() and not re.match(r"\.git/(objects|refs/heads/show|refs/shows|logs)(/|$)", name):
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found

    def assert_whole(self) -> None:
        """What must hold after a show, whoever was killed in it."""
        assert self.of_the_user() == self.before
        done = subprocess.run(["git", "-C", str(self.repo), "fsck", "--strict"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert not [line for line in done.stdout.splitlines() if not line.startswith("dangling")], done.stdout
        with reading(str(self.home / "state.db")) as conn:
            assert show_drift(conn, self.settings) == []
        _, rows = self.rows()
        assert rows == self.statuses()
        assert all(count == 1 for count in self.merged().values()), self.merged()


def leftovers(harness: ShowHarness) -> list[str]:
    """Processes that still carry the home of a harness in their environment."""
    found, mark = [], f"LIONAGI_HOME={harness.home}".encode()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(entry) != os.getpid() and mark in Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                found.append(Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found
