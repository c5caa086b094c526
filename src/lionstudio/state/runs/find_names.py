"""Names of runs, shows, plays, teams and projects that fit a typed text: one or two statements for each kind."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lionstudio.model.run_name import NAME_COLUMNS, run_name
from lionstudio.state.backends import text_filter
from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.text_filter import SHORTEST_CONVERSATION

EXACT, START, WORDS, PART, OTHER = range(5)  # how a text fits a name, the best first
_WORDS = re.compile(r"[^\W_]+")
_READ = 60  # matches of a kind that are ranked, the newest ones
_SHORTEST_ID = 4


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case; `_`, `-` and `/` separate words too."""
    return _WORDS.findall(text.lower())


def rank_name(name: str, typed: str) -> int | None:
    """The rank of a name, the best first; None where it does not fit. `rev bo` fits `review-board`."""
    lower, wanted = name.lower(), typed.lower().strip()
    if lower == wanted:
        return EXACT
    if lower.startswith(wanted):
        return START
    parts = words_of(wanted)
    if not parts:
        return None
    rest = iter(words_of(lower))
    if all(any(word.startswith(part) for word in rest) for part in parts):
        return WORDS
    return PART if all(part in lower for part in parts) else None


class FoundName(NamedTuple):
    """Something with a name; a smaller `rank` fits better."""

    kind: str
    id: str
    name: str
    rank: int
    status: str | None = None
    about: str | None = None
    topic: str | None = None  # of a play
    updated_at: float = 0.0


_RUN = f"{', '.join(NAME_COLUMNS)}, project, status, updated_at"
_BY_NAME = f"SELECT {_RUN} FROM sessions WHERE name = :typed ORDER BY created_at DESC LIMIT 5"  # noqa: S608
_BY_ID = f"SELECT {_RUN} FROM sessions WHERE id >= :typed AND id < :end ORDER BY id LIMIT 5"  # noqa: S608
_BY_CONVERSATION = f"""
SELECT {_RUN}, true AS is_conversation FROM sessions WHERE conversation_id >= :typed AND conversation_id < :end
 ORDER BY conversation_id LIMIT 5
"""  # noqa: S608
_RECENT_RUNS = f"SELECT {_RUN} FROM sessions ORDER BY updated_at DESC LIMIT :most"  # noqa: S608


def find_runs(conn: Connection, typed: str) -> list[FoundName]:
    """Runs by name, id, the vendor's id, or any other field of the text filter."""
    rows = {row["id"]: row for row in _run_rows(conn, typed)}
    names = []
    for row in rows.values():
        name = run_name(row)
        rank = rank_name(name, typed)
        if row["id"].startswith(typed) and len(typed) >= _SHORTEST_ID:
            rank = EXACT if row["id"] == typed else START
        elif "is_conversation" in row:
            rank = START
        names.append(_run(row, OTHER if rank is None else rank))
    return names


def recent_runs(conn: Connection, most: int) -> list[FoundName]:
    """The runs that changed last."""
    return [_run(row, OTHER) for row in conn.dicts(_RECENT_RUNS, {"most": most})]


def _run_rows(conn: Connection, typed: str) -> list[dict[str, Any]]:
    params = {"typed": typed, "end": typed + "\U0010ffff"}
    rows = conn.dicts(_BY_NAME, params)
    if len(typed) >= _SHORTEST_ID:
        rows += conn.dicts(_BY_ID, params)
    if len(typed) >= SHORTEST_CONVERSATION:
        rows += conn.dicts(_BY_CONVERSATION, params)
    words = words_of(typed)
    if words:
        rows += text_filter(conn).runs_by_words(conn, _RUN, words, _READ)
    if len(rows) < _READ and words and all(len(word) >= 3 for word in words):
        rows += text_filter(conn).runs_by_parts(conn, _RUN, words, _READ)
    return rows


def _run(row: dict[str, Any], rank: int) -> FoundName:
    about = " · ".join(part for part in (row["project"], row["playbook_name"] or row["agent_name"]) if part)
    return FoundName("run", row["id"], run_name(row), rank, row["status"], about or None, updated_at=row["updated_at"])


_SHOWS = """
SELECT 'show', topic, topic, status, goal, topic, updated_at FROM shows
 WHERE topic LIKE :like ESCAPE '\\' ORDER BY updated_at DESC LIMIT :most
"""
_PLAYS = """
SELECT 'play', p.name, s.topic || ' / ' || p.name, p.status, p.playbook, s.topic, p.updated_at FROM plays p
  JOIN shows s ON s.id = p.show_id
 WHERE s.topic || ' / ' || p.name LIKE :like ESCAPE '\\' ORDER BY p.updated_at DESC LIMIT :most
"""
_TEAMS = """
SELECT 'team', id, name, status, NULL, NULL, updated_at FROM teams
 WHERE name LIKE :like ESCAPE '\\' ORDER BY updated_at DESC LIMIT :most
"""
# each value by one step along the index, however many sessions it has
_PROJECTS = """
WITH RECURSIVE names (name, number) AS (
  SELECT min(project), 1 FROM sessions
  UNION ALL SELECT (SELECT min(project) FROM sessions WHERE project > names.name), number + 1 FROM names
   WHERE names.name IS NOT NULL AND number < 5000
) SELECT 'project', name, name, NULL, NULL, NULL, 0.0 FROM names WHERE name LIKE :like ESCAPE '\\' LIMIT :most
"""
_MOST = 500


def find_others(conn: Connection, typed: str) -> list[FoundName]:
    """Shows, plays, teams and projects whose name fits."""
    # the words of a name may be apart, in the order in which they were typed or not
    first = max(words_of(typed), key=len, default="")
    like = "%" + re.sub(r"([\\%_])", r"\\\1", first) + "%"
    names = []
    for sql in (_SHOWS, _PLAYS, _TEAMS, _PROJECTS):
        for kind, id_, name, status, about, topic, at in conn.all(sql, {"like": like, "most": _MOST}):
            rank = rank_name(name, typed)
            if kind == "play" and rank is not None:  # its own name counts as much as that of its show
                rank = min(rank, _or_other(rank_name(id_, typed)))
            if rank is not None:
                names.append(FoundName(kind, id_, name, rank, status, about, topic, at or 0.0))
    return names


def _or_other(rank: int | None) -> int:
    return OTHER if rank is None else rank


def recent_shows(conn: Connection, most: int) -> list[FoundName]:
    """The shows that changed last."""
    return [
        FoundName(kind, id_, name, OTHER, status, about, topic, at or 0.0)
        for kind, id_, name, status, about, topic, at in conn.all(_SHOWS, {"like": "%", "most": most})
    ]
