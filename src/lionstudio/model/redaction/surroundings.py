"""Find secrets by what stands around them: private keys, passwords in URLs, netrc files and command lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from lionstudio.model.redaction.assigned import is_secret
from lionstudio.model.redaction.names import kind_of
from lionstudio.model.redaction.spans import MARK, Spans
from lionstudio.model.redaction.tokens import SMALL

_KEY_HEAD = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_SHORTEST_KEY, _LONGEST_KEY = 16, 20_000  # characters, headers and line numbers included
# the lines of a key whose end is cut off: headers and base64, with real or escaped line breaks; the last may be short
_BREAK = r"(?:\\{1,3}[rn]|\s|[-+>|#*] ?){0,60}+"
_KEY_BODY = re.compile(
    rf"{_BREAK}(?:[A-Z][A-Za-z]{{2,12}}-?[A-Za-z]{{0,10}}: [^\r\n\\]{{0,120}}+{_BREAK}){{0,8}}+"
    rf"(?:[0-9A-Za-z+/=]{{16,4000}}+{_BREAK}){{1,400}}+(?:[0-9A-Za-z+/=]{{1,15}}+(?=\\|\Z|\r?\n|[\"']))?"
)
_KEY_LINE = re.compile(r"[0-9A-Za-z+/=]{16,4000}")


def find_private_keys(text: str, spans: Spans) -> None:
    head = _KEY_HEAD.search(text)
    end = _KEY_END.search(text, head.end()) if head else None
    while head is not None:
        following = _KEY_HEAD.search(text, head.end())
        if end is not None and end.start() < head.end():
            end = _KEY_END.search(text, head.end())
        limit = following.start() if following else len(text)
        if end is not None and end.start() < limit and _is_key(text[head.end() : end.start()]):
            spans.add(head.start(), end.end(), "private-key")
        elif body := _KEY_BODY.match(text, head.end(), limit):
            spans.add(head.start(), body.end(), "private-key")
        head = following


def _is_key(text: str) -> bool:
    """Whether most of the text between the first and the last line of a key is base64; code and prose may name both."""
    if not _SHORTEST_KEY <= len(text) <= _LONGEST_KEY:
        return False
    return sum(map(len, _KEY_LINE.findall(text))) >= 0.5 * len("".join(text.split()))


_URL = re.compile(r"://[^\s:/@\"'<>`]{0,200}+:(?P<s>[^\s/\"'<>`]{2,400})@")
_NETRC = re.compile(r"g(?<=log)in[ \t]{1,8}\S{1,200}\s{1,8}password[ \t]{1,8}(?P<s>\S{1,200})")
_PGPASS = re.compile(r":5432:[^\s:]{1,100}:[^\s:]{1,100}:(?P<s>\S{3,200})$", re.MULTILINE)
_SQL = re.compile(
    r"'(?:(?<=PASSWORD ')|(?<=password ')|(?<=IDENTIFIED BY ')|(?<=identified by '))(?P<s>[^'\n]{4,200})'"
)
_WEBHOOK = re.compile(
    r"/(?<=\.com/)(?:(?<=hooks.slack.com/)(?:services|workflows|triggers)|(?<=discord.com/)api/webhooks"
    r"|(?<=discordapp.com/)api/webhooks|(?<=hooks.zapier.com/)hooks/catch|(?<=webhook.office.com/)webhookb2)"
    r"/(?P<s>[0-9A-Za-z/_@-]{20,300})"
)
# --name value, -Name value and -u value; also ["--name", "value"]
_ARGUMENT = r"(?:[ \t]{1,4}+\\?[\"']?|\\?[\"'],\s{1,40}+\\?[\"'])(?P<s>[^\s\"'<$-][^\s\"']{4,400})"
_LONG_FLAG = re.compile(rf"-(?<=--)(?P<name>[a-z][0-9a-z-]{{1,40}}+){_ARGUMENT}")
_NAMED_FLAG = re.compile(rf"-(?<= -)(?P<name>[A-Zp][A-Za-z]{{3,40}}+){_ARGUMENT}")
_SHORT_FLAG = re.compile(r"-(?<= -)(?P<name>[upak])[ \t]{0,4}+\\?[\"']?(?P<s>[^\s\"'-][^\s\"']{2,200})")
_NAME_AND_VALUE = r"[ \t]{1,4}(?P<name>[A-Za-z_][0-9A-Za-z_]{1,60})[ \t]{1,4}[\"']?(?P<s>[^\s\"'$(]{4,400})"
# set -gx NAME value of fish, setenv NAME value of csh
_SET = re.compile(
    r"-(?<=set -)(?:[a-zA-Z]{1,4}|-(?:export|global|universal|local))(?:[ \t]{1,4}-[a-zA-Z-]{1,12}){0,3}"
    rf"{_NAME_AND_VALUE}"
)
_SETENV = re.compile(rf"v(?<=setenv){_NAME_AND_VALUE}")
# define('NAME', 'value') and setPassword("value")
_CALL = re.compile(
    r"\((?:[\"'](?P<name>[A-Za-z_][0-9A-Za-z_]{1,60})[\"'],[ \t]{0,4}"
    r"|(?<=[Pp]assword\()|(?<=[Ss]ecret\()|(?<=[Tt]oken\())"
    r"[\"'](?P<s>(?=[^\"']{0,400}[0-9])[^\s\"']{6,400})[\"']"
)
_SECRET_FLAGS = (
    *("pass", "password", "passwd", "passphrase", "passcode", "passin", "passout", "pwd"),
    *("token", "secret", "apikey", "api-key", "access-key", "-pat", "auth"),
)
_SIGN = re.compile(r"[0-9!@#$%^&*]")
# Programs whose -p or -a is a password.
_PROGRAMS = (
    "sshpass",
    "mysql",
    "redis-cli",
    "docker login",
    "podman login",
    "helm registry login",
    "oc login",
    "az login",
)
_SECRET_ENDINGS = ("pass", "password", "passwd", "pwd", "secret", "token", "key", "pat", "credential", "credentials")
_FLAGS_PER_LINE = 200  # short flags of a line that are looked at, so that the work is linear
_EXAMPLES = ("example", "placeholder", "your", "****", "xxxx", "redacted")
_WORDS = frozenset({"password", "passwd", "pass", "pw", "pwd", "secret", "token", "port", "key"})


def find_surrounded(text: str, spans: Spans) -> None:
    """Each search starts with a rare letter, or one that a look behind confirms: that is three times as fast."""
    for letter, word, find in _RULES:
        if letter in text and (len(text) >= SMALL or word in text):
            find(text, spans)


def _find_variables(pattern: re.Pattern[str], text: str, spans: Spans) -> None:
    for match in pattern.finditer(text):
        name = match["name"] or text[max(0, match.start() - 8) : match.start()]
        kind, value = kind_of(name), match["s"]
        if name.lower().endswith(_SECRET_ENDINGS) and kind and is_secret(kind, value, bare=True, env=True):
            spans.add(match.start("s"), match.end("s"), kind)


def _finds(pattern: re.Pattern[str], rule: str) -> Callable[[str, Spans], None]:
    def find(text: str, spans: Spans) -> None:
        for match in pattern.finditer(text):
            if not _is_harmless(match["s"]):
                spans.add(match.start("s"), match.end("s"), rule)

    return find


def _find_flags(flag: re.Pattern[str], text: str, spans: Spans) -> None:
    for match in flag.finditer(text):
        name, value = match["name"].lower(), match["s"]
        if name == "user" and ":" in value:
            _add_user(match, spans)
        elif name.endswith(_SECRET_FLAGS) and _SIGN.search(value) and not _is_harmless(value):
            spans.add(match.start("s"), match.end("s"), "flag")


def _find_short_flags(text: str, spans: Spans) -> None:
    match, line_end, left = _SHORT_FLAG.search(text), 0, 0
    while match is not None:
        if match.start() >= line_end:
            line_end, left = _line_end(text, match.start()), _FLAGS_PER_LINE
        left -= 1
        name, value = match["name"], match["s"]
        if name == "u":
            if ":" in value:
                _add_user(match, spans)
        elif not _is_harmless(value) and _takes_password(text, match):
            spans.add(match.start("s"), match.end("s"), "password")
        match = _SHORT_FLAG.search(text, match.end() if left else line_end)


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _takes_password(text: str, flag: re.Match[str]) -> bool:
    """Whether the program before a -p, -a or -k takes a password there."""
    line = text[max(0, flag.start() - 120) : flag.start()].rpartition("\n")[2]
    return "openssl" in line if flag["name"] == "k" else True in map(line.__contains__, _PROGRAMS)


def _add_user(match: re.Match[str], spans: Spans) -> None:
    """The password of user:password."""
    user, _, password = match["s"].partition(":")
    if len(password) >= 3 and password[0] not in "/:" and "/" not in user and not _is_harmless(password):
        spans.add(match.start("s") + len(user) + 1, match.end("s"), "basic-auth")


def _is_harmless(value: str) -> bool:
    lowered = value.lower()
    return MARK in value or value[0] in "${<%" or lowered in _WORDS or True in map(lowered.__contains__, _EXAMPLES)


# A letter and a word that the text has if the rule finds something.
_RULES: tuple[tuple[str, str, Callable[[str, Spans], None]], ...] = (
    ("@", "://", _finds(_URL, "url-password")),
    ("/", "hook", _finds(_WEBHOOK, "webhook")),
    ("-", "--", partial(_find_flags, _LONG_FLAG)),
    ("-", " -", partial(_find_flags, _NAMED_FLAG)),
    ("-", " -", _find_short_flags),
    ("-", "set -", partial(_find_variables, _SET)),
    ("_", "setenv", partial(_find_variables, _SETENV)),
    ("(", "(", partial(_find_variables, _CALL)),
    ("'", " '", _finds(_SQL, "password")),
    ("5", ":5432:", _finds(_PGPASS, "pgpass")),
    ("g", "login", _finds(_NETRC, "netrc-password")),
)
