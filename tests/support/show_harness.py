"""Harness for tests of whole shows: a real repository, a home, a plan with scripted agents, and invariants."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dbos import DBOS
from tests.support.children import environment
from tests.support.commands import LI, CommandResult, li

from lionstudio.files.shows.plan_reader import read_plan
from lionstudio.settings import Settings, load_settings
from lionstudio.show_sync.drift import show_drift
from lionstudio.shows.director.commands import Command
from lionstudio.shows.process.engine import DirectorEngine, Workflow, order_in_thread
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

    def order(
        self, job: str, command: Command, carry_out: Callable[[Command], Any], answer: Callable[[str, Any], None]
    ) -> None:
        order_in_thread(job, command, carry_out, answer)

    def close(self) -> None:
        pass


def plain(_name: str, workflow: ShowWorkflow) -> DirectorEngine:
    return PlainEngine(workflow.workflows)


class ShowHarness:
    """One show in its own folder; its processes run `inside` a command such as setpriv."""

    def __init__(self, root: Path, inside: Sequence[str] = ()) -> None:
        self.root, self.inside = root, inside
        self.repo, self.home, self.shows = root / "repo", root / "home", root / "shows"
        self.ran_log = root / "ran"
        self.show_dir = self.shows / TOPIC
        # off: scripts and gates of tests leave notes outside their checkouts; test_confinement.py turns it on
        self.env = {"LIONAGI_HOME": str(self.home), "LIONAGI_SHOWS": str(self.shows), "LIONAGI_SANDBOX": "off"}
        self.warnings: list[str] = []
        self._make_repo()
        self.before = self.hash_user_files()

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
        """Run git in the user's repository and return its output."""
        result = subprocess.run(["git", "-C", str(self.repo), *words], capture_output=True, text=True, check=True)
        return result.stdout.strip()

    # ── the plan ──

    def run_marker(self, play: str) -> str:
        """Return a script line that records a run of the play's agent."""
        return f"@run sh -c 'echo {play} >> {self.ran_log}'"

    def write_plan(self, plays: Mapping[str, str | Mapping[str, Any]], **head: Any) -> None:
        """Write a plan; each play is a script, or a dict of keys."""
        fields: dict[str, Any] = {"repo": str(self.repo), "agent": "script", **head}
        listed = [
            {"name": name, **({"prompt": play} if isinstance(play, str) else play)} for name, play in plays.items()
        ]
        for play in listed:
            play["prompt"] = f"{self.run_marker(str(play['name']))}\n{play.get('prompt', '')}"
        self.show_dir.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**fields, "plays": listed}, indent=1)
        (self.show_dir / "_show.md").write_text(f"---\n{text}\n---\n# Plan\n")
        read_plan(str(self.show_dir / "_show.md"))

    # ── running it ──

    @property
    def settings(self) -> Settings:
        return load_settings({}, self.env, "/")

    def direct(self, *, again: bool = False, durable: bool = False, leave: Callable[[bool], bool] | None = None) -> str:
        """Direct the show in this process, until it ends or waits for a person."""
        environ = environment(**self.env)
        director = DirectorProcess(
            str(self.show_dir),
            self.settings,
            environ,
            self.warnings.append,
            again=again,
            engine=None if durable else plain,
        )
        try:
            return str(director.run(leave or (lambda resting: resting)))
        finally:
            director.close()
            if durable:  # a director that leaves a waiting show ends with its process; the tests share one
                DBOS.destroy()

    def li(self, *words: str, **more: str) -> CommandResult:
        """Run a command as a process."""
        return li(*words, env={**self.env, **more}, inside=self.inside)

    def start(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        """Start a director process that may be killed."""
        return subprocess.Popen(
            [*self.inside, LI, "show", "run", TOPIC, "--foreground", *words],
            env=environment(**{**self.env, **more}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def wait_until(self, what: Callable[[], object], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, (self.statuses(), self.warnings, self.log())
            time.sleep(0.02)

    def log(self) -> str:
        path = self.show_dir / "_director.log"
        return path.read_text() if path.exists() else ""

    def wait_until_director_exits(self) -> None:
        self.wait_until(lambda: not has_director(str(self.show_dir)))

    @property
    def director(self) -> int:
        owner = find_director(str(self.show_dir))
        assert owner is not None
        return owner.pid

    # ── what is there ──

    def meta(self, play: str) -> dict[str, Any]:
        path = self.show_dir / play / "_meta.json"
        return json.loads(path.read_text()) if path.exists() else {}

    def statuses(self) -> dict[str, str]:
        """Return the status of every play by its file."""
        names = sorted(path.parent.name for path in self.show_dir.glob("*/_meta.json"))
        return {name: self.meta(name)["status"] for name in names}

    def runs(self) -> Counter[str]:
        """Return how often the agent of each play ran."""
        return Counter(self.ran_log.read_text().split()) if self.ran_log.exists() else Counter()

    def merged(self) -> Counter[str]:
        """Return how often each play was merged, by the trailers of the integration branch."""
        trailers = self.git(
            "log", "--first-parent", "--format=%(trailers:key=Show-Play,valueonly)", f"show/{TOPIC}/integration"
        )
        return Counter(line.split("/")[1] for line in trailers.splitlines() if line)

    def files(self) -> dict[str, str]:
        """Return the files of the integration branch."""
        names = self.git("ls-tree", "-r", "--name-only", f"show/{TOPIC}/integration").splitlines()
        return {name: self.git("show", f"show/{TOPIC}/integration:{name}") for name in names}

    def rows(self) -> tuple[str, dict[str, str]]:
        """Return the statuses of the show and its plays by their rows."""
        with reading(str(self.home / "state.db")) as conn:
            show = get_show(conn, TOPIC)
            return str(show.status), {play.name: str(play.status) for play in list_plays(conn, show.id)}

    def database(self) -> Database:
        return Database(str(self.home / "state.db"))

    def hash_user_files(self) -> dict[str, str]:
        """Hash every file of the user: work tree, index, config, hooks, HEAD and own branches."""
        hashes = {}
        for path in sorted(self.repo.rglob("*")):
            name = str(path.relative_to(self.repo))
            if path.is_file() and not re.match(r"\.git/(objects|refs/heads/show|refs/shows|logs)(/|$)", name):
                hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return hashes

    def assert_consistent(self) -> None:
        """Assert the invariants after a show, whichever processes were killed."""
        assert self.hash_user_files() == self.before
        result = subprocess.run(["git", "-C", str(self.repo), "fsck", "--strict"], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        assert not [line for line in result.stdout.splitlines() if not line.startswith("dangling")], result.stdout
        with reading(str(self.home / "state.db")) as conn:
            assert show_drift(conn, self.settings) == []
        _, rows = self.rows()
        assert rows == self.statuses()
        assert all(count == 1 for count in self.merged().values()), self.merged()


def leftover_processes(harness: ShowHarness) -> list[str]:
    """List processes that have the home of the harness in their environment."""
    commands, mark = [], f"LIONAGI_HOME={harness.home}".encode()
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if int(entry) != os.getpid() and mark in Path(f"/proc/{entry}/environ").read_bytes().split(b"\0"):
                commands.append(Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return commands


def process_with(*words: str) -> int:
    """Return the process that has all these words among its arguments."""
    wanted = {os.fsencode(word) for word in words}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if wanted <= set(Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")):
                return int(entry)
    raise AssertionError(f"no process has {words} among its arguments")
