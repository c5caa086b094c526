"""Changes as events: a change event is a hint with ids, a message event carries the message as a GET returns it."""

from __future__ import annotations

from lionstudio.state.connection import Connection
from lionstudio.state.feed.changes import Change
from lionstudio.state.messages.pages import page_after, scope_of_session
from lionstudio.studio.http.responses import encode_json
from lionstudio.studio.live.sse import frame


def change_event(change: Change) -> bytes:
    """The change with its ids; the client fetches the rest."""
    return frame(change.entity, encode_json(change._asdict()), change.seq)


def message_event(conn: Connection, change: Change) -> bytes:
    """A message with its content; a change event for every other entity."""
    if change.entity != "message" or change.parent_id is None or change.ord is None:
        return change_event(change)
    scope = scope_of_session(conn, change.parent_id)
    page = page_after(conn, scope, change.ord - 1, 1, change.ord + 1)
    return frame("message", page.pieces[0], change.seq) if page.length else change_event(change)
