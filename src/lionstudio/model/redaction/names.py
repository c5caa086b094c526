"""Names of variables and keys: whether they announce a secret, and of which kind."""

from __future__ import annotations

import re
from functools import lru_cache

from lionstudio.model.redaction.formats import HARMLESS_ENDINGS, HARMLESS_NAMES, SECRET_KEY_WORDS, STEMS


def names_secret(text: str) -> bool:
    """Whether a text has a word that announces a secret."""
    return True in map(text.lower().__contains__, STEMS)


@lru_cache(4096)
def is_secret_key(key: str) -> bool:
    """Whether a key of a JSON object names a secret."""
    return names_secret(key) or key.lower() in ("pat", "pw")


_HARMLESS = tuple(f"_{name}" for name in HARMLESS_NAMES)
_SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(4096)
def kind_of(name: str) -> str | None:
    """`password`, `assigned-secret`, `cookie`, `authorization`, or None for a name that does not hold a secret."""
    snake = _SNAKE.sub("_", name.strip("-_.\"'")).lower().replace("-", "_").replace(".", "_")
    last = snake.rpartition("_")[2]
    if last in HARMLESS_ENDINGS or f"_{snake.removesuffix('s')}".endswith(_HARMLESS):
        return None
    words = snake.split("_")
    if "cookie" in last:
        return "cookie"
    if "authorization" in snake:
        return "authorization"
    if any(word in ("pass", "pw", "pwd") for word in words) or any(
        stem in snake for stem in ("passw", "passphrase", "passcode", "passwd", "pwd")
    ):
        return "password"
    if "pass" in snake and not any(stem in snake for stem in STEMS if stem != "pass"):
        return None  # bypass, passed, compass
    if snake in ("key", "auth", "sig", "signature"):
        return "key"
    return "assigned-secret"


_UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")


def is_plain_key(name: str, value: str) -> bool:
    """Whether a UUID is the key of a row or an event: `dedupe_key`, unlike `api_key`."""
    if len(value) != 36 or _UUID.fullmatch(value) is None:
        return False
    lowered = name.lower()
    return lowered.endswith("key") and True not in map(lowered.__contains__, SECRET_KEY_WORDS)
