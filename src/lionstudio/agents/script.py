"""The scripted agent: does what the prompt says, line by line, with no model, no network and nothing installed.

    @say TEXT            an answer                 @think TEXT        a thought
    @run COMMAND …       a command, run for real   @write FILE TEXT   a file in the working folder
    @tool NAME TEXT      a tool call that gives TEXT back; @error NAME TEXT one that fails
    @agent NAME … @end   the lines between belong to a sub-agent
    @sleep SECONDS       @wait TEXT (for a person) @usage IN OUT [MICRODOLLARS]
    @limit               a usage limit             @fail [CODE] TEXT  @hang

A prompt without such lines is answered with an echo.
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

_WORDS = (
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


def _fault_of(word: str, given: list[str]) -> str | None:
    """What is wrong with a line of the script."""
    if word not in _WORDS:
        return "is unknown"
    if word == "write" and len(given) < 2:
        return "needs a file and, on the same line, its text (\\n begins a new line)"
    if word in ("run", "tool", "error") and not given:
        return "needs a command" if word == "run" else "needs the name of a tool"
    if word == "sleep" and given and not _is_number(given[0]):
        return "needs a number of seconds"
    if word == "usage" and not (given and all(each.isascii() and each.isdigit() for each in given)):
        return "needs whole numbers of tokens: IN OUT [MICRODOLLARS]"
    return None


def _is_number(text: str) -> bool:
    try:
        return 0 <= float(text) < 1e9
    except ValueError:
        return False


def provider() -> Provider:
    """The provider of this module."""
    return Script()


class Script:
    """A deterministic agent for demos, tests and first steps."""

    name = "script"

    def check(self, task: Task) -> None:
        """A line that begins with an unknown @word, or lacks what its word needs, is a mistake: nothing is begun."""
        for number, line in enumerate(task.prompt.splitlines(), 1):
            word, _, rest = line.strip().partition(" ")
            if word.startswith("@") and (wrong := _fault_of(word[1:], rest.split())):
                raise InvalidInput(f"line {number} of the script: {word} {wrong}", hint="see `li agent --help`")

    async def run(self, task: Task) -> AsyncIterator[Event]:
        """Play the lines of the prompt."""
        yield MetadataEvent({"model": task.model or "script", "conversation": task.resume or new_id()})
        lines = [line.strip() for line in task.prompt.splitlines() if line.strip().startswith("@")]
        if not lines:
            yield MessageEvent(AssistantResponse(content={"assistant_response": f"You said: {task.prompt}"}))
        stage = _Stage(task)
        for line in lines:
            async for event in stage.play(line):
                yield event
                if isinstance(event, Ended):
                    return
        yield Ended(SessionStatus.COMPLETED, 0)


class _Stage:
    """What a script has done so far."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._lane = MAIN
        self._usage: dict[str, int] = {}

    async def play(self, line: str) -> AsyncIterator[Event]:
        """The events of one line."""
        word, _, rest = line[1:].partition(" ")
        rest = rest.strip()
        if word == "say":
            yield TextDelta(rest, self._lane)
            yield self._said({"assistant_response": rest})
        elif word == "think":
            yield self._said({"assistant_response": "", "thinking": rest})
        elif word in ("tool", "error"):
            name, _, text = rest.partition(" ")
            for said in self._call(name, {}, text, failed=word == "error"):
                yield said
        elif word == "run":
            request = ActionRequest(content={"function": "run", "arguments": {"command": rest}})
            yield MessageEvent(request, self._lane)
            yield await self._run(rest, request)
        elif word == "write":
            name, _, text = rest.partition(" ")
            for said in self._write(name, text):
                yield said
        elif word in ("agent", "end"):
            self._lane = f"agent-{new_id()}" if word == "agent" else MAIN
            if word == "agent":
                yield LaneOpened(self._lane, rest or None)
        elif word == "wait":
            yield WaitingEvent(rest or "a person")
        else:
            async for event in self._pause_or_end(word, rest):
                yield event

    async def _pause_or_end(self, word: str, rest: str) -> AsyncIterator[Event]:
        if word == "sleep":
            await asyncio.sleep(float(rest or 1))
        elif word == "hang":
            await asyncio.Event().wait()
        elif word == "usage":
            names = ("input_tokens", "output_tokens", "cost_microusd")
            self._usage = dict(zip(names, map(int, rest.split()), strict=False))
        elif word == "limit":
            detail, resets_at = rest or "the scripted limit is reached", reset_time(rest)
            yield Ended(SessionStatus.FAILED, 1, "run.failed.usage_limit", detail, resets_at)
        elif word == "fail":
            code, _, detail = rest.partition(" ")
            code, detail = (code, detail) if code.isascii() and code.isdigit() else ("1", rest)
            yield Ended(SessionStatus.FAILED, min(int(code), 255), None, detail or None)

    def _said(self, content: dict[str, Any]) -> MessageEvent:
        metadata = {"usage": self._usage} if self._usage else {}
        self._usage = {}
        return MessageEvent(AssistantResponse(content=content, metadata=metadata), self._lane)

    def _call(
        self, name: str, arguments: dict[str, Any], text: str, *, failed: bool = False
    ) -> tuple[MessageEvent, MessageEvent]:
        call = {"function": name, "arguments": arguments}
        request = ActionRequest(content=call)
        answer = {**call, "error" if failed else "output": text, "action_request_id": request.id}
        return MessageEvent(request, self._lane), MessageEvent(ActionResponse(content=answer), self._lane)

    async def _run(self, command: str, request: ActionRequest) -> MessageEvent:
        try:
            argv = shlex.split(command)
            async with Program(argv, cwd=self._task.cwd, env=self._task.env) as program:
                output = b"\n".join([line async for line in program.lines()]).decode("utf-8", "backslashreplace")
                code = await program.wait()
                text = "\n".join(part for part in (output, program.last_words) if part)
        except (LionError, ValueError, IndexError) as error:
            code, text = 127, str(error)
        answer = {**request.content, "error" if code else "output": text, "action_request_id": request.id}
        return MessageEvent(ActionResponse(content=answer), self._lane)

    def _write(self, name: str, text: str) -> tuple[MessageEvent, MessageEvent]:
        path = os.path.normpath(os.path.join(self._task.cwd, name))
        if os.path.commonpath([path, os.path.abspath(self._task.cwd)]) != os.path.abspath(self._task.cwd):
            return self._call("write", {"path": name}, "that is outside of the working folder", failed=True)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace("\\n", "\n") + "\n")
        except (OSError, ValueError) as error:
            return self._call("write", {"path": name}, str(error), failed=True)
        return self._call("write", {"path": name}, f"{len(text)} characters")
