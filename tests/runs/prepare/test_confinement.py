"""Which runs are confined, by the command line, files and the setting; and what a plain `li agent` may touch."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.commands import CommandResult, li
from tests.support.sandboxes import needs_bwrap, processes_with

from lionstudio.runs.prepare.confinement import choose_mode


@pytest.mark.parametrize(
    ("setting", "command_line", "files", "mode"),
    [
        ("auto", None, None, "auto"),
        ("auto", None, "off", "off"),
        ("off", None, "require", "require"),
        ("auto", "off", "require", "off"),
        ("require", None, "off", "require"),
        ("require", None, "auto", "require"),
        ("require", "off", None, "off"),
    ],
)
def test_choose_mode(setting: str, command_line: str | None, files: str | None, mode: str) -> None:
    assert choose_mode(setting, command_line, files) == mode


class Desk:
    """A user with a home, a key and a repository."""

    def __init__(self, root: Path) -> None:
        self.home, self.work = root / "user", root / "work"
        (self.home / ".ssh").mkdir(parents=True)
        (self.home / ".ssh" / "id").write_text("a private key\n")
        self.work.mkdir()
        self.git("init", "-q")
        self.git("commit", "-q", "--allow-empty", "-m", "one")
        (self.work / ".git" / "hooks").mkdir(exist_ok=True)
        self.env = {"HOME": str(self.home), "LIONAGI_HOME": str(root / "lion"), "LIONAGI_SANDBOX": "auto"}
        (root / "lion" / "agents").mkdir(parents=True, mode=0o700)
        self.agents = root / "lion" / "agents"

    def git(self, *words: str) -> str:
        argv = ["git", "-C", str(self.work), "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *words]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()

    def run(
        self, line: str, *options: str, agent: str = "script", cwd: Path | None = None, **env: str
    ) -> CommandResult:
        """Run a shell line as an agent; its output is in the file `out`."""
        words = ("agent", agent, f"@run sh -c '({line}) > out 2>&1'", "--cwd", str(cwd or self.work), "--quiet")
        return li(*words, *options, env={**self.env, **env})

    @property
    def out(self) -> str:
        return (self.work / "out").read_text()

    def evidence(self) -> str:
        session = li("state", "show", li("state", "ls", "--json", env=self.env).json["sessions"][0]["id"], env=self.env)
        return next((line for line in session.out.splitlines() if "confined" in line), "").split("  ")[-1].strip()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_plain_agent_is_not_confined_unless_asked(desk: Desk) -> None:
    assert desk.run("cat ~/.ssh/id").code == 0
    assert desk.out == "a private key\n"


def test_unconfined_agent_leaves_no_process(desk: Desk) -> None:
    mark = f"survivor-{os.getpid()}"
    script = f"""\
