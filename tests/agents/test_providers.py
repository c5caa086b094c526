"""The registry of providers: every entry can be loaded and is documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from lionstudio.agents.provider import get_provider, split_target
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PROVIDERS, ProviderEntry

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "agents.md"


@pytest.mark.parametrize("entry", PROVIDERS.values(), ids=lambda entry: entry.name)
def test_providers_entry_is_complete(entry: ProviderEntry) -> None:
    assert {get_provider(name).name for name in (entry.name, *entry.aliases)} == {entry.name}
    assert all(prefix.isupper() and prefix.endswith("_") for prefix in entry.env_prefixes)
    assert f"`{entry.name}" in DOCUMENT.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("claude", ("claude", None)),
        ("Claude-Code/opus", ("claude", "opus")),
        ("ollama/llama3", ("openai", "llama3")),
        ("reviewer", None),
    ],
)
def test_split_target(target: str, expected: tuple[str, str | None] | None) -> None:
    assert split_target(target) == expected


def test_get_provider_lists_providers_for_unknown_name() -> None:
    with pytest.raises(InvalidInput) as caught:
        get_provider("nope")
    assert all(name in (caught.value.hint or "") for name in PROVIDERS)
