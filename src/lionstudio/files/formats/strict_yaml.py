"""Parse YAML as plain data with the line of every key; aliases, tags and deep nesting are refused.

Only the events of the parser are used, so hostile YAML never becomes an object. Keys are text, numbers and words
like `yes` become values, everything else stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput

MOST_DEPTH = 30
MOST_NODES = 100_000

Path = tuple[str | int, ...]


class Document(NamedTuple):
    """The value, the line of each key and item, and the text of each scalar that is not text (`no`, `0123`)."""

    value: Any
    lines: dict[Path, int]
    texts: dict[Path, str]


class BadYaml(InvalidInput):
    """A YAML error with its line."""

    def __init__(self, line: int, message: str, hint: str) -> None:
        super().__init__(message, hint=hint)
        self.line = line


def load(text: str, first_line: int = 1) -> Document:
    """Parse a YAML text; BadYaml has the line and the reason."""
    # slow to load, and most commands read no YAML
    import yaml

    lines: dict[Path, int] = {}
    texts: dict[Path, str] = {}
    try:
        value = _Builder(yaml, text, lines, texts, first_line).build()
    except yaml.YAMLError as error:
        raise _to_bad_yaml(error, text, first_line) from None
    except UnicodeEncodeError as error:
        line = first_line + text.count("\n", 0, error.start)
        raise BadYaml(line, "not valid Unicode", "remove that character") from None
    return Document(value, lines, texts)


class _Builder:
    """Turns parser events into values; it has its own stack, so deep nesting cannot exhaust Python's."""

    def __init__(self, yaml: Any, text: str, lines: dict[Path, int], texts: dict[Path, str], first_line: int) -> None:
        self.yaml, self.lines, self.texts, self.first_line = yaml, lines, texts, first_line
        # the C parser if available: a list of 5,000 definitions must not take seconds
        self.events: Iterator[Any] = iter(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
        self.nodes_left = MOST_NODES

    def build(self) -> Any:
        """Build the only document of the text; None for an empty text."""
        yaml, value, documents = self.yaml, None, 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self.bad(event, "a second document starts here", "keep one document per file")
            elif isinstance(event, yaml.NodeEvent):
                value = self._node(event)
        return value

    def _node(self, event: Any) -> Any:
        root = self._open(event, ())
        stack = [root] if isinstance(root, _Collection) else []
        while stack:
            top, event = stack[-1], next(self.events)
            if isinstance(event, (self.yaml.MappingEndEvent, self.yaml.SequenceEndEvent)):
                stack.pop()
            elif isinstance(top.value, dict) and top.key is None:
                top.key = self._key(event, top)
            else:
                child = self._open(event, (*top.path, len(top.value) if top.key is None else top.key))
                top.add(child.value if isinstance(child, _Collection) else child)
                if isinstance(child, _Collection):
                    stack.append(child)
                if len(stack) > MOST_DEPTH:
                    raise self.bad(event, f"nested more than {MOST_DEPTH} levels deep", "make it flatter")
        return root.value if isinstance(root, _Collection) else root

    def _open(self, event: Any, path: Path) -> Any:
        """Return the value of a scalar, or an empty collection to fill."""
        self._check(event)
        self.lines.setdefault(path, self.line(event))
        if isinstance(event, self.yaml.ScalarEvent):
            value = scalar(event.value) if event.implicit[0] else event.value
            if value is not None and not isinstance(value, str):
                self.texts[path] = event.value
            return value
        return _Collection({} if isinstance(event, self.yaml.MappingStartEvent) else [], path)

    def _key(self, event: Any, top: _Collection) -> str:
        self._check(event)
        if not isinstance(event, self.yaml.ScalarEvent):
            raise self.bad(event, "a key must be text", "quote it")
        key = str(event.value)
        if key in top.value:
            raise self.bad(event, f"duplicate key {key!r:.60}", "remove one of the two")
        self.lines[(*top.path, key)] = self.line(event)
        return key

    def _check(self, event: Any) -> None:
        self.nodes_left -= 1
        if self.nodes_left < 0:
            raise self.bad(event, f"more than {MOST_NODES} values", "split the file")
        if isinstance(event, self.yaml.AliasEvent) or event.anchor is not None:
            raise self.bad(event, "anchors and aliases (& and *) are not supported", "write the value out, or quote it")
        if event.tag not in (None, "!") and not event.tag.startswith("tag:yaml.org,2002:str"):
            raise self.bad(event, f"the tag {event.tag!r:.60} is not supported", "write plain values")

    def line(self, event: Any) -> int:
        return self.first_line + int(event.start_mark.line)

    def bad(self, event: Any, message: str, hint: str) -> BadYaml:
        return BadYaml(self.line(event), message, hint)


class _Collection:
    """A mapping or list that is being filled."""

    __slots__ = ("key", "path", "value")

    def __init__(self, value: Any, path: Path) -> None:
        self.value, self.path = value, path
        self.key: str | None = None

    def add(self, child: Any) -> None:
        """Add a child under the last key, or at the end of a list."""
        if self.key is None:
            self.value.append(child)
        else:
            self.value[self.key], self.key = child, None


_KEYWORDS = {
    word: value
    for names, value in ((("null", "~", ""), None), (("true", "yes", "on"), True), (("false", "no", "off"), False))
    for name in names
    for word in (name, name.capitalize(), name.upper())
}
# up to 18 digits, which any reader of our JSON can store; longer numbers stay text
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}\Z")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]{1,18}\.[0-9]{0,18}|\.[0-9]{1,18}|[0-9]{1,18}(?=[eE]))(?:[eE][-+]?[0-9]{1,2})?\Z")


def scalar(text: str) -> Any:
    """Return the value of an unquoted scalar; a date or a time stays text."""
    if text in _KEYWORDS:
        return _KEYWORDS[text]
    if text[0] not in "-+.0123456789":
        return text
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _DECIMAL.match(text) else text


def as_written(value: Any, texts: Mapping[Path, str], path: Path = ()) -> Any:
    """Return a value with the numbers and words in it as text, as they are written."""
    if isinstance(value, dict):
        return {key: as_written(item, texts, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [as_written(item, texts, (*path, number)) for number, item in enumerate(value)]
    return texts.get(path, value)


def _to_bad_yaml(error: Any, text: str, first_line: int) -> BadYaml:
    """Turn the parser's error into one sentence with a line."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    reason = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    # an illegal character is reported by its byte position
    lines_before = (
        mark.line if mark is not None else text.encode()[: getattr(error, "position", None) or 0].count(b"\n")
    )
    return BadYaml(
        first_line + lines_before,
        f"not valid YAML: {reason}",
        "check the indentation, and quote text that contains `: ` or `#`",
    )
