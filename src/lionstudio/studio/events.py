"""Changes as events: light ones say what changed, whole ones carry the message itself, as a GET would give it."""

from __future__ import annotations

from lionstudio.state.changes import Change
from lionstudio.state.connection import Connection
from lionstudio.state.transcripts import branches_of, lines_after
from lionstudio.studio.answers import encoded
from lionstudio.studio.messages import one_message
from lionstudio.studio.sse import frame


def light_event(change: Change) -> bytes:
    """What changed, by its id."""
    return frame(change.entity, encoded(change._asdict()), change.seq)


def whole_event(conn: Connection, change: Change) -> bytes:
    """A message with its content; everything else as it is."""
    if change.entity != "message" or change.parent_id is None or change.ord is None:
        return light_event(change)
    lines = lines_after(conn, change.parent_id, change.ord - 1, 1)
    if not lines or lines[0][0] != change.ord:
        return light_event(change)
    on = branches_of(conn, change.parent_id, [lines[0][1]])
    return frame("message", one_message(lines[0], on), change.seq)
