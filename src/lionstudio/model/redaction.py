"""Redaction of secrets before anything is stored: known formats by rule, known values by exact match.

A rule's pattern runs only when one of its keywords is in the text, so ordinary text costs one substring search per
keyword. A secret becomes `[REDACTED:rule:sha8]`; the original is not kept.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_HIDES = re.compile(f"[{''.join(map(chr, _INVISIBLE))}]")


class Rule(NamedTuple):
    """A format of secret: keywords that must be present, and a pattern whose group `s` (or whole match) is redacted."""

    name: str
    keywords: tuple[str, ...]
    pattern: re.Pattern[str]


def _rule(name: str, keywords: str, pattern: str) -> Rule:
    return Rule(name, tuple(keywords.split()), re.compile(pattern))


# Bounded repetitions only: the time is linear in the length of any text.
RULES: tuple[Rule, ...] = (
    _rule("aws-access-key", "AKIA ASIA ABIA ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[0-9A-Za-z]{36,255}\b"),
    _rule("github-fine-grained", "github_pat_", r"\bgithub_pat_[0-9A-Za-z_]{22,255}\b"),
    _rule("gitlab-token", "glpat-", r"\bglpat-[0-9A-Za-z_-]{20,64}\b"),
    _rule("anthropic-key", "sk-ant-", r"\bsk-ant-[0-9A-Za-z_-]{20,200}"),
    _rule("openai-key", "sk-", r"\bsk-(?:proj-|svcacct-|admin-)?[0-9A-Za-z_-]{20,200}"),
    _rule("slack-token", "xoxb- xoxa- xoxp- xoxr- xoxs- xapp-", r"\b(?:xox[abprs]|xapp)-[0-9A-Za-z-]{10,250}"),
    _rule("slack-webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows)/[0-9A-Za-z/_-]{20,120}"),
    _rule("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_", r"\b[sr]k_(?:live|test)_[0-9A-Za-z]{10,120}"),
    _rule("google-key", "AIza", r"\bAIza[0-9A-Za-z_-]{35}"),
    _rule("google-oauth", "ya29.", r"\bya29\.[0-9A-Za-z_-]{20,300}"),
    _rule("jwt", "eyJ", r"\beyJ[0-9A-Za-z_-]{8,4000}\.eyJ[0-9A-Za-z_-]{8,8000}\.[0-9A-Za-z_-]{8,1000}"),
    _rule(
        "private-key",
        "PRIVATE-KEY-BLOCK PRIVATE",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"[\s\S]{16,16000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    ),
    _rule("huggingface-token", "hf_", r"\bhf_[0-9A-Za-z]{30,60}\b"),
    _rule("npm-token", "npm_", r"\bnpm_[0-9A-Za-z]{36}\b"),
    _rule("pypi-token", "pypi-", r"\bpypi-AgE[0-9A-Za-z_-]{50,500}"),
    _rule("sendgrid-key", "SG.", r"\bSG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{32,64}"),
    _rule("twilio-key", "SK", r"\bSK[0-9a-f]{32}\b"),
    _rule("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    _rule("telegram-token", ":AA", r"\b[0-9]{8,10}:AA[0-9A-Za-z_-]{33}\b"),
    _rule("bearer", "earer", r"\b[Bb]earer[ \t]{1,4}(?P<s>[0-9A-Za-z._~+/=-]{16,4000})"),
    _rule(
        "basic-auth",
        "uthorization",
        r"[Aa]uthorization[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?"
        r"(?:[Bb]asic|[Tt]oken)[ \t]{1,4}(?P<s>[0-9A-Za-z._~+/=-]{8,4000})",
    ),
    _rule("url-password", "://", r"://[^\s:/@\"'<>]{1,200}:(?P<s>[^\s@/\"'<>]{3,200})@"),
    _rule(
        "password",
        "assword asswd PASSWORD PASSWD",
        r"(?i)\b[\w-]{0,40}passw(?:or)?d[\"']?[ \t]{0,4}(?:=|:=|:)[ \t]{0,4}"
        r"(?:\"(?P<s>[^\"\s]{6,200})\"|'(?P<s2>[^'\s]{6,200})'|(?P<s3>[^\s\"'`,;(){}<>]{6,200}))",
    ),
    _rule(
        "assigned-secret",
        "SECRET secret API_KEY api_key apikey API-KEY api-key TOKEN token",
        r"(?i)\b[\w-]{0,40}(?:secret|api[_-]?key|(?:access|auth)[_-]?token)[\w-]{0,20}[\"']?[ \t]{0,4}"
        r"(?:=|:=|:)[ \t]{0,4}[\"']?(?P<s>(?=[^\s\"']{0,200}[0-9])[0-9A-Za-z_\-./+=]{16,200})",
    ),
)

_KEYWORDS = tuple({keyword for rule in RULES for keyword in rule.keywords})
_SHORTEST = 9  # characters of the shortest match: ://a:bcd@


class Redactor:
    """Removes secrets from text and JSON values; `values` are secrets known exactly, such as the agent's API keys."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values for form in _forms(value)}
        longest_first = sorted(forms, key=len, reverse=True)
        self._values = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None

    def text(self, text: str) -> str:
        if not text.isascii() and _HIDES.search(text):
            visible = text.translate(_INVISIBLE)
            cleaned = self._clean(visible)
            return text if cleaned == visible else cleaned
        return self._clean(text)

    def _clean(self, text: str) -> str:
        if self._values is not None:
            text = self._values.sub(lambda match: _mark("environment", match[0]), text)
        # most texts are short or contain no keyword: `map` searches for each without a Python-level loop
        if len(text) >= _SHORTEST and True in map(text.__contains__, _KEYWORDS):
            for rule in RULES:
                if any(keyword in text for keyword in rule.keywords):
                    text = rule.pattern.sub(_replacement(rule), text)
        return text

    def value(self, value: Any) -> Any:
        """Redact every string and key of a JSON value; the value itself is not changed."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value


def _forms(value: str) -> set[str]:
    """The encodings in which a secret may appear: plain, base64, URL, JSON."""
    encoded = base64.b64encode(value.encode("utf-8", "surrogateescape")).decode().rstrip("=")
    return {value, encoded, quote(value, safe=""), json.dumps(value)[1:-1]}


def _replacement(rule: Rule) -> Callable[[re.Match[str]], str]:
    def replace(match: re.Match[str]) -> str:
        for group in ("s", "s2", "s3"):
            if group in rule.pattern.groupindex and match[group]:
                if match[group].startswith("[REDACTED:"):
                    return match[0]
                start, end = match.start(group) - match.start(), match.end(group) - match.start()
                return match[0][:start] + _mark(rule.name, match[group]) + match[0][end:]
        return _mark(rule.name, match[0])

    return replace


def _mark(rule: str, secret: str) -> str:
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"[REDACTED:{rule}:{digest}]"
