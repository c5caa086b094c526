"""Markdown with a head: YAML between two lines of dashes, then the text itself."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lionstudio.files.formats.strict_yaml import BadYaml, Path, load
from lionstudio.system.safe_read import BOM

_OPENING = re.compile(r"\s*---[ \t]*\r?(?:\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)


class FrontMatter(NamedTuple):
    """The keys of the head with their lines, and the text below it."""

    fields: dict[str, Any]
    lines: dict[Path, int]
    body: str


def split(text: str) -> FrontMatter:
    """Head and text of a file; without a head everything is text. BadYaml when the head cannot be used."""
    text = text.removeprefix(BOM)
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter({}, {}, text.strip())
    first_line = text.count("\n", 0, opening.end()) + 1
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise BadYaml(first_line - 1, "the head opens here and is never closed", "end it with a line of three dashes")
    head = load(text[opening.end() : closing.start()], first_line)
    if head.value is not None and not isinstance(head.value, dict):
        raise BadYaml(first_line, "the head must consist of keys and values", "write it as `model: sonnet`")
    return FrontMatter(head.value or {}, head.lines, text[closing.end() :].strip())
