"""The text of a search: its filters (`file:src/x.py role:tool`), its FTS5 expression, and excerpts of what it found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from lionstudio.errors import InvalidInput
from lionstudio.model.message_text import text_of
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.state.sqlite.search_ranges import Scope

ROLES = ("user", "assistant", "tool", "system")
_CODES = {"role": ROLES, "status": tuple(map(str, SessionStatus))}
_NAMES = {"file": "file", "role": "role", "tool": "tool", "agent": "agent", "project": "project", "status": "status"}
_NAMES |= {"run": "session"}
_PART = re.compile(r'(?:([a-z]+):(?:"([^"]*)"|([^\s"]+)))|"[^"]*"|[^\s"]+|"')
_WORD = re.compile(r"\w+")
_TERM = re.compile(r"(\w+)(\*?)")


class ParsedQuery(NamedTuple):
    """The words of a query, and the scope with the filters that it names."""

    words: str
    scope: Scope


def parse_query(query: str, scope: Scope) -> ParsedQuery:
    """Take `name:value` out of a query; a filter of the scope stays unless the query names another value."""
    words: list[str] = []
    named: dict[str, Any] = {}
    for part in _PART.finditer(query):
        name = _NAMES.get(part[1] or "")
        if name is None:
            words.append(part[0])
        else:
            named[name] = part[2] if part[2] is not None else part[3]
    parsed = ParsedQuery(" ".join(words) if named else query, scope._replace(**named))
    check_codes(parsed.scope)
    return parsed


def check_codes(scope: Scope) -> None:
    for name, codes in _CODES.items():
        value = getattr(scope, name)
        if value is not None and value not in codes:
            raise InvalidInput(
                f"{name} must be one of {', '.join(codes)}, not {value!r:.60}",
                hint=f'to search for the text itself, quote it: "{name}:{value:.40}"',
            )


class QueryPart(NamedTuple):
    """A word, the start of one, or a phrase."""

    text: str
    prefix: bool = False

    @property
    def expression(self) -> str:
        return f'"{self.text}"' + ("*" if self.prefix else "")


def query_parts(query: str, file: str | None = None) -> list[QueryPart]:
    """The parts of a query, all of which must match: `begin*` is a prefix, "…" a phrase.

    A quote that is never closed is read as text, not as the start of a phrase. The words of a path are a phrase.
    """
    parts: list[QueryPart] = []
    pieces = query.split('"')
    for number, piece in enumerate(pieces):
        if number % 2 and number < len(pieces) - 1:
            words = _WORD.findall(piece)
            parts += [QueryPart(" ".join(words))] if words else []
        else:
            parts += [QueryPart(word, star == "*") for word, star in _TERM.findall(piece)]
    if file is not None and has_words(file):
        parts.append(QueryPart(" ".join(_WORD.findall(file))))
    if not parts:
        raise InvalidInput("the query has no word to search for", hint="give at least one word")
    return parts


def match_expression(query: str, file: str | None = None) -> str:
    """The FTS5 expression of a query."""
    return match_all(query_parts(query, file))


def match_all(parts: Iterable[QueryPart]) -> str:
    return " AND ".join(part.expression for part in parts)


def has_words(query: str) -> bool:
    return _WORD.search(query) is not None


def path_pattern(path: str) -> re.Pattern[str]:
    """Finds a path in a text: whole, or as the end of a longer one."""
    return re.compile(r"(?<![\w.-])" + re.escape(path.strip().removeprefix("./")) + r"(?![\w-]|[./]\w)")


def snippet(text: str, query: str, max_chars: int) -> str:
    """The text around the first matching word, on one line."""
    start = max(0, _first_match(text, query) - max_chars // 3)
    line = " ".join(text[start : start + max_chars].split())
    return ("…" if start else "") + line + ("…" if start + max_chars < len(text) else "")


def context(text: str, query: str, max_chars: int) -> str:
    """The line of the first matching word, with the line before and the line after it."""
    at = _first_match(text, query)
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    before, after = text[max(0, start - max_chars) : start], text[end : end + max_chars]
    lines = [*_lines(before, max_chars // 3)[-1:], _around(text[start:end], at - start, max_chars)]
    lines += _lines(after, max_chars // 3)[:1]
    return "\n".join(line for line in lines if line)


def _lines(text: str, width: int) -> list[str]:
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    return [line if len(line) <= width else line[: width - 1] + "…" for line in lines]


def _around(line: str, at: int, width: int) -> str:
    start = max(0, at - width // 3) if len(line) > width else 0
    end = start + width
    return ("…" if start else "") + line[start:end].strip("\r") + ("…" if end < len(line) else "")


def _first_match(text: str, query: str) -> int:
    """Where the first word of the query is, as a word or else as a part of one; 0 where none is."""
    terms = _TERM.findall(query)
    words = "|".join(re.escape(word) + ("" if star else r"(?![^\W_])") for word, star in terms)
    parts = "|".join(re.escape(word) for word, _ in terms)
    for pattern in (rf"(?<![^\W_])(?:{words})", parts) if terms else ():
        if match := re.search(pattern, text, re.IGNORECASE):
            return match.start()
    return 0


_WINDOW = 1 << 18  # bytes of a long content that are searched at once
_OVERLAP = 1_000  # bytes; longer than a word
_KEY_END = re.compile(rb'\w*"\s*:')
_QUOTE = re.compile(r'(?<!\\)"')
_STRUCTURE = re.compile(r"[\s:,\[\]{}]*")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def text_around_match(read: Callable[[int, int], bytes], size: int, query: str, max_chars: int) -> str:
    """The shown text around the first match in a long content; `read` gives its bytes from a start up to an end.

    Reads in parts, and no further than the first match. Where that is not found, because the index ignores accents, the
    text starts with the content, as in a short message.
    """
    at = _find_stored(read, size, [word.lower().encode() for word, _ in _TERM.findall(query)])
    start, end = max(0, at - 4 * max_chars - 100), min(size, at + 8 * max_chars + 100)
    return _COLOURS.sub("", _unescape(_shown_values(read(start, end).decode("utf-8", "ignore"))))


def _find_stored(read: Callable[[int, int], bytes], size: int, words: list[bytes]) -> int:
    """Where a value that is shown has one of the words, not inside another word; or as a part of one; or 0."""
    pattern = re.compile(rb"(?:(?<![0-9a-z\x80-\xff])|(?<=\\[bfnrt]))(?:%b)" % b"|".join(map(re.escape, words)))
    part = 0
    for start in range(0, size, _WINDOW):
        stored = read(max(0, start - _OVERLAP), min(size, start + _WINDOW)).lower()
        if not any(word in stored for word in words):
            continue
        offset = max(0, start - _OVERLAP)
        for match in pattern.finditer(stored):
            if not _KEY_END.match(stored, match.end()) and not _is_hidden(stored, match.start()):
                return offset + match.start()
        part = part or offset + max(stored.find(word) for word in words)
    return part


def _is_hidden(stored: bytes, at: int) -> bool:
    return _HIDDEN_VALUE.search(stored, max(0, at - 200), at) is not None


def _shown_values(stored: str) -> str:
    """The text values of a piece of JSON, which may start and end inside of one."""
    pieces = _QUOTE.split(stored)
    values, hidden = [], False
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=True):
        if following.lstrip().startswith(":"):
            hidden = piece in _HIDDEN
        elif not _STRUCTURE.fullmatch(piece):
            values += [] if hidden else [piece]
            hidden = False
    return "\n".join(values)


def _unescape(stored: str) -> str:
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else _ESCAPED.get(match[2], match[2]), stored)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # joins the pairs of escapes


# ids and types that no person reads; the name of the tool is shown beside the text
_HIDDEN = frozenset(
    ("function", "type", "id", "action_request_id", "action_response_id", "tool_use_id", "call_id", "signature")
)


_HIDDEN_VALUE = re.compile(rb'"(?:%b)"\s*:\s*"[^"]*$' % "|".join(_HIDDEN).encode())
_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


def shown_text(content: Any) -> str:
    """The text of a content without ids, types and the colours of a terminal."""
    try:
        text = text_of(_without_internals(content))
    except RecursionError:  # another tool nested it
        text = text_of(content)
    return _COLOURS.sub("", text.encode("utf-8", "replace").decode())


def _without_internals(content: Any) -> Any:
    """The arguments of a call keep all their values."""
    if isinstance(content, dict):
        return {
            key: value if key == "arguments" else _without_internals(value)
            for key, value in content.items()
            if key not in _HIDDEN
        }
    return [_without_internals(item) for item in content] if isinstance(content, list) else content
