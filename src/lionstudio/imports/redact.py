"""Secrets are taken out of what other tools kept, as they are out of everything that is recorded live.

A look at the words that announce a secret comes first; text without any of them stays exactly what it was.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lionstudio.model.json_codec import dump, load
from lionstudio.model.redaction import RULES, Redactor
from lionstudio.state.connection import Row

_redactor = Redactor()
_WORDS = tuple(dict.fromkeys(word for rule in RULES for word in rule.keywords))
# invisible characters keep a secret from being seen; JSON may spell them
_HIDDEN = ("\\u20", "\\u00ad", "\\ufeff", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad")
# usage is noted with every answer; a number of tokens is no token
_COUNTS = re.compile(r'"[a-z_]{0,40}tokens[a-z_]{0,20}": ?[0-9]+')
_METADATA, _CONTENT = 2, 3  # columns of messages.INSERT


def redact_row(row: Row) -> Row:
    """The columns of a message without secrets."""
    metadata, content = redact_json(row[_METADATA]), redact_json(row[_CONTENT])
    if metadata is row[_METADATA] and content is row[_CONTENT]:
        return row
    return (*row[:_METADATA], metadata, content, *row[_CONTENT + 1 :])


def redact_json(text: str | None) -> str | None:
    """A JSON text without secrets; the very same text when it has none."""
    if text is None or not _may_hold_one(text):
        return text
    value = load(text)
    cleaned = _redactor.value(value)
    return text if cleaned == value else dump(cleaned)


def redact_mapping(value: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata without secrets."""
    cleaned: dict[str, Any] = _redactor.value(value)
    return cleaned


def redact_text(text: str) -> str:
    """A text without secrets."""
    return _redactor.text(text)


def _may_hold_one(text: str) -> bool:
    if "tokens" in text:
        text = _COUNTS.sub("", text)
    return True in map(text.__contains__, _WORDS) or True in map(text.__contains__, _HIDDEN)
