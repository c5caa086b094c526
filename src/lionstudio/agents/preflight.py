"""Checks of a task before its agent program starts, and the prompt as the program reads it."""

from __future__ import annotations

from lionstudio.agents.provider import Task, history_as_text
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PERMISSIONS


def check_request(task: Task) -> None:
    if not task.prompt.strip():
        raise InvalidInput("the prompt is empty", hint="pass the task as PROMPT or on stdin")
    if task.permissions is not None and task.permissions not in PERMISSIONS:
        raise InvalidInput(
            f"unknown permissions {task.permissions!r:.60}", hint=f"use one of: {', '.join(PERMISSIONS)}"
        )
    if task.resume is not None and (task.resume.startswith("-") or not task.resume.isprintable()):
        raise InvalidInput(f"{task.resume!r:.80} is not a conversation id of this provider")
    extra_arguments(task)


def extra_arguments(task: Task) -> list[str]:
    """The user's additional arguments for the program."""
    arguments = task.options.get("args", [])
    if not isinstance(arguments, (list, tuple)) or not all(isinstance(argument, str) for argument in arguments):
        raise InvalidInput("`args` must be a list of strings", hint='for example args: ["--add-dir", "../docs"]')
    return list(arguments)


def prompt_of(task: Task) -> bytes:
    """The prompt as bytes, after the earlier conversation if the program does not have it."""
    history = history_as_text(task.history) if task.history and task.resume is None else ""
    return (history + task.prompt).encode("utf-8", "backslashreplace")


_MAX_SYSTEM = 100_000  # bytes; Linux rejects an argument beyond 128 KiB


def check_system_fits(task: Task) -> None:
    if len((task.system or "").encode("utf-8", "replace")) > _MAX_SYSTEM:
        raise InvalidInput(
            f"the system prompt is longer than {_MAX_SYSTEM} bytes",
            hint="put the long part into a file and tell the agent to read it",
        )
