"""Redaction of values with their keys, of private keys and of values that are known exactly."""

from __future__ import annotations

import pytest

from lionstudio.model.redaction.redactor import Redactor
from lionstudio.model.redaction.spans import Spans


@pytest.mark.parametrize("key", ["password", "api_key", "client_secret", "DB_PASS"])
def test_redactor_reads_a_value_with_its_key(key: str) -> None:
    redacted = Redactor().value({"env": {key: "s3cr3t-Value-91"}, "n": [1, None]})

    assert redacted["env"][key].startswith("[REDACTED:")
    assert redacted["n"] == [1, None]


PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\n" * 12


@pytest.mark.parametrize(
    "text",
    [
        f"before {PEM}-----END RSA PRIVATE KEY----- after",
        f"before {PEM}",
        "before " + PEM.replace("\n", "\\n"),
        f"before {PEM} and then the log goes on",
        "before -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n",
    ],
)
def test_redactor_removes_private_keys_that_are_cut_off(text: str) -> None:
    redacted = Redactor().text(text)

    assert redacted.startswith("before [REDACTED:private-key:")
    assert "MIIEpAIB" not in redacted
    assert "b3BlbnNz" not in redacted


@pytest.mark.parametrize("value", ["p@ss w/rd+1", "line\none", "ünïcode-pass"])
def test_redactor_removes_known_values_in_every_encoding(value: str) -> None:
    from base64 import b64encode
    from json import dumps
    from urllib.parse import quote, quote_plus

    forms = [
        value,
        dumps(value),
        b64encode(value.encode()).decode(),
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
    ]
    redactor = Redactor([value])

    assert [form for form in forms if "[REDACTED:environment:" not in redactor.text(f"x {form} y")] == []


def test_redactor_searches_a_word_once(monkeypatch: pytest.MonkeyPatch) -> None:
    redactor, searched = Redactor(), list[str]()
    find = Redactor._find_in

    def counted(self: Redactor, text: str) -> Spans:
        searched.append(text)
        return find(self, text)

    monkeypatch.setattr(Redactor, "_find_in", counted)

    for _ in range(3):
        redactor.value({"assistant_response": "claude-sonnet-4-5", "id": "019b76da-afd0-876b-87d0-6c1a8d42a1cf"})

    assert searched == ["assistant_response", "claude-sonnet-4-5"]


@pytest.mark.parametrize("secret", ["019b76da-afd0-876b-87d0-6c1a8d42a1cf", "876b-87d0-6c1a", "kimono-4"])
def test_redactor_removes_a_known_value_from_an_id(secret: str) -> None:
    assert Redactor().text(f"{secret}-5e6f7a8b") == f"{secret}-5e6f7a8b"
    assert "[REDACTED:environment:" in Redactor([secret]).text(f"{secret}-5e6f7a8b")


def test_redactor_finds_no_clean_word_in_a_short_known_value() -> None:
    assert Redactor().is_clean_word("kimono")
    assert not Redactor(["kimono"]).is_clean_word("kimono")
    assert not Redactor().is_clean_word("a: b")