env -i bash -c '(exec -a {mark} sleep 600 >/dev/null 2>&1 &)'
setsid bash -c 'exec -a {mark} sleep 600' >/dev/null 2>&1 &
bash -c '(trap "" TERM; (exec -a {mark} sleep 600 &) ; :) >/dev/null 2>&1'
"""
    (desk.work / "leave.sh").write_text(script)

    assert desk.run("sh leave.sh; sleep 0.2; ps ax | grep -c [s]urvivor || true").code == 0
    assert processes_with(mark) == []


@needs_bwrap
@pytest.mark.parametrize("way", ["option", "setting", "agent file", "playbook"])
def test_plain_agent_is_confined_when_asked(desk: Desk, way: str) -> None:
    line = "cat ~/.ssh/id"
    (desk.agents / "careful.md").write_text("---\nprovider: script\nsandbox: require\n---\nBe careful.\n")
    done = {
        "option": lambda: desk.run(line, "--sandbox", "require"),
        "setting": lambda: desk.run(line, LIONAGI_SANDBOX="require"),
        "agent file": lambda: desk.run(line, agent="careful"),
        "playbook": lambda: playbook(desk, line),
    }[way]()

    assert done.code == 0, done
    assert "No such file" in desk.out


def playbook(desk: Desk, line: str) -> CommandResult:
    (desk.agents.parent / "playbooks").mkdir()
    text = f"agent: script\nsandbox: require\nprompt: |\n  @run sh -c '({line}) > out 2>&1'\n"
    (desk.agents.parent / "playbooks" / "look.yaml").write_text(text)
    return li("play", "look", "--cwd", str(desk.work), "--quiet", env=desk.env)


@needs_bwrap
def test_agent_file_cannot_lift_a_setting_that_requires_the_sandbox(desk: Desk) -> None:
    (desk.agents / "bold.md").write_text("---\nprovider: script\nsandbox: off\n---\nBe bold.\n")

    assert desk.run("cat ~/.ssh/id", agent="bold", LIONAGI_SANDBOX="require").code == 0
    assert "No such file" in desk.out
    assert desk.run("cat ~/.ssh/id", "--sandbox", "off", agent="bold", LIONAGI_SANDBOX="require").code == 0
    assert desk.out == "a private key\n"


@needs_bwrap
def test_confined_agent_commits_but_plants_no_program(desk: Desk) -> None:
    attack = "git add -A; git commit -qm two; echo evil > .git/hooks/pre-commit; git config core.fsmonitor ./evil"
    done = desk.run(
        f"git config user.name x || export GIT_AUTHOR_NAME=a GIT_COMMITTER_NAME=a EMAIL=a@b; {attack}",
        "--sandbox",
        "require",
    )

    assert done.code == 0, done
    assert desk.git("log", "--format=%s").split() == ["two", "one"]
    assert not (desk.work / ".git" / "hooks" / "pre-commit").exists()
    assert "fsmonitor" not in (desk.work / ".git" / "config").read_text()


@needs_bwrap
def test_confined_agent_plants_no_program_in_submodules_and_work_trees(desk: Desk, tmp_path: Path) -> None:
    desk.git("worktree", "add", "-q", str(tmp_path / "tree"))
    git_dir = desk.work / ".git"
    shutil.rmtree(git_dir / "hooks")
    folders = [
        git_dir / "modules" / "lib",
        git_dir / "modules" / "deep" / "name",
        git_dir / "modules/lib/modules/inner",
    ]
    for folder in folders:
        folder.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", "--bare", "--template=", str(folder)], check=True)
    (git_dir / "worktrees" / "tree" / "config.worktree").write_text("")
    targets = [git_dir / "worktrees/tree/config.worktree", git_dir / "worktrees/tree/commondir"]
    targets += [path / name for path in [git_dir, *folders] for name in ("config", "hooks/pre-commit")]
    words = " ".join(map(str, targets))
    done = desk.run(
        f"for f in {words}; do mkdir -p $(dirname $f); echo evil >> $f; done; git status", "--sandbox", "require"
    )

    assert done.code == 0, done
    assert [path for path in targets if path.exists() and "evil" in path.read_text()] == []


@needs_bwrap
def test_confined_claude_leaves_nothing_in_the_memory_of_later_runs(desk: Desk, tmp_path: Path) -> None:
    """Claude Code reads the memory of a project when it starts, confined or not."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "claude").write_text(
        "#!/bin/sh\ncd ~/.claude/projects/* && echo said > session.jsonl\n"
        "mkdir -p memory; mv memory away; mkdir -p memory; echo evil > memory/MEMORY.md\n"
    )
    (programs / "claude").chmod(0o755)
    path, config = f"{programs}{os.pathsep}{os.environ['PATH']}", str(desk.home / ".claude")
    desk.run("", "--sandbox", "require", agent="claude", PATH=path, CLAUDE_CONFIG_DIR=config)

    (project,) = (desk.home / ".claude" / "projects").iterdir()
    assert (project / "session.jsonl").read_text() == "said\n"
    assert list(project.glob("memory/*")) == []


@needs_bwrap
def test_confined_agent_works_in_a_linked_work_tree(desk: Desk, tmp_path: Path) -> None:
    desk.git("worktree", "add", "-q", str(tmp_path / "tree"))
    desk.run("git status --short && ls ~", "--sandbox", "require", cwd=tmp_path / "tree")

    assert (tmp_path / "tree" / "out").read_text() == "?? out\n"


@needs_bwrap
def test_link_to_a_git_folder_that_does_not_lead_back_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    """An agent may write any path into `.git`; the next run must not open that folder for it."""
    trap = tmp_path / "trap"
    trap.mkdir()
    (trap / ".git").write_text(f"gitdir: {desk.home}/.ssh\n")
    (desk.home / ".ssh" / "gitdir").write_text("elsewhere\n")
    (desk.home / ".ssh" / "commondir").write_text(".\n")
    desk.run(f"cat {desk.home}/.ssh/id", "--sandbox", "require", cwd=trap)

    assert "No such file" in (trap / "out").read_text()


@needs_bwrap
def test_home_as_working_folder_is_refused(desk: Desk) -> None:
    done = desk.run("true", "--sandbox", "require", cwd=desk.home)

    assert done.code == 2
    assert "the folder contains your home" in done.err


@needs_bwrap
def test_required_sandbox_and_a_team_exclude_each_other(desk: Desk) -> None:
    assert li("team", "create", "crew", "--members", "ann", env=desk.env).code == 0
    done = desk.run("true", "--sandbox", "require", "--team-mode", "crew", "--as", "ann")

    assert (done.code, "the agent is in a team" in done.err) == (2, True), done


def test_required_sandbox_is_refused_before_a_run_starts(desk: Desk, tmp_path: Path) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (broken / "bwrap").chmod(0o755)
    done = desk.run("true", "--sandbox", "require", PATH=f"{broken}{os.pathsep}{os.environ['PATH']}")

    assert (done.code, "sandbox: require, but bwrap does not work" in done.err) == (2, True), done
    assert not (desk.work / "out").exists()


@needs_bwrap
def test_state_show_says_whether_the_agent_was_confined(desk: Desk) -> None:
    desk.run("true", "--sandbox", "require")
    assert desk.evidence() == "confined by bwrap"
