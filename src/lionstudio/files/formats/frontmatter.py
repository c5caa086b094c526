"""Front matter: YAML between two lines of dashes at the top of a Markdown file."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from lionstudio.files.formats.strict_yaml import BadYaml, Path, load
from lionstudio.system.safe_read import BOM

_OPENING = re.compile(r"\s*---[ \t]*\r?(?:\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)


class FrontMatter(NamedTuple):
    """The keys of the front matter with their lines, the body below it, and the text of numbers and words."""

    fields: dict[str, Any]
    lines: dict[Path, int]
    body: str
    texts: dict[Path, str]


def split(text: str) -> FrontMatter:
    """Split a file into front matter and body; a file without front matter is all body."""
    text = text.removeprefix(BOM)
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter({}, {}, text.strip(), {})
    first_line = text.count("\n", 0, opening.end()) + 1
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise BadYaml(
            first_line - 1, "the front matter opens here and is never closed", "end it with a line of three dashes"
        )
    document = load(text[opening.end() : closing.start()], first_line)
    if document.value is not None and not isinstance(document.value, dict):
        raise BadYaml(first_line, "the front matter must be a mapping of keys to values", "write it as `model: sonnet`")
    body = text[closing.end() :].strip()
    return FrontMatter(document.value or {}, document.lines, body, document.texts)
