"""The one interface of all providers: a task goes in, events come out; closing the iterator stops the agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from lionstudio.agents.events import Event
from lionstudio.errors import InvalidInput
from lionstudio.model.messages import Message


class Task(NamedTuple):
    """What an agent is asked to do, and with what."""

    prompt: str
    cwd: str
    env: Mapping[str, str]  # the whole environment of the agent; nothing else is passed on
    model: str | None = None
    system: str | None = None
    effort: str | None = None
    tools: tuple[str, ...] | None = None  # the tools it may use; None leaves that to the provider
    permissions: str | None = None  # ask | edit | all
    resume: str | None = None  # the provider's own id of the conversation to continue
    history: tuple[Message, ...] = ()  # what was said before, for a fork that the provider does not know
    options: Mapping[str, Any] = {}  # what only this provider understands


class Provider(Protocol):
    """A way to run an agent."""

    name: str

    def check(self, task: Task) -> None:
        """Refuse what cannot work, with what to do about it (a program that is not installed …)."""

    def run(self, task: Task) -> AsyncIterator[Event]:
        """Start the agent and yield what it does, ending with Ended; closing it ends the whole process tree."""


# name → module; loaded when used, each may need packages that are not installed
PROVIDERS: Mapping[str, str] = {
    "claude": "lionstudio.agents.claude.provider",
    "codex": "lionstudio.agents.codex.provider",
    "openai": "lionstudio.agents.openai.provider",
    "acp": "lionstudio.agents.acp",
    "command": "lionstudio.agents.command",
    "script": "lionstudio.agents.script",
}
_OTHER_NAMES = {"claude_code": "claude", "claude-code": "claude", "ollama": "openai"}


def provider_name(given: str) -> str | None:
    """Our name of a provider, None when it is none."""
    name = _OTHER_NAMES.get(given.lower(), given.lower())
    return name if name in PROVIDERS else None


def get_provider(name: str) -> Provider:
    """The provider of that name."""
    known = provider_name(name)
    if known is None:
        raise InvalidInput(f"there is no provider {name!r:.60}", hint=f"use one of: {', '.join(sorted(PROVIDERS))}")
    made: Provider = import_module(PROVIDERS[known]).provider()
    return made


def split_target(target: str) -> tuple[str, str | None] | None:
    """`claude` or `openai/llama3` as (provider, model); None when it names no provider."""
    name, _, model = target.partition("/")
    known = provider_name(name)
    return None if known is None else (known, model or None)


def history_as_text(history: tuple[Message, ...]) -> str:
    """A conversation as a prompt can tell it, for a provider that cannot be given messages."""
    lines = ["This conversation continues an earlier one. What was said so far:", ""]
    for message in history:
        lines.append(f"[{message.role or 'unknown'}] {message.text}")
    return "\n".join([*lines, "", "Continue with this:", ""])
