"""Rows as comma-separated values that no spreadsheet executes."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

_EXECUTED = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # noqa: RUF001  (some read wide ones the same way)


def to_csv(rows: Sequence[dict[str, Any]]) -> str:
    """A header and a line for each row; all rows have the same keys."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if rows:
        writer.writerow(rows[0])
    writer.writerows([_harmless(value) for value in row.values()] for row in rows)
    return text.getvalue()


def _harmless(value: Any) -> Any:
    """A spreadsheet executes a text that begins with one of these characters; a quote in front makes it text."""
    return f"'{value}" if isinstance(value, str) and value.lstrip()[:1] in _EXECUTED else value
