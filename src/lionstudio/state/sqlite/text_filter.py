"""The text filter of run lists (FTS5): three characters and more match anywhere, fewer match the start of a word.

Matches are indexed in the order of the list, so a page is read from the end of the index. With other filters there are
two ways, along the matches or along the rows that the filters leave. Which is shorter is not known beforehand, so both
are tried in turns, each time further.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import visible
from lionstudio.state.connection import Connection

_FEW = 2000  # matches that are looked up one by one for a count
_FIRST_REACH = 500  # matches or rows of the first turn: half a millisecond
_FURTHER = 8

_NEWEST = 2**63 - 1
# The plus before a rowid takes its type away: compared as a number, the expression would not find its index.
_AMONG_MATCHES = """(min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576)
  IN (SELECT +rowid FROM sessions_fts WHERE sessions_fts MATCH :match)"""
_AMONG_WORDS = _AMONG_MATCHES.replace("sessions_fts", "sessions_words_fts")
_READ = """(name LIKE :like ESCAPE '\\' OR title LIKE :like ESCAPE '\\' OR agent_name LIKE :like ESCAPE '\\'
  OR playbook_name LIKE :like ESCAPE '\\' OR show_topic LIKE :like ESCAPE '\\'
  OR show_play_name LIKE :like ESCAPE '\\' OR project LIKE :like ESCAPE '\\')"""
# a word may start after anything that is not a letter or digit; only for counts, where the whole index would be read
_READ_WORDS = """lower(concat(' ', name, ' ', title, ' ', agent_name, ' ', playbook_name, ' ', show_topic, ' ',
  show_play_name, ' ', project)) GLOB :glob"""


class TextFilter(NamedTuple):
    """A text to filter by, its FTS5 expression, and which index holds it (`short`: the one of words)."""

    text: str
    match: str
    short: bool

    @property
    def like(self) -> str:
        return like_pattern(self.text)

    @property
    def glob(self) -> str:
        return f"*[^0-9a-z]{self.text.lower()}*"

    @property
    def readable(self) -> bool:
        """Whether LIKE finds what the index finds: LIKE folds the case of ASCII letters only."""
        return not self.short and self.text.isascii()


def like_pattern(text: str) -> str:
    """The pattern of LIKE for a text anywhere, with a backslash before each of its special characters."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"


def parse_text(typed: str) -> TextFilter:
    text = visible(typed)
    if len(text) >= 3:
        return TextFilter(text, '"' + text.replace('"', '""') + '"', short=False)
    words = re.findall(r"[^\W_]+", text)
    if not words:
        raise InvalidInput(f"{text!r} has no letter or digit", hint="type three characters, or the start of a word")
    return TextFilter(words[0], f'"{words[0]}"*', short=True)


_HOW_MANY = "SELECT count(*) FROM (SELECT 1 FROM sessions_fts WHERE sessions_fts MATCH :match LIMIT :most)"
_HOW_MANY_WORDS = """
SELECT count(*) FROM (SELECT 1 FROM sessions_words_fts WHERE sessions_words_fts MATCH :match LIMIT :most)
"""


OF_ID = "id >= :id AND id < :id_end OR conversation_id >= :id AND conversation_id <= :conversation_end"
_HAS_ID = f"SELECT 1 FROM sessions WHERE {OF_ID} LIMIT 1"  # noqa: S608
_SHORTEST_ID = 6  # characters of the start of an id
SHORTEST_CONVERSATION = 8  # characters of the start of a vendor's id


def is_start_of_id(conn: Connection, typed: str) -> bool:
    """Whether a session has an id that starts with a text, or belongs to such a conversation of a vendor."""
    return len(typed) >= _SHORTEST_ID and conn.one(_HAS_ID, id_params(typed)) is not None


def id_params(typed: str) -> dict[str, Any]:
    start, end = visible(typed), visible(typed) + "\U0010ffff"
    return {"id": start, "id_end": end, "conversation_end": end if len(start) >= SHORTEST_CONVERSATION else start}


# The trigram index finds rows with a title, the comparison leaves the exact ones.
EXACT_TITLE = f"title = :name AND {_AMONG_MATCHES}"
_NEWEST_RUNS = """
SELECT {} FROM (SELECT rowid AS place FROM {}
         WHERE {} MATCH :match ORDER BY rowid DESC LIMIT :most) AS matches
 CROSS JOIN sessions ON (min(max(CAST(sessions.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576
                         + sessions.pk % 1048576) = +matches.place
"""


def runs_by_words(conn: Connection, columns: str, words: list[str], most: int) -> list[dict[str, Any]]:
    """The newest sessions that have a word with each of these starts."""
    match = " AND ".join(f'"{word}"*' for word in words)
    sql = _NEWEST_RUNS.format(columns, "sessions_words_fts", "sessions_words_fts")
    return conn.dicts(sql, {"match": match, "most": most})


def runs_by_parts(conn: Connection, columns: str, words: list[str], most: int) -> list[dict[str, Any]]:
    """The newest sessions that have each of these texts, of three characters or more, anywhere."""
    match = " AND ".join(f'"{word}"' for word in words)
    return conn.dicts(_NEWEST_RUNS.format(columns, "sessions_fts", "sessions_fts"), {"match": match, "most": most})


