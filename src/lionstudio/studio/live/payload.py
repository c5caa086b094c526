"""Changes as events: light ones say what changed, whole ones carry the message itself, as a GET would give it."""

from __future__ import annotations

from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change
from lionstudio.state.messages.pages import page_after, scope_of_session
from lionstudio.studio.http.responses import encode_json
from lionstudio.studio.live.sse import frame


def change_event(change: Change) -> bytes:
    """What changed, by its id."""
    return frame(change.entity, encode_json(change._asdict()), change.seq)


def message_event(conn: Connection, change: Change) -> bytes:
    """A message with its content; everything else as it is."""
    if change.entity != "message" or change.parent_id is None or change.ord is None:
        return change_event(change)
    place = scope_of_session(conn, change.parent_id)
    found = page_after(conn, place, change.ord - 1, 1, change.ord + 1)
    return frame("message", found.pieces[0], change.seq) if found.length else change_event(change)
