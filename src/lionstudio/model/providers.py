"""The registry of providers: one entry for each way to run an agent."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

PERMISSIONS = ("ask", "edit", "all")  # actions that an agent may do without asking


class Ability(StrEnum):
    """One thing that a person can do with an agent; commands and pages offer just those it has."""

    ASK = "ask"  # it asks before it acts, and takes the answer
    STEER = "steer"  # a message reaches the running turn
    QUEUE = "queue"  # a message is taken after the running turn
    INTERRUPT = "interrupt"  # the running turn can be replaced
    RESUME = "resume"  # an ended conversation continues
    FORK = "fork"


class ProviderEntry(NamedTuple):
    """A provider as every list, hint and check sees it; its module is loaded when it runs an agent."""

    name: str
    module: str  # has a function `provider()`; it may need packages that are not installed
    aliases: tuple[str, ...] = ()
    env_prefixes: tuple[str, ...] = ()  # the agent receives variables with these prefixes; all others are withheld
    install: str = ""  # how to install and log in to the program
    usage: str = ""  # how users write it where the name alone is not enough
    abilities: frozenset[Ability] = frozenset()
    forks_at_turn: bool = False  # a fork can keep the conversation up to the end of a turn
    can_review: bool = True  # it can be kept from obeying the files that it reviews


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
            abilities=frozenset(Ability),
        ),
        ProviderEntry(
            "codex",
            "lionstudio.agents.codex.provider",
            env_prefixes=("OPENAI_", "CODEX_"),
            install="npm install -g @openai/codex, then run `codex login`, or set CODEX_API_KEY",
            abilities=frozenset(Ability),
            forks_at_turn=True,
        ),
        ProviderEntry(
            "openai",
            "lionstudio.agents.openai.provider",
            aliases=("ollama",),
            env_prefixes=("OPENAI_", "AZURE_OPENAI_", "OLLAMA_"),
            usage="openai/MODEL",
            abilities=frozenset(Ability),  # a message now is part of the next request
        ),
        ProviderEntry(
            "acp",
            "lionstudio.agents.acp.provider",
            env_prefixes=("GEMINI_", "GOOGLE_", "OPENCODE_"),
            usage="acp … -- COMMAND",
            # the protocol has no message into a running turn, and few programs fork
            abilities=frozenset({Ability.ASK, Ability.QUEUE, Ability.INTERRUPT, Ability.RESUME}),
            can_review=False,  # the protocol has no switch for the settings and instructions that a program loads
        ),
        ProviderEntry("command", "lionstudio.agents.command"),
        ProviderEntry("script", "lionstudio.agents.script", abilities=frozenset(Ability)),
    )
}
_BY_NAME = {name: entry for entry in PROVIDERS.values() for name in (entry.name, *entry.aliases)}
PROVIDER_NAMES = frozenset(name.replace("-", "_") for name in _BY_NAME)  # as definition files spell them
ENV_PREFIXES = tuple(dict.fromkeys(prefix for entry in PROVIDERS.values() for prefix in entry.env_prefixes))
REVIEWERS = ", ".join(entry.usage or entry.name for entry in PROVIDERS.values() if entry.can_review)
PROVIDER_USAGE = ", ".join(entry.usage or entry.name for entry in PROVIDERS.values())


def find_provider(name: str) -> ProviderEntry | None:
    """The provider with this name or alias, in any case."""
    return _BY_NAME.get(name.lower())
