"""Statements for PostgreSQL: our one text of SQL, with its placeholders, without what only SQLite needs.

A text is translated once and kept. SQLite's functions exist in the database (schema/functions.sql).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

_TOKENS = re.compile(
    r"""(?P<kept>'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*)|(?P<name>(?<![:\w]):[A-Za-z_]\w*)|(?P<number>\?\d*)""", re.X
)
# Hints for SQLite's planner, which PostgreSQL chooses without; its words for the same thing; and a column named like
# a reserved word: `user` alone would be the name of the role, without any error.
_EDITS = tuple(
    (re.compile(pattern, re.I), text)
    for pattern, text in (
        (r"\s+INDEXED BY \w+", ""),
        (r"(^|[(,=]|\b(?:AND|OR|WHERE|SELECT|BY|NOT|ON))(\s*)\+(?=[a-z(])", r"\1\2"),
        (r"\bCROSS JOIN\b", "JOIN"),
        (r"\bLIKE\b", "ILIKE"),
        (r"(?<!\w)user\b(?!\w)", '"user"'),
        (r"\btemp\.", "pg_temp."),
        (r"\bgroup_concat\(", "string_agg("),
        (r"\bjson_object\(", "json_build_object("),
        (r"\bjson\(", "json_document("),
        (r"\bAS REAL\b", "AS double precision"),
        (r"\) WITHOUT ROWID", ")"),
    )
)
_FUNCTIONS = re.compile(r"\b(?:CAST|json_group_array)\(", re.I)
# what `row_values.text_in` writes for SQLite: three functions that parse the document each
_TEXT_IN = re.compile(
    r"CASE WHEN json_valid\(([\w.]+)\) THEN CASE json_type\(\1, ('[^']*')\) WHEN 'text' THEN \1 ->> \2 END END"
)


ROWS_AT_ONCE = 25


class Statement(NamedTuple):
    """A text with `$1`, `$2`, … and the names that they stand for; no names for positional values."""

    text: str
    names: tuple[str, ...]
    single: bool = True  # several statements at once cannot be prepared
    for_rows: str | None = None  # an INSERT of ROWS_AT_ONCE rows in place of one

    def bind(self, params: Mapping[str, Any] | Sequence[Any] | None) -> Sequence[Any] | None:
        if not params:
            return None
        return [params[name] for name in self.names] if isinstance(params, Mapping) else params


@lru_cache(4096)
def translate_sql(sql: str) -> Statement:
    names: list[str] = []
    parts: list[str] = []
    kept: list[str] = []
    highest = end = 0
    sql = _TEXT_IN.sub(r"json_text(\1, \2)", sql)
    for match in _TOKENS.finditer(sql):
        parts.append(sql[end : match.start()])
        end = match.end()
        if match["kept"] is not None:
            # a mark that no edit changes, put back at the end
            parts.append(f"\x00{len(kept)}\x00")
            kept.append("" if match["kept"].startswith("--") else match["kept"])
        elif match["name"] is not None:
            name = match["name"][1:]
            if name not in names:
                names.append(name)
            parts.append(f"${names.index(name) + 1}")
        else:
            number = int(match["number"][1:] or highest + 1)
            highest = max(highest, number)
            parts.append(f"${number}")
    text = "".join(parts) + sql[end:]
    for pattern, replacement in _EDITS:
        text = pattern.sub(replacement, text)
    text = re.sub(r"\bINTEGER\b", "bigint", _replace_functions(text))
    single = ";" not in text.strip().rstrip(";")
    text = re.sub(r"\x00(\d+)\x00", lambda mark: kept[int(mark[1])], text)
    return Statement(text, tuple(names), single, None if names else _insert_of_rows(text))


# Not with DO UPDATE, which refuses two rows with one key, and not where a default numbers row by row.
_ONE_ROW = re.compile(
    r"""^(\s*INSERT INTO (?!changes\b)\w+ \([\w\s,"]+\)\s+VALUES )\(((?:\$\d+(?:, )?)+)\)"""
    r"""(\s*(?:ON CONFLICT \(\w+\) DO NOTHING\s*)?)$"""
)


def _insert_of_rows(text: str) -> str | None:
    match = _ONE_ROW.match(text)
    if match is None:
        return None
    width = len(match[2].split(", "))
    if match[2] != ", ".join(f"${number}" for number in range(1, width + 1)):
        return None
    rows = (
        "(" + ", ".join(f"${start + number}" for number in range(1, width + 1)) + ")"
        for start in range(0, width * ROWS_AT_ONCE, width)
    )
    return match[1] + ", ".join(rows) + match[3]


def _replace_functions(text: str) -> str:
    """Rewrite calls whose end matters: casts that SQLite rounds in its own way, and an aggregate that is never NULL."""
    match = _FUNCTIONS.search(text)
    while match is not None:
        end = _closing(text, match.end())
        inner, name = _replace_functions(text[match.end() : end]), match[0].lower()
        if name == "json_group_array(":
            call = f"coalesce(json_agg({inner}), '[]')"
        elif (cast := re.fullmatch(r"(.*)\s+AS\s+(INTEGER|BLOB)\s*", inner, re.I | re.S)) is not None:
            call = f"to_integer({cast[1]})" if cast[2].upper() == "INTEGER" else f"convert_to({cast[1]}, 'UTF8')"
        else:
            call = f"CAST({inner})"
        text = text[: match.start()] + call + text[end + 1 :]
        match = _FUNCTIONS.search(text, match.start() + len(call))
    return text


def _closing(text: str, start: int) -> int:
    depth = 1
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise ValueError(f"unbalanced parentheses in {text!r:.200}")
