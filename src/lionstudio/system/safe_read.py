"""Read folders and files that other programs or users may have written.

Only regular files up to a size are opened, so no read hangs; an unreadable path raises an error with the reason,
and a caller that makes a list turns the error into one entry.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import NamedTuple

from lionstudio.errors import InvalidInput, LionError, NotFound
from lionstudio.system.filenames import shown

MOST_BYTES = 5_000_000  # of one definition; a person does not write more, and a list reads them all

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_REASONS = {
    errno.ELOOP: ("is a symbolic link to itself", "remove it"),
    errno.EACCES: ("is not readable for you", "change its permissions with chmod, or move it away"),
    errno.EPERM: ("is not readable for you", "change its permissions with chmod, or move it away"),
    errno.ENOTDIR: ("is not a folder", "move it away"),
}
BOM = "\ufeff"


class FolderEntry(NamedTuple):
    """One entry of a folder; `folder` is true for a folder or a link to one."""

    name: str
    path: str
    folder: bool
    link: bool


def list_folder(path: str) -> list[FolderEntry]:
    """List a folder by name; empty when it does not exist."""
    try:
        with os.scandir(path) as entries:
            items = [FolderEntry(entry.name, entry.path, _is_folder(entry), entry.is_symlink()) for entry in entries]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise refusal(path, error) from None
    return sorted(items)


def read_text(path: str, *, most: int = MOST_BYTES, root: str | None = None) -> str:
    """Read the exact text of a file (a byte order mark stays); `read_bytes` says which files are refused."""
    return decode_text(read_bytes(path, most=most, root=root), path)


def decode_text(content: bytes, path: str) -> str:
    """The text of a file's bytes; raises InvalidInput when they are not text."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{shown(path)} is not UTF-8 (byte {error.start + 1})", hint="save it as UTF-8, or move it away"
        ) from None
    if "\0" in text:
        raise InvalidInput(f"{shown(path)} contains NUL bytes and is not text", hint="move it away")
    return text


def read_bytes(path: str, *, most: int = MOST_BYTES, root: str | None = None) -> bytes:
    """Read a regular file; with `root`, a link that leads out of that folder is refused."""
    try:
        return _read(_resolve_within(path, root) if root is not None else path, path, most, follow=root is None)
    except OSError as error:
        raise refusal(path, error) from None


def refusal(path: str, error: OSError) -> LionError:
    """Turn a system error into one of ours with a hint."""
    if error.errno == errno.ENOENT:
        if os.path.islink(path):
            return NotFound(f"{shown(path)} is a broken symbolic link", hint="remove it, or restore its target")
        return NotFound(f"{shown(path)} does not exist", hint="check the path")
    reason, hint = _REASONS.get(error.errno or 0, (f"cannot be read: {error.strerror}", "move it away"))
    return InvalidInput(f"{shown(path)} {reason}", hint=hint)


def may_exist(path: str) -> bool:
    """Tell whether a path exists, or may exist in a folder we cannot read."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def is_within(path: str, root: str) -> bool:
    """Tell whether a path, with all links resolved, is inside a folder; an impossible file name is not."""
    try:
        os.fsencode(path)
        return _is_plainly_within(path, root) or _is_below(os.path.realpath(path), root)
    except ValueError:
        return False


def _is_plainly_within(path: str, root: str) -> bool:
    """Tell whether the path starts with the folder and no part below it is a link: then nothing is resolved."""
    folder = root.rstrip(os.sep)
    if not folder or "\0" in path or not path.startswith(folder + os.sep):
        return False
    for part in path[len(folder) + 1 :].split(os.sep):
        folder = f"{folder}{os.sep}{part}"
        if part in ("", os.curdir, os.pardir) or os.path.islink(folder):
            return False
    return True


def _is_below(real: str, root: str) -> bool:
    folder = os.path.realpath(root)
    return real == folder or real.startswith(folder.rstrip(os.sep) + os.sep)


def _resolve_within(path: str, root: str) -> str:
    if _is_plainly_within(path, root):
        return path
    if not is_within(path, root):
        raise InvalidInput(
            f"{shown(path)} is a symbolic link that leads out of {shown(root)}", hint="copy the file instead"
        )
    return os.path.realpath(path)


def _read(path: str, name: str, most: int, *, follow: bool) -> bytes:
    # checked before it is opened: opening a pipe wakes its writer, and opening a device may do anything
    _check_regular(os.stat(path, follow_symlinks=follow), name, most)
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW)
    descriptor = os.open(path, flags)
    try:
        size = _check_regular(os.fstat(descriptor), name, most)
        content = os.read(descriptor, size + 1)
        while len(content) <= most:
            more = os.read(descriptor, most + 1 - len(content))
            if not more:
                return content
            content += more
    finally:
        os.close(descriptor)
    raise _too_large(name, most)


def _check_regular(status: os.stat_result, name: str, most: int) -> int:
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "a special file")
        raise InvalidInput(f"{shown(name)} is {kind}, not a file", hint="move it away")
    if status.st_size > most:
        raise _too_large(name, most)
    return status.st_size


def _too_large(name: str, most: int) -> InvalidInput:
    return InvalidInput(f"{shown(name)} is larger than {most / 1e6:.0f} MB", hint="shorten it, or move it away")


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, or into a folder that we may not read
        return False
