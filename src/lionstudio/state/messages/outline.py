"""The outline of a run: the kind of each message, tool errors, tools, files and contexts, read in one pass over a
progression.

SQLite extracts the parts of a content; whole contents never leave the database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lionstudio.model.json_codec import load_or_keep
from lionstudio.model.messages import TYPE_IDS, ActionRequest, ActionResponse, AssistantResponse, Instruction
from lionstudio.state.connection import Connection
from lionstudio.state.messages.pages import MessageScope

_EXCERPT = 300
MOST_FILES = 500
PART = 20_000  # messages of one answer; the next one begins after the last ord
_PATHS = ("file_path", "path", "notebook_path", "file", "filename")
# Most arguments name no file, and need not be parsed.
_NAMED = re.compile(f'"(?:{"|".join((*_PATHS, "changes"))})"')

_CALL, _RESULT, _SAID = TYPE_IDS[ActionRequest.TAG], TYPE_IDS[ActionResponse.TAG], TYPE_IDS[Instruction.TAG]
_ANSWER = TYPE_IDS[AssistantResponse.TAG]
_OTHER = "o"  # also a message that is missing


class ToolError(NamedTuple):
    ord: int
    call_ord: int | None
    message_id: str
    branch_id: str | None
    at: float | None
    tool: str | None
    text: str


class LaneStart(NamedTuple):
    """The branch of a message and those after it."""

    ord: int
    branch_id: str | None


class ContextSize(NamedTuple):
    """The tokens that the model read for a message."""

    ord: int
    tokens: int


class Outline(NamedTuple):
    """A letter for each message (see `_kind`), where the branch changes, and what the messages are about."""

    kinds: str
    lanes: list[LaneStart]
    contexts: list[ContextSize]
    errors: list[ToolError]
    users: list[int]
    tools: dict[str, dict[str, int]]
    files: list[dict[str, Any]]
    last: int | None
    has_more: bool


# The tool and the call are looked up only for errors.
_LINES = """
SELECT ord, id, created_at, lion_class, role, function, arguments, error,
       CASE WHEN error IS NOT NULL THEN coalesce(own, (
         SELECT CASE WHEN json_valid(r.content) THEN r.content ->> '$.function' END FROM messages r
          WHERE r.id = request)) END,
       CASE WHEN error IS NOT NULL THEN (
         SELECT k.ord FROM progression_items k WHERE k.message_id = request AND k.prog = :prog LIMIT 1) END,
       coalesce(:branch, (
         SELECT b.id FROM progression_items j CROSS JOIN progression_heads g ON g.pk = j.prog
          CROSS JOIN branches b ON b.progression_id = g.id
          WHERE j.message_id = line.id AND b.session_id = :session LIMIT 1)),
       speaks, thinks, injected, context
  FROM (SELECT i.ord AS ord, i.message_id AS id, m.created_at, m.lion_class, m.role,
               CASE WHEN m.lion_class = :call AND json_valid(m.content) THEN m.content ->> '$.function' END AS function,
               CASE WHEN m.lion_class = :call AND json_valid(m.content) AND octet_length(m.content) < 100000
                    THEN m.content -> '$.arguments' END AS arguments,
               CASE WHEN (m.lion_class = :result OR m.role = 'tool') AND json_valid(m.content)
                    THEN substr(m.content ->> '$.error', 1, :most) END AS error,
               CASE WHEN (m.lion_class = :result OR m.role = 'tool') AND json_valid(m.content)
                    THEN m.content ->> '$.function' END AS own,
               CASE WHEN (m.lion_class = :result OR m.role = 'tool') AND json_valid(m.content)
                    THEN m.content ->> '$.action_request_id' END AS request,
               CASE WHEN m.lion_class = :answer AND json_valid(m.content)
                    THEN coalesce(m.content ->> '$.assistant_response', '') <> '' END AS speaks,
               CASE WHEN m.lion_class = :answer AND json_valid(m.content)
                    THEN coalesce(m.content ->> '$.thinking', '') <> '' END AS thinks,
               CASE WHEN m.lion_class = :said AND json_valid(m.node_metadata)
                    THEN CAST(m.node_metadata ->> '$.injected' AS INTEGER) END AS injected,
               CASE WHEN json_valid(m.node_metadata) AND m.node_metadata ->> '$.usage' IS NOT NULL
                    THEN coalesce(CAST(m.node_metadata ->> '$.usage.input_tokens' AS INTEGER), 0)
                       + coalesce(CAST(m.node_metadata ->> '$.usage.cache_read_tokens' AS INTEGER), 0)
                       + coalesce(CAST(m.node_metadata ->> '$.usage.cache_write_tokens' AS INTEGER), 0) END AS context
          FROM progression_items i JOIN messages m ON m.id = i.message_id
         WHERE i.prog = :prog AND i.ord > :after ORDER BY i.ord LIMIT :limit) line
 ORDER BY ord
