"""Labels that people give a session: its name, a note, and tags."""

from __future__ import annotations

import time
from collections.abc import Iterable

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import visible
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import get_session

_MAX_NAME, MAX_NOTE, _MAX_TAG = 200, 20_000, 60  # characters

_RENAME = "UPDATE sessions SET name = :name, updated_at = max(updated_at, :at) WHERE id = :id"
_SET_NOTE = "UPDATE sessions SET note = :note, updated_at = max(updated_at, :at) WHERE id = :id"
_ADD_TAG = "INSERT INTO session_tags (session_id, tag, created_at) VALUES (:id, :tag, :at) ON CONFLICT DO NOTHING"
_REMOVE_TAG = "DELETE FROM session_tags WHERE session_id = :id AND tag = :tag"
_TAGS = "SELECT tag FROM session_tags WHERE session_id = :id ORDER BY tag"


def rename_session(conn: Connection, session_id: str, name: str | None) -> None:
    """Set the name of a session; None or blank removes it, and the session is called by its prompt again."""
    text = " ".join(visible(name or "").split())
    if len(text) > _MAX_NAME:
        raise InvalidInput(f"a name has at most {_MAX_NAME} characters, not {len(text)}")
    get_session(conn, session_id)
    conn.execute(_RENAME, {"id": session_id, "name": text or None, "at": time.time()})


def set_note(conn: Connection, session_id: str, note: str | None) -> None:
    """Set the note of a session; None or blank removes it."""
    text = visible(note or "").strip()
    if len(text) > MAX_NOTE:
        raise InvalidInput(f"a note has at most {MAX_NOTE:,} characters, not {len(text):,}")
    get_session(conn, session_id)
    conn.execute(_SET_NOTE, {"id": session_id, "note": text or None, "at": time.time()})


def check_tag(tag: str) -> str:
    """A tag as it is stored; raises InvalidInput."""
    text = visible(tag).strip()
    if not text or len(text) > _MAX_TAG or any(char.isspace() or char == "," for char in text):
        raise InvalidInput(
            f"{tag!r:.80} is not a tag", hint=f"a tag is one word of up to {_MAX_TAG} characters, without commas"
        )
    return text


def add_tags(conn: Connection, session_id: str, tags: Iterable[str]) -> None:
    get_session(conn, session_id)
    for tag in tags:
        conn.execute(_ADD_TAG, {"id": session_id, "tag": check_tag(tag), "at": time.time()})


def remove_tags(conn: Connection, session_id: str, tags: Iterable[str]) -> None:
    """Remove tags; one that the session does not have is ignored."""
    get_session(conn, session_id)
    for tag in tags:
        conn.execute(_REMOVE_TAG, {"id": session_id, "tag": check_tag(tag)})


def replace_tags(conn: Connection, session_id: str, tags: Iterable[str]) -> None:
    """Make the tags of a session exactly these."""
    wanted = {check_tag(tag) for tag in tags}
    remove_tags(conn, session_id, set(list_tags(conn, session_id)) - wanted)
    add_tags(conn, session_id, sorted(wanted))


def list_tags(conn: Connection, session_id: str) -> list[str]:
    return [str(tag) for (tag,) in conn.all(_TAGS, {"id": session_id})]
