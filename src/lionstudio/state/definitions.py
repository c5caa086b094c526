"""Versions of definition files; a version is never changed or deleted. The file on disk is the truth."""

from __future__ import annotations

import hashlib
import time
from typing import NamedTuple

from lionstudio.errors import Conflict, NotFound
from lionstudio.model.ids import check_id, new_id
from lionstudio.model.json_codec import visible
from lionstudio.state.connection import Connection


class Version(NamedTuple):
    """One version of a definition; the sha256 of its text is its ETag."""

    id: str
    kind: str
    name: str
    version: int
    content: str
    sha256: str
    path: str | None
    author: str | None
    message: str | None
    created_at: float


_LATEST = """
SELECT id, kind, name, version, content, sha256, path, author, message, created_at FROM definitions
 WHERE kind = :kind AND name = :name ORDER BY version DESC LIMIT 1
"""
_GET = """
SELECT id, kind, name, version, content, sha256, path, author, message, created_at FROM definitions
 WHERE kind = :kind AND name = :name AND version = :version
"""
_LIST = """
SELECT id, kind, name, version, content, sha256, path, author, message, created_at FROM definitions
 WHERE kind = :kind AND name = :name ORDER BY version DESC
"""
_ADD = """
INSERT INTO definitions (id, kind, name, version, content, sha256, path, author, message, created_at)
VALUES (:id, :kind, :name, :version, :content, :sha256, :path, :author, :message, :created_at)
"""


def save_version(
    conn: Connection,
    kind: str,
    name: str,
    content: str,
    *,
    expected: str | None = None,
    path: str | None = None,
    author: str | None = None,
    message: str | None = None,
) -> Version:
    """Add a version unless the text is unchanged. `expected` is the ETag that the editor started from."""
    digest = hashlib.sha256(content.encode("utf-8", "backslashreplace")).hexdigest()
    latest = find_version(conn, kind, name)
    if expected is not None and latest is not None and latest.sha256 != expected:
        raise Conflict(
            f"{kind} {name} was changed by another process", hint="compare the two versions, then save again"
        )
    if latest is not None and latest.sha256 == digest:
        return latest
    version = Version(
        new_id(),
        kind,
        check_id(name, "name"),
        (latest.version if latest else 0) + 1,
        visible(content),
        digest,
        path and visible(path),
        author and visible(author),
        message and visible(message),
        time.time(),
    )
    conn.execute(_ADD, version._asdict())
    return version


def copy_version(conn: Connection, version: Version) -> None:
    """Add a version of another database with its number and time."""
    conn.execute(
        _ADD, {name: visible(value) if isinstance(value, str) else value for name, value in version._asdict().items()}
    )


def find_version(conn: Connection, kind: str, name: str, version: int | None = None) -> Version | None:
    """One version, the newest by default."""
    key = {"kind": kind, "name": name}
    row = conn.one(_LATEST, key) if version is None else conn.one(_GET, key | {"version": version})
    return None if row is None else Version(*row)


def get_version(conn: Connection, kind: str, name: str, version: int | None = None) -> Version:
    """One version, the newest by default."""
    stored = find_version(conn, kind, name, version)
    if stored is None:
        raise NotFound(f"{f'version {version} of ' if version else ''}{kind} {name} not found")
    return stored


def list_versions(conn: Connection, kind: str, name: str) -> list[Version]:
    """All versions, newest first."""
    return [Version(*row) for row in conn.all(_LIST, {"kind": kind, "name": name})]


_ETAGS = """
SELECT name, sha256 FROM definitions AS d
 WHERE kind = :kind AND version = (SELECT max(version) FROM definitions WHERE kind = d.kind AND name = d.name)
"""


def latest_etags(conn: Connection, kind: str) -> dict[str, str]:
    """The ETag of the newest version of every definition of a kind."""
    return {row[0]: row[1] for row in conn.all(_ETAGS, {"kind": kind})}
