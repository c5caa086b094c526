"""Real git repositories for tests of shows: the user's, and agents that work in a checkout with git of their own."""

from __future__ import annotations

import hashlib
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

from lionstudio.shows.git.checkout import CheckoutTarget, prepare
from lionstudio.shows.git.merge import merge as merge_recorded
from lionstudio.shows.git.repo_layout import Checkout, Repo
from lionstudio.shows.git.setup import open_show_repo

ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


def git(where: str | Path, *args: str, check: bool = True, **env: str) -> str:
    """What git says when somebody runs it there by hand, with everything that is configured there."""
    done = subprocess.run(
        ["git", *args],
        cwd=where,
        env=ENV | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=60,
    )
    assert not check or done.returncode == 0, f"git {args}: {done.stderr}"
    return done.stdout.rstrip("\n")


def make_repo(path: Path, files: dict[str, str] | None = None, *init: str) -> Path:
    """A repository with one commit on `main`."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", "main", *init)
    write(path, files or {"README.md": "hello\n", "src/a.py": "a = 1\n", "src/b.py": "b = 1\n"})
    commit(path, "first")
    return path


def write(where: str | Path, files: dict[str, str]) -> None:
    """Files with their content."""
    for name, text in files.items():
        target = Path(where, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")


def commit(where: str | Path, message: str = "work") -> str:
    """Commit everything there, and give the commit."""
    git(where, "add", "-A")
    git(where, "commit", "-q", "--allow-empty", "-m", message)
    return git(where, "rev-parse", "HEAD")


def begun(repo: Path, topic: str = "topic", base: str | None = None) -> Repo:
    """A show that begins at HEAD."""
    return open_show_repo(
        str(repo),
        topic,
        base or git(repo, "rev-parse", "HEAD"),
        checkouts_dir=str(repo.parent / "home" / "checkouts" / topic),
    )


def checkout_of(repo: Repo, play: str = "play") -> Checkout:
    """The checkout of a play."""
    return prepare(CheckoutTarget(repo=repo, play=play))


def fingerprint(repo: Path) -> dict[str, str]:
    """Every file of a repository that a show must never touch, with its content: tree, index, config, hooks, HEAD."""
    found = {}
    for folder, folders, names in os.walk(repo):
        inside = os.path.relpath(folder, repo)
        if inside == ".git":
            folders[:] = [name for name in folders if name in ("hooks", "info")]
            names = [name for name in names if name in ("config", "HEAD", "index", "description")]
        for name in names:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            content = os.readlink(path).encode() if os.path.islink(path) else Path(path).read_bytes()
            key = os.path.join(inside, name)
            found[key] = f"{status.st_mode:o} {status.st_mtime_ns} {hashlib.sha256(content).hexdigest()}"
    return found


def files_of(repo: str | Path, commit: str) -> dict[str, str]:
    """The files of a commit with their content."""
    entries = [entry.partition("\t") for entry in git(repo, "ls-tree", "-r", "-z", commit).split("\0") if entry]
    return {name: git(repo, "cat-file", "blob", told.split()[2]) for told, _, name in entries if " blob " in told}


class AnyCommits:
    """A record of merges for tests of git alone: every commit of the integration branch counts as recorded."""

    @property
    def merges(self) -> Any:
        return self

    def __contains__(self, _sha: object) -> bool:
        return True

    tip: str | None = None
    checked_tip: str | None = None

    def record_merge(self, sha: str) -> None:
        pass

    def record_tip(self, sha: str) -> None:
        self.checked_tip = sha


merge = partial(merge_recorded, record=AnyCommits())
