"""Find tokens by their own shape, in the runs of letters, digits and signs that are long enough to hold one.

Most texts have few such runs, and finding them is as fast as copying the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator
from functools import cache
from itertools import accumulate

from lionstudio.model.redaction.entropy import is_random_value
from lionstudio.model.redaction.formats import ANCHORED_FORMATS, BARE_FORMATS, HARMLESS_VARIABLES, TOKEN_FORMATS
from lionstudio.model.redaction.names import kind_of
from lionstudio.model.redaction.spans import Spans

SMALL = 4096  # characters; in a text of fewer, a look for a word is cheaper than a search by an expression
_SIGNS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_+/-"
_CLASSES = bytes(97 if byte in _SIGNS else 32 for byte in range(256))
_LONG_RUN = b"a" * 17
_FIND_WINDOW = 24_000  # bytes; in fewer than 30,000, `find` takes a way that is faster for a needle of one letter
_SIGN_RUN = re.compile(r"[0-9A-Za-z_+/-]{17,4000}")
_HEX = b"0123456789abcdef-"
_WORDS = b"abcdefghijklmnopqrstuvwxyz_+/-"
_DIGIT = re.compile("[0-9]")
_PART_OF_TOKEN = b".~:$"  # signs that a token may have before its last run
_CHECKSUMS = (b"sha512-", b"sha384-", b"sha256-", b"sha1-")  # of lock files and pages
_SHORTEST_PART = 12  # characters between two slashes in a token of base64; paths have shorter ones
_LOOK_BACK = 12  # characters before a run in which a token may start: hvs., dp.scim., 1//0
_PER_HIT = 200  # characters of a run for each attempt to find a token in it, so that the work is linear

_STARTS: dict[str, list[tuple[str, str]]] = {}
for _name, _starts, _shape in TOKEN_FORMATS:
    for _start in _starts.split():
        _STARTS.setdefault(_start, []).append((_name, _shape))
_ANCHORS: dict[str, list[tuple[str, int, str]]] = {}
for _name, _anchor, _before, _shape in ANCHORED_FORMATS:
    _ANCHORS.setdefault(_anchor, []).append((_name, _before, _shape))
_FIRST = {letter: (name, shape) for name, letters, shape in BARE_FORMATS for letter in letters}


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiled at the first use: most runs meet few of the formats, and compiling all takes longer than a command."""
    return re.compile(pattern)


_SHORT_WORD = 3


