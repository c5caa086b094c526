"""Secrets and harmless lines of real files and outputs: alone, in a long prose, and between many assignments."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.model.redaction.corpus import list_samples
from tests.model.redaction.field_corpus import fill, list_harmless, list_secrets
from tests.model.redaction.test_corpus import has_leaked

from lionstudio.model.redaction.redactor import Redactor

PROSE = "The parser reads one word after the other and keeps what it has seen; nothing else is needed here.\n" * 60
CODE = "    total = sum(item.size for item in items if item.size > 0)  # size: bytes, name: text\n" * 60


def alone(text: str) -> str:
    return text


def in_prose(text: str) -> str:
    return f"{PROSE}{text}\n{PROSE}"


def in_code(text: str) -> str:
    return f"{CODE}{text}\n{CODE}"


PLACES = pytest.mark.parametrize("place", [alone, in_prose, in_code])


@PLACES
@pytest.mark.parametrize("seed", [5, 6])
def test_redactor_finds_secrets_in_files_and_outputs(place: Callable[[str], str], seed: int) -> None:
    redactor = Redactor()
    samples = list(list_secrets(seed))

    missed = [sample for sample in samples if has_leaked(sample.secret, redactor.text(place(sample.text)))]

    assert len(samples) >= 100
    assert len(missed) <= 0.05 * len(samples), missed


@PLACES
def test_redactor_finds_the_same_secrets_in_long_texts(place: Callable[[str], str]) -> None:
    redactor = Redactor()
    samples = list(list_samples(seed=13))[::3]

    missed = [sample for sample in samples if has_leaked(sample.secret, redactor.text(place(sample.text)))]

    assert len(missed) <= 0.01 * len(samples), missed


@PLACES
def test_redactor_keeps_harmless_lines(place: Callable[[str], str]) -> None:
    redactor = Redactor()
    lines = list_harmless()

    changed = [line for line in lines if redactor.text(place(line)) != place(line)]

    assert len(lines) >= 250
    assert len(changed) <= 0.01 * len(lines), changed


def test_redactor_keeps_harmless_lines_of_one_text() -> None:
    lines = list_harmless(8)

    redacted = Redactor().text("\n\n".join(lines)).split("\n\n")

    changed = [(line, after) for line, after in zip(lines, redacted, strict=True) if line != after]
    assert len(changed) <= 0.01 * len(lines), changed


# ── Single rules, in both directions ─────────────────────────────────────

TOKEN, PASSWORD = fill("{an:32}", random.Random(1)), fill("{pw:14}", random.Random(2))


@pytest.mark.parametrize(
    "text",
    [
        f"set -x API_TOKEN {TOKEN}",
        f"set --export API_TOKEN {TOKEN}",
        f"set -g -x DB_PASSWORD '{PASSWORD}'",
        f"setenv DB_PASSWORD {PASSWORD}",
        f'{{"password":\n  "{PASSWORD}"}}',
        f'{{"password":\r\n\t"{PASSWORD}"}}',
        f'"{{\\"password\\":\\n  \\"{PASSWORD}\\"}}"',
        f"\x1b[1mpassword\x1b[0m=\x1b[32m{PASSWORD}\x1b[0m",
        f'\x1b[34;1m"token"\x1b[0m\x1b[1;39m: \x1b[0;32m"{TOKEN}"\x1b[0m',
        f"\\u001b[32mtoken\\u001b[0m: \\u001b[33m{TOKEN}\\u001b[0m",
        f"\\x1b[32mAPI_TOKEN\\x1b[0m={TOKEN}",
        f"\x1b[01;31m\x1b[Ksk-proj-\x1b[m\x1b[K{TOKEN}",
        f"the api key is {TOKEN}",
        f"api_key: 0190a8f2-c3d4-7b1e-9f00-{fill('{hex:12}', random.Random(3))}",
        f"PASS: {PASSWORD}x9",
        f'const token: string = "{TOKEN}"',
        f'api_token: str = "{TOKEN}"',
        f"define('DB_PASSWORD', '{PASSWORD}');",
        f'config.setPassword("{PASSWORD}")',
        f"::add-mask::{TOKEN}",
    ],
)
def test_redactor_masks(text: str) -> None:
    for place in (alone, in_prose, in_code):
        redacted = Redactor().text(place(text))
        assert TOKEN not in redacted
        assert PASSWORD not in redacted
        assert "[REDACTED:" in redacted


@pytest.mark.parametrize(
    "text",
    [
        "set -x PATH $HOME/.cargo/bin $PATH",
        "set -x TOKEN_FILE /run/secrets/token2",
        "set -x API_TOKEN $OTHER_TOKEN",
        "if password:\n    'The password is not checked here.'",
        'class Token:\n    """A token of the language, with its position."""',
        "\x1b[32mPASS\x1b[0m tests/test_tokens.py::test_password[token-1]",
        "--- PASS: TestTokenStore/rotate_key_twice (0.01s)",
        "    --- PASS: TestPassword/min_length=12 (0.00s)",
        "PASS: tests/password-1.sh",
        "dedupe_key: 0190a8f2-c3d4-7b1e-9f00-aa11bb22cc33",
        '"eventKey": "0190a8f2-c3d4-7b1e-9f00-aa11bb22cc33"',
        "A key file starts with -----BEGIN RSA PRIVATE KEY----- and the rest of this sentence stays as it is.",
        "Between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY----- stand lines of base64.",
        "the key is described in AuthenticationAndAuthorization2",
        "public key: nbUu0G/fhQxT8aDnl7sHuxMhmvz6SKFFtKFH9rp1v08=",
        "setPassword('required')",
        'MovedAttribute("HTTPPasswordMgr", "urllib2", "urllib.request"),',
        "define('TOKEN_TYPE', 'bearer2')",
    ],
)
def test_redactor_keeps(text: str) -> None:
    for place in (alone, in_prose, in_code):
        assert Redactor().text(place(text)) == place(text)


def test_redactor_keeps_the_colours_around_a_masked_value() -> None:
    redacted = Redactor().text(f"\x1b[32mok\x1b[0m API_TOKEN=\x1b[33m{TOKEN}\x1b[0m \x1b[1mend\x1b[0m")

    assert redacted.startswith("\x1b[32mok\x1b[0m API_TOKEN=\x1b[33m[REDACTED:assigned-secret:")
    assert redacted.endswith("]\x1b[0m \x1b[1mend\x1b[0m")
