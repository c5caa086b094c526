"""Claude Code as an agent: `claude -p`, a conversation over stdio where a person may answer and write to it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from lionstudio.agents.claude.conversation import StdioConversation
from lionstudio.agents.claude.stream import ClaudeStreamReader
from lionstudio.agents.events import Event
from lionstudio.agents.jsonl_process import stream
from lionstudio.agents.preflight import check_request, check_system_fits, extra_arguments, prompt_of
from lionstudio.agents.provider import Provider, Task
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PROVIDERS
from lionstudio.system.program import Program, find_program

_PERMISSIONS: Mapping[str, str] = {
    "ask": "--permission-mode=default",  # without a dialog, an action that needs permission is denied
    "edit": "--permission-mode=acceptEdits",
    "all": "--dangerously-skip-permissions",
}


_CONVERSATION = ("--input-format=stream-json", "--replay-user-messages")
# Without them, files of the material are obeyed: .claude/settings.json with its hooks, CLAUDE.md, skills, .mcp.json.
_UNTRUSTED = ("--setting-sources=user", "--strict-mcp-config", "--disable-slash-commands", "--permission-mode=default")
# The options alone leave .claude/rules of folders that are read; a version that does not know these ignores them.
_UNTRUSTED_ENV = {"CLAUDE_CODE_SAFE_MODE": "1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"}
_READ_TOOLS = ("Read", "Glob", "Grep")


def provider() -> Provider:
    return Claude()


class Claude:
    name = "claude"

    def check(self, task: Task) -> None:
        check_request(task)
        check_system_fits(task)
        if any(tool.startswith("-") or "," in tool for tool in task.tools or ()):
            raise InvalidInput(f"invalid tool name in {task.tools!r:.80}", hint='for example ["Bash", "Read"]')
        find_program("claude", task.env, PROVIDERS[self.name].install)

    async def run(self, task: Task) -> AsyncIterator[Event]:
        # a reviewer decides alone: no message and no answer may steer it
        if task.dialog is None or task.untrusted_material:
            events = stream(_start(task, stdin=prompt_of(task)), ClaudeStreamReader())
        else:
            conversation = StdioConversation(
                task, task.dialog, lambda task: _start(task, conversation=True, hold_input=True)
            )
            events = conversation.events()
        async with aclosing(events):
            async for event in events:
                yield event


def _start(task: Task, **options: Any) -> Program:
    argv = [find_program("claude", task.env, PROVIDERS["claude"].install), *arguments(task)]
    env = {**task.env, **_UNTRUSTED_ENV} if task.untrusted_material else task.env
    # claude exits before its output is read: a pipe would lose everything beyond its buffer
    return Program(argv, cwd=task.cwd, env=env, by_file=True, sandbox=task.sandbox, **options)


def arguments(task: Task) -> list[str]:
    """The arguments for a task; the program reads the prompt, or the conversation, from stdin."""
    argv = ["-p", "--output-format=stream-json", "--verbose", "--include-partial-messages"]
    # always `--name=value`: a value that begins with a dash stays a value
    options = {"model": task.model, "effort": task.effort, "append-system-prompt": task.system, "resume": task.resume}
    argv += [f"--{name}={value}" for name, value in options.items() if value]
    if task.resume and task.options.get("fork"):
        argv.append("--fork-session")
    if task.dialog is not None and not task.untrusted_material:
        argv += _CONVERSATION
        if task.permissions == "ask":
            argv.append("--permission-prompt-tool=stdio")
    if task.untrusted_material:
        return [*argv, *extra_arguments(task), *_UNTRUSTED, f"--tools={','.join(_READ_TOOLS)}"]
    if task.permissions is not None:
        argv.append(_PERMISSIONS[task.permissions])
    if task.tools is not None:
        # the available tools, and the rules that need no permission: `Bash(git *)` is a rule of the tool `Bash`
        built_in = [tool.partition("(")[0] for tool in task.tools if not tool.startswith("mcp__")]
        argv += [f"--tools={','.join(built_in)}", f"--allowedTools={','.join(task.tools)}"]
    return argv + extra_arguments(task)
