"""The interface of all providers: run a task, yield events; closing the iterator stops the agent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from lionstudio.agents.dialog import Dialog
from lionstudio.agents.events import Event
from lionstudio.errors import InvalidInput
from lionstudio.model.messages import Message
from lionstudio.model.providers import PROVIDER_USAGE, find_provider
from lionstudio.model.questions import AnsweredQuestion
from lionstudio.system.sandbox.sandbox import Sandbox


class Task(NamedTuple):
    """The prompt of an agent and the settings of its run."""

    prompt: str
    cwd: str
    env: Mapping[str, str]  # the complete environment of the agent; nothing else is passed on
    model: str | None = None
    system: str | None = None
    effort: str | None = None
    tools: tuple[str, ...] | None = None  # the tools it may use; None for the provider's default
    permissions: str | None = None  # ask | edit | all
    resume: str | None = None  # the provider's id of the conversation to continue
    last_turn: str | None = None  # of a fork: the turns after this one are left out
    history: tuple[Message, ...] = ()  # the earlier messages, where the provider may not have the conversation
    options: Mapping[str, Any] = {}  # options of this provider only
    sandbox: Sandbox | None = None  # of every program that runs for the agent; None: not confined
    # it judges files that it must not obey: their settings, hooks, instructions and MCP servers are off, it only reads
    untrusted_material: bool = False
    dialog: Dialog | None = None  # for answers and messages while it works; None: without a person
    answered: tuple[AnsweredQuestion, ...] = ()  # of the run that this one continues: it died while it waited
    park_after: float | None = None  # seconds without an answer after which its program is ended until there is one


class Provider(Protocol):
    name: str

    def check(self, task: Task) -> None:
        """Raise an error with a hint if the task cannot run (the program is not installed, an option is wrong)."""

    def run(self, task: Task) -> AsyncIterator[Event]:
        """Start the agent and yield its events, Ended last; closing the iterator ends its process tree."""


def get_provider(name: str) -> Provider:
    entry = find_provider(name)
    if entry is None:
        raise InvalidInput(f"unknown provider {name!r:.60}", hint=f"use one of: {PROVIDER_USAGE}")
    provider: Provider = import_module(entry.module).provider()
    return provider


def split_target(target: str) -> tuple[str, str | None] | None:
    """`claude` or `openai/llama3` as (provider, model); None when it does not name a provider."""
    name, _, model = target.partition("/")
    entry = find_provider(name)
    return None if entry is None else (entry.name, model or None)


def history_as_text(history: tuple[Message, ...]) -> str:
    """The earlier conversation as part of a prompt, for a provider that does not accept messages."""
    lines = ["This conversation continues an earlier one. What was said so far:", ""]
    for message in history:
        lines.append(f"[{message.role or 'unknown'}] {message.text}")
    return "\n".join([*lines, "", "Continue with this:", ""])
