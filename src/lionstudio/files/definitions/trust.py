"""Trust in the `.lionagi` folder of a repository: it is used after `li trust`, until its content changes.

The home keeps `trusted.json`: the path of each trusted folder with the digest of its content.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import stat
import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lionstudio.errors import InvalidInput, LionError
from lionstudio.system.atomic_write import write_text
from lionstudio.system.filelock import locked
from lionstudio.system.filenames import shown
from lionstudio.system.json_read import find_object
from lionstudio.system.safe_read import decode_text, is_within, list_folder, read_bytes

FILE = "trusted.json"
FOLDER = ".lionagi"
MOST_FILES = 2_000
MOST_BYTES = 20_000_000
UNTRUSTED = "it is not trusted"
CHANGED = "it has changed since you trusted it"


class TrustedFolder(NamedTuple):
    path: str
    digest: str
    at: float


class FolderContent(NamedTuple):
    """The files of a folder with their kind, and the digest of everything in it."""

    digest: str
    files: tuple[str, ...]
    links_out: tuple[str, ...]  # links that leave the folder; they are never followed
    digests: Mapping[str, str]  # of each file and link by its name


def read_content(folder: str) -> FolderContent:
    """Read a folder without following links; InvalidInput when it must not be trusted."""
    total = hashlib.sha256()
    files, links_out, digests, size = [], [], {}, 0
    for path, status in _walk(folder):
        name = os.path.relpath(path, folder)
        if stat.S_ISLNK(status.st_mode):
            content = b"link " + os.fsencode(os.readlink(path))
            digests[name] = hashlib.sha256(content).hexdigest()
            links_out += [] if is_within(path, folder) else [name]
        elif stat.S_ISREG(status.st_mode):
            file = hashlib.sha256(read_bytes(path, most=MOST_BYTES, root=folder))
            content, digests[name] = b"file " + file.digest(), file.hexdigest()
            size += status.st_size
        elif stat.S_ISDIR(status.st_mode):
            content = b"folder"
        else:
            raise InvalidInput(f"{shown(path)} is not a file", hint="remove it")
        if not stat.S_ISDIR(status.st_mode):
            files.append(name)
        if len(files) > MOST_FILES or size > MOST_BYTES:
            raise InvalidInput(
                f"{shown(folder)} has more than {MOST_FILES} files or {MOST_BYTES // 1_000_000} MB",
                hint="move other files out of it",
            )
        entry = os.fsencode(name)
        total.update(b"%d %s %d %s" % (len(entry), entry, len(content), content))
    return FolderContent(total.hexdigest(), tuple(files), tuple(links_out), digests)


def _walk(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the folder and everything below it in a fixed order; refuse what belongs to another user."""
    queue = [folder]
    while queue:
        path = queue.pop()
        try:
            status = os.lstat(path)
        except OSError as error:
            raise InvalidInput(
                f"{shown(path)} cannot be read: {error.strerror}", hint="check its permissions"
            ) from None
        if status.st_uid not in (os.geteuid(), 0):
            raise InvalidInput(
                f"{shown(path)} belongs to another user (uid {status.st_uid})",
                hint="copy the files to a folder of yours",
            )
        yield path, status
        if stat.S_ISDIR(status.st_mode):
            queue += [item.path for item in reversed(list_folder(path))]
        elif path == folder:
            raise InvalidInput(f"{shown(path)} is a symbolic link, not a folder", hint="replace it by a folder")


def find_refusal(home: str, folder: str) -> str | None:
    """The reason why a folder is not used, None when it is trusted as it is now."""
    return check_folder(home, folder).refusal


class FolderCheck(NamedTuple):
    """The reason why a folder is not used; None with the digest of each file that may be used."""

    refusal: str | None
    digests: Mapping[str, str] = {}


def check_folder(home: str, folder: str) -> FolderCheck:
    trusted = _read(home).get(_key(folder))
    if trusted is None:
        return FolderCheck(UNTRUSTED)
    try:
        content = read_content(folder)
    except LionError as error:
        return FolderCheck(error.message)
    return FolderCheck(None, content.digests) if content.digest == trusted.digest else FolderCheck(CHANGED)


def read_trusted(path: str, folder: str, digests: Mapping[str, str]) -> str:
    """Read a file of a trusted folder; refuse bytes that are not those of the check."""
    real, top = os.path.realpath(path), os.path.realpath(folder)
    content = read_bytes(real, root=top)
    if hashlib.sha256(content).hexdigest() != digests.get(os.path.relpath(real, top)):
        raise InvalidInput(f"{shown(path)} has changed since it was checked", hint=trust_command(folder))
    return decode_text(content, path)


def trust(home: str, folder: str, digest: str) -> None:
    with locked(_lock(home)):
        folders = _read(home)
        folders[_key(folder)] = TrustedFolder(_key(folder), digest, time.time())
        _write(home, folders)


def trust_own_change(home: str, folder: str, before: FolderCheck, path: str, text: str) -> None:
    """Trust a folder again after we wrote one file of it; not when another file has changed meanwhile."""
    after, name = read_content(folder), os.path.relpath(path, folder)
    if after.digests == {**before.digests, name: hashlib.sha256(text.encode()).hexdigest()}:
        trust(home, folder, after.digest)


def revoke(home: str, folder: str) -> bool:
    """Forget a folder; False when it was not trusted."""
    with locked(_lock(home)):
        folders = _read(home)
        was_trusted = folders.pop(_key(folder), None) is not None
        if was_trusted:
            _write(home, folders)
    return was_trusted


def list_trusted(home: str) -> list[TrustedFolder]:
    return sorted(_read(home).values())


def trust_command(folder: str) -> str:
    """The command that trusts a `.lionagi` folder."""
    return f"li trust {shlex.quote(shown(os.path.dirname(folder)))}"


def _key(folder: str) -> str:
    # the parents may be reached through links, the folder itself is never one
    return os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(folder))), os.path.basename(folder))


def _lock(home: str) -> str:
    return os.path.join(home, "locks", "trusted.lock")


def _read(home: str) -> dict[str, TrustedFolder]:
    """The trusted folders; a damaged file trusts none."""
    record = find_object(os.path.join(home, FILE)) or {}
    folders = record.get("folders")
    return {
        path: TrustedFolder(path, entry["digest"], entry["at"])
        for path, entry in (folders.items() if isinstance(folders, dict) else ())
        if isinstance(entry, dict)
        and isinstance(entry.get("digest"), str)
        and isinstance(entry.get("at"), (int, float))
    }


def _write(home: str, folders: dict[str, TrustedFolder]) -> None:
    record = {path: {"digest": entry.digest, "at": entry.at} for path, entry in sorted(folders.items())}
    write_text(os.path.join(home, FILE), json.dumps({"folders": record}, indent=1) + "\n")
