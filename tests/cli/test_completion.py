"""Completion scripts, loaded into real shells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.builders import begin, write
from tests.support.commands import LI, run_li

from lionstudio.cli._completion.scripts import SHELLS, options_of
from lionstudio.cli.registry import COMMANDS, GROUPS
from lionstudio.model.shows.show import Play, Show
from lionstudio.model.teams import Team
from lionstudio.state.database import Database
from lionstudio.state.shows import put_play, put_show
from lionstudio.state.teams import put_team

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _li; printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
autoload -Uz compinit && compinit -u -d "$1/dump"
source "$1/script"; print -r -- ${_comps[li]}
"""
WORDS = (
    (("li", ""), {*GROUPS, *(name for name in COMMANDS if " " not in name)}),
    (("li", "st"), {"state", "studio"}),
    (("li", "state", "l"), {"ls"}),
    (("li", "state", "ls", "--st"), {"--status"}),
    (("li", "state", "ls", "--status", ""), {"running", "completed", "failed", "timed_out", "aborted", "cancelled"}),
    (("li", "--home", "somewhere", "state", "prune", "--dry"), {"--dry-run"}),
    (("li", "--json", "state", "checkpoint", "--mode", "PAS"), {"PASSIVE"}),
    (("li", "completion", "f"), {"fish"}),
    (("li", "state", "ls", "--limit", ""), set[str]()),
)


@pytest.fixture(params=SHELLS)
def script(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """An installed shell and the path of its script."""
    shell: str = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = run_li("completion", shell)
    assert (done.code, done.err) == (0, "")
    (tmp_path / "script").write_text(done.out)
    return shell, tmp_path / "script"


def test_completion_script_has_valid_syntax(script: tuple[str, Path]) -> None:
    shell, file = script
    option = "--no-execute" if shell == "fish" else "-n"
    done = subprocess.run([shell, option, str(file)], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("words", "offered"), WORDS)
def test_completion_offers_commands_options_and_values(
    script: tuple[str, Path], words: tuple[str, ...], offered: set[str]
) -> None:
    shell, file = script
    if shell == "zsh":
        pytest.skip("zsh completes only inside its line editor")
    if shell == "bash":
        command = ["bash", "--norc", "-c", BASH, "bash", str(file), *words]
    else:
        command = ["fish", "--no-config", "-c", f"source {file}; complete -C '{' '.join(words)}'"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=file.parent)

    found = {line.partition("\t")[0] for line in done.stdout.splitlines() if line}
    assert (done.stderr, found) == ("", offered)


def test_completion_script_loads_in_zsh(tmp_path: Path) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    (tmp_path / "script").write_text(run_li("completion", "zsh").out)
    done = subprocess.run(["zsh", "-f", "-c", ZSH, "zsh", str(tmp_path)], capture_output=True, text=True)

    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "_li", "")


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_script_has_every_command_and_option(shell: str) -> None:
    text = run_li("completion", shell).out

    for command in COMMANDS:
        assert command.rpartition(" ")[2] in text
        for option in options_of(command):
            for name in option.names:
                assert (name if shell != "fish" else name.lstrip("-")) in text, (command, name)


def test_completion_rejects_an_unknown_shell() -> None:
    done = run_li("completion", "fsh")

    assert done.code == 2
    assert "try: fish" in done.err
    assert run_li("completion").code == 2
    assert run_li("completion", "bash", "--json").json["script"].startswith("# bash")


HOSTILE = ("$(touch owned)", "`touch owned`", "a;touch owned", "x\x1b[31m", "two\nlines", "--yes", 'it\'s "quoted"')


@pytest.fixture
def full(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A home with a session, hostile names, a show with plays, a team, an agent and a playbook."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LIONAGI_HOME", str(tmp_path))
    monkeypatch.setenv("LIONAGI_SHOWS", str(tmp_path / "shows"))
    monkeypatch.setenv("LIONAGI_DB", db.path)
    monkeypatch.chdir(tmp_path)
    begin(db, "abcd-1", name="nightly", project="site", title="x\x1b[2J")
    begin(db, "abcd-2", agent_name="claude", created_at=2e9)
    for number, name in enumerate(HOSTILE):
        begin(db, f"hostile-{number}", name=name)
    write(db, put_show, Show(id="show", topic="calc", show_dir=str(tmp_path / "shows" / "calc")))
    for name in ("add", "mul"):
        write(db, put_play, Play(show_id="show", name=name))
    write(db, put_team, Team(name="review", members=("a",)))
    shows = ("shows/plan-only/_show.md", "shows/calc/_show.md")
    for path in ("agents/reviewer.md", "agents/README.md", "playbooks/audit.yaml", *shows):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    return db


def offered(tmp_path: Path, *words: str) -> list[str]:
    """The words that bash offers, without their descriptions."""
    (tmp_path / "script").write_text(run_li("completion", "bash").out)
    command = ["bash", "--norc", "-c", BASH, "bash", str(tmp_path / "script"), LI, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    return [line.partition("  (")[0] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("state", "show", "abcd"), ["abcd-2", "abcd-1"]),
        (("state", "show", "ni"), ["nightly"]),
        (("logs", "las"), ["last"]),
        (("wait", "abcd-1", "abcd-2", "abcd-"), ["abcd-2", "abcd-1"]),
        (("state", "search", "--session", "ni"), ["nightly"]),
        (("agent", "claude", "--resume", "abcd-1"), ["abcd-1"]),
        (("state", "ls", "--project", "s"), ["site"]),
        (("show", "status", ""), ["calc", "plan-only"]),
        (("show", "redo", "calc", ""), ["add", "mul"]),
        (("show", "redo", "--feedback", "again", "calc", "m"), ["mul"]),
        (("agent", "re"), ["reviewer"]),
        (("agent", "cl"), ["claude"]),
        (("agents", "show", ""), ["reviewer"]),
        (("agents", "new", "r"), []),
        (("play", ""), ["audit"]),
        (("team", "show", ""), ["review"]),
        (("agent", "script", "--team-mode", "r"), ["review"]),
        (("state", "show", "--la"), ["--last"]),
        (("state", "show", "--db", "missing.db", "abcd"), []),
    ],
)
def test_completion_offers_names_of_the_home(
    full: Database, tmp_path: Path, words: tuple[str, ...], expected: list[str]
) -> None:
    assert offered(tmp_path, *words) == expected


def test_completion_quotes_hostile_names_and_writes_nothing(full: Database, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.rglob("*"))
    names = [name for text in ("$", "`", "a;", "x", "two", "it", "-") for name in offered(tmp_path, "logs", text)]

    quoted = subprocess.run(
        ["bash", "-c", "printf '%q\n' \"$@\"", "bash", *(HOSTILE[number] for number in (0, 1, 2, 6))],
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert [name for name in names if not name.startswith("-")] == quoted
    assert sorted(path.name for path in tmp_path.rglob("*") if path.name != "script") == before


@pytest.mark.parametrize("content", [b"", b"not a database", None])
def test_completion_is_silent_without_a_database(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "state.db").write_bytes(content)
    for kind in ("session", "topic", "play", "team", "project", "tag", "nonsense"):
        done = run_li("__complete", kind, "", "logs", "--home", str(tmp_path), "logs", "")
        assert (done.code, done.err) == (0, "")
        assert done.out in ("", "last\tthe newest session\n")
    assert run_li("__complete") == (0, "", "")
