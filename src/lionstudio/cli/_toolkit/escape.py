"""Escape stored text for a terminal: it must not control the terminal, reverse the text direction or hide.

Control bytes, bidirectional overrides and invisible characters are escaped. Joiners stay where scripts and
emoji need them, between two characters that join.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the one in typing is slow to load
if TYPE_CHECKING:
    from collections.abc import Callable
    from re import Match

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
# or one of the codes that terminal.py paints with: bold, dim, a colour, and back to normal
_UNSAFE_OR_PAINT = rf"\x1b\[(?:[012]|3[1-6])m|{_UNSAFE}"
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_PLAIN = bytes((9, 10, *range(32, 127)))


def body(text: str) -> str:
    """Escape text of several lines; newlines and tabs stay."""
    if _is_plain_body(text):
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    return "\n".join([line if _is_plain(line) else _replaced(_UNSAFE, _escape, line) for line in lines])


def inline(text: str) -> str:
    """Escape text for one cell or line; newlines and tabs are escaped too."""
    return text if _is_plain(text) else _replaced(_UNSAFE_INLINE, _escape, text)


def in_json(text: str) -> str:
    """Escape a JSON document with JSON escapes, so that no character is lost."""
    return text if text.isascii() and "\x7f" not in text else _replaced(_UNSAFE, _json_escape, text)


def guarded(text: str) -> str:
    """Text as it goes to a stream: newlines, tabs and our own colours stay, any other control is escaped.

    Every writer of the command line uses it, so that a command that forgets `inline` or `body` does no harm.
    """
    if _is_plain_body(text):
        return text
    lines = text.split("\n")
    if all(map(str.isprintable, lines)):
        return text
    return "\n".join(
        [line if line.isprintable() else _replaced(_UNSAFE_OR_PAINT, _escape_others, line) for line in lines]
    )


def _is_plain_body(text: str) -> bool:
    # several times as fast as isprintable, which looks every character up in a table of Unicode
    return text.isascii() and not text.encode().translate(None, _PLAIN)


def _replaced(pattern: str, by: Callable[[Match[str]], str], text: str) -> str:
    import re  # slow to load, and `li --help` does not need it

    return re.sub(pattern, by, text)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _escape(match: Match[str]) -> str:
    char = match[0]
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_others(match: Match[str]) -> str:
    return match[0] if len(match[0]) > 1 else _escape(match)


def _json_escape(match: Match[str]) -> str:
    code = ord(match[0])
    if code in (0x0A, 0x0D):  # between the values of indented JSON, not part of a string
        return match[0]
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
