"""Find a text in the messages of one run."""

from __future__ import annotations

from typing import NamedTuple

from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.message_text import text_of
from lionstudio.state.connection import Connection
from lionstudio.state.messages.pages import MessageScope


class TextMatch(NamedTuple):
    ord: int
    message_id: str
    role: str | None
    snippet: str


_SEARCH = """
SELECT i.ord, i.message_id, m.role, m.content FROM progression_items i JOIN messages m ON m.id = i.message_id
 WHERE i.prog = :prog AND i.ord > :after AND m.content LIKE :like ESCAPE '\\' ORDER BY i.ord
"""


def find_text(
    conn: Connection, scope: MessageScope, text: str, *, after: int, limit: int
) -> tuple[list[TextMatch], bool]:
    """Messages of a run that contain a text, in order, and whether there are more; ASCII case does not matter."""
    # the text as JSON encodes it; a hit is checked again in the text that a person reads
    stored = dump(text)[1:-1].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    params = {"prog": scope.prog, "after": after, "like": f"%{stored}%"}
    matches: list[TextMatch] = []
    for number, message_id, role, content in conn.each(_SEARCH, params):
        readable = text_of(load_or_keep(content))
        at = readable.lower().find(text.lower())
        if at < 0:
            continue
        if len(matches) == limit:
            return matches, True
        matches.append(TextMatch(number, message_id, role, " ".join(readable[max(0, at - 60) : at + 140].split())))
    return matches, False
