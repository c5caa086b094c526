"""Values and columns of a row: the check before they are bound, and the INSERT over a list of columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import visible


def insert_statement(table: str, columns: Iterable[str]) -> str:
    """An INSERT with a named parameter for each column."""
    names = tuple(columns)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"  # noqa: S608


def integer_in(column: str, path: str) -> str:
    """The SQL of an integer inside a JSON column; NULL for any other value. Both databases compare it as a number."""
    return f"CASE json_type({column}, '{path}') WHEN 'integer' THEN CAST({column} ->> '{path}' AS INTEGER) END"


def text_in(column: str, path: str) -> str:
    """The SQL of a text inside a JSON column; NULL for any other value, and for a column that is not JSON."""
    # postgres/statement.py knows this text, and has one function for it
    value = f"CASE json_type({column}, '{path}') WHEN 'text' THEN {column} ->> '{path}' END"
    return f"CASE WHEN json_valid({column}) THEN {value} END"


def validate_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with unprintable text escaped; raises InvalidInput that names the column."""
    return {name: _validated(name, value) for name, value in row.items()}


def _validated(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{name} must be a number, not {value}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidInput(f"{name} must fit in 64 bits, not a number of {value.bit_length()} bits")
    if value is None or isinstance(value, (int, float, bytes)):
        return value
    raise InvalidInput(f"{name} must be text or a number, not {type(value).__name__}")
