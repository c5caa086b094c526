"""Redact secrets at the one place where rows are bound: every text that a statement writes passes here.

Reading statements keep their values: a search for a word must find it. Identifiers keep theirs, because they are looked
up again, and so does the search index, whose entries are removed by the text that they were added with.
`Connection.run` and `run_many`, for the statements of every append, bind ids and rows of `messages.rows.to_row`, which
are redacted there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from lionstudio.model.redaction.identifiers import is_identifier

_WRITES = re.compile(r"\s*(?:INSERT|UPDATE|REPLACE|DELETE|WITH\b.*?\b(?:INSERT|UPDATE|REPLACE|DELETE)\b)", re.I | re.S)
_TABLE = re.compile(r"\b(?:INTO|UPDATE|FROM)\s+(?:temp\.)?\"?(\w+)\"?\s*(?:\(([\w\s,]+)\)\s*VALUES)?", re.I)


@lru_cache(2048)
def _written_table(sql: str) -> str | None:
    """The table that a statement writes; None for a statement that reads, and for the search index."""
    if _WRITES.match(sql) is None:
        return None
    match = _TABLE.search(sql)
    table = match[1] if match else ""
    return None if table.endswith("_fts") else table


@lru_cache(256)
def _kept(table: str, sql: str) -> frozenset[int]:
    """Which values of a statement with positional values identify something; none when it does not name its columns."""
    match = _TABLE.search(sql)
    columns = re.split(r"\s*,\s*", match[2].strip()) if match and match[2] else []
    return frozenset(at for at, name in enumerate(columns) if is_identifier(table, name))


def redacting(execute: Callable[..., Any]) -> Callable[..., Any]:
    """The library's execute, for a connection that writes."""

    def redacted_execute(sql: str, params: Any = None) -> Any:
        if params and (table := _written_table(sql)) is not None:
            params = _named(table, params) if isinstance(params, Mapping) else next(_positional(table, sql, [params]))
        return execute(sql, params)

    return redacted_execute


def redacted_rows(sql: str, rows: Iterable[tuple[Any, ...]]) -> Iterable[tuple[Any, ...]]:
    table = _written_table(sql)
    return rows if table is None else _positional(table, sql, rows)


def _named(table: str, params: Mapping[str, Any]) -> dict[str, Any]:
    stored = _stored()
    return {
        name: stored(value) if isinstance(value, str) and not is_identifier(table, name) else value
        for name, value in params.items()
    }


def _positional(table: str, sql: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    stored, kept = _stored(), _kept(table, sql)
    for row in rows:
        yield tuple(
            stored(value) if isinstance(value, str) and at not in kept else value for at, value in enumerate(row)
        )


def _stored() -> Callable[[str], str]:
    from lionstudio.model.redaction.process import redactor  # slow to load, and readers do without it

    return redactor().stored
