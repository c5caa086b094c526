"""Tell random values from words, names, numbers and paths."""

from __future__ import annotations

import math
import re

_HEX = re.compile(r"(?:0x)?[0-9a-fA-F-]+")
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]+|[A-Z]+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)*")
_NOT_LETTERS = re.compile(r"[^A-Za-z]+")
_NO_VOWEL = re.compile(r"[^aeiouyAEIOUY\W\d_]{6,}")
_SAMPLE = 400  # characters that tell whether a long value is random
_BITS = [0.0, *(count * math.log2(count) for count in range(1, _SAMPLE + 1))]
# each character as its kind, so that counting kinds is counting bytes: 0 a A, - for the signs of names, / for paths
_KINDS = bytes(
    48 if letter.isdigit() else 97 if letter.islower() else 65 if letter.isupper() else 45 if letter in "-_." else byte
    for byte, letter in enumerate(map(chr, range(128)))
) + bytes(128)


def has_entropy(value: str, bits: float) -> bool:
    """Whether a value has at least so many bits for each character."""
    sample = value[:_SAMPLE]
    total, letters = len(sample), set(sample)
    most, repeated = math.log2(total), total - len(letters) + 1
    if most - _BITS[repeated] / total >= bits:  # even if one letter were all that is repeated
        return True
    if len(letters) < 2**bits:
        return False
    return most - sum(map(_BITS.__getitem__, map(sample.count, letters))) / total >= bits


def is_hex_or_uuid(value: str) -> bool:
    return _HEX.fullmatch(value) is not None


def is_random_value(value: str) -> bool:
    """Whether a value looks random by itself: long, of mixed letters and digits, no checksum and no path."""
    if len(value) < 24 or value.startswith(("/", "sha", "md5", "http")):
        return False
    count = value.encode("ascii", "replace").translate(_KINDS).count
    return (
        count(b"0") >= 2
        and count(b"A") > 0
        and count(b"a") > 0
        and count(b"/") <= len(value) // 16
        and count(b"-") <= len(value) // 10
        and not is_hex_or_uuid(value)
        and has_entropy(value, 4.0)
    )


def looks_random(value: str, *, env: bool) -> bool:
    """Digits and letters mixed, or letters that do not form words."""
    count = value.encode("ascii", "replace").translate(_KINDS).count
    digits, letters = count(b"0"), count(b"a") + count(b"A")
    # identifiers and paths are made of words: few digits, and separators between words
    if digits <= 4:
        words = [word for word in _NOT_LETTERS.split(value) if len(word) > 2]
        made_of_words = sum(map(len, words)) > 0.75 * len(value) and all(map(_WORD.fullmatch, words))
        if made_of_words and (len(words) > 1 or len(value) < 20 or _reads_like_words(value)):
            return env and digits >= 2 and has_entropy(value, 3.2)
    if digits and letters:
        return has_entropy(value, 2.8)
    return letters >= 16 and has_entropy(value, 3.4)


def _reads_like_words(word: str) -> bool:
    """No long run without a vowel, and the usual share of vowels."""
    vowels = sum(letter in "aeiouyAEIOUY" for letter in word)
    return 0.25 <= vowels / max(1, len(word)) <= 0.6 and _NO_VOWEL.search(word) is None
