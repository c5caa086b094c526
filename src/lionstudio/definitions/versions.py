"""Versions of definitions: a save writes the row first and then the file; the file is the source of truth.

An edit made with another program, or a save interrupted between row and file, is recorded at the next listing as the
text on disk.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from lionstudio.crash import point
from lionstudio.errors import Conflict, InvalidInput, LionError, NotFound
from lionstudio.files.definitions.catalog import Definition, path_for
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.definitions import Version, find_version, get_version, latest_etags, save_version
from lionstudio.system.atomic_write import write_text
from lionstudio.system.filelock import locked
from lionstudio.system.filenames import check_name
from lionstudio.system.safe_read import MOST_BYTES, read_text

FIRST_SEEN = "found on disk"
EDITED = "edited outside"


class Target(NamedTuple):
    """A definition to edit: its kind, the key of its versions and its file."""

    kind: str
    key: str
    path: str


def target_of(definition: Definition) -> Target:
    return Target(definition.kind, definition.key, definition.path)


def new_target(kind: str, name: str, home: str) -> Target:
    """The target of a new definition in the home."""
    return Target(kind, check_name(name), path_for(kind, name, home))


def list_recorded(db: Database, home: str, list_all: Callable[[], list[Definition]]) -> list[Definition]:
    """List definitions and record their edits; lists again when a save may have been between row and file."""
    definitions = list_all()
    if not _unrecorded(db, definitions):
        return definitions
    record_edits(db, home, definitions)
    return list_all()


def record_edits(db: Database, home: str, definitions: Iterable[Definition]) -> list[Version]:
    """Record every text that differs from its newest version; costs one query when nothing was edited."""
    edited = _unrecorded(db, definitions)
    if not edited:
        return []
    with locked(_lock(home)):
        # read again: a save may have been between its row and its file when the list was made
        texts = [(target, text) for target in edited if (text := _read(target)) is not None]
        return db.write(lambda conn: [version for target, text in texts if (version := _record(conn, target, text))])


def save(
    db: Database,
    home: str,
    target: Target,
    text: str,
    *,
    expected: str | None = None,
    create: bool = False,
    author: str | None = None,
    message: str | None = None,
) -> Version:
    """Add a version and write the file; `expected` is the ETag that the editor started from."""
    _check_text(text)
    with locked(_lock(home)):
        current = read_text(target.path) if os.path.lexists(target.path) else None
        _check_conflict(target, current, expected, create)
        if current is not None:
            db.write(lambda conn: _record(conn, target, current))
        version = db.write(
            lambda conn: save_version(
                conn, target.kind, target.key, text, path=target.path, author=author, message=message
            )
        )
        point("definition.row_written")
        if current != text:
            write_text(target.path, text)
        point("definition.file_written")
    return version


def rollback(db: Database, home: str, target: Target, version: int, *, author: str | None = None) -> Version:
    """Make an earlier text the newest version."""
    earlier = db.read(lambda conn: get_version(conn, target.kind, target.key, version))
    return save(db, home, target, earlier.content, author=author, message=f"back to version {version}")


def etag_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _unrecorded(db: Database, definitions: Iterable[Definition]) -> list[Target]:
    """Definitions whose text is not their newest version."""
    readable = [item for item in definitions if item.text is not None]
    etags = {kind: db.read(partial(latest_etags, kind=kind)) for kind in {item.kind for item in readable}}
    return [target_of(item) for item in readable if etags[item.kind].get(item.key) != item.sha256]


def _lock(home: str) -> str:
    return os.path.join(home, "locks", "definitions.lock")


def _record(conn: Connection, target: Target, text: str) -> Version | None:
    """Save the text on disk as a version, unless it is the newest already."""
    latest = find_version(conn, target.kind, target.key)
    if latest is not None and latest.sha256 == etag_of(text):
        return None
    message = FIRST_SEEN if latest is None else EDITED
    return save_version(conn, target.kind, target.key, text, path=target.path, author="disk", message=message)


def _read(target: Target) -> str | None:
    try:
        return read_text(target.path)
    except LionError:  # deleted or damaged since; the list shows the error
        return None


def _check_text(text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"the text is not valid Unicode (character {error.start + 1})", hint="remove that character"
        ) from None
    if "\0" in text or size > MOST_BYTES:
        raise InvalidInput(
            f"a definition must be text of at most {MOST_BYTES / 1e6:.0f} MB without NUL bytes", hint="shorten it"
        )


def _check_conflict(target: Target, current: str | None, expected: str | None, create: bool) -> None:
    if create and current is not None:
        raise Conflict(f"the {target.kind} {target.key} already exists: {target.path}", hint="choose another name")
    if expected is None:
        return
    if current is None:
        raise NotFound(f"{target.path} was deleted", hint="save it again as new")
    if etag_of(current) != expected.strip('"'):
        raise Conflict(
            f"the {target.kind} {target.key} was changed since you opened it",
            hint="compare the versions, then save again",
        )
