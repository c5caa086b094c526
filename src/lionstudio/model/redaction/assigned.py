"""Find values by the name that they are assigned to: NAME=value, `name: value`, "name": "value", <name>value</name>."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from lionstudio.model.redaction.entropy import is_hex_or_uuid, looks_random
from lionstudio.model.redaction.formats import HARMLESS_WORDS, PLACEHOLDERS
from lionstudio.model.redaction.names import is_plain_key, kind_of, names_secret
from lionstudio.model.redaction.spans import MARK, Spans
from lionstudio.model.redaction.tokens import compiled

MAX_VALUE = 4000
_SAMPLE = 400  # characters that tell whether a long value is random
_NAME_LENGTH = 48  # characters of a name before its operator, at most
_OPERATOR_LENGTH = 64  # characters of an operator with what may stand around it
_DENSE = 200  # characters for each operator; with more operators the whole text is searched for names
_FEW = 8  # operators of a short text
_PER_VALUE = 200  # characters of a value for each name inside it, so that the work is linear

_ASSIGNED = (
    r"(?P<rest>[0-9a-z_-]{0,40}+)(?P<close>\\{0,3}+[\"'`\]]{0,2}+)"
    r"(?P<space>[ \t]{0,8}+)"
    r"(?:(?P<operator>:=|=>|={1,3}|: ?&?[a-z][0-9a-z_.<>\[\]|]{0,30}+ =(?= )|:(?![ \t]{0,8}+[a-z_-]{1,40}+:\s))"
    r"[ \t]{0,8}+"
    r"(?:[|>][+-]?\r?\n[ \t]{1,40}+|(?P<line>\r?\n|\\{1,3}n)[ \t]{0,40}+(?=\\{0,3}[\"']))?"
    r"|(?P<xml>>)(?=[^<\s]{4})"
    r"|[,{]?\s{0,40}+(?:type[ \t]{0,8}+=[ \t]{0,8}+[a-z]{1,20}+\s{1,40}+)?"
    r"\\{0,3}+[\"']?(?:value|default)\\{0,3}+[\"']?[ \t]{0,4}+[:=][ \t]{0,4}+)"
    # the value: after a quote that does not open another one, as in a="b="c", or at least four characters
    r"(?P<prefix>[bfrul@]{0,2}(?=[\"']))?"
    r"(?:(?P<quote>\\{0,3}+[\"'`])(?!\\{0,3}+[a-z_.-]{1,48}+[=:] ?\\{0,3}+[\"'`])|(?=[^\s\"'`,;(){}<>\[\]|\\]\S{3}))"
)


# Stems by a letter in them that is rare in texts: a search for a letter is as fast as a copy.
_ANCHORS = {
    "k": r"k(?:(?P<whole>ey)|(?<=tok)en|(?<=cook)ie)",
    "p": r"p(?:ass|(?P<whole>wd|(?<=_p)(?:at|w)))",
    "c": r"c(?:(?<=sec)ret|redential)",
    "u": r"u(?<=au)th",
}
_STEM_PATTERNS = {letter: stem + _ASSIGNED for letter, stem in _ANCHORS.items()}
_BARE = re.compile(r"[^\s\"'`,;(){}<>\[\]|\\]{1,4000}")
_MORE_SIGNS = re.compile(
    r"(?:[,;(){}<>\[\]|\\](?!\s|\Z|[0-9A-Za-z_ -]{1,40}[=:])[^\s\"'`,;(){}<>\[\]|\\]{0,400}+){1,20}+"
)
_MORE_WORDS = re.compile(r"(?: [^\s#\"'`]{1,40}){1,4}(?=\r?\n|\Z)")
_TEST_NAME = re.compile(r"(?i:test)|[0-9A-Za-z]/[0-9A-Za-z]|\.[a-z]{1,4}\Z")
_NEXT_PAIR = re.compile(r"&[0-9A-Za-z_.-]{1,60}=")
_NAME_SIGNS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.-"


# A plain word after a colon is not a secret, and prose has nothing else there; `Authorization: Bearer …` goes on.
_OPERATORS = {
    ":": r":(?:(?<=[nN]:)|(?![ \t]{0,8}(?:[A-Za-z]{1,15}[.!?]{0,3}(?:[\s\"'`,;(){}<>\[\]|\\]|\Z)"
    r"|\r?\n[ \t]{0,40}[0-9A-Za-z#*-])))",
    "=": "=",
    ">": ">",
}


def find_assigned(text: str, spans: Spans) -> None:
    """The text is ASCII, so that its lower case has the same positions."""
    most = max(_FEW, len(text) // _DENSE)
    ends: list[int] = []
    for sign, pattern in _OPERATORS.items():
        if sign in text:
            ends += [match.start() for match in islice(compiled(pattern).finditer(text), most + 1)]
    if not ends:
        return
    if len(ends) > most:
        lowered = text.lower()
        for pattern in _STEM_PATTERNS.values():
            _Search(text, lowered, compiled(pattern), spans).run(0, len(text))
        return
    # a name stands just before its operator: only these parts of a text with few operators count
    ends.sort()
    names = ":".join([text[max(0, end - _NAME_LENGTH) : end].rjust(_NAME_LENGTH) for end in ends]).lower()
    if not names_secret(names):
        return
    for letter, stem in _ANCHORS.items():
        search = _Search(text, text, compiled(f"(?i){_STEM_PATTERNS[letter]}"), spans)
        match = compiled(stem).search(names)
        while match is not None:
            number = match.start() // (_NAME_LENGTH + 1)
            search.run(max(0, ends[number] - _NAME_LENGTH), ends[number] + _OPERATOR_LENGTH)
            match = compiled(stem).search(names, (number + 1) * (_NAME_LENGTH + 1))


class _Search:
    """One search for the names with some stems, in the text or in its lower case."""

    def __init__(self, text: str, searched: str, pattern: re.Pattern[str], spans: Spans) -> None:
        self._text, self._searched, self._pattern, self._spans = text, searched, pattern, spans
        self._searched_to = 0
        self._covered = 0  # the end of the last secret
        self._line_end = 0
        self._bare_end = self._attempts = 0  # the value that was looked at last, and how many names in it may follow

    def run(self, position: int, end_position: int) -> None:
        search, has_whole = self._pattern.search, "whole" in self._pattern.groupindex
        position = max(position, self._searched_to)
        while (match := search(self._searched, position, end_position)) is not None:
            position = self._searched_to = match.end()
            if position < self._covered:
                continue
            if position < self._bare_end and self._attempts <= 0:
                position = self._bare_end
                continue
            if has_whole and match["whole"] and self._text[match.start("rest")].islower():
                continue  # keyword, author, pattern
            if match["quote"]:
                self._quoted(match)
            else:
                self._unquoted(match)

    def _add(self, start: int, end: int, kind: str) -> None:
        self._spans.add(start, end, kind)
        self._covered = end

    def _quoted(self, match: re.Match[str]) -> None:
        text, quote, start = self._text, match["quote"], match.end()
        end = text.find(quote, start, start + MAX_VALUE)
        while end > 0 and len(quote) == 1 and _is_escaped(text, end):
            end = text.find(quote, end + 1, start + MAX_VALUE)
        if end <= start or self._is_next_name(start, end) or text.find("\n", start, end) >= 0:
            return  # no value, or the quote of the next one
        value = text[start:end]
        if "f" in (match["prefix"] or "").lower() and "{" in value:
            return
        if match["line"] and not match["close"]:
            return  # the text of a block: `if password:` and a string in the next line
        name = self._name(match)
        kind = kind_of(name)
        if kind == "authorization":
            self._credentials(start, end)
        elif kind is not None and is_secret(kind, value, False) and not is_plain_key(name, value):
            self._add(start, end, kind)

    def _is_next_name(self, start: int, end: int) -> bool:
        """Whether the quote that ends a value opens the next one: a="b c="d"""
        if self._text[end - 1] not in "=: ":
            return False
        tail = self._text[max(start, end - _NAME_LENGTH) : end].rstrip(" ")
        return tail[-1:] in ("=", ":") and names_secret(tail)

    def _unquoted(self, match: re.Match[str]) -> None:
        text, start = self._text, match.end()
        if start < self._bare_end:  # inside of a value that was looked at: it ends where that ends
            end, self._attempts = self._bare_end, self._attempts - 1
        else:
            bare = _BARE.match(text, start)
            if bare is None:
                return
            end = bare.end()
            self._looked_at(start, end)
        name = self._name(match)
        kind = kind_of(name)
        if kind is None or (match["xml"] and text[end : end + 2] != "</"):
            return
        if kind in ("authorization", "cookie"):
            if start >= self._line_end:
                self._line_end = _find_any(text, "\r\n\"'`", start, start + MAX_VALUE)
                self._looked_at(start, self._line_end)
            (self._credentials if kind == "authorization" else self._cookie)(start, self._line_end)
            return
        value = text[start:end]
        if "&" in value and (pair := _NEXT_PAIR.search(value)) is not None:
            end = start + pair.start()
            value = text[start:end]
        self._bare(match, name, kind, value, start, end)

    def _looked_at(self, start: int, end: int) -> None:
        self._bare_end, self._attempts = end, 4 + (end - start) // _PER_VALUE

    def _bare(self, match: re.Match[str], name: str, kind: str, value: str, start: int, end: int) -> None:
        text, operator = self._text, match["operator"]
        tight = operator == "=" and not match["space"] and start == match.end("operator")
        env = tight and name.isupper()  # NAME=value of a shell or .env file
        following = text[end : end + 1]
        if following == "(" and not env:
            return  # a call
        plain = tight and following in ("", " ", "\n", "\r", "&", ";") and "." not in value
        prose = operator == ":"
        value = value.rstrip(".,:!?") if prose and (following in ("", " ", "\n")) and value[-1] in ".,:?" else value
        if not value or not is_secret(kind, value, True, env, plain):
            return
        if is_plain_key(name, value) or (name == "PASS" and prose and self._is_test_result(match, value)):
            return
        if kind == "key" and text[max(0, match.start() - 7) : match.start()].lower().endswith(("public ", "cache ")):
            return
        end = start + len(value)
        if kind == "password" and not match["xml"]:
            more = _MORE_SIGNS.match(text, end)
            end = more.end() if more else end
            words = None if tight else _MORE_WORDS.match(text, end)
            if words and self._starts_line(match) and any(not letter.isalpha() for letter in value):
                end = words.end()
        self._add(start, end, kind)

    def _starts_line(self, match: re.Match[str]) -> bool:
        line = self._text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
        return not line.strip(" \t+-\"'") or " " not in line.strip(" \t+-\"'")

    def _is_test_result(self, match: re.Match[str], value: str) -> bool:
        """`--- PASS: TestLogin/twice` of Go, `PASS: tests/login.sh` of automake."""
        line = self._text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2].strip()
        return line == "---" or (not line and _TEST_NAME.search(value) is not None)

    def _credentials(self, start: int, end: int) -> None:
        """The part of an Authorization header after the scheme."""
        match = _CREDENTIALS.match(self._text, start, end)
        if match and MARK not in match[0] and not _is_placeholder(match["s"]):
            self._add(match.start("s"), match.end("s"), "authorization")

    def _cookie(self, start: int, end: int) -> None:
        match = _COOKIE.match(self._text, start, end)
        if match and MARK not in match[0] and not _is_placeholder(match[0]):
            self._add(match.start(), match.end(), "cookie")

    def _name(self, match: re.Match[str]) -> str:
        text, start = self._text, match.start()
        before = text[max(0, start - 60) : start]
        return before[len(before.rstrip(_NAME_SIGNS)) :] + text[start : match.end("rest")]


_CREDENTIALS = re.compile(
    r"(?:(?:basic|bearer|token|apikey|digest|negotiate|bot|key|ssws|aws4-hmac-sha256|oauth|sso-key|discogs)"
    r"\\?[ \t]{1,4})?"
    r"(?P<s>(?=[^\s]{0,100}[0-9=+/._~-])[0-9A-Za-z._~+/=:-]{8,4000})",
    re.IGNORECASE,
)
_COOKIE = re.compile(
    r"[^\s=;,\"']{1,100}=[^;\s\"'\\]{8,4000}(?:;[ \t]?[^\s=;,\"']{1,100}=[^;\s\"'\\]{1,4000}){0,40}"
    r"|[^\s=;,\"']{1,100}=[^;\s\"'\\]{0,4000}(?:;[ \t]?[^\s=;,\"']{1,100}=[^;\s\"'\\]{1,4000}){1,40}"
)


def _is_escaped(text: str, position: int) -> bool:
    count = 0
    while count < 8 and text[position - 1 - count] == "\\":
        count += 1
    return count % 2 == 1


def _find_any(text: str, letters: str, start: int, end: int) -> int:
    found = [text.find(letter, start, end) for letter in letters]
    return min((position for position in found if position >= 0), default=min(end, len(text)))


_PLAIN_NAME = re.compile(r"[A-Za-z_$][0-9A-Za-z_$]*(?:\.[A-Za-z_$][0-9A-Za-z_$]*)*")
_NUMBER = re.compile(r"[0-9.,_-]+(?:[a-zA-Z]{1,3})?")
_HAS_DIGIT = re.compile(r"[0-9]")


_PLACEHOLDER_START = re.compile("|".join(map(re.escape, PLACEHOLDERS)))
_PLACEHOLDER_INSIDE = re.compile("|".join(re.escape(text) for text in PLACEHOLDERS if len(text) > 3))


def _is_placeholder(value: str) -> bool:
    lowered = value.lower()
    return bool(_PLACEHOLDER_START.match(lowered) or _PLACEHOLDER_INSIDE.search(lowered))


# keys of objects and caches: photos/2026/01/a.jpg, node-linux-<checksum>
_OBJECT_KEY = re.compile(
    r"[\w.-]{1,100}(?:/[\w.-]{1,100}){1,20}\.[a-z0-9]{1,5}|[A-Za-z][a-z0-9.]{1,20}(?:[-_][\w.]{1,20}){0,6}[-_][0-9a-f]{32,64}"
)


@lru_cache(256)
def is_secret(kind: str, value: str, bare: bool, env: bool = False, plain: bool = False) -> bool:
    """Whether a value that is assigned to a secret name is one.

    `bare`: without quotes; `env`: of a variable in capitals; `plain`: NAME=value that is not an argument of a call.
    """
    if len(value) < 4 or MARK in value or _is_placeholder(value[:_SAMPLE]):
        return False
    value = value[:_SAMPLE]
    if value[0] in "$%./~he" and (
        value[0] in "$%" or value.startswith(("./", "~/", "../", "http://", "https://", "env:")) or _is_path(value)
    ):
        return False
    if kind == "password":
        return len(set(value)) >= 3 and _is_password(value, bare, env, plain)
    if len(value) < 12 or " " in value or "\t" in value or _NUMBER.fullmatch(value):
        return False
    if kind == "key":
        is_known = is_hex_or_uuid(value) or _OBJECT_KEY.fullmatch(value) is not None
        return len(value) >= 20 and not is_known and looks_random(value, env=False)
    return looks_random(value, env=env)


def _is_path(value: str) -> bool:
    """Base64 may start with a slash too."""
    return value[0] == "/" and len(value) < 60 and value.count("/") > 1


def _is_password(value: str, bare: bool, env: bool, plain: bool) -> bool:
    if value.lower().strip(".") in HARMLESS_WORDS:
        return False
    if bare and _PLAIN_NAME.fullmatch(value) and not _HAS_DIGIT.search(value):
        return env or (plain and value.islower() and len(value) >= 6 and "_" not in value)
    return env or not (bare and value.startswith(("<", "@", "*", "&")))
