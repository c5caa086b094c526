"""The outline of a run: tool errors, user messages, tools and files, read in one pass over a progression.

SQLite extracts the parts of a content; whole contents never leave the database.
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
    ord: int
    message_id: str
    branch_id: str | None
    at: float | None
    tool: str | None
    text: str


class Outline(NamedTuple):
    """Errors, the ords of user messages, calls by tool, files by path, and the last ord."""

    errors: list[ToolError]
    users: list[int]
    tools: dict[str, dict[str, int]]
    files: list[dict[str, Any]]
    last: int | None


# The tool and the branch are looked up only for errors.
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


def outline(conn: Connection, scope: MessageScope, after: int = -1) -> Outline:
    """The outline of the messages after an ord."""
    result = Outline([], [], {}, [], None)
    files: dict[str, dict[str, Any]] = {}
    last: int | None = None
    params = {
        "prog": scope.prog,
        "session": scope.session_id,
        "branch": scope.branch_id,
        "after": after,
        "call": _CALL,
        "result": _RESULT,
        "most": _EXCERPT,
    }
    for number, message_id, at, kind, role, function, arguments, error, tool, branch in conn.all(_LINES, params):
        last = number
        if kind == _SAID or role == "user":
            result.users.append(number)
        elif kind == _CALL:
            _count(result.tools, function, "calls")
            _note_files(files, str(function or ""), load_or_keep(arguments), number)
        elif error is not None:
            result.errors.append(ToolError(number, message_id, branch, number_or_none(at), tool, str(error)))
            _count(result.tools, tool, "errors")
    return result._replace(files=sorted(files.values(), key=lambda file: -file["last_ord"])[:MOST_FILES], last=last)


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
