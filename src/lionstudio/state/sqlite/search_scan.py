"""Decides from the text of a message whether it matches a query, by the rules of the full-text index.

For messages that are not indexed yet, and for those around a prefix with so many matches that the index is slower. The
tokenizer (unicode61) only folds a few hundred letters to ASCII, so most messages are decided by their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import apsw

from lionstudio.state.connection import Connection, Row
from lionstudio.state.messages.rows import readable_text
from lionstudio.state.sqlite.search_text import QueryPart

TOKENIZER = ("unicode61", "remove_diacritics", "2")  # of messages_fts

_WORD = rb"[0-9a-z\x80-\xff]"  # bytes of a word in lower case; the others separate words
# letters and marks that the tokenizer folds to ASCII or leaves out
_FOLDED = re.compile(rb"[\xc3-\xcc]|\xe1[\xb8-\xbb]|\xe2\x84")
_NUMBER = re.compile(r"[0-9]+e?")
_FLOAT = re.compile(rb"[0-9][.e]")  # 1.50 and 1e5 are indexed as 1.5 and 100000.0
_FLOAT_OF_KEY = re.compile(rb'":\s*-?[0-9]+[.e]')
# whole words with a byte beyond ASCII; `*+` never backtracks, so this is linear
_FOREIGN = re.compile(rb"(?<![0-9A-Za-z\x80-\xff])[0-9A-Za-z]*+[\x80-\xff][0-9A-Za-z\x80-\xff]*+")
_SEPARATOR = re.compile(rb"[^0-9A-Za-z\x80-\xff]")
_CHUNK = 1 << 18  # bytes that are tokenized at once


_ANY = b"\\u"
# the text of a content as bytes; a content that is not text is always read
STORED = "iif(typeof(m.content) = 'text', CAST(m.content AS BLOB), CAST('\\u' AS BLOB))"


class _Part(NamedTuple):
    """Tokens in a row; `prefix`: the last one is the start of a word."""

    tokens: tuple[str, ...]
    prefix: bool
    pattern: re.Pattern[bytes] | None  # finds it in ASCII text in lower case; None: it is not ASCII


class Scan:
    """Tells which messages match all parts of a query."""

    def __init__(self, conn: Connection, parts: Iterable[QueryPart]) -> None:
        self._conn = conn
        self._tokenizer = conn.raw.fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))
        self._parts = [_part(self._tokenize(part.text.encode()), part.prefix) for part in parts]
        tokens = {token for part in self._parts for token in part.tokens}
        self._words = [token.encode() for token in tokens if token.isascii() and not _NUMBER.fullmatch(token)]
        self._numbers = [token.encode() for token in tokens if _NUMBER.fullmatch(token)]
        self._foreign = any(not token.isascii() for token in tokens)

    def _tokenize(self, text: bytes) -> list[str]:
        reason = apsw.FTS5_TOKENIZE_DOCUMENT
        return self._tokenizer(text, reason, None, include_offsets=False, include_colocated=False)  # type: ignore[return-value]

    def last_token(self, part: QueryPart) -> str:
        """The token that a prefix is the start of; empty without one."""
        return (self._tokenize(part.text.encode()) or [""])[-1]

    def matching(self, rows: Iterable[Row]) -> Iterator[int]:
        """The keys of rows (key, `STORED`) that match."""
        if not all(part.tokens for part in self._parts):
            return  # as in FTS5, where no message matches a part without a token
        for pk, stored in rows:
            if self._may_match(stored.lower()) and self._matches(pk, stored):
                yield pk

    def _may_match(self, lowered: bytes) -> bool:
        """Quickly False for most messages that do not match; never False for one that does."""
        for word in self._words:
            if word not in lowered:
                return _is_rewritten(lowered)
        for number in self._numbers:
            if number not in lowered and not _has_float(lowered):
                return _is_rewritten(lowered)
        return not self._foreign or not lowered.isascii() or b"\\u" in lowered

    def _matches(self, pk: int, stored: bytes) -> bool:
        text = readable_text(self._content(pk, stored)).encode()
        lowered = text.lower()
        unsure = [part for part in self._parts if part.pattern is None or not part.pattern.search(lowered)]
        if not unsure or lowered.isascii():
            return not unsure
        foreign = b" ".join(_FOREIGN.findall(text))  # the pattern finds every other word
        return all(self._has(part, foreign if len(part.tokens) == 1 else text) for part in unsure)

    def _content(self, pk: int, stored: bytes) -> Any:
        try:
            if stored != _ANY:
                return stored.decode()
        except UnicodeDecodeError:
            pass  # the connection escapes it
        return self._conn.value(_CONTENT, {"pk": pk})

    def _has(self, part: _Part, text: bytes) -> bool:
        wanted, before = list(part.tokens), list[str]()
        size, start = len(wanted), 0
        while start < len(text):
            separator = _SEPARATOR.search(text, start + _CHUNK)
            end = len(text) if separator is None else separator.end()
            tokens = before + self._tokenize(text[start:end])
            for at, last in enumerate(tokens[size - 1 :]):
                if (last.startswith(wanted[-1]) if part.prefix else last == wanted[-1]) and (
                    tokens[at : at + size - 1] == wanted[:-1]
                ):
                    return True
            before, start = tokens[len(tokens) - size + 1 :], end
        return False


def _is_rewritten(stored: bytes) -> bool:
    """Whether the index may hold words that are not in the bytes of a content."""
    if b"\\" in stored and b"\\u" in stored:  # one byte is found much faster than two
        return True
    if stored.isascii():
        return False
    try:
        stored.decode()
    except UnicodeDecodeError:
        return True
    return _FOLDED.search(stored) is not None


def _has_float(stored: bytes) -> bool:
    return (_FLOAT if b"[" in stored else _FLOAT_OF_KEY).search(stored) is not None


_CONTENT = "SELECT content FROM messages WHERE pk = :pk"


def _part(tokens: list[str], prefix: bool) -> _Part:
    if not tokens or not all(token.isascii() for token in tokens):
        return _Part(tuple(tokens), prefix, None)
    first, *others = (re.escape(token.encode()) for token in tokens)
    # a literal start is found fastest, so what must be before it comes after it
    pattern = first + rb"(?<!" + _WORD + first + rb")"
    pattern += b"".join(rb"[^0-9a-z\x80-\xff]++" + token for token in others)
    return _Part(tuple(tokens), prefix, re.compile(pattern + (b"" if prefix else rb"(?!" + _WORD + rb")")))


# FTS5 keeps the first term of each page of a segment here, the page number doubled; a term of the table starts with 0
_PAGES = """
WITH RECURSIVE segments (id) AS (
  SELECT min(segid) FROM messages_fts_idx UNION ALL
  SELECT (SELECT min(segid) FROM messages_fts_idx WHERE segid > segments.id) FROM segments WHERE id IS NOT NULL)
SELECT coalesce(sum(
  coalesce((SELECT pgno FROM messages_fts_idx WHERE segid = id AND term >= :end ORDER BY term LIMIT 1),
           (SELECT pgno FROM messages_fts_idx WHERE segid = id ORDER BY term DESC LIMIT 1))
  - coalesce((SELECT pgno FROM messages_fts_idx WHERE segid = id AND term < :start ORDER BY term DESC LIMIT 1), 2)
  ), 0) / 2
  FROM segments WHERE id IS NOT NULL
"""


def index_pages(conn: Connection, prefix: str) -> int:
    """About how many pages of the index FTS5 reads for a prefix."""
    start = b"0" + prefix.encode()
    return int(conn.value(_PAGES, {"start": start, "end": start + b"\xff"}))
