"""Completion scripts, loaded into real shells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.support.commands import run_li

from lionstudio.cli._toolkit.shell_scripts import SHELLS, options_of
from lionstudio.cli.registry import COMMANDS, GROUPS

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