def condition(conn: Connection, text: TextFilter, *, exact: bool) -> tuple[str, dict[str, Any], bool]:
    """A condition on sessions, its parameters, and whether it leaves so few rows that it should lead.

    Without `exact`, for counts, a text with many matches is read instead of looked up; that ignores neither accents nor
    the case of letters beyond ASCII.
    """
    among = _AMONG_WORDS if text.short else _AMONG_MATCHES
    if is_start_of_id(conn, text.text):
        return f"({OF_ID} OR {among})", {"match": text.match, **id_params(text.text)}, True
    count = _HOW_MANY_WORDS if text.short else _HOW_MANY
    if exact or conn.value(count, {"match": text.match, "most": _FEW + 1}) <= _FEW:
        return among, {"match": text.match}, True
    return (_READ_WORDS, {"glob": text.glob}, False) if text.short else (_READ, {"like": text.like}, False)


class RunQuery(NamedTuple):
    """A page of a list: its columns, the other conditions and their parameters, its start and its length."""

    columns: str
    conditions: tuple[str, ...]
    params: dict[str, Any]
    since: float | None
    cursor: tuple[float | str, int] | None
    limit: int


def matching_rows(conn: Connection, text: TextFilter, query: RunQuery) -> list[dict[str, Any]]:
    """The rows of a page, newest first."""
    reach = None if not query.conditions or not text.readable or _is_rare(conn, text) else _FIRST_REACH
    while True:
        rows = None if reach is None else _scan_rows(conn, text, query, reach)
        if rows is None:
            rows = _scan_matches(conn, text, query, reach)
        if rows is not None:
            return rows
        reach = None if reach is None else reach * _FURTHER


_MORE_THAN = "SELECT 1 FROM sessions_fts WHERE sessions_fts MATCH :match LIMIT 1 OFFSET :reach"


def _is_rare(conn: Connection, text: TextFilter) -> bool:
    """Whether its last three characters are rare: counting those costs a fifth of counting all of it."""
    match = '"' + text.text[-3:].replace('"', '""') + '"'
    return conn.one(_MORE_THAN, {"match": match, "reach": _FIRST_REACH}) is None


_MATCHES = """
  FROM (SELECT rowid AS place FROM sessions_fts
         WHERE sessions_fts MATCH :match AND rowid < :below AND rowid >= :lowest ORDER BY rowid DESC) AS matches
 CROSS JOIN sessions ON (min(max(CAST(sessions.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576
                         + sessions.pk % 1048576) = +matches.place
 WHERE """
_WORD_MATCHES = _MATCHES.replace("sessions_fts", "sessions_words_fts")
_NTH = """
SELECT rowid FROM sessions_fts WHERE sessions_fts MATCH :match AND rowid < :below AND rowid >= :lowest
 ORDER BY rowid DESC LIMIT 1 OFFSET :reach
"""
_IN_ORDER = " ORDER BY matches.place DESC LIMIT :limit"


def _scan_matches(
    conn: Connection, text: TextFilter, query: RunQuery, reach: int | None
) -> list[dict[str, Any]] | None:
    params = {
        "match": text.match,
        "below": _NEWEST if query.cursor is None else list_position(*query.cursor),
        "lowest": list_position(query.since or 0.0, 0),
    }
    end = None if reach is None else conn.value(_NTH, params | {"reach": reach})
    if end is not None:
        params["lowest"] = end
    # the plus keeps SQLite from walking another index
    others = " AND ".join(f"+{condition}" for condition in query.conditions) or "true"
    sql = query.columns + (_WORD_MATCHES if text.short else _MATCHES) + others + _IN_ORDER
    rows = conn.dicts(sql, query.params | params | {"limit": query.limit})
    return rows if end is None or len(rows) >= query.limit else None


_FROM = " FROM sessions WHERE "
_SHARED_ORDER = " ORDER BY created_at DESC, pk DESC"
_NTH_ROW = " LIMIT 1 OFFSET :reach"
_NOT_BELOW = "(created_at, pk) >= (:end_at, :end_pk)"
_AFTER_CURSOR = "(created_at, pk) < (:cursor_at, :cursor_pk)"


def _scan_rows(conn: Connection, text: TextFilter, query: RunQuery, reach: int) -> list[dict[str, Any]] | None:
    conditions, params = list(query.conditions), dict(query.params)
    if query.cursor is not None:
        conditions.append(_AFTER_CURSOR)
        params["cursor_at"], params["cursor_pk"] = query.cursor
    nth = "SELECT created_at, pk" + _FROM + " AND ".join(conditions) + _SHARED_ORDER + _NTH_ROW
    end = conn.one(nth, params | {"reach": reach})
    if end is not None:
        conditions.append(_NOT_BELOW)
        params["end_at"], params["end_pk"] = end
    sql = query.columns + _FROM + " AND ".join([*conditions, _READ]) + _SHARED_ORDER + " LIMIT :limit"
    rows = conn.dicts(sql, params | {"like": text.like, "limit": query.limit})
    return rows if end is None or len(rows) >= query.limit else None


def list_position(at: float | str, pk: int) -> int:
    """The position of a session in lists, as the schema computes it."""
    if isinstance(at, str):
        at = 0.0  # text in place of a time counts as 0
    return int(min(max(at * 1000, 0.0), 8e12)) * 1048576 + pk % 1048576
