"""The scripted agent: runs the prompt line by line, without a model, a network or an installed program.

    @say TEXT            an answer                 @think TEXT        thinking
    @run COMMAND …       a real command            @write FILE TEXT   a file in the working folder
    @tool NAME TEXT      a tool call that returns TEXT; @error NAME TEXT one that fails
    @agent NAME … @end   the lines between belong to a sub-agent
    @sleep SECONDS       @wait TEXT (for the user) @usage IN OUT [MICRODOLLARS]
    @limit               a usage limit             @fail [CODE] TEXT  @hang

A prompt without such lines is echoed.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import AsyncIterator
from typing import Any

from lionstudio.agents.events import (
    MAIN,
    Ended,
    Event,
    LaneOpened,
    MessageEvent,
    MetadataEvent,
    TextDelta,
    WaitingEvent,
)
from lionstudio.agents.provider import Provider, Task
from lionstudio.agents.rate_limits import reset_time
from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.ids import new_id
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse
from lionstudio.model.status.statuses import SessionStatus
from lionstudio.system.program import Program

_COMMANDS = (
    "say",
    "think",
    "run",
    "write",
    "tool",
    "error",
    "agent",
    "end",
    "sleep",
    "wait",
    "usage",
    "limit",
    "fail",
    "hang",
)


def _problem(command: str, arguments: list[str]) -> str | None:
    if command not in _COMMANDS:
        return "is unknown"
    if command == "write" and len(arguments) < 2:
        return "needs a file and, on the same line, its text (\\n starts a new line)"
    if command in ("run", "tool", "error") and not arguments:
        return "needs a command" if command == "run" else "needs the name of a tool"
    if command == "sleep" and arguments and not _is_seconds(arguments[0]):
        return "needs a number of seconds"
    if command == "usage" and not (arguments and all(text.isascii() and text.isdigit() for text in arguments)):
        return "needs integer token counts: IN OUT [MICRODOLLARS]"
    return None


def _is_seconds(text: str) -> bool:
    try:
        return 0 <= float(text) < 1e9
    except ValueError:
        return False


def provider() -> Provider:
    return Script()


class Script:
    """A deterministic agent for demos, tests and first steps."""

    name = "script"

    def check(self, task: Task) -> None:
        """Refuse a script with an unknown command or missing arguments before anything runs."""
        for number, line in enumerate(task.prompt.splitlines(), 1):
            command, _, rest = line.strip().partition(" ")
            if command.startswith("@") and (problem := _problem(command[1:], rest.split())):
                raise InvalidInput(f"line {number} of the script: {command} {problem}", hint="see `li agent --help`")

    async def run(self, task: Task) -> AsyncIterator[Event]:
        yield MetadataEvent({"model": task.model or "script", "conversation": task.resume or new_id()})
        lines = [line.strip() for line in task.prompt.splitlines() if line.strip().startswith("@")]
        if not lines:
            yield MessageEvent(AssistantResponse(content={"assistant_response": f"You said: {task.prompt}"}))
        interpreter = _Interpreter(task)
        for line in lines:
            async for event in interpreter.execute(line):
                yield event
                if isinstance(event, Ended):
                    return
        yield Ended(SessionStatus.COMPLETED, 0)


class _Interpreter:
    def __init__(self, task: Task) -> None:
        self._task = task
        self._lane = MAIN
        self._usage: dict[str, int] = {}

    async def execute(self, line: str) -> AsyncIterator[Event]:
        command, _, rest = line[1:].partition(" ")
        rest = rest.strip()
        if command == "say":
            yield TextDelta(rest, self._lane)
            yield self._answer({"assistant_response": rest})
        elif command == "think":
            yield self._answer({"assistant_response": "", "thinking": rest})
        elif command in ("tool", "error"):
            name, _, text = rest.partition(" ")
            for event in self._call(name, {}, text, failed=command == "error"):
                yield event
        elif command == "run":
            request = ActionRequest(content={"function": "run", "arguments": {"command": rest}})
            yield MessageEvent(request, self._lane)
            yield await self._run(rest, request)
        elif command == "write":
            name, _, text = rest.partition(" ")
            for event in self._write(name, text):
                yield event
        elif command in ("agent", "end"):
            self._lane = f"agent-{new_id()}" if command == "agent" else MAIN
            if command == "agent":
                yield LaneOpened(self._lane, rest or None)
        elif command == "wait":
            yield WaitingEvent(rest or "the user")
        else:
            async for last in self._pause_or_end(command, rest):
                yield last

    async def _pause_or_end(self, command: str, rest: str) -> AsyncIterator[Event]:
        if command == "sleep":
            await asyncio.sleep(float(rest or 1))
        elif command == "hang":
            await asyncio.Event().wait()
        elif command == "usage":
            names = ("input_tokens", "output_tokens", "cost_microusd")
            self._usage = dict(zip(names, map(int, rest.split()), strict=False))
        elif command == "limit":
            detail, resets_at = rest or "scripted usage limit reached", reset_time(rest)
            yield Ended(SessionStatus.FAILED, 1, "run.failed.usage_limit", detail, resets_at)
        elif command == "fail":
            code, _, detail = rest.partition(" ")
            code, detail = (code, detail) if code.isascii() and code.isdigit() else ("1", rest)
            yield Ended(SessionStatus.FAILED, min(int(code), 255), None, detail or None)

    def _answer(self, content: dict[str, Any]) -> MessageEvent:
        metadata = {"usage": self._usage} if self._usage else {}
        self._usage = {}
        return MessageEvent(AssistantResponse(content=content, metadata=metadata), self._lane)

    def _call(
        self, name: str, arguments: dict[str, Any], text: str, *, failed: bool = False
    ) -> tuple[MessageEvent, MessageEvent]:
        call = {"function": name, "arguments": arguments}
        request = ActionRequest(content=call)
        response = {**call, "error" if failed else "output": text, "action_request_id": request.id}
        return MessageEvent(request, self._lane), MessageEvent(ActionResponse(content=response), self._lane)

    async def _run(self, command: str, request: ActionRequest) -> MessageEvent:
        try:
            argv = shlex.split(command)
            async with Program(argv, cwd=self._task.cwd, env=self._task.env) as program:
                output = b"\n".join([line async for line in program.lines()]).decode("utf-8", "backslashreplace")
                code = await program.wait()
                text = "\n".join(part for part in (output, program.stderr_tail) if part)
        except (LionError, ValueError, IndexError) as error:
            code, text = 127, str(error)
        response = {**request.content, "error" if code else "output": text, "action_request_id": request.id}
        return MessageEvent(ActionResponse(content=response), self._lane)

    def _write(self, name: str, text: str) -> tuple[MessageEvent, MessageEvent]:
        path = os.path.normpath(os.path.join(self._task.cwd, name))
        if os.path.commonpath([path, os.path.abspath(self._task.cwd)]) != os.path.abspath(self._task.cwd):
            return self._call("write", {"path": name}, "outside the working folder", failed=True)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("\\n", "\n") + "\n")
        except (OSError, ValueError) as error:
            return self._call("write", {"path": name}, str(error), failed=True)
        return self._call("write", {"path": name}, f"{len(text)} characters")
