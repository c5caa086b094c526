"""The share of made-up secrets that is found, of harmless lines that is changed, and the growth of the work."""

from __future__ import annotations

import json
import re
import sys
import sysconfig
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from re import _constants as constants
from re import _parser as parser
from typing import Any

import pytest
from tests.model.redaction.corpus import ASSIGNED, HARMLESS, TOKENS, list_samples

from lionstudio.model.redaction import assigned, colours, names, surroundings
from lionstudio.model.redaction.formats import ANCHORED_FORMATS, BARE_FORMATS, TOKEN_FORMATS
from lionstudio.model.redaction.redactor import Redactor

ROOT = Path(__file__).parents[3]
PIECE = 8  # characters of a secret that must not be left


def has_leaked(secret: str, text: str) -> bool:
    return any(secret[start : start + PIECE] in text for start in range(max(1, len(secret) - PIECE + 1)))


def test_redactor_finds_secrets_in_every_place() -> None:
    redactor = Redactor()
    samples = list(list_samples())

    missed = [sample for sample in samples if has_leaked(sample.secret, redactor.text(sample.text))]

    assert len(TOKENS) + len(ASSIGNED) >= 150
    assert len(missed) <= 0.01 * len(samples), missed
    by_shape = {sample.shape for sample in samples}
    lost = [shape for shape in by_shape if all(s in missed for s in samples if s.shape == shape)]
    assert lost == []


def test_redactor_finds_the_same_secrets_in_columns() -> None:
    """As JSON, which stays JSON."""
    redactor = Redactor()
    samples = list(list_samples(seed=11))

    stored = [redactor.stored(json.dumps({"text": sample.text, "n": [1, None]})) for sample in samples]

    missed = [s for s, text in zip(samples, stored, strict=True) if has_leaked(s.secret, json.loads(text)["text"])]
    assert len(missed) <= 0.02 * len(samples), missed


def test_redactor_finds_the_same_secrets_in_lines_together() -> None:
    """The lines of a program that arrive together are one text."""
    redactor = Redactor()
    samples = sorted(list_samples(seed=7), key=lambda sample: sample.text[::-1])

    missed_together = []
    for start in range(0, len(samples), 20):
        group = samples[start : start + 20]
        text = redactor.text("\n".join(sample.text for sample in group))
        missed_together += [sample for sample in group if has_leaked(sample.secret, text)]

    assert [s for s in missed_together if not has_leaked(s.secret, redactor.text(s.text))] == []


