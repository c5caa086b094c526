"""The token of the server, and the one-time codes that sign a browser in without showing it.

The cookie is derived from the token, so a page stays signed in when the server restarts.
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
CODE_SECONDS = 55.0  # documented as less than a minute
_BYTES = 32
_SHORTEST = 22  # characters: 128 bits in base64
_MOST_CODES = 16


def load_token(path: str) -> str:
    """Read the token from a file, or create the file, readable by its owner only."""
    try:
        _create(path)
    except FileExistsError:
        pass
    except OSError as error:
        raise StorageFailed(
            f"cannot write the token to {path}: {error.strerror}", hint="choose another file with --token-file"
        ) from None
    token = read_text(path, most=1000).strip()
    if len(token) < _SHORTEST or not (token.isascii() and token.isprintable() and " " not in token):
        raise InvalidInput(
            f"{path} does not contain a token of at least {_SHORTEST} characters",
            hint=f"rm {path}; the next start creates a new one",
        )
    _restrict_permissions(path)
    return token


def _create(path: str) -> None:
    os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(_BYTES) + "\n")


def _restrict_permissions(path: str) -> None:
    try:
        if os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o600)
    except OSError as error:
        raise StorageFailed(f"other users can read {path}: {error.strerror}", hint=f"chmod 600 {path}") from None


def derive_cookie(token: str) -> str:
    """The value of the cookie: it authenticates like the token, but does not reveal it."""
    return hmac.new(token.encode(), b"lion studio cookie", hashlib.sha256).hexdigest()


def secrets_equal(value: str, secret: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(value.encode("utf-8", "replace"), secret.encode())


class OneTimeCodes:
    """One-time codes, each valid once and for less than a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._expiries: dict[str, float] = {}

    def create(self) -> str:
        self._drop_expired()
        if len(self._expiries) >= _MOST_CODES:
            raise LionError("too many one-time codes are unused", hint="wait a minute, then try again")
        code = secrets.token_urlsafe(_BYTES)
        self._expiries[code] = self._clock() + CODE_SECONDS
        return code

    def consume(self, value: str) -> bool:
        """Return whether the code was valid; it is not afterwards."""
        self._drop_expired()
        # every code is compared, so that the time does not reveal which one matched
        matching = [code for code in self._expiries if secrets_equal(value, code)]
        for code in matching:
            del self._expiries[code]
        return bool(matching)

    def _drop_expired(self) -> None:
        now = self._clock()
        self._expiries = {code: expiry for code, expiry in self._expiries.items() if expiry > now}
