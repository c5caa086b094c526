"""Messages as rows: a text alone takes a shorter way to its column, with the same result."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.model.redaction.corpus import list_samples
from tests.model.redaction.test_corpus import has_leaked

from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import dump
from lionstudio.model.redaction.process import redactor
from lionstudio.state.messages.rows import stored_content, stored_metadata

KEYS = ("system_message", "instruction", "assistant_response", "function", "output", "error")


@pytest.mark.parametrize("key", KEYS)
def test_stored_content_hides_the_secrets_of_a_text(key: str) -> None:
    stored = redactor().stored
    for sample in list_samples(seed=5):
        content = {key: sample.text}
        alone, whole = stored_content(content), stored(dump(content))
        assert list(json.loads(alone)) == [key]
        assert not has_leaked(sample.secret, alone) or has_leaked(sample.secret, whole), sample


@pytest.mark.parametrize("key", ["function", "output", "error"])
def test_stored_content_hides_the_secrets_of_a_result(key: str) -> None:
    stored = redactor().stored
    for sample in list_samples(seed=5):
        content = {
            "function": "get_token",
            "action_request_id": "019b76da-afd0-876b-87d0-6c1a8d42a1cf",
            key: sample.text,
        }
        alone, whole = stored_content(content), stored(dump(content))
        assert list(json.loads(alone)) == list(content)
        assert not has_leaked(sample.secret, alone) or has_leaked(sample.secret, whole), sample


@pytest.mark.parametrize(
    "content",
    [
        {"assistant_response": 'quotes " and \\ and \n and \0 and ü🦁\u2028'},
        {"assistant_response": "lone \ud800, a pair \ud83e\udd81"},
        {"assistant_response": ""},
        {"assistant_response": None},
        {"assistant_response": ["a", 1]},
        {"assistant_response": "x", "thinking": "y"},
        {"output": "x", "action_request_id": "1"},
        {"function": None, "action_request_id": None, "error": "a \n line"},
        {"function": "Bash", "output": ["a", None]},
        {},
        ["assistant_response"],
        "assistant_response",
    ],
)
def test_stored_content_is_the_json_of_the_content(content: Any) -> None:
    assert stored_content(content) == dump(content)


def test_stored_content_refuses_what_is_not_json() -> None:
    with pytest.raises(InvalidInput):
        stored_content({"assistant_response": object()})


IDS = ("uuid", "parent_uuid", "session", "message_id", "call_id", "model")


@pytest.mark.parametrize("key", [*IDS, "result"])
def test_stored_metadata_hides_what_the_whole_text_hides(key: str) -> None:
    stored = redactor().stored
    for sample in list_samples(seed=5):
        metadata = {"uuid": "019b76da-afd0-876b-87d0-6c1a8d42a1cf", key: sample.text, "usage": {"input_tokens": 10}}
        assert stored_metadata(metadata) == stored(dump(metadata)), sample


@pytest.mark.parametrize(
    "metadata",
    [
        {"usage": {"input_tokens": "ghp_" + "a1B2c3D4e5" * 4}},
        {"usage": {"ghp_" + "a1B2c3D4e5" * 4: 1}},
        {"usage": "ghp_" + "a1B2c3D4e5" * 4},
        {"uuid": ["ghp_" + "a1B2c3D4e5" * 4]},
        {"ghp_" + "a1B2c3D4e5" * 4: "x"},
    ],
)
def test_stored_metadata_trusts_no_name(metadata: dict[str, Any]) -> None:
    assert "ghp_" not in stored_metadata(metadata)
