"""Stored text on its way to a person: nothing in it may command the terminal, turn the writing around or hide.

Control bytes, bidirectional overrides and invisible characters are spelled out. Joiners stay where scripts and
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
# patterns as text: they are compiled at the first text that needs them, which most commands never meet
_LOOSE_JOINER = f"(?<![{_JOINING}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINING}])"
_UNSAFE = f"[{_HIDDEN}]|{_LOOSE_JOINER}"
_UNSAFE_INLINE = f"[\t\n{_HIDDEN}]|{_LOOSE_JOINER}"
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def body(text: str) -> str:
    """Text of several lines: newlines and tabs stay, everything else that could do harm is spelled out."""
    if _is_plain(text):
        return text
    return re.sub(_UNSAFE, _spelled, text.replace("\r\n", "\n"))


def inline(text: str) -> str:
    """Text for one cell or one line."""
    return text if _is_plain(text) else re.sub(_UNSAFE_INLINE, _spelled, text)


def in_json(text: str) -> str:
    """The same for a JSON text, by escapes that JSON knows, so that nothing is lost."""
    return text if text.isascii() and "\x7f" not in text else re.sub(_UNSAFE, _json_escape, text)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _spelled(found: re.Match[str]) -> str:
    char = found[0]
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code in (0x0A, 0x0D):  # between values of an indented text, where it is no part of a string
        return found[0]
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
