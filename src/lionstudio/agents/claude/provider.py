"""Claude Code as an agent: `claude -p`, one prompt per run, its records read while it works."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing

from lionstudio.agents.claude.stream import ClaudeStreamReader
from lionstudio.agents.events import Event
from lionstudio.agents.jsonl_process import stream
from lionstudio.agents.preflight import check_request, check_system_fits, extra_arguments, prompt_of
from lionstudio.agents.provider import Provider, Task
from lionstudio.errors import InvalidInput
from lionstudio.model.providers import PROVIDERS
from lionstudio.system.program import Program, find_program

_PERMISSIONS: Mapping[str, str] = {
    "ask": "--permission-mode=default",  # without a terminal, an action that needs permission is denied
    "edit": "--permission-mode=acceptEdits",
    "all": "--dangerously-skip-permissions",
}


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
        argv = [find_program("claude", task.env, PROVIDERS[self.name].install), *arguments(task)]
        # claude exits before its output is read: a pipe would lose everything beyond its buffer
        program = Program(argv, cwd=task.cwd, env=task.env, stdin=prompt_of(task), by_file=True)
        async with aclosing(stream(program, ClaudeStreamReader())) as events:
            async for event in events:
                yield event


def arguments(task: Task) -> list[str]:
    """The arguments for a task; the program reads the prompt from stdin."""
    argv = ["-p", "--output-format=stream-json", "--verbose", "--include-partial-messages"]
    # always `--name=value`: a value that begins with a dash stays a value
    options = {"model": task.model, "effort": task.effort, "append-system-prompt": task.system, "resume": task.resume}
    argv += [f"--{name}={value}" for name, value in options.items() if value]
    if task.resume and task.options.get("fork"):
        argv.append("--fork-session")
    if task.permissions is not None:
        argv.append(_PERMISSIONS[task.permissions])
    if task.tools is not None:
        # the available tools, and the rules that need no permission: `Bash(git *)` is a rule of the tool `Bash`
        built_in = [tool.partition("(")[0] for tool in task.tools if not tool.startswith("mcp__")]
        argv += [f"--tools={','.join(built_in)}", f"--allowedTools={','.join(task.tools)}"]
    return argv + extra_arguments(task)
