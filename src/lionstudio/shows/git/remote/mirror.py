"""The mirror of a remote on this machine: one bare repository in the home, used by all shows and processes of it.

It holds only what was asked for: base branches, integration branches, work of attempts. Each of our git processes in it
holds a shared lock; a lock file of git that is there while no process holds that lock was left by a killed one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from lionstudio.crash import point
from lionstudio.errors import Busy
from lionstudio.shows.git.materialize import read_or_empty
from lionstudio.shows.git.remote.errors import RemoteAway
from lionstudio.shows.git.remote.transport import Transport
from lionstudio.shows.git.repo_layout import MIRROR_LOCK, Repo
from lionstudio.shows.git.untrusted_git_dir import GitDirOwner, write_git_dir
from lionstudio.system.atomic_write import make_folder, sync_folder, write_text
from lionstudio.system.filelock import locked
from lionstudio.system.git import EMAIL, NAME, remove_stale_locks
from lionstudio.system.safe_rmtree import safe_rmtree

_FACTS = "lion.json"  # in the mirror: what we have learned about the remote
# Where work and fences are kept on a remote; the second one for hosts that take branches and tags only.
NAMESPACES = ("refs/shows/", "refs/heads/lion/")
_STALE_SECONDS = 86_400  # of unfinished objects; the git process that wrote them has ended long ago


@dataclass(frozen=True, slots=True)
class RemoteMirror:
    """A bare repository, and what is known about the remote that it mirrors."""

    path: str
    remote: str

    @property
    def transport(self) -> Transport:
        return Transport(remote=self.remote, git_dir=self.path)

    @property
    def namespace(self) -> str:
        known = self._facts().get("namespace")
        return known if known in NAMESPACES else NAMESPACES[0]

    @property
    def atomic(self) -> bool:
        """Whether the remote can move several refs together."""
        return self._facts().get("atomic") is not False

    def learn(self, **facts: str | bool) -> None:
        """Remember something about the remote; a fact that is lost is learned again."""
        write_text(os.path.join(self.path, _FACTS), json.dumps({**self._facts(), **facts}) + "\n")

    def _facts(self) -> dict[str, Any]:
        try:
            facts = json.loads(read_or_empty(os.path.join(self.path, _FACTS)) or b"{}")
        except ValueError:
            return {}
        return facts if isinstance(facts, dict) else {}


def mirror_of(repo: Repo) -> RemoteMirror:
    """Return the mirror of a show whose repository has a remote."""
    assert repo.remote is not None
    return RemoteMirror(repo.git_dir, repo.remote)


def open_mirror(remote: str, *, home: str) -> RemoteMirror:
    """Create or reopen the mirror of a remote; several processes may do so at the same time."""
    mirror = RemoteMirror(_mirror_path(remote, home), remote)
    if not os.path.isdir(mirror.path):
        with waiting_for_remote(f"{mirror.path}.lock"):
            if not os.path.isdir(mirror.path):
                _create(mirror)
    remove_stale_locks(mirror.path, os.path.join(mirror.path, MIRROR_LOCK))
    _remove_unfinished_packs(mirror.path)
    return mirror


def _mirror_path(remote: str, home: str) -> str:
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.basename(remote.rstrip("/")).removesuffix(".git")).strip("-")
    digest = hashlib.sha256(os.fsencode(remote)).hexdigest()
    return os.path.join(os.path.abspath(home), "mirrors", f"{name[:40] or 'mirror'}-{digest[:16]}.git")


def _create(mirror: RemoteMirror) -> None:
    temporary = f"{mirror.path}.making"
    safe_rmtree(temporary)
    make_folder(temporary)
    _write(temporary, sha256=False)
    refs = Transport(remote=mirror.remote, git_dir=temporary).list_refs()
    if any(len(oid) == 64 for oid in refs.values() if "/" not in oid):
        _write(temporary, sha256=True)
    point("show.mirror.written")
    os.rename(temporary, mirror.path)
    sync_folder(os.path.dirname(mirror.path))


def _write(path: str, *, sha256: bool) -> None:
    owner = GitDirOwner(NAME, EMAIL)
    write_git_dir(path, bare=True, head="ref: refs/heads/none", objects=None, owner=owner, sha256=sha256)


def _remove_unfinished_packs(path: str) -> None:
    packs, before = os.path.join(path, "objects", "pack"), time.time() - _STALE_SECONDS
    for name in os.listdir(packs):
        if name.startswith(("tmp_", ".tmp-")):
            with suppress(OSError):
                if os.lstat(os.path.join(packs, name)).st_mtime < before:
                    os.unlink(os.path.join(packs, name))


@contextmanager
def waiting_for_remote(lock: str) -> Iterator[None]:
    """Hold a lock while a remote is asked; a holder whose remote does not answer counts as the remote being away."""
    try:
        with locked(lock, timeout=60.0):
            yield
    except RemoteAway:
        raise
    except Busy as error:
        raise RemoteAway(error.message, hint=error.hint) from None


def tracking(ref: str) -> str:
    """Name the ref of the mirror that follows a ref of the remote; our own refs there are not touched by a fetch."""
    return f"refs/lion/{ref.removeprefix('refs/')}"
