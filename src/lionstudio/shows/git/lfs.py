"""Git LFS without running git-lfs: pointers and objects as its specification defines them.

The content of a file is stored under its SHA-256, so what an agent left can be verified and copied without trusting its
git folder or starting a program.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, NamedTuple

from lionstudio.errors import Conflict
from lionstudio.shows.git.repo_layout import Checkout, Repo
from lionstudio.shows.git.setup import director_git, read_users_config
from lionstudio.system.filenames import shown
from lionstudio.system.safe_read import is_within

FILTER = "lfs"  # the name of its filter attribute
_OBJECT = re.compile(r"[0-9a-f]{64}")
_POINTER = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*")
_POINTER_OID = re.compile(
    rb"^version https://git-lfs\.github\.com/spec/v1\n(?:[a-z0-9.-]+ [^\n]*\n)*?oid sha256:([0-9a-f]{64})\n", re.M
)
_LONGEST_POINTER = 1024  # bytes; git-lfs takes a longer file for content
_CHUNK = 1_000_000
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LfsFile(NamedTuple):
    """The content that git stores for a file, and its LFS object (None for an empty file or a pointer)."""

    pointer: bytes
    oid: str | None = None


def find_lfs_store(repo: Repo) -> str | None:
    """Return the LFS folder of the user's repository; None when the user's git does not use git-lfs."""
    config = read_users_config(repo.git_dir, r"^(filter\.lfs\.clean|lfs\.storage)$")
    if not config.get("filter.lfs.clean", "").startswith("git-lfs clean"):
        return None
    return _store(repo, config)


def _store(repo: Repo, config: dict[str, str]) -> str:
    return os.path.join(repo.git_dir, os.path.expanduser(config.get("lfs.storage") or "lfs"), "objects")


def read_file(path: str) -> LfsFile:
    """Return the pointer of a file as `git-lfs clean` makes it; nothing is stored."""
    with _open(path) as file:
        start = file.read(_LONGEST_POINTER)
        if not start or (len(start) < _LONGEST_POINTER and _POINTER.fullmatch(start)):
            return LfsFile(start)
        digest, size = hashlib.sha256(start), len(start)
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    oid = digest.hexdigest()
    return LfsFile(f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n".encode(), oid)


def store_object(path: str, oid: str, store: str) -> None:
    """Copy a file into the LFS folder under its checksum; refused when the content has another one."""
    target = _path(store, oid)
    if os.path.exists(target):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    temporary = f"{target}.li-{os.getpid()}-{os.urandom(4).hex()}"
    digest = hashlib.sha256()
    try:
        with _open(path) as source, open(temporary, "xb") as copy:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
                copy.write(chunk)
            copy.flush()
            os.fsync(copy.fileno())
        if digest.hexdigest() != oid:
            raise Conflict(f"{shown(path)} is not the LFS object {oid[:12]}")
        os.chmod(temporary, 0o444)
        os.rename(temporary, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)


def import_objects(checkout: Checkout) -> None:
    """Copy the objects that the agent's git-lfs stored in its own git folder; a forged one is refused."""
    objects = list(_list_objects(checkout))
    if not objects:
        return
    store = _store(checkout.repo, read_users_config(checkout.repo.git_dir, r"^lfs\.storage$"))
    for oid, path in objects:
        store_object(path, oid, store)


def find_missing_object(checkout: Checkout) -> str | None:
    """Return an LFS object of the checkout that the user's repository does not have."""
    objects = list(_list_objects(checkout))
    if not objects:
        return None
    store = _store(checkout.repo, read_users_config(checkout.repo.git_dir, r"^lfs\.storage$"))
    return next((oid for oid, _ in objects if not os.path.exists(_path(store, oid))), None)


def _list_objects(checkout: Checkout) -> Iterator[tuple[str, str]]:
    """Yield the objects by name; links are not followed, other files are not objects."""
    top = os.path.join(checkout.path, ".git", "lfs", "objects")
    if not os.path.isdir(top) or not is_within(top, checkout.path):
        return
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            if _OBJECT.fullmatch(name) and stat.S_ISREG(os.lstat(path).st_mode):
                yield name, path


def list_new_objects(repo: Repo, head: str) -> list[str]:
    """List the LFS objects in our store that commits since the show's base point to."""
    store = _store(repo, read_users_config(repo.git_dir, r"^lfs\.storage$"))
    if not os.path.isdir(store):
        return []  # the usual case
    git = director_git(repo)
    names = git.check("rev-list", "--objects", "--no-object-names", head, "--not", repo.base).out
    sizes = git.check("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", stdin=names).text
    lines = (line.split() for line in sizes.splitlines())
    small = [oid for oid, kind, size in lines if kind == "blob" and 0 < int(size) < _LONGEST_POINTER]
    contents = git.check("cat-file", "--batch=%(objectname)", stdin="".join(f"{oid}\n" for oid in small).encode()).out
    oids = (match[1].decode() for match in _POINTER_OID.finditer(contents))
    return [oid for oid in dict.fromkeys(oids) if os.path.exists(_path(store, oid))]


def _path(store: str, oid: str) -> str:
    return os.path.join(store, oid[:2], oid[2:4], oid)


def _open(path: str) -> IO[bytes]:
    return open(os.open(path, _READ), "rb")
