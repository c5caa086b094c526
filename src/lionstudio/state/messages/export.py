"""Export a session with branches, forks, messages in order and usage; the same content in every format.

It streams: a session of any size is never in memory at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import spell
from lionstudio.model.messages import Message
from lionstudio.state.branches import BranchEntry, branch_entries, branch_usage, list_branches
from lionstudio.state.connection import Connection
from lionstudio.state.sessions import get_session

SCHEMA_VERSION = 1
FORMATS = ("json", "jsonl", "md")


def records(conn: Connection, session_id: str) -> Iterator[dict[str, Any]]:
    """The session, then each branch followed by its own messages."""
    session = get_session(conn, session_id)
    yield {"type": "session", "schema_version": SCHEMA_VERSION, **session.to_dict("json")}
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
    return _json(conn, session_id) if form == "json" else _markdown(conn, session_id)


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


def _markdown(conn: Connection, session_id: str) -> Iterator[str]:
    session = get_session(conn, session_id)
    yield f"# {_line(session.name or session.id)}\n\n"
    facts = {
        "Session": session.id,
        "Status": session.status,
        "Kind": session.invocation_kind,
        "Agent": session.agent_name,
        "Model": session.model,
        "Project": session.project,
        "Messages": session.message_count,
        "Tokens": f"{session.input_tokens} in, {session.output_tokens} out",
        "Cost": f"${session.cost_microusd / 1e6:.4f}" if isinstance(session.cost_microusd, int) else None,
    }
    for name, value in facts.items():
        if value is not None:
            yield f"- {name}: {_line(value)}\n"
    for branch in list_branches(conn, session_id):
        yield f"\n## Branch {_line(branch.name or branch.id)}\n"
        if branch.fork is not None:
            yield f"\nForked from branch {branch.fork.parent_branch_id} after message {branch.fork.ord}.\n"
        for entry in branch_entries(conn, branch.id):
            yield _paragraph(entry)


def _paragraph(entry: BranchEntry) -> str:
    if entry.message is None:
        return f"\n### {entry.ord} · missing\n\nThe message {entry.message_id} does not exist any more.\n"
    message = entry.message
    return f"\n### {entry.ord} · {_line(_heading(message))}\n\n{_body(message)}\n"


def _heading(message: Message) -> str:
    content = message.content if isinstance(message.content, dict) else {}
    tool = content.get("function")
    return f"{message.role or 'unknown'} · {tool}" if tool else message.role or "unknown"


def _body(message: Message) -> str:
    content = message.content
    if isinstance(content, dict):
        for key in ("system_message", "instruction", "assistant_response"):
            if isinstance(content.get(key), str) and not set(content) - {key}:
                return _utf8(content[key])
    text = spell(content)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}json\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest


def _line(value: object) -> str:
    return _utf8(" ".join(str(value).split()))


def _utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
