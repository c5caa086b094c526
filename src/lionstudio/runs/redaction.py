"""Secrets are taken out before anything is written: known shapes by rule, known values by themselves.

Each rule names words that must be there before its pattern is tried, so that ordinary text costs one look per
word. Written as `[REDACTED:rule:sha8]`; the text itself is kept nowhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple
from urllib.parse import quote

from lionstudio.agents.events import Ended, Event, MessageEvent, MetadataEvent, TextDelta

_HOLD_BACK = 512  # of a stream, until something separates it: a secret may come in two pieces
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_HIDES = re.compile(f"[{''.join(map(chr, _INVISIBLE))}]")


class Rule(NamedTuple):
    """A shape of secret: cheap words that announce it, and the pattern whose group `s` (or all) is taken out."""

    name: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]


def _rule(name: str, words: str, pattern: str) -> Rule:
    return Rule(name, tuple(words.split()), re.compile(pattern))


# Bounded repetitions only: the time is linear in the text, whatever it holds.
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


_WORDS = tuple({word for rule in RULES for word in rule.words})
_SHORTEST = 9  # characters of what a rule can find: ://a:bcd@


_KEY_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY")


class Redactor:
    """Takes secrets out of text, values and events; `values` are those that the agent itself was given."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values for form in _forms(value)}
        longest_first = sorted(forms, key=len, reverse=True)
        self._values = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._held: dict[str, str] = {}
        self._in_key: set[str] = set()  # lanes in the middle of one

    def text(self, text: str) -> str:
        """The text without its secrets."""
        if not text.isascii() and _HIDES.search(text):
            visible = text.translate(_INVISIBLE)
            cleaned = self._clean(visible)
            return text if cleaned == visible else cleaned
        return self._clean(text)

    def _clean(self, text: str) -> str:
        if self._values is not None:
            text = self._values.sub(lambda found: _mark("environment", found[0]), text)
        # most texts are short, or have none of the words: one look at each, without a step of Python between
        if len(text) >= _SHORTEST and True in map(text.__contains__, _WORDS):
            for rule in RULES:
                if any(word in text for word in rule.words):
                    text = rule.pattern.sub(_replacing(rule), text)
        return text

    def value(self, value: Any) -> Any:
        """A JSON value without the secrets in its texts; what has none is returned as it is."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.value(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.value(item) for item in value]
        return value

    def event(self, event: Event) -> Event:
        """An event as it may be kept and shown."""
        if isinstance(event, MessageEvent):
            message = event.message
            self._held.pop(event.lane, None)  # the whole message replaces what was heard of it
            content = self.value(self._without_key(event.lane, message.content))
            return MessageEvent(replace(message, content=content, metadata=self.value(message.metadata)), event.lane)
        if isinstance(event, TextDelta):
            return TextDelta(self.stream(event.lane, event.text), event.lane)
        if isinstance(event, MetadataEvent):
            return MetadataEvent(self.value(event.facts))
        if isinstance(event, Ended) and event.detail:
            return event._replace(detail=self.text(event.detail))
        return event

    def _without_key(self, lane: str, content: Any) -> Any:
        """A private key that a program prints line by line, a message each: masked from its first to its last."""
        text = content.get("assistant_response") if isinstance(content, dict) else None
        if not isinstance(text, str) or (lane not in self._in_key and "PRIVATE KEY" not in text):
            return content
        inside = lane in self._in_key
        if _KEY_END.search(text):
            self._in_key.discard(lane)
        elif _KEY_BEGIN.search(text):
            self._in_key.add(lane)
            inside = True
        return {**content, "assistant_response": "[REDACTED:private-key]"} if inside else content

    def stream(self, lane: str, piece: str) -> str:
        """A piece of a stream; its end is held back until something separates it from what may follow."""
        held = self._held.get(lane, "") + piece
        cut = max(held.rfind(" "), held.rfind("\n"), len(held) - _HOLD_BACK) + 1 if held else 0
        self._held[lane] = held[cut:]
        return self.text(held[:cut])


def _forms(value: str) -> set[str]:
    """A secret as it may turn up: plain, in base64, in a URL, in JSON."""
    plain = value.encode("utf-8", "surrogateescape")
    coded = base64.b64encode(plain).decode().rstrip("=")
    return {value, coded, quote(value, safe=""), json.dumps(value)[1:-1]}


def _replacing(rule: Rule) -> Callable[[re.Match[str]], str]:
    def replacement(found: re.Match[str]) -> str:
        for group in ("s", "s2", "s3"):
            if group in rule.pattern.groupindex and found[group]:
                if found[group].startswith("[REDACTED:"):
                    return found[0]
                start, end = found.start(group) - found.start(), found.end(group) - found.start()
                return found[0][:start] + _mark(rule.name, found[group]) + found[0][end:]
        return _mark(rule.name, found[0])

    return replacement


def _mark(rule: str, secret: str) -> str:
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"[REDACTED:{rule}:{digest}]"
