"""The scripted agent: runs the prompt line by line, without a model, a network or an installed program.

    @say TEXT            an answer                 @think TEXT        thinking
    @run COMMAND …       a real command            @write FILE TEXT   a file in the working folder
    @tool NAME TEXT      a tool call that returns TEXT; @error NAME TEXT one that fails
    @agent NAME … @end   the lines between belong to a sub-agent
    @ask QUESTION | OPTION | OPTION …              a question to the user; the answer is said
    @wait [TEXT]         a question in words       @allow COMMAND …   a command that runs if the user allows it
    @sleep SECONDS       @usage IN OUT [MICRODOLLARS]
    @limit               a usage limit             @fail [CODE] TEXT  @hang

A prompt without such lines is echoed. A reviewer of a show runs the lines of its definition instead, because its prompt
holds the work under review; `{word}` there is the word that its verdict must repeat. A message to the running script is
taken between two lines, or during a sleep; the script lines in it are run.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Any

from lionstudio.agents.dialog import Delivery, Said, SentMessage
from lionstudio.agents.events import (
    MAIN,
    AnswerTaken,
    Ended,
    Event,
    LaneOpened,
    MessageEvent,
    MetadataEvent,
    QuestionAsked,
    TextDelta,
)
from lionstudio.agents.openai.tools import write_notes
from lionstudio.agents.provider import Provider, Task
from lionstudio.errors import InvalidInput, LionError
from lionstudio.model.coerce import dict_of, list_of
from lionstudio.model.ids import new_id
from lionstudio.model.messages import ActionRequest, ActionResponse, AssistantResponse
from lionstudio.model.questions import ALLOW, DENY, AnsweredQuestion, Effect, Question, QuestionKind, replies
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
    "allow",
    "ask",
    "sleep",
    "wait",
    "usage",
    "limit",
    "fail",
    "hang",
)


_WORD = re.compile(r'^\{"word": "([a-z]+)",$', re.MULTILINE)


def _script(task: Task) -> str:
    if not task.untrusted_material:
        return task.prompt
    words = _WORD.findall(task.prompt)  # the last is ours: the work under review stands before it
    return (task.system or "").replace("{word}", words[-1] if words else "")


def _problem(command: str, arguments: list[str]) -> str | None:
    if command not in _COMMANDS:
        return "is unknown"
    if command == "write" and len(arguments) < 2:
        return "needs a file and, on the same line, its text (\\n starts a new line)"
    if command in ("run", "allow", "tool", "error") and not arguments:
        return "needs a command" if command in ("run", "allow") else "needs the name of a tool"
    if command == "ask" and not arguments:
        return "needs a question"
    if command == "sleep" and arguments and not _is_seconds(arguments[0]):
        return "needs a number of seconds"
    if command == "usage" and not (arguments and all(text.isascii() and text.isdigit() for text in arguments)):
        return "needs integer token counts: IN OUT [MICRODOLLARS]"
    return None


def _hint(command: str) -> str:
    from difflib import get_close_matches  # only after a mistake

    matches = [] if command in _COMMANDS else get_close_matches(command, _COMMANDS, n=1)
    return f"did you mean @{matches[0]}?" if matches else "li agent --help"


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
        for number, line in enumerate(_script(task).splitlines(), 1):
            command, _, rest = line.strip().partition(" ")
            if command.startswith("@") and (problem := _problem(command[1:], rest.split())):
                raise InvalidInput(f"line {number} of the script: {command} {problem}", hint=_hint(command[1:]))

    async def run(self, task: Task) -> AsyncIterator[Event]:
        yield MetadataEvent({"model": task.model or "script", "conversation": task.resume or new_id()})
        interpreter = _Interpreter(task)
        if task.answered:
            async for event in interpreter.resume(task.answered):
                yield event
        else:
            if not _lines(_script(task)):
                yield interpreter.echo(task.prompt)
            interpreter.lines.extend(_lines(_script(task)))
        while True:
            for event in interpreter.take_messages():
                yield event
            if not interpreter.lines:
                break
            async for event in interpreter.execute(interpreter.lines.popleft()):
                yield event
                if isinstance(event, Ended):
                    return
        yield Ended(SessionStatus.COMPLETED, 0)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("@")]


class _Interpreter:
    def __init__(self, task: Task) -> None:
        self._task = task
        self._lane = MAIN
        self._usage: dict[str, int] = {}
        self.lines: deque[str] = deque()
        self._later: deque[SentMessage] = deque()  # for after the last line
        self._answers: dict[str, AnsweredQuestion] = {}

    def echo(self, text: str) -> MessageEvent:
        return self._answer({"assistant_response": f"You said: {text}"})

    def take_messages(self) -> Iterator[Event]:
        """The messages that are here; one for later is taken when no line is left."""
        dialog = self._task.dialog
        while dialog is not None and (said := dialog.receive_nowait()) is not None:
            yield from self._hear(said)
        if not self.lines and self._later:
            yield from self._take(self._later.popleft())

    def _hear(self, said: Said) -> Iterator[Event]:
        if isinstance(said, AnsweredQuestion):
            self._answers[said.question.id] = said
        elif said.delivery is Delivery.NEXT and self.lines:
            self._later.append(said)
        else:
            if said.delivery is Delivery.INSTEAD:
                self.lines.clear()
            yield from self._take(said)

    def _take(self, said: SentMessage) -> Iterator[Event]:
        yield MessageEvent(said.message)
        lines = _lines(said.text)
        self.lines.extendleft(reversed(lines))
        if not lines:
            yield self.echo(said.text)

    async def _sleep(self, seconds: float | None) -> AsyncIterator[Event]:
        """Sleep, and hear messages meanwhile; one that replaces the script ends the sleep."""
        dialog, loop = self._task.dialog, asyncio.get_running_loop()
        deadline = None if seconds is None else loop.time() + seconds
        before = self.lines.copy()
        while before == self.lines:
            left = None if deadline is None else deadline - loop.time()
            if left is not None and left <= 0:
                return
            try:
                async with asyncio.timeout(left):
                    said = await dialog.receive() if dialog is not None else await asyncio.Event().wait()
            except TimeoutError:
                return
            assert not isinstance(said, bool)
            for event in self._hear(said):
                yield event

    async def _ask(self, question: Question) -> AsyncIterator[Event]:
        """Ask, wait for the answer, and keep it in `_answers`; without a dialog, it goes on at once."""
        yield QuestionAsked(question)
        while self._task.dialog is not None and question.id not in self._answers:
            for event in self._hear(await self._task.dialog.receive()):
                yield event
        async for event in self._taken(question.id):
            yield event

    async def _taken(self, question_id: str) -> AsyncIterator[Event]:
        """Take an answer; one that was taken before is dropped, so that nothing is done twice."""
        if question_id in self._answers:
            if self._task.dialog is None or await self._task.dialog.take(question_id):
                yield AnswerTaken(question_id)
            else:
                del self._answers[question_id]

    async def resume(self, answered: tuple[AnsweredQuestion, ...]) -> AsyncIterator[Event]:
        """Continue a script that died while it waited: act on the answers, then run the lines after the question."""
        for said in answered:
            question = said.question
            self._answers[question.id] = said
            async for event in self._taken(question.id):
                yield event
            self.lines.extend(map(str, list_of(question.evidence.get("_rest"))))
            if question.kind is QuestionKind.PERMISSION:
                call = {"function": "run", "arguments": dict_of(question.evidence.get("arguments"))}
                yield await self._act(question, ActionRequest(id=str(question.evidence.get("call_id")), content=call))
            else:
                for event in self._repeat(question):
                    yield event

    async def _ask_in_words(self, rest: str) -> AsyncIterator[Event]:
        text, *labels = [part.strip() for part in rest.split("|")]
        question = Question(
            kind=QuestionKind.QUESTION,
            title=text or "What next?",
            evidence={"text": text, "_rest": list(self.lines)},
            options=replies(labels),
            takes_text=True,
            outlives=True,
        )
        async for event in self._ask(question):
            yield event
        for event in self._repeat(question):
            yield event

    def _repeat(self, question: Question) -> Iterator[Event]:
        if (said := self._answers.get(question.id)) is not None:
            option = question.option(said.answer.option)
            words = [option.label if option else "", said.answer.text or ""]
            yield self._answer({"assistant_response": f"You answered: {': '.join(filter(None, words))}"})

    async def _run_if_allowed(self, command: str) -> AsyncIterator[Event]:
        request = ActionRequest(content={"function": "run", "arguments": {"command": command}})
        yield MessageEvent(request, self._lane)
        question = Question(
            kind=QuestionKind.PERMISSION,
            title=f"run: {command}",
            reason="run",
            evidence={
                "tool": "run",
                "arguments": {"command": command},
                "call_id": request.id,
                "cwd": self._task.cwd,
                "_rest": list(self.lines),
            },
            options=(ALLOW, DENY),
            takes_text=True,
            takes_arguments=True,
            outlives=True,
        )
        async for event in self._ask(question):
            yield event
        yield await self._act(question, request)

    async def _act(self, question: Question, request: ActionRequest) -> MessageEvent:
        """Run the command if it was allowed."""
        said = self._answers.get(question.id)
        if said is not None and said.effect is Effect.ALLOW:
            arguments = said.answer.arguments or request.content["arguments"]
            return await self._run(str(arguments.get("command", "")), request, dict(arguments))
        words = (said.answer.text if said else None) or "the user did not allow it"
        response = {**request.content, "error": words, "action_request_id": request.id}
        return MessageEvent(ActionResponse(content=response), self._lane)

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
        elif command in ("ask", "wait"):
            async for asked in self._ask_in_words(rest):
                yield asked
        elif command == "allow":
            async for asked in self._run_if_allowed(rest):
                yield asked
        else:
            async for last in self._pause_or_end(command, rest):
                yield last

    async def _pause_or_end(self, command: str, rest: str) -> AsyncIterator[Event]:
        if command in ("sleep", "hang"):
            async for event in self._sleep(float(rest or 1) if command == "sleep" else None):
                yield event
        elif command == "usage":
            names = ("input_tokens", "output_tokens", "cost_microusd")
            self._usage = dict(zip(names, map(int, rest.split()), strict=False))
        elif command == "limit":
            from lionstudio.agents.rate_limits import reset_time  # slow to load

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
        self,
        name: str,
        arguments: dict[str, Any],
        text: str,
        *,
        failed: bool = False,
        notes: dict[str, Any] | None = None,
    ) -> tuple[MessageEvent, MessageEvent]:
        call = {"function": name, "arguments": arguments}
        request = ActionRequest(content=call)
        response = {**call, "error" if failed else "output": text, "action_request_id": request.id}
        result = ActionResponse(content=response, metadata=notes or {})
        return MessageEvent(request, self._lane), MessageEvent(result, self._lane)

    async def _run(self, command: str, request: ActionRequest, arguments: dict[str, Any] | None = None) -> MessageEvent:
        """Run a command; `arguments` are those that a person changed."""
        try:
            argv = shlex.split(command)
            task = self._task
            async with Program(argv, cwd=task.cwd, env=task.env, sandbox=task.sandbox) as program:
                output = b"\n".join([line async for line in program.lines()]).decode("utf-8", "backslashreplace")
                code = await program.wait()
                text = "\n".join(part for part in (output, program.stderr_tail) if part)
        except (LionError, ValueError, IndexError) as error:
            code, text = 127, str(error)
        call = request.content if arguments is None else {**request.content, "arguments": arguments}
        response = {**call, "error" if code else "output": text, "action_request_id": request.id}
        return MessageEvent(ActionResponse(content=response), self._lane)

    def _write(self, name: str, text: str) -> tuple[MessageEvent, MessageEvent]:
        folder = os.path.realpath(self._task.cwd)
        path = os.path.realpath(os.path.join(folder, name))  # a link may lead out
        content = text.replace("\\n", "\n") + "\n"
        arguments = {"path": name, "content": content}
        if os.path.commonpath([path, folder]) != folder:
            return self._call("write", arguments, "outside the working folder", failed=True)
        try:
            notes = write_notes(path, content)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        except (OSError, ValueError) as error:
            return self._call("write", arguments, str(error), failed=True)
        return self._call("write", arguments, f"{len(text)} characters", notes=notes)
