"""Write a file atomically: a temporary file in the same folder, fsync, then rename."""

from __future__ import annotations

import os
from collections.abc import Iterable
from shlex import quote

from lionstudio.errors import Conflict, InvalidInput, StorageFailed
from lionstudio.system.atomic_write import sync_folder


def write_file(target: str, pieces: Iterable[str], *, replace: bool = False) -> int:
    """Write text to a file with mode 0600; returns the number of bytes."""
    _check(target, replace)
    folder = os.path.dirname(target)
    partial = os.path.join(folder, f".li-{os.urandom(8).hex()}.tmp")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
            written = file.tell()
        _check(target, replace)  # it may have appeared while we wrote
        os.replace(partial, target)
        sync_folder(folder)
    except OSError as error:
        raise StorageFailed(f"cannot write {target}: {error.strerror}", hint="choose another path") from error
    finally:
        if os.path.lexists(partial):
            os.unlink(partial)
    return written


def _check(target: str, replace: bool) -> None:
    if os.path.lexists(target):
        if not os.path.isfile(target):
            raise InvalidInput(f"{target} is not a regular file", hint="choose another name")
        if not replace:
            raise Conflict(f"{target} already exists", hint="choose another name, or add --force to replace it")
    elif not os.path.isdir(os.path.dirname(target)):
        raise InvalidInput(
            f"folder {os.path.dirname(target)} does not exist", hint=f"mkdir -p {quote(os.path.dirname(target))}"
        )
