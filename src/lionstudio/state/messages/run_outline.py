"""What is in a long run without reading it: tool errors, what people said, tools and files, and when what happened.

Each is one walk along a progression; contents are looked into where they lie and never leave the database whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.messages import TYPE_IDS, ActionRequest, ActionResponse, Instruction
from lionstudio.state.connection import Connection
from lionstudio.state.messages.pages import MessageScope

_EXCERPT = 300
MOST_FILES = 500
_PATHS = ("file_path", "path", "notebook_path", "file", "filename")

_CALL, _RESULT, _SAID = TYPE_IDS[ActionRequest.TAG], TYPE_IDS[ActionResponse.TAG], TYPE_IDS[Instruction.TAG]


class ToolError(NamedTuple):
    """A tool that failed."""

    ord: int
    message_id: str
    branch_id: str | None
    at: float | None
    tool: str | None
    text: str


class Outline(NamedTuple):
    """The places to go to in a run, from some ord on."""

    errors: list[ToolError]
    users: list[int]
    tools: dict[str, dict[str, int]]
    files: list[dict[str, Any]]
    last: int | None


# What only an error needs is looked up where there is one, in the same walk.
_LINES = """
SELECT ord, id, created_at, lion_class, role, function, arguments, error,
       CASE WHEN error IS NOT NULL THEN coalesce(own, (
         SELECT CASE WHEN json_valid(r.content) THEN r.content ->> '$.function' END FROM messages r
          WHERE r.id = request)) END,
       CASE WHEN error IS NOT NULL THEN coalesce(:branch, (
         SELECT b.id FROM progression_items j CROSS JOIN progression_heads g ON g.pk = j.prog
          CROSS JOIN branches b ON b.progression_id = g.id
          WHERE j.message_id = line.id AND b.session_id = :session LIMIT 1)) END
  FROM (SELECT i.ord AS ord, i.message_id AS id, m.created_at, m.lion_class, m.role,
               CASE WHEN m.lion_class = :call AND json_valid(m.content) THEN m.content ->> '$.function' END AS function,
               CASE WHEN m.lion_class = :call AND json_valid(m.content) AND octet_length(m.content) < 100000
                    THEN m.content -> '$.arguments' END AS arguments,
               CASE WHEN (m.lion_class = :result OR m.role = 'tool') AND json_valid(m.content)
                    THEN substr(m.content ->> '$.error', 1, :most) END AS error,
               CASE WHEN (m.lion_class = :result OR m.role = 'tool') AND json_valid(m.content)
                    THEN m.content ->> '$.function' END AS own,
               CASE WHEN (m.lion_class = :result OR m.role = 'tool') AND json_valid(m.content)
                    THEN m.content ->> '$.action_request_id' END AS request
          FROM progression_items i JOIN messages m ON m.id = i.message_id
         WHERE i.prog = :prog AND i.ord > :after) line
 ORDER BY ord
"""


def outline(conn: Connection, place: MessageScope, after: int = -1) -> Outline:
    """Everything after an ord; a page that follows a run asks only for what is new."""
    found = Outline([], [], {}, [], None)
    files: dict[str, dict[str, Any]] = {}
    last: int | None = None
    bound = {
        "prog": place.prog,
        "session": place.session_id,
        "branch": place.branch_id,
        "after": after,
        "call": _CALL,
        "result": _RESULT,
        "most": _EXCERPT,
    }
    for number, message_id, at, kind, role, function, arguments, error, tool, branch in conn.all(_LINES, bound):
        last = number
        if kind == _SAID or role == "user":
            found.users.append(number)
        elif kind == _CALL:
            _count(found.tools, function, "calls")
            _note_files(files, str(function or ""), load_or_keep(arguments), number)
        elif error is not None:
            found.errors.append(ToolError(number, message_id, branch, _time(at), tool, str(error)))
            _count(found.tools, tool, "errors")
    return found._replace(files=sorted(files.values(), key=lambda file: -file["last_ord"])[:MOST_FILES], last=last)


def _count(tools: dict[str, dict[str, int]], name: Any, what: str) -> None:
    tool = tools.setdefault(str(name or "unknown")[:200], {"calls": 0, "errors": 0})
    tool[what] += 1


def _note_files(files: dict[str, dict[str, Any]], tool: str, arguments: Any, number: int) -> None:
    for path in _paths_in(arguments):
        file = files.setdefault(path, {"path": path, "calls": 0, "tools": [], "first_ord": number, "last_ord": number})
        file["calls"] += 1
        file["last_ord"] = number
        if tool not in file["tools"]:
            file["tools"].append(tool)


def _paths_in(arguments: Any) -> Iterable[str]:
    """The files that a call names, by the words that tools use for them."""
    if not isinstance(arguments, Mapping):
        return
    for name in _PATHS:
        if isinstance(arguments.get(name), str) and arguments[name]:
            yield arguments[name][:1000]
    changes = arguments.get("changes")
    listed = changes if isinstance(changes, list) else list(changes) if isinstance(changes, Mapping) else []
    for each in listed:
        path = each.get("path") if isinstance(each, Mapping) else each
        if isinstance(path, str) and path:
            yield path[:1000]


_SPAN = """
SELECT (SELECT m.created_at FROM progression_items i JOIN messages m ON m.id = i.message_id
         WHERE i.prog = :prog ORDER BY i.ord LIMIT 1),
       (SELECT m.created_at FROM progression_items i JOIN messages m ON m.id = i.message_id
         WHERE i.prog = :prog ORDER BY i.ord DESC LIMIT 1)
