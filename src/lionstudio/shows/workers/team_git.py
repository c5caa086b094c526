"""Stand-in for the git half of shows on many machines, until it is merged."""

from __future__ import annotations

import hashlib
import os
import subprocess

from lionstudio.errors import Busy, InvalidInput
from lionstudio.shows.git.preflight import check_repo
from lionstudio.shows.git.repo_layout import Repo
from lionstudio.shows.git.setup import open_show_repo
from lionstudio.system.filelock import locked


def _git(mirror: str, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["git", f"--git-dir={mirror}", *words], capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise Busy(f"git {words[0]} failed: {done.stderr.strip()[-300:]}")
    return done


def resolve_remote(remote: str | None, repo: str | None) -> str:
    if remote not in (None, "origin"):
        return str(remote)
    done = subprocess.run(["git", "-C", str(repo), "remote", "get-url", "origin"], capture_output=True, text=True)
    if done.returncode:
        raise InvalidInput(
            f"workers need a remote, and {repo} has no origin", hint="add `remote: URL` to the plan, or git remote add"
        )
    return done.stdout.strip()


def mirror_of(remote: str, home: str) -> str:
    mirror = os.path.join(home, "mirrors", hashlib.sha256(remote.encode()).hexdigest()[:16] + ".git")
    os.makedirs(os.path.dirname(mirror), exist_ok=True)
    with locked(mirror + ".lock", timeout=60):
        if not os.path.exists(mirror):
            subprocess.run(["git", "init", "-q", "--bare", mirror], check=True)
            _git(mirror, "remote", "add", "origin", remote)
        _git(mirror, "fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*")
    return mirror


def find_base(remote: str, base_branch: str | None, topic: str, home: str) -> str:
    mirror = mirror_of(remote, home)
    branch = base_branch or "main"
    return _git(mirror, "rev-parse", f"refs/remotes/origin/{branch}").stdout.strip()


def open_remote_repo(remote: str, topic: str, base: str, *, checkouts_dir: str, home: str) -> Repo:
    mirror = mirror_of(remote, home)
    pull(mirror, topic)
    repo = open_show_repo(mirror, topic, base, checkouts_dir=checkouts_dir)
    ref = f"refs/heads/show/{topic}/integration"
    _git(mirror, "push", "-q", "origin", f"{ref}:{ref}", f"--force-with-lease={ref}:", check=False)
    return repo


def pull(mirror: str, topic: str) -> str:
    ref = f"refs/heads/show/{topic}/integration"
    with locked(mirror + ".lock", timeout=60):
        _git(mirror, "fetch", "-q", "origin", f"+{ref}:{ref}", check=False)
    return _git(mirror, "rev-parse", "-q", "--verify", ref, check=False).stdout.strip()


def push_integration(mirror: str, topic: str, old: str) -> bool:
    ref = f"refs/heads/show/{topic}/integration"
    done = _git(mirror, "push", "-q", "origin", f"{ref}:{ref}", f"--force-with-lease={ref}:{old}", check=False)
    return done.returncode == 0


def publish_work(repo: Repo, play: str, *, attempt: int, fence: int, head: str) -> str:
    ref = f"refs/shows/{repo.topic}/{play}/{attempt}-{fence}"
    _git(repo.git_dir, "push", "-q", "origin", f"{head}:{ref}")
    return ref


def fetch_work(repo: Repo, play: str, *, attempt: int, fence: int, head: str) -> None:
    if _git(repo.git_dir, "cat-file", "-e", head, check=False).returncode == 0:
        return
    ref = f"refs/shows/{repo.topic}/{play}/{attempt}-{fence}"
    with locked(repo.git_dir + ".lock", timeout=60):
        _git(repo.git_dir, "fetch", "-q", "origin", f"+{ref}:{ref}")


__all__ = ["check_repo"]
