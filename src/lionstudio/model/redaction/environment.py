"""The secret values of an environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from lionstudio.model.redaction.entropy import is_random_value, looks_random
from lionstudio.model.redaction.formats import HARMLESS_VARIABLES
from lionstudio.model.redaction.names import kind_of

# A variable is secret if one of the words of its name is: AUTH, not AUTHOR; KEY or APIKEY, not KEYCLOAK or MONKEY.
_PASSWORD_WORD = re.compile(
    r".*PASS(?:WORD|WD|PHRASE|CODE)S?|(?:DB|PG|SSH|SMTP|FTP|MYSQL|REDIS|USER|ROOT|ADMIN)?PASS|.*PWD|PW|.*SECRETS?"
)
_HOLDS_SECRET = re.compile(
    r"(?:API|APP|AUTH|ACCESS|SECRET|PRIVATE|MASTER|SIGNING|ENCRYPTION|SSH|GPG|AES|HMAC)?KEYS?|.*TOKENS?|.*CREDENTIALS?"
    r"|CREDS?|.*COOKIES?|DSN|PAT"
)
_SECRET_WORD = re.compile(rf"{_HOLDS_SECRET.pattern}|O?AUTH|BASICAUTH|AUTHORIZATION")
_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# What developers type where a password is demanded.
_COMMON = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb|mongo(?:db)?|redis|rabbitmq|minio|admin(?:istrator)?|root|user|guest|test(?:ing)?|demo"
    r"|dev(?:elopment)?|local(?:host)?|docker|default|example|sample|dummy|secret|pass(?:word|wd)?|change_?-?me|letmein"
    r"|welcome|qwerty|[-_.@: ])+[0-9]{0,8}!?",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[a-z]+(?:(?:[-_./:@ ][A-Z]?|[A-Z])[a-z]+)*|[A-Z]+(?:[-_./:@ ][A-Z]+)*|(?:[A-Z][a-z]+[-_./:@ ]?)+")
_NUMBER = re.compile(r"[0-9.,:+-]+")
_PASSPHRASE = 16  # characters from which a password may consist of words
_FOLDERS = frozenset({"PWD", "OLDPWD"})
_URL_PASSWORD = re.compile(r"://[^/@\s:]*:([^/\s]+)@")
_SHORTEST_SECRET = 8  # shorter values would match ordinary text


def secrets_in(env: Mapping[str, str]) -> frozenset[str]:
    """The secret values of an environment: by their names or by their looks, and the passwords in its URLs."""
    named = {value for name, value in env.items() if _is_secret(name, value)}
    passwords = {form for value in env.values() if "://" in value for form in _password_forms(value)}
    return frozenset(named | passwords)


def _is_secret(name: str, value: str) -> bool:
    if name in _FOLDERS or len(value) < _SHORTEST_SECRET or os.path.exists(value):
        return False
    words = [word.upper() for word in _NAME_WORD.findall(name)]
    if kind_of(name) is not None:
        if any(map(_PASSWORD_WORD.fullmatch, words)):
            return _is_unusual(value)
        if any(map(_SECRET_WORD.fullmatch, words)):
            # AUTH is also the name of a service: AUTH_SERVICE=billing-api-production
            is_long = len(value) >= _PASSPHRASE and any(map(_HOLDS_SECRET.fullmatch, words))
            is_one_word = value.isalnum() and not value.isalpha()  # unlike billing-api-2
            return _is_unusual(value) and (is_long or is_one_word or looks_random(value, env=True))
    return is_random_value(value) and not HARMLESS_VARIABLES & set(words)


def _is_unusual(value: str) -> bool:
    """Whether a password stands in a text only where it is meant: no common one, no short word, name or number.

    `POSTGRES_PASSWORD=postgres` itself loses its value by the rule for names; elsewhere the word means the program.
    """
    if len(value) < _SHORTEST_SECRET or _COMMON.fullmatch(value) or value.startswith(("http://", "https://")):
        return False
    return len(value) >= _PASSPHRASE or not (_WORDS.fullmatch(value) or _NUMBER.fullmatch(value))


def _password_forms(url: str) -> set[str]:
    """The password of a URL as it is written there, decoded, and encoded again as libraries do it."""
    from urllib.parse import quote, unquote  # only for the few variables with a URL

    match = _URL_PASSWORD.search(url)
    if match is None:
        return set()
    plain = unquote(match[1])
    return set() if not _is_unusual(plain) else {match[1], plain, quote(plain, safe=""), quote(plain)}
