"""Remotes on loopback: a real git daemon, a proxy that cuts connections, and machines that share a remote."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.repositories import git, make_repo

from lionstudio.shows.git.remote.open_remote import check_remote, open_remote_repo
from lionstudio.shows.git.remote.patience import wait_out_remote
from lionstudio.shows.git.repo_layout import Repo


def make_remote(folder: Path, name: str = "remote.git") -> Path:
    """A bare repository with one commit on `main`."""
    source = make_repo(folder / "source")
    git(folder, "clone", "-q", "--bare", str(source), name)
    git(folder / name, "config", "core.fsync", "none")
    return folder / name


def machine(remote: str | Path, home: Path, topic: str = "topic") -> Repo:
    """The show as a machine with a home of its own opens it; as every caller must, it waits for the remote."""
    return wait_out_remote(lambda: _open(str(remote), home, topic), warn=print, most_seconds=60)


def _open(remote: str, home: Path, topic: str) -> Repo:
    base = check_remote(remote, "main", topic, home=str(home)).base
    assert base is not None
    return open_remote_repo(remote, topic, base, checkouts_dir=str(home / "checkouts" / topic), home=str(home))


def refs_of(remote: str | Path) -> dict[str, str]:
    """The refs of a remote that are not the user's."""
    lines = (line.split(" ") for line in git(remote, "for-each-ref", "--format=%(refname) %(objectname)").splitlines())
    return {name: oid for name, oid in lines if name != "refs/heads/main"}


def merges_of(remote: str | Path, topic: str = "topic") -> list[str]:
    """The plays on the integration branch, the first one first."""
    form = "--format=%(trailers:key=Show-Play,valueonly,separator=%x2C)"
    log = git(remote, "log", "--first-parent", "--reverse", form, f"main..refs/heads/show/{topic}/integration")
    return log.split()


def commit_with(git_dir: str, base: str, name: str, text: str) -> str:
    """A commit on top of another with one more file, made without a checkout."""
    path, index = Path(git_dir, "text"), str(Path(git_dir, "other-index"))
    path.write_text(text, encoding="utf-8")
    blob = git(git_dir, "hash-object", "-w", str(path))
    git(git_dir, "read-tree", base, GIT_INDEX_FILE=index)
    git(git_dir, "update-index", "--add", "--cacheinfo", f"100644,{blob},{name}", GIT_INDEX_FILE=index)
    tree = git(git_dir, "write-tree", GIT_INDEX_FILE=index)
    return git(git_dir, "commit-tree", tree, "-p", base, "-m", f"add {name}")


class GitDaemon:
    """`git daemon` in front of a folder of repositories."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self.folder = folder
        self.port = port or _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def url(self, name: str = "remote.git", port: int | None = None) -> str:
        return f"git://127.0.0.1:{port or self.port}/{name}"

    def start(self) -> None:
        options = ("--export-all", "--reuseaddr", "--listen=127.0.0.1", f"--port={self.port}", "--enable=receive-pack")
        env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._process = subprocess.Popen(
            ["git", "daemon", *options, f"--base-path={self.folder}", str(self.folder)],
            env=env | {"GIT_CONFIG_GLOBAL": "/dev/null"},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 30
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            assert time.monotonic() < deadline, "git daemon did not start"
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None


@contextmanager
def git_daemon(folder: Path) -> Iterator[GitDaemon]:
    daemon = GitDaemon(folder)
    try:
        yield daemon
    finally:
        daemon.stop()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


class CuttingProxy:
    """Forwards connections; `cut` decides, by what both sides have said so far, when one is cut."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.cut: Callable[[bytes, bytes], bool] = lambda asked, answered: False
        self.swallow_answer = False  # of a push: the server does its work, the client hears nothing
        self.down_afterwards = self.is_down = False
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.is_down:
                    client.close()
                    continue
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        said = [b"", b""]  # by the client, by the server
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self._port)) as server:
            back = threading.Thread(target=self._copy, args=(server, client, said, 1), daemon=True)
            back.start()
            self._copy(client, server, said, 0)
            back.join()

    def _copy(self, source: socket.socket, target: socket.socket, said: list[bytes], which: int) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                said[which] += piece
                if self.swallow_answer and which == 1 and b"PACK" in said[0]:
                    self.cuts += 1
                    self.is_down = self.down_afterwards
                    while source.recv(65536):  # until the server has done everything
                        pass
                    break
                if self.cut(*said):
                    self.cuts += 1
                    source.shutdown(socket.SHUT_RDWR)
                    break
                target.sendall(piece)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR if self.cut(*said) or self.swallow_answer else socket.SHUT_WR)

    def close(self) -> None:
        self._listener.close()


def run_script(script: str, arguments: dict[str, Any], **env: str) -> subprocess.Popen[str]:
    """Start Python code as a process of its own; `arguments` is a dictionary in it."""
    code = f"import json, sys\narguments = json.loads(sys.argv[1])\n{script}"
    root = Path(__file__).resolve().parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", code, json.dumps(arguments)],
        cwd=root,
        env=os.environ | {"PYTHONPATH": f"{root}:{root / 'src'}"} | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
