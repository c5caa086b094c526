"""Processes are started in few places, and our own commands in one: `system/li_process.py`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import lionstudio

SOURCE = Path(lionstudio.__file__).parent
OURS = "system/li_process.py"
# modules that start programs which are not ours, and which
OTHERS = {
    "cli/definitions/new.py": "the user's editor",
    "files/shows/branch_diff.py": "git",
    "shows/demo.py": "git",
    "shows/git/preflight.py": "git",
    "shows/git/remote/transport.py": "git",
    "shows/git/setup.py": "git",
    "system/git.py": "git",
    "system/sandbox/bwrap.py": "bubblewrap, to see whether it works",
    "system/watchdog_process.py": "agents and commands of plans",
}
STARTS = {
    "subprocess": {"Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
    "os": {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"}
    | {f"{kind}{suffix}" for kind in ("exec", "spawn") for suffix in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")},
    "pty": {"spawn", "fork"},
    "multiprocessing": {"Process", "Pool"},
}


def starts(tree: ast.AST) -> set[str]:
    """Names by which a module starts processes: calls, and imports that would hide them."""
    found = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            if node.func.attr in STARTS.get(node.func.value.id, ()):
                found.add(f"{node.func.value.id}.{node.func.attr}")
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found |= {
                f"{node.module}.{name.name}" for name in node.names if name.name in STARTS.get(str(node.module), ())
            }
    return found


def mentions_interpreter(tree: ast.AST) -> bool:
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.alias))
    return any("executable" in (getattr(node, "attr", None), getattr(node, "name", None)) for node in names)


def test_processes_are_started_in_the_listed_modules() -> None:
    trees = {str(path.relative_to(SOURCE)): ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")}
    # a type annotation may name Popen
    found = {
        name: starts(tree) - {"subprocess.Popen"} if name == "cli/demo.py" else starts(tree)
        for name, tree in trees.items()
    }

    assert {name for name, calls in found.items() if calls} == {OURS, *OTHERS}
    assert [name for name, tree in trees.items() if mentions_interpreter(tree)] == [OURS]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import subprocess\nsubprocess.Popen([])", "subprocess.Popen"),
        ("from subprocess import run\nrun([])", "subprocess.run"),
        ("import os\nos.execvp('x', [])", "os.execvp"),
        ("import asyncio\nasyncio.create_subprocess_exec('x')", "asyncio.create_subprocess_exec"),
    ],
)
def test_starts_finds_every_way(code: str, name: str) -> None:
    assert starts(ast.parse(code)) == {name}
