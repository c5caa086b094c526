"""The token of the server: a file that only its owner can read."""

from __future__ import annotations

import hmac
import os
import secrets
from shlex import quote
from typing import NamedTuple

from lionstudio.errors import InvalidInput, StorageFailed
from lionstudio.system.atomic_write import write_file
from lionstudio.system.safe_read import read_text

FILE = "studio.token"
_BYTES = 32
_SHORTEST = 22  # characters: 128 bits in base64


class Token(NamedTuple):
    """The token, and whether this start created it: then no browser of an earlier one stays signed in."""

    value: str
    is_new: bool
    was_exposed: bool = False


def load_token(path: str, *, renew: bool = False) -> Token:
    """Read the token from a file, or create the file, readable by its owner only.

    A token that other users could read is refused, or replaced with `renew`.
    """
    is_new = _create(path)
    was_exposed = not is_new and _is_exposed(path)
    if was_exposed:
        if not renew:
            raise InvalidInput(
                f"other users can read the token in {path}", hint=f"rm {quote(path)}; the next start creates a new one"
            )
        write_file(path, [secrets.token_urlsafe(_BYTES), "\n"], replace=True)
    token = read_text(path, most=1000).strip()
    if len(token) < _SHORTEST or not (token.isascii() and token.isprintable() and " " not in token):
        raise InvalidInput(
            f"{path} does not contain a token of at least {_SHORTEST} characters",
            hint=f"rm {quote(path)}; the next start creates a new one",
        )
    return Token(token, is_new or was_exposed, was_exposed)


def _create(path: str) -> bool:
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        raise StorageFailed(
            f"cannot write the token to {path}: {error.strerror}", hint="choose another file with --token-file"
        ) from None
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(_BYTES) + "\n")
    return True


def _is_exposed(path: str) -> bool:
    try:
        return bool(os.stat(path).st_mode & 0o077)
    except OSError:
        return False  # reading it reports the error


def secrets_equal(value: str, secret: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(value.encode("utf-8", "replace"), secret.encode())