"""


def outline(conn: Connection, scope: MessageScope, after: int = -1, limit: int = PART) -> Outline:
    """The outline of the messages after an ord, at most `limit` of them."""
    kinds: list[str] = []
    lanes: list[LaneStart] = []
    contexts: list[ContextSize] = []
    result = Outline("", lanes, contexts, [], [], {}, [], None, False)
    files: dict[str, dict[str, Any]] = {}
    last: int | None = None
    params = {
        "prog": scope.prog,
        "session": scope.session_id,
        "branch": scope.branch_id,
        "after": after,
        "limit": limit,
        "call": _CALL,
        "result": _RESULT,
        "said": _SAID,
        "answer": _ANSWER,
        "most": _EXCERPT,
    }
    rows = conn.all(_LINES, params)
    for row in rows:
        number, message_id, at, type_, role, function, arguments, error, tool, call, branch, *marks, context = row
        last = number
        kinds += _OTHER * (number - after - 1 - len(kinds))
        kind = _kind(type_, role, error, *marks)
        kinds.append(kind)
        if not lanes or lanes[-1].branch_id != branch:
            lanes.append(LaneStart(number, branch))
        if isinstance(context, int) and context > 0:
            contexts.append(ContextSize(number, context))
        if kind == "u":
            result.users.append(number)
        elif kind == "c":
            _count(result.tools, function, "calls")
            if arguments and _NAMED.search(arguments):
                _note_files(files, str(function or ""), load_or_keep(arguments), number)
        elif kind == "e":
            result.errors.append(ToolError(number, call, message_id, branch, number_or_none(at), tool, str(error)))
            _count(result.tools, tool, "errors")
    newest = sorted(files.values(), key=lambda file: -file["last_ord"])[:MOST_FILES]
    return result._replace(kinds="".join(kinds), files=newest, last=last, has_more=len(rows) == limit)


def _kind(type_: int | None, role: str | None, error: Any, speaks: Any, thinks: Any, injected: Any) -> str:
    """User, assistant, both an answer and a thought, thought, system, call, result, error, or other."""
    if type_ == _SAID or role == "user":
        return "s" if injected or role == "system" else "u"
    if type_ == _CALL:
        return "c"
    if error is not None:
        return "e"
    if type_ == _RESULT or role == "tool":
        return "r"
    if type_ == _ANSWER:
        return ("b" if speaks else "t") if thinks else "a"
    return {"assistant": "a", "system": "s"}.get(role or "", _OTHER)


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
    """Paths in the arguments of a call, under the keys that tools use for them."""
    if not isinstance(arguments, Mapping):
        return
    for name in _PATHS:
        if isinstance(arguments.get(name), str) and arguments[name]:
            yield arguments[name][:1000]
    changes = arguments.get("changes")
    listed = changes if isinstance(changes, list) else list(changes) if isinstance(changes, Mapping) else []
    for change in listed:
        path = change.get("path") if isinstance(change, Mapping) else change
        if isinstance(path, str) and path:
            yield path[:1000]


def number_or_none(value: Any) -> float | None:
    """A time that another tool wrote as text counts as missing."""
    return value if isinstance(value, (int, float)) else None
