"""Redaction of secrets before anything is stored: tokens by their shape, values by the name they are assigned to, known
values by exact match.

A secret becomes `[REDACTED:rule:sha8]`; the original is not kept. The time is linear in the length of the text: every
search either moves forward or looks at a bounded window.
"""

from __future__ import annotations

import base64
import json
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from lionstudio.errors import LionError
from lionstudio.model.json_codec import dump, load
from lionstudio.model.redaction.assigned import MAX_VALUE, find_assigned, is_secret
from lionstudio.model.redaction.colours import find_colours, without_colours
from lionstudio.model.redaction.identifiers import IDENTIFIERS
from lionstudio.model.redaction.names import is_plain_key, is_secret_key, kind_of
from lionstudio.model.redaction.spans import Spans, mark
from lionstudio.model.redaction.surroundings import find_private_keys, find_surrounded
from lionstudio.model.redaction.tokens import SMALL, find_runs, find_tokens, longest_run

_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
_WITHOUT_INVISIBLE = dict.fromkeys(map(ord, _INVISIBLE))
_SHORTEST = 8  # characters of the shortest text that can hold a secret: pwd=abcd
_LONG = 64 * 1024  # characters of a text that is worth remembering as clean
_PIECE = 512 * 1024  # characters of a long text that are searched at once
_BEHIND = 4096  # characters before a piece that tell about its beginning: names, the start of a run
_AHEAD = 24 * 1024  # characters after a piece in which its last secret may end: more than most private keys have
_SHORT = 12  # characters; a shorter value that is known exactly may be a part of other words
# where a word begins: also behind an escape of JSON or of a URL
_WORD_BEGIN = r"(?:(?<![0-9A-Za-z])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2}))"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_HEX_ID = re.compile(r"[0-9a-f-]{8,80}")  # digests and UUIDs: no rule finds a secret in one that no name announces
_WORD = 64  # characters of a text that is short enough to be remembered as clean: a key, a tool, a model, an id
_MOST_WORDS = 4096
_PLAIN_WORD = re.compile(r"[0-9A-Za-z._-]{0,80}")


