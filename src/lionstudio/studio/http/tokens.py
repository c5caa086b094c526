"""The token that opens Studio, and the one-time codes that bring it to a browser without showing it.

The cookie is derived from the token, so a page stays open when the server is started again.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable

from lionstudio.errors import InvalidInput, LionError, StorageFailed
from lionstudio.system.safe_read import read_text

FILE = "studio.token"
CODE_SECONDS = 55.0  # a person needs a few; less than a minute, as promised
_BYTES = 32
_SHORTEST = 22  # characters: what 128 bits take in base64
_MOST_CODES = 16


def load_token(path: str) -> str:
    """The token of a file; the file is made, readable by its owner only, where there is none."""
    try:
        _create(path)
    except FileExistsError:
        pass
    except OSError as error:
        raise StorageFailed(f"the token cannot be kept in {path}: {error.strerror}", hint="name another file") from None
    token = read_text(path, most=1000).strip()
    if len(token) < _SHORTEST or not (token.isascii() and token.isprintable() and " " not in token):
        raise InvalidInput(
            f"{path} holds no token of {_SHORTEST} characters or more", hint="remove it and a new one is made"
        )
    _close_to_others(path)
    return token


def _create(path: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(_BYTES) + "\n")


def _close_to_others(path: str) -> None:
    try:
        if os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o600)
    except OSError as error:
        raise StorageFailed(f"{path} can be read by others: {error.strerror}", hint="chmod 600 it") from None


def derive_cookie(token: str) -> str:
    """What the browser keeps: it opens the same doors, but it is not the token."""
    return hmac.new(token.encode(), b"lion studio cookie", hashlib.sha256).hexdigest()


def secrets_equal(given: str, wanted: str) -> bool:
    """Compare without telling by the time it takes how much was right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


class OneTimeCodes:
    """One-time codes: each is good once and for less than a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def make(self) -> str:
        """A new code."""
        self._forget_old()
        if len(self._until) >= _MOST_CODES:
            raise LionError("too many codes wait to be used", hint="wait a minute")
        code = secrets.token_urlsafe(_BYTES)
        self._until[code] = self._clock() + CODE_SECONDS
        return code

    def use(self, given: str) -> bool:
        """Whether it was good; it is not any more."""
        self._forget_old()
        # every one is looked at: which of them was meant must not be told by the time
        matching = [code for code in self._until if secrets_equal(given, code)]
        for code in matching:
            del self._until[code]
        return bool(matching)

    def _forget_old(self) -> None:
        now = self._clock()
        self._until = {code: until for code, until in self._until.items() if until > now}
