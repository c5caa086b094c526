"""The files that the tool calls of a run changed, as its rows say: the working folder is never read.

Only calls of tools that can change files are read, each together with its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lionstudio.model.coerce import dict_of
from lionstudio.model.file_changes.change import CallChanges, ChangeKind, FileChange, Hunk, Outcome
from lionstudio.model.file_changes.line_diff import DiffBudget
from lionstudio.model.file_changes.tool_calls import (
    ACP_KINDS,
    CHANGING_TOOLS,
    SHELL_TOOLS,
    changes_of_call,
    relative_path,
)
from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.messages import TYPE_IDS, ActionRequest, ActionResponse
from lionstudio.state.connection import Connection
from lionstudio.state.messages.pages import MessageScope

MOST_CALLS = 5_000  # of one answer; the next one begins after the last ord
_LARGE = 2_000_000  # bytes of a content that is not parsed
NEAR = 24  # messages after a call in which its result is looked for first
_END = 2**62


class ChangingCall(NamedTuple):
    """A call that changes files: the place of the call, of its result, and the changes."""

    ord: int
    call_id: str
    result_ord: int | None
    result_id: str | None
    changes: CallChanges


# Most results follow their calls directly; the others are looked for in one pass over the results (_FAR).
# A content that is too large is replaced by the path that it names.
_CALLS = """
SELECT c.ord, c.id, c.content, r.ord, r.message_id
  FROM (SELECT i.ord AS ord, m.id AS id,
               CASE WHEN octet_length(m.content) <= :large THEN m.content
                    ELSE CAST(json_object('function', m.content ->> '$.function', 'large', 1, 'arguments', json_object(
                      'path', coalesce(m.content ->> '$.arguments.file_path', m.content ->> '$.arguments.path')))
                    AS TEXT) END AS content
          FROM progression_items i CROSS JOIN messages m ON m.id = i.message_id
         WHERE i.prog = :prog AND i.ord > :after AND i.ord < :before AND m.lion_class = :call
           AND json_valid(m.content)
           AND (m.content ->> '$.function' IN (SELECT value FROM json_each(:tools))
                OR (m.content ->> '$.function' IN (SELECT value FROM json_each(:shells))
                    AND instr(m.content, '*** Begin Patch') > 0)
                OR (m.node_metadata IS NOT NULL AND json_valid(m.node_metadata)
                    AND m.node_metadata ->> '$.kind' IN (SELECT value FROM json_each(:kinds))))
         ORDER BY i.ord LIMIT :limit) c
  LEFT JOIN progression_items r ON r.prog = :prog AND r.ord = (
       SELECT j.ord FROM progression_items j CROSS JOIN messages a ON a.id = j.message_id
        WHERE j.prog = :prog AND j.ord > c.ord AND j.ord <= c.ord + :near AND a.lion_class = :result
          AND json_valid(a.content) AND a.content ->> '$.action_request_id' = c.id
        ORDER BY j.ord LIMIT 1)
 ORDER BY c.ord
"""
_FAR = """
SELECT a.content ->> '$.action_request_id', j.ord, j.message_id
  FROM progression_items j CROSS JOIN messages a ON a.id = j.message_id
 WHERE j.prog = :prog AND j.ord > :after AND a.lion_class = :result AND json_valid(a.content)
   AND a.content ->> '$.action_request_id' IN (SELECT value FROM json_each(:ids))
"""
_RESULTS = """
SELECT m.id, CASE WHEN octet_length(m.content) <= :large THEN m.content
                  ELSE CAST(json_object('output', substr(m.content ->> '$.output', 1, 200),
                                   'error', substr(m.content ->> '$.error', 1, 200)) AS TEXT) END, m.node_metadata
  FROM messages m WHERE m.id IN (SELECT value FROM json_each(:ids)) AND json_valid(m.content)
