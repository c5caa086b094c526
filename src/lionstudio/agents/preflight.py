"""What a task may ask of an agent program, checked before the program is started."""

from __future__ import annotations

from lionstudio.agents.provider import Task, history_as_text
from lionstudio.errors import InvalidInput

PERMISSIONS = ("ask", "edit", "all")


def check_request(task: Task) -> None:
    """Refuse what no program would understand."""
    if not task.prompt.strip():
        raise InvalidInput("the prompt is empty", hint="say what the agent is to do")
    if task.permissions is not None and task.permissions not in PERMISSIONS:
        raise InvalidInput(
            f"the permissions {task.permissions!r:.60} are unknown", hint=f"use one of: {', '.join(PERMISSIONS)}"
        )
    if task.resume is not None and (task.resume.startswith("-") or not task.resume.isprintable()):
        raise InvalidInput(f"{task.resume!r:.80} is no conversation of this provider")
    extra_arguments(task)


def extra_arguments(task: Task) -> list[str]:
    """The arguments that a person adds for the program itself."""
    given = task.options.get("args", [])
    if not isinstance(given, (list, tuple)) or not all(isinstance(part, str) for part in given):
        raise InvalidInput("`args` must be a list of texts", hint='write e.g. args: ["--add-dir", "../docs"]')
    return list(given)


def prompt_of(task: Task) -> bytes:
    """The prompt as the program reads it; what was said before stands in front of it, if it cannot know that."""
    told = history_as_text(task.history) if task.history and task.resume is None else ""
    return (told + task.prompt).encode("utf-8", "backslashreplace")


_LONGEST_SYSTEM = 100_000  # bytes; Linux refuses an argument beyond 128 KiB


def check_system_fits(task: Task) -> None:
    """Refuse a system prompt that a command line cannot carry."""
    if len((task.system or "").encode("utf-8", "replace")) > _LONGEST_SYSTEM:
        raise InvalidInput(
            f"the system prompt is longer than {_LONGEST_SYSTEM} bytes",
            hint="put the long part into a file and tell the agent to read it",
        )
