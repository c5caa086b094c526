"""Matches of a search: their sessions and positions, and the hits that a person reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from lionstudio.model.json_codec import dump, load_or_keep
from lionstudio.model.message_text import text_of
from lionstudio.model.run_name import NAME_COLUMNS, run_name
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.search_ranges import Scope, session_condition
from lionstudio.state.sqlite.search_text import context, path_pattern, shown_text, snippet, text_around_match

_FIRST, _LARGEST = 24, 512  # keys in one statement
_WHOLE_BYTES = 65_536  # of a content; longer ones are read in parts


class Match(NamedTuple):
    """A message that matches, its session and its position there."""

    pk: int
    session_id: str | None
    ord: int | None


class Hit(NamedTuple):
    """A matching message, its position in its session, and a snippet."""

    message_id: str
    session_id: str | None
    session_name: str | None
    project: str | None
    ord: int | None
    created_at: float
    role: str | None
    snippet: str
    score: float | None = None  # of a semantic or hybrid search
    tool: str | None = None


_MATCHES = """
SELECT m.pk, s.id, i.ord, {} FROM json_each(:pks) w
 CROSS JOIN messages m ON m.pk = CAST(w.value AS INTEGER)
  LEFT JOIN progression_items i ON i.message_id = m.id
  LEFT JOIN progression_heads p ON p.pk = i.prog
  LEFT JOIN sessions s ON s.progression_id = p.id
 WHERE {}
"""
# a result names its call, not always its tool
_TOOL = """(CASE WHEN json_valid(m.content) THEN coalesce(m.content ->> '$.function',
  (SELECT CASE WHEN json_valid(c.content) THEN c.content ->> '$.function' END FROM messages c
    WHERE c.id = m.content ->> '$.action_request_id')) END)"""
_ARGUMENTS = """(CASE WHEN json_valid(m.content) AND m.content -> '$.action_request_id' IS NULL
  THEN m.content -> '$.arguments' END)"""
_CONDITIONS = {"since": "m.created_at >= :since", "role": "m.role = :role", "tool": f"{_TOOL} = :tool"}


def matches_of(
    conn: Connection, pks: Iterable[int], scope: Scope, known: Mapping[int, Match] | None = None
) -> Iterator[Match]:
    """Those of the messages that are in scope, in order; `known` ones are not looked up."""
    known = known if known is not None else {}
    keys, size = iter(pks), _FIRST
    while batch := list(islice(keys, size)):
        size = min(size * 2, _LARGEST)
        in_scope = _look_up(conn, [pk for pk in batch if pk not in known], scope)
        yield from (match for pk in batch if (match := in_scope.get(pk) or known.get(pk)) is not None)


def _look_up(conn: Connection, pks: Sequence[int], scope: Scope) -> dict[int, Match]:
    conditions = [sql for name, sql in _CONDITIONS.items() if getattr(scope, name) is not None]
    arguments = "NULL" if scope.file is None else _ARGUMENTS
    sql = _MATCHES.format(arguments, " AND ".join([session_condition(scope), *conditions]))
    params = {name: value for name, value in scope._asdict().items() if f":{name}" in sql}
    pattern = None if scope.file is None else path_pattern(scope.file)
    in_scope: dict[int, Match] = {}
    for pk, session, ord_, arguments in conn.all(sql, params | {"pks": dump(list(pks))}) if pks else ():
        if pattern is not None and (arguments is None or not pattern.search(text_of(load_or_keep(arguments)))):
            continue
        # a message is in the order of its branch too, which belongs to no session
        if session is not None or pk not in in_scope:
            in_scope[pk] = Match(pk, session, ord_)
    return in_scope


# a long content is not read whole, neither for its text nor for its tool
_HITS = f"""
SELECT m.pk, m.id, m.created_at, m.role, octet_length(m.content) AS size,
       CASE WHEN octet_length(m.content) <= {_WHOLE_BYTES} THEN m.content END,
       CASE WHEN octet_length(m.content) <= {_WHOLE_BYTES} THEN {_TOOL} END AS tool
  FROM json_each(:pks) w CROSS JOIN messages m ON m.pk = CAST(w.value AS INTEGER)
"""  # noqa: S608
_SESSIONS = f"""
SELECT {", ".join(NAME_COLUMNS)}, project, status, updated_at FROM sessions
 WHERE id IN (SELECT value FROM json_each(:ids))
"""  # noqa: S608  (the names are ours)


class RunFacts(NamedTuple):
    """A session beside its hits."""

    name: str
    project: str | None
    agent_name: str | None
    status: str | None
    updated_at: float


def load_runs(conn: Connection, matches: Iterable[Match | Hit]) -> dict[str, RunFacts]:
    """The sessions of matches, by id."""
    ids = sorted({match.session_id for match in matches if match.session_id is not None})
    return {
        row["id"]: RunFacts(run_name(row), row["project"], row["agent_name"], row["status"], row["updated_at"])
        for row in (conn.dicts(_SESSIONS, {"ids": dump(ids)}) if ids else ())
    }


_FUNCTION = re.compile(rb'"function":\s*"([^"\\]*)"')
_CALL = re.compile(rb'"action_request_id":\s*"([^"\\]*)"')
_PK = "SELECT pk FROM messages WHERE id = :id"
_HEAD = 4_096  # bytes of a content in which its tool is named


def _long_tool(conn: Connection, read: Callable[[int, int], bytes]) -> str | None:
    """The tool of a long content, or of the call that it answers."""
    head = read(0, _HEAD)
    if (call := _CALL.search(head)) and not _FUNCTION.search(head):
        pk = conn.value(_PK, {"id": call[1].decode()})
        head = b"" if pk is None else conn.read_bytes("messages", "content", pk, 0, _HEAD)
    tool = _FUNCTION.search(head)
    return None if tool is None else tool[1].decode("utf-8", "replace")


def load_hits(
    conn: Connection, matches: Sequence[Match], words: str, max_chars: int, *, lines: bool = False
) -> list[Hit]:
    """Matches as hits, in order; `lines`: with the lines around the match."""
    if not matches:
        return []
    runs = load_runs(conn, matches)
    rows = {row[0]: row[1:] for row in conn.each(_HITS, {"pks": dump([match.pk for match in matches])})}
    cut = context if lines else snippet
    hits = []
    for match in matches:
        id_, created_at, role, size, content, tool = rows[match.pk]
        if size is None or size <= _WHOLE_BYTES:
            text = shown_text(load_or_keep(content))
        else:
            read = partial(conn.read_bytes, "messages", "content", match.pk)
            text = text_around_match(read, size, words, max_chars)
            tool = _long_tool(conn, read)
        run = None if match.session_id is None else runs[match.session_id]
        hits.append(
            Hit(
                id_,
                match.session_id,
                None if run is None else run.name,
                None if run is None else run.project,
                None if run is None else match.ord,
                created_at,
                role,
                cut(text, words, max_chars),
                tool=tool,
            )
        )
    return hits


# the newest messages have an answer at once; all of a large table do not
_TOOLS = """
SELECT tool FROM (
  SELECT CASE WHEN json_valid(content) THEN content ->> '$.function' END AS tool FROM messages
   WHERE pk > (SELECT max(pk) FROM messages) - 10000 AND lion_class = 4) calls
 WHERE tool IS NOT NULL GROUP BY tool ORDER BY count(*) DESC, tool LIMIT 50
"""


def list_tools(conn: Connection) -> list[str]:
    """Tools that the newest messages call, the most used first."""
    return [str(tool) for (tool,) in conn.all(_TOOLS)]
