"""Redacts imported messages with the rules of live runs.

A search for the keywords of the rules comes first; a text without any of them is returned unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lionstudio.model.json_codec import dump, load
from lionstudio.model.redaction import RULES, Redactor
from lionstudio.state.connection import Row

_redactor = Redactor()
_KEYWORDS = tuple(dict.fromkeys(word for rule in RULES for word in rule.keywords))
# invisible characters can hide a secret; JSON may escape them
_HIDDEN = ("\\u20", "\\u00ad", "\\ufeff", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad")
# every answer has token counts, which are not secrets
_COUNTS = re.compile(r'"[a-z_]{0,40}tokens[a-z_]{0,20}": ?[0-9]+')
_METADATA, _CONTENT = 2, 3  # columns of messages.INSERT


def redact_row(row: Row) -> Row:
    metadata, content = redact_json(row[_METADATA]), redact_json(row[_CONTENT])
    if metadata is row[_METADATA] and content is row[_CONTENT]:
        return row
    return (*row[:_METADATA], metadata, content, *row[_CONTENT + 1 :])


def redact_json(text: str | None) -> str | None:
    """A JSON text without secrets; the same object when it has none."""
    if text is None or not _may_hold_secret(text):
        return text
    value = load(text)
    redacted = _redactor.value(value)
    return text if redacted == value else dump(redacted)


def redact_mapping(value: Mapping[str, Any]) -> dict[str, Any]:
    redacted: dict[str, Any] = _redactor.value(value)
    return redacted


def redact_text(text: str) -> str:
    return _redactor.text(text)


def _may_hold_secret(text: str) -> bool:
    if "tokens" in text:
        text = _COUNTS.sub("", text)
    return True in map(text.__contains__, _KEYWORDS) or True in map(text.__contains__, _HIDDEN)
