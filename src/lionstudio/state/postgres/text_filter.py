"""The text filter of run lists on PostgreSQL: three characters match anywhere, fewer the start of a word.

The planner chooses between the index of trigrams or words, and reading the newest texts until a page is full.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lionstudio.state.connection import Connection
from lionstudio.state.sqlite.text_filter import OF_ID, RunQuery, TextFilter, id_params, is_start_of_id, like_pattern

# texts are stored in lower case; LIKE would be translated to ILIKE, which takes twice as long
_HAS_PART = "text ~~ lowered(:{})"
_HAS_WORD = "words @@ to_tsquery('simple', unaccented(:{}))"
_AMONG = "pk IN (SELECT t.pk FROM session_texts t WHERE {})"
_IN_ORDER = "ORDER BY created_at DESC, pk DESC"
EXACT_TITLE = "title = :name"


def condition(conn: Connection, text: TextFilter, *, exact: bool) -> tuple[str, dict[str, Any], bool]:
    """A condition on sessions, its parameters, and whether it leaves so few rows that it should lead."""
    test, params = _test(text)
    among = _AMONG.format(test)
    if is_start_of_id(conn, text.text):
        return f"({OF_ID} OR {among})", {**params, **id_params(text.text)}, True
    return among, params, True


def _test(text: TextFilter) -> tuple[str, dict[str, Any]]:
    """A condition on texts."""
    if text.short:
        return _HAS_WORD.format("word"), {"word": _word_start(text.text)}
    return _HAS_PART.format("like"), {"like": text.like}


def _word_start(word: str) -> str:
    """The query for a word that starts like this; it has letters and digits only."""
    return f"{word}:*"


def matching_rows(conn: Connection, text: TextFilter, query: RunQuery) -> list[dict[str, Any]]:
    """The rows of a page, newest first."""
    test, params = _test(text)
    params |= query.params | {"limit": query.limit}
    # without other filters than those of time, the texts alone have the page: their table has no other columns
    table, test = (
        ("session_texts", test)
        if all(condition.startswith("created_at") for condition in query.conditions)
        else ("sessions", _AMONG.format(test))
    )
    conditions = [*query.conditions, test]
    if query.cursor is not None:
        conditions.append("(created_at, pk) < (:cursor_at, :cursor_pk)")
        params["cursor_at"], params["cursor_pk"] = query.cursor
    return _page(conn, query.columns, table, conditions, params)


def runs_by_words(conn: Connection, columns: str, words: list[str], most: int) -> list[dict[str, Any]]:
    """The newest sessions that have a word with each of these starts."""
    return _newest(conn, columns, _HAS_WORD, map(_word_start, words), most)


def runs_by_parts(conn: Connection, columns: str, words: list[str], most: int) -> list[dict[str, Any]]:
    """The newest sessions that have each of these texts anywhere."""
    return _newest(conn, columns, _HAS_PART, map(like_pattern, words), most)


def _newest(conn: Connection, columns: str, test: str, values: Iterable[str], most: int) -> list[dict[str, Any]]:
    params = {f"value_{number}": value for number, value in enumerate(values)}
    tests = [test.format(name) for name in params]
    return _page(conn, f"SELECT {columns}", "session_texts", tests, {**params, "limit": most})


def _page(
    conn: Connection, columns: str, table: str, conditions: list[str], params: dict[str, Any]
) -> list[dict[str, Any]]:
    # the page first: other columns of all that match would be computed before they are sorted
    page = f"SELECT pk FROM {table} WHERE {' AND '.join(conditions)} {_IN_ORDER} LIMIT :limit"  # noqa: S608  (literals)
    return conn.dicts(f"WITH page AS ({page}) {columns} FROM page JOIN sessions USING (pk) {_IN_ORDER}", params)