"""
_BLOCKS = """
SELECT branch, bucket, count(*), min(ord), max(ord), sum(role IS 'user'), sum(role IS 'assistant'), sum(role IS 'tool')
  FROM (SELECT i.ord AS ord, m.role AS role,
               max(0, min(:buckets - 1, CAST((m.created_at - :start) / :width AS INTEGER))) AS bucket,
               coalesce(:branch, (
                 SELECT b.id FROM progression_items j CROSS JOIN progression_heads g ON g.pk = j.prog
                  CROSS JOIN branches b ON b.progression_id = g.id
                  WHERE j.message_id = i.message_id AND b.session_id = :session LIMIT 1), '') AS branch
          FROM progression_items i JOIN messages m ON m.id = i.message_id WHERE i.prog = :prog)
 GROUP BY branch, bucket ORDER BY branch, bucket
"""


class Block(NamedTuple):
    """The messages of one branch in one stretch of time."""

    branch_id: str | None
    bucket: int
    messages: int
    first_ord: int
    last_ord: int
    user: int
    assistant: int
    tool: int


class Timeline(NamedTuple):
    """When a run's messages came: stretches of equal length, and a block where there is something in one."""

    start: float | None
    width: float
    buckets: int
    blocks: list[Block]


def timeline(conn: Connection, place: MessageScope, buckets: int) -> Timeline:
    """The blocks of every branch."""
    start, end = (_time(value) for value in conn.one(_SPAN, {"prog": place.prog}) or (None, None))
    if start is None or end is None:
        return Timeline(start, 0.0, buckets, [])
    width = max((end - start) / buckets, 0.001)
    bound = {
        "prog": place.prog,
        "session": place.session_id,
        "branch": place.branch_id,
        "start": start,
        "width": width,
        "buckets": buckets,
    }
    found = [Block(*row)._replace(branch_id=row[0] or None) for row in conn.all(_BLOCKS, bound)]
    return Timeline(start, width, buckets, found)


def _time(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) else None


class Match(NamedTuple):
    """A message of a run that holds a text."""

    ord: int
    message_id: str
    role: str | None
    snippet: str


_SEARCH = """
SELECT i.ord, i.message_id, m.role, m.content FROM progression_items i JOIN messages m ON m.id = i.message_id
 WHERE i.prog = :prog AND i.ord > :after AND m.content LIKE :like ESCAPE '\\' ORDER BY i.ord
"""


def search_in(conn: Connection, place: MessageScope, text: str, *, after: int, limit: int) -> tuple[list[Match], bool]:
    """Messages of a run that hold a piece of text, in order, and whether there are more; ASCII case does not matter."""
    from lionstudio.model.json_codec import dump
    from lionstudio.model.message_text import text_of

    # as the text is spelled inside JSON; what is found there is looked for once more in what a person would read
    stored = dump(text)[1:-1].replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    bound = {"prog": place.prog, "after": after, "like": f"%{stored}%"}
    found: list[Match] = []
    for number, message_id, role, content in conn.each(_SEARCH, bound):
        readable = text_of(load_or_keep(content))
        at = readable.lower().find(text.lower())
        if at < 0:
            continue
        if len(found) == limit:
            return found, True
        found.append(Match(number, message_id, role, " ".join(readable[max(0, at - 60) : at + 140].split())))
    return found, False