def test_redactor_finds_the_same_secrets_in_pieces_of_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long text is searched piece by piece; the ends of pieces lie in every part of some secret."""
    redactor = Redactor(["a-value-that-is-known-1"])
    samples = list(list_samples(seed=9))[::3]
    # without its last line, and longer than the view ahead of a piece
    key = "-----BEGIN PRIVATE KEY-----\n" + f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIB{'A0' * 14}\n" * 390
    lines = [line for sample in samples for line in (sample.text, "some words a-value-that-is-known-1 and more")]
    text = "\n".join([*lines[:500], key, "then words.", *lines[500:]])
    whole = redactor.text(text)

    monkeypatch.setattr("lionstudio.model.redaction.redactor._PIECE", 997)
    searched = redactor.text(text)

    assert "a-value-that" not in searched
    assert "MIIEvQIB" not in searched
    leaked = [sample for sample in samples if has_leaked(sample.secret, searched)]
    assert [sample for sample in leaked if not has_leaked(sample.secret, whole)] == []
    assert searched.count("some words") == whole.count("some words")


def test_redactor_changes_nothing_twice() -> None:
    redactor = Redactor()
    once = [redactor.text(sample.text) for sample in list_samples(seed=3)]

    assert [text for text in once if redactor.text(text) != text] == []


def _lines() -> Iterator[str]:
    """Code and prose without secrets: this repository, the standard library, a lock file with checksums."""
    stdlib = Path(sysconfig.get_path("stdlib"))
    folders = (
        (ROOT / "src", "*.py"),
        (ROOT / "docs", "*.md"),
        (ROOT / "web" / "src", "*.ts*"),
        (stdlib / "json", "*.py"),
    )
    paths = [path for folder, pattern in folders for path in sorted(folder.rglob(pattern))]
    paths += [
        ROOT / "web" / "package-lock.json",
        *sorted((ROOT / "web" / "src").rglob("*.css")),
        *sorted(stdlib.glob("*.py")),
    ]
    for path in paths:
        if path.is_file():
            yield from path.read_text(encoding="utf-8", errors="replace").splitlines()


def test_redactor_keeps_code_and_prose() -> None:
    redactor = Redactor()
    lines = list(_lines())
    text = "\n".join(lines)

    changed = [
        (before, after) for before, after in zip(lines, redactor.text(text).split("\n"), strict=True) if before != after
    ]

    assert len(lines) > 100_000
    assert len(changed) <= len(lines) / 10_000, changed[:20]


TRICKY = (
    *HARMLESS,
    '"integrity": "sha512-kXY6l3Rz2ZPwWBSXHn1J8y2pZQm0C6h0k1l5RSNIfP0q0cRr2v3m3Xc6bG4nqKXxZ0q1R4l2b8m5dGd0tq6ykQ=="',
    "resolved https://registry.example.org/a/-/a-1.2.3.tgz#9fceb02d0ae598e95dc970b74767f19372d61af8",
    f"background: url(data:image/png;base64,iVBORw0KGgo{b64encode(bytes(range(90))).decode()})",
    ".token-list { --key-colour: #1a2b3c4d; transition: color 0.2s ease-in-out; }",
    "GIT_COMMIT=9fceb02d0ae598e95dc970b74767f19372d61af8",
    "BUILD_ID=01a1e339-b183-7d1f-9d8e-0a4f4a3d2c1b",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
    "expected token ';' but found '}'",
    "Keyboard: QWERTY, Author: Grace Hopper, Passengers: 12",
    "secret_name: projects/1234/secrets/db-password/versions/3",
    "password: required, min 12 characters",
    "test_redactor_finds_secrets_in_every_place PASSED [ 12%]",
    "class TokenBucketRateLimiter2(BaseRateLimiter): ...",
    "https://docs.example.org/en/latest/user-guide/authentication-and-tokens-2024.html#api-keys",
    "2026-01-01T10:00:00.123Z INFO request_id=0190a8f2c3d47b1e9f00aa11bb22cc33 path=/api/runs/0190a8f2 status=200",
)  # fmt: skip


def test_redactor_keeps_tricky_texts() -> None:
    redactor = Redactor()
    changed = [(text, redactor.text(text)) for text in TRICKY if redactor.text(text) != text]

    assert len(changed) <= 0.02 * len(TRICKY), changed


# ── Growth ───────────────────────────────────────────────────────────────


def _repeats(tree: Any) -> Iterator[int]:
    """The most repetitions of every part of a parsed expression."""
    for operation, value in tree:
        if operation in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            yield value[1]
        for part in value if isinstance(value, (tuple, list)) else (value,):
            for inner in part if isinstance(part, list) else (part,):
                if isinstance(inner, parser.SubPattern):
                    yield from _repeats(inner)


def _searched_patterns() -> list[str]:
    formats = [row[-1] for table in (TOKEN_FORMATS, ANCHORED_FORMATS, BARE_FORMATS) for row in table]
    modules = [
        value.pattern
        for module in (assigned, colours, names, surroundings)
        for value in vars(module).values()
        if isinstance(value, re.Pattern)
    ]
    matched_whole = {r"[A-Za-z_$][0-9A-Za-z_$]*(?:\.[A-Za-z_$][0-9A-Za-z_$]*)*", r"[0-9.,_-]+(?:[a-zA-Z]{1,3})?"}
    return [*formats, *assigned._STEM_PATTERNS.values(), *(each for each in modules if each not in matched_whole)]


@pytest.mark.parametrize("pattern", sorted(set(_searched_patterns())))
def test_patterns_repeat_a_bounded_number_of_times(pattern: str) -> None:
    # one letter or one class may repeat without a limit only where nothing follows that could fail
    assert all(most < constants.MAXREPEAT for most in _repeats(parser.parse(pattern)))


UNITS = (
    "-----BEGIN PRIVATE KEY",
    "-----BEGIN PRIVATE KEY-----\n",
    "eyJaaaaaaaaa.eyJ",
    "eyJ",
    'token="',
    "password='a ",
    "password=",
    "key=",
    "://a:b",
    "Cookie: a=b; ",
    "Authorization: ",
    "sk-",
    "ghp_",
    "a",
    "A1",
    "mysql -p",
    "login a ",
    "--token ",
    "0Q~",
    '\\"token\\": \\"',
    "\u200b",
    '"password":\n "',
    '"db_password" {\n default = "',
    "\x1b[31ma",
    "\\u001b[0m",
    "set -x TOKEN a ",
    "setenv A_KEY b ",
    "('a_key', '",
    "setToken('",
    "secret: ",
    "token: str = ",
    "PASS: a/b ",
    "<password>x</",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n",
    "-----BEGIN PRIVATE KEY-----a-----END PRIVATE KEY-----",
    "the token is aB3dE6gH9jK2mN5pQ8sT1vW4 ",
    "X_TOKEN=aB3dE6gH9jK2mN5pQ8sT1vW4\n",
    "::add-mask::",
)


@pytest.mark.parametrize("unit", UNITS)
def test_redactor_work_grows_with_the_text_alone(unit: str) -> None:
    """Twice the text is at most about twice the calls, and every call looks at a bounded part of it."""

    def calls(length: int) -> int:
        text, count = (unit * (length // len(unit) + 1))[:length], 0

        def count_call(_frame: object, event: str, _argument: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        redactor = Redactor()
        redactor.text(text[:1000])  # compiles what is compiled once
        assigned.is_secret.cache_clear()
        sys.setprofile(count_call)
        try:
            redactor.text(text)
        finally:
            sys.setprofile(None)
        return count

    assert calls(80_000) <= 2.3 * calls(40_000) + 100
