"""Any program as an agent: each line is a message; a JSON line in the shape of a message becomes that message.

The argv is `options["command"]`. `{prompt}` in it is replaced by the prompt; without it the program reads the prompt
from stdin.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

from lionstudio.agents.events import Ended, Event, MessageEvent
from lionstudio.agents.provider import Provider, Task, history_as_text
from lionstudio.agents.records import parse_line, raw_message
from lionstudio.errors import InvalidInput
from lionstudio.model.json_codec import jsonable
from lionstudio.model.messages import AssistantResponse, Instruction, Message, System, create_message
from lionstudio.model.status.statuses import EXIT_CODES, SessionStatus
from lionstudio.system.program import Program, find_program

_BY_ROLE: Mapping[str, tuple[type[Message], str]] = {
    "assistant": (AssistantResponse, "assistant_response"),
    "user": (Instruction, "instruction"),
    "system": (System, "system_message"),
}


def provider() -> Provider:
    return CommandAgent()


class CommandAgent:
    name = "command"

    def check(self, task: Task) -> None:
        argv = task.options.get("command")
        if not isinstance(argv, (list, tuple)) or not argv or not all(isinstance(part, str) for part in argv):
            raise InvalidInput(
                "missing command",
                hint='set `command: ["program", "{prompt}"]` in the agent, or run: li agent command "…" -- program …',
            )
        find_program(argv[0], task.env, f"install {argv[0]} or use its full path")

    async def run(self, task: Task) -> AsyncIterator[Event]:
        prompt = history_as_text(task.history) + task.prompt if task.history else task.prompt
        command = [str(part) for part in task.options["command"]]
        argv = [find_program(command[0], task.env, ""), *(part.replace("{prompt}", prompt) for part in command[1:])]
        stdin = None if any("{prompt}" in part for part in command) else prompt.encode("utf-8", "surrogateescape")
        async with Program(argv, cwd=task.cwd, env=task.env, stdin=stdin) as program:
            async for line in program.lines():
                if line.strip():
                    yield MessageEvent(message_of(parse_line(line)))
            code = await program.wait()
            yield _ended(code, program.stderr_tail)


def message_of(value: Any) -> Message:
    if isinstance(value, str):
        return AssistantResponse(content={"assistant_response": value})
    if isinstance(value, dict):
        content = jsonable(value)
        role, text = content.get("role"), content.get("content")
        if role in _BY_ROLE and isinstance(text, str):
            message_class, key = _BY_ROLE[role]
            rest = {name: item for name, item in content.items() if name not in ("role", "content")}
            return message_class(content={key: text}, metadata={"raw": rest} if rest else {})
        try:
            return create_message(content)
        except InvalidInput:
            pass
    return raw_message(value)


def _ended(code: int, last_words: str) -> Ended:
    if code == 0:
        return Ended(SessionStatus.COMPLETED, 0)
    detail = last_words[-2000:] or f"exit code {code}"
    if code == EXIT_CODES[SessionStatus.TIMED_OUT]:
        return Ended(SessionStatus.TIMED_OUT, code, None, detail)
    if code == 137:  # a SIGKILL that we did not send: usually the system was out of memory
        return Ended(SessionStatus.FAILED, code, "run.failed.out_of_memory", detail)
    return Ended(SessionStatus.FAILED, code, "run.failed.exit_nonzero", detail)
