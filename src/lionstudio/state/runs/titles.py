"""Titles of sessions: the first line of the first prompt, for sessions whose creator did not know it."""

from __future__ import annotations

from typing import Any

from lionstudio.model.json_codec import load_or_keep, visible
from lionstudio.model.messages import TYPE_IDS, Instruction, Message
from lionstudio.model.redaction.process import redactor
from lionstudio.model.run_name import title_of
from lionstudio.state.connection import Connection

LOOKED_AT = 8  # the first prompt is among the first messages of a session
_SET = "UPDATE sessions SET title = :title WHERE pk = :pk AND title IS NULL"


def set_title(conn: Connection, session_pk: int, message: Message) -> None:
    """Name a session after one of its first messages, if it is a prompt and the session has no title."""
    title = title_of_prompt(message.content, message.metadata)
    if title is not None:
        conn.execute(_SET, {"pk": session_pk, "title": title})


def title_of_prompt(content: Any, metadata: Any) -> str | None:
    """The title that a prompt gives; None for text that a program put into the conversation."""
    if isinstance(metadata, dict) and metadata.get("injected"):
        return None
    text = content.get("instruction") if isinstance(content, dict) else None
    # redacted before it is shortened: no rule matches half a secret
    return title_of(visible(redactor().text(text))) if isinstance(text, str) else None


_FIRST_PROMPTS = """
SELECT m.content, m.node_metadata FROM progression_items i JOIN messages m ON m.id = i.message_id
 WHERE i.prog = :prog AND i.ord < :most AND m.lion_class = :type ORDER BY i.ord
"""


def title_of_progression(conn: Connection, prog: int) -> str | None:
    """The title that the messages of a session give, for sessions that are written as a whole."""
    rows = conn.all(_FIRST_PROMPTS, {"prog": prog, "most": LOOKED_AT, "type": TYPE_IDS[Instruction.TAG]})
    titles = (title_of_prompt(load_or_keep(content), load_or_keep(metadata)) for content, metadata in rows)
    return next((title for title in titles if title), None)


_UNTITLED = """
SELECT s.pk, h.pk FROM sessions s JOIN progression_heads h ON h.id = s.progression_id WHERE s.title IS NULL
"""


def set_missing_titles(conn: Connection) -> None:
    """Give old sessions their titles, and remove names that only repeat them: from then on, people give names."""
    for session, prog in conn.all(_UNTITLED):
        title = title_of_progression(conn, prog)
        if title is not None:
            conn.execute(_SET, {"pk": session, "title": title})
    conn.execute("UPDATE sessions SET name = NULL WHERE name = title")
