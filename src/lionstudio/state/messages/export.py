"""Export a session with branches, forks, messages in order and usage: for programs (JSON), for people (Markdown, HTML).

It streams: a session of any size is never in memory at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import spell
from lionstudio.state.branches import BranchEntry, branch_entries, branch_usage, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.runs.labels import list_tags
from lionstudio.state.sessions import get_session
from lionstudio.state.transitions import list_transitions

SCHEMA_VERSION = 1
FORMATS = ("json", "jsonl", "md", "html")


def records(conn: Connection, session_id: str) -> Iterator[dict[str, Any]]:
    """The session, then each branch followed by its own messages."""
    session = get_session(conn, session_id)
    labels = {
        "tags": list_tags(conn, session_id),
        "transitions": [change.to_dict() for change in list_transitions(conn, "session", session_id)],
    }
    yield {"type": "session", "schema_version": SCHEMA_VERSION, **session.to_dict("json"), **labels}
    for branch in list_branches(conn, session_id):
        usage = branch_usage(conn, branch.id)._asdict()
        yield {"type": "branch", **branch.to_dict("json"), "usage": usage}
        for entry in branch_entries(conn, branch.id):
            yield {"type": "message", **_message(entry)}


def _message(entry: BranchEntry) -> dict[str, Any]:
    position = {"branch_id": entry.branch_id, "ord": entry.ord}
    if entry.message is None:
        return {**position, "id": entry.message_id, "missing": True}
    return {**position, **entry.message.to_dict("json")}


def export(conn: Connection, session_id: str, form: str) -> Iterator[str]:
    """The text of an export, in pieces."""
    if form not in FORMATS:
        raise InvalidInput(f"{form!r:.40} is not a format", hint=f"use one of: {', '.join(FORMATS)}")
    if form == "jsonl":
        return (spell(record) + "\n" for record in records(conn, session_id))
    if form == "json":
        return _json(conn, session_id)
    # loaded when they are needed
    from lionstudio.state.messages.export_html import html
    from lionstudio.state.messages.export_markdown import markdown

    return html(conn, session_id) if form == "html" else markdown(conn, session_id)


def _json(conn: Connection, session_id: str) -> Iterator[str]:
    stream = records(conn, session_id)
    session = next(stream)
    yield spell({key: value for key, value in session.items() if key != "type"})[:-1] + ',"branches":['
    first_branch = True
    first_message = True
    for record in stream:
        kind = record.pop("type")
        if kind == "branch":
            yield ("" if first_branch else "]},") + spell(record)[:-1] + ',"messages":['
            first_branch, first_message = False, True
        else:
            yield ("" if first_message else ",") + spell(record)
            first_message = False
    yield ("" if first_branch else "]}") + "]}\n"
