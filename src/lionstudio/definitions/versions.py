"""Edits of definitions become versions: a save writes the row first and then the file; the file stays the truth.

An edit made with any other program, or a save that was cut between row and file, is noticed at the next look and
recorded as what it is: the text that lies on the disk.
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
    """What is edited: its kind, the name of its history and its file."""

    kind: str
    key: str
    path: str


def target_of(definition: Definition) -> Target:
    """The target of a definition that exists."""
    return Target(definition.kind, definition.key, definition.path)


def new_target(kind: str, name: str, home: str) -> Target:
    """The target of a definition that is to be made in the home."""
    return Target(kind, check_name(name), path_for(kind, name, home))


def settled(db: Database, home: str, look: Callable[[], list[Definition]]) -> list[Definition]:
    """What a look finds, with its edits recorded; it looks twice when it may have met a save between row and file."""
    found = look()
    if not _unrecorded(db, found):
        return found
    observe(db, home, found)
    return look()


def observe(db: Database, home: str, found: Iterable[Definition]) -> list[Version]:
    """Record every text that differs from its newest version; costs one query when nothing was edited."""
    edited = _unrecorded(db, found)
    if not edited:
        return []
    with locked(_lock(home)):
        # read again: a save may have been between its row and its file when the list was made
        texts = [(target, text) for target in edited if (text := _on_disk(target)) is not None]
        return db.write(lambda conn: [made for target, text in texts if (made := _notice(conn, target, text))])


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
        _check_start(target, current, expected, create)
        if current is not None:
            db.write(lambda conn: _notice(conn, target, current))
        made = db.write(
            lambda conn: save_version(
                conn, target.kind, target.key, text, path=target.path, author=author, message=message
            )
        )
        point("definition.row_written")
        if current != text:
            write_text(target.path, text)
        point("definition.file_written")
    return made


def rollback(db: Database, home: str, target: Target, version: int, *, author: str | None = None) -> Version:
    """Make an earlier text the newest version."""
    earlier = db.read(lambda conn: get_version(conn, target.kind, target.key, version))
    return save(db, home, target, earlier.content, author=author, message=f"back to version {version}")


def etag_of(text: str) -> str:
    """The ETag of a text."""
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _unrecorded(db: Database, found: Iterable[Definition]) -> list[Target]:
    """Those whose text is not their newest version."""
    readable = [each for each in found if each.text is not None]
    known = {kind: db.read(partial(latest_etags, kind=kind)) for kind in {each.kind for each in readable}}
    return [target_of(each) for each in readable if known[each.kind].get(each.key) != each.sha256]


def _lock(home: str) -> str:
    return os.path.join(home, "locks", "definitions.lock")


def _notice(conn: Connection, target: Target, text: str) -> Version | None:
    """A version for a text on the disk, unless it is the newest already."""
    latest = find_version(conn, target.kind, target.key)
    if latest is not None and latest.sha256 == etag_of(text):
        return None
    message = FIRST_SEEN if latest is None else EDITED
    return save_version(conn, target.kind, target.key, text, path=target.path, author="disk", message=message)


def _on_disk(target: Target) -> str | None:
    try:
        return read_text(target.path)
    except LionError:  # it vanished or was damaged since; the list says so
        return None


def _check_text(text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as wrong:
        raise InvalidInput(
            f"the text is not valid Unicode (character {wrong.start + 1})", hint="remove that character"
        ) from None
    if "\0" in text or size > MOST_BYTES:
        raise InvalidInput(
            f"a definition is text of at most {MOST_BYTES / 1e6:.0f} MB without NUL bytes", hint="shorten it"
        )


def _check_start(target: Target, current: str | None, expected: str | None, create: bool) -> None:
    if create and current is not None:
        raise Conflict(f"the {target.kind} {target.key} is there already: {target.path}", hint="choose another name")
    if expected is None:
        return
    if current is None:
        raise NotFound(f"{target.path} is gone", hint="save it again as new")
    if etag_of(current) != expected.strip('"'):
        raise Conflict(
            f"the {target.kind} {target.key} was changed by somebody else",
            hint="look at the difference, then save again",
        )
