"""Escape stored text for a terminal: it must not control the terminal, reverse the text direction or hide.

Control bytes, bidirectional overrides and invisible characters are escaped. Joiners stay where scripts and
emoji need them, between two characters that join.
"""

from __future__ import annotations

import re

_JOINING = "\u0590-\u0dff\u0f00-\u109f\u1780-\u17ff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
# C0 without tab and newline, DEL and C1; soft hyphen, marks and overrides of direction, zero-width and other
# format characters, line separators of Unicode, lone surrogates, tags
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# patterns as text: compiled on first use, which most commands never need
_LOOSE_JOINER = f"(?<![{_JOINING}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINING}])"
_UNSAFE = f"[{_HIDDEN}]|{_LOOSE_JOINER}"
_UNSAFE_INLINE = f"[\t\n{_HIDDEN}]|{_LOOSE_JOINER}"
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def body(text: str) -> str:
    """Escape text of several lines; newlines and tabs stay."""
    if _is_plain(text):
        return text
    return re.sub(_UNSAFE, _escape, text.replace("\r\n", "\n"))


def inline(text: str) -> str:
    """Escape text for one cell or line; newlines and tabs are escaped too."""
    return text if _is_plain(text) else re.sub(_UNSAFE_INLINE, _escape, text)


def in_json(text: str) -> str:
    """Escape a JSON document with JSON escapes, so that no character is lost."""
    return text if text.isascii() and "\x7f" not in text else re.sub(_UNSAFE, _json_escape, text)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code in (0x0A, 0x0D):  # between the values of indented JSON, not part of a string
        return match[0]
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
