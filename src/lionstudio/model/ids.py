"""Ids: UUIDv7, so that rows created one after another are adjacent in every index.

Ids from other programs may be any printable text of up to 200 characters.
"""

from __future__ import annotations

import os
import time

from lionstudio.errors import InvalidInput

MAX_ID_LENGTH = 200  # a longer one is a mistake, and every index would store it

_last_stamp = 0


def new_id() -> str:
    """A new UUIDv7; ids of one process are strictly increasing."""
    global _last_stamp
    nanos = time.time_ns()
    stamp = (nanos // 1_000_000) << 12 | (nanos % 1_000_000) * 4096 // 1_000_000
    if stamp <= _last_stamp:
        stamp = _last_stamp + 1
    _last_stamp = stamp
    try:
        tail = _tails.pop()
    except IndexError:
        tail = _draw_tails()
    head = f"{stamp:015x}"
    return f"{head[:8]}-{head[8:12]}-7{head[12:]}-{tail}"


_TAILS = 256  # random ends of ids that are drawn at once: asking the system for each is most of the cost of an id
_tails: list[str] = []
os.register_at_fork(after_in_child=_tails.clear)  # a child must not give out the ids of its parent


def _draw_tails() -> str:
    drawn = os.urandom(8 * _TAILS).hex()
    tails = [
        f"{'89ab'[int(drawn[at], 16) & 3]}{drawn[at + 1 : at + 4]}-{drawn[at + 4 : at + 16]}"
        for at in range(0, len(drawn), 16)
    ]
    tail = tails.pop()
    _tails.extend(tails)
    return tail


def file_name(id_: str) -> str:
    """An id as part of a file name: simple ids unchanged, others as their hash, so that no id leaves its folder."""
    if len(id_) <= 64 and id_.isascii() and id_.replace("-", "").isalnum():
        return id_
    from hashlib import sha256  # loads OpenSSL, which few commands need

    return sha256(id_.encode("utf-8", "backslashreplace")).hexdigest()


def check_id(value: object, what: str = "id") -> str:
    """Return a valid id, or raise InvalidInput."""
    if isinstance(value, str) and 0 < len(value) <= MAX_ID_LENGTH and value.isprintable():
        return value
    raise InvalidInput(
        f"{what} must be 1 to {MAX_ID_LENGTH} printable characters, not {value!r:.80}",
        hint="omit the id to generate one",
    )
