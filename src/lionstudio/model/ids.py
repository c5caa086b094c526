"""Ids: UUIDv7, so that rows made one after the other lie side by side in every index.

Any printable text of up to 200 characters is accepted as an id from elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import time

from lionstudio.errors import InvalidInput

MAX_ID_LENGTH = 200  # longer ones are a mistake, and every index would carry them

_last_stamp = 0


def new_id() -> str:
    """A fresh UUIDv7; within one process each is greater than the one before."""
    global _last_stamp
    nanos = time.time_ns()
    stamp = (nanos // 1_000_000) << 12 | (nanos % 1_000_000) * 4096 // 1_000_000
    if stamp <= _last_stamp:
        stamp = _last_stamp + 1
    _last_stamp = stamp
    head, tail = f"{stamp:015x}", os.urandom(8).hex()
    variant = "89ab"[int(tail[0], 16) & 3]
    return f"{head[:8]}-{head[8:12]}-7{head[12:]}-{variant}{tail[1:4]}-{tail[4:]}"


def file_name(id_: str) -> str:
    """An id as part of a file's name: ours as they are, anything else by its digest, so that no id leads elsewhere."""
    if len(id_) <= 64 and id_.isascii() and id_.replace("-", "").isalnum():
        return id_
    return hashlib.sha256(id_.encode("utf-8", "backslashreplace")).hexdigest()


def check_id(value: object, what: str = "id") -> str:
    """The id itself, or a refusal that says what an id may be."""
    if isinstance(value, str) and 0 < len(value) <= MAX_ID_LENGTH and value.isprintable():
        return value
    raise InvalidInput(
        f"{what} must be 1 to {MAX_ID_LENGTH} printable characters, not {value!r:.80}",
        hint="leave the id out and one is made",
    )
