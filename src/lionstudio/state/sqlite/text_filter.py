"""Sessions by a piece of text in their names: three letters and more anywhere, fewer as the beginning of a word.

SQLite only (FTS5). Matches stand in the index in the order of the list, so a page is read from its end. Beside
other filters there are two ways, along the matches or along the rows that the filters leave; nobody knows beforehand
which is shorter, so both are taken in turns, each time further.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import visible
from lionstudio.state.connection import Connection

_FEW = 2000  # matches that are looked up one by one when they are counted
_FIRST_REACH = 500  # matches or rows of the first turn: half a millisecond
_FURTHER = 8

_NEWEST = 2**63 - 1
# The plus before a rowid takes its type away: compared as a number, the expression would not find its index.
_AMONG_MATCHES = """(min(max(CAST(created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576 + pk % 1048576)
  IN (SELECT +rowid FROM sessions_fts WHERE sessions_fts MATCH :match)"""
_AMONG_WORDS = _AMONG_MATCHES.replace("sessions_fts", "sessions_words_fts")
_READ = """(name LIKE :like ESCAPE '\\' OR agent_name LIKE :like ESCAPE '\\'
  OR playbook_name LIKE :like ESCAPE '\\' OR show_topic LIKE :like ESCAPE '\\'
  OR show_play_name LIKE :like ESCAPE '\\' OR project LIKE :like ESCAPE '\\')"""
# a word may begin after anything that is no letter or digit; only for counting, where the index would be read whole
_READ_WORDS = """lower(concat(' ', name, ' ', agent_name, ' ', playbook_name, ' ', show_topic, ' ', show_play_name, ' ',
  project)) GLOB :glob"""


class TextFilter(NamedTuple):
    """A text to look for: which index has it, as what, and whether reading the columns finds the same."""

    given: str
    match: str
    short: bool

    @property
    def like(self) -> str:
        """The pattern for reading."""
        return "%" + re.sub(r"([\\%_])", r"\\\1", self.given) + "%"

    @property
    def glob(self) -> str:
        """The pattern for reading the beginnings of words."""
        return f"*[^0-9a-z]{self.given.lower()}*"

    @property
    def readable(self) -> bool:
        """Reading knows the cases of plain letters only, the index those of all."""
        return not self.short and self.given.isascii()


def parse_text(given: str) -> TextFilter:
    """What was typed, or a refusal that says what would do."""
    text = visible(given)
    if len(text) >= 3:
        return TextFilter(text, '"' + text.replace('"', '""') + '"', short=False)
    words = re.findall(r"[^\W_]+", text)
    if not words:
        raise InvalidInput(
            f"there is no letter or digit in {text!r}", hint="give three characters, or the beginning of a word"
        )
    return TextFilter(words[0], f'"{words[0]}"*', short=True)


_HOW_MANY = "SELECT count(*) FROM (SELECT 1 FROM sessions_fts WHERE sessions_fts MATCH :match LIMIT :most)"
_HOW_MANY_WORDS = """
SELECT count(*) FROM (SELECT 1 FROM sessions_words_fts WHERE sessions_words_fts MATCH :match LIMIT :most)
"""


def condition(conn: Connection, text: TextFilter) -> tuple[str, dict[str, Any], bool]:
    """For counting: a condition on sessions, what it binds, and whether it leaves so few that they should lead."""
    count = _HOW_MANY_WORDS if text.short else _HOW_MANY
    if conn.value(count, {"match": text.match, "most": _FEW + 1}) <= _FEW:
        return _AMONG_WORDS if text.short else _AMONG_MATCHES, {"match": text.match}, True
    return (_READ_WORDS, {"glob": text.glob}, False) if text.short else (_READ, {"like": text.like}, False)


class RunQuery(NamedTuple):
    """A page of a list: its columns, the other conditions with what they bind, where it starts, how many rows."""

    columns: str
    conditions: tuple[str, ...]
    params: dict[str, Any]
    since: float | None
    cursor: tuple[float | str, int] | None
    limit: int


def matching(conn: Connection, text: TextFilter, wanted: RunQuery) -> list[dict[str, Any]]:
    """The rows of a page, newest first."""
    reach = None if not wanted.conditions or not text.readable or _is_rare(conn, text) else _FIRST_REACH
    while True:
        rows = None if reach is None else _scan_rows(conn, text, wanted, reach)
        if rows is None:
            rows = _scan_matches(conn, text, wanted, reach)
        if rows is not None:
            return rows
        reach = None if reach is None else reach * _FURTHER


_MORE_THAN = "SELECT 1 FROM sessions_fts WHERE sessions_fts MATCH :match LIMIT 1 OFFSET :reach"


def _is_rare(conn: Connection, text: TextFilter) -> bool:
    """Whether its last three letters are: asking for those costs a fifth of asking for all of it."""
    match = '"' + text.given[-3:].replace('"', '""') + '"'
    return conn.one(_MORE_THAN, {"match": match, "reach": _FIRST_REACH}) is None


_FOUND = """
  FROM (SELECT rowid AS place FROM sessions_fts
         WHERE sessions_fts MATCH :match AND rowid < :below AND rowid >= :lowest ORDER BY rowid DESC) AS found
 CROSS JOIN sessions ON (min(max(CAST(sessions.created_at * 1000 AS INTEGER), 0), 8000000000000) * 1048576
                         + sessions.pk % 1048576) = +found.place
 WHERE """
_FOUND_WORDS = _FOUND.replace("sessions_fts", "sessions_words_fts")
_NTH = """
SELECT rowid FROM sessions_fts WHERE sessions_fts MATCH :match AND rowid < :below AND rowid >= :lowest
 ORDER BY rowid DESC LIMIT 1 OFFSET :reach
"""
_IN_ORDER = " ORDER BY found.place DESC LIMIT :limit"


def _scan_matches(
    conn: Connection, text: TextFilter, wanted: RunQuery, reach: int | None
) -> list[dict[str, Any]] | None:
    bound = {"match": text.match, "below": _below(wanted), "lowest": place(wanted.since or 0.0, 0)}
    end = None if reach is None else conn.value(_NTH, bound | {"reach": reach})
    if end is not None:
        bound["lowest"] = end
    # the plus keeps other indexes out of it
    others = " AND ".join(f"+{each}" for each in wanted.conditions) or "true"
    sql = wanted.columns + (_FOUND_WORDS if text.short else _FOUND) + others + _IN_ORDER
    rows = conn.dicts(sql, wanted.params | bound | {"limit": wanted.limit})
    return rows if end is None or len(rows) >= wanted.limit else None


_FROM = " FROM sessions WHERE "
_SHARED_ORDER = " ORDER BY created_at DESC, pk DESC"
_NTH_ROW = " LIMIT 1 OFFSET :reach"
_NOT_BELOW = "(created_at, pk) >= (:end_at, :end_pk)"
_AFTER_CURSOR = "(created_at, pk) < (:cursor_at, :cursor_pk)"


def _scan_rows(conn: Connection, text: TextFilter, wanted: RunQuery, reach: int) -> list[dict[str, Any]] | None:
    conditions, params = list(wanted.conditions), dict(wanted.params)
    if wanted.cursor is not None:
        conditions.append(_AFTER_CURSOR)
        params["cursor_at"], params["cursor_pk"] = wanted.cursor
    nth = "SELECT created_at, pk" + _FROM + " AND ".join(conditions) + _SHARED_ORDER + _NTH_ROW
    end = conn.one(nth, params | {"reach": reach})
    if end is not None:
        conditions.append(_NOT_BELOW)
        params["end_at"], params["end_pk"] = end
    sql = wanted.columns + _FROM + " AND ".join([*conditions, _READ]) + _SHARED_ORDER + " LIMIT :limit"
    rows = conn.dicts(sql, params | {"like": text.like, "limit": wanted.limit})
    return rows if end is None or len(rows) >= wanted.limit else None


def _below(wanted: RunQuery) -> int:
    return _NEWEST if wanted.cursor is None else place(*wanted.cursor)


def place(at: float | str, pk: int) -> int:
    """The place of a session in lists, as the schema computes it."""
    if isinstance(at, str):
        at = 0.0  # words where a time belongs count as the beginning of time
    return int(min(max(at * 1000, 0.0), 8e12)) * 1048576 + pk % 1048576