class Redactor:
    """Removes secrets from text and JSON values; `values` are secrets known exactly, such as the agent's API keys."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values for form in _forms(value)}
        self._known = tuple(sorted(forms, key=len, reverse=True))
        # the parts of known values that stand in long runs of letters and digits, and the values without such a part
        self._run_parts = sorted({part for form in forms if (part := longest_run(form))}, key=len)
        self._run_lengths = list(map(len, self._run_parts))
        self._rest = tuple(form for form in self._known if not longest_run(form))
        self._pattern: re.Pattern[str] | None = None
        self._clean_words: set[str] = set()
        self._clean_texts: deque[tuple[int, int]] = deque(maxlen=16)  # long texts without a secret: length and hash

    def text(self, text: str) -> str:
        if len(text) > _WORD:
            return self._visible(text)
        if len(text) < _SHORTEST or text in self._clean_words:
            return text
        if _HEX_ID.fullmatch(text) and True not in map(text.__contains__, self._known):
            return text
        if (cleaned := self._visible(text)) == text:
            if len(self._clean_words) >= _MOST_WORDS:
                self._clean_words.clear()
            self._clean_words.add(text)
        return cleaned

    def is_clean_word(self, text: str) -> bool:
        """Whether a text has no signs but those of names and ids, and no secret: it has none in quotes either."""
        if len(text) <= _WORD and _HEX_ID.fullmatch(text):
            return True not in map(text.__contains__, self._known)
        if _PLAIN_WORD.fullmatch(text) is None or self.text(text) != text:
            return False
        return len(text) >= _SHORTEST or True not in map(text.__contains__, self._known)

    def _visible(self, text: str) -> str:
        if not text.isascii() and any(letter in text for letter in _INVISIBLE):
            visible = text.translate(_WITHOUT_INVISIBLE)
            cleaned = self._clean(visible)
            return text if cleaned == visible else cleaned
        return self._clean(text)

    def _clean(self, text: str) -> str:
        if (colours := find_colours(text)) is not None:
            plain, place_of = without_colours(text, colours)
            if not (spans := self._find(plain)).found:
                return text
            spans.move(place_of)
            return spans.remove_from(text)
        return self._find(text).remove_from(text)

    def _find(self, text: str) -> Spans:
        if len(text) <= _PIECE + _AHEAD:
            return self._find_in(text)
        spans = Spans()
        for start in range(0, len(text), _PIECE):
            spans.extend(self._find_in_piece(text, start, start + _PIECE))
        return spans

    def _find_in_piece(self, text: str, start: int, end: int) -> Spans:
        """The secrets that begin in a piece of a long text: no search is long, so that other threads get their turn."""
        first, ahead = max(0, start - _BEHIND), _AHEAD
        while True:
            last = min(len(text), end + ahead)
            found = self._find_in(text[first:last]).found
            spans = Spans()
            spans.found = [(first + a, first + b, rule) for a, b, rule in found if start <= first + a < end]
            if last == len(text) or all(b < last for _, b, _ in spans.found):
                return spans
            ahead *= 2  # one goes on where the view ends: a key without its last line

    def _find_in(self, text: str) -> Spans:
        spans, assigned = Spans(), Spans()
        # secrets are ASCII, or have signs around them that are; searching is faster there, at the same positions
        raw = text.encode("ascii", "replace")
        plain = text if text.isascii() else raw.decode()
        runs = find_runs(raw)
        if self._has_known(text, plain, runs):
            for match in self._known_values().finditer(text):
                spans.add(match.start(), match.end(), "environment")
        if "-" in plain and (len(plain) >= SMALL or "PRIVATE" in plain):
            find_private_keys(plain, spans)
        find_assigned(plain, assigned)
        if runs:
            find_tokens(plain, raw, runs, spans, assigned.starts())
        spans.extend(assigned)
        find_surrounded(plain, spans)
        return spans

    def _has_known(self, text: str, plain: str, runs: list[tuple[int, int]]) -> bool:
        if True in map(text.__contains__, self._rest):
            return True
        if not runs or not self._run_parts:
            return False
        possible = bisect_right(self._run_lengths, max([end - start for start, end in runs]))
        if possible == 0:
            return False
        joined = "\n".join([plain[start:end] for start, end in runs])
        return True in map(joined.__contains__, self._run_parts[:possible])

    def _known_values(self) -> re.Pattern[str]:
        if self._pattern is None:
            self._pattern = re.compile("|".join(map(_known_pattern, self._known)))
        return self._pattern

    def stored(self, text: str) -> str:
        """Redact a value of a column, which may be JSON and is JSON afterwards."""
        if len(text) < _SHORTEST or (len(text) == 36 and _UUID.fullmatch(text) and text not in self._known):
            return text
        stamp = (len(text), hash(text)) if len(text) >= _LONG else None
        if stamp is not None and stamp in self._clean_texts:
            return text
        cleaned = self.text(text)
        if text[0] in '{["' and (cleaned != text or "\\u" in text):
            cleaned = self._json(text, cleaned)
        if stamp is not None:
            self._clean_texts.append((len(cleaned), hash(cleaned)))
        return cleaned

    def _json(self, text: str, cleaned: str) -> str:
        try:
            value = load(text)
            redacted = self.value(value)
            result = text if redacted == value else dump(redacted)
        except (ValueError, RecursionError, LionError):
            return cleaned
        # a secret that shows in the JSON text only
        if (again := self.text(result)) != result:
            try:
                load(again)
            except (ValueError, RecursionError):
                return result
        return again

    def value(self, value: Any) -> Any:
        """Redact every string and key of a JSON value; the value itself is not changed.

        A value is also read together with its key, because `{"password": …}` names its secret only there.
        """
        if isinstance(value, str):
            return self.text(value)
        if type(value) is dict or isinstance(value, Mapping):
            # {"name": "DB_PASSWORD", "value": …}
            named = value.get("name") or value.get("key")
            name = named if isinstance(named, str) else "value"
            return {
                self.text(str(key)): self._entry(name if key == "value" else str(key), item)
                for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value

    def record(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Redact an object of ours; what identifies something is looked up again and stays."""
        return {**self.value(value), **{key: item for key, item in value.items() if key in IDENTIFIERS}}

    def _entry(self, key: str, value: Any) -> Any:
        if isinstance(value, str) and 4 <= len(value) <= MAX_VALUE and is_secret_key(key):
            kind = kind_of(key)
            if kind in ("cookie", "authorization"):
                return self.text(f"{key}: {value}").removeprefix(f"{key}: ")
            if kind is not None and "\n" not in value and is_secret(kind, value, bare=False):
                return value if is_plain_key(key, value) else mark(kind, value)
        return self.value(value)


def _known_pattern(form: str) -> str:
    """A short value counts as a whole word only."""
    if len(form) >= _SHORT:
        return re.escape(form)
    begin = _WORD_BEGIN if form[0].isalnum() else ""
    return begin + re.escape(form) + (r"(?![0-9A-Za-z])" if form[-1].isalnum() else "")


def _forms(value: str) -> set[str]:
    """The encodings in which a secret may appear: plain, base64, URL, JSON."""
    from urllib.parse import quote, quote_plus  # only where a secret is known

    raw = value.encode("utf-8", "surrogateescape")
    encoded = base64.b64encode(raw).decode().rstrip("=")
    return {value, encoded, json.dumps(value)[1:-1], quote(raw, safe=""), quote(raw), quote_plus(raw)}