"""


def list_changes(
    conn: Connection, scope: MessageScope, *, after: int = -1, before: int = _END, limit: int = MOST_CALLS
) -> list[ChangingCall]:
    """The calls between two ords that change files, with their results wherever they are; in order."""
    kinds = {"call": TYPE_IDS[ActionRequest.TAG], "result": TYPE_IDS[ActionResponse.TAG]}
    calls = conn.all(
        _CALLS,
        {
            "prog": scope.prog,
            "after": after,
            "before": before,
            "limit": limit,
            "large": _LARGE,
            "near": NEAR,
            "tools": _TOOLS,
            "shells": _SHELLS,
            "kinds": _KINDS,
            **kinds,
        },
    )
    places = {row[1]: (row[3], row[4]) for row in calls if row[4] is not None}
    missing = [row[1] for row in calls if row[4] is None]
    if missing:
        far = {"prog": scope.prog, "after": calls[0][0], "result": kinds["result"], "ids": dump(missing)}
        places |= {request: (ord_, id_) for request, ord_, id_ in conn.all(_FAR, far)}
    ids = dump([id_ for _, id_ in places.values()])
    results = {row[0]: row[1:] for row in conn.all(_RESULTS, {"ids": ids, "large": _LARGE})} if places else {}
    return list(_parsed(calls, places, results))


# a name in a namespace, such as `functions.apply_patch`, is the same tool
_TOOLS = dump([name for tool in CHANGING_TOOLS for name in (tool, f"functions.{tool}")])
_SHELLS = dump([name for tool in SHELL_TOOLS for name in (tool, f"functions.{tool}", f"container.{tool}")])
_KINDS = dump(list(ACP_KINDS))


def _parsed(
    calls: list[tuple[object, ...]], places: dict[str, tuple[int, str]], results: dict[str, tuple[object, ...]]
) -> Iterator[ChangingCall]:
    budget = DiffBudget()
    for number, id_, content, *_ in calls:
        ord_, call_id = int(str(number)), str(id_)
        result_ord, result_id = places.get(call_id, (None, None))
        result, notes = results.get(result_id or "", (None, None))
        call = dict_of(load_or_keep(content))
        outcome = None if result is None else dict_of(load_or_keep(result))
        changes = changes_of_call(call, outcome, dict_of(load_or_keep(notes)), budget)
        if changes is not None and call.get("large"):
            changes = changes._replace(files=tuple(FileChange(file.path, file.kind) for file in changes.files))
        if changes is not None:
            yield ChangingCall(ord_, call_id, result_ord, result_id, changes)


_SESSION_ORDS = """
SELECT i.message_id, i.ord FROM json_each(:ids) wanted
 CROSS JOIN progression_items i ON i.message_id = wanted.value WHERE i.prog = :prog
"""


def with_session_ords(conn: Connection, session: MessageScope, calls: list[ChangingCall]) -> list[ChangingCall]:
    """Calls of a branch with their ords in the session, which links use."""
    ids = dump([id_ for call in calls for id_ in (call.call_id, call.result_id) if id_])
    ords: dict[str, int] = dict(conn.all(_SESSION_ORDS, {"ids": ids, "prog": session.prog}))
    return [
        call._replace(ord=ords.get(call.call_id, call.ord), result_ord=ords.get(call.result_id or "", call.result_ord))
        for call in calls
    ]


class FileHunk(NamedTuple):
    """A hunk, and the message whose call made it."""

    ord: int
    call_id: str
    hunk: Hunk


@dataclass(slots=True)
class RunFileChanges:
    """A file over a run: its first and last kind in one, the sums of all calls, and every hunk in order."""

    path: str
    kind: ChangeKind
    old_path: str | None = None
    added: int = 0
    removed: int = 0
    is_partial: bool = False  # a call did not record its lines, so that the sums are too small
    ords: list[int] = field(default_factory=list)
    hunks: list[FileHunk] = field(default_factory=list)


def changed_files(calls: Iterable[ChangingCall], folder: str | None) -> list[RunFileChanges]:
    """The files that the applied calls changed, in the order of their first change; paths below the folder."""
    files: dict[str, RunFileChanges] = {}
    for call in calls:
        if call.changes.outcome is Outcome.APPLIED:
            for change in call.changes.files:
                _add(files, call, change, folder)
    return list(files.values())


def _add(files: dict[str, RunFileChanges], call: ChangingCall, change: FileChange, folder: str | None) -> None:
    path = relative_path(change.path, folder)
    old_path = None if change.old_path is None else relative_path(change.old_path, folder)
    before = files.pop(old_path, None) if old_path else None
    file = files.setdefault(path, before or RunFileChanges(path, change.kind, old_path))
    file.path, file.old_path, file.kind = path, file.old_path or old_path, _merged(file.kind, change.kind)
    file.added += change.added or 0
    file.removed += change.removed or 0
    file.is_partial = file.is_partial or change.added is None or change.removed is None
    if file.ords[-1:] != [call.ord]:
        file.ords.append(call.ord)
    file.hunks += [FileHunk(call.ord, call.call_id, hunk) for hunk in change.hunks]


def _merged(first: ChangeKind, last: ChangeKind) -> ChangeKind:
    """A file that a run created and then edits is still new to a reader."""
    if last is ChangeKind.DELETED or first is ChangeKind.DELETED:
        return last
    return first if last is ChangeKind.EDITED else last if first is ChangeKind.EDITED else first
