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
from lionstudio.files.definitions import trust
from lionstudio.files.definitions.catalog import Definition, parse_definition, path_for
from lionstudio.files.definitions.search_paths import SearchPath
from lionstudio.files.formats.field_rules import Problem
from lionstudio.model.redaction.spans import MARK
from lionstudio.state.connection import Connection
from lionstudio.state.database import Database
from lionstudio.state.definitions import Version, find_version, get_version, latest_etags, save_version
from lionstudio.system.atomic_write import write_text
from lionstudio.system.filelock import locked
from lionstudio.system.filenames import check_name, shown
from lionstudio.system.safe_read import MOST_BYTES, is_within, read_text

FIRST_SEEN = "found on disk"
EDITED = "edited outside"


class Target(NamedTuple):
    """A definition to edit: its kind, the key of its versions and its file.

    `root` is the trusted folder of a project, which links must not leave.
    """

    kind: str
    key: str
    path: str
    root: str | None = None


def target_of(definition: Definition) -> Target:
    root = definition.place.path if definition.place.origin == "project" else None
    return Target(definition.kind, definition.key, definition.path, root)


def new_target(kind: str, name: str, home: str) -> Target:
    """The target of a new definition in the home."""
    return Target(kind, check_name(name), path_for(kind, name, home))


class InvalidDefinition(InvalidInput):
    """The text cannot be used; `problems` has every reason with its line."""

    code = "invalid_definition"

    def __init__(self, definition: Definition) -> None:
        super().__init__(f"invalid {definition.kind}: {definition.error}", hint="correct the text, then try again")
        self.problems: tuple[Problem, ...] = definition.problems


def check_definition(kind: str, name: str, text: str) -> Definition:
    """Parse an unsaved text; InvalidDefinition when it cannot be used."""
    definition = parse_text(kind, name, text)
    if definition.error is not None:
        raise InvalidDefinition(definition)
    return definition


def parse_text(kind: str, name: str, text: str) -> Definition:
    """Parse an unsaved text; its errors are problems of the entry."""
    return parse_definition(Definition(kind, name, "", SearchPath("", "draft"), text=text), text)


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
        _check_link(target)
        current = read_text(target.path, root=target.root) if os.path.lexists(target.path) else None
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
            _write(home, target, text)
        point("definition.file_written")
    return version


def rollback(db: Database, home: str, target: Target, version: int, *, author: str | None = None) -> Version:
    """Make an earlier text the newest version."""
    earlier = db.read(lambda conn: get_version(conn, target.kind, target.key, version))
    if etag_of(earlier.content) != earlier.sha256 and MARK in earlier.content:
        raise Conflict(
            f"version {version} of {target.kind} {target.key} held a secret, which is not stored",
            hint=f"edit {target.path} by hand",
        )
    return save(db, home, target, earlier.content, author=author, message=f"back to version {version}")


def delete(db: Database, home: str, target: Target, *, expected: str | None = None) -> Version:
    """Delete the file and return its last version, from which a rollback restores it."""
    if target.root is not None:
        raise InvalidInput(
            f"{shown(target.path)} belongs to a project", hint="delete it in the repository of the project"
        )
    with locked(_lock(home)):
        _check_link(target)
        current = read_text(target.path)
        _check_conflict(target, current, expected, create=False)
        db.write(lambda conn: _record(conn, target, current))
        os.unlink(target.path)
    return db.read(lambda conn: get_version(conn, target.kind, target.key))


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


def _check_link(target: Target) -> None:
    """A save never follows a link: the file behind it may be any file of the user."""
    if os.path.islink(target.path) or (target.root is not None and not is_within(target.path, target.root)):
        raise InvalidInput(
            f"{shown(target.path)} is a symbolic link; a save does not follow it",
            hint="edit the file that it points to, or replace the link by a copy",
        )


def _write(home: str, target: Target, text: str) -> None:
    """Write the file; a project that was trusted before stays trusted with our own change."""
    before = None if target.root is None else trust.check_folder(home, target.root)
    write_text(target.path, text, follow=False)
    if target.root is not None and before is not None and before.refusal is None:
        trust.trust_own_change(home, target.root, before, target.path, text)


def _read(target: Target) -> str | None:
    try:
        return read_text(target.path, root=target.root)
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