@cache
def _literals() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Expressions for all fixed texts at the start of a token, and inside of one; the longest of them is found."""
    # a short literal of letters starts many words: `pat` of a token, but not of path=
    short = [start for start in _STARTS if start.isalpha() and len(start) <= _SHORT_WORD]
    starts = f"{_trie(sorted(_STARTS))}(?:(?<!{')(?<!'.join(short)})|(?=[0-9A-Za-z_-]{{5}}))"
    return re.compile(rf"[^0-9A-Za-z](?=({starts}))"), re.compile(_trie(sorted(_ANCHORS)))


def _trie(words: list[str]) -> str:
    if words == [""]:
        return ""
    groups: dict[str, list[str]] = {}
    for word in words:
        if word:
            groups.setdefault(word[0], []).append(word[1:])
    branches = [re.escape(letter) + _trie(rest) for letter, rest in groups.items()]
    return f"(?:{'|'.join(branches)}){'?' if '' in words else ''}"


@cache
def _formats_of(literal: str) -> list[tuple[str, str]]:
    """The formats that may start with this text, the most exact first."""
    starts = sorted((start for start in _STARTS if literal.startswith(start)), key=len, reverse=True)
    return [format_ for start in starts for format_ in _STARTS[start]]


def find_runs(text: bytes) -> list[tuple[int, int]]:
    """Where a text has at least 17 letters, digits and signs of base64 in a row."""
    classes, runs, start = text.translate(_CLASSES), [], 0
    while start < len(text):
        first = classes.find(_LONG_RUN, start, start + _FIND_WINDOW)
        if first < 0:
            start += _FIND_WINDOW - len(_LONG_RUN) + 1
            continue
        end = classes.find(b" ", first)
        start = len(text) if end < 0 else end
        runs.append((first, start))
    return runs


def longest_run(text: str) -> str:
    return max(_SIGN_RUN.findall(text), key=len, default="")


def find_tokens(text: str, raw: bytes, runs: list[tuple[int, int]], spans: Spans, named: Container[int]) -> None:
    """Add the tokens in the runs; `named` has the starts of values that their names give away."""
    candidates = []
    for start, end in runs:
        before = raw[start - 1] if start else 10
        if before == _EQUALS and raw[start - 2] in _SIGNATURE_ENDS:
            _check_signature(text, start, spans)
        run = raw[start:end]
        # most runs: names of small letters, checksums and ids, paths
        if not run.translate(None, _WORDS) or (before not in _PART_OF_TOKEN and not run.translate(None, _HEX)):
            continue
        if run.startswith(_CHECKSUMS):
            continue
        if b"/" in run and len(max(run.split(b"/"), key=len)) < _SHORTEST_PART:
            continue
        candidates.append((start, end))
        if before == _EQUALS:
            if raw[start - 2] in _CAPITALS and start not in named:
                _check_variable(text, start, spans)
        elif before in _QUOTES_AND_BLANK:
            _check_words_before(text, start, end, spans)
        elif before == _COLON and text.startswith("::add-mask::", max(0, start - 12)):  # of GitHub Actions
            spans.add(start, _end_of_token(text, start), "named-value")
    if candidates:
        _find_formats(text, candidates, spans)


_EQUALS, _COLON = b"=:"
_SIGNATURE_ENDS = b"ge"  # of sig= and signature=
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_QUOTES_AND_BLANK = b" `'\""
# Escapes end with a letter or digit, and a token may follow; blanks of the same length take their place.
_PERCENT = re.compile(r"%(?:0A|2[026CF]|3[ADF])")
_BACKSLASH = re.compile(r"\\[nrt]")


def _find_formats(text: str, runs: list[tuple[int, int]], spans: Spans) -> None:
    """One search in all runs together: a call for each of them takes longer than the search itself."""
    firsts = [max(0, start - _LOOK_BACK - 1) for start, _ in runs]
    # a letter in front, so that nothing starts where a slice cuts through a word
    pieces = [
        f"Q{text[first:end]}" if first else f"\n{text[:end]}" for first, (_, end) in zip(firsts, runs, strict=True)
    ]
    joined = "".join(pieces)
    if "\\" in joined:
        joined = _BACKSLASH.sub("  ", joined)
    if "%" in joined:
        joined = _PERCENT.sub("   ", joined)
    ends = list(accumulate(map(len, pieces)))
    word_start, inside = _literals()

    def attempts(pattern: re.Pattern[str], group: int) -> Iterator[tuple[int, str]]:
        """Where a token may be, and the literal; a run gets a share of them, so that the work is linear."""
        number, left, match = -1, 0, pattern.search(joined)
        while match is not None:
            position = match.start(group)
            if number < 0 or position >= ends[number]:
                number = bisect_right(ends, position)
                left = 8 + (runs[number][1] - runs[number][0]) // _PER_HIT
            left -= 1
            yield firsts[number] + position - (ends[number] - len(pieces[number])) - 1, match[group]
            match = pattern.search(joined, match.end() if left else ends[number])

    for place, literal in attempts(word_start, 1):
        _match_start(text, place, literal, spans)
    if True in map(joined.__contains__, _ANCHORS):
        for place, literal in attempts(inside, 0):
            _match_around(text, place, literal, spans)
    for start, _ in runs:
        if text[start] not in _BARE_START:
            continue
        word = start + _length_of_sign(text, start)
        if (format_ := _FIRST.get(text[word])) and (match := compiled(format_[1]).match(text, word)):
            spans.add(word, match.end(), format_[0])


_BARE_START = frozenset("+-nrt023").union(_FIRST)


def _length_of_sign(text: str, start: int) -> int:
    """Characters at the start of a run that belong to the sign of a line in a diff or to an escape."""
    before = text[start - 1 : start]
    return 2 if before == "%" else int(text[start] in ("nrt" if before == "\\" else "+-"))


_SHORT_START = 5  # characters of a text that is too short to tell a token from words


def _match_start(text: str, start: int, literal: str, spans: Spans) -> None:
    for name, shape in _formats_of(literal):
        match = compiled(shape).match(text, start)
        if match is not None and (len(literal) >= _SHORT_START or _DIGIT.search(match[0], len(literal))):
            spans.add(start, match.end(), name)
            return


def _match_around(text: str, start: int, literal: str, spans: Spans) -> None:
    for name, before, shape in _ANCHORS[literal]:
        # the longest token that has this text inside
        for first in range(max(0, start - before), start):
            match = compiled(shape).match(text, first)
            if match is not None and match.end() > start + len(literal) and _starts_word(text, first):
                spans.add(first, match.end(), name)
                return


def _starts_word(text: str, start: int) -> bool:
    return not text[start - 1 : start].isalnum() or bool(_ESCAPE_END.search(text, max(0, start - 3), start))


_ESCAPE_END = re.compile(r"(?:\\[nrt]|%[0-9A-F]{2})\Z")
_TOKEN = re.compile(r"[0-9A-Za-z._~+/=-]{0,8000}")


def _end_of_token(text: str, start: int) -> int:
    match = _TOKEN.match(text, start)
    return match.end() if match else start


def _check_words_before(text: str, start: int, end: int, spans: Spans) -> None:
    """Values that nothing assigns: "the token is …", `api key -> …`, `setenv API_TOKEN …`."""
    before = text[max(0, start - 32) : start].rstrip(" `'\"")
    if before.endswith((" is", " was", "->", "=>")):
        before = before[:-3].rstrip()
    word = before.rpartition(" ")[2]
    if not word[-6:].lower().endswith(_ANNOUNCING):
        return
    if word.lower() == "bearer":
        spans.add(start, _end_of_token(text, start), "bearer")
    elif end - start >= _LONG_VALUE and "ublic " not in before and kind_of(word) and is_random_value(text[start:end]):
        spans.add(start, end, "named-value")


_ANNOUNCING = ("bearer", "ssword", "passwd", "token", "secret", "key")
_LONG_VALUE = 24  # characters of a value that looks random without an assignment
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{1,60}=\Z")
_VALUE = re.compile(r"[0-9A-Za-z_+/=.~-]{0,4000}")


def _check_variable(text: str, start: int, spans: Spans) -> None:
    """NAME=value with a value that looks random, whatever the name."""
    if not text[max(0, start - 10) : start].isupper():
        return
    name = _VARIABLE.search(text, max(0, start - 62), start)
    value = _VALUE.match(text, start)
    if name is None or value is None or not is_random_value(value[0]):
        return
    if not any(word in HARMLESS_VARIABLES for word in name[0][:-1].split("_")):
        spans.add(start, value.end(), "variable")


_SIGNATURE = re.compile(r"[0-9A-Za-z%+/=_-]{20,1000}")


def _check_signature(text: str, start: int, spans: Spans) -> None:
    """The signature of a URL."""
    if text[max(0, start - 10) : start - 1].endswith(("sig", "ignature")) and (
        signature := _SIGNATURE.match(text, start)
    ):
        spans.add(start, signature.end(), "signature")
