"""The registry of providers: one entry for each way to run an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class ProviderEntry(NamedTuple):
    """A provider as every list, hint and check sees it; its module is loaded when it runs an agent."""

    name: str
    module: str  # has a function `provider()`; it may need packages that are not installed
    aliases: tuple[str, ...] = ()
    env_prefixes: tuple[str, ...] = ()  # the agent receives variables with these prefixes; all others are withheld
    install: str = ""  # how to install and log in to the program
    usage: str = ""  # how users write it where the name alone is not enough


PROVIDERS: Mapping[str, ProviderEntry] = {
    entry.name: entry
    for entry in (
        ProviderEntry(
            "claude",
            "lionstudio.agents.claude.provider",
            aliases=("claude_code", "claude-code"),
            env_prefixes=("ANTHROPIC_", "CLAUDE_"),
            install=(
                "npm install -g @anthropic-ai/claude-code, then run `claude` once and log in, or set ANTHROPIC_API_KEY"
            ),
        ),
        ProviderEntry(
            "codex",
            "lionstudio.agents.codex.provider",
            env_prefixes=("OPENAI_", "CODEX_"),
            install="npm install -g @openai/codex, then run `codex login`, or set CODEX_API_KEY",
        ),
        ProviderEntry(
            "openai",
            "lionstudio.agents.openai.provider",
            aliases=("ollama",),
            env_prefixes=("OPENAI_", "AZURE_OPENAI_", "OLLAMA_"),
            usage="openai/MODEL",
        ),
        ProviderEntry("acp", "lionstudio.agents.acp", env_prefixes=("GEMINI_", "GOOGLE_")),
        ProviderEntry("command", "lionstudio.agents.command"),
        ProviderEntry("script", "lionstudio.agents.script"),
    )
}
_BY_NAME = {name: entry for entry in PROVIDERS.values() for name in (entry.name, *entry.aliases)}
PROVIDER_NAMES = frozenset(name.replace("-", "_") for name in _BY_NAME)  # as definition files spell them
ENV_PREFIXES = tuple(dict.fromkeys(prefix for entry in PROVIDERS.values() for prefix in entry.env_prefixes))
PROVIDER_USAGE = ", ".join(entry.usage or entry.name for entry in PROVIDERS.values())


def find_provider(name: str) -> ProviderEntry | None:
    """The provider with this name or alias, in any case."""
    return _BY_NAME.get(name.lower())
