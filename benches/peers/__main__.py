"""Peers from PyPI, in an environment of their own, on the same work beside ours: `python -m benches.peers [--quick]`.

Only their commands, HTTP routes and documented Python interfaces are used. After the installation everything runs in a
network namespace that has loopback only, where the system allows one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from benches.peers import agentsview, openai_sessions
from benches.stores import clean_up
from benches.table import DATA, Table, options

PEERS = ("agentsview==0.46.1", "openai-agents==0.24.0")
_FOLDER = DATA / "peers"
_ISOLATED = "LIONAGI_BENCH_ISOLATED"
_NAMESPACE = ("unshare", "--map-root-user", "--net", "sh", "-euc", 'ip link set lo up; exec "$@"', "sh")


def main() -> None:
    args = options(__doc__)
    programs = _install()
    if _ISOLATED not in os.environ and _can_isolate():
        os.environ[_ISOLATED] = "1"
        os.execvp(_NAMESPACE[0], [*_NAMESPACE, sys.executable, "-m", "benches.peers", *sys.argv[1:]])
    try:
        table = Table("Peers on the same work", args)
        table.say("loopback only" if _ISOLATED in os.environ else "the network could not be switched off here")
        agentsview.measure(table, args, programs / "agentsview")
        openai_sessions.measure(table, args, programs / "python")
        table.close()
    finally:
        clean_up()


def _install() -> Path:
    """Install the peers unless these versions are there; returns the folder of their programs."""
    installed = _FOLDER / "installed"
    if not installed.exists() or installed.read_text() != "\n".join(PEERS):
        print(f"  installing {', '.join(PEERS)} into {_FOLDER.relative_to(DATA.parent)} …", flush=True)
        shutil.rmtree(_FOLDER, ignore_errors=True)
        venv.create(_FOLDER, with_pip=True)
        pip = [str(_FOLDER / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, *PEERS], check=True, timeout=900)
        installed.write_text("\n".join(PEERS))
    return _FOLDER / "bin"


def _can_isolate() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*_NAMESPACE, "true"], capture_output=True).returncode == 0


if __name__ == "__main__":
    main()
